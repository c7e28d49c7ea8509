import { atom } from 'jotai';

import type { ServiceId } from '#shared/meeting-services.ts';

/**
 * Whether somebody is adding a recording, and what it began with: a file that was dropped, or a service one has just come
 * back from.
 */
export const addingAtom = atom<{ file: File | null; from?: ServiceId } | null>(null);
