import type { Store } from './browser-store.ts';

// Where somebody stopped listening, kept in this browser.

interface Place {
  /** Milliseconds into the recording. */
  ms: number;
  /** When it was kept. */
  at: number;
}

const keyOf = (userId: string) => `colloquy-places:${userId}`;
const mostPlaces = 200;
/** Nobody has begun yet, or everything has been heard. */
const edge = 5_000;

function places(store: Store, userId: string): Record<string, Place> {
  try {
    const kept: unknown = JSON.parse(store.getItem(keyOf(userId)) ?? '{}');
    if (typeof kept !== 'object' || kept === null) return {};
    return Object.fromEntries(Object.entries(kept).filter((entry): entry is [string, Place] => isPlace(entry[1])));
  } catch {
    return {};
  }
}

const isPlace = (value: unknown): value is Place =>
  typeof value === 'object' &&
  value !== null &&
  Number.isFinite(Reflect.get(value, 'ms')) &&
  Number.isFinite(Reflect.get(value, 'at'));

export const storedPosition = (store: Store, userId: string, meeting: string): number | null =>
  places(store, userId)[meeting]?.ms ?? null;

export function storePosition(
  store: Store,
  userId: string,
  meeting: string,
  ms: number,
  duration: number | null,
  now: number,
): void {
  const { [meeting]: _before, ...others } = places(store, userId);
  const worth = ms >= edge && (duration === null || ms <= duration - edge);
  const kept = Object.entries(worth ? { ...others, [meeting]: { ms: Math.round(ms), at: now } } : others);
  kept.sort(([, one], [, other]) => other.at - one.at);
  try {
    store.setItem(keyOf(userId), JSON.stringify(Object.fromEntries(kept.slice(0, mostPlaces))));
  } catch {
    // Storage full or refused: next time it begins at the beginning.
  }
}
