import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { parts, type Part } from '#shared/meetings/parts.ts';
import { roomRights, type Permission } from '#shared/roles.ts';
import { close, limits, schemaVersion } from '../protocol.ts';
import { Connection } from './connection.ts';
import { HouseFull, type Rooms } from './rooms.ts';

/** Who wants in, as found by ticket or cookie. */
export interface Visitor {
  /** Null for whoever only has the link. */
  userId: string | null;
  name: string;
  /** The session or API token it hangs on: when that ends, so does the socket. */
  hangsOn: string | null;
  address: string;
  /** The document's generation when the ticket was made. */
  generation: number | null;
}

export type Refusal = { status: 401 | 403 | 404 | 426 | 429 | 503 };

export interface DoorOptions {
  rooms: Rooms;
  /** Who this request is, or why it stays outside. Does not look at the meeting. */
  identify(
    request: IncomingMessage,
    room: { meetingId: string; part: Part; ticket: string | null },
  ): Promise<Visitor | Refusal>;
  accessOf(meetingId: string, userId: string | null): Promise<ReadonlySet<Permission> | null>;
  newId(): string;
  now(): number;
  event(name: string, fields: Record<string, unknown>): void;
}

interface Guest {
  connection: Connection;
  visitor: Visitor;
  meetingId: string;
  part: Part;
}

/** What somebody has lost; names are of meetings, people, sessions. */
export type Revocation = { meeting: string } | { user: string } | { session: string } | { everything: true };

export interface Door {
  /** Looks again at everybody it may concern, and closes or downgrades them. */
  revoke(what: Revocation): Promise<void>;
  sockets(): number;
  close(): void;
}

const colors = ['#2b66a8', '#b0442c', '#26785a', '#6d4fa0', '#8a5a12'];
const pathPattern = /^\/sync\/([\w-]{1,64})\/(\w{1,20})$/;

export function openDoor(server: Server, options: DoorOptions): Door {
  const wss = new WebSocketServer({
    noServer: true,
    maxPayload: limits.frameBytes,
    perMessageDeflate: false,
    clientTracking: false,
  });
  const guests = new Map<Connection, Guest>();
  const perUser = new Map<string, number>();
  const perAddress = new Map<string, number>();
  let open = true;
  /** How often rights have changed: whoever was judged before a change and comes in after it is judged again. */
  let notices = 0;

  const refuse = (socket: Duplex, status: number): void => {
    socket.end(
      `HTTP/1.1 ${status} ${status === 426 ? 'Upgrade Required' : 'Refused'}\r\nConnection: close\r\nContent-Length: 0\r\n${status === 429 || status === 503 ? 'Retry-After: 5\r\n' : ''}\r\n`,
    );
  };

  const onUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    socket.on('error', () => socket.destroy());
    admit(request, socket, head).catch((error: unknown) => {
      options.event('door failed', { why: String(error) });
      refuse(socket, 503);
    });
  };
  server.on('upgrade', onUpgrade);

  async function admit(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const url = URL.canParse(request.url ?? '', 'http://house') ? new URL(request.url ?? '', 'http://house') : null;
    const [, meetingId = '', part = ''] = pathPattern.exec(url?.pathname ?? '') ?? [];
    const known = parts.find((one) => one === part);
    if (!url || !known) return refuse(socket, 404);
    if (!open) return refuse(socket, 503);
    const before = notices;
    const visitor = await options.identify(request, { meetingId, part: known, ticket: url.searchParams.get('ticket') });
    if ('status' in visitor) return refuse(socket, visitor.status);
    const held = await options.accessOf(meetingId, visitor.userId);
    const rights = roomRights(known, held ?? new Set(), visitor.userId !== null);
    // No access and no such meeting are one answer.
    if (!held || !rights.read) return refuse(socket, 403);
    if (visitor.userId && (perUser.get(visitor.userId) ?? 0) >= limits.socketsPerUser) return refuse(socket, 429);
    if (!visitor.userId && (perAddress.get(visitor.address) ?? 0) >= limits.socketsPerAddress)
      return refuse(socket, 429);
    if (socket.destroyed) return;

    wss.handleUpgrade(request, socket, head, (ws) => {
      const id = options.newId();
      const connection = new Connection(ws, socket, {
        id,
        // Whoever is not signed in owns what this one socket wrote, and nothing else.
        userId: visitor.userId ?? `anonymous:${id}`,
        identity: { id: visitor.userId ?? `anonymous:${id}`, name: visitor.name, color: colorOf(visitor.userId ?? id) },
        canWrite: rights.write,
        wantsSaved: url.searchParams.get('saved') === '1',
        now: options.now,
        event: options.event,
      });
      const guest = { connection, visitor, meetingId, part: known };
      guests.set(connection, guest);
      const count = (map: Map<string, number>, key: string | null, by: number) => {
        if (key === null) return;
        const next = (map.get(key) ?? 0) + by;
        if (next > 0) map.set(key, next);
        else map.delete(key);
      };
      count(perUser, visitor.userId, 1);
      count(perAddress, visitor.userId ? null : visitor.address, 1);
      ws.once('close', () => {
        guests.delete(connection);
        count(perUser, visitor.userId, -1);
        count(perAddress, visitor.userId ? null : visitor.address, -1);
      });
      if (before !== notices) return connection.close(close.restart, 'judged anew');
      const schema = url.searchParams.get('schema');
      if (schema !== null && schema !== String(schemaVersion))
        return connection.close(close.otherGeneration, 'another schema');
      void enter(guest, url.searchParams.get('generation'));
    });
  }

  async function enter(guest: Guest, generation: string | null): Promise<void> {
    const { connection, visitor, meetingId, part } = guest;
    try {
      const live = await options.rooms.enter(meetingId, part, visitor.userId);
      const claimed = generation === null ? visitor.generation : Number(generation);
      if (claimed !== null && claimed !== live.room.generation)
        return connection.close(close.otherGeneration, 'another generation');
      connection.enter(live);
    } catch (error) {
      if (!(error instanceof HouseFull))
        options.event('room not loaded', { meeting: meetingId, part, why: String(error) });
      connection.close(error instanceof HouseFull ? close.full : close.restart, 'not ready');
    }
  }

  async function look(guest: Guest): Promise<void> {
    const { connection, visitor, meetingId, part } = guest;
    const held = await options.accessOf(meetingId, visitor.userId);
    const rights = roomRights(part, held ?? new Set(), visitor.userId !== null);
    if (!rights.read) connection.close(close.noAccess, 'no access');
    else if (!rights.write) connection.loseWriting();
    else connection.canWrite = true;
  }

  return {
    async revoke(what) {
      notices += 1;
      for (const guest of [...guests.values()]) {
        const { visitor } = guest;
        if ('session' in what) {
          if (visitor.hangsOn === what.session) guest.connection.close(close.sessionEnded, 'session ended');
        } else if (
          'everything' in what ||
          ('meeting' in what ? guest.meetingId === what.meeting : visitor.userId === what.user)
        ) {
          // When the database cannot say, nobody stays on an old answer.
          await look(guest).catch(() => guest.connection.close(close.restart, 'not ready'));
        }
      }
    },
    sockets: () => guests.size,
    close() {
      open = false;
      server.off('upgrade', onUpgrade);
    },
  };
}

/** The same person has the same colour everywhere. */
function colorOf(id: string): string {
  let sum = 0;
  for (const char of id) sum = (sum * 31 + (char.codePointAt(0) ?? 0)) % 9973;
  return colors[sum % colors.length] ?? '#2b66a8';
}
