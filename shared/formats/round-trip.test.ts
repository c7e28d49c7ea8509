// Export and import of each format: same words, same speakers, and times as exact as the format has them.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as Y from 'yjs';
import { readPlain } from '../meetings/plain.ts';
import { seedState, type Seed } from '../meetings/seed.ts';
import { docxParts } from './docx.ts';
import { chosenOf, facets, vendorFormats, type FileType, type VendorFormat } from './formats.ts';
import { firstLines, type Page } from './page.ts';
import { readDocx } from './read-docx.ts';
import { readTranscript } from './read.ts';
import { textSource, type Source } from './source.ts';
import { spokenDocument } from './spoken.ts';
import { writeTranscript } from './write.ts';

const docOf = (seed: Seed): Y.Doc => {
  const doc = new Y.Doc();
  Y.applyUpdate(doc, seedState(seed));
  return doc;
};

function sourceOf(page: Page): Source {
  if (page.kind === 'text') return textSource(page.text);
  if (page.kind === 'pdf') throw new Error('a PDF is not read');
  const parts = docxParts(page);
  return readDocx((name) => parts.get(name) ?? null);
}

const ways = vendorFormats.flatMap((format) =>
  facets[format].fileTypes
    .filter((fileType) => fileType !== 'pdf')
    .map((fileType): [VendorFormat, FileType] => [format, fileType]),
);

/** Data outside the document: written above the text, never read as speech. */
const around = { date: '2024-03-12T23:30:00.000Z', mediaMs: 3_850_000 };
const pageOf = (doc: Y.Doc, format: VendorFormat, fileType: FileType) =>
  writeTranscript(format, spokenDocument(doc, around), chosenOf(format, { fileType }));
const again = (doc: Y.Doc, format: VendorFormat, fileType: FileType) =>
  docOf(readTranscript(sourceOf(pageOf(doc, format, fileType)), format).seed);

/** Speakers and texts; consecutive segments of one speaker are joined, because some formats cannot separate them. */
function said(doc: Y.Doc): [string, string][] {
  const { speakers, segments } = readPlain(doc).transcript;
  const names = new Map(speakers.map(({ id, name }) => [id, name]));
  const turns: [string, string][] = [];
  for (const { speaker, text } of segments) {
    const name = names.get(speaker) ?? '';
    const plain = text.replace(/\s+/g, ' ').trim();
    const last = turns.at(-1);
    if (plain === '') continue;
    if (last?.[0] === name) last[1] += ` ${plain}`;
    else turns.push([name, plain]);
  }
  return turns;
}

const starts = (doc: Y.Doc) => readPlain(doc).transcript.segments.map(({ start }) => start);

const talk: Seed = {
  about: { title: 'Interview 4: the goal', lang: 'en-US' },
  tags: ['coaching', 'a < b'],
  speakers: [
    { id: 'maria', name: 'Maria Lopez', color: 3, sortId: 0 },
    { id: 'tom', name: 'Том', color: 1, sortId: 1 },
    { id: 'wang', name: '王伟', color: 2, sortId: 2 },
  ],
  segments: [
    ['maria', 'Thanks for joining. Shall we start with the goal & "more" <b>?', 2.34],
    ['tom', 'Note: yes, at 5:30 we meet.', 9.5],
    ['', 'Somebody says this.', 14],
    ['maria', '[laughter] So: [inaudible] it is.', 61.2],
    ['wang', '好的，我们开始吧。', 70],
    ['tom', 'After an hour --> all is said.', 3723.4],
  ].map(([speaker, text, from], i) => ({
    id: `segment${i}`,
    speaker: String(speaker),
    text: String(text),
    words: [...String(text).matchAll(/\S+/g)].map(([w], k) => ({
      w,
      f: Number(from) + k * 0.4,
      t: Number(from) + k * 0.4 + 0.35,
      ...(k % 2 === 0 && { confidence: 0.9 - k / 100 }),
      ...(k === 3 && { estimated: true }),
    })),
  })),
};

describe.each(ways)('%s as %s', (format, fileType) => {
  test('is the same after an import', () => {
    const doc = docOf(talk);
    const back = again(doc, format, fileType);
    const expected = said(doc);
    expect(said(back)).toEqual(expected);
    // A second round trip changes nothing more.
    expect(said(again(back, format, fileType))).toEqual(expected);
  });

  test('keeps start times as exactly as the format has them', () => {
    const doc = docOf(talk);
    const grain = format === 'ZOOM' || format === 'RAE' ? 0.001 : 1;
    const [before, after] = [starts(doc), starts(again(doc, format, fileType))];
    expect(after).toHaveLength(before.length);
    after.forEach((start, i) => expect(Math.abs(start - (before[i] ?? 0))).toBeLessThan(grain));
  });

  test('keeps any text, and can always be read', () => {
    const word = fc.oneof(
      { weight: 6, arbitrary: fc.stringMatching(/^[\p{L}\p{N}]{1,9}[,.?!]?$/u) },
      fc.constantFrom(
        '0:15',
        '(0:00',
        '-',
        '0:15)',
        '[Ann]',
        'Ann:',
        'S1:',
        '00:00:01',
        '[00:00:01.000',
        '-->',
        '#',
        '\\',
      ),
      fc.constantFrom(
        '<v',
        'Ann>',
        '&amp;',
        '{b}',
        '**',
        '•',
        '(00:00:02):',
        'WEBVTT',
        '\u2060',
        'NOTE',
        ']]>',
        '5:30',
      ),
    );
    const text = fc.array(word, { minLength: 1, maxLength: 12 }).map((words) => words.join(' '));
    const name = fc.constantFrom('Ann', 'Ben (she/her)', 'Łukasz', '李', 'A: B', 'C] (0:00 - 0:01)', 'D  1:00', '');
    fc.assert(
      fc.property(fc.array(fc.tuple(name, text), { minLength: 2, maxLength: 6 }), (turns) => {
        const people = [...new Set(turns.map(([who]) => who))].filter((who) => who !== '');
        const doc = docOf({
          speakers: people.map((who, i) => ({ id: `p${i}`, name: who, color: 0, sortId: i })),
          segments: turns.map(([who, spoken], i) => ({
            id: `s${i}`,
            speaker: who === '' ? '' : `p${people.indexOf(who)}`,
            text: spoken,
            words: [...spoken.matchAll(/\S+/g)].map(([w], k) => ({ w, f: i * 9 + k * 0.3, t: i * 9 + k * 0.3 + 0.3 })),
          })),
        });
        const words = (one: Y.Doc) =>
          said(one)
            .map(([, spoken]) => spoken)
            .join(' ')
            .replaceAll('\u2060', '')
            // Blanks between cues of scripts without blanks are lost.
            .replaceAll(/\s+/g, format === 'ZOOM' ? '' : ' ');
        const back = again(doc, format, fileType);
        expect(words(back)).toBe(words(doc));
        doc.destroy();
        back.destroy();
      }),
      { numRuns: 80 },
    );
  });
});

describe('above the text', () => {
  const top = (format: VendorFormat, fileType: FileType, seed: Seed = talk, count = 8) =>
    firstLines(pageOf(docOf(seed), format, fileType), count);

  test('our own text has its day, length and language', () => {
    expect(top('RAE', 'txt').slice(0, 3)).toEqual([
      '# Interview 4: the goal',
      '# Date: 2024-03-12   Length: 01:04:10   Language: en-US',
      '# Speakers: Maria Lopez; Том; 王伟',
    ]);
    expect(top('RAE', 'docx').slice(0, 4)).toEqual([
      'Interview 4: the goal',
      'Date:\t2024-03-12',
      'Length:\t01:04:10',
      'Language:\ten-US',
    ]);
  });

  test('TranscribeMe has the day first', () => {
    expect(top('TRME', 'docx').slice(0, 3)).toEqual([
      'Date:\t12 March 2024',
      'Title:\tInterview 4: the goal',
      'S1\tMaria Lopez',
    ]);
  });

  test('Otter has day and length, tags and speakers', () => {
    expect(top('OTTERAI', 'docx')).toEqual([
      'Interview 4: the goal',
      'Mar 12, 2024 • 1:04:10',
      'SUMMARY KEYWORDS',
      'coaching, a < b',
      'SPEAKERS',
      'Maria Lopez, Том, 王伟',
      'Maria Lopez  0:02',
      'Thanks for joining. Shall we start with the goal & "more" <b>?',
    ]);
    expect(top('OTTERAI', 'docx', { ...talk, tags: [] })[2]).toBe('SPEAKERS');
  });

  test.each(['Interview 4: the goal', 'Meet at 5:30', 'Sales • 5:30', '12:00', 'SPEAKERS'])(
    'of Otter is nothing that somebody says, and the title “%s” comes back',
    (title) => {
      const seed = { ...talk, about: { title, lang: '' }, tags: ['call', 'meet Ann 6:30'] };
      const doc = docOf(seed);
      const back = again(doc, 'OTTERAI', 'docx');
      expect(said(back)).toEqual(said(doc));
      expect(readPlain(back).title).toBe(title);
    },
  );

  test('Otter without a title gets none from the lines below it', () => {
    const doc = docOf({ ...talk, about: { title: '', lang: '' } });
    expect(readPlain(again(doc, 'OTTERAI', 'docx')).title).toBe('');
  });

  test('an unknown day is left out', () => {
    const page = (format: VendorFormat, fileType: FileType) =>
      firstLines(writeTranscript(format, spokenDocument(docOf(talk)), chosenOf(format, { fileType })), 2);
    expect(page('RAE', 'txt')[1]).toBe('# Length: 01:02:06   Language: en-US');
    expect(page('OTTERAI', 'docx')[1]).toBe('• 1:02:06');
    expect(page('TRME', 'docx')[0]).toBe('Date:\t');
  });
});

describe('our own docx', () => {
  test('is the same document again: words, times, ids, colours, tags', () => {
    const doc = docOf(talk);
    const back = again(doc, 'RAE', 'docx');
    expect(readPlain(back)).toEqual(readPlain(doc));
  });

  test('keeps unchanged text exactly, and gives the rest times in between', () => {
    const doc = docOf(talk);
    const page = writeTranscript('RAE', spokenDocument(doc), chosenOf('RAE', { fileType: 'docx' }));
    const parts = docxParts(page as Extract<Page, { kind: 'docx' }>);
    const main = (parts.get('word/document.xml') ?? '').replace('Shall we start with', 'Shall we all begin with');
    const source = readDocx((name) => (name === 'word/document.xml' ? main : (parts.get(name) ?? null)));
    const back = docOf(readTranscript(source, 'RAE').seed);
    const [before, after] = [readPlain(doc).transcript, readPlain(back).transcript];
    expect(after.speakers).toEqual(before.speakers);
    expect(after.segments.slice(1)).toEqual(before.segments.slice(1));
    const [old, now] = [before.segments[0]?.words ?? [], after.segments[0]?.words ?? []];
    const times = (list: typeof old, word: string) => list.filter(({ w }) => w === word).map(({ f, t }) => [f, t]);
    for (const { w } of now.filter((word) => !['all', 'begin'].includes(word.w)))
      expect(times(now, w), w).toEqual(times(old, w));
    const [we, all, begin, withIt] = ['we', 'all', 'begin', 'with'].map((w) => now.find((word) => word.w === w));
    expect(all).toMatchObject({ f: we?.t, estimated: true });
    expect(begin).toMatchObject({ t: withIt?.f, estimated: true });
  });

  test('follows its visible text: hidden data cannot change it', () => {
    const doc = docOf(talk);
    const page = writeTranscript('RAE', spokenDocument(doc), chosenOf('RAE', { fileType: 'docx' }));
    const parts = docxParts(page as Extract<Page, { kind: 'docx' }>);
    const changed = (change: (xml: string) => string) => {
      const source = readDocx((name) =>
        name === 'customXml/item1.xml' ? change(parts.get(name) ?? '') : (parts.get(name) ?? null),
      );
      return docOf(readTranscript(source, 'RAE').seed);
    };
    for (const change of [
      (xml: string) => xml.replaceAll('Thanks', 'Never'),
      (xml: string) => xml.replaceAll(/<words>[^<]*/g, '<words>0,99999,0,0,0,'),
      (xml: string) => xml.replaceAll('<words>', '<words>x'),
      (xml: string) => xml.slice(0, 900),
      (xml: string) => xml.replaceAll('maria', '../../etc'),
      (xml: string) => xml.replaceAll(/ id="segment\d"/g, ' id="same"'),
    ]) {
      const back = changed(change);
      expect(said(back)).toEqual(said(doc));
      const ids = readPlain(back).transcript.segments.map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      expect(JSON.stringify(readPlain(back))).not.toContain('etc');
    }
  });
});
