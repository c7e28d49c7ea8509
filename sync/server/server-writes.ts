import type * as Y from 'yjs';
import type { Next } from '#db/answers.ts';
import type { PendingRow } from '#db/updates.ts';
import { close, packUpdates } from '../protocol.ts';
import { broadcast } from './broadcast.ts';
import type { Committer } from './commit.ts';
import type { RoomContext } from './context.ts';
import { DocumentFull, type RoomDocument } from './document.ts';
import type { Follower } from './follow.ts';
import { advance } from './gate.ts';
import { Refused, inspect, ofTheHouse, type Inspected } from './inspect.ts';
import { clocksBefore, misfit } from './shape.ts';
import { nothingToStore, type Entry, type RoomState } from './state.ts';
import { NotStored, type Storing } from './storing.ts';

/** Other processes that are always quicker write more than any number of people type. */
const mostTurns = 50;

/** The caller's `store` did not take the change; nothing has changed. */
export class NotTaken extends Error {
  override name = 'NotTaken';
}

/** The author of a server's write, and the origin its transaction carries. */
export interface WrittenBy {
  userId: string | null;
  origin: string;
}

/** Stores the row only if the log still ends with row `after`. */
export type StoreNext<T> = (row: PendingRow, after: number, result: T) => Promise<Next>;

interface Parts {
  document: RoomDocument;
  storing: Storing;
  follower: Follower;
  committer: Committer;
}

interface Change {
  update: Uint8Array;
  inspected: Inspected;
  /** Also ids of content the work took over from elsewhere: the log tells by them who wrote what. */
  clientIds: readonly number[];
}

interface Prepared<T> {
  result: T;
  change: Change | null;
}

/** A change that was made and judged elsewhere, of the pieces that are stored. */
export type MadeApart = Pick<Change, 'update' | 'inspected'>;

/** Writes of the server itself: queued with those of peers and stored like them (R8, R10). */
export class ServerWrites {
  private readonly room: RoomContext;
  private readonly state: RoomState;
  private readonly parts: Parts;

  constructor(room: RoomContext, state: RoomState, parts: Parts) {
    this.room = room;
    this.state = state;
    this.parts = parts;
  }

  /** Resolves with what `work` returned, once that is durable and passed on. Where `work` throws, nothing has changed. */
  change<T>(by: WrittenBy, work: (doc: Y.Doc) => T): Promise<T> {
    try {
      this.checkOpen();
      const wait = this.parts.document.prepare();
      if (wait) return wait.then(() => this.change(by, work));
      const { result, change } = this.make(by.origin, work);
      if (!change) return this.parts.committer.settled().then(() => result);
      return new Promise((resolve, reject) => {
        this.parts.committer.enqueue({
          ...serverEntry(by, change),
          done: { resolve: () => resolve(result), reject },
        });
      });
    } catch (error) {
      return Promise.reject(error instanceof Error ? error : new Error(String(error)));
    }
  }

  /** See `Room.changeNext`. */
  changeNext<T>(
    by: WrittenBy,
    work: (doc: Y.Doc, seq: number) => T,
    store: StoreNext<T>,
  ): Promise<{ result: T; seq: number }> {
    return this.inTurn(by, (after) => this.make(by.origin, (doc) => work(doc, after)), store);
  }

  /** See `Room.changeApart`. */
  changeApart(
    by: WrittenBy,
    make: (pieces: readonly Uint8Array[]) => Promise<MadeApart | null>,
    store: StoreNext<null>,
  ): Promise<{ seq: number }> {
    const { state } = this;
    const { document } = this.parts;
    const prepare = async (): Promise<Prepared<null>> => {
      const made = await make(document.pieces);
      if (!made) return { result: null, change: null };
      const brings = made.inspected.ranges.size > 0;
      if (state.isFull(made.update.byteLength, made.inspected, brings)) throw new DocumentFull();
      // The built document lacks the change; the next one to need it builds it with what is on its way to the disk.
      document.forget();
      return { result: null, change: { ...made, clientIds: [...made.inspected.ranges.keys()] } };
    };
    return this.inTurn(by, prepare, store, true);
  }

  private inTurn<T>(
    by: WrittenBy,
    prepare: (after: number) => Prepared<T> | Promise<Prepared<T>>,
    store: StoreNext<T>,
    apart = false,
  ): Promise<{ result: T; seq: number }> {
    return new Promise((resolve, reject) => {
      this.checkOpen();
      this.parts.committer.enqueue({
        ...nothingToStore,
        turn: () => this.takeTurn(by, prepare, store, apart).then(resolve, reject),
        done: { resolve: () => {}, reject },
      });
    });
  }

  private checkOpen(): void {
    if (this.room.damage) throw this.room.damage;
    if (this.room.dropped) throw new NotStored('the room is gone');
  }

  private async takeTurn<T>(
    by: WrittenBy,
    prepare: (after: number) => Prepared<T> | Promise<Prepared<T>>,
    store: StoreNext<T>,
    apart: boolean,
  ): Promise<{ result: T; seq: number }> {
    const { room, state } = this;
    const { document, follower } = this.parts;
    for (let turns = 0; turns < mostTurns && !room.dropped; turns += 1) {
      for (let wait: Promise<void> | null = null; ; await wait) {
        // Other writes of the server are stored behind this one, so it must not hang on them.
        if (state.hasUnstoredServerWrites) document.forget();
        wait = apart ? document.prepareAnew() : document.prepare();
        if (!wait) break;
      }
      if (room.dropped) break;
      const after = state.seq;
      const prepared = prepare(after);
      // Without a pause where there is none: what is in the document already is not on its way to the disk yet.
      const { result, change } = prepared instanceof Promise ? await prepared : prepared;
      if (room.dropped) break;
      if (!change) return { result, seq: after };
      const stored = await this.storeNext(by, change, (row) => store(row, after, result));
      if (typeof stored === 'number') return { result, seq: stored };
      if (stored === 'gone') {
        room.drop('another generation', close.otherGeneration);
        break;
      }
      document.forget();
      if (stored === 'refused') throw new NotTaken();
      await follower.catchUp(await room.world.lastSeq(room.name));
    }
    throw new NotStored(room.dropped ? 'the room is gone' : 'others were always quicker');
  }

  /** Stores a change as a row of its own, and passes it on where that was done. */
  private async storeNext(by: WrittenBy, change: Change, store: (row: PendingRow) => Promise<Next>): Promise<Next> {
    const { room, state } = this;
    const { name, generation, world } = room;
    const { update, inspected, clientIds } = change;
    const bytes = packUpdates([update]);
    const row = { room: name, generation, userId: by.userId, clientIds: [...clientIds], bytes, at: world.now() };
    const entry = serverEntry(by, change);
    state.inFlight = [entry];
    let stored: Next;
    try {
      stored = await this.parts.storing.untilStored(() => store(row));
    } catch (error) {
      // The row may be stored despite the error: only the log shows it.
      room.drop('not stored', close.restart);
      throw error;
    } finally {
      state.inFlight = [];
    }
    if (typeof stored !== 'number' || room.dropped) return stored;
    // A look into the log may have found the row there meanwhile.
    if (stored > state.seq) {
      state.remember(stored, update, inspected);
      advance(state.accepted, inspected);
      state.seq = stored;
    }
    world.publish(name, generation, stored, bytes);
    broadcast(room, [entry], state.seq);
    return stored;
  }

  /** Runs `work` on the document. Where it fails half-way, or misshapes the document, that is built anew. */
  private make<T>(origin: string, work: (doc: Y.Doc) => T): Prepared<T> {
    const { document } = this.parts;
    const doc = document.open();
    const updates: Uint8Array[] = [];
    let wrong: string | null = null;
    const collect = (update: Uint8Array) => updates.push(update);
    const check = (transaction: Y.Transaction) =>
      (wrong ??= misfit(this.room.part, doc.store, clocksBefore(transaction)));
    doc.on('update', collect);
    doc.on('afterTransaction', check);
    let done = false;
    try {
      const result = doc.transact(() => work(doc), origin);
      if (wrong !== null) throw new Refused(wrong);
      done = true;
      const [update] = updates;
      return { result, change: update ? this.changeOf(update, doc.clientID) : null };
    } finally {
      doc.off('update', collect);
      doc.off('afterTransaction', check);
      if (!done && updates.length > 0) document.forget();
    }
  }

  private changeOf(update: Uint8Array, clientId: number): Change {
    try {
      const inspected = inspect(update, ofTheHouse);
      if (this.state.isFull(update.byteLength, inspected, inspected.ranges.size > 0)) throw new DocumentFull();
      return { update, inspected, clientIds: [...new Set([clientId, ...inspected.ranges.keys()])] };
    } catch (error) {
      this.parts.document.forget();
      throw error;
    }
  }
}

const serverEntry = ({ userId }: WrittenBy, { update, inspected, clientIds }: Change): Entry => ({
  peer: null,
  nth: 0,
  userId,
  update,
  inspected,
  clientIds,
  applied: true,
});
