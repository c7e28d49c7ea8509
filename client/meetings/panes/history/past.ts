import { atom } from 'jotai';

import type { VersionView } from '#shared/meetings/history.ts';

/** The version that is read in the place of the text as it is now. */
export const pastAtom = atom<VersionView | null>(null);

/** All that the page keeps of a recording's versions; what is new is asked for again by it. */
export const versionsKey = (meeting: string) => ['meeting', meeting, 'versions'] as const;
