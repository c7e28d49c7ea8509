import { atom } from 'jotai';

import type { Part } from '#shared/reviews/listened.ts';

/** A line below the wave: what one person, or several together, listened to. */
export interface HeardLine {
  key: string;
  /** Colour of a person, 1 to 5; null: this person's own; 0: others together. */
  voice: number | null;
  /** Milliseconds, in order. */
  parts: readonly Part[];
}

/** Lines that are shown, of which a page on a higher floor knows. */
export const heardLinesAtom = atom<readonly HeardLine[]>([]);

/** Height of a line with the space below it, in pixels. */
export const heardLine = 3;
