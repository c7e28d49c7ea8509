import { close, packUpdates } from '../protocol.ts';
import type { Applier } from './apply.ts';
import { acknowledge, broadcast } from './broadcast.ts';
import type { RoomContext } from './context.ts';
import type { Follower } from './follow.ts';
import type { RoomDocument } from './document.ts';
import { advance } from './gate.ts';
import { emptyUpdate, nothingToStore, type Entry, type RoomState } from './state.ts';
import { NotStored, type Storing } from './storing.ts';

interface Callbacks {
  /** Everything in the document is durable at this moment, or the room is gone. */
  batchStored(): void;
  /** Nothing waits any more. */
  allStored(): void;
}

/** Stores what is accepted, batch by batch, and only then passes it on and acknowledges it (L1). */
export class Committer {
  private readonly room: RoomContext;
  private readonly state: RoomState;
  private readonly applier: Applier;
  private readonly document: RoomDocument;
  private readonly storing: Storing;
  private readonly follower: Follower;
  private readonly callbacks: Callbacks;

  constructor(
    room: RoomContext,
    state: RoomState,
    {
      applier,
      document,
      storing,
      follower,
      ...callbacks
    }: { applier: Applier; document: RoomDocument; storing: Storing; follower: Follower } & Callbacks,
  ) {
    this.room = room;
    this.state = state;
    this.applier = applier;
    this.document = document;
    this.storing = storing;
    this.follower = follower;
    this.callbacks = callbacks;
  }

  enqueue(entry: Entry): void {
    const { room, state } = this;
    if (entry.peer && !entry.inspected && !state.committing) return acknowledge(room, entry);
    // The server limits its own writes; of peers, what waits for a disk that does not answer is bounded.
    const bytes = entry.peer ? entry.update.byteLength : 0;
    if (state.waitingBytes + bytes > room.limits.waitingBytes && state.waiting.length > 0) {
      room.drop('too much waits for the disk', close.restart);
      entry.done?.reject(new NotStored('too much waits for the disk'));
      return;
    }
    if (entry.inspected) advance(state.accepted, entry.inspected);
    state.waiting.push(entry);
    state.waitingBytes += bytes;
    if (!state.committing) {
      state.committing = true;
      room.world.soon(() => void this.commit());
    }
  }

  /** Resolves once everything accepted by now is durable. */
  settled(): Promise<void> {
    if (!this.state.committing) return Promise.resolve();
    return new Promise((resolve, reject) => this.enqueue({ ...nothingToStore, done: { resolve, reject } }));
  }

  private async commit(): Promise<void> {
    const { room, state } = this;
    try {
      while (state.waiting.length > 0 && !room.dropped) {
        const turn = state.waiting[0]?.turn;
        if (turn) {
          state.waiting.shift();
          await turn();
        } else {
          for (let wait = this.document.prepare(); wait; wait = this.document.prepare()) await wait;
          if (room.dropped) break;
          const nextTurn = state.waiting.findIndex((entry) => entry.turn);
          const batch = state.waiting.splice(0, nextTurn < 0 ? state.waiting.length : nextTurn);
          const rest = this.applier.applyAll(batch);
          state.waiting.unshift(...rest);
          await this.store(state.inFlight);
          state.inFlight = [];
        }
        state.waitingBytes = state.waiting.reduce((sum, { peer, update }) => sum + (peer ? update.byteLength : 0), 0);
        this.callbacks.batchStored();
        // Updates that other sockets brought meanwhile join the next batch.
        if (state.waiting.length > 0) await new Promise<void>((resolve) => room.world.soon(resolve));
      }
    } catch (error) {
      room.world.event('rebuild', { room: room.name, why: String(error) });
      room.drop('not stored', close.restart);
    }
    state.committing = false;
    if (!room.dropped) this.callbacks.allStored();
    this.callbacks.batchStored();
  }

  private async store(entries: readonly Entry[]): Promise<void> {
    const { room, state } = this;
    const { world, name, generation } = room;
    const stretches = byAuthor(entries);
    const at = world.now();
    const rows = stretches.map((stretch) => ({
      room: name,
      generation,
      userId: stretch[0]?.userId ?? null,
      clientIds: [...new Set(stretch.flatMap((entry) => entry.clientIds))],
      bytes: packUpdates(stretch.map((entry) => entry.update)),
      at,
    }));
    let numbers: (number | null)[] = [];
    try {
      // One promise a row, but one batch: rows that are appended in the same turn travel together.
      if (rows.length > 0)
        numbers = await this.storing.untilStored(() => Promise.all(rows.map((row) => world.log.append(row))));
      if (numbers.includes(null)) throw new NotStored('another generation');
    } catch (error) {
      for (const entry of entries) entry.done?.reject(error);
      if (!numbers.includes(null)) throw error;
      room.drop('another generation', close.otherGeneration);
      return;
    }
    // Stored is stored, also when the room is dropped meanwhile: the next one reads it from the log.
    for (const entry of entries) entry.done?.resolve();
    if (room.dropped) return;
    for (const [i, stretch] of stretches.entries()) {
      const seq = numbers[i] ?? 0;
      await this.follower.catchUp(seq - 1);
      // A look into the log may have found the row there meanwhile.
      if (seq > state.seq) {
        for (const { inspected, update } of stretch) if (inspected) state.remember(seq, update, inspected);
        state.seq = seq;
      }
      world.publish(name, generation, seq, rows[i]?.bytes ?? emptyUpdate);
    }
    broadcast(room, entries, state.seq);
  }
}

/** The entries that change something, in stretches of one author each: each becomes a row under their name (L5). */
function byAuthor(entries: readonly Entry[]): Entry[][] {
  const stretches: Entry[][] = [];
  for (const entry of entries) {
    if (!entry.inspected) continue;
    const last = stretches.at(-1);
    if (last && last[0]?.userId === entry.userId) last.push(entry);
    else stretches.push([entry]);
  }
  return stretches;
}
