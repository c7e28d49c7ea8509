import { atom } from 'jotai';

import type { HabitKey } from '../device-keys.ts';

export type TourId = 'home' | 'library' | 'recording';

/** The tour on the page, with its step, and those that follow it. */
export const tourAtom = atom<{ id: TourId; step: number; next: readonly TourId[] } | null>(null);

interface Step {
  id: string;
  /** Finds what the step points at; a step without it is passed over. */
  target: string;
}

export const tours = {
  home: [
    { id: 'add', target: '[data-tour="add"]' },
    { id: 'first', target: '[data-tour="first"]' },
    { id: 'places', target: '[data-tour="places"]' },
    { id: 'account', target: '[data-tour="account"]' },
  ],
  library: [
    { id: 'row', target: 'tr[data-link], [data-tour="row"]' },
    { id: 'search', target: '[data-tour="search"]' },
    { id: 'filters', target: '[data-tour="filters"]' },
    { id: 'many', target: '[data-tour="many"]' },
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

/** Steps of a tour whose target is on the page, by their position; the others are passed over. */
export const stepsHere = (id: TourId): number[] =>
  [...tours[id].keys()].filter((nth) => findTarget(tours[id][nth]?.target ?? '') !== null);

/** The target of a step: its first match on screen, else its first match. */
export function findTarget(target: string): Element | null {
  const all = [...document.querySelectorAll(target)].filter((one) => one.getClientRects().length > 0);
  return all.find((one) => one.getBoundingClientRect().top >= 0) ?? all[0] ?? null;
}
