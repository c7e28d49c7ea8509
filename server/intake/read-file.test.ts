// Damaged documents: each is read, or refused with the one defined error.
import { expect, test } from 'vitest';
import * as Y from 'yjs';
import { docxParts } from '#shared/formats/docx.ts';
import { chosenOf } from '#shared/formats/formats.ts';
import { readTranscript } from '#shared/formats/read.ts';
import { InvalidTranscript } from '#shared/formats/source.ts';
import { spokenDocument } from '#shared/formats/spoken.ts';
import { writeTranscript } from '#shared/formats/write.ts';
import { seedState } from '#shared/meetings/seed.ts';
import { zip } from '../export/zip.ts';
import { readFile } from './read-file.ts';

const mutants = 2000;

async function document(): Promise<Buffer> {
  const doc = new Y.Doc();
  const words = 'Thanks for joining. Shall we start?'.split(' ');
  Y.applyUpdate(
    doc,
    seedState({
      about: { title: 'Interview', lang: 'en-US' },
      speakers: [{ id: 'ann', name: 'Ann', color: 0, sortId: 0 }],
      segments: Array.from({ length: 8 }, (_, i) => ({
        id: `s${i}`,
        speaker: 'ann',
        words: words.map((w, k) => ({ w, f: i * 9 + k, t: i * 9 + k + 0.5 })),
      })),
    }),
  );
  const page = writeTranscript('RAE', spokenDocument(doc), chosenOf('RAE', { fileType: 'docx' }));
  if (page.kind !== 'docx') throw new Error('no document');
  return zip(docxParts(page));
}

test(`${mutants} damaged documents are read, or refused with a named error`, async () => {
  const whole = await document();
  expect(readTranscript(readFile(whole), 'RAE').words).toBe(48);
  let state = 4711;
  const roll = (below: number) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % Math.max(1, below);
  };
  const seen = { read: 0, refused: 0 };
  for (let i = 0; i < mutants; i += 1) {
    let bytes = Buffer.from(whole);
    for (let change = 1 + roll(4); change > 0; change -= 1) {
      const at = roll(bytes.length);
      const kind = roll(5);
      if (kind === 0) bytes[at] = roll(256);
      else if (kind === 1) bytes = bytes.subarray(0, Math.max(30, at));
      else if (kind === 2)
        bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(Math.min(bytes.length, at + 9))]);
      // The directory near the end has sizes and offsets.
      else if (kind === 3)
        bytes.fill(roll(2) * 255, Math.max(0, bytes.length - 21 - roll(300)), Math.max(0, bytes.length - roll(20)));
      else bytes.writeUInt32LE(roll(2) === 0 ? 0xffffffff : roll(bytes.length), Math.min(at, bytes.length - 4));
    }
    try {
      readTranscript(readFile(bytes), 'RAE');
      seen.read += 1;
    } catch (error) {
      if (!(error instanceof InvalidTranscript)) throw new Error(`mutant ${i}`, { cause: error });
      seen.refused += 1;
    }
  }
  expect(seen.read).toBeGreaterThan(mutants / 50);
  expect(seen.refused).toBeGreaterThan(mutants / 10);
});
