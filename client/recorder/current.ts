import { atom } from 'jotai';

import { reportOnlyHereAtom } from '../store.ts';
import type { LiveRecorder } from './recorder.ts';

const running = atom<LiveRecorder | null>(null);

/** The recorder of this tab. It outlasts every screen; closing the tab is confirmed first. */
export const recorderAtom = atom(
  (get) => get(running),
  (_get, set, recorder: LiveRecorder | null) => {
    set(running, recorder);
    set(reportOnlyHereAtom, 'recorder', recorder ? 1 : 0);
  },
);

/** Whether the dialog that begins a recording is open. */
export const recordDialogAtom = atom(false);
