import * as Y from 'yjs';
import { unpackUpdates, writeFrame } from '../protocol.ts';
import type { RoomContext } from './context.ts';
import type { RoomDocument } from './document.ts';
import { advance } from './gate.ts';
import { inspect, ofTheHouse } from './inspect.ts';
import type { Peer, SharedFrames } from './session.ts';
import type { Point, RoomState } from './state.ts';

const nobody: ReadonlySet<Peer> = new Set();

/** Takes in what other processes have stored: rows they send, and what the log has beyond this room (M1). */
export class Follower {
  private readonly room: RoomContext;
  private readonly state: RoomState;
  private readonly document: RoomDocument;
  /** Called after rows came in. */
  private readonly advanced: () => void;
  /** Sends a peer what was stored after this. */
  private readonly catchUpPeer: (peer: Peer, after: Point) => void;
  /** The highest row another process told of while the order was not known. */
  private announced = 0;
  private looking: Promise<void> | null = null;
  private nextLook: Promise<void> | null = null;

  constructor(
    room: RoomContext,
    state: RoomState,
    document: RoomDocument,
    advanced: () => void,
    catchUpPeer: (peer: Peer, after: Point) => void,
  ) {
    this.room = room;
    this.state = state;
    this.document = document;
    this.advanced = advanced;
    this.catchUpPeer = catchUpPeer;
  }

  /** Takes a row that another process made durable. */
  async receiveRow(seq: number, bytes: Uint8Array): Promise<void> {
    const { room, state } = this;
    if (room.dropped || room.damage || seq <= state.seq) return;
    if (state.committing || seq !== state.seq + 1) return this.catchUpLater(seq);
    this.take(seq, bytes);
    this.advanced();
  }

  /** Whether another process told of rows this room does not have. */
  get isBehind(): boolean {
    return this.announced > this.state.seq;
  }

  catchUpWithAnnounced(): Promise<void> {
    return this.catchUp(this.announced);
  }

  /** Waits for the end of an append, as the order is not known before; the log has it. */
  private async catchUpLater(seq: number): Promise<void> {
    this.announced = Math.max(this.announced, seq);
    if (!this.state.committing) await this.catchUp(this.announced);
  }

  /** Reads the rows of the log up to that number. */
  async catchUp(to: number): Promise<void> {
    const { room, state } = this;
    if (to <= state.seq) return;
    const rows = await room.world.rows(room.name, room.generation, state.seq, to);
    // Rows that came without a message may hold text typed and deleted since: peers without the history get a state (H1).
    const late = rows.length > 1 && to > this.announced;
    const apart = late ? [...room.sessions.keys()].filter((peer) => !peer.history && !room.waits(peer)) : [];
    const before = apart.length > 0 ? { clocks: new Map(state.durable), seq: state.seq } : null;
    const without = new Set(apart);
    for (const row of rows) {
      if (row.seq === state.seq + 1 && !room.dropped) this.take(row.seq, row.bytes, without);
    }
    if (before && !room.dropped) for (const peer of apart) this.catchUpPeer(peer, before);
    this.advanced();
  }

  /** Reads everything the log has by now. Many that come at once share a look, but none that began before they came. */
  look(): Promise<void> {
    if (this.looking) {
      this.nextLook ??= this.looking
        .catch(() => {})
        .then(() => {
          this.nextLook = null;
          return this.look();
        });
      return this.nextLook;
    }
    const { world, name } = this.room;
    this.looking = world
      .lastSeq(name)
      .then((seq) => this.catchUp(seq))
      .finally(() => (this.looking = null));
    return this.looking;
  }

  private take(seq: number, bytes: Uint8Array, without: ReadonlySet<Peer> = nobody): void {
    const { room, state } = this;
    const updates = unpackUpdates(bytes).map((update) => ({ update, inspected: inspect(update, ofTheHouse) }));
    const doc = this.document.built;
    doc?.transact(() => {
      for (const { update } of updates) Y.applyUpdate(doc, update);
    });
    for (const { update, inspected } of updates) {
      state.remember(seq, update, inspected);
      advance(state.accepted, inspected);
    }
    state.seq = seq;
    const shared: SharedFrames = {
      frames: updates.map(({ update }) => writeFrame({ kind: 'update', update })),
      upTo: seq,
    };
    for (const peer of room.sessions.keys()) if (!room.waits(peer) && !without.has(peer)) peer.sendShared(shared);
  }
}
