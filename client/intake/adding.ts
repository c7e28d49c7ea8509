import { atom } from 'jotai';

import type { ServiceId } from '#shared/meeting-services.ts';

/** The dialog is open; it may begin with a dropped file, or with the service whose login the person comes back from. */
export const addingAtom = atom<{ file: File | null; from?: ServiceId } | null>(null);
