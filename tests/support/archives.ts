import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ZipReader } from '#server/archive/read-zip.ts';
import type { ArchiveInput, ArchiveView } from '#shared/archives.ts';
import type { Person } from './people.ts';

/** Makes an archive and waits until it is ready, or has failed. */
export async function archived(person: Person, asked: ArchiveInput): Promise<ArchiveView> {
  const { status, body, text } = await person.post('/api/archives', asked);
  if (status !== 200) throw new Error(text);
  return ended(person, body.id);
}

export async function ended(person: Person, id: string): Promise<ArchiveView> {
  for (;;) {
    const { archives } = (await person.get('/api/archives')).body as { archives: ArchiveView[] };
    const one = archives.find((archive) => archive.id === id);
    if (!one) throw new Error('the archive is gone');
    if (one.state !== 'waiting') return one;
    await pause(50);
  }
}

/** Reads the zip of an archive. */
export async function inArchive<T>(bytes: Uint8Array, work: (zip: ZipReader, path: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'colloquy-archive-'));
  const path = join(folder, 'archive.zip');
  try {
    await writeFile(path, bytes);
    const file = await open(path, 'r');
    try {
      return await work(await ZipReader.open(file), path);
    } finally {
      await file.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
