import { atom } from 'jotai';

import type { VersionView } from '#shared/meetings/history.ts';

/** Version that is looked at; of the newest one nothing has changed since. */
export type PastVersion = VersionView & { newest: boolean };

/** Version shown instead of the current transcript. */
export const pastAtom = atom<PastVersion | null>(null);

/** Root key of all version queries of a recording; invalidating it fetches the newest. */
export const versionsKey = (meeting: string) => ['meeting', meeting, 'versions'] as const;
