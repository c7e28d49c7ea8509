import type { Api } from '../api.ts';
import { keepHabits, mayHaveSound } from '../device-keys.ts';
import { forgetSession } from '../session.ts';

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

/** Whether the answer must not empty this browser: it has changes or sound, of anybody, that no server has. */
async function mustKeep(userId: string | null): Promise<boolean> {
  try {
    if (mayHaveSound(localStorage)) return true;
    const { peopleWithCopies } = await import('#sync/client/copies.ts');
    // A browser that does not list its databases answers for the person who leaves.
    const people = new Set(await peopleWithCopies().catch(() => []));
    if (userId !== null) people.add(userId);
    for (const id of people) if ((await unsentOf(id)) > 0) return true;
  } catch {
    // Storage refused: nothing was stored.
  }
  return false;
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

/** Ends the session, and deletes in this browser what belongs to the person and is on the server. */
export async function logOutHere(api: Api, userId: string | null): Promise<void> {
  const keep = await mustKeep(userId);
  const restoreHabits = readHabits();
  await api.logout.$post({}, keep ? { headers: { 'Colloquy-Keep': 'unsent' } } : {});
  forgetSession();
  await tidyUp(userId, restoreHabits);
}
