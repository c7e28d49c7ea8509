import { atom } from 'jotai';

import type { KeptKey } from '../device-keys.ts';
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

const noteKey: KeptKey = 'colloquy-unsent-sound';

/** Notes that this person's sound may be left in this browser, so that nothing else is loaded to find out. */
export function noteUnsent(user: string, unsent: boolean): void {
  try {
    const noted = new Set(notedUsers());
    if (unsent) noted.add(user);
    else noted.delete(user);
    if (noted.size > 0) localStorage.setItem(noteKey, JSON.stringify([...noted]));
    else localStorage.removeItem(noteKey);
  } catch {
    // Storage refused: nothing is left in this browser.
  }
}

export const mayHaveUnsent = (user: string): boolean => notedUsers().includes(user);

function notedUsers(): string[] {
  try {
    const noted: unknown = JSON.parse(localStorage.getItem(noteKey) ?? '[]');
    return Array.isArray(noted) ? noted.filter((one) => typeof one === 'string') : [];
  } catch {
    return [];
  }
}
