import * as Y from 'yjs';
import type { DamagedLog, StoredRoom } from '#db/updates.ts';
import type { Part } from '#shared/meetings/parts.ts';
import { close, limits as houseLimits, writeFrame, type Frame, type Limits } from '../protocol.ts';
import { Answers } from './answers.ts';
import { Applier } from './apply.ts';
import { ClientIds } from './client-ids.ts';
import { Committer } from './commit.ts';
import type { RoomContext, RoomWorld } from './context.ts';
import { RoomDocument } from './document.ts';
import { EarlyUpdates } from './early.ts';
import { Follower } from './follow.ts';
import { helloTo } from './hello.ts';
import { Incoming } from './incoming.ts';
import { Reads } from './reads.ts';
import { ServerWrites, type MadeApart, type StoreNext, type WrittenBy } from './server-writes.ts';
import { openSession, savedCount, type Peer, type Session } from './session.ts';
import { RoomState } from './state.ts';
import { NotStored, Storing } from './storing.ts';

/** Rows of the log's tail at which a room is compacted. Rooms differ in it, so that those written at one pace take turns. */
const rowsToCompact = (name: string): number => {
  let sum = 0;
  for (let i = 0; i < name.length; i += 1) sum = (sum * 31 + name.charCodeAt(i)) % 100;
  return 200 + sum;
};
const compactBytes = 256 * 1024;
/** A failed snapshot is not tried again before this, as each try costs a whole document. */
const compactPause = 10_000;

/**
 * One document that people are in. Crash-only: its truth is the log, and on any doubt it is dropped, its peers
 * reconnect, and the next one to come builds it anew. Each subject is a part of its own; they share `RoomState`.
 */
export class Room implements RoomContext {
  readonly name: string;
  readonly part: Part;
  readonly generation: number;
  /** How often something of the stored room had been set aside when this was built. */
  readonly mends: number;
  readonly damage: DamagedLog | null;
  readonly world: RoomWorld;
  readonly limits: Limits;
  dropped = false;
  /** True where what is stored makes no document. */
  unbuildable = false;
  readonly sessions = new Map<Peer, Session>();
  /** Everybody in the room. */
  readonly peers: Iterable<Peer> = { [Symbol.iterator]: () => this.sessions.keys() };

  private readonly state: RoomState;
  private readonly document: RoomDocument;
  private readonly answers: Answers;
  private readonly clientIds: ClientIds;
  private readonly early: EarlyUpdates;
  private readonly follower: Follower;
  private readonly incoming: Incoming;
  private readonly serverWrites: ServerWrites;
  private readonly reads: Reads;
  private readonly onDropped: (room: Room) => void;
  private readonly compactRows: number;
  private compacting = false;

  constructor(name: string, part: Part, stored: StoredRoom, world: RoomWorld, onDropped: (room: Room) => void) {
    this.name = name;
    this.compactRows = rowsToCompact(name);
    this.part = part;
    this.generation = stored.generation;
    this.mends = stored.mends;
    this.damage = stored.damage;
    this.world = world;
    this.limits = world.limits ?? houseLimits;
    this.onDropped = onDropped;

    const state = new RoomState(this, stored);
    const document = new RoomDocument(this, state);
    const early = new EarlyUpdates(this, state, (sent) => this.incoming.judgeInTurn(sent));
    const follower = new Follower(
      this,
      state,
      document,
      () => early.retry(),
      (peer, after) => this.answers.catchUp(peer, after),
    );
    const reads = new Reads(this, state, document);
    const storing = new Storing(this);
    const committer = new Committer(this, state, {
      applier: new Applier(this, state, document),
      document,
      storing,
      follower,
      batchStored: () => reads.serve(),
      allStored: () => this.afterCommit(),
    });
    const clientIds = new ClientIds(this, state);
    this.state = state;
    this.document = document;
    this.early = early;
    this.follower = follower;
    this.reads = reads;
    this.clientIds = clientIds;
    this.answers = new Answers(this, state);
    this.serverWrites = new ServerWrites(this, state, { document, storing, follower, committer });
    this.incoming = new Incoming(this, state, {
      document,
      clientIds,
      early,
      follower,
      committer,
      setSession: (session) => this.sessions.set(session.peer, session),
      threw: (error) => this.threw(error),
    });
  }

  // ---- Peers ---------------------------------------------------------------------------------

  join(peer: Peer): void {
    this.sessions.set(peer, openSession(peer));
    if (peer.wantsSaved) peer.send(helloTo(this, peer));
    // Asks for what the newcomer has and the room lacks.
    peer.send(writeFrame({ kind: 'ask', stateVector: Y.encodeStateVector(this.state.durable) }));
  }

  leave(peer: Peer): void {
    this.sessions.delete(peer);
    this.early.dropOf(peer);
    this.answers.leave(peer);
  }

  waits(peer: Peer): boolean {
    return this.answers.waits(peer);
  }

  /** Takes back what a peer that just lost the right to write has sent, unless it is on its way to the disk (A2). */
  withdraw(peer: Peer): void {
    if (!this.state.waiting.some((entry) => entry.peer === peer)) return;
    // Other waiting updates may hang on what is withdrawn; their peers send them again.
    this.drop('withdrawn', close.restart);
  }

  receive(peer: Peer, frame: Frame): void {
    if (this.dropped) return;
    if (frame.kind === 'ask') this.answers.answer(peer, frame.stateVector);
    else if (frame.kind === 'state' || frame.kind === 'update') this.incoming.receive(peer, frame.update);
  }

  /** Sends a peer whose queue was given up (R7) everything after the last row it got. */
  resend(peer: Peer, afterSeq: number | null): void {
    this.answers.resend(peer, afterSeq);
    const session = this.sessions.get(peer);
    if (session && peer.wantsSaved) peer.send(writeFrame({ kind: 'saved', count: savedCount(session) }));
  }

  /** Drops the room after an error that no rule foresees, rather than trust it; the process keeps running. */
  threw(error: unknown): void {
    this.world.event('a message threw', { room: this.name, why: String(error) });
    this.drop('a message that threw', close.restart);
  }

  /** Whether a person may be shown under a client id. */
  owns(peer: Peer, clientId: number): boolean | Promise<boolean> {
    return this.clientIds.mayShow(peer, clientId);
  }

  // ---- Other processes -------------------------------------------------------------------------

  /** Takes a row that another process made durable. */
  receiveRow(seq: number, bytes: Uint8Array): Promise<void> {
    return this.follower.receiveRow(seq, bytes);
  }

  /** Reads what the log has beyond this room, where a message of another process may have got lost (M2). */
  async refresh(lastSeq: number): Promise<void> {
    if (!this.dropped && !this.damage && !this.state.committing) await this.follower.catchUp(lastSeq);
  }

  /** Makes sure the room has at least the row of that number. */
  async reach(seq: number): Promise<void> {
    if (!this.dropped && !this.damage) await this.follower.catchUp(seq);
  }

  // ---- The server's own reads and writes ---------------------------------------------------------

  /** Changes the document as the server; resolves with what `work` returned, once that is durable and passed on. */
  change<T>(by: WrittenBy, work: (doc: Y.Doc) => T): Promise<T> {
    return this.serverWrites.change(by, work);
  }

  /**
   * Like `change`, for what has to be judged by all that is stored, wherever it came from: `store` is to store the row
   * only if the log still ends with row `after`, and where it does not, `work` runs again on the newer document.
   * Resolves with the number of the last row the result holds for.
   */
  changeNext<T>(
    by: WrittenBy,
    work: (doc: Y.Doc, seq: number) => T,
    store: StoreNext<T>,
  ): Promise<{ result: T; seq: number }> {
    return this.serverWrites.changeNext(by, work, store);
  }

  /**
   * Like `changeNext`, for a change that takes long to make: `make` gets the stored bytes, and does its work in a thread.
   * Edits that come meanwhile wait for it.
   */
  changeApart(
    by: WrittenBy,
    make: (pieces: readonly Uint8Array[]) => Promise<MadeApart | null>,
    store: StoreNext<null>,
  ): Promise<{ seq: number }> {
    return this.serverWrites.changeApart(by, make, store);
  }

  read<T>(work: (doc: Y.Doc) => T): Promise<T> {
    return this.reads.read(work);
  }

  /** Whether a read has nothing to build. */
  get isBuilt(): boolean {
    return this.document.built !== null && !this.state.hasUnstoredServerWrites;
  }

  /** The bytes of what is stored, up to row `lastSeq`, for reading. Structures may name other neighbours than theirs (G16). */
  get stored(): Uint8Array[] {
    if (this.dropped) throw new NotStored('the room is gone');
    return this.document.pieces;
  }

  /** Resolves once building a document of what is stored costs little (G16). */
  async prepared(): Promise<void> {
    for (let wait = this.document.prepareAnew(); wait && !this.dropped; wait = this.document.prepareAnew()) await wait;
  }

  /** How many bytes that are. */
  get size(): number {
    return this.state.size;
  }

  // ---- Housekeeping ------------------------------------------------------------------------------

  /** Client ids of everybody who has written here. */
  clients(): number[] {
    return [...this.state.accepted.keys()];
  }

  /** The number of the last row this room has. */
  get lastSeq(): number {
    return this.state.seq;
  }

  /** Bytes that wait beside the room, for the disk or for what they hang on. */
  get pendingBytes(): number {
    return this.state.waitingBytes + this.early.bytes;
  }

  /** Whether something is on its way to the disk, or waits to be. */
  get unstored(): boolean {
    return this.state.committing || this.state.waiting.length > 0;
  }

  /** Whether nobody is here and nothing is under way. */
  get idle(): boolean {
    return this.sessions.size === 0 && !this.unstored && !this.compacting;
  }

  private afterCommit(): void {
    const { state, follower, early } = this;
    if (follower.isBehind) void follower.catchUpWithAnnounced().catch(() => this.drop('a gap', close.restart));
    early.retry();
    if (state.tail.length >= this.compactRows || state.tailBytes >= compactBytes) void this.compact();
  }

  /** Puts the log's tail into a snapshot, so that newcomers get one piece. */
  async compact(): Promise<void> {
    const { state, world } = this;
    if (this.compacting || this.unstored || this.dropped || this.damage || state.tail.length === 0) return;
    this.compacting = true;
    let pause = 0;
    try {
      const { seq } = state;
      const count = state.tail.length;
      const bytes = await world.storeSnapshot(this.name, this.generation, seq, state.pieces());
      if (!bytes) {
        this.dropUnbuildable('a snapshot that did not hold');
        return;
      }
      state.compacted(bytes, seq, count);
    } catch (error) {
      world.event('snapshot failed', { room: this.name, why: String(error) });
      pause = compactPause;
    }
    if (pause === 0) this.compacting = false;
    else world.later(pause, () => (this.compacting = false));
  }

  dropUnbuildable(why: string): void {
    this.unbuildable = true;
    this.drop(why, close.restart);
  }

  /** Throws the room away: on any doubt, and at the end. Peers keep what was not acknowledged and come again. */
  drop(why: string, code: number): void {
    if (this.dropped) return;
    this.dropped = true;
    this.world.event('dropped', { room: this.name, why });
    this.document.forget();
    this.answers.forget();
    for (const entry of this.state.waiting) entry.done?.reject(new NotStored(why));
    this.state.waiting = [];
    for (const peer of this.sessions.keys()) peer.close(code, why);
    this.sessions.clear();
    this.onDropped(this);
  }
}
