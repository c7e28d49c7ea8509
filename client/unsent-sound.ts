import type { KeptKey } from './device-keys.ts';

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

/** Whether this browser may have unsent sound of anybody else. */
export const soundOfOthers = (user: string): boolean => notedUsers().some((one) => one !== user);

function notedUsers(): string[] {
  try {
    const noted: unknown = JSON.parse(localStorage.getItem(noteKey) ?? '[]');
    return Array.isArray(noted) ? noted.filter((one) => typeof one === 'string') : [];
  } catch {
    return [];
  }
}

/** A database for each person: nobody else who signs in on this browser reads or sends it, and signing out keeps it. */
export const soundDatabaseOf = (user: string) => `colloquy-sound-${user}`;

/** Drops all sound of a person in this browser, as soon as no tab uses it. */
export const dropSound = (user: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase(soundDatabaseOf(user));
    request.addEventListener('success', () => resolve());
    request.addEventListener('blocked', () => resolve());
    request.addEventListener('error', () => reject(request.error ?? new Error('the sound cannot be dropped')));
  });
