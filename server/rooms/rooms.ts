import { Redis } from 'ioredis';
import { newId } from '#shared/ids.ts';
import { noFanout, redisFanout } from '#sync/server/fanout.ts';
import { Rooms } from '#sync/server/rooms.ts';
import type { House } from '../context.ts';
import { memoryMark } from '../memory.ts';

/** Share of the process's memory above which no further rooms are opened. */
const heapMark = 0.75;
/** Milliseconds between pings of Redis, and without an answer before its connection is closed. */
const redisSilence = 4000;
/** Reasons for dropping a room that are not counted as rebuilds. */
const orderly = new Set(['idle', 'stopping', 'the meeting is gone', 'another generation']);

type Around = Pick<House, 'config' | 'db' | 'clock' | 'log' | 'metrics'>;

/** Records events of rooms as metrics and log lines. */
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

/** Live documents of this process, for its sockets, verbs and jobs. */
export function openRooms(house: Around, renewed: (meetingId: string) => Promise<void>): Rooms {
  const { config, db, metrics } = house;
  const event = roomEvents(house);
  const redisOptions = {
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    lazyConnect: true,
    connectTimeout: 2000,
    // A connection without answers is closed and replaced.
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
    renewed,
    fanout: (receive) => {
      if (!config.redisUrl) return noFanout;
      const publisher = new Redis(config.redisUrl, redisOptions);
      // The fanout renews the subscriptions on each line.
      const subscriber = new Redis(config.redisUrl, { ...redisOptions, autoResubscribe: false });
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
