import { atom } from 'jotai';

import type { VersionView } from '#shared/meetings/history.ts';

/** Version shown instead of the current transcript. */
export const pastAtom = atom<VersionView | null>(null);

/** Root key of all version queries of a recording; invalidating it fetches the newest. */
export const versionsKey = (meeting: string) => ['meeting', meeting, 'versions'] as const;
