// J08, J10 and B16: transcripts as files that were made to do harm, brought in and taken along.
import { deflateRawSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { zip } from '#server/export/zip.ts';
import { readFile } from '#server/intake/read-file.ts';
import { createTranscriptReader } from '#server/intake/read-transcript.ts';
import { zipLimits } from '#server/intake/read-zip.ts';
import { exportFormats, facets } from '#shared/formats/formats.ts';
import { most } from '#shared/formats/source.ts';
import { writeAbout } from '#shared/meetings/about.ts';
import { replaceRanges } from '#shared/meetings/transcript.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import type { Person } from '#tests/support/people.ts';
import { makeRecording } from '#tests/support/recording.ts';
import { document, otter, problem, task, turns } from '#tests/support/transcripts.ts';

const reader = createTranscriptReader();
afterAll(() => reader.close());

describe('a file that was made to do harm', () => {
  const unpacked = deflateRawSync(Buffer.alloc(zipLimits.freely * 2));
  const manyEntries = () =>
    zip(Array.from({ length: zipLimits.entries + 1 }, (_, i): [string, string] => [`a${i}.xml`, '']));
  const directory = 'PK\u0001\u0002';
  const inDirectory = (bytes: Buffer, offset: number, value: number): Buffer => {
    const copy = Buffer.from(bytes);
    for (let at = copy.indexOf(directory, 0, 'latin1'); at >= 0; at = copy.indexOf(directory, at + 4, 'latin1'))
      copy.writeUInt16LE(value, at + offset);
    return copy;
  };

  test.each<[string, () => Promise<Uint8Array> | Uint8Array, RegExp]>([
    [
      'J08 a bomb: a part that unpacks to far more than it is',
      () => document(`${turns}<!--${'x'.repeat(40_000_000)}-->`),
      /unpack/,
    ],
    ['J08 more entries than a document has', manyEntries, /at most 2000 parts/],
    ['J08 a zip within a zip', async () => zip([['word/document.xml', await document(turns)]]), /text|damaged/],
    [
      'J08 entities that name files',
      () =>
        document('', {
          'word/document.xml': '<?xml version="1.0"?><!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]><d>&x;</d>',
        }),
      /damaged|docx/,
    ],
    [
      'J08 entities that grow',
      () => document('', { 'word/document.xml': '<!DOCTYPE d [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><d>&b;</d>' }),
      /damaged|docx/,
    ],
    ['J08 macros', () => document(turns, { 'word/vbaProject.bin': 'x' }), /macros/],
    ['J08 a password', async () => inDirectory(await document(turns), 8, 0x0801), /password/],
    [
      'J08 a password, the newer way',
      () => Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, 0, 0]),
      /password/,
    ],
    ['J08 another way of packing', async () => inDirectory(await document(turns), 10, 99), /damaged/],
    ['J08 no zip behind its mark', () => Buffer.from('PK\u0003\u0004 and nothing else'), /damaged/],
    ['J08 cut in the middle', async () => (await document(turns)).subarray(0, 700), /damaged/],
    ['J08 cut at its beginning', async () => (await document(turns)).subarray(300), /UTF-8/],
    ['J08 elements ten thousand deep', () => document('<w:sdt>'.repeat(10_000) + '</w:sdt>'.repeat(10_000)), /damaged/],
    [
      'J08 a part that is no text',
      () => document('', { 'word/document.xml': Buffer.from([0xff, 0xff, 0xff]) }),
      /UTF-8/,
    ],
    ['J08 deflated noise for a whole file', () => unpacked, /text|UTF-8/],
    ['J08 ten megabytes and a byte', () => Buffer.alloc(most.bytes + 1, 'a'), /at most 10 MB/],
    ['J10 a PDF', () => Buffer.from('%PDF-1.7\n1 0 obj'), /PDF/],
    ['J10 a page of HTML', () => Buffer.from('<!doctype html><script>alert(1)</script>'), /Maria Lopez/],
    ['J10 ten megabytes of one letter', () => Buffer.alloc(most.bytes, 'a'), /Maria Lopez/],
    [
      'J10 ten megabytes of words',
      () => Buffer.from(`Ann  0:00  \n${'a '.repeat(most.bytes / 2 - 20)}`),
      /words|seconds|memory/,
    ],
    ['J10 ten megabytes of lines', () => Buffer.alloc(most.bytes, 'a\n'), /lines/],
    [
      'J10 ten megabytes of blanks in a head',
      () => Buffer.from(`Ann${' '.repeat(most.bytes - 40)}0:00\nHello.`),
      /Maria Lopez/,
    ],
    ['J10 heads that say nothing', () => Buffer.from('Ann  0:00  \n\n'.repeat(100_000)), /words|lines/],
    [
      'J10 more speakers than a room holds',
      () => Buffer.from(Array.from({ length: 600 }, (_, i) => `P${i}  0:00  \nx\n`).join('\n')),
      /speakers/,
    ],
  ])(
    '%s',
    async (_, make, expected) => {
      const refused = await problem(reader.read(task(await make())));
      expect(refused.code).toBe('INVALID');
      expect(refused.message).toMatch(/^Invalid transcript: /);
      expect(refused.message).toMatch(expected);
      // The message does not repeat the file's content.
      expect(refused.message.length).toBeLessThan(250);
    },
    60_000,
  );

  test('J08 pictures and templates of elsewhere are never asked for', async () => {
    const rels = (type: string) =>
      `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${type}" Target="file:///etc/passwd" TargetMode="External"/></Relationships>`;
    const bytes = await document(`${turns}<w:p><w:r><w:drawing r:link="r1"/></w:r></w:p>`, {
      'word/_rels/document.xml.rels': rels('image'),
      'word/_rels/settings.xml.rels': rels('attachedTemplate'),
      '_rels/.rels': rels('officeDocument'),
    });
    // The way to the text itself is not followed out of the package either.
    expect(readFile(bytes).lines.map(({ text }) => text)).toEqual([
      'Maria Lopez  0:00',
      'Thanks for joining.',
      'Tom  0:34',
      'Yes.',
    ]);
    expect((await reader.read(task(bytes))).words).toBe(4);
  });

  test('that takes too long ends its thread, but nobody else’s reading', async () => {
    const slow = createTranscriptReader({ milliseconds: 1 });
    const long = task(Array.from({ length: 20_000 }, (_, i) => `P  ${i}:00  \none two three\n`).join('\n'));
    const refused = await problem(slow.read(long));
    expect(refused.message).toBe(
      'Invalid transcript: expected a file that can be read within 0.001 seconds; cut it into several files',
    );
    await slow.close();
    expect((await reader.read(task(otter))).words).toBe(4);
  });

  test('that takes too much memory ends its thread, and the next one is read', async () => {
    const small = createTranscriptReader({ megabytes: 24, milliseconds: 60_000 });
    const big = task(`Ann  0:00  \n${'ab '.repeat(280_000)}`);
    expect((await problem(small.read(big))).message).toBe(
      'Invalid transcript: expected a file that takes less memory to read; cut it into several files',
    );
    expect((await small.read(task(otter))).words).toBe(4);
    await small.close();
  });

  test('delays only the files of the same person: those of others are read meanwhile', async () => {
    const two = createTranscriptReader({ milliseconds: 60_000 });
    const by = (personId: string, text = otter) => two.read(task(text, { personId }));
    // Both threads run.
    await Promise.all([by('ann'), by('ben')]);
    const order: string[] = [];
    const long = `Ann  0:00  \n${'ab '.repeat(280_000)}`;
    const noted = (name: string, work: Promise<unknown>) => work.then(() => order.push(name));
    await Promise.all([
      ...[1, 2, 3].map((nth) => noted(`ann ${nth}`, by('ann', long))),
      noted('ben', by('ben')),
      noted('carl', by('carl')),
    ]);
    expect(order).toEqual(['ben', 'carl', 'ann 1', 'ann 2', 'ann 3']);
    await two.close();
  });

  test('takes turns with those of others, however many one person has queued', async () => {
    const one = createTranscriptReader({ threads: 1 });
    const order: string[] = [];
    const asked = ['ann', 'ann', 'ann', 'ben', 'ben', 'carl'].map((personId) =>
      one.read(task(otter, { personId })).then(() => order.push(personId)),
    );
    await Promise.all(asked);
    expect(order).toEqual(['ann', 'ben', 'carl', 'ann', 'ben', 'ann']);
    await one.close();
  });

  test('waits behind a few others of the same person alone, who is told so; a job’s file always waits', async () => {
    const busy = createTranscriptReader({ each: 2 });
    const by = (personId: string) => busy.read(task(otter, { personId }));
    const asked = [by('ann'), by('ann')];
    const refused = await problem(by('ann'));
    expect([refused.code, refused.message, refused.retryAfter]).toEqual([
      'RATE',
      '2 of your transcripts are being read. Try again when one of them is done.',
      5,
    ]);
    asked.push(by('ben'), busy.read(task(otter, { personId: 'ann' }), true));
    expect((await Promise.all(asked)).map(({ words }) => words)).toEqual([4, 4, 4, 4]);
    expect((await by('ann')).words).toBe(4);
    await busy.close();
  });

  test('makes room for others where too much waits: whose files are most loses the last of them', async () => {
    const bytes = Buffer.byteLength(otter);
    const full = createTranscriptReader({ threads: 1, waitingBytes: 3 * bytes });
    const by = (personId: string) => full.read(task(otter, { personId }));
    // One is read, three wait.
    const [first, second, third, last] = ['ann', 'ann', 'ann', 'ann'].map(by);
    const gone = problem(last ?? Promise.resolve());
    const ben = by('ben');
    expect((await gone).code).toBe('UNAVAILABLE');
    expect((await Promise.all([first, second, third, ben])).map((read) => read?.words)).toEqual([4, 4, 4, 4]);
    await full.close();
  });

  test('refuses those who wait when it closes', async () => {
    const busy = createTranscriptReader();
    const asked = [1, 2, 3].map(() => busy.read(task(otter)).catch((error: unknown) => error));
    await busy.close();
    for (const answer of await Promise.all(asked)) expect(answer).toMatchObject({ code: 'UNAVAILABLE' });
    expect((await problem(busy.read(task(otter)))).code).toBe('UNAVAILABLE');
  });

  test('whose sizes lie is counted as it is unpacked', async () => {
    const honest = await document(turns);
    // The directory says that each part is empty when unpacked.
    const lying = inDirectory(inDirectory(honest, 24, 0), 26, 0);
    expect((await reader.read(task(lying))).words).toBe(4);
  });
});

describe('a file that is taken along', () => {
  let house: TestHouse;
  let ann: Person;
  beforeAll(async () => {
    house = await openHouse();
    ann = await house.person('Ann');
  });
  afterAll(() => house.close());

  test('B16 is never opened as a page, also with markup in it', async () => {
    const id = await makeRecording(house, ann);
    const page = '<!doctype html><script src=//evil.example/a.js></script><svg onload=alert(1)>';
    await house.house.rooms.change(id, 'transcript', { userId: ann.id, origin: 'test' }, (doc) => {
      writeAbout(doc, { title: `${page}.html` }, 'test');
      replaceRanges(doc, [{ at: 1, remove: 0, insert: [page] }], 'test');
    });
    for (const format of exportFormats)
      for (const fileType of facets[format].fileTypes) {
        const { status, headers } = await ann.post(`/api/export/${id}`, { format, options: { fileType } });
        expect(status).toBe(200);
        expect(headers.get('content-disposition')).toMatch(new RegExp(`^attachment; filename="[^"]+\\.${fileType}";`));
        expect(headers.get('x-content-type-options')).toBe('nosniff');
        expect(headers.get('content-security-policy')).toMatch(/default-src 'none'.* sandbox/);
        expect(headers.get('content-type')).not.toMatch(/html|svg|xml(?!formats)/);
        expect(headers.get('cache-control')).toBe('no-store');
      }
  });
});
