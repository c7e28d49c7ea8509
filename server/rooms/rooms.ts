import { Redis } from 'ioredis';
import { newId } from '#shared/ids.ts';
import { noFanout, redisFanout } from '#sync/server/fanout.ts';
import { Rooms } from '#sync/server/rooms.ts';
import type { House } from '../context.ts';
import { memoryMark } from '../memory.ts';

/** Above this share of the memory the process was given no further room is opened. */
const heapMark = 0.75;
/** Redis is asked this often whether it is there, and given up after as long without an answer. */
const redisSilence = 4000;
/** Rooms thrown away for these reasons are not missed. */
const orderly = new Set(['idle', 'stopping', 'the meeting is gone', 'another generation']);

type Around = Pick<House, 'config' | 'db' | 'clock' | 'log' | 'metrics'>;

/** What happens in rooms, as figures and as lines of the log. */
export function roomEvents({ log, metrics }: Pick<Around, 'log' | 'metrics'>) {
  return (name: string, fields: Record<string, unknown>) => {
    metrics.syncEvents.inc({ event: name });
    if (name === 'closing' && Number(fields['code']) >= 4000)
      metrics.syncRefusals.inc({ code: String(fields['code']) });
    if (name === 'refused' || name === 'squatting') metrics.syncRefused.inc({ reason: String(fields['reason']) });
    if (name === 'dropped' && !orderly.has(String(fields['why']))) metrics.syncRebuilds.inc();
    log.info({ ...fields, event: name }, 'sync');
  };
}

/** The live documents: each process has its own view of them, for its sockets, its verbs and its jobs. */
export function openRooms(house: Around): Rooms {
  const { config, db, metrics } = house;
  const event = roomEvents(house);
  const redisOptions = {
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    lazyConnect: true,
    connectTimeout: 2000,
    // A line that swallows everything is given up, and another one is made.
    socketTimeout: redisSilence,
    retryStrategy: (tries: number) => Math.min(tries * 100, 1000),
  };
  const rooms = new Rooms({
    sql: db.sql,
    now: () => house.clock.now(),
    event,
    observeAppend: (rows, ms) => {
      metrics.appendSeconds.observe(ms / 1000);
      metrics.appendRows.inc(rows);
    },
    observeSaved: (ms) => metrics.savedSeconds.observe(ms / 1000),
    observeLag: (rows) => metrics.syncLag.set(rows),
    full: memoryMark(heapMark),
    fanout: (receive) => {
      if (!config.redisUrl) return noFanout;
      const publisher = new Redis(config.redisUrl, redisOptions);
      // Subscriptions are taken up again by themselves when Redis comes back.
      const subscriber = new Redis(config.redisUrl, {
        ...redisOptions,
        enableOfflineQueue: true,
        autoResubscribe: true,
      });
      for (const redis of [publisher, subscriber]) {
        redis.on('error', () => {});
        redis.connect().catch(() => {});
      }
      const asking = setInterval(() => {
        for (const redis of [publisher, subscriber]) if (redis.status === 'ready') redis.ping().catch(() => {});
      }, redisSilence);
      asking.unref();
      publisher.once('end', () => clearInterval(asking));
      return redisFanout(publisher, subscriber, newId(), receive);
    },
  });

  metrics.rooms(() => rooms.size);
  metrics.pendingBytes(() => [...rooms.all()].reduce((sum, { room }) => sum + room.pendingBytes, 0));
  return rooms;
}
