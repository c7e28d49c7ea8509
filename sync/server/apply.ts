import * as Y from 'yjs';
import { wordRoots } from '#shared/meetings/document.ts';
import { close, tooMuchWork } from '../protocol.ts';
import type { RoomContext } from './context.ts';
import type { RoomDocument } from './document.ts';
import { advance, place } from './gate.ts';
import { Refused, type Inspected } from './inspect.ts';
import { refuse } from './refuse.ts';
import type { Entry, RoomState } from './state.ts';
import { NotStored } from './storing.ts';
import { joinCut, tryUpdate } from './trial.ts';

/** Outcome for some entries. `good`: how many the document took. */
interface Applied {
  good: number;
  /** Refusal of the next one; null where it did not come to that. */
  wrong: Refused | null;
  /** Whether the document is changed in part by what it did not take. */
  broken: boolean;
  /** Whether Yjs failed at the transaction's end, where the entry at fault does not show. */
  atEnd: boolean;
}

/** Applies to the built document what is about to be stored; what the document cannot take goes no further (G14, G15). */
export class Applier {
  private readonly room: RoomContext;
  private readonly state: RoomState;
  private readonly document: RoomDocument;
  /** Work that may still be done in this turn of the event loop. */
  private left = 0;

  constructor(room: RoomContext, state: RoomState, document: RoomDocument) {
    this.room = room;
    this.state = state;
    this.document = document;
  }

  /** Puts in flight all entries of the batch that the document took; returns those that are too much for one turn. */
  applyAll(batch: readonly Entry[]): Entry[] {
    const { inFlight } = this.state;
    this.left = this.room.limits.turnWork;
    let rest = [...batch];
    for (let together = rest.length; this.mayGoOn(rest);) {
      const some = rest.slice(0, together);
      const { good, wrong, broken, atEnd } = this.apply(some);
      if (wrong === null) {
        inFlight.push(...some.slice(0, good));
        rest = rest.slice(good);
      } else if (atEnd && some.length > 1) {
        // Applied one by one, the entry at fault shows.
        this.document.forget();
        for (const entry of rest) entry.applied = false;
        together = 1;
      } else {
        const [bad, ...others] = rest.slice(good) as [Entry, ...Entry[]];
        inFlight.push(...some.slice(0, good));
        if (broken) this.document.forget();
        rest = this.without(bad, wrong, others, broken);
      }
    }
    return rest;
  }

  /** A document that was forgotten may first have to be looked at by a thread. */
  private mayGoOn(rest: readonly Entry[]): boolean {
    return rest.length > 0 && this.left > 0 && !this.room.dropped && this.document.isReady;
  }

  /** Applies in one transaction, as its end costs Yjs more than a keystroke, until the work of a turn is done. */
  private apply(entries: readonly Entry[]): Applied {
    if (!entries.some(({ inspected, applied }) => inspected && !applied))
      return { good: entries.length, wrong: null, broken: false, atEnd: false };
    const doc = this.document.open();
    const idle: Entry[] = [];
    let good = 0;
    let wrong: Refused | null = null;
    let broken = false;
    let atEnd = false;
    try {
      // Nothing listens to `update` here: for a listener, Yjs would encode every update a second time.
      doc.transact((transaction) => {
        for (const entry of entries) {
          if (this.left <= 0) break;
          if (entry.inspected && !entry.applied) {
            wrong = this.trial(transaction, entry, entry.inspected);
            if (wrong !== null) break;
            broken = true;
            if (!this.applyOne(transaction, entry.update, entry.inspected)) idle.push(entry);
            broken = false;
          }
          good += 1;
        }
        atEnd = true;
        joinCut(transaction);
      });
      atEnd = false;
    } catch (error) {
      if (atEnd) good = 0;
      // The one at fault among several shows when they are applied one by one.
      if (!atEnd || entries.length === 1) {
        const user = entries[good]?.userId;
        this.room.world.event('poison', { room: this.room.name, user, why: (error as Error).name });
      }
      wrong = new Refused('the document cannot take this', 'poison');
      broken = true;
    }
    // Peers that come back repeat all deletions they know: what changed nothing is not stored.
    if (!atEnd) for (const entry of idle) entry.inspected = null;
    return { good, wrong, broken, atEnd };
  }

  /** Refusal of an entry by the document; null if it takes it. The document is as before. */
  private trial(transaction: Y.Transaction, { peer, update }: Entry, inspected: Inspected): Refused | null {
    const { part, limits } = this.room;
    try {
      const { all, extra } = tryUpdate(part, transaction, update, inspected, {
        most: peer ? limits.work : Infinity,
        only: peer?.wordsOnly && part === 'transcript' ? wordRoots : null,
      });
      this.left -= all;
      if (peer?.affords?.(extra) === false) throw new Refused(tooMuchWork, 'work');
      return null;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.left -= error.reason === 'work' ? limits.work : inspected.structs;
      return error;
    }
  }

  /** Returns whether the document has changed. */
  private applyOne(transaction: Y.Transaction, update: Uint8Array, { ranges, deletes }: Inspected): boolean {
    const { doc, deleteSet } = transaction;
    const { store } = doc;
    const before = [...ranges.keys()].map((client): [number, number] => [client, Y.getState(store, client)]);
    const deletions = () => [...deletes.keys()].reduce((n, c) => n + (deleteSet.clients.get(c)?.length ?? 0), 0);
    const deletedBefore = deletions();
    Y.applyUpdate(doc, update);
    if (store.pendingStructs || store.pendingDs) throw new Error('it left something pending');
    return before.some(([client, clock]) => Y.getState(store, client) > clock) || deletions() > deletedBefore;
  }

  /**
   * The entries of `rest` that do not hang on a bad one. A document that is broken is built anew of what is stored and what
   * was good. The sender of the bad entry is closed; only an attacker can hang on it, as it was never passed on.
   */
  private without(bad: Entry, wrong: Refused, rest: readonly Entry[], broken: boolean): Entry[] {
    const { room, state } = this;
    state.accepted = new Map(state.durable);
    for (const { inspected } of state.inFlight) if (inspected) advance(state.accepted, inspected);
    const stays = (entry: Entry): boolean => {
      if (entry.peer && entry.peer === bad.peer) return false;
      if (broken) entry.applied = false;
      if (!entry.inspected) return true;
      const { verdict } = place(state.accepted, entry.inspected);
      if (verdict === 'new' || verdict === 'known') {
        advance(state.accepted, entry.inspected);
        return true;
      }
      entry.done?.reject(new NotStored(wrong.message));
      entry.peer?.close(close.restart, 'what it hangs on was refused');
      return false;
    };
    const staying = rest.filter(stays);
    state.waiting = state.waiting.filter(stays);
    bad.done?.reject(wrong);
    if (bad.peer) refuse(room, bad.peer, wrong);
    return staying;
  }
}
