import type * as Y from 'yjs';
import type { Sql } from 'postgres';
import type { Holder } from '#db/access.ts';
import {
  appendRows,
  blamesOneRoom,
  checksum,
  loadRoom,
  loadRooms,
  makeRoom,
  makeRooms,
  readRows,
  setAside,
  type NewRoom,
  type PendingRow,
  type StoredRoom,
} from '#db/updates.ts';
import type { Part } from '#shared/meetings/parts.ts';
import { close, limits as houseLimits, packUpdates, type Limits } from '../protocol.ts';
import type { Fanout, RoomMessage } from './fanout.ts';
import { createCompactor } from './compact.ts';
import type { RoomWorld } from './context.ts';
import { createLog, type Log } from './log.ts';
import { Presence, type Seen } from './presence.ts';
import { startGeneration, type Answered, type Begun, type Origin, type Since } from './generations.ts';
import { proveSeed } from './prove.ts';
import { DocumentFull } from './document.ts';
import { claims, type ClaimClient } from './owners.ts';
import { Room } from './room.ts';
import { ThreadFailed } from './thread.ts';
import { together } from './together.ts';
import type { Untangled } from './untangle.ts';

/** A room and the people seen in it. */
export interface LiveRoom {
  room: Room;
  presence: Presence;
}

interface RoomsOptions {
  sql: Sql;
  now(): Date;
  event(name: string, fields: Record<string, unknown>): void;
  observeAppend?(rows: number, ms: number): void;
  /** Time from the arrival of an edit until its sender is told that it is durable. */
  observeSaved?(ms: number): void;
  /** How many rows of the log this process was behind, at each look. */
  observeLag?(rows: number): void;
  fanout(receive: (room: string, message: RoomMessage) => void): Fanout;
  /** Above this share of the heap no further room is opened. */
  full?(): boolean;
  /** Called when a transcript has another generation, and waited for: what hangs on its words is carried over. */
  renewed?(meetingId: string): Promise<void>;
  /** Smaller in tests. */
  limits?: Partial<Limits>;
}

/**
 * `meeting/part`; `meeting/notes/person` for notes, as each person's are a room of their own, and `meeting/layer/layer`.
 * `of`: that person or layer.
 */
export const roomName = (meetingId: string, part: Part, of: string | null): string =>
  part === 'notes' || part === 'layer' ? `${meetingId}/${part}/${of ?? ''}` : `${meetingId}/${part}`;

/** No more rooms can be opened at this process for now. */
export class HouseFull extends Error {
  override name = 'HouseFull';
}

/** The room takes longer to load than a caller should wait. */
export class RoomNotReady extends Error {
  override name = 'RoomNotReady';
}

const longestOpening = 15_000;
const idleAfter = 20_000;
const lookEvery = 4_000;
/** Stopping does not wait longer for a database that takes nothing. */
const longestDrain = 10_000;
/** Questions for what is stored of rooms; those that come meanwhile share the next one. */
const loadsAtATime = 2;
/** Each mend sets aside a snapshot, or all rows that make no document. */
const mostMends = 5;

/** All rooms open at this process. Any process may serve any room: the truth is in the log, so each may be dropped. */
export class Rooms {
  readonly log: Log;
  readonly limits: Limits;
  private readonly claim: ClaimClient;
  private readonly storedTogether: (name: string) => Promise<StoredRoom | Error | 'alone' | null>;
  private readonly makeTogether: (one: NewRoom) => Promise<StoredRoom | null>;
  private readonly open = new Map<string, Promise<LiveRoom>>();
  private readonly live = new Map<string, LiveRoom>();
  private readonly options: RoomsOptions;
  private readonly fanout: Fanout;
  private readonly timers = new Set<NodeJS.Timeout>();
  private readonly look: NodeJS.Timeout;
  private readonly compactor = createCompactor();
  /** Rooms whose stored bytes made no document; examined before they are opened again. */
  private readonly suspects = new Set<string>();
  private draining = false;
  private readonly workOfTurn: (() => void)[] = [];
  /** Functions and limits that all rooms share. */
  private readonly world: RoomWorld;

  constructor(options: RoomsOptions) {
    this.options = options;
    this.limits = { ...houseLimits, ...options.limits };
    this.claim = claims(options.sql, this.limits, () => options.now());
    this.storedTogether = together((names) => loadRooms(options.sql, names), loadsAtATime);
    this.makeTogether = together((rooms) => makeRooms(options.sql, rooms));
    this.log = createLog(
      { append: (rows: readonly PendingRow[]) => appendRows(options.sql, rows), blames: blamesOneRoom },
      options.observeAppend,
    );
    this.fanout = options.fanout((name, message) => this.receive(name, message));
    this.world = this.makeWorld();
    this.look = setInterval(() => void this.lookRound(), lookEvery);
    this.look.unref();
  }

  get size(): number {
    return this.live.size;
  }

  *all(): Iterable<LiveRoom> {
    yield* this.live.values();
  }

  /**
   * The room of that name, loaded once however many ask. Throws when it cannot be loaded: such a room is not an empty one.
   * Throws after a while, too, where the database is silent; the room it then loads serves the next caller.
   */
  async enter(meetingId: string, part: Part, of: string | null): Promise<LiveRoom> {
    const name = roomName(meetingId, part, of);
    const live = this.live.get(name);
    if (live) return live;
    let opening = this.open.get(name);
    if (!opening) {
      opening = this.load(name, meetingId, part, of);
      this.open.set(name, opening);
      opening.catch(() => {
        if (this.open.get(name) !== opening) return;
        this.open.delete(name);
        this.fanout.unlisten(name);
      });
    }
    const patience = timeout(longestOpening);
    try {
      return await Promise.race([opening, patience.over]);
    } finally {
      patience.clear();
    }
  }

  private async load(name: string, meetingId: string, part: Part, of: string | null): Promise<LiveRoom> {
    if (this.draining || this.options.full?.()) throw new HouseFull();
    const { sql } = this.options;
    // Listens first: a row stored while the log is read is then in one of both.
    this.fanout.listen(name);
    const one = { name, meetingId, part, ownerId: part === 'notes' ? of : null, layerId: part === 'layer' ? of : null };
    // A room that fails with others, or would have to wait for a lock, is made alone.
    const make = async () => (await this.makeTogether(one).catch(() => null)) ?? makeRoom(sql, one);
    const room = await this.build(name, part, make);
    const presence = new Presence({
      now: () => this.options.now().getTime(),
      publish: (update) => this.fanout.publish(name, { kind: 'presence', update }),
      owns: (peer, clientId) => room.owns(peer, clientId),
      limits: this.limits,
    });
    const live = { room, presence };
    this.live.set(name, live);
    this.fanout.publish(name, { kind: 'who' });
    return live;
  }

  /** Builds a room of what is stored. Rows that make no document are found, set aside and logged (L7). */
  private async build(name: string, part: Part, make: () => Promise<StoredRoom | null>): Promise<Room> {
    const { sql, event, now } = this.options;
    for (let tries = 0; ; tries += 1) {
      const load = () =>
        this.stored(name).catch((error: unknown) => {
          event('damaged log', { room: name, why: String(error) });
          throw error;
        });
      // The room nearly always exists, so asking first costs one query.
      const stored = (await load()) ?? (await make()) ?? (await load());
      if (!stored) throw new Error(`room ${name} could not be made`);
      const { damage, generation } = stored;
      if (damage) event('damaged log', { room: name, why: String(damage) });
      let room: Room | null = null;
      let why: unknown;
      try {
        room = new Room(name, part, stored, this.world, (dropped) => this.forget(dropped));
      } catch (error) {
        why = error;
      }
      if (room && !this.suspects.has(name)) return room;
      const found = await this.compactor.poison(stored.snapshot, stored.updates);
      if (found.length === 0) this.suspects.delete(name);
      if (found.length === 0 && room) return room;
      if (found.length === 0 || tries === mostMends) throw why;
      await setAside(sql, name, generation, found, now());
      for (const one of found) event('poison set aside', { room: name, ...one });
    }
  }

  /** Stored state of a room. Rooms of a crowd that comes back are read together, but large ones each alone. */
  private async stored(name: string): Promise<StoredRoom | null> {
    const found = await this.storedTogether(name);
    if (found instanceof Error) throw found;
    return found === 'alone' ? loadRoom(this.options.sql, name) : found;
  }

  /** Runs the work of all rooms in one go, so that their rows travel together. */
  private soon(work: () => void): void {
    if (this.workOfTurn.push(work) > 1) return;
    setImmediate(() => {
      for (const one of this.workOfTurn.splice(0)) one();
    });
  }

  private forget({ name, unbuildable }: Room): void {
    if (unbuildable) this.suspects.add(name);
    this.open.delete(name);
    this.live.delete(name);
    this.fanout.unlisten(name);
  }

  private makeWorld(): RoomWorld {
    const { sql, now, event } = this.options;
    return {
      log: this.log,
      rows: (name, generation, from, to) => readRows(sql, name, generation, from, to),
      lastSeq: async (name) => {
        const [row] = await sql<{ seq: string }[]>`select seq from rooms where name = ${name}`;
        return Number(row?.seq ?? 0);
      },
      claim: this.claim,
      limits: this.limits,
      storeSnapshot: async (name, generation, seq, pieces) => {
        const bytes = await this.compactor.snapshot(pieces);
        if (bytes) await storeSnapshot(sql, name, generation, seq, bytes, now());
        return bytes;
      },
      cleanState: (pieces) => this.compactor.clean(pieces),
      untangled: (pieces) => this.untangled(pieces),
      ...(this.options.observeSaved ? { saved: this.options.observeSaved } : {}),
      publish: (name, generation, seq, bytes) => this.fanout.publish(name, { kind: 'row', generation, seq, bytes }),
      now,
      event,
      soon: (work) => this.soon(work),
      later: (ms, work) => {
        const timer = setTimeout(() => {
          this.timers.delete(timer);
          work();
        }, ms);
        this.timers.add(timer);
        timer.unref();
        return {
          cancel: () => {
            clearTimeout(timer);
            this.timers.delete(timer);
          },
        };
      },
    };
  }

  /** The people in a room, as far as this process has it open; does not open it. */
  seen(meetingId: string, part: Part): Seen[] {
    return this.live.get(roomName(meetingId, part, null))?.presence.seen() ?? [];
  }

  /** Accounts whose pages are in a room, as far as this process has it open; does not open it. */
  present(meetingId: string, part: Part): ReadonlySet<string> {
    return this.live.get(roomName(meetingId, part, null))?.presence.present() ?? new Set();
  }

  /** Whether this process has the room open, with its document; does not open it. */
  isBuilt(meetingId: string, part: Part, of: string | null): boolean {
    return this.live.get(roomName(meetingId, part, of))?.room.isBuilt ?? false;
  }

  /** Encoded positions of the carets of everybody who types there, as far as this process has the room open. */
  typing(meetingId: string, part: Part): unknown[] {
    return this.live.get(roomName(meetingId, part, null))?.presence.typing() ?? [];
  }

  private receive(name: string, message: RoomMessage): void {
    const live = this.live.get(name);
    if (!live) return;
    const { room, presence } = live;
    switch (message.kind) {
      case 'row':
        // A message of an older generation came late.
        if (message.generation > room.generation) room.drop('another generation', close.otherGeneration);
        else if (message.generation === room.generation)
          room
            .receiveRow(message.seq, message.bytes)
            .catch(() => room.drop('a gap that could not be filled', close.restart));
        break;
      case 'presence':
        presence.receiveRemote(message.update, room.peers);
        break;
      case 'who': {
        const update = presence.localStates();
        if (update) this.fanout.publish(name, { kind: 'presence', update });
        break;
      }
    }
  }

  /** Finds rows whose messages got lost, by comparing numbers (M2). Closes rooms that nobody is in any more. */
  private async lookRound(): Promise<void> {
    try {
      // The answer does not cover rooms that are opened while the database is asked.
      const asked = [...this.live];
      if (asked.length === 0) return;
      const rows = await this.options.sql<
        { name: string; generation: number; seq: string; mends: number }[]
      >`select name, generation, seq, mends from rooms where name = any(${asked.map(([name]) => name)})`;
      const stored = new Map(rows.map((row) => [row.name, row]));
      let behind = 0;
      for (const [name, { room }] of asked) behind += Math.max(0, Number(stored.get(name)?.seq ?? 0) - room.lastSeq);
      this.options.observeLag?.(behind);
      for (const [name, { room, presence }] of asked) {
        if (room.dropped) continue;
        const row = stored.get(name);
        presence.sweep(room.peers);
        if (!row) room.drop('the meeting is gone', close.noAccess);
        else if (row.generation !== room.generation) room.drop('another generation', close.otherGeneration);
        else if (row.mends !== room.mends) room.drop('something was set aside', close.restart);
        else
          await room.refresh(Number(row.seq)).catch(() => room.drop('a gap that could not be filled', close.restart));
      }
    } catch (error) {
      this.options.event('look failed', { why: String(error) });
    }
    for (const [name, { room }] of this.live) {
      if (!room.idle) continue;
      const timer = setTimeout(() => {
        this.timers.delete(timer);
        if (this.live.get(name)?.room === room && room.idle) room.drop('idle', close.restart);
      }, idleAfter);
      this.timers.add(timer);
      timer.unref();
    }
  }

  /**
   * Changes a document as the server, for a verb of REST. Resolves with what `work` returned, once the change is durable
   * and passed on; where it throws, nothing has changed. `room`: the owner of the notes, where that is not the writer, or
   * the layer.
   */
  async change<T>(
    meetingId: string,
    part: Part,
    by: { userId: string | null; room?: string; origin: string },
    work: (doc: Y.Doc) => T,
  ): Promise<T> {
    const { room } = await this.enter(meetingId, part, by.room ?? by.userId);
    return room.change(by, work);
  }

  /** Reads a live document as it is stored now. */
  async read<T>(
    meetingId: string,
    part: Part,
    by: { userId: string | null; room?: string },
    work: (doc: Y.Doc) => T,
  ): Promise<T> {
    const { room } = await this.enter(meetingId, part, by.room ?? by.userId);
    return room.read(work);
  }

  /**
   * Puts another document in the place of this one, as a new generation. The old one stays in the log, and no client that
   * holds it is let in with it any more. `origin`: the earlier state it is. `answered`: the request, whose answer is
   * stored with it or nothing is (`AnsweredBefore`). `since`: the state it was made with, where not everything stored
   * behind that may go (`Overtaken`). `holder`: the person whose rights it hangs on (`RightsEnded`).
   * `proved`: the client ids in the document, where a thread has proved it.
   */
  async renew(
    meetingId: string,
    part: Part,
    by: { userId: string | null; room?: string },
    given: Uint8Array,
    {
      origin = null,
      answered = null,
      since = null,
      holder = null,
      proved = null,
    }: {
      origin?: Origin | null;
      answered?: Answered | null;
      since?: Since | null;
      holder?: Holder | null;
      proved?: readonly number[] | null;
    } = {},
  ): Promise<Begun> {
    const name = roomName(meetingId, part, by.room ?? by.userId);
    const { room } = await this.enter(meetingId, part, by.room ?? by.userId);
    if (given.byteLength > this.limits.documentBytes) throw new DocumentFull();
    const seed = proved ? given : ((await this.untangled([given]))?.bytes ?? given);
    const clientIds = proved ?? [...proveSeed(part, seed, this.limits).ranges.keys()];
    const begun = await startGeneration(this.options.sql, {
      room: name,
      userId: by.userId,
      clientIds,
      bytes: Buffer.from(packUpdates([seed])),
      known: room.clients(),
      origin,
      answered,
      since,
      holder,
      at: this.options.now(),
    });
    const next = begun.generation;
    this.options.event('new generation', { room: name, generation: next });
    // Includes a room that was being loaded meanwhile.
    const open = await this.open.get(name)?.catch(() => null);
    for (const one of [room, open?.room])
      if (one && one.generation < next) one.drop('another generation', close.otherGeneration);
    this.fanout.publish(name, { kind: 'row', generation: next, seq: 1, bytes: packUpdates([seed]) });
    if (part === 'transcript') await this.options.renewed?.(meetingId);
    return begun;
  }

  /** The same document in bytes that cost little to build; null where these do (G16). */
  async untangled(pieces: readonly Uint8Array[]): Promise<Untangled | null> {
    try {
      return await this.compactor.untangled(pieces);
    } catch (error) {
      if (!(error instanceof ThreadFailed)) throw error;
      // Bytes that make no document are found, or refused with their reason, where they are built.
      this.options.event('not untangled', { why: String(error) });
      return null;
    }
  }

  /** Opens no more rooms, sends all peers to reconnect, spread over a few seconds, and stores what waits (S1). */
  async drain(spreadMs: number): Promise<void> {
    this.draining = true;
    clearInterval(this.look);
    const peers = [...this.live.values()].flatMap(({ room }) => [...room.peers]);
    const step = peers.length > 0 ? Math.min(20, spreadMs / peers.length) : 0;
    for (const [i, peer] of peers.entries()) {
      peer.close(close.restart, 'restart');
      if (step >= 1 && i % Math.ceil(20 / Math.max(step, 1)) === 0)
        await new Promise((resolve) => setTimeout(resolve, 20));
    }
    // The next batch begins a turn after the one before it is stored.
    const until = performance.now() + longestDrain;
    do {
      await this.log.idle();
      await new Promise((resolve) => setImmediate(resolve));
    } while (performance.now() < until && [...this.live.values()].some(({ room }) => room.unstored));
    for (const { room } of [...this.live.values()]) room.drop('stopping', close.restart);
    for (const timer of this.timers) clearTimeout(timer);
    await this.compactor.close();
    await this.fanout.close();
  }
}

function timeout(ms: number): { over: Promise<never>; clear(): void } {
  let timer: NodeJS.Timeout;
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new RoomNotReady('the room was not loaded in time')), ms);
  });
  return { over, clear: () => clearTimeout(timer) };
}

async function storeSnapshot(
  sql: Sql,
  room: string,
  generation: number,
  seq: number,
  bytes: Uint8Array,
  now: Date,
): Promise<void> {
  const stored = Buffer.from(bytes);
  await sql`
    insert into room_snapshots (room, generation, seq, bytes, checksum, at)
    values (${room}, ${generation}, ${seq}, ${stored}, ${checksum(room, generation, seq, stored)}, ${now.toISOString()}::timestamptz) on conflict do nothing`;
}
