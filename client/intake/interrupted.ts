import type { PersonalKey } from '../device-keys.ts';
import type { Upload } from './upload.ts';

/** An upload that ended with its page. To resume it, the person has to choose the file again. */
interface Interrupted {
  /** The owner's id: another person in this browser must not see the name. */
  user: string;
  id: string;
  name: string;
  size: number;
  lastModified: number;
  sent: number;
  /** The last time it was under way; a recent one belongs to another tab. */
  at: number;
}

const key: PersonalKey = 'colloquy-upload';

/** Milliseconds after which no tab is sending it: a sending tab writes every second. */
const silence = 5000;

/** Milliseconds after which the server has deleted it. */
const longest = 86_400_000;

export function noteInterrupted(
  user: string,
  { id, file, progress }: Pick<Upload, 'id' | 'file' | 'progress'>,
  at = Date.now(),
): void {
  if (id === null) return;
  const { name, size, lastModified } = file;
  try {
    localStorage.setItem(
      key,
      JSON.stringify({ user, id, name, size, lastModified, sent: progress().sent, at } satisfies Interrupted),
    );
  } catch {
    // Storage refused: an interrupted upload starts again from the beginning.
  }
}

/** Removes the note of this upload alone; the stored one may be another tab's. */
export function forgetInterrupted(id: string | null): void {
  try {
    if (id !== null && noted()?.id === id) localStorage.removeItem(key);
  } catch {
    // Storage refused: nothing to remove.
  }
}

/** The upload this person can resume: not another person's, and not one that another tab is sending. */
export function interruptedUpload(user: string, now = Date.now()): Interrupted | null {
  const found = noted();
  if (!found || found.user !== user) return null;
  const still = now - found.at;
  return still > silence && still < longest ? found : null;
}

function noted(): Interrupted | null {
  try {
    const found = JSON.parse(localStorage.getItem(key) ?? 'null') as Partial<Interrupted> | null;
    const { user, id, name } = found ?? {};
    const { size = Number.NaN, lastModified = Number.NaN, sent = Number.NaN, at = Number.NaN } = found ?? {};
    if (typeof user !== 'string' || typeof id !== 'string' || typeof name !== 'string') return null;
    if (![size, lastModified, sent, at].every(Number.isFinite)) return null;
    return { user, id, name, size, lastModified, sent, at };
  } catch {
    return null;
  }
}

/** Best guess from name, size and date; the digests of the parts decide. */
export const isSameFile = (one: Interrupted, { name, size, lastModified }: File): boolean =>
  one.name === name && one.size === size && one.lastModified === lastModified;
