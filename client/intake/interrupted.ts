import type { Upload } from './upload.ts';

/** An upload that a page began and did not end; the file itself only its owner can give again. */
export interface Interrupted {
  /** Whose it is: somebody else at this browser does not read what it is called. */
  user: string;
  id: string;
  name: string;
  size: number;
  lastModified: number;
  sent: number;
  /** When it was still under way: a page beside this one may be sending it. */
  at: number;
}

const key = 'colloquy-upload';

/** A page that sends one says so every second. */
const silence = 5000;

/** The server has cleared it away by then. */
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
    // Without it, an interrupted upload begins anew.
  }
}

/** That one alone: another page, or the one before, may have noted its own. */
export function forgetInterrupted(id: string | null): void {
  try {
    if (id !== null && noted()?.id === id) localStorage.removeItem(key);
  } catch {
    // Storage refused: nothing to remove.
  }
}

/** What somebody can go on with: nothing of anybody else's, and nothing that a page beside this one is sending. */
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

/** As far as a page can tell; the digests of the parts tell the rest. */
export const isSameFile = (one: Interrupted, { name, size, lastModified }: File): boolean =>
  one.name === name && one.size === size && one.lastModified === lastModified;
