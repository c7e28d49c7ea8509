// Transcripts are recognised by their content: captions of any maker, plain text, and none of their words is lost.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as Y from 'yjs';
import { seedState, type Seed } from '../meetings/seed.ts';
import { chosenOf } from './formats.ts';
import { readTranscript } from './read.ts';
import { decodeText, InvalidTranscript, textSource, type Source } from './source.ts';
import { spokenDocument } from './spoken.ts';
import { writeTranscript } from './write.ts';

const auto = (text: string) => readTranscript(textSource(text), 'AUTO');
const saidBy = ({ seed }: ReturnType<typeof auto>): [string, string][] => {
  const names = new Map(seed.speakers.map(({ id, name }) => [id, name]));
  return seed.segments.map(({ speaker, text = '' }) => [names.get(speaker) ?? '', text]);
};
const wordsIn = (said: readonly [string, string][]): string => said.map(([, text]) => text).join(' ');

const srt = '1\n00:00:01,000 --> 00:00:02,000\nAnn: Hello.\n\n2\n00:00:03,000 --> 00:00:04,000\nBen: Yes.\n';

describe('the same text is found', () => {
  const utf16 = (text: string, big: boolean): Buffer => {
    const bytes = Buffer.from(`\uFEFF${text}`, 'utf16le');
    return big ? bytes.swap16() : bytes;
  };
  test.each<[string, (text: string) => Buffer]>([
    ['with a mark before it', (text) => Buffer.from(`\uFEFF${text}`)],
    ['with the ends of lines of Windows', (text) => Buffer.from(text.replaceAll('\n', '\r\n'))],
    ['in UTF-16, little end first', (text) => utf16(text, false)],
    ['in UTF-16, big end first', (text) => utf16(text, true)],
    ['with empty lines around it', (text) => Buffer.from(`\n\n${text}\n\n`)],
  ])('%s', (_, written) => {
    const read = auto(decodeText(written(srt)));
    expect(read.format).toBe('SRT');
    expect(saidBy(read)).toEqual([
      ['Ann', 'Hello.'],
      ['Ben', 'Yes.'],
    ]);
  });
});

describe('what cannot be read has its line', () => {
  test.each<[string, string, number, RegExp]>([
    ['WebVTT without a cue', 'WEBVTT\n\nhello\n', 1, /-->/],
    ['a time that is none', 'WEBVTT\n\n00:00:01.000 --> 00:00:02.000\nA\n\n00:0x:03 --> later\nB\n', 0, /./],
    [
      'a broken time',
      'WEBVTT\n\n00:00:01.000 --> 00:00:02.000\nA\n\n00:00:99.000 --> 00:01:40.000\nB\n',
      6,
      /times such as/,
    ],
    [
      'a broken time below a number',
      `${srt}\n3\n00:00:05,000 -> 00:00:06,000\nC\n\n4\n00:00:07,000 --> 0:0\nD\n`,
      14,
      /times such as/,
    ],
    ['a web page', '<!DOCTYPE html>\n<p>Hello</p>\n', 1, /web page/],
    ['JSON', '{"segments": []}\n', 1, /JSON/],
    ['nothing', '\n \n', 1, /empty/],
  ])('%s', (_, text, line, expected) => {
    const read = () => auto(text);
    if (line === 0) return expect(wordsIn(saidBy(read()))).toContain('later');
    expect(read).toThrow(InvalidTranscript);
    expect(read).toThrow(expected);
    expect(read).toThrow(`line ${line}:`);
  });
});

describe('a sentence is no head', () => {
  test.each([
    ['a time at the end of a line', 'The plan is done.\nLet us meet at 5:30\nand leave together.\n'],
    ['a colon', 'This is what we need: time.\n\nIt is late.\n'],
    ['a list', 'We spoke of it.\n\nHere is the list:\none, two.\n'],
    ['a remark', 'Note: call back.\n\nIt is late.\n'],
  ])('with %s', (_, text) => {
    const read = auto(text);
    expect(read.format).toBe('TEXT');
    expect(wordsIn(saidBy(read))).toBe(text.replace(/\s+/g, ' ').trim());
    expect(read.seed.speakers).toEqual([]);
  });
});

describe('no words are lost to a format that explains some of them', () => {
  const word = (lines: readonly string[]): Source => ({
    kind: 'docx',
    lines: lines.map((text, i) => ({ number: i + 1, text, fresh: true })),
    carried: null,
  });
  const prose = Array.from({ length: 100 }, (_, i) => `We spoke of point ${i} at length.`);
  test.each([
    ['one', ['Let us meet at 5:30']],
    ['several', ['Let us meet at 5:30', 'Let us leave at 6:30']],
    ['one of capitals', ['Interview Room 5:30']],
  ])('paragraphs of a Word file with times at the end of %s', (_, timed) => {
    const lines = prose.flatMap((line, i) => (i % 40 === 30 ? [line, ...timed.splice(0, 1)] : [line]));
    const read = readTranscript(word(lines), 'AUTO');
    expect(read.format).toBe('TEXT');
    expect(wordsIn(saidBy(read))).toBe(lines.join(' '));
  });

  test('a Word file as Otter writes it is one of Otter', () => {
    const head = ['Monday', 'Mar 12, 2024 • 1:04', 'SUMMARY KEYWORDS', 'plan, goal', 'SPEAKERS', 'Ann, Ben'];
    const read = readTranscript(word([...head, 'Ann 0:00', 'Good morning.', 'Ben 0:07', 'Yes.']), 'AUTO');
    expect([read.format, read.seed.about?.title, read.notes]).toEqual(['OTTERAI', 'Monday', []]);
  });

  test.each([
    ['a title with a time', 'Interview 12 March 10:30\nWords of somebody.\n'],
    ['a greeting above names', 'Thanks everyone for coming.\n\nAnn:\nHello.\n\nBen:\nHi.\n\nAnn:\nBye.\n'],
    ['initials beside another name', 'JS: a\nInterviewer: b\nJS: c\nInterviewer: d\nJS: e\n'],
  ])('%s', (_, text) => {
    const read = auto(text);
    expect(read.format).toBe('TEXT');
    const words = text.replace(/\b(?:Ann|Ben|JS|Interviewer):/g, '');
    expect(wordsIn(saidBy(read))).toBe(words.replace(/\s+/g, ' ').trim());
  });

  test('initials beside another name are two people', () => {
    const people = saidBy(auto('JS: a\nInterviewer: b\nJS: c\nInterviewer: d\nJS: e\n')).map(([name]) => name);
    expect(people).toEqual(['JS', 'Interviewer', 'JS', 'Interviewer', 'JS']);
  });

  test('a phrase that begins two lines is no name', () => {
    const text = 'It was late.\n\nHe said: go home.\n\nWe stayed.\n\nHe said: then stay.\n\nWe left.\n';
    const read = auto(text);
    expect(read.seed.speakers).toEqual([]);
    expect(wordsIn(saidBy(read))).toBe(text.replace(/\s+/g, ' ').trim());
    const often = auto(`${text}\nHe said: well.\n`);
    expect(often.seed.speakers.map(({ name }) => name)).toEqual(['He said']);
  });

  test.each([
    ['SubRip', `A talk of Ann and Ben\nin May\n\n${srt}`, 2],
    [
      'WebVTT',
      'WEBVTT - talk\nKind: captions\n\nNOTE by Ann\nand Ben\n\nHello all.\n\nSTYLE\n::cue {}\n\nfirst\n00:01.000 --> 00:02.000\nYes.\n\nNOTE end\n',
      1,
    ],
  ])('lines above the first cue of %s are counted', (_, text, count) => {
    expect(auto(text).notes).toEqual([{ code: 'skipped', count }]);
  });

  test('the usual captions leave nothing out', () => {
    expect(auto(srt).notes).toEqual([]);
    expect(auto(`WEBVTT\n\n${srt.replaceAll(',', '.')}`).notes).toEqual([]);
  });
});

test('plain words are read whole, in whatever lines and paragraphs', () => {
  const word = fc.oneof(fc.stringMatching(/^[\p{L}\p{N}]{1,9}[,.?!]?$/u), fc.constantFrom('5:30', '(we)', '—', '12'));
  const line = fc.array(word, { minLength: 1, maxLength: 9 }).map((words) => `I ${words.join(' ')} so`);
  fc.assert(
    fc.property(
      fc.array(fc.tuple(line, fc.constantFrom('\n', '\n\n', '\r\n')), { minLength: 1, maxLength: 12 }),
      (lines) => {
        const text = lines.map(([words, end]) => words + end).join('');
        expect(wordsIn(saidBy(auto(text))).replace(/\s+/g, '')).toBe(text.replace(/\s+/g, ''));
      },
    ),
    { numRuns: 200 },
  );
});

describe.each(['VTT', 'SRT'] as const)('our own %s', (format) => {
  const file = (turns: readonly (readonly [string, string])[]): string => {
    const people = [...new Set(turns.map(([who]) => who))];
    const seed: Seed = {
      speakers: people.map((name, i) => ({ id: `p${i}`, name, color: 0, sortId: i })),
      segments: turns.map(([who, text], i) => ({
        id: `s${i}`,
        speaker: `p${people.indexOf(who)}`,
        text,
        words: [...text.matchAll(/\S+/g)].map(([w], k) => ({ w, f: i * 9 + k * 0.3, t: i * 9 + k * 0.3 + 0.3 })),
      })),
    };
    const doc = new Y.Doc();
    Y.applyUpdate(doc, seedState(seed));
    const page = writeTranscript(format, spokenDocument(doc), chosenOf(format));
    if (page.kind !== 'text') throw new Error('captions are text');
    return page.text;
  };

  test('is recognised, and comes back with its speakers and times', () => {
    const turns = [
      ['Maria Lopez', 'Thanks for joining. Shall we start?'],
      ['Том', 'Note: yes, at 5:30.'],
      ['Maria Lopez', 'Good.'],
    ] as const;
    const read = auto(file(turns));
    expect(read.format).toBe(format);
    expect(saidBy(read)).toEqual(turns);
    expect(read.seed.segments.map(({ words }) => words[0]?.f)).toEqual([0, 9, 18]);
  });

  test('keeps any words', () => {
    const word = fc.oneof(
      { weight: 4, arbitrary: fc.stringMatching(/^[a-zA-Z0-9]{1,9}[,.?!]?$/) },
      fc.constantFrom('-->', '<b>', '<v', 'R&D', '&amp;', '{\\an8}', 'NOTE', 'WEBVTT', '12', '<i>', '5:30'),
    );
    const text = fc.array(word, { minLength: 1, maxLength: 20 }).map((words) => words.join(' '));
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom('Ann', 'Ben Lee'), text), { minLength: 1, maxLength: 5 }),
        (turns) => {
          const read = readTranscript(textSource(file(turns)), format);
          expect(wordsIn(saidBy(read))).toBe(wordsIn(turns));
        },
      ),
      { numRuns: 100 },
    );
  });
});
