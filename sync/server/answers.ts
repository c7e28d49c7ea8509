import { close, readStateVector, writeFrame } from '../protocol.ts';
import type { RoomContext } from './context.ts';
import type { Clocks } from './gate.ts';
import type { Peer, SharedFrames } from './session.ts';
import { emptyUpdate, type RoomState, type TailUpdate } from './state.ts';

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
  private timer: { cancel(): void } | null = null;

  constructor(room: RoomContext, state: RoomState) {
    this.room = room;
    this.state = state;
  }

  /** Sends everything durable that the peer lacks. */
  answer(peer: Peer, stateVector: Uint8Array): void {
    let theirs: Clocks;
    try {
      theirs = readStateVector(stateVector);
    } catch {
      peer.close(close.badFrame, 'not a state vector');
      return;
    }
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

  /** Sends everything after the last row the peer got; all of it where it got none. */
  resend(peer: Peer, afterSeq: number | null): void {
    const { tail, snapshot, snapshotSeq } = this.state;
    if (afterSeq === null || afterSeq < snapshotSeq)
      peer.send(writeFrame({ kind: 'state', update: snapshot ?? emptyUpdate }), snapshotSeq);
    this.sendTail(peer, new Set([...tail.keys()].filter((i) => (tail[i]?.seq ?? 0) <= (afterSeq ?? 0))));
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

  /** What the snapshot deletes, the same for all who have its structures: clocks do not tell who knows a deletion. */
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
    this.state.tailFrames = null;
  }
}
