import type { Api } from '../api.ts';
import { keepHabits, mayHaveSound } from '../device-keys.ts';
import { forgetSession } from '../session.ts';
import { dropSound, noteUnsent, soundOfOthers } from '../unsent-sound.ts';

/** Number of changes in this browser that no server has, also of closed pages. */
export async function unsentOf(userId: string): Promise<number> {
  try {
    const { unsentCopies } = await import('#sync/client/copies.ts');
    return (await unsentCopies(userId)).reduce((sum, { changes }) => sum + changes, 0);
  } catch {
    // Storage refused: nothing was stored.
    return 0;
  }
}

/** People with words in this browser that no server has; `self` counts also where the browser does not list anybody. */
async function peopleWithWords(self: string | null): Promise<string[]> {
  const { peopleWithCopies } = await import('#sync/client/copies.ts');
  const people = new Set(await peopleWithCopies().catch(() => []));
  if (self !== null) people.add(self);
  const found = [];
  for (const id of people) if ((await unsentOf(id)) > 0) found.push(id);
  return found;
}

/** Whether the answer must not empty this browser: it has changes or sound, of anybody, that no server has. */
async function mustKeep(userId: string | null): Promise<boolean> {
  try {
    return mayHaveSound(localStorage) || (await peopleWithWords(userId)).length > 0;
  } catch {
    // Storage refused: nothing was stored.
    return false;
  }
}

function readHabits(): () => void {
  try {
    return keepHabits(localStorage);
  } catch {
    // Storage refused: nothing was stored.
    return () => {};
  }
}

/** Clears this browser's storage, except for habits and for unsaved changes that wait for the same person. */
async function tidyUp(userId: string | null, restoreHabits: () => void): Promise<void> {
  try {
    restoreHabits();
    sessionStorage.clear();
    if (userId === null) return;
    const { dropSavedCopies } = await import('#sync/client/copies.ts');
    await dropSavedCopies(userId);
  } catch {
    // Storage refused: nothing was stored.
  }
}

/** Header that asks the server not to empty this browser, where the client does it itself. */
const keeping = { headers: { 'Colloquy-Keep': 'unsent' } };

/** Ends the session, and deletes in this browser what belongs to the person and is on the server. */
export async function logOutHere(api: Api, userId: string | null): Promise<void> {
  const keep = await mustKeep(userId);
  const restoreHabits = readHabits();
  await api.logout.$post({}, keep ? keeping : {});
  forgetSession();
  await tidyUp(userId, restoreHabits);
}

/**
 * Sends the deletion of the account, and deletes all of its person in this browser: nobody can ever send their words. What
 * other people have here that no server has stays.
 */
export async function leaveForGood(userId: string, send: (options: object) => Promise<unknown>): Promise<void> {
  const { dropCopies } = await import('#sync/client/copies.ts');
  let keep = false;
  try {
    keep = soundOfOthers(userId) || (await peopleWithWords(null)).some((id) => id !== userId);
  } catch {
    // Storage refused: nothing was stored.
  }
  const restoreHabits = readHabits();
  await send(keep ? keeping : {});
  forgetSession();
  try {
    restoreHabits();
    sessionStorage.clear();
    noteUnsent(userId, false);
    await Promise.all([dropCopies(userId), dropSound(userId)]);
  } catch {
    // Storage refused: nothing was stored.
  }
}
