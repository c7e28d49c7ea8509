import * as Y from 'yjs';
import { close } from '../protocol.ts';
import type { RoomContext } from './context.ts';
import type { RoomDocument } from './document.ts';
import { advance, judge } from './gate.ts';
import { Refused, ofTheHouse, type Inspected } from './inspect.ts';
import { refuse } from './refuse.ts';
import { misfit } from './shape.ts';
import type { Entry, RoomState } from './state.ts';
import { NotStored } from './storing.ts';

const cannotTake = 'the document cannot take this';

/** Applies to the built document what is about to be stored; what the document cannot take goes no further (G14). */
export class Applier {
  private readonly room: RoomContext;
  private readonly state: RoomState;
  private readonly document: RoomDocument;

  constructor(room: RoomContext, state: RoomState, document: RoomDocument) {
    this.room = room;
    this.state = state;
    this.document = document;
  }

  /** Puts in flight all entries of the batch that the document took. */
  applyAll(batch: readonly Entry[]): void {
    const { inFlight } = this.state;
    let rest = [...batch];
    for (let together = rest.length; rest.length > 0 && !this.room.dropped;) {
      const some = rest.slice(0, together);
      const { good, wrong } = this.apply(some);
      if (wrong === null) {
        inFlight.push(...some);
        rest = rest.slice(some.length);
      } else if (good === some.length) {
        // The transaction failed at its end: applied one by one, the entry at fault shows.
        this.document.forget();
        for (const entry of rest) entry.applied = false;
        together = 1;
      } else {
        const [bad, ...others] = rest.slice(good) as [Entry, ...Entry[]];
        inFlight.push(...some.slice(0, good));
        rest = this.without(bad, wrong, others);
      }
    }
  }

  /** Applies in one transaction, as its end costs Yjs more than a keystroke. `good`: how many the document took. */
  private apply(entries: readonly Entry[]): { good: number; wrong: string | null } {
    if (!entries.some(({ inspected, applied }) => inspected && !applied)) return { good: entries.length, wrong: null };
    const doc = this.document.open();
    const idle: Entry[] = [];
    let good = 0;
    let wrong: string | null = null;
    try {
      // Nothing listens to `update` here: for a listener, Yjs would encode every update a second time.
      doc.transact((transaction) => {
        for (const entry of entries) {
          if (entry.inspected && !entry.applied) {
            const result = this.applyOne(transaction, entry.update, entry.inspected);
            wrong = result.wrong;
            if (wrong !== null) return;
            if (!result.changed) idle.push(entry);
          }
          good += 1;
        }
      });
    } catch (error) {
      const [only] = entries;
      if (entries.length === 1) good = 0;
      const user = good < entries.length ? (entries[good] ?? only)?.userId : null;
      this.room.world.event('poison', { room: this.room.name, user, why: (error as Error).name });
      wrong ??= cannotTake;
    }
    // Peers that come back repeat all deletions they know: what changed nothing is not stored.
    if (wrong === null || good < entries.length) for (const entry of idle) entry.inspected = null;
    return { good, wrong };
  }

  private applyOne(
    transaction: Y.Transaction,
    update: Uint8Array,
    { ranges, deletes }: Inspected,
  ): { changed: boolean; wrong: string | null } {
    const { doc, deleteSet } = transaction;
    const { store } = doc;
    const before = [...ranges.keys()].map((client): [number, number] => [client, Y.getState(store, client)]);
    const deletions = () => [...deletes.keys()].reduce((n, c) => n + (deleteSet.clients.get(c)?.length ?? 0), 0);
    const deletedBefore = deletions();
    Y.applyUpdate(doc, update);
    if (store.pendingStructs || store.pendingDs) return { changed: true, wrong: 'it left something pending' };
    const changed = before.some(([client, clock]) => Y.getState(store, client) > clock) || deletions() > deletedBefore;
    return { changed, wrong: misfit(this.room.part, store, before) };
  }

  /**
   * The entries of `rest` that do not hang on a bad one. The document, changed in part or wrongly, is built anew of what
   * is stored and what was good. The sender of the bad entry is closed; only an attacker can hang on it, as it was never
   * passed on.
   */
  private without(bad: Entry, why: string, rest: readonly Entry[]): Entry[] {
    const { room, state } = this;
    this.document.forget();
    state.accepted = new Map(state.durable);
    for (const { inspected } of state.inFlight) if (inspected) advance(state.accepted, inspected);
    const stays = (entry: Entry): boolean => {
      if (entry.peer && entry.peer === bad.peer) return false;
      entry.applied = false;
      if (!entry.inspected) return true;
      const { verdict } = judge(room.part, state.accepted, entry.update, entry.peer ? undefined : ofTheHouse);
      if (verdict === 'new' || verdict === 'known') {
        advance(state.accepted, entry.inspected);
        return true;
      }
      entry.done?.reject(new NotStored(why));
      entry.peer?.close(close.restart, 'what it hangs on was refused');
      return false;
    };
    const staying = rest.filter(stays);
    state.waiting = state.waiting.filter(stays);
    const refused = new Refused(why, why === cannotTake ? 'poison' : 'shape');
    bad.done?.reject(refused);
    if (bad.peer) refuse(room, bad.peer, refused);
    return staying;
  }
}
