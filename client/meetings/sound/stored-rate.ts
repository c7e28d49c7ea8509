import type { HabitKey } from '../../device-keys.ts';
import type { Store } from './browser-store.ts';

const key: HabitKey = 'colloquy-rate';

/** Playback rate is a habit: stored in this browser, for all recordings. */
export function storedRate(store: Store): number {
  try {
    const kept = Number(store.getItem(key));
    return Number.isFinite(kept) && kept > 0 ? kept : 1;
  } catch {
    return 1;
  }
}

export function storeRate(store: Store, rate: number): void {
  try {
    store.setItem(key, String(rate));
  } catch {
    // Storage refused: the rate lasts as long as the page.
  }
}
