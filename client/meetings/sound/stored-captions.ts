import { atom } from 'jotai';

import type { HabitKey } from '../../device-keys.ts';
import { browserStore } from './browser-store.ts';

const storageKey: HabitKey = 'colloquy-captions';

function load(): boolean {
  try {
    return browserStore.getItem(storageKey) === 'on';
  } catch {
    return false;
  }
}

const current = atom<boolean | null>(null);

/** Whether videos have captions: stored in this browser, for all recordings, wherever the picture is shown. */
export const captionsAtom = atom(
  (get) => get(current) ?? load(),
  (_get, set, on: boolean) => {
    set(current, on);
    try {
      browserStore.setItem(storageKey, on ? 'on' : 'off');
    } catch {
      // Storage refused: the choice lasts as long as the page.
    }
  },
);
