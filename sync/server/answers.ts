import { close, readStateVector, writeFrame } from '../protocol.ts';
import { CleanStates, type Base } from './clean.ts';
import type { RoomContext } from './context.ts';
import type { Clocks } from './gate.ts';
import type { Peer, SharedFrames } from './session.ts';
import { emptyUpdate, type Point, type RoomState, type TailUpdate } from './state.ts';

/** A crowd that lost the same server comes back within this. */
const keepMs = 10_000;

/** Whether somebody who is that far has everything up to the clocks. */
function covers(theirs: Clocks, clocks: Clocks): boolean {
  if (theirs.size < clocks.size) return false;
  for (const [client, clock] of clocks) if ((theirs.get(client) ?? 0) < clock) return false;
  return true;
}

/** Whether an update may bring something to somebody who is that far. */
function lacks(theirs: Clocks, { inspected }: TailUpdate): boolean {
  if (theirs.size === 0 || inspected.deleted > 0) return true;
  for (const [client, { to }] of inspected.ranges) if (to > (theirs.get(client) ?? 0)) return true;
  return false;
}

/**
 * Answers to peers that ask for what they lack: the snapshot's bytes as they are, then the log behind it (R3). Nothing is
 * computed of the document, so a question costs as much for a large one as for a small one.
 */
export class Answers {
  private readonly room: RoomContext;
  private readonly state: RoomState;
  /** Answers, framed once for all who ask. */
  private kept: { snapshot: Uint8Array | null; whole?: SharedFrames; deletions?: SharedFrames } = { snapshot: null };
  /** States without deleted text, framed once each. */
  private cleanFrames = new WeakMap<Uint8Array, SharedFrames>();
  private readonly clean: CleanStates;
  private timer: { cancel(): void } | null = null;

  constructor(room: RoomContext, state: RoomState) {
    this.room = room;
    this.state = state;
    this.clean = new CleanStates(room, state);
  }

  /** Sends everything durable that the peer lacks, without deleted text where it may not see that (H1). */
  answer(peer: Peer, stateVector: Uint8Array): void {
    let theirs: Clocks;
    try {
      theirs = readStateVector(stateVector);
    } catch {
      peer.close(close.badFrame, 'not a state vector');
      return;
    }
    if (!peer.history) return this.bring(peer, theirs, true);
    const { state } = this;
    const has = (clocks: Clocks) => theirs.size > 0 && covers(theirs, clocks);
    const current = has(state.skimmed.clocks);
    const recent = current || has(state.beforeSwallowed);
    const snapshot = recent ? this.deletions() : this.snapshot();
    const swallowed = recent && !current ? state.swallowed.filter((one) => lacks(theirs, one)) : [];
    let bytes = snapshot.frames[0]?.byteLength ?? 0;
    for (const { update } of swallowed) bytes += update.byteLength;
    const without = new Set<number>();
    for (const [i, one] of state.tail.entries()) {
      if (lacks(theirs, one)) bytes += one.update.byteLength;
      else without.add(i);
    }
    if (!peer.allows(bytes)) return;
    // Deletions come behind what they delete.
    for (const { update } of swallowed) peer.send(writeFrame({ kind: 'update', update }));
    peer.sendShared(snapshot);
    this.sendTail(peer, without);
  }

  /** Sends what was stored after this; what was deleted meanwhile only to those who may see it. */
  catchUp(peer: Peer, { seq, clocks }: Point): void {
    if (peer.history || (seq >= this.state.snapshotSeq && this.clean.onlyAdds(seq)))
      this.resendFrom(this.stored, peer, seq);
    else this.bring(peer, clocks, false);
  }

  /** Answers a peer without the history; `asked`: its limits count. */
  private bring(peer: Peer, theirs: Clocks, asked: boolean): void {
    const answer = (base: Base) => this.answerClean(base, peer, theirs, asked);
    const base = this.clean.now();
    if (base && !this.clean.waits(peer)) answer(base);
    else this.clean.whenMade(peer, answer);
  }

  private answerClean({ bytes: clean, seq }: Base, peer: Peer, theirs: Clocks, asked: boolean): void {
    const shared = this.cleanFrames.get(clean) ?? {
      frames: [writeFrame({ kind: 'state', update: clean })],
      upTo: seq,
      whole: true,
    };
    this.cleanFrames.set(clean, shared);
    this.forgetLater();
    let bytes = clean.byteLength;
    const without = new Set<number>();
    for (const [i, one] of this.state.tail.entries()) {
      if (one.seq > seq && lacks(theirs, one)) bytes += one.update.byteLength;
      else without.add(i);
    }
    if (asked && !peer.allows(bytes)) return;
    peer.sendShared(shared);
    this.sendTail(peer, without);
  }

  /** Sends everything after the last row the peer got; all of it where it got none. */
  resend(peer: Peer, afterSeq: number | null): void {
    const { snapshotSeq } = this.state;
    if (peer.history || (afterSeq !== null && afterSeq >= snapshotSeq && this.clean.onlyAdds(afterSeq)))
      return this.resendFrom(this.stored, peer, afterSeq);
    // A peer that waits will get all of it.
    if (this.clean.waits(peer)) return;
    const base = this.clean.now();
    if (base) this.resendFrom(base, peer, null);
    else this.clean.whenMade(peer, (made) => this.resendFrom(made, peer, null));
  }

  private resendFrom({ bytes, seq }: Base, peer: Peer, afterSeq: number | null): void {
    if (afterSeq === null || afterSeq < seq) peer.send(writeFrame({ kind: 'state', update: bytes }), seq);
    const has = Math.max(afterSeq ?? 0, seq);
    this.sendTail(peer, new Set([...this.state.tail.keys()].filter((i) => (this.state.tail[i]?.seq ?? 0) <= has)));
  }

  /** Whether a peer waits for its answer, which will hold all that is passed on until then. */
  waits(peer: Peer): boolean {
    return this.clean.waits(peer);
  }

  leave(peer: Peer): void {
    this.clean.drop(peer);
  }

  private get stored(): Base {
    const { snapshot, snapshotSeq } = this.state;
    return { bytes: snapshot ?? emptyUpdate, seq: snapshotSeq };
  }

  forget(): void {
    this.timer?.cancel();
    this.clear();
  }

  private sendTail(peer: Peer, without: ReadonlySet<number>): void {
    const { state } = this;
    if (without.size === state.tail.length) return;
    state.tailFrames ??= {
      frames: state.tail.map(({ update }) => writeFrame({ kind: 'update', update })),
      upTo: state.seq,
      whole: true,
    };
    this.forgetLater();
    peer.sendShared(state.tailFrames, without);
  }

  /** The whole snapshot, the same for all who lack something of it. */
  private snapshot(): SharedFrames {
    return this.shared('whole', () => this.state.snapshot ?? emptyUpdate);
  }

  /** Deletions of the snapshot, the same for all who have its structures: clocks do not tell who knows a deletion. */
  private deletions(): SharedFrames {
    return this.shared('deletions', () => this.state.skimmed.deletions);
  }

  private shared(what: 'whole' | 'deletions', update: () => Uint8Array): SharedFrames {
    const { snapshot, snapshotSeq } = this.state;
    if (this.kept.snapshot !== snapshot) this.kept = { snapshot };
    this.forgetLater();
    return (this.kept[what] ??= {
      frames: [writeFrame({ kind: 'state', update: update() })],
      upTo: snapshotSeq,
      whole: true,
    });
  }

  private forgetLater(): void {
    this.timer ??= this.room.world.later(keepMs, () => {
      this.timer = null;
      this.clear();
    });
  }

  private clear(): void {
    this.kept = { snapshot: null };
    this.clean.forget();
    this.cleanFrames = new WeakMap();
    this.state.tailFrames = null;
  }
}
