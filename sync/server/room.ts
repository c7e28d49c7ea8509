import * as Y from 'yjs';
import type { StoredRoom } from '#db/updates.ts';
import type { Part } from '#shared/meetings/parts.ts';
import { close, limits, packUpdates, schemaVersion, unpackUpdates, writeFrame, type Frame } from '../protocol.ts';
import { advance, judge, type Clocks, type Lack } from './gate.ts';
import { Refused, inspect, type Inspected } from './inspect.ts';
import type { Log } from './log.ts';

/** Somebody connected to a room, as the room sees them. */
export interface Peer {
  readonly id: string;
  /** Whose structures these are; a session of its own for whoever is not signed in. */
  readonly userId: string;
  readonly canWrite: boolean;
  /** Our own client asks to be told what is durable; a stock one is never sent a message it does not know. */
  readonly wantsSaved: boolean;
  /** `upTo`: with it the peer has all rows up to that number; not so in `sendShared`, before its question was answered. */
  send(frame: Uint8Array, upTo?: number): void;
  /** Several peers get the same bytes: framed once for all of them. */
  sendShared(frames: SharedFrames): void;
  close(code: number, reason: string): void;
}

/** Frames of one turn for many peers; each transport may keep its own rendering on it. */
export interface SharedFrames {
  readonly frames: readonly Uint8Array[];
  readonly upTo: number;
  rendered?: unknown;
}

/** What a room needs of the world; the simulation gives it one of its own. */
export interface RoomWorld {
  log: Log;
  load(name: string): Promise<StoredRoom | null>;
  /** Rows of the log after `from`, up to `to`. */
  rows(name: string, generation: number, from: number, to: number): Promise<{ seq: number; bytes: Uint8Array }[]>;
  /** The number of the last row in the log. */
  lastSeq(name: string): Promise<number>;
  /** Whose client id it is from now on: the first who came with it keeps it. */
  claim(name: string, generation: number, clientId: number, userId: string): Promise<string | null>;
  /** Proves the snapshot by loading it afresh, then stores it; false when it did not hold. */
  storeSnapshot(name: string, generation: number, seq: number, bytes: Uint8Array): Promise<boolean>;
  /** Tells the other processes what has become durable here. */
  publish(name: string, generation: number, seq: number, bytes: Uint8Array): void;
  now(): Date;
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
  userId: string | null;
  update: Uint8Array;
  /** Null for an update that brings nothing new: it only takes its turn, so that acknowledgements stay in order. */
  inspected: Inspected | null;
  clientIds: number[];
  /** Written by the server on the room's own document: it is in there already. */
  applied: boolean;
  done?: { resolve(): void; reject(error: unknown): void };
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

const emptyUpdate = Y.encodeStateAsUpdate(new Y.Doc());
const retryEvery = 500;
/** After this long without a commit everybody is told so. */
const admitAfter = 1500;
const giveUpAfter = 30_000;
const compactRows = 200;
const compactBytes = 256 * 1024;
const keepDocument = 30_000;

/**
 * One document that people are in. Crash-only: its truth is the log, and on any doubt it is thrown away, its peers
 * are sent to reconnect, and the next one to come builds it anew.
 */
export class Room {
  readonly name: string;
  readonly part: Part;
  readonly generation: number;
  readonly peers = new Set<Peer>();
  /** True once it was thrown away: nobody may use it any more. */
  dropped = false;

  private readonly world: RoomWorld;
  private seq: number;
  private base: Uint8Array | null;
  private baseSeq: number;
  private tail: TailEntry[] = [];
  private tailBytes = 0;
  /** What is durable, and what is durable or on its way: new updates are judged by the latter. */
  private durable: Clocks;
  private known: Clocks;
  private readonly owners = new Map<number, string>();
  private doc: Y.Doc | null = null;
  private docTimer: { cancel(): void } | null = null;
  private waiting: Entry[] = [];
  private waitingBytes = 0;
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
    this.world = world;
    this.onDropped = onDropped;
    this.seq = stored.seq;
    this.base = stored.snapshot?.bytes ?? null;
    this.baseSeq = stored.snapshot?.seq ?? 0;
    this.durable = this.base ? Y.decodeStateVector(Y.encodeStateVectorFromUpdate(this.base)) : new Map();
    for (const row of stored.updates)
      for (const update of unpackUpdates(row.bytes)) this.remember(row.seq, update, inspect(update));
    this.known = new Map(this.durable);
  }

  private remember(seq: number, update: Uint8Array, inspected: Inspected): void {
    this.tail.push({ seq, update, inspected });
    this.tailBytes += update.byteLength;
    advance(this.durable, inspected);
  }

  // ---- Coming and going --------------------------------------------------------------------

  join(peer: Peer): void {
    this.peers.add(peer);
    this.received.set(peer, { count: 0, open: new Set() });
    if (peer.wantsSaved)
      peer.send(
        writeFrame({
          kind: 'hello',
          hello: { generation: this.generation, schema: schemaVersion, canWrite: peer.canWrite },
        }),
      );
    // Asks for what the newcomer has and we have not.
    peer.send(writeFrame({ kind: 'ask', stateVector: Y.encodeStateVector(this.durable) }));
  }

  leave(peer: Peer): void {
    this.peers.delete(peer);
    this.received.delete(peer);
    this.queues.delete(peer);
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
      theirs = Y.decodeStateVector(stateVector);
    } catch {
      peer.close(close.badFrame, 'not a state vector');
      return;
    }
    const base = this.base ?? emptyUpdate;
    const state = theirs.size === 0 ? base : Y.diffUpdate(base, stateVector);
    peer.send(writeFrame({ kind: 'state', update: state }), this.baseSeq);
    for (const { seq, update, inspected } of this.tail) {
      const lacks =
        inspected.deleted > 0 || [...inspected.ranges].some(([client, { to }]) => to > (theirs.get(client) ?? 0));
      // A row may hold several updates: only the next one proves that it came whole.
      if (theirs.size === 0 || lacks) peer.send(writeFrame({ kind: 'update', update }), seq - 1);
    }
  }

  /** For a peer that could not keep up and whose queue was given up: everything after the last row it got, if any. */
  resend(peer: Peer, afterSeq: number | null): void {
    if (afterSeq === null || afterSeq < this.baseSeq)
      peer.send(writeFrame({ kind: 'state', update: this.base ?? emptyUpdate }), this.baseSeq);
    for (const { seq, update } of this.tail)
      if (seq > (afterSeq ?? 0)) peer.send(writeFrame({ kind: 'update', update }), seq - 1);
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
    received.open.add(received.count);
    this.inTurn({ peer, update, nth: received.count, at: this.world.now().getTime() });
  }

  private inTurn(sent: Sent): void {
    const { peer } = sent;
    const before = this.queues.get(peer);
    const work = before ? before.then(() => this.consider(sent)) : this.consider(sent);
    if (!work) return;
    const done = work.finally(() => {
      if (this.queues.get(peer) === done) this.queues.delete(peer);
    });
    this.queues.set(peer, done);
  }

  /** Judges one update; a promise only when it had to ask the database. `looked`: with all that the log has. */
  private consider(sent: Sent, looked = false): Promise<void> | void {
    const { peer, update, nth } = sent;
    if (this.dropped || !this.peers.has(peer)) return;
    try {
      const judged = judge(this.part, this.known, update);
      if (!peer.canWrite) {
        if (judged.verdict === 'known') return;
        this.world.event('refused', { room: this.name, user: peer.userId, why: 'may not write' });
        peer.send(writeFrame({ kind: 'auth', reason: 'permission denied' }));
        return;
      }
      const turn = { peer, nth, userId: peer.userId, applied: false };
      if (judged.verdict === 'known')
        return this.enqueue({ ...turn, update: emptyUpdate, inspected: null, clientIds: [] });
      if (judged.verdict === 'new') {
        const strangers = judged.newClients.filter((client) => this.owners.get(client) !== peer.userId);
        if (strangers.length > 0) return this.claimAll(sent, strangers, looked);
        if (judged.newClients.length > 1 && !this.fits(update)) throw new Refused('it hangs on itself');
        return this.enqueue({ ...turn, update, inspected: judged.inspected, clientIds: judged.newClients });
      }
      if (!looked) return this.lookAgain(sent);
      if (judged.verdict === 'beyond') throw new Refused('a deletion beyond what is known');
      this.hold(sent, judged.lacks);
    } catch (error) {
      this.refuse(peer, error);
    }
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
        const owner =
          this.owners.get(client) ?? (await this.world.claim(this.name, this.generation, client, peer.userId));
        if (owner === null) throw new Refused('too many client ids');
        this.owners.set(client, owner);
        if (owner === peer.userId) continue;
        if (!looked) return await this.lookAgain(sent);
        this.world.event('squatting', { room: this.name, user: peer.userId });
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
  private async lookAgain(sent: Sent): Promise<void> {
    try {
      await this.catchUp(await this.world.lastSeq(this.name));
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
    this.world.event('refused', { room: this.name, user: peer.userId, why: error.message });
    peer.close(close.badFrame, error.message);
  }

  /** An update whose forerunners have not arrived waits a while beside the room, seen and stored by nobody. */
  private hold(sent: Sent, lacks: Lack): void {
    const { peer, update } = sent;
    if (this.earlyBytes + update.byteLength > limits.pendingBytes) {
      peer.close(close.badFrame, 'too much out of order');
      return;
    }
    // Whoever lost something on the way is asked for all we lack.
    if (!this.early.some((one) => one.sent.peer === peer))
      peer.send(writeFrame({ kind: 'ask', stateVector: Y.encodeStateVector(this.durable) }));
    this.early.push({ sent, lacks });
    this.earlyBytes += update.byteLength;
    this.earlyTimer ??= this.world.later(limits.pendingMs, () => this.dropEarly());
  }

  /** Who waited too long starts anew, and brings everything along. */
  private dropEarly(): void {
    this.earlyTimer = null;
    if (this.dropped) return;
    const now = this.world.now().getTime();
    for (const { sent } of this.early.filter((one) => now - one.sent.at >= limits.pendingMs))
      if (this.peers.has(sent.peer)) sent.peer.close(close.restart, 'what it hangs on never came');
    const oldest = Math.min(...this.early.map(({ sent }) => sent.at));
    if (this.early.length > 0)
      this.earlyTimer = this.world.later(limits.pendingMs - (now - oldest), () => this.dropEarly());
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
    if (this.waitingBytes + entry.update.byteLength > limits.waitingBytes && this.waiting.length > 0) {
      this.drop('too much waits for the disk', close.restart);
      entry.done?.reject(new NotStored('too much waits for the disk'));
      return;
    }
    if (entry.inspected) advance(this.known, entry.inspected);
    this.waiting.push(entry);
    this.waitingBytes += entry.update.byteLength;
    if (!this.committing) {
      this.committing = true;
      // The rest of this turn joins in.
      queueMicrotask(() => void this.commit());
    }
  }

  private async commit(): Promise<void> {
    try {
      while (this.waiting.length > 0 && !this.dropped) {
        const batch = this.waiting;
        this.waiting = [];
        const bytes = this.waitingBytes;
        if (this.applyAll(batch)) await this.store(batch);
        this.waitingBytes -= bytes;
      }
    } catch (error) {
      this.world.event('rebuild', { room: this.name, why: String(error) });
      this.drop('not stored', close.restart);
    }
    this.committing = false;
    if (!this.dropped) this.afterCommit();
  }

  /** Applies to the room's own document what is about to be stored; where that throws, nothing of the batch goes further. */
  private applyAll(batch: Entry[]): boolean {
    if (batch.every((entry) => !entry.inspected)) return true;
    const doc = this.document(batch);
    for (const entry of batch) {
      if (!entry.inspected || entry.applied) continue;
      try {
        let news = false;
        const notice = () => {
          news = true;
        };
        doc.on('update', notice);
        Y.applyUpdate(doc, entry.update);
        doc.off('update', notice);
        if (doc.store.pendingStructs || doc.store.pendingDs) throw new Error('left something pending');
        // Everybody who comes back repeats what they know to be deleted: that is not work to be stored.
        if (!news) entry.inspected = null;
      } catch (error) {
        // The document is half changed now: it is never looked at again.
        this.world.event('poison', { room: this.name, user: entry.userId, why: String(error) });
        entry.peer?.close(close.badFrame, 'the document cannot take this');
        for (const one of batch) one.done?.reject(new NotStored('the room is being rebuilt'));
        this.drop('a document that threw', close.restart);
        return false;
      }
    }
    return true;
  }

  /** The built document; only there while somebody writes. */
  private document(batch: readonly Entry[] = []): Y.Doc {
    if (!this.doc) {
      if (batch.some((entry) => entry.applied && entry.inspected))
        throw new Error('a change was made on a document that is gone');
      const doc = new Y.Doc();
      doc.transact(() => {
        if (this.base) Y.applyUpdate(doc, this.base);
        for (const { update } of this.tail) Y.applyUpdate(doc, update);
      });
      this.doc = doc;
    }
    this.docTimer?.cancel();
    this.docTimer = this.world.later(keepDocument, () => this.forgetDocument());
    return this.doc;
  }

  private forgetDocument(): void {
    if (this.committing || this.waiting.length > 0) {
      this.docTimer = this.world.later(keepDocument, () => this.forgetDocument());
      return;
    }
    this.doc?.destroy();
    this.doc = null;
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
      if (rows.length > 0) numbers = await this.untilStored(rows);
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
  private async untilStored(rows: Parameters<Log['append']>[0][]): Promise<(number | null)[]> {
    let givenUp = false;
    const admit = this.world.later(admitAfter, () => {
      for (const peer of this.peers) if (peer.wantsSaved) peer.send(writeFrame({ kind: 'notSaved' }));
    });
    let giveUp = admit;
    const enough = new Promise<null>((resolve) => {
      giveUp = this.world.later(giveUpAfter, () => {
        givenUp = true;
        resolve(null);
      });
    });
    try {
      while (!givenUp && !this.dropped) {
        try {
          // One promise a row, but one batch: rows pushed in the same turn travel together.
          const numbers = await Promise.race([Promise.all(rows.map((row) => this.world.log.append(row))), enough]);
          if (numbers) return numbers;
        } catch (error) {
          this.world.event('append failed', { room: this.name, why: String(error) });
          await new Promise<void>((resolve) => this.world.later(retryEvery, resolve));
        }
      }
      throw new NotStored('the database is away');
    } finally {
      admit.cancel();
      giveUp.cancel();
    }
  }

  /** To everybody but whoever sent it; to them, that it is durable. */
  private spread(entries: Entry[]): void {
    const news = entries.filter((entry) => entry.inspected);
    const frames = news.map((entry) => writeFrame({ kind: 'update', update: entry.update }));
    const shared: SharedFrames = { frames, upTo: this.seq };
    const authors = new Set<Peer>();
    for (const { peer, nth } of entries) {
      if (!peer) continue;
      authors.add(peer);
      this.received.get(peer)?.open.delete(nth);
    }
    for (const peer of this.peers) {
      if (!authors.has(peer)) {
        if (frames.length > 0) peer.sendShared(shared);
        continue;
      }
      for (const [i, frame] of frames.entries()) if (news[i]?.peer !== peer) peer.send(frame, this.seq - 1);
      if (peer.wantsSaved) this.acknowledge(peer);
    }
  }

  // ---- News from other processes ---------------------------------------------------------------

  /** A row that another process made durable. */
  async news(seq: number, bytes: Uint8Array): Promise<void> {
    if (this.dropped || seq <= this.seq) return;
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
    const updates = unpackUpdates(bytes).map((update) => ({ update, inspected: inspect(update) }));
    for (const { update, inspected } of updates) {
      if (this.doc) Y.applyUpdate(this.doc, update);
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

  /** The number of the last row this room has. */
  get lastSeq(): number {
    return this.seq;
  }

  /** Reads what the log has beyond this room; for whoever suspects that news got lost. */
  async refresh(lastSeq: number): Promise<void> {
    if (!this.dropped && !this.committing && lastSeq > this.seq) await this.catchUp(lastSeq);
  }

  // ---- The server's own writing ------------------------------------------------------------------

  /** Changes the document as the server; resolves once that is durable and everybody was told. */
  change(userId: string | null, work: (doc: Y.Doc) => void): Promise<void> {
    const doc = this.document();
    const updates: Uint8Array[] = [];
    const collect = (update: Uint8Array) => updates.push(update);
    doc.on('update', collect);
    let inspected: Inspected | null = null;
    try {
      doc.transact(() => work(doc), 'server');
      if (updates[0]) inspected = inspect(updates[0]);
    } catch (error) {
      this.drop('a change threw', close.restart);
      throw error;
    } finally {
      doc.off('update', collect);
    }
    const [update] = updates;
    if (!update) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.enqueue({
        peer: null,
        nth: 0,
        userId,
        update,
        inspected,
        clientIds: [doc.clientID],
        applied: true,
        done: { resolve, reject },
      });
    });
  }

  /** The document as it will be once everything under way is stored; for reading only. */
  read<T>(work: (doc: Y.Doc) => T): T {
    return work(this.document());
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
    this.compacting = true;
    try {
      const { seq } = this;
      const rows = this.tail.length;
      const bytes = Y.encodeStateAsUpdate(this.document());
      if (!(await this.world.storeSnapshot(this.name, this.generation, seq, bytes))) {
        this.drop('a snapshot that did not hold', close.restart);
        return;
      }
      this.base = bytes;
      this.baseSeq = seq;
      for (const { update } of this.tail.slice(0, rows)) this.tailBytes -= update.byteLength;
      this.tail = this.tail.slice(rows);
    } catch (error) {
      this.world.event('snapshot failed', { room: this.name, why: String(error) });
    } finally {
      this.compacting = false;
    }
  }

  get snapshotSeq(): number {
    return this.baseSeq;
  }

  /** Nobody is here and nothing is under way. */
  get idle(): boolean {
    return this.peers.size === 0 && !this.committing && this.waiting.length === 0 && !this.compacting;
  }

  /** Throws the room away: on any doubt, and at the end. Peers keep what was not acknowledged and come again. */
  drop(why: string, code: number): void {
    if (this.dropped) return;
    this.dropped = true;
    this.world.event('dropped', { room: this.name, why });
    this.docTimer?.cancel();
    this.doc?.destroy();
    this.doc = null;
    for (const entry of this.waiting) entry.done?.reject(new NotStored(why));
    this.waiting = [];
    for (const peer of this.peers) peer.close(code, why);
    this.peers.clear();
    this.onDropped(this);
  }
}
