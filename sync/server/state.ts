import * as Y from 'yjs';
import type { StoredRoom } from '#db/updates.ts';
import { unpackUpdates } from '../protocol.ts';
import type { RoomContext } from './context.ts';
import { advance, type Clocks } from './gate.ts';
import { inspect, ofTheHouse, type Inspected } from './inspect.ts';
import type { Peer, SharedFrames } from './session.ts';

export const emptyUpdate = Y.encodeStateAsUpdate(new Y.Doc());

/** An update on its way to the disk, or a turn of its own among them. */
export interface Entry {
  /** Null for what the server writes. */
  peer: Peer | null;
  nth: number;
  /** When it came. */
  at?: number;
  userId: string | null;
  update: Uint8Array;
  /** Null for an update that brings nothing new: it only takes its turn, so that acknowledgements stay in order. */
  inspected: Inspected | null;
  clientIds: readonly number[];
  /** True once the built document has it. */
  applied: boolean;
  done?: { resolve(): void; reject(error: unknown): void };
  /** Work that runs alone, once everything before it is stored. */
  turn?: () => Promise<void>;
}

/** An entry that stores nothing and only takes its turn. */
export const nothingToStore: Entry = {
  peer: null,
  nth: 0,
  userId: null,
  update: emptyUpdate,
  inspected: null,
  clientIds: [],
  applied: false,
};

interface TailUpdate {
  seq: number;
  update: Uint8Array;
  inspected: Inspected;
}

/** The bytes and numbers of a room: what is durable, and what is on its way there. All parts of the room share them. */
export class RoomState {
  /** The number of the last row this room has. */
  seq: number;
  snapshot: Uint8Array | null;
  snapshotSeq: number;
  /** Updates of the log behind the snapshot. */
  tail: TailUpdate[] = [];
  tailBytes = 0;
  /** The tail framed once for all newcomers; null after each change of it. */
  tailFrames: SharedFrames | null = null;
  readonly durable: Clocks;
  /** Clocks of what is durable or on its way there: new updates are judged by these. */
  accepted: Clocks;
  /** Entries for the next batch. */
  waiting: Entry[] = [];
  waitingBytes = 0;
  /** Entries applied to the document and on their way to the disk. */
  inFlight: Entry[] = [];
  committing = false;

  private readonly room: RoomContext;
  private warnedOfSize = false;

  constructor(room: RoomContext, stored: StoredRoom) {
    this.room = room;
    this.seq = stored.seq;
    this.snapshot = stored.snapshot?.bytes ?? null;
    this.snapshotSeq = stored.snapshot?.seq ?? 0;
    this.durable = this.snapshot ? Y.decodeStateVector(Y.encodeStateVectorFromUpdate(this.snapshot)) : new Map();
    for (const row of stored.updates)
      for (const update of unpackUpdates(row.bytes)) this.remember(row.seq, update, inspect(update, ofTheHouse));
    this.accepted = new Map(this.durable);
  }

  /** Adds an update that is durable to the tail. */
  remember(seq: number, update: Uint8Array, inspected: Inspected): void {
    this.tail.push({ seq, update, inspected });
    this.tailBytes += update.byteLength;
    this.tailFrames = null;
    advance(this.durable, inspected);
    if (this.warnedOfSize || this.size < this.room.limits.documentWarnBytes) return;
    this.warnedOfSize = true;
    this.room.world.event('large document', { room: this.room.name, bytes: this.size });
  }

  /** Puts a snapshot in the place of the first `count` updates of the tail. */
  compacted(snapshot: Uint8Array, seq: number, count: number): void {
    this.snapshot = snapshot;
    this.snapshotSeq = seq;
    for (const { update } of this.tail.slice(0, count)) this.tailBytes -= update.byteLength;
    this.tail = this.tail.slice(count);
    this.tailFrames = null;
  }

  /** Everything durable, as updates in order. */
  pieces(): Uint8Array[] {
    return [...(this.snapshot ? [this.snapshot] : []), ...this.tail.map(({ update }) => update)];
  }

  /** How many bytes an answer to a newcomer takes. */
  get size(): number {
    return (this.snapshot?.byteLength ?? 0) + this.tailBytes;
  }

  isFull(more: number): boolean {
    return this.size + this.waitingBytes + more > this.room.limits.documentBytes;
  }

  /** Whether the server itself has written something that is not stored yet. */
  get hasUnstoredServerWrites(): boolean {
    return this.waiting.some(({ applied }) => applied);
  }
}
