// Redaction: text in braces is in no part of a redacted file.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as Y from 'yjs';
import { plainOf, readRichText, type RichNode } from '../meetings/rich-text.ts';
import { seedState } from '../meetings/seed.ts';
import { docxParts } from './docx.ts';
import { chosenOf, exportFormats, facets } from './formats.ts';
import type { Page } from './page.ts';
import { redact, redactSaid, redactText } from './redact.ts';
import type { Said } from './said.ts';
import { spokenDocument, type SpokenDocument } from './spoken.ts';
import { writeTranscript } from './write.ts';

const voices = ['a', 'b'] as const;
/** Document with a segment for each text; `by` gives their speakers. */
function documentOf(texts: string | readonly string[], by: readonly (typeof voices)[number][] = []): SpokenDocument {
  const doc = new Y.Doc();
  const speakers = voices.map((id, i) => ({ id, name: `Ann${i} {Secret}`, color: i, sortId: i }));
  const about = { title: 'About {Secret}', lang: 'en-US' };
  const segments = [texts].flat().map((text, turn) => ({
    id: `s${turn}`,
    speaker: by[turn] ?? 'a',
    text,
    words: [...text.matchAll(/\S+/g)].map(([w], i) => {
      const f = turn * 100 + i;
      return { w, f, t: f + 0.5, confidence: 0.9 };
    }),
  }));
  Y.applyUpdate(doc, seedState({ about, speakers, segments }));
  return spokenDocument(doc);
}
const textsOf = (texts: readonly string[], by?: Parameters<typeof documentOf>[1]) =>
  redact(documentOf(texts, by)).turns.map(({ segment }) => segment.text);
const turnOf = (text: string) => redact(documentOf(text)).turns[0];

test.each([
  ['My name is {Maria Lopez}.', 'My name is [redacted].'],
  ['Her ("{Maria}, {Tom}") and {Ann}/{Ben}, x{y}', 'Her ("[redacted], [redacted]") and [redacted] [redacted]'],
  ['an un{believ}able day', 'an [redacted] day'],
  ['{Maria} and {Tom} came', '[redacted] and [redacted] came'],
  ['{Maria}{Tom} came', '[redacted] came'],
  ['the {inner {most} name} stays away', 'the [redacted] stays away'],
  ['it is {never closed', 'it is [redacted]'],
  ['closed} and never opened', 'closed} and never opened'],
  ["{Maria}'s goal", '[redacted] goal'],
  ['nothing at all', 'nothing at all'],
])('%s', (text, left) => {
  const turn = turnOf(text);
  expect([turn?.segment.text, turn?.text]).toEqual([left, left]);
  // Each word is at its position, exactly once.
  expect(turn?.segment.words.map((word) => left.slice(word.at, word.at + word.text.length))).toEqual(left.split(' '));
  expect(turn?.segment.words.map((word) => word.text)).toEqual(left.split(' '));
});

test('the placeholder has the times of the hidden words', () => {
  const [, , hidden, last] = turnOf('It was {Maria Lopez} who came')?.segment.words ?? [];
  expect(hidden).toMatchObject({ text: '[redacted]', from: 2000, to: 3500, confidence: null });
  expect(last).toMatchObject({ text: 'who', from: 4000 });
});

test('text without braces is unchanged', () => {
  expect(turnOf('nothing at all')?.segment.words[0]).toMatchObject({ confidence: 0.9 });
  expect(redactText('a } b')).toBe('a } b');
});

test('a name is hidden even if no text of the speaker is', () => {
  expect(redact(documentOf('nothing at all')).turns[0]?.name).toBe('Ann0 [redacted]');
});

test('full-width braces, as typed beside Chinese, are braces', () => {
  expect(redactText('我是｛张三｝。')).toBe('我是[redacted]。');
});

describe('braces over several segments', () => {
  const forty = Array.from({ length: 40 }, (_, i) => `turn ${i}`);

  test.each<[string, string[], string[]]>([
    [
      'hide from the one to the other',
      ['My name is {John', 'Smith, card', '4111} and so on'],
      ['My name is [redacted]', '[redacted]', '[redacted] and so on'],
    ],
    ['however far that is', ['{a', ...forty, 'b} c'], ['[redacted]', ...forty.map(() => '[redacted]'), '[redacted] c']],
    ['and one in the other', ['a {b {c', 'd} e', 'f} g'], ['a [redacted]', '[redacted]', '[redacted] g']],
    [
      'also behind one that nobody closed',
      ['{oops', ...forty, 'is {John', 'Smith} here'],
      ['[redacted]', ...forty.map((text, i) => (i < 4 ? '[redacted]' : text)), 'is [redacted]', '[redacted] here'],
    ],
    [
      'and what follows one that nobody closed goes with what it holds',
      ['{oops {John', ...forty, 'Smith} too'],
      ['[redacted]', ...forty.map(() => '[redacted]'), '[redacted]'],
    ],
  ])('%s', (_, texts, left) => expect(textsOf(texts)).toEqual(left));

  test('an unclosed one hides what the same speaker says next, but never the rest of the recording', () => {
    const texts = ['My {name is', ...forty];
    expect(textsOf(texts)).toEqual(['My [redacted]', ...forty.map((text, i) => (i < 4 ? '[redacted]' : text))]);
    expect(textsOf(texts, ['a', 'a', 'b', 'a'])).toEqual(['My [redacted]', '[redacted]', ...forty.slice(1)]);
  });

  test('hundreds of thousands of braces take linear time', () => {
    const many = 200_000;
    const open = redactText('{ '.repeat(many));
    expect(open).toBe('[redacted]');
    expect(redactText('{} '.repeat(many))).toBe('[redacted] '.repeat(many));
    expect(redactText(`${'{'.repeat(many)}${'}'.repeat(many)}`)).toBe('[redacted]');
  });
});

const item = {
  rev: 1,
  anchor: null,
  start: 0,
  end: 1,
  quote: '',
  author: { id: 'u', kind: 'user' as const, name: 'Ben' },
  private: false,
  createdAt: '2024-01-01',
  editTimestamp: null,
  url: null,
};
const comment = (text: string) => ({ ...item, id: 'c', parent: null, resolved: null, text });
/** The same text in every field of the annotations. */
const saidWith = (text: string, rich = text): Said => ({
  summary: [{ id: 's', order: 1, text }],
  contents: [{ id: 't', start: 0, title: text }],
  grades: [{ key: 'trust', type: 'trust', grade: 3, words: text, rev: 1, by: 'a' }],
  graders: new Map([['a', text]]),
  outcomes: [
    {
      ...item,
      ...{ id: 'o', type: 'trust', text, children: [], grade: null, automatic: false, wasAutomatic: false },
    },
  ],
  comments: [comment(rich), { ...comment(rich), id: 'd', parent: 'c' }],
  words: {
    summary: 'S',
    contents: 'C',
    grades: 'G',
    outcomes: 'O',
    comments: 'K',
    deleted: 'gone',
    private: 'own',
    was: 'was:',
    types: {},
  },
});
const every = { summary: true, contents: true, outcomes: true, comments: true };

describe('in the text of a comment', () => {
  const paragraph = (...content: RichNode[]): RichNode => ({ type: 'paragraph', content });
  const text = (of: string, ...marks: NonNullable<RichNode['marks']>): RichNode => ({
    ...{ type: 'text', text: of },
    ...(marks.length > 0 && { marks }),
  });
  const bold = { type: 'bold' as const };
  const link = { type: 'link' as const, attrs: { href: 'https://example.org/maria-lopez' } };
  const hidden = (...content: RichNode[]) => {
    const [left] = redactSaid(saidWith('', JSON.stringify({ type: 'doc', content }))).comments ?? [];
    const doc = readRichText(left?.text ?? '');
    return { stored: left?.text, content: doc?.content, plain: plainOf(left?.text ?? '') };
  };

  test('braces reach over its marks, its lines and its paragraphs', () => {
    const { content, plain } = hidden(
      paragraph(text('Ask {Ma'), text('ria', bold)),
      paragraph(text('Lo'), { type: 'hardBreak' }, text('pez} about', bold), text(' it')),
    );
    expect(content).toEqual([paragraph(text('Ask [redacted]')), paragraph(text(' about', bold), text(' it'))]);
    expect(plain).toBe('Ask [redacted]\n about it');
  });

  test('URLs are hidden with the words of their link, and mentions too', () => {
    const { stored, content } = hidden(
      paragraph(text('See {this', link), text('} and '), text('that', bold, link)),
      paragraph(text('Hello {'), { type: 'mention', attrs: { id: 'maria', label: 'Maria' } }, text('}!')),
    );
    expect(content).toEqual([
      paragraph(text('See [redacted]'), text(' and '), text('that', bold)),
      paragraph(text('Hello [redacted]'), text('!')),
    ]);
    expect(stored).not.toMatch(/maria/i);
  });

  test('text without braces is unchanged, and plain text is read as such', () => {
    const doc = { type: 'doc', content: [paragraph(text('See '), text('this', link))] };
    expect(hidden(...doc.content).stored).toBe(JSON.stringify(doc));
    const [plain] = redactSaid(saidWith('', 'Ask {Maria} about it')).comments ?? [];
    expect(plainOf(plain?.text ?? '')).toBe('Ask [redacted] about it');
  });

  test('the author is shown, unless the name has braces', () => {
    const named = { ...comment('x'), author: { ...item.author, name: 'Ben {Lopez}' } };
    expect(redactSaid({ ...saidWith('x'), comments: [named] }).comments?.[0]?.author.name).toBe('Ben [redacted]');
  });
});

test('points of a summary are one text to its braces', () => {
  const summary = ['It is {John', 'Smith} who', 'calls'].map((text, order) => ({ id: `${order}`, order, text }));
  const left = redactSaid({ ...saidWith(''), summary }).summary?.map(({ text }) => text);
  expect(left).toEqual(['It is [redacted]', '[redacted] who', 'calls']);
});

const contentOf = (page: Page): string => {
  if (page.kind === 'text') return page.text;
  return page.kind === 'pdf' ? JSON.stringify(page) : [...docxParts(page).values()].map(String).join('');
};

const ways = exportFormats.flatMap((format) => facets[format].fileTypes.map((fileType) => ({ format, fileType })));
describe.each(ways)('$format as $fileType', ({ format, fileType }) => {
  const document = documentOf('Here {Secret} and {Another Secret} are.');
  const all = (redacted: boolean): string => {
    const page = writeTranscript(format, document, chosenOf(format, { fileType, redacted }));
    return contentOf(page);
  };

  const written = (one: SpokenDocument, said?: Said): string => {
    const page = writeTranscript(format, one, chosenOf(format, { fileType, redacted: true, ...every }), said);
    return contentOf(page);
  };

  test('contains none of it however it is cut into segments, also in annotations', () => {
    const shown = fc.array(fc.constantFrom('one', 'two', 'three'), { minLength: 1, maxLength: 4 });
    const hidden = fc
      .tuple(fc.integer({ min: 1, max: 3 }), fc.array(fc.constant('Secret'), { maxLength: 4 }))
      .map(([deep, words]) => [...Array(deep).fill('{Secret'), ...words, ...Array(deep).fill('Secret}')] as string[]);
    const parts = fc.array(fc.oneof(shown, hidden), { minLength: 1, maxLength: 5 }).map((all) => all.flat());
    fc.assert(
      fc.property(parts, fc.infiniteStream(fc.integer({ min: 0, max: 3 })), (all, cut) => {
        const turns = [''];
        for (const part of all) {
          if (cut.next().value === 0 && turns.at(-1) !== '') turns.push('');
          turns.push([turns.pop(), part].filter(Boolean).join(' '));
        }
        const by = turns.map((_, i) => voices[i % 2] ?? 'a');
        const one = { ...documentOf(turns, by), tags: ['{Secret}'] };
        const text = all.join(' ');
        const rich = {
          type: 'doc',
          content: turns.map((said) => ({ type: 'paragraph', content: [{ type: 'text', text: said }] })),
        };
        const said = { ...saidWith(text), summary: turns.map((point, i) => ({ id: `${i}`, order: i, text: point })) };
        expect(written(one, said)).not.toContain('Secret');
        expect(written(one, saidWith(text, JSON.stringify(rich)))).not.toContain('Secret');
      }),
      { numRuns: 60 },
    );
  });

  test('contains none of it, and all of it without the option', () => {
    expect(all(true)).not.toContain('Secret');
    expect(all(true)).toContain('redacted');
    expect(all(false)).toContain('Secret');
  });
});
