import { createHash } from 'node:crypto';
import { STATUS_CODES, type IncomingMessage, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import { parts, type Part } from '#shared/meetings/parts.ts';
import type { AccessInRooms } from '#db/access.ts';
import { roomRights, takingOf } from '#shared/roles.ts';
import { close, schemaVersion, type Limits } from '../protocol.ts';
import { Bucket, Connection, type Patience } from './connection.ts';
import { HouseFull, type Rooms } from './rooms.ts';
import { together } from './together.ts';

/** The person behind a socket, as found by ticket or cookie. */
export interface Visitor {
  /** Null for somebody who only has the link. */
  userId: string | null;
  name: string;
  /** The session or API token; when that ends, so does the socket. */
  hangsOn: string | null;
  /** The id under which a browser's passes for links with an access code are stored. */
  browser?: string | null;
  address: string;
  /** The document's generation when the ticket was made. */
  generation: number | null;
  /** Whether that session still counts, where that had to be looked up. */
  holds?: Promise<boolean>;
  /** Their rights, if those were asked together with who they are. */
  access?: Promise<AccessInRooms | null>;
}

/** A person (null: somebody with the link) and the meeting or layer they want. */
interface Asking {
  meetingId: string;
  userId: string | null;
  browser: string | null;
  /** The hash of the session of a person who is not known yet. */
  session?: Buffer;
}

type Refusal = { status: 401 | 403 | 404 | 426 | 429 | 503 };

export interface DoorOptions {
  rooms: Rooms;
  /**
   * The person behind a request, or why it is refused. Does not check the meeting, but may ask by `accessOf` what the
   * person of a session may do there before it knows who that is.
   */
  identify(
    request: IncomingMessage,
    room: { id: string; part: Part; ticket: string | null },
    accessOf: (asked: Asking) => Promise<AccessInRooms | null>,
  ): Promise<Visitor | Refusal>;
  accessesOf(asked: readonly Asking[]): Promise<(AccessInRooms | null)[]>;
  newId(): string;
  patience?: Partial<Patience>;
  now(): number;
  /** Sessions and API tokens of these that still count. */
  stillHolding(ids: readonly string[]): Promise<ReadonlySet<string>>;
  refused?(status: number): void;
  /** Handles other paths below /sync; resolves with the status of a refusal, or null where it let the socket in. */
  elsewhere?(url: URL): ((request: IncomingMessage, socket: Duplex, head: Buffer) => Promise<number | null>) | null;
  event(name: string, fields: Record<string, unknown>): void;
}

interface Guest {
  connection: Connection;
  visitor: Visitor;
  /** The id they came with, a meeting's or a layer's. */
  id: string;
  meetingId: string;
  part: Part;
  /** The person or layer whose room it is, where there are many. */
  of: string | null;
  /** The permissions the client was last told. */
  permissions: string;
  /** How often their rights were looked up since they came. */
  looks: number;
}

/** Somebody who may come in, and what their address asks for. */
interface Admitted {
  visitor: Visitor;
  id: string;
  part: Part;
  access: AccessInRooms;
  rights: ReturnType<typeof rightsIn>;
  parameters: {
    /** Id of somebody without an account. */
    guest: string | null;
    /** Account for which the page was opened; empty for nobody's. */
    as: string | null;
    schema: string | null;
    generation: string | null;
    wantsSaved: boolean;
    asksHistory: boolean;
  };
  /** Revocations since their rights were looked up. */
  since: readonly Revocation[];
}

/** Access that ended, by the id of a meeting, a person or a session. */
export type Revocation = { meeting: string } | { user: string } | { session: string } | { everything: true };

export interface Door {
  /** Looks up the rights of everybody it may concern again, and closes or downgrades them. */
  revoke(what: Revocation): Promise<void>;
  /** Closes sockets of sessions that ended without a notice, such as by age (A4). */
  checkSessions(): Promise<void>;
  sockets(): number;
  close(): void;
}

const colors = ['#2b66a8', '#b0442c', '#26785a', '#6d4fa0', '#8a5a12'];
const pathPattern = /^\/sync\/([\w-]{1,64})\/(\w{1,20})$/;

/** Limits the work that each person causes, over all their sockets (G15). */
class WorkOfPeople {
  private readonly buckets = new Map<string, Bucket>();
  private readonly limits: Limits;
  constructor(limits: Limits) {
    this.limits = limits;
  }
  take(who: string, units: number, now: number): boolean {
    // Most updates cause next to none.
    if (units < leastWork) return true;
    const { workPerSecond, workBurst } = this.limits;
    for (const [one, bucket] of this.buckets) if (bucket.isFull(now)) this.buckets.delete(one);
    let bucket = this.buckets.get(who);
    if (!bucket) this.buckets.set(who, (bucket = new Bucket(workPerSecond, workBurst, now)));
    return bucket.take(units, now);
  }
}
const leastWork = 1000;

export function openDoor(server: Server, options: DoorOptions): Door {
  const { limits } = options.rooms;
  // The library cuts a client that takes none of its pongs without a close code; D6 counts a flood before that.
  const unsentPongs = { maxPendingAutoPongs: 4 * limits.controlFramesPerSecond };
  const wss = new WebSocketServer({
    ...unsentPongs,
    noServer: true,
    maxPayload: limits.frameBytes,
    maxFragments: limits.fragments,
    // Bounds how many reads of the network make up a frame: no honest client sends one byte by byte.
    maxBufferedChunks: limits.fragments * 32,
    perMessageDeflate: false,
    clientTracking: false,
  });
  const guests = new Map<Connection, Guest>();
  const perUser = new Map<string, number>();
  const perAddress = new Map<string, number>();
  const work = new WorkOfPeople(limits);
  let open = true;
  /** For each socket at the door: what was revoked since it came (A1a). */
  const atDoor = new Set<Revocation[]>();
  const accessOf = together((asked: readonly Asking[]) => options.accessesOf(asked));
  /** For sockets that are in: their rights must not wait behind newcomers to be taken. */
  const accessAgain = together((asked: readonly Asking[]) => options.accessesOf(asked));

  const refuse = (socket: Duplex, status: number): void => {
    options.refused?.(status);
    const more =
      status === 426
        ? 'Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n'
        : status === 429 || status === 503
          ? 'Retry-After: 5\r\n'
          : '';
    socket.once('finish', () => socket.destroy());
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Length: 0\r\n${more}\r\n`);
  };

  const onUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    socket.on('error', () => socket.destroy());
    const since: Revocation[] = [];
    atDoor.add(since);
    admit(request, socket, head, since)
      .catch((error: unknown) => {
        options.event('door failed', { why: String(error) });
        refuse(socket, 503);
      })
      .finally(() => atDoor.delete(since));
  };
  server.on('upgrade', onUpgrade);

  async function admit(request: IncomingMessage, socket: Duplex, head: Buffer, since: Revocation[]): Promise<void> {
    const url = URL.canParse(request.url ?? '', 'http://house') ? new URL(request.url ?? '', 'http://house') : null;
    const [, id = '', part = ''] = pathPattern.exec(url?.pathname ?? '') ?? [];
    const known = parts.find((one) => one === part);
    const other = url ? options.elsewhere?.(url) : null;
    if (!url || (!known && !other)) return refuse(socket, 404);
    const wrong = handshake(request);
    if (wrong) return refuse(socket, wrong);
    if (!open) return refuse(socket, 503);
    if (!known) {
      const status = await other?.(request, socket, head);
      if (status) refuse(socket, status);
      return;
    }
    const ticket = url.searchParams.get('ticket');
    const visitor = await options.identify(request, { id, part: known, ticket }, accessOf);
    if ('status' in visitor) return refuse(socket, visitor.status);
    const asked = visitor.access ?? accessOf(askingOf(id, visitor));
    const [holds, access] = await Promise.all([visitor.holds ?? true, asked]);
    if (!holds) return refuse(socket, 401);
    const rights = rightsIn(known, access, visitor);
    // No access and no such meeting get the same answer.
    if (!access || !rights.read) return refuse(socket, 403);
    if (visitor.userId && (perUser.get(visitor.userId) ?? 0) >= limits.socketsPerUser) return refuse(socket, 429);
    if (!visitor.userId && (perAddress.get(visitor.address) ?? 0) >= limits.socketsPerAddress)
      return refuse(socket, 429);
    if (socket.destroyed) return;

    // The first messages of an open room travel with the handshake: they are made before the next tick.
    socket.cork();
    process.nextTick(() => socket.uncork());
    const parameters = parametersIn(url);
    wss.handleUpgrade(request, socket, head, (ws) =>
      receive(ws, socket, { visitor, id, part: known, access, rights, parameters, since }),
    );
  }

  /** Lets in who was admitted. A function apart from `admit`, so that what admitting took is not kept while they stay. */
  function receive(
    ws: WebSocket,
    socket: Duplex,
    { visitor: asked, id, part, access, rights, parameters, since }: Admitted,
  ): void {
    // The visitor's promises have been awaited; kept, they would hold on to their answers.
    const { holds: _holds, access: _access, ...visitor } = asked;
    const { held, meetingId, layerId, veil, wordsOnly } = access;
    const socketId = options.newId();
    const self = visitor.userId ?? anonymous(parameters.guest, socketId);
    const worker = visitor.userId ?? `address ${visitor.address}`;
    const connection = new Connection(ws, socket, {
      id: socketId,
      userId: self,
      identity: {
        id: self,
        name: visitor.name,
        color: colorOf(self),
        taking: takingOf(held, visitor.userId !== null),
        ...(veil.by.length > 0 && { veil: veil.by }),
      },
      oversees: veil.oversees,
      canWrite: rights.write,
      wordsOnly,
      history: rights.history,
      wantsSaved: parameters.wantsSaved,
      asksHistory: parameters.asksHistory,
      ...(options.patience ? { patience: options.patience } : {}),
      limits,
      affords: affordedTo(worker),
      now: options.now,
      event: options.event,
    });
    const of = part === 'layer' ? layerId : visitor.userId;
    const guest: Guest = { connection, visitor, id, meetingId, part, of, permissions: listed(held), looks: 0 };
    admitted(guest, ws);
    const meanwhile = since.filter((what) => concerns(what, guest));
    // The person is identified at the door alone, so a changed session has to come again.
    if (meanwhile.some((what) => 'session' in what || 'everything' in what))
      return connection.close(close.restart, 'judged anew');
    // Another person has signed in in that browser meanwhile: this page's edits are not theirs.
    const { as, schema } = parameters;
    if (as !== null && as !== (visitor.userId ?? '')) return connection.close(close.sessionEnded, 'somebody else');
    if (schema !== null && schema !== String(schemaVersion))
      return connection.close(close.otherGeneration, 'another schema');
    void enter(guest, parameters.generation, meanwhile.length > 0);
  }

  const affordedTo =
    (worker: string) =>
    (units: number): boolean =>
      work.take(worker, units, options.now());

  /** Counts a guest until their socket closes. */
  function admitted(guest: Guest, ws: WebSocket): void {
    const { userId, address } = guest.visitor;
    const [map, key] = userId === null ? [perAddress, address] : [perUser, userId];
    guests.set(guest.connection, guest);
    map.set(key, (map.get(key) ?? 0) + 1);
    ws.once('close', () => {
      guests.delete(guest.connection);
      const left = (map.get(key) ?? 0) - 1;
      if (left > 0) map.set(key, left);
      else map.delete(key);
    });
  }

  /** `again`: their rights may have changed since they were looked up. */
  async function enter(guest: Guest, generation: string | null, again: boolean): Promise<void> {
    const { connection, visitor, meetingId, part, of } = guest;
    try {
      if (again) await look(guest);
      if (connection.gone) return;
      const live = await options.rooms.enter(meetingId, part, of);
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
    const { connection, visitor, id, part } = guest;
    const nth = (guest.looks += 1);
    const access = await accessAgain(askingOf(id, visitor));
    // Stale lookup: a newer one is running.
    if (guest.looks !== nth) return;
    const held = access?.held ?? new Set();
    const rights = rightsIn(part, access, visitor);
    if (!rights.read) return connection.putOut(close.noAccess, 'no access');
    connection.history = rights.history;
    connection.wordsOnly = access?.wordsOnly ?? false;
    if (rights.write) connection.canWrite = true;
    else connection.loseWriting();
    connection.retake(takingOf(held, visitor.userId !== null), access?.veil ?? { by: [], oversees: [] });
    const permissions = listed(held);
    if (guest.permissions === permissions) return;
    guest.permissions = permissions;
    connection.tellRights();
  }

  async function checkSessions(): Promise<void> {
    const hanging = [...guests.values()].filter(({ visitor }) => visitor.hangsOn !== null);
    if (hanging.length === 0) return;
    const holding = await options.stillHolding([...new Set(hanging.map(({ visitor }) => visitor.hangsOn ?? ''))]);
    for (const { visitor, connection } of hanging)
      if (!holding.has(visitor.hangsOn ?? '')) connection.putOut(close.sessionEnded, 'session ended');
  }

  return {
    checkSessions,
    async revoke(what) {
      for (const since of atDoor) since.push(what);
      // Sessions that ended without a notice are found here; `look` below only asks for the person's rights.
      if ('everything' in what) await checkSessions().catch(() => {});
      const concerned = [...guests.values()].filter((guest) => concerns(what, guest));
      if ('session' in what)
        for (const { connection } of concerned) connection.putOut(close.sessionEnded, 'session ended');
      // All at once, as one question, so that nobody stays in while others are looked up.
      // Nobody stays on an old answer where the database gives none.
      else
        await Promise.all(
          concerned.map((guest) => look(guest).catch(() => guest.connection.close(close.restart, 'not ready'))),
        );
    },
    sockets: () => guests.size,
    close() {
      open = false;
      server.off('upgrade', onUpgrade);
    },
  };
}

const parametersIn = ({ searchParams }: URL): Admitted['parameters'] => ({
  guest: searchParams.get('guest'),
  as: searchParams.get('as'),
  schema: searchParams.get('schema'),
  generation: searchParams.get('generation'),
  wantsSaved: searchParams.get('saved') === '1',
  asksHistory: searchParams.get('history') === '1',
});

const listed = (held: AccessInRooms['held']): string => [...held].toSorted().join(' ');

const askingOf = (id: string, { userId, browser = null }: Visitor): Asking => ({ meetingId: id, userId, browser });

const rightsIn = (part: Part, access: AccessInRooms | null, { userId }: Visitor) =>
  roomRights(part, access?.held ?? new Set(), userId !== null, access?.layerId == null ? 'meeting' : 'layer');

function concerns(what: Revocation, { visitor, meetingId }: Guest): boolean {
  if ('session' in what) return visitor.hangsOn === what.session;
  if ('meeting' in what) return meetingId === what.meeting;
  if ('user' in what) return visitor.userId === what.user;
  return true;
}

/** The status for a malformed handshake, checked before the person is identified; null where it is well formed. */
function handshake({ method, headers, httpVersion }: IncomingMessage): 400 | 426 | null {
  if (headers.upgrade?.toLowerCase() !== 'websocket' || headers['sec-websocket-version'] !== '13') return 426;
  if (method !== 'GET' || httpVersion !== '1.1') return 400;
  return /^[+/0-9A-Za-z]{22}==$/.test(headers['sec-websocket-key'] ?? '') ? null : 400;
}

/** The id of somebody who is not signed in: they own what this page wrote, or a program what this socket wrote. */
function anonymous(guest: string | null, id: string): string {
  if (guest === null || !/^[\w-]{22}$/.test(guest)) return `anonymous:${id}`;
  return `anonymous:${createHash('sha256').update(guest).digest('base64url').slice(0, 22)}`;
}

/** The same person has the same colour everywhere. */
function colorOf(id: string): string {
  let sum = 0;
  for (const char of id) sum = (sum * 31 + (char.codePointAt(0) ?? 0)) % 9973;
  return colors[sum % colors.length] ?? '#2b66a8';
}
