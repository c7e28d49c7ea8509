import * as Y from 'yjs';
import { close, readStateVector, writeFrame } from '../protocol.ts';
import type { RoomContext } from './context.ts';
import type { Clocks } from './gate.ts';
import type { Peer, SharedFrames } from './session.ts';
import { emptyUpdate, type RoomState } from './state.ts';

/** A crowd that lost the same server comes back within this. */
const keepMs = 10_000;

/** Answers to peers that ask for what they lack: the snapshot's bytes as they are, then the log behind it (R3). */
export class Answers {
  private readonly room: RoomContext;
  private readonly state: RoomState;
  /** Answers to newcomers and to the last peer that came back, framed once. */
  private kept: { stateVector: Uint8Array; snapshot: Uint8Array; shared: SharedFrames }[] = [];
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
    const snapshot = this.snapshotFor(theirs, stateVector);
    let bytes = snapshot.frames[0]?.byteLength ?? 0;
    const without = new Set<number>();
    for (const [i, { update, inspected }] of this.state.tail.entries()) {
      const lacks =
        theirs.size === 0 ||
        inspected.deleted > 0 ||
        [...inspected.ranges].some(([client, { to }]) => to > (theirs.get(client) ?? 0));
      if (lacks) bytes += update.byteLength;
      else without.add(i);
    }
    if (!peer.allows(bytes)) return;
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

  /** The same answer for all newcomers, and for many that come back from the same moment. */
  private snapshotFor(theirs: Clocks, stateVector: Uint8Array): SharedFrames {
    const snapshot = this.state.snapshot ?? emptyUpdate;
    this.kept = this.kept.filter((one) => one.snapshot === snapshot);
    const given = this.kept.find((one) => Buffer.compare(one.stateVector, stateVector) === 0);
    if (given) return given.shared;
    const update = theirs.size === 0 ? snapshot : Y.diffUpdate(snapshot, stateVector);
    const shared = {
      frames: [writeFrame({ kind: 'state', update })],
      upTo: this.state.snapshotSeq,
      whole: true,
    };
    // The newcomers' answer stays, of the others the last one.
    const newcomers = this.kept.filter((one) => one.stateVector.byteLength === 1);
    this.kept = [...newcomers, { stateVector: stateVector.slice(), snapshot, shared }];
    this.forgetLater();
    return shared;
  }

  private forgetLater(): void {
    this.timer ??= this.room.world.later(keepMs, () => {
      this.timer = null;
      this.clear();
    });
  }

  private clear(): void {
    this.kept = [];
    this.state.tailFrames = null;
  }
}
