import type { Store } from './browser-store.ts';

const key = 'colloquy-rate';

/** How fast somebody listens is a matter of habit: kept in this browser, for all recordings. */
export function keptRate(store: Store): number {
  try {
    const kept = Number(store.getItem(key));
    return Number.isFinite(kept) && kept > 0 ? kept : 1;
  } catch {
    return 1;
  }
}

export function keepRate(store: Store, rate: number): void {
  try {
    store.setItem(key, String(rate));
  } catch {
    // Storage refused: it lasts as long as the page.
  }
}
