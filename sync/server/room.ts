import * as Y from 'yjs';
import type { Next } from '#db/answers.ts';
import type { DamagedLog, PendingRow, StoredRoom } from '#db/updates.ts';
import type { Part } from '#shared/meetings/parts.ts';
import type { Taking } from '#shared/roles.ts';
import {
  close,
  limits as houseLimits,
  packUpdates,
  readStateVector,
  schemaVersion,
  unpackUpdates,
  writeFrame,
  type Frame,
  type Limits,
} from '../protocol.ts';
import { advance, judge, type Clocks, type Lack } from './gate.ts';
import { Refused, inspect, ofTheHouse, type Inspected, type Reason } from './inspect.ts';
import type { Log } from './log.ts';
import { clocksBefore, misfit } from './shape.ts';
import { build } from './snapshot.ts';

/** Somebody connected to a room, as the room sees them. */
export interface Peer {
  readonly id: string;
  /** Whose structures these are; a session of its own for whoever is not signed in. */
  readonly userId: string;
  readonly canWrite: boolean;
  /** How they take part; who sees whom goes by it. */
  readonly taking?: Taking;
  /** Our own client asks to be told what is durable; a stock one is never sent a message it does not know. */
  readonly wantsSaved: boolean;
  /** `upTo`: with it the peer has all rows up to that number; not so in `sendShared`, before its question was answered. */
  send(frame: Uint8Array, upTo?: number): void;
  /** Several peers get the same bytes, framed once for all of them; some go without what they sent or have. */
  sendShared(frames: SharedFrames, without?: ReadonlySet<number>): void;
  /** Whether an answer of so many bytes is within its limits; where it is not, the peer is closed. */
  allows(answerBytes: number): boolean;
  close(code: number, reason: string): void;
}

/** Frames for many peers, sent all or none; each transport may keep its own rendering on it. */
export interface SharedFrames {
  readonly frames: readonly Uint8Array[];
  readonly upTo: number;
  /** With it the peer has everything up to there, whatever it had before. */
  readonly whole?: boolean;
  rendered?: unknown;
}

/**
 * `written`: it is to be the person's from now on. `seen`: the same, within half of what a person may have, so that
 * opening pages never uses up what writing needs. `look`: only asked whose it is.
 */
export type Claim = 'written' | 'seen' | 'look';

/** What a room needs of the world; the simulation gives it one of its own. */
export interface RoomWorld {
  log: Log;
  load(name: string): Promise<StoredRoom | null>;
  /** Rows of the log after `from`, up to `to`. */
  rows(name: string, generation: number, from: number, to: number): Promise<{ seq: number; bytes: Uint8Array }[]>;
  /** The number of the last row in the log. */
  lastSeq(name: string): Promise<number>;
  /** Whose client id it is from now on: the first who came with it keeps it. */
  claim(name: string, generation: number, clientId: number, userId: string, how: Claim): Promise<string | null>;
  /** Makes one piece of many, proves it by loading it afresh, and stores it; null when it did not hold. */
  storeSnapshot(
    name: string,
    generation: number,
    seq: number,
    pieces: readonly Uint8Array[],
  ): Promise<Uint8Array | null>;
  /** Tells the other processes what has become durable here. */
  publish(name: string, generation: number, seq: number, bytes: Uint8Array): void;
  /** Told how long each edit of a peer took to become durable. */
  saved?(ms: number): void;
  limits?: Limits;
  now(): Date;
  /** When whatever else has arrived by now has been read; what rooms do then, they do in one go. */
  soon(work: () => void): void;
  later(ms: number, work: () => void): { cancel(): void };
  event(name: string, fields: Record<string, unknown>): void;
}

/** One update message of a peer. */
interface Sent {
  peer: Peer;
  update: Uint8Array;
  /** The how-manieth of its connection it is; acknowledgements count in these. */
  nth: number;
  /** When it came. */
  at: number;
}

interface Entry {
  peer: Peer | null;
  nth: number;
  /** When it came. */
  at?: number;
  userId: string | null;
  update: Uint8Array;
  /** Null for an update that brings nothing new: it only takes its turn, so that acknowledgements stay in order. */
  inspected: Inspected | null;
  clientIds: number[];
  /** Written by the server on the room's own document: it is in there already. */
  applied: boolean;
  done?: { resolve(): void; reject(error: unknown): void };
  /** Something that is to be done alone, when all before it is stored. */
  turn?: () => Promise<void>;
}

interface TailEntry {
  seq: number;
  update: Uint8Array;
  inspected: Inspected;
}

/** The row could not be stored and nobody is waiting any more. */
export class NotStored extends Error {
  override name = 'NotStored';
}

/** It was not stored because whoever was to store it did not want it any more; nothing has changed. */
export class NotTaken extends Error {
  override name = 'NotTaken';
}

/** The document has reached its size: it can be read, and shortened. */
export class DocumentFull extends Error {
  override name = 'DocumentFull';
  constructor() {
    super('the document is full');
  }
}

const cannotTake = 'the document cannot take this';
const emptyUpdate = Y.encodeStateAsUpdate(new Y.Doc());
/** What only takes its turn. */
const nothingToStore: Entry = {
  peer: null,
  nth: 0,
  userId: null,
  update: emptyUpdate,
  inspected: null,
  clientIds: [],
  applied: false,
};
const retryEvery = 500;
/** After this long without a commit everybody is told so. */
const admitAfter = 1500;
const giveUpAfter = 30_000;
const compactRows = 200;
const compactBytes = 256 * 1024;
const compactPause = 10_000;
/** Other processes that are always quicker write more than any number of people type. */
const mostTurns = 50;
const keepDocument = 30_000;
/** A crowd that lost the same server comes back within this. */
const keepAnswers = 10_000;

/**
 * One document that people are in. Crash-only: its truth is the log, and on any doubt it is thrown away, its peers
 * are sent to reconnect, and the next one to come builds it anew.
 */
export class Room {
  readonly name: string;
  readonly part: Part;
  readonly generation: number;
  /** How often something of the stored room had been set aside when this was built. */
  readonly mends: number;
  /** Where the log breaks off: what is before it can be read, and nothing can be written. */
  readonly damage: DamagedLog | null;
  readonly peers = new Set<Peer>();
  /** True once it was thrown away: nobody may use it any more. */
  dropped = false;
  /** What is stored does not make a document: whoever loads it next has to look into it. */
  unbuildable = false;

  private readonly world: RoomWorld;
  private readonly limits: Limits;
  private seq: number;
  private base: Uint8Array | null;
  private baseSeq: number;
  private tail: TailEntry[] = [];
  private tailBytes = 0;
  /** The tail as newcomers are sent it. */
  private tailShared: SharedFrames | null = null;
  /** What is durable, and what is durable or on its way: new updates are judged by the latter. */
  private durable: Clocks;
  private known: Clocks;
  private readonly owners = new Map<number, string>();
  private doc: Y.Doc | null = null;
  private docTimer: { cancel(): void } | null = null;
  private waiting: Entry[] = [];
  private waitingBytes = 0;
  /** Applied to the document and on its way to the disk. */
  private flying: Entry[] = [];
  private storing: { since: number; admitted: boolean; giveUp(): void } | null = null;
  private watchdog: { cancel(): void } | null = null;
  private readers: (() => void)[] = [];
  /** What newcomers and the last one who came back were sent, framed once; for a while. */
  private answers: { of: Uint8Array; base: Uint8Array; shared: SharedFrames }[] = [];
  private answersTimer: { cancel(): void } | null = null;
  private looking: Promise<void> | null = null;
  private nextLook: Promise<void> | null = null;
  private large = false;
  private committing = false;
  private compacting = false;
  private early: { sent: Sent; lacks: Lack }[] = [];
  private earlyBytes = 0;
  private earlyTimer: { cancel(): void } | null = null;
  /** Of each peer: how many updates came, and the numbers of those that are not durable yet, the lowest first. */
  private readonly received = new Map<Peer, { count: number; open: Set<number> }>();
  /** Each peer's updates are judged one after the other, also when one has to wait for the database. */
  private readonly queues = new Map<Peer, Promise<void>>();
  private readonly onDropped: (room: Room) => void;

  constructor(name: string, part: Part, stored: StoredRoom, world: RoomWorld, onDropped: (room: Room) => void) {
    this.name = name;
    this.part = part;
    this.generation = stored.generation;
    this.mends = stored.mends;
    this.damage = stored.damage;
    this.world = world;
    this.limits = world.limits ?? houseLimits;
    this.onDropped = onDropped;
    this.seq = stored.seq;
    this.base = stored.snapshot?.bytes ?? null;
    this.baseSeq = stored.snapshot?.seq ?? 0;
    this.durable = this.base ? Y.decodeStateVector(Y.encodeStateVectorFromUpdate(this.base)) : new Map();
    for (const row of stored.updates)
      for (const update of unpackUpdates(row.bytes)) this.remember(row.seq, update, inspect(update, ofTheHouse));
    this.known = new Map(this.durable);
  }

  private remember(seq: number, update: Uint8Array, inspected: Inspected): void {
    this.tail.push({ seq, update, inspected });
    this.tailBytes += update.byteLength;
    this.tailShared = null;
    advance(this.durable, inspected);
    if (this.large || this.size < this.limits.documentWarnBytes) return;
    this.large = true;
    this.world.event('large document', { room: this.name, bytes: this.size });
  }

  // ---- Coming and going --------------------------------------------------------------------

  join(peer: Peer): void {
    this.peers.add(peer);
    this.received.set(peer, { count: 0, open: new Set() });
    if (peer.wantsSaved)
      peer.send(
        writeFrame({
          kind: 'hello',
          hello: { generation: this.generation, schema: schemaVersion, canWrite: peer.canWrite && !this.damage },
        }),
      );
    // Asks for what the newcomer has and we have not.
    peer.send(writeFrame({ kind: 'ask', stateVector: Y.encodeStateVector(this.durable) }));
  }

  leave(peer: Peer): void {
    this.peers.delete(peer);
    this.received.delete(peer);
    this.queues.delete(peer);
    this.dropEarlyOf(peer);
  }

  private dropEarlyOf(peer: Peer): void {
    this.early = this.early.filter(({ sent }) => sent.peer !== peer);
    this.earlyBytes = this.early.reduce((sum, { sent }) => sum + sent.update.byteLength, 0);
  }

  /** Takes back what a peer sent that is not on its way to the disk yet; for whoever just lost the right to write. */
  withdraw(peer: Peer): void {
    if (!this.waiting.some((entry) => entry.peer === peer)) return;
    // Others' waiting updates may hang on what is withdrawn; their owners send them again.
    this.drop('withdrawn', close.restart);
  }

  // ---- What peers send ---------------------------------------------------------------------

  receive(peer: Peer, frame: Frame): void {
    if (this.dropped) return;
    if (frame.kind === 'ask') this.answer(peer, frame.stateVector);
    else if (frame.kind === 'state' || frame.kind === 'update') this.submit(peer, frame.update);
  }

  /** Everything durable the peer lacks: the snapshot's bytes as they are, then the log behind it. */
  private answer(peer: Peer, stateVector: Uint8Array): void {
    let theirs: Clocks;
    try {
      theirs = readStateVector(stateVector);
    } catch {
      peer.close(close.badFrame, 'not a state vector');
      return;
    }
    const state = this.stateFor(theirs, stateVector);
    let bytes = state.frames[0]?.byteLength ?? 0;
    const without = new Set<number>();
    for (const [i, { update, inspected }] of this.tail.entries()) {
      const lacks =
        theirs.size === 0 ||
        inspected.deleted > 0 ||
        [...inspected.ranges].some(([client, { to }]) => to > (theirs.get(client) ?? 0));
      if (lacks) bytes += update.byteLength;
      else without.add(i);
    }
    if (!peer.allows(bytes)) return;
    peer.sendShared(state);
    this.sendTail(peer, without);
  }

  private sendTail(peer: Peer, without: ReadonlySet<number>): void {
    if (without.size === this.tail.length) return;
    this.tailShared ??= {
      frames: this.tail.map(({ update }) => writeFrame({ kind: 'update', update })),
      upTo: this.seq,
      whole: true,
    };
    this.forgetAnswersLater();
    peer.sendShared(this.tailShared, without);
  }

  /** Newcomers all get the same; so do many who come back from the same moment. */
  private stateFor(theirs: Clocks, stateVector: Uint8Array): SharedFrames {
    const base = this.base ?? emptyUpdate;
    this.answers = this.answers.filter((one) => one.base === base);
    const given = this.answers.find(({ of }) => Buffer.compare(of, stateVector) === 0);
    if (given) return given.shared;
    const update = theirs.size === 0 ? base : Y.diffUpdate(base, stateVector);
    const shared = { frames: [writeFrame({ kind: 'state', update })], upTo: this.baseSeq, whole: true };
    // The first place is the newcomers'; of the others the last one is kept.
    const newcomers = this.answers.filter(({ of }) => of.byteLength === 1);
    this.answers = [...newcomers, { of: stateVector.slice(), base, shared }];
    this.forgetAnswersLater();
    return shared;
  }

  private forgetAnswersLater(): void {
    this.answersTimer ??= this.world.later(keepAnswers, () => {
      this.answersTimer = null;
      this.answers = [];
      this.tailShared = null;
    });
  }

  /** For a peer that could not keep up and whose queue was given up: everything after the last row it got, if any. */
  resend(peer: Peer, afterSeq: number | null): void {
    if (afterSeq === null || afterSeq < this.baseSeq)
      peer.send(writeFrame({ kind: 'state', update: this.base ?? emptyUpdate }), this.baseSeq);
    this.sendTail(peer, new Set([...this.tail.keys()].filter((i) => (this.tail[i]?.seq ?? 0) <= (afterSeq ?? 0))));
    if (peer.wantsSaved) this.acknowledge(peer);
  }

  /** How many of a peer's updates are durable, of the first ones without a gap. */
  private acknowledge(peer: Peer): void {
    const received = this.received.get(peer);
    if (!received) return;
    const [lowest = received.count + 1] = received.open;
    peer.send(writeFrame({ kind: 'saved', count: lowest - 1 }));
  }

  /** How many bytes an answer to a newcomer takes. */
  get size(): number {
    return (this.base?.byteLength ?? 0) + this.tailBytes;
  }

  private submit(peer: Peer, update: Uint8Array): void {
    const received = this.received.get(peer);
    if (!received) return;
    received.count += 1;
    // Of who may not write nothing is acknowledged: their first one holds back all behind it.
    if (peer.canWrite || received.open.size === 0) received.open.add(received.count);
    this.inTurn({ peer, update, nth: received.count, at: this.world.now().getTime() });
  }

  private inTurn(sent: Sent): void {
    const { peer } = sent;
    const before = this.queues.get(peer);
    let work: Promise<void> | void;
    try {
      work = before ? before.then(() => this.consider(sent)) : this.consider(sent);
    } catch (error) {
      return this.threw(error);
    }
    if (!work) return;
    const done = work
      .catch((error: unknown) => this.threw(error))
      .finally(() => {
        if (this.queues.get(peer) === done) this.queues.delete(peer);
      });
    this.queues.set(peer, done);
  }

  /** Nobody foresaw it: the room is built anew rather than trusted, and the process goes on. */
  threw(error: unknown): void {
    this.world.event('a message threw', { room: this.name, why: String(error) });
    this.drop('a message that threw', close.restart);
  }

  /** Judges one update; a promise only when it had to ask the database. `looked`: with all that the log has. */
  private consider(sent: Sent, looked = false): Promise<void> | void {
    const { peer, update, nth } = sent;
    if (this.dropped || !this.peers.has(peer)) return;
    try {
      const judged = judge(this.part, this.known, update);
      if (!peer.canWrite || this.damage) {
        if (judged.verdict === 'known') return;
        // A stock client that may only read repeats all deletions it knows of whenever it comes back.
        if (judged.verdict === 'new' && judged.newClients.length === 0 && this.knowsDeletions(judged.inspected)) return;
        if (!looked && !this.damage) return this.lookAgain(sent);
        this.refused(peer, this.damage ? 'damaged' : 'may not write', this.damage ? 'damaged' : 'rights');
        peer.send(writeFrame({ kind: 'auth', reason: 'permission denied' }));
        return;
      }
      const turn = { peer, nth, at: sent.at, userId: peer.userId, applied: false };
      if (judged.verdict === 'known')
        return this.enqueue({ ...turn, update: emptyUpdate, inspected: null, clientIds: [] });
      if (judged.verdict === 'new') {
        // Whoever only deletes makes room again.
        if (judged.newClients.length > 0 && this.isFull(update.byteLength)) {
          this.refused(peer, 'the document is full', 'full');
          peer.close(close.documentFull, 'the document is full');
          return;
        }
        const strangers = judged.newClients.filter((client) => this.owners.get(client) !== peer.userId);
        if (strangers.length > 0) return this.claimAll(sent, strangers, looked);
        if (judged.newClients.length > 1 && !this.fits(update)) throw new Refused('it hangs on itself');
        return this.enqueue({ ...turn, update, inspected: judged.inspected, clientIds: judged.newClients });
      }
      if (!looked) return this.lookAgain(sent);
      if (judged.verdict === 'beyond') throw new Refused('a deletion beyond what is known', 'order');
      this.hold(sent, judged.lacks);
    } catch (error) {
      this.refuse(peer, error);
    }
  }

  private isFull(more: number): boolean {
    return this.size + this.waitingBytes + more > this.limits.documentBytes;
  }

  private knowsDeletions({ deletes }: Inspected): boolean {
    const { store } = this.document();
    for (const [client, ranges] of deletes) {
      const structs = store.clients.get(client) ?? [];
      for (const [clock, length] of ranges) {
        if (clock + length > (this.durable.get(client) ?? 0)) return false;
        for (let at = Y.findIndexSS(structs, clock); at < structs.length; at += 1) {
          const struct = structs[at];
          if (!struct || struct.id.clock >= clock + length) break;
          if (!struct.deleted) return false;
        }
      }
    }
    return true;
  }

  /** Whether a person may be shown under a client id; whoever may write has it as theirs from then on. */
  owns(peer: Peer, clientId: number): boolean | Promise<boolean> {
    const owner = this.owners.get(clientId);
    if (owner !== undefined) return owner === peer.userId;
    const written = (this.known.get(clientId) ?? 0) > 0;
    // Nobody can harm a reader by writing under their id, so it takes no row.
    if (!peer.canWrite && !written) return true;
    return this.world
      .claim(this.name, this.generation, clientId, peer.userId, written ? 'look' : 'seen')
      .then((found) => {
        if (found !== null) this.owners.set(clientId, found);
        return found === null ? !written : found === peer.userId;
      });
  }

  /** Structures of several clients may hang on each other in a circle, which only building them shows. */
  private fits(update: Uint8Array): boolean {
    const scratch = new Y.Doc();
    try {
      Y.applyUpdate(scratch, Y.encodeStateAsUpdate(this.document()));
      for (const { inspected, update: earlier } of this.waiting) if (inspected) Y.applyUpdate(scratch, earlier);
      Y.applyUpdate(scratch, update);
      return !scratch.store.pendingStructs && !scratch.store.pendingDs;
    } catch {
      return false;
    } finally {
      scratch.destroy();
    }
  }

  private async claimAll(sent: Sent, clients: number[], looked: boolean): Promise<void> {
    const { peer } = sent;
    try {
      for (const client of clients) {
        // What is there and belongs to nobody was written by the server: that is not for anyone to go on with.
        const how = (this.known.get(client) ?? 0) > 0 ? 'look' : 'written';
        const owner =
          this.owners.get(client) ?? (await this.world.claim(this.name, this.generation, client, peer.userId, how));
        if (owner === null && how === 'written') {
          this.refused(peer, 'too many client ids', 'ids');
          if (this.peers.has(peer)) peer.close(close.full, 'too many client ids');
          return;
        }
        if (owner !== null) this.owners.set(client, owner);
        if (owner === peer.userId) continue;
        if (!looked) return await this.lookAgain(sent);
        this.world.event('squatting', { room: this.name, user: peer.userId, reason: 'owner' satisfies Reason });
        if (this.peers.has(peer)) peer.close(close.noAccess, 'a client id of somebody else');
        return;
      }
    } catch (error) {
      if (error instanceof Refused) this.refuse(peer, error);
      else this.notReady(peer, error);
      return;
    }
    await this.consider(sent, looked);
  }

  /**
   * Somebody who comes from another process may bring along, or build upon, what that one has stored and this one has
   * not heard of: before anything is refused or kept waiting, the log is asked.
   */
  /** Many who come at once ask once; a look that began before it was asked for may miss what it is asked for. */
  private look(): Promise<void> {
    if (this.looking) {
      this.nextLook ??= this.looking
        .catch(() => {})
        .then(() => {
          this.nextLook = null;
          return this.look();
        });
      return this.nextLook;
    }
    this.looking = this.world
      .lastSeq(this.name)
      .then((seq) => this.catchUp(seq))
      .finally(() => (this.looking = null));
    return this.looking;
  }

  private async lookAgain(sent: Sent): Promise<void> {
    try {
      await this.look();
    } catch (error) {
      this.notReady(sent.peer, error);
      return;
    }
    await this.consider(sent, true);
  }

  /** The database did not answer: the peer keeps its edits and comes again. */
  private notReady(peer: Peer, error: unknown): void {
    this.world.event('not ready', { room: this.name, why: String(error) });
    if (this.peers.has(peer)) peer.close(close.restart, 'not ready');
  }

  private refuse(peer: Peer, error: unknown): void {
    if (!(error instanceof Refused)) throw error;
    this.refused(peer, error.message, error.reason);
    peer.close(close.badFrame, error.message);
  }

  private refused(peer: Peer, why: string, reason: Reason): void {
    this.world.event('refused', { room: this.name, user: peer.userId, why, reason });
  }

  /** An update whose forerunners have not arrived waits a while beside the room, seen and stored by nobody. */
  private hold(sent: Sent, lacks: Lack): void {
    const { peer, update } = sent;
    if (this.earlyBytes + update.byteLength > this.limits.pendingBytes) {
      // Whoever fills it goes, not whoever comes next.
      const held = new Map([[peer, update.byteLength]]);
      for (const { sent: one } of this.early) held.set(one.peer, (held.get(one.peer) ?? 0) + one.update.byteLength);
      const [most] = [...held].toSorted(([, a], [, b]) => b - a)[0] ?? [peer];
      this.refused(most, 'too much out of order', 'order');
      most.close(close.badFrame, 'too much out of order');
      this.dropEarlyOf(most);
      return most === peer ? undefined : this.hold(sent, lacks);
    }
    // Whoever lost something on the way is asked for all we lack.
    if (!this.early.some((one) => one.sent.peer === peer))
      peer.send(writeFrame({ kind: 'ask', stateVector: Y.encodeStateVector(this.durable) }));
    this.early.push({ sent, lacks });
    this.earlyBytes += update.byteLength;
    this.earlyTimer ??= this.world.later(this.limits.pendingMs, () => this.dropEarly());
  }

  /** Who waited too long starts anew, and brings everything along. */
  private dropEarly(): void {
    this.earlyTimer = null;
    if (this.dropped) return;
    const now = this.world.now().getTime();
    for (const { sent } of this.early.filter((one) => now - one.sent.at >= this.limits.pendingMs))
      if (this.peers.has(sent.peer)) sent.peer.close(close.restart, 'what it hangs on never came');
    const oldest = Math.min(...this.early.map(({ sent }) => sent.at));
    if (this.early.length > 0)
      this.earlyTimer = this.world.later(this.limits.pendingMs - (now - oldest), () => this.dropEarly());
  }

  /** Something came: whoever waited for it goes on. */
  private retryEarly(): void {
    if (this.early.length === 0) return;
    const has = ({ client, upTo }: Lack) => (this.known.get(client) ?? 0) >= upTo;
    const ready = this.early.filter(({ lacks }) => has(lacks));
    this.early = this.early.filter(({ lacks }) => !has(lacks));
    for (const { sent } of ready) {
      this.earlyBytes -= sent.update.byteLength;
      this.inTurn(sent);
    }
  }

  // ---- To the disk, then to everybody --------------------------------------------------------

  private enqueue(entry: Entry): void {
    // What the server writes is its own to limit; of peers, what waits for a disk that does not answer is bounded.
    const bytes = entry.peer ? entry.update.byteLength : 0;
    if (this.waitingBytes + bytes > this.limits.waitingBytes && this.waiting.length > 0) {
      this.drop('too much waits for the disk', close.restart);
      entry.done?.reject(new NotStored('too much waits for the disk'));
      return;
    }
    if (entry.inspected) advance(this.known, entry.inspected);
    this.waiting.push(entry);
    this.waitingBytes += bytes;
    if (!this.committing) {
      this.committing = true;
      this.world.soon(() => void this.commit());
    }
  }

  private async commit(): Promise<void> {
    try {
      while (this.waiting.length > 0 && !this.dropped) {
        const turn = this.waiting[0]?.turn;
        if (turn) {
          this.waiting.shift();
          await turn();
        } else {
          const alone = this.waiting.findIndex((entry) => entry.turn);
          this.applyAll(this.waiting.splice(0, alone < 0 ? this.waiting.length : alone));
          await this.store(this.flying);
          this.flying = [];
        }
        this.waitingBytes = this.waiting.reduce((sum, { peer, update }) => sum + (peer ? update.byteLength : 0), 0);
        this.serveReaders();
        // What the other sockets brought meanwhile joins in.
        if (this.waiting.length > 0) await new Promise<void>((resolve) => this.world.soon(resolve));
      }
    } catch (error) {
      this.world.event('rebuild', { room: this.name, why: String(error) });
      this.drop('not stored', close.restart);
    }
    this.committing = false;
    if (!this.dropped) this.afterCommit();
    this.serveReaders();
  }

  /** Applies to the room's own document what is about to be stored; what it cannot take goes no further. */
  private applyAll(batch: readonly Entry[]): void {
    let rest = [...batch];
    for (let together = rest.length; rest.length > 0 && !this.dropped;) {
      const some = rest.slice(0, together);
      const { good, wrong } = this.apply(some);
      if (wrong === null) {
        this.flying.push(...some);
        rest = rest.slice(some.length);
      } else if (good === some.length) {
        // It failed at the end of all: one by one it shows by whose fault.
        this.forgetDocument();
        for (const entry of rest) entry.applied = false;
        together = 1;
      } else {
        const [bad, ...others] = rest.slice(good) as [Entry, ...Entry[]];
        this.flying.push(...some.slice(0, good));
        rest = this.without(bad, wrong, others);
      }
    }
  }

  /** In one transaction: what Yjs does at the end of each costs more than a keystroke. `good`: so many were well. */
  private apply(entries: readonly Entry[]): { good: number; wrong: string | null } {
    if (!entries.some(({ inspected, applied }) => inspected && !applied)) return { good: entries.length, wrong: null };
    const doc = this.document();
    const idle: Entry[] = [];
    let good = 0;
    let wrong: string | null = null;
    try {
      // No listener to `update`: for one, Yjs would write down every update a second time.
      doc.transact((transaction) => {
        for (const entry of entries) {
          if (entry.inspected && !entry.applied) {
            const found = this.applyOne(transaction, entry.update, entry.inspected);
            wrong = found.wrong;
            if (wrong !== null) return;
            if (!found.news) idle.push(entry);
          }
          good += 1;
        }
      });
    } catch (error) {
      const [only] = entries;
      if (entries.length === 1) good = 0;
      const user = good < entries.length ? (entries[good] ?? only)?.userId : null;
      this.world.event('poison', { room: this.name, user, why: (error as Error).name });
      wrong ??= cannotTake;
    }
    // Everybody who comes back repeats what they know to be deleted: that is not work to be stored.
    if (wrong === null || good < entries.length) for (const entry of idle) entry.inspected = null;
    return { good, wrong };
  }

  private applyOne(
    transaction: Y.Transaction,
    update: Uint8Array,
    { ranges, deletes }: Inspected,
  ): { news: boolean; wrong: string | null } {
    const { doc, deleteSet } = transaction;
    const { store } = doc;
    const before = [...ranges.keys()].map((client): [number, number] => [client, Y.getState(store, client)]);
    const deletions = () => [...deletes.keys()].reduce((n, c) => n + (deleteSet.clients.get(c)?.length ?? 0), 0);
    const deletedBefore = deletions();
    Y.applyUpdate(doc, update);
    if (store.pendingStructs || store.pendingDs) return { news: true, wrong: 'it left something pending' };
    const news = before.some(([client, clock]) => Y.getState(store, client) > clock) || deletions() > deletedBefore;
    return { news, wrong: misfit(this.part, store, before) };
  }

  /**
   * The document is half changed, or changed wrongly: it is never looked at again, and built anew of what is stored and
   * of what was good. Its sender goes; others can only hang on what was never passed on if they mean it badly.
   */
  private without(bad: Entry, why: string, rest: readonly Entry[]): Entry[] {
    this.forgetDocument();
    this.known = new Map(this.durable);
    for (const { inspected } of this.flying) if (inspected) advance(this.known, inspected);
    const stays = (entry: Entry): boolean => {
      if (entry.peer && entry.peer === bad.peer) return false;
      entry.applied = false;
      if (!entry.inspected) return true;
      const { verdict } = judge(this.part, this.known, entry.update, entry.peer ? undefined : ofTheHouse);
      if (verdict === 'new' || verdict === 'known') {
        advance(this.known, entry.inspected);
        return true;
      }
      entry.done?.reject(new NotStored(why));
      entry.peer?.close(close.restart, 'what it hangs on was refused');
      return false;
    };
    const kept = rest.filter(stays);
    this.waiting = this.waiting.filter(stays);
    const refused = new Refused(why, why === cannotTake ? 'poison' : 'shape');
    bad.done?.reject(refused);
    if (bad.peer) this.refuse(bad.peer, refused);
    return kept;
  }

  /** The built document; only there while somebody writes. With it, all that was applied and is on its way. */
  private document(): Y.Doc {
    if (!this.doc) {
      try {
        const onTheWay = this.flying.flatMap(({ inspected, update }) => (inspected ? [update] : []));
        this.doc = build([...this.pieces(), ...onTheWay]);
      } catch (error) {
        this.unbuildable = true;
        this.drop('what is stored makes no document', close.restart);
        throw error;
      }
    }
    this.docTimer?.cancel();
    this.docTimer = this.world.later(keepDocument, () => this.forgetDocument());
    return this.doc;
  }

  private pieces(): Uint8Array[] {
    return [...(this.base ? [this.base] : []), ...this.tail.map(({ update }) => update)];
  }

  private forgetDocument(): void {
    this.docTimer?.cancel();
    this.docTimer = null;
    this.doc?.destroy();
    this.doc = null;
    // What the server wrote was only in there.
    for (const entry of this.waiting) entry.applied = false;
  }

  private async store(entries: Entry[]): Promise<void> {
    // One row for what one person did in a stretch: that is what the log tells of who did what.
    const groups: Entry[][] = [];
    for (const entry of entries) {
      if (!entry.inspected) continue;
      const last = groups.at(-1);
      if (last && last[0]?.userId === entry.userId) last.push(entry);
      else groups.push([entry]);
    }
    const at = this.world.now();
    const rows = groups.map((group) => ({
      room: this.name,
      generation: this.generation,
      userId: group[0]?.userId ?? null,
      clientIds: [...new Set(group.flatMap((entry) => entry.clientIds))],
      bytes: packUpdates(group.map((entry) => entry.update)),
      at,
    }));
    let numbers: (number | null)[] = [];
    try {
      // One promise a row, but one batch: rows pushed in the same turn travel together.
      if (rows.length > 0)
        numbers = await this.untilStored(() => Promise.all(rows.map((row) => this.world.log.append(row))));
      if (numbers.includes(null)) throw new NotStored('another generation');
    } catch (error) {
      for (const entry of entries) entry.done?.reject(error);
      if (!numbers.includes(null)) throw error;
      this.drop('another generation', close.otherGeneration);
      return;
    }
    // Stored is stored, also when the room is given up meanwhile: the next one reads it from the log.
    for (const entry of entries) entry.done?.resolve();
    if (this.dropped) return;
    for (const [i, group] of groups.entries()) {
      const seq = numbers[i] ?? 0;
      await this.catchUp(seq - 1);
      // Whoever had to look into the log meanwhile may have found it there.
      if (seq > this.seq) {
        for (const entry of group) if (entry.inspected) this.remember(seq, entry.update, entry.inspected);
        this.seq = seq;
      }
      this.world.publish(this.name, this.generation, seq, rows[i]?.bytes ?? emptyUpdate);
    }
    this.spread(entries);
  }

  /** Tries until it is stored; after a while everybody is told that it is not, and then it is given up. */
  private async untilStored<T extends object | string | number>(append: () => Promise<T>): Promise<T> {
    let givenUp = false;
    const enough = new Promise<null>((resolve) => {
      const giveUp = () => {
        givenUp = true;
        resolve(null);
      };
      this.storing = { since: this.world.now().getTime(), admitted: false, giveUp };
    });
    this.watchdog ??= this.world.later(admitAfter, () => this.watch());
    try {
      while (!givenUp && !this.dropped) {
        try {
          const stored = await Promise.race([append(), enough]);
          if (stored !== null) return stored;
        } catch (error) {
          this.world.event('append failed', { room: this.name, why: String(error) });
          await new Promise<void>((resolve) => this.world.later(retryEvery, resolve));
        }
      }
      throw new NotStored('the database is away');
    } finally {
      this.storing = null;
    }
  }

  /** One timer for all appends: nearly each of them is over long before. */
  private watch(): void {
    this.watchdog = null;
    const { storing } = this;
    if (!storing) return;
    const waited = this.world.now().getTime() - storing.since;
    if (waited >= giveUpAfter) return storing.giveUp();
    if (waited >= admitAfter && !storing.admitted) {
      storing.admitted = true;
      for (const peer of this.peers) if (peer.wantsSaved) peer.send(writeFrame({ kind: 'notSaved' }));
    }
    // Also where the clock was set back.
    const next = (storing.admitted ? giveUpAfter : admitAfter) - Math.max(0, waited);
    this.watchdog = this.world.later(next, () => this.watch());
  }

  /** To everybody but whoever sent it; to them, that it is durable. */
  private spread(entries: Entry[]): void {
    const news = entries.filter((entry) => entry.inspected);
    const frames = news.map(({ update }) => writeFrame({ kind: 'update', update }));
    const shared: SharedFrames = { frames, upTo: this.seq };
    const own = new Map<Peer, Set<number>>();
    const now = this.world.now().getTime();
    for (const { peer, nth, at } of entries) {
      if (!peer) continue;
      if (at !== undefined) this.world.saved?.(now - at);
      if (!own.has(peer)) own.set(peer, new Set());
      this.received.get(peer)?.open.delete(nth);
    }
    for (const [i, { peer }] of news.entries()) if (peer) own.get(peer)?.add(i);
    for (const peer of this.peers) {
      const without = own.get(peer);
      if (frames.length > (without?.size ?? 0)) peer.sendShared(shared, without);
      if (without && peer.wantsSaved) this.acknowledge(peer);
    }
  }

  // ---- News from other processes ---------------------------------------------------------------

  /** A row that another process made durable. */
  async news(seq: number, bytes: Uint8Array): Promise<void> {
    if (this.dropped || this.damage || seq <= this.seq) return;
    if (this.committing || seq !== this.seq + 1) return this.catchUpLater(seq);
    this.take(seq, bytes);
    this.retryEarly();
  }

  private behind = 0;

  /** While an append is on its way the order is not known yet; the log has it. */
  private async catchUpLater(seq: number): Promise<void> {
    this.behind = Math.max(this.behind, seq);
    if (!this.committing) await this.catchUp(this.behind);
  }

  private async catchUp(to: number): Promise<void> {
    if (to <= this.seq) return;
    for (const row of await this.world.rows(this.name, this.generation, this.seq, to)) {
      if (row.seq === this.seq + 1 && !this.dropped) this.take(row.seq, row.bytes);
    }
    this.retryEarly();
  }

  private take(seq: number, bytes: Uint8Array): void {
    const updates = unpackUpdates(bytes).map((update) => ({ update, inspected: inspect(update, ofTheHouse) }));
    const { doc } = this;
    doc?.transact(() => {
      for (const { update } of updates) Y.applyUpdate(doc, update);
    });
    for (const { update, inspected } of updates) {
      this.remember(seq, update, inspected);
      advance(this.known, inspected);
    }
    this.seq = seq;
    const shared: SharedFrames = {
      frames: updates.map(({ update }) => writeFrame({ kind: 'update', update })),
      upTo: seq,
    };
    for (const peer of this.peers) peer.sendShared(shared);
  }

  /** Client ids of everybody who has written here. */
  clients(): number[] {
    return [...this.known.keys()];
  }

  /** The number of the last row this room has. */
  get lastSeq(): number {
    return this.seq;
  }

  /** Reads what the log has beyond this room; for whoever suspects that news got lost. */
  async refresh(lastSeq: number): Promise<void> {
    if (!this.dropped && !this.damage && !this.committing && lastSeq > this.seq) await this.catchUp(lastSeq);
  }

  /** Has at least the row of that number: somebody has been told of it, so nobody is answered without. */
  async reach(seq: number): Promise<void> {
    if (!this.dropped && !this.damage) await this.catchUp(seq);
  }

  // ---- The server's own writing ------------------------------------------------------------------

  /**
   * Changes the document as the server; resolves with what `work` returned once that is durable and everybody was told.
   * Where `work` throws, nothing has changed.
   */
  change<T>(by: { userId: string | null; origin: string }, work: (doc: Y.Doc) => T): Promise<T> {
    try {
      if (this.damage) throw this.damage;
      if (this.dropped) throw new NotStored('the room is gone');
      const { result, update, clientId } = this.make(by.origin, work);
      if (!update) return this.settled().then(() => result);
      const inspected = this.judgeOwn(update);
      return new Promise((resolve, reject) => {
        this.enqueue({
          peer: null,
          nth: 0,
          userId: by.userId,
          update,
          inspected,
          // Also under whose ids it stands what the work took over from elsewhere: the log tells by them who wrote what.
          clientIds: [...new Set([clientId, ...inspected.ranges.keys()])],
          applied: true,
          done: { resolve: () => resolve(result), reject },
        });
      });
    } catch (error) {
      return Promise.reject(error instanceof Error ? error : new Error(String(error)));
    }
  }

  /**
   * Like `change`, for what has to be judged by all that is stored, wherever it came from: `keep` is to store the row only
   * if the log still ends with the row of that number, and where it does not, `work` runs anew on what stands by then.
   * Resolves with the number of the last row the result holds for.
   */
  changeNext<T>(
    by: { userId: string | null; origin: string },
    work: (doc: Y.Doc, seq: number) => T,
    keep: (row: PendingRow, after: number, result: T) => Promise<Next>,
  ): Promise<{ result: T; seq: number }> {
    if (this.damage) return Promise.reject(this.damage);
    if (this.dropped) return Promise.reject(new NotStored('the room is gone'));
    return new Promise((resolve, reject) =>
      this.enqueue({
        ...nothingToStore,
        turn: () => this.takeTurn(by, work, keep).then(resolve, reject),
        done: { resolve: () => {}, reject },
      }),
    );
  }

  private async takeTurn<T>(
    by: { userId: string | null; origin: string },
    work: (doc: Y.Doc, seq: number) => T,
    keep: (row: PendingRow, after: number, result: T) => Promise<Next>,
  ): Promise<{ result: T; seq: number }> {
    for (let turns = 0; turns < mostTurns && !this.dropped; turns += 1) {
      // What else the server has written is stored behind this, so nothing of this may hang on it.
      if (this.waiting.some(({ applied }) => applied)) this.forgetDocument();
      const after = this.seq;
      const { result, update, clientId } = this.make(by.origin, (doc) => work(doc, after));
      if (!update) return { result, seq: after };
      const inspected = this.judgeOwn(update);
      const clientIds = [...new Set([clientId, ...inspected.ranges.keys()])];
      const { name: room, generation } = this;
      const row = {
        room,
        generation,
        userId: by.userId,
        clientIds,
        bytes: packUpdates([update]),
        at: this.world.now(),
      };
      const entry = { peer: null, nth: 0, userId: by.userId, update, inspected, clientIds, applied: true };
      this.flying = [entry];
      let stored: Next;
      try {
        stored = await this.untilStored(() => keep(row, after, result));
      } catch (error) {
        // It may have been stored all the same: only the log can tell.
        this.drop('not stored', close.restart);
        throw error;
      } finally {
        this.flying = [];
      }
      if (typeof stored === 'number') {
        if (this.dropped) return { result, seq: stored };
        // Whoever had to look into the log meanwhile may have found it there.
        if (stored > this.seq) {
          this.remember(stored, update, inspected);
          advance(this.known, inspected);
          this.seq = stored;
        }
        this.world.publish(room, generation, stored, row.bytes);
        this.spread([entry]);
        return { result, seq: stored };
      }
      if (stored === 'gone') {
        this.drop('another generation', close.otherGeneration);
        break;
      }
      this.forgetDocument();
      if (stored === 'refused') throw new NotTaken();
      await this.catchUp(await this.world.lastSeq(room));
    }
    throw new NotStored(this.dropped ? 'the room is gone' : 'others were always quicker');
  }

  /** Runs `work` on the document; a document it has left half changed, or wrongly shaped, is built anew. */
  private make<T>(origin: string, work: (doc: Y.Doc) => T): { result: T; update?: Uint8Array; clientId: number } {
    const doc = this.document();
    const updates: Uint8Array[] = [];
    let wrong: string | null = null;
    const collect = (update: Uint8Array) => updates.push(update);
    const check = (transaction: Y.Transaction) => (wrong ??= misfit(this.part, doc.store, clocksBefore(transaction)));
    doc.on('update', collect);
    doc.on('afterTransaction', check);
    let done = false;
    try {
      const result = doc.transact(() => work(doc), origin);
      if (wrong !== null) throw new Refused(wrong);
      done = true;
      const [update] = updates;
      return { result, clientId: doc.clientID, ...(update ? { update } : {}) };
    } finally {
      doc.off('update', collect);
      doc.off('afterTransaction', check);
      if (!done && updates.length > 0) this.forgetDocument();
    }
  }

  private judgeOwn(update: Uint8Array): Inspected {
    try {
      const inspected = inspect(update, ofTheHouse);
      if (inspected.ranges.size > 0 && this.isFull(update.byteLength)) throw new DocumentFull();
      return inspected;
    } catch (error) {
      this.forgetDocument();
      throw error;
    }
  }

  /** Reads the document at a moment when all of it is durable; what `work` changes all the same is thrown away. */
  read<T>(work: (doc: Y.Doc) => T): Promise<T> {
    return new Promise((resolve, reject) => {
      const now = () => {
        try {
          resolve(this.readNow(work));
        } catch (error) {
          reject(error);
        }
      };
      if (this.committing) this.readers.push(now);
      else now();
    });
  }

  private readNow<T>(work: (doc: Y.Doc) => T): T {
    if (this.dropped) throw new NotStored('the room is gone');
    // What the server has written and not stored yet is in the room's own document.
    const ahead = this.waiting.some(({ applied }) => applied);
    const doc = ahead ? build(this.pieces()) : this.document();
    let changed = false;
    const notice = () => (changed = true);
    doc.on('update', notice);
    try {
      const result = work(doc);
      if (changed) throw new Error('reading may not write');
      return result;
    } finally {
      doc.off('update', notice);
      if (ahead) doc.destroy();
      else if (changed) this.forgetDocument();
    }
  }

  private settled(): Promise<void> {
    if (!this.committing) return Promise.resolve();
    // Takes its turn behind what it was built upon, which may only be waiting yet.
    return new Promise((resolve, reject) => this.enqueue({ ...nothingToStore, done: { resolve, reject } }));
  }

  private serveReaders(): void {
    for (const serve of this.readers.splice(0)) serve();
  }

  // ---- Housekeeping --------------------------------------------------------------------------------

  private afterCommit(): void {
    if (this.behind > this.seq) void this.catchUp(this.behind).catch(() => this.drop('a gap', close.restart));
    this.retryEarly();
    if (this.tail.length >= compactRows || this.tailBytes >= compactBytes) void this.compact();
  }

  /** Puts the log's tail into a snapshot, so that whoever joins gets one piece. */
  async compact(): Promise<void> {
    if (this.compacting || this.committing || this.dropped || this.waiting.length > 0 || this.tail.length === 0) return;
    if (this.damage) return;
    this.compacting = true;
    let pause = 0;
    try {
      const { seq } = this;
      const rows = this.tail.length;
      const bytes = await this.world.storeSnapshot(this.name, this.generation, seq, this.pieces());
      if (!bytes) {
        this.unbuildable = true;
        this.drop('a snapshot that did not hold', close.restart);
        return;
      }
      this.base = bytes;
      this.baseSeq = seq;
      for (const { update } of this.tail.slice(0, rows)) this.tailBytes -= update.byteLength;
      this.tail = this.tail.slice(rows);
      this.tailShared = null;
    } catch (error) {
      this.world.event('snapshot failed', { room: this.name, why: String(error) });
      // The next commit would try again at once, and each try costs a whole document.
      pause = compactPause;
    }
    if (pause === 0) this.compacting = false;
    else this.world.later(pause, () => (this.compacting = false));
  }

  /** Bytes that wait beside the room, for the disk or for what they hang on. */
  get pendingBytes(): number {
    return this.waitingBytes + this.earlyBytes;
  }

  get snapshotSeq(): number {
    return this.baseSeq;
  }

  /** Nobody is here and nothing is under way. */
  /** Something is on its way to the disk, or waits to be. */
  get unstored(): boolean {
    return this.committing || this.waiting.length > 0;
  }

  get idle(): boolean {
    return this.peers.size === 0 && !this.committing && this.waiting.length === 0 && !this.compacting;
  }

  /** Throws the room away: on any doubt, and at the end. Peers keep what was not acknowledged and come again. */
  drop(why: string, code: number): void {
    if (this.dropped) return;
    this.dropped = true;
    this.world.event('dropped', { room: this.name, why });
    this.forgetDocument();
    this.answersTimer?.cancel();
    this.answers = [];
    this.tailShared = null;
    for (const entry of this.waiting) entry.done?.reject(new NotStored(why));
    this.waiting = [];
    for (const peer of this.peers) peer.close(code, why);
    this.peers.clear();
    this.onDropped(this);
  }
}
