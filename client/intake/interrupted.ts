import type { Upload } from './upload.ts';

/** An upload that a page began and did not end; the file itself only its owner can give again. */
export interface Interrupted {
  id: string;
  name: string;
  size: number;
  lastModified: number;
  sent: number;
  /** When it was still under way: a page beside this one may be sending it. */
  at: number;
}

const key = 'colloquy-upload';

export function noteInterrupted({ id, file, progress }: Upload): void {
  if (id === null) return;
  const { name, size, lastModified } = file;
  try {
    localStorage.setItem(
      key,
      JSON.stringify({ id, name, size, lastModified, sent: progress().sent, at: Date.now() } satisfies Interrupted),
    );
  } catch {
    // Without it, an interrupted upload begins anew.
  }
}

export function forgetInterrupted(): void {
  try {
    localStorage.removeItem(key);
  } catch {
    // Nothing was kept.
  }
}

export function interruptedUpload(): Interrupted | null {
  try {
    const found = JSON.parse(localStorage.getItem(key) ?? 'null') as Partial<Interrupted> | null;
    const { id, name, size = Number.NaN, lastModified = Number.NaN, sent = Number.NaN, at = Number.NaN } = found ?? {};
    if (typeof id !== 'string' || typeof name !== 'string' || ![size, lastModified, sent, at].every(Number.isFinite))
      return null;
    return { id, name, size, lastModified, sent, at };
  } catch {
    return null;
  }
}

/** As far as a page can tell; the digests of the parts tell the rest. */
export const isSameFile = (one: Interrupted, { name, size, lastModified }: File): boolean =>
  one.name === name && one.size === size && one.lastModified === lastModified;
