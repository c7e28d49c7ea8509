import type { IncomingMessage, Server } from 'node:http';
import { getHeapStatistics } from 'node:v8';
import { parse } from 'hono/utils/cookie';
import { Redis } from 'ioredis';
import { accessOf } from '#db/access.ts';
import { newId } from '#shared/ids.ts';
import { openDoor, type Revocation, type Visitor } from '#sync/server/door.ts';
import { noFanout, redisFanout } from '#sync/server/fanout.ts';
import { Rooms } from '#sync/server/rooms.ts';
import { findSession } from '../accounts/sessions.ts';
import type { House } from '../context.ts';
import { clientAddress } from '../http/address.ts';
import { ownOrigins } from '../http/guard.ts';
import { sessionCookie } from '../http/session.ts';
import { readTicket } from './tickets.ts';

/** Above this share of the heap no further room is opened. */
const heapMark = 0.75;
const drainSpread = 3000;

export interface Live {
  rooms: Rooms;
  stop(): Promise<void>;
}

/** Opens the door for live editing on the API's own port. */
export async function openLive(house: House, server: Server): Promise<Live> {
  const { config, db, log, metrics } = house;
  const event = (name: string, fields: Record<string, unknown>) => {
    metrics.syncEvents.inc({ event: name });
    log.info({ ...fields, event: name }, 'sync');
  };
  const redisOptions = { maxRetriesPerRequest: 0, enableOfflineQueue: false, lazyConnect: true } as const;
  const rooms = new Rooms({
    sql: db.sql,
    now: () => house.clock.now(),
    event,
    observeAppend: (rows, ms) => {
      metrics.appendSeconds.observe(ms / 1000);
      metrics.appendRows.inc(rows);
    },
    full: () => {
      const heap = getHeapStatistics();
      return heap.used_heap_size > heap.heap_size_limit * heapMark;
    },
    fanout: (hear) => {
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
      return redisFanout(publisher, subscriber, newId(), hear);
    },
  });

  const door = openDoor(server, {
    rooms,
    accessOf: (meetingId, userId) => accessOf(db.sql, meetingId, userId),
    newId,
    now: () => performance.now(),
    event,
    async identify(request, { meetingId, part, ticket }) {
      const address = clientAddress(config, request.socket.remoteAddress, first(request.headers['x-forwarded-for']));
      if (ticket !== null) {
        const holder = await readTicket(house, ticket, meetingId, part);
        return holder ? { ...holder, address } : { status: 401 };
      }
      return byCookie(house, request, address);
    },
  });
  metrics.rooms(() => rooms.size);
  metrics.sockets(() => door.sockets());

  // Every change of a right is told by the database itself; see the migration access_news.
  const listening = await db.sql.listen(
    'colloquy_access',
    (payload) => void door.revoke(JSON.parse(payload) as Revocation),
    // Also after a lost connection: whatever was said meanwhile was not heard.
    () => void door.revoke({ everything: true }),
  );

  return {
    rooms,
    async stop() {
      door.close();
      await rooms.drain(drainSpread);
      await listening.unlisten().catch(() => {});
    },
  };
}

const first = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value);

/** A browser of ours: its cookie counts only with an Origin of ours, which no foreign page can forge. */
async function byCookie(
  house: House,
  request: IncomingMessage,
  address: string,
): Promise<Visitor | { status: 401 | 403 }> {
  const { config } = house;
  if (!ownOrigins(config, house.origin()).includes(request.headers.origin ?? '')) return { status: 403 };
  const name = sessionCookie(config.secureCookies);
  const secret = parse(request.headers.cookie ?? '', name)[name];
  const found = secret && /^[\w-]{43}$/.test(secret) ? await findSession(house, secret) : null;
  if (!found || found.proof.kind !== 'session')
    return { userId: null, name: '', hangsOn: null, address, generation: null };
  const { person, proof } = found;
  return {
    userId: person.id,
    name: `${person.firstName} ${person.lastName}`.trim(),
    hangsOn: proof.sessionId,
    address,
    generation: null,
  };
}
