import { afterAll, describe, expect, test } from 'vitest';
import * as Y from 'yjs';
import { readPlain } from '#shared/meetings/plain.ts';
import { createTranscriptReader } from './read-transcript.ts';
import { document, otter, problem, task, turns } from '#tests/support/transcripts.ts';

const reader = createTranscriptReader();
afterAll(() => reader.close());

describe('an added transcript', () => {
  test('becomes the initial state of a document', async () => {
    const read = await reader.read(task(otter, { about: { title: 'Given', lang: 'es-ES' }, mediaMs: 40_000 }));
    expect(read).toMatchObject({
      speakers: 2,
      segments: 2,
      words: 4,
      notes: [],
      about: { title: 'Given', lang: 'es-ES' },
    });
    const doc = new Y.Doc();
    Y.applyUpdate(doc, read.state);
    const plain = readPlain(doc);
    expect(plain).toMatchObject({ title: 'Given', lang: 'es-ES' });
    expect(plain.transcript.speakers.map(({ name }) => name)).toEqual(['Maria Lopez', 'Tom']);
    expect(plain.transcript.segments.map(({ text, start }) => [text, start])).toEqual([
      ['Thanks for joining.', 0],
      ['Yes.', 34],
    ]);
    expect(plain.transcript.segments[1]?.end).toBe(35.45);
  });

  test('may be a .docx document', async () => {
    const read = await reader.read(task(await document(turns)));
    expect(read).toMatchObject({ speakers: 2, segments: 2 });
  });

  test('is refused with the line and the similar format', async () => {
    const refused = await problem(reader.read(task(otter, { format: 'REV' })));
    expect(refused.code).toBe('INVALID');
    expect(refused.message).toMatch(/^Invalid transcript: line 1: expected .+; this looks like Otter$/);
    expect(refused.info).toEqual({ line: 1, looksLike: 'OTTERAI' });
    expect(refused.errors).toEqual([{ field: 'transcript', code: 'invalid' }]);
  });

  test('is read in order, each with its own result', async () => {
    const all = await Promise.all(
      Array.from({ length: 4 }, (_, i) =>
        i % 2 === 0
          ? reader.read(task(otter)).then(({ words }) => words)
          : problem(reader.read(task('x'))).then(() => 0),
      ),
    );
    expect(all).toEqual([4, 0, 4, 0]);
  });
});
