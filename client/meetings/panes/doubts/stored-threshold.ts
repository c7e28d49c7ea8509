import { atom } from 'jotai';

import type { HabitKey } from '../../../device-keys.ts';

// The threshold is a personal choice, so it is stored in the browser.

/** Confidences below which a word is highlighted; 0 highlights none. */
export const thresholds = { none: 0, worst: 0.4, usual: 0.6, more: 0.8 } as const;
type Threshold = keyof typeof thresholds;
export const thresholdNames = Object.keys(thresholds) as Threshold[];

const storageKey: HabitKey = 'colloquy-doubts';

export const thresholdOf = (text: string | null): Threshold => thresholdNames.find((name) => name === text) ?? 'usual';

function load(): Threshold {
  try {
    return thresholdOf(localStorage.getItem(storageKey));
  } catch {
    return 'usual';
  }
}

const current = atom<Threshold | null>(null);

export const thresholdAtom = atom(
  (get) => get(current) ?? load(),
  (_get, set, threshold: Threshold) => {
    set(current, threshold);
    try {
      localStorage.setItem(storageKey, threshold);
    } catch {
      // Storage refused: the choice lasts as long as the page.
    }
  },
);
