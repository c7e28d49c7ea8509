import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { parse } from 'hono/utils/cookie';
import { accessesByIdOf } from '#db/access.ts';
import { newId } from '#shared/ids.ts';
import type { Patience } from '#sync/server/connection.ts';
import { openDoor, type Revocation, type Visitor } from '#sync/server/door.ts';
import { together } from '#sync/server/together.ts';
import { findSessions, stillHolding, type Found } from '../people/sessions.ts';
import type { House } from '../context.ts';
import { hashOf } from '../keys.ts';
import { clientAddress } from '../http/address.ts';
import { ownOrigins } from '../http/guard.ts';
import { browserOf, passCookie, sessionCookie } from '../http/cookies.ts';
import { openNews } from './news.ts';
import { roomEvents } from '../rooms/rooms.ts';
import { readTicket } from './tickets.ts';

/** Sockets wait longer than requests for a database connection: a refused one would only reconnect. */
const doorPatience = 5000;
const drainSpread = 3000;
/** Interval for finding expired sessions, which send no notification. */
const sessionsEvery = 5000;
/** Interval for finding expired links, which send none either. */
const linksEvery = 1000;

interface Live {
  /** Stops admitting sockets and checking permissions; open sockets stay open. */
  stop(): Promise<void>;
}

/** Sockets of another kind than documents and notifications, at paths of their own below /sync. */
export interface SocketBoard {
  /** Null for a path that is not theirs; the returned function admits a socket or resolves with a refusal's status. */
  at(url: URL): ((request: IncomingMessage, socket: Duplex, head: Buffer) => Promise<number | null>) | null;
  /** Looks up again what the notification concerns. */
  revoke(what: Revocation): Promise<void>;
  /** Closes sockets of sessions that ended without a notification. */
  checkSessions(): Promise<void>;
  stop(): Promise<void>;
}

type OpenBoard = (
  house: House,
  identify: (request: IncomingMessage) => Promise<Visitor | { status: number }>,
) => Promise<SocketBoard>;

/** Accepts sockets for live editing on the port of the app. */
export async function openLive(
  house: House,
  server: Server,
  patience: Partial<Patience> = {},
  boardKinds: readonly OpenBoard[] = [],
): Promise<Live> {
  const { config, db, metrics, rooms } = house;
  const event = roomEvents(house);
  const timers: NodeJS.Timeout[] = [];
  const holderOf = together((secrets: readonly string[]) => findSessions(house, secrets, doorPatience));
  const holding = together(async (requested: readonly string[]) => {
    const held = await stillHolding(house, [...new Set(requested)], doorPatience);
    return requested.map((id) => held.has(id));
  });
  const addressOf = (request: IncomingMessage) =>
    clientAddress(config, request.socket.remoteAddress, first(request.headers['x-forwarded-for']));
  const identified = (request: IncomingMessage) => byCookie(house, holderOf, request, addressOf(request));
  const news = await openNews(house, identified);
  const boards = await Promise.all(boardKinds.map((openBoard) => openBoard(house, identified)));
  const door = openDoor(server, {
    rooms,
    elsewhere: (url) => news.at(url) ?? boards.map((board) => board.at(url)).find((admit) => admit !== null) ?? null,
    accessesOf: (requested) => db.ask((sql) => accessesByIdOf(sql, requested), doorPatience),
    stillHolding: (ids) => stillHolding(house, ids),
    newId,
    patience,
    now: () => performance.now(),
    refused: (status) => metrics.syncRefusals.inc({ code: String(status) }),
    event,
    async identify(request, { id, part, ticket }, accessOf) {
      const address = addressOf(request);
      if (ticket !== null) {
        const holder = await readTicket(house, ticket, id, part);
        if (!holder) return { status: 401 };
        return { ...holder, address, ...(holder.hangsOn === null ? {} : { holds: holding(holder.hangsOn) }) };
      }
      let access: Visitor['access'];
      const asked = (secret: string, browser: string | null) => {
        access = accessOf({ meetingId: id, userId: null, browser, session: hashOf(secret) });
        // A request that is refused before this is looked at waits for no answer.
        access.catch(() => {});
        return holderOf(secret);
      };
      const visitor = await byCookie(house, asked, request, address);
      return 'status' in visitor || visitor.userId === null || !access ? visitor : { ...visitor, access };
    },
  });
  timers.push(
    setInterval(() => {
      for (const place of [door, ...boards])
        void place.checkSessions().catch((error: unknown) => event('look failed', { why: String(error) }));
    }, sessionsEvery),
  );
  metrics.sockets(() => door.sockets());

  // Links that ended within the last minute, because another process, or this one, may have been late.
  let ended = new Set<string>();
  const endLinks = async () => {
    if (door.sockets() === 0) return;
    const rows = await db.ask(
      (sql) => sql<{ id: string; at: string }[]>`
        select meeting_id as id, expires_at as at from meeting_access
        where expires_at <= now() and expires_at > now() - interval '1 minute'`,
    );
    const now = new Map(rows.map(({ id, at }) => [`${id} ${at}`, id]));
    const fresh = [...now].filter(([key]) => !ended.has(key));
    ended = new Set(now.keys());
    for (const [, meeting] of fresh) void door.revoke({ meeting });
  };
  timers.push(
    setInterval(
      () => void endLinks().catch((error: unknown) => event('look failed', { why: String(error) })),
      linksEvery,
    ),
  );

  const revoke = (what: Revocation) => {
    if ('session' in what) news.sessionEnded(what.session);
    for (const place of [door, ...boards]) void place.revoke(what);
  };
  // The database notifies about every change of a permission; see the migration access_news.
  const listening = await db.sql.listen(
    'colloquy_access',
    (payload) => revoke(JSON.parse(payload) as Revocation),
    // Also runs after a lost connection, which may have missed notifications.
    () => revoke({ everything: true }),
  );

  return {
    async stop() {
      for (const timer of timers) clearInterval(timer);
      door.close();
      await news.stop();
      await Promise.all(boards.map((board) => board.stop()));
      await rooms.drain(drainSpread);
      await listening.unlisten().catch(() => {});
    },
  };
}

const first = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value);

/** Identifies a browser by its cookie, which counts only with our own Origin, which no foreign page can forge. */
async function byCookie(
  house: House,
  holderOf: (secret: string, browser: string | null) => Promise<Found | null>,
  request: IncomingMessage,
  address: string,
): Promise<Visitor | { status: 401 | 403 }> {
  const { config } = house;
  if (!ownOrigins(config, house.origin()).includes(request.headers.origin ?? '')) return { status: 403 };
  const name = sessionCookie(config.secureCookies);
  const cookies = parse(request.headers.cookie ?? '');
  const secret = cookies[name];
  const browser = browserOf(cookies[passCookie(config.secureCookies)]);
  const found = secret && /^[\w-]{43}$/.test(secret) ? await holderOf(secret, browser) : null;
  if (!found || found.proof.kind !== 'session')
    return { userId: null, name: '', hangsOn: null, browser, address, generation: null };
  const { person, proof } = found;
  return {
    userId: person.id,
    name: `${person.firstName} ${person.lastName}`.trim(),
    hangsOn: proof.sessionId,
    browser,
    address,
    generation: null,
  };
}
