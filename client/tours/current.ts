import { atom } from 'jotai';

import type { HabitKey } from '../device-keys.ts';

export type TourId = 'library' | 'recording';

/** The tour on the page, with its step. */
export const tourAtom = atom<{ id: TourId; step: number } | null>(null);

interface Step {
  id: string;
  /** Finds what the step points at; a step without it is passed over. */
  target: string;
}

export const tours = {
  library: [
    { id: 'add', target: '[data-tour="add"]' },
    { id: 'row', target: 'tr[data-link]' },
    { id: 'search', target: '[data-tour="search"]' },
    { id: 'places', target: '[data-tour="places"]' },
  ],
  recording: [
    { id: 'text', target: '[data-tour="text"] .ProseMirror > *' },
    { id: 'player', target: '[data-tour="player"]' },
    { id: 'panes', target: '[data-rail]' },
    { id: 'share', target: '[data-tour="share"]' },
  ],
} as const satisfies Record<TourId, readonly Step[]>;

const keyOf = (id: TourId): HabitKey => `colloquy-tour-${id}`;

/** The step at which somebody left a tour, for the next time. */
export function stepLeft(id: TourId): number {
  try {
    const step = Number(localStorage.getItem(keyOf(id)) ?? 0);
    return Number.isInteger(step) && step > 0 && step < tours[id].length ? step : 0;
  } catch {
    return 0;
  }
}

export function keepStep(id: TourId, step: number): void {
  try {
    if (step === 0) localStorage.removeItem(keyOf(id));
    else localStorage.setItem(keyOf(id), String(step));
  } catch {
    // Without storage a tour begins anew.
  }
}
