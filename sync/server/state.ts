import * as Y from 'yjs';
import type { StoredRoom } from '#db/updates.ts';
import { unpackUpdates } from '../protocol.ts';
import type { RoomContext } from './context.ts';
import { advance, type Clocks } from './gate.ts';
import { inspect, ofTheHouse, type Inspected } from './inspect.ts';
import type { Peer, SharedFrames } from './session.ts';
import { skim, type Skimmed } from './skim.ts';

/** Updates that a snapshot has swallowed and that are kept for peers who come back: how many, and their bytes. */
const mostSwallowed = 1000;
const mostSwallowedBytes = 512 * 1024;

export const emptyUpdate = Y.encodeStateAsUpdate(new Y.Doc());

/** An update on its way to the disk, or a turn of its own among them. */
export interface Entry {
  /** Null for what the server writes. */
  peer: Peer | null;
  nth: number;
  /** Arrival time. */
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

/** A moment of the room: the last row, and the clocks it had. */
export interface Point {
  seq: number;
  clocks: Clocks;
}

/**
 * How many structures an update adds: each end of a deletion may cut one in two. Words that come back from offline
 * bring all deletions their page knows, which cut nothing new, so deletions count only where they come alone.
 */
function pieces({ structs, deletes }: Inspected): number {
  if (structs > 0) return structs;
  let count = 0;
  for (const ranges of deletes.values()) count += 2 * ranges.length;
  return count;
}

export interface TailUpdate {
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
  /** Facts about the snapshot. */
  private skimmedOf: { snapshot: Uint8Array | null; skimmed: Skimmed } | null = null;
  /** The last updates that went into the snapshot: who has everything before them needs no snapshot. */
  swallowed: TailUpdate[] = [];
  private swallowedBytes = 0;
  /** The clocks before these. */
  readonly beforeSwallowed: Clocks;
  /** Updates of the log behind the snapshot. */
  tail: TailUpdate[] = [];
  tailBytes = 0;
  /** Structures of everything durable, each counted where it came, and cut. */
  structs: number;
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
    const { clocks, structs } = this.skimmed;
    this.durable = new Map(clocks);
    this.beforeSwallowed = new Map(clocks);
    this.structs = structs;
    for (const row of stored.updates)
      for (const update of unpackUpdates(row.bytes)) this.remember(row.seq, update, inspect(update, ofTheHouse));
    this.accepted = new Map(this.durable);
  }

  /** Adds an update that is durable to the tail. */
  remember(seq: number, update: Uint8Array, inspected: Inspected): void {
    this.tail.push({ seq, update, inspected });
    this.tailBytes += update.byteLength;
    this.structs += pieces(inspected);
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
    for (const one of this.tail.slice(0, count)) {
      this.tailBytes -= one.update.byteLength;
      this.swallowed.push(one);
      this.swallowedBytes += one.update.byteLength;
    }
    this.tail = this.tail.slice(count);
    this.tailFrames = null;
    this.structs = this.tail.reduce((sum, { inspected }) => sum + pieces(inspected), this.skimmed.structs);
    let over = 0;
    while (this.swallowed.length - over > mostSwallowed || this.swallowedBytes > mostSwallowedBytes) {
      const { update, inspected } = this.swallowed[over] as TailUpdate;
      over += 1;
      this.swallowedBytes -= update.byteLength;
      advance(this.beforeSwallowed, inspected);
    }
    this.swallowed = this.swallowed.slice(over);
  }

  /** Facts about the snapshot, read once for each snapshot. */
  get skimmed(): Skimmed {
    const { snapshot } = this;
    if (!this.skimmedOf || this.skimmedOf.snapshot !== snapshot)
      this.skimmedOf = { snapshot, skimmed: skim(snapshot ?? emptyUpdate) };
    return this.skimmedOf.skimmed;
  }

  /** Updates behind row `seq`; null where the snapshot has some of them. */
  after(seq: number): { updates: Uint8Array[]; structs: number } | null {
    if (seq < this.snapshotSeq) return null;
    const later = this.tail.filter((one) => one.seq > seq);
    return {
      updates: later.map(({ update }) => update),
      structs: later.reduce((sum, { inspected }) => sum + pieces(inspected), 0),
    };
  }

  /** Everything durable, as updates in order. */
  pieces(): Uint8Array[] {
    return [...(this.snapshot ? [this.snapshot] : []), ...this.tail.map(({ update }) => update)];
  }

  /** How many bytes an answer to a newcomer takes. */
  get size(): number {
    return (this.snapshot?.byteLength ?? 0) + this.tailBytes;
  }

  /** Whether the document has no room for an update. `brings`: not only deletions, which make room again. */
  isFull(bytes: number, inspected: Inspected, brings: boolean): boolean {
    const { documentBytes, documentStructs } = this.room.limits;
    const more = pieces(inspected);
    // Deletions here and there cut what they leave into ever more structures; one stretch at a time always passes.
    if (!brings) return more > 2 && this.structs + more > 2 * documentStructs;
    return this.size + this.waitingBytes + bytes > documentBytes || this.structs + more > documentStructs;
  }

  /** Whether the server itself has written something that is not stored yet. */
  get hasUnstoredServerWrites(): boolean {
    return this.waiting.some(({ applied }) => applied);
  }
}
