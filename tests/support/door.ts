import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocket } from 'ws';
import * as Y from 'yjs';
import { vi } from 'vitest';
import type { Veil } from '#db/access.ts';
import type { Database } from '#db/open.ts';
import { users } from '#db/schema/accounts.ts';
import { meetings } from '#db/schema/meetings.ts';
import { newId } from '#shared/ids.ts';
import { heldPermissions, type Permission } from '#shared/roles.ts';
import { readFrame, writeFrame, type Frame, type Limits } from '#sync/protocol.ts';
import { openDoor, type Door } from '#sync/server/door.ts';
import { noFanout, type Fanout, type RoomMessage } from '#sync/server/fanout.ts';
import { Rooms } from '#sync/server/rooms.ts';
import { freshDatabase, type Created } from './database.ts';

type Fresh = Created & { database: Database };

/** Carries messages between the processes of one test; loses none, or all of them while `cut` is set. */
export class Hub {
  cut = false;
  private readonly ears: ((room: string, message: RoomMessage) => void)[] = [];
  join(hear: (room: string, message: RoomMessage) => void): Fanout {
    this.ears.push(hear);
    return {
      ...noFanout,
      publish: (room, news) => {
        if (!this.cut) for (const ear of this.ears) if (ear !== hear) setImmediate(() => ear(room, news));
      },
    };
  }
}

export interface DoorOptions {
  limits?: Partial<Limits>;
  database?: Fresh;
  hub?: Hub;
  /** Delays statements of the rooms until the promise resolves; undefined: no delay. */
  hold?(statement: string): Promise<void> | undefined;
  /** Delays the answer to a permission check, which has been read by then, until the promise resolves. */
  atTheDoor?(whom: readonly (string | null)[]): Promise<void>;
}

/**
 * The real door and the real rooms on a real database, without the rest of the house: the user is named in the address,
 * and limits may be small.
 */
export async function openSync(options: DoorOptions = {}) {
  const fresh = options.database ?? (await freshDatabase());
  const { sql, orm } = fresh.database;
  const events: { name: string; fields: Record<string, unknown> }[] = [];
  const event = (name: string, fields: Record<string, unknown>) => void events.push({ name, fields });
  const rights = new Map<string, ReadonlySet<Permission>>();
  /** Veils of people in blind reviews. */
  const veils = new Map<string, Veil>();
  /** People who come by a layer of a blind review. */
  const wordsOnly = new Set<string>();
  const time = { frozenAt: null as number | null, ahead: 0 };
  const held = new Proxy(sql, {
    apply(target, self, given: [TemplateStringsArray, ...unknown[]]) {
      const ask = () => Reflect.apply(target, self, given) as Promise<unknown>;
      const wait = 'raw' in given[0] ? options.hold?.(given[0].join('?')) : undefined;
      return wait ? wait.then(ask) : ask();
    },
  });
  const rooms = new Rooms({
    sql: held,
    now: () => new Date(Date.now() + time.ahead),
    event,
    fanout: (hear) => options.hub?.join(hear) ?? noFanout,
    ...(options.limits ? { limits: options.limits } : {}),
  });
  const server = createServer((_request, response) => response.end());
  let came = 0;
  const door: Door = openDoor(server, {
    rooms,
    identify: async (request) => {
      came += 1;
      const user = new URL(request.url ?? '', 'http://house').searchParams.get('user');
      return {
        userId: user,
        name: user ?? '',
        hangsOn: user && `session of ${user}`,
        address: '127.0.0.1',
        generation: null,
      };
    },
    accessesOf: async (asked) => {
      const answers = asked.map(({ meetingId, userId }) => {
        const held = rights.get(userId ?? '') ?? new Set(heldPermissions);
        const veil = veils.get(userId ?? '') ?? { by: [], oversees: [] };
        return { meetingId, layerId: null, held, veil, wordsOnly: wordsOnly.has(userId ?? '') };
      });
      await options.atTheDoor?.(asked.map(({ userId }) => userId));
      return answers;
    },
    stillHolding: async (ids) => new Set(ids),
    newId,
    now: () => (time.frozenAt ?? performance.now()) + time.ahead,
    event,
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const sockets: Raw[] = [];

  return {
    rooms,
    door,
    events,
    sql,
    fresh,
    port,
    rights,
    veils,
    wordsOnly,
    /** Number of clients that have identified themselves at the door. */
    came: () => came,
    /** Freezes the clock of the limits at a whole number, so that one second later is exactly one second. */
    freeze: () => (time.frozenAt = Math.ceil(performance.now())),
    forward: (ms: number) => (time.ahead += ms),
    async person(): Promise<string> {
      const id = newId();
      const email = `${id}@example.test`.toLowerCase();
      await orm.insert(users).values({ id, email, emailKey: email, firstName: 'Ann', lastName: 'Test' });
      return id;
    },
    async meeting(): Promise<string> {
      const id = newId();
      await orm.insert(meetings).values({ id, ownerId: await this.person() });
      return id;
    },
    /** `user` null: a visitor with only the link. */
    async join(user: string | null, room: string, query = '', clientId?: number): Promise<Raw> {
      const who = user === null ? '' : `user=${user}&`;
      const raw = new Raw(`ws://127.0.0.1:${port}/sync/${room}?${who}${query}`, clientId);
      sockets.push(raw);
      await raw.opened;
      return raw;
    },
    /** Closes all sockets between two tests, because sockets per person are limited. */
    leaveAll(): Promise<unknown> {
      for (const socket of sockets) socket.ws.terminate();
      return vi.waitUntil(() => door.sockets() === 0, { timeout: 60_000 });
    },
    async close(): Promise<void> {
      for (const socket of sockets) socket.ws.terminate();
      door.close();
      await rooms.drain(0);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      if (!options.database) await fresh.drop();
    },
  };
}

export type TestSync = Awaited<ReturnType<typeof openSync>>;

/** Socket that sends what the test wants and records what it receives; its document follows as a client's would. */
export class Raw {
  readonly ws: WebSocket;
  readonly heard: Frame[] = [];
  readonly doc = new Y.Doc();
  readonly opened: Promise<void>;
  /** The close code, or the HTTP status of a refused upgrade. */
  readonly ended: Promise<number>;
  code: number | null = null;

  constructor(address: string, clientId?: number) {
    if (clientId !== undefined) this.doc.clientID = clientId;
    this.ws = new WebSocket(address, { perMessageDeflate: false });
    let end = (_code: number) => {};
    this.ended = new Promise((resolve) => {
      end = (code) => {
        this.code ??= code;
        resolve(code);
      };
    });
    this.opened = new Promise((resolve) => {
      this.ws.once('open', () => resolve());
      void this.ended.then(() => resolve());
    });
    this.ws.on('unexpected-response', (_request, response) => {
      end(response.statusCode ?? 0);
      this.ws.terminate();
    });
    this.ws.on('message', (bytes: Buffer) => {
      const frame = readFrame(bytes);
      this.heard.push(frame);
      if (frame.kind === 'state' || frame.kind === 'update') Y.applyUpdate(this.doc, frame.update, this);
    });
    this.ws.on('close', (code) => end(code));
    this.ws.on('error', () => {});
    this.doc.on('update', (update: Uint8Array, origin: unknown) => {
      if (origin !== this) this.send({ kind: 'update', update });
    });
  }

  send(frame: Frame): void {
    this.ws.send(writeFrame(frame));
  }

  /** Requests the full state, and waits until it has arrived. */
  async sync(): Promise<this> {
    const before = this.count('state');
    this.send({ kind: 'ask', stateVector: Y.encodeStateVector(this.doc) });
    await this.until(() => this.count('state') > before);
    return this;
  }

  count(kind: Frame['kind']): number {
    return this.heard.filter((frame) => frame.kind === kind).length;
  }

  /** Resolves once everything sent so far was read and the reply is back; for "and nothing else happened". */
  async beat(): Promise<void> {
    const pong = new Promise((resolve) => {
      this.ws.once('pong', resolve);
      void this.ended.then(resolve);
    });
    this.ws.ping();
    await pong;
  }

  until(holds: () => boolean): Promise<void> {
    return vi.waitUntil(holds, { timeout: 60_000, interval: 5 }).then(() => {});
  }
}
