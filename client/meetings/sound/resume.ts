import type { PersonalKey } from '../../device-keys.ts';
import type { Store } from './browser-store.ts';

// Position at which a person stopped listening, stored in this browser.

interface Position {
  /** Milliseconds into the recording. */
  ms: number;
  /** Time of storing. */
  at: number;
}

const keyOf = (userId: string): PersonalKey => `colloquy-places:${userId}`;
const mostPositions = 200;
/** Positions this close to the start or end are not stored. */
const edge = 5_000;

function positions(store: Store, userId: string): Record<string, Position> {
  try {
    const stored: unknown = JSON.parse(store.getItem(keyOf(userId)) ?? '{}');
    if (typeof stored !== 'object' || stored === null) return {};
    return Object.fromEntries(
      Object.entries(stored).filter((entry): entry is [string, Position] => isPosition(entry[1])),
    );
  } catch {
    return {};
  }
}

const isPosition = (value: unknown): value is Position =>
  typeof value === 'object' &&
  value !== null &&
  Number.isFinite(Reflect.get(value, 'ms')) &&
  Number.isFinite(Reflect.get(value, 'at'));

export const storedPosition = (store: Store, userId: string, meeting: string): number | null =>
  positions(store, userId)[meeting]?.ms ?? null;

export function storePosition(
  store: Store,
  userId: string,
  meeting: string,
  ms: number,
  duration: number | null,
  now: number,
): void {
  const { [meeting]: _before, ...others } = positions(store, userId);
  const worth = ms >= edge && (duration === null || ms <= duration - edge);
  const stored = Object.entries(worth ? { ...others, [meeting]: { ms: Math.round(ms), at: now } } : others);
  stored.sort(([, one], [, other]) => other.at - one.at);
  try {
    store.setItem(keyOf(userId), JSON.stringify(Object.fromEntries(stored.slice(0, mostPositions))));
  } catch {
    // Storage full or refused: next time, playback starts at the beginning.
  }
}
