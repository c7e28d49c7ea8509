import type { Ended } from './provider.ts';

/** The state of one document's connection; times are milliseconds of one clock that only grows. */
export interface RoomState {
  connected: boolean;
  /** Time `connected` last changed. */
  since: number;
  ended: Ended | null;
  canWrite: boolean;
  /** Changes made here that are not known to be durable, and when the oldest was made. */
  pending: number;
  waitingSince: number | null;
  /** Those of them that the browser has not stored yet. */
  unstored: number;
  notStored: boolean;
  keptHere: boolean;
  savedAt: number | null;
}

export type ChipKind = 'saved' | 'saving' | 'offline' | 'notKept';

export interface ChipState {
  kind: ChipKind;
  pending: number;
  /** Pending changes that survive closing the page. */
  stored: number;
  /** The latest confirmation of all. */
  savedAt: number | null;
  keptHere: boolean;
  /** After so many milliseconds it may change although nothing happened; null: it does not. */
  again: number | null;
}

/** Saving that takes less is not shown. */
const quick = 400;
/** An interruption that takes less is not shown. */
const hiccup = 1500;
/** A server that confirms nothing for so long is not storing. */
const overdue = 5000;
const order: readonly ChipKind[] = ['saved', 'saving', 'offline', 'notKept'];

/** The state of the page: the worst state of its documents. */
export function chipOf(rooms: readonly RoomState[], now: number): ChipState {
  const judged = rooms.map((room) => judge(room, now));
  const times = judged.flatMap(({ again }) => (again === null ? [] : [again]));
  const saved = rooms.flatMap(({ savedAt }) => (savedAt === null ? [] : [savedAt]));
  return {
    kind: order[Math.max(0, ...judged.map(({ kind }) => order.indexOf(kind)))] ?? 'saved',
    pending: rooms.reduce((sum, { pending }) => sum + pending, 0),
    stored: rooms.reduce((sum, { pending, unstored }) => sum + Math.max(0, pending - unstored), 0),
    savedAt: saved.length > 0 ? Math.max(...saved) : null,
    keptHere: rooms.every(({ keptHere }) => keptHere),
    again: times.length > 0 ? Math.max(1, Math.min(...times)) : null,
  };
}

function judge(room: RoomState, now: number): { kind: ChipKind; again: number | null } {
  const { connected, ended, pending, keptHere } = room;
  const inState = now - room.since;
  if (pending === 0) {
    if (connected || ended) return { kind: 'saved', again: null };
    return inState < hiccup ? { kind: 'saved', again: hiccup - inState } : { kind: 'offline', again: null };
  }
  const safe: ChipKind = keptHere ? 'offline' : 'notKept';
  // After signing in again, or with a newer page, the changes will be sent; all other ends are final.
  if (ended) return { kind: ended === 'session' || ended === 'schema' ? safe : 'notKept', again: null };
  if (connected && !room.canWrite) return { kind: 'notKept', again: null };
  if (room.notStored) return { kind: safe, again: null };
  const waiting = now - Math.max(room.waitingSince ?? now, connected ? room.since : 0);
  const patience = connected ? overdue - waiting : hiccup - inState;
  if (patience <= 0) return { kind: safe, again: null };
  if (waiting < quick) return { kind: 'saved', again: Math.min(patience, quick - waiting) };
  return { kind: 'saving', again: patience };
}
