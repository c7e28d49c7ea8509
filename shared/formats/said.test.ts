import { describe, expect, it } from 'vitest';
import type { Comment, Outcome } from '../meetings/annotations.ts';
import { docxParts } from './docx.ts';
import { chosenOf } from './formats.ts';
import { writeJson } from './json.ts';
import { writeMarkdown } from './markdown.ts';
import { firstLines } from './page.ts';
import { readDocx } from './read-docx.ts';
import { readTranscript } from './read.ts';
import { saidLists, type Said } from './said.ts';
import { textSource } from './source.ts';
import type { SpokenDocument } from './spoken.ts';
import { writeTranscript } from './write.ts';

const empty: SpokenDocument = {
  title: 'Talk',
  lang: 'en',
  tags: [],
  speakers: [],
  voices: [],
  date: '',
  lasts: 0,
  turns: [],
};
const words = {
  summary: 'Summary',
  contents: 'Contents',
  grades: 'Grades',
  outcomes: 'Outcomes',
  comments: 'Comments',
  deleted: 'It was deleted.',
  private: 'private',
  was: 'was:',
  types: { trust: 'Trust', trustRespect: 'Shows respect' },
};
const item = {
  rev: 1,
  anchor: null,
  start: 62.5,
  end: 63,
  quote: 'it *holds*',
  author: { id: 'a', kind: 'user' as const, name: 'Ann' },
  private: false,
  createdAt: '2024-01-01',
  editTimestamp: null,
  url: null,
};
const outcome: Outcome = {
  ...item,
  id: 'o',
  type: 'trust',
  text: 'Well # done',
  children: [{ type: 'trustRespect', grade: -1 }],
  grade: 3,
  automatic: false,
  wasAutomatic: false,
};
const comment = (id: string, text: string, more: Partial<Comment> = {}): Comment => ({
  ...item,
  id,
  text,
  parent: null,
  resolved: null,
  ...more,
});
const said: Said = {
  summary: [
    { id: 's', order: 1, text: 'First *this*\nand more' },
    { id: 't', order: 2, text: ' ' },
  ],
  outcomes: [outcome],
  comments: [
    comment('c', '', { author: { id: '', kind: 'deleted', name: '' } }),
    comment('d', 'Second', { parent: 'c', createdAt: '2024-01-03' }),
    comment('e', 'First', { parent: 'c', createdAt: '2024-01-02' }),
    comment('f', 'Lost', { parent: 'gone', quote: '' }),
  ],
  words,
};

describe('annotations in exports', () => {
  it('are below the text with their quotes, and escaped', () => {
    expect(writeMarkdown(empty, { times: true, speakers: true }, saidLists(said))).toBe(
      [
        '# Talk',
        '## Summary',
        '- First \\*this\\* and more',
        '## Outcomes',
        '- *00:01:02* **Trust 3 (Shows respect −)**: Well \\# done, Ann',
        '  > it \\*holds\\*',
        '## Comments',
        '- *00:01:02* It was deleted.',
        '  > it \\*holds\\*',
        '  - **Ann**: First',
        '  - **Ann**: Second',
        '- *00:01:02* **Ann**: Lost',
        '',
      ]
        .join('\n\n')
        .replace(/\n\n$/, '\n'),
    );
  });

  it('of an assessment have the grades of its sheet, with what was written about them', () => {
    const sheet = (type: string, grade: number | null, about: string, by: string) => ({
      ...{ key: type, type, grade, words: about, rev: 1, by },
    });
    const grades = [
      sheet('trust', 4, 'Well #', 'a'),
      sheet('trustRespect', -1, '', 'b'),
      sheet('presence', null, '', 'a'),
      sheet('listening', null, 'Hm', 'b'),
    ];
    const graders = new Map([['a', 'Ann']]);
    const [list] = saidLists({ grades, graders, outcomes: [outcome], words });
    expect(list?.title).toBe('Grades');
    expect(list?.lines.map(({ head, text, name }) => [head, text, name])).toEqual([
      ['Trust 4', 'Well #', 'Ann'],
      ['Shows respect −', '', ''],
      ['listening', 'Hm', ''],
    ]);
    expect(JSON.parse(writeJson(empty, { grades, words }))).toMatchObject({ grades });
  });

  it('mark private ones as private', () => {
    const own: Said = {
      summary: [{ id: 's', order: 1, text: 'Mine', private: true }],
      outcomes: [{ ...outcome, private: true }],
      comments: [comment('c', 'Hm', { private: true }), comment('d', 'Well', { parent: 'c' })],
      words,
    };
    const texts = saidLists(own).flatMap(({ lines }) => lines.flatMap(({ text, answers }) => [text, ...answers]));
    expect(texts).toEqual(['(private) Mine', '(private) Well # done', '(private) Hm', { name: 'Ann', text: 'Well' }]);
  });

  it('are in JSON as in the API, only the chosen lists', () => {
    const { summary = [], outcomes = [], comments = [] } = said;
    expect(JSON.parse(writeJson(empty, said))).toMatchObject({
      ...{ title: 'Talk', summary, outcomes, comments },
    });
    expect(JSON.parse(writeJson(empty, { comments: [], words }))).toEqual({
      title: 'Talk',
      lang: 'en',
      tags: [],
      transcript: { speakers: [], segments: [] },
      comments: [],
    });
    expect(JSON.parse(writeJson(empty))).not.toHaveProperty('comments');
  });

  it('are above the text in our own format, and ignored on import', () => {
    const turn = { id: 's', speaker: 'p', name: 'Ann', from: 1000, to: 2000, text: 'Well, it holds.' };
    const segment = { id: 's', speaker: 'p', text: turn.text, start: 0, from: 1000, to: 2000, words: [] };
    const speakers = [{ id: 'p', name: 'Ann', color: 0, sortId: 0 }];
    const document: SpokenDocument = {
      ...{ title: '', lang: 'de', tags: [], speakers, voices: ['Ann'], date: '', lasts: 2000 },
      turns: [{ ...turn, segment: segment as unknown as SpokenDocument['turns'][number]['segment'] }],
    };
    const odd: Said = { ...said, summary: [{ id: 's', order: 1, text: '# Length: 1 Language: fr' }] };
    for (const fileType of ['txt', 'docx'] as const) {
      const chosen = chosenOf('RAE', { fileType, summary: true, outcomes: true, comments: true });
      expect(chosen).toMatchObject({ summary: true, outcomes: true, comments: true });
      const page = writeTranscript('RAE', document, chosen, odd);
      const shown = firstLines(page, 100).join('\n');
      for (const part of ['Language: fr', 'Trust 3 (Shows respect −): Well # done, Ann', '“it *holds*”', 'Ann: First'])
        expect(shown).toContain(part);
      // A Word document has headings instead of the marks of a text.
      expect(shown.includes('> Outcomes')).toBe(fileType === 'txt');
      const parts = page.kind === 'docx' ? docxParts(page) : null;
      const source = page.kind === 'text' ? textSource(page.text) : readDocx((name) => parts?.get(name) ?? null);
      const { seed } = readTranscript(source, 'RAE');
      const spoken = seed.segments.map(({ text, words: all }) => text ?? all.map(({ w }) => w).join(' '));
      expect(spoken).toEqual(['Well, it holds.']);
      expect([seed.about?.title ?? '', seed.about?.lang]).toEqual(['', 'de']);
    }
  });
});

it('a Word document has comments on their words, headings, and facts in the language of its reader', () => {
  const turnOf = (id: string, from: number, text: string) => {
    const segment = { id, speaker: 'p', text, start: 0, from, to: from + 1000, words: [] };
    return { id, speaker: 'p', name: 'Ann', from, to: from + 1000, text, segment };
  };
  const document = {
    ...empty,
    turns: [turnOf('s', 0, 'Well, it holds.'), turnOf('t', 62_000, 'Yes, it holds <now>.')],
  };
  const quotes = new Map([['f', { quote: 'it holds <now>', before: 'it broke' }]]);
  const page = writeTranscript(
    'RAE',
    document as unknown as SpokenDocument,
    chosenOf('RAE', { fileType: 'docx' }),
    { ...said, comments: [comment('f', 'Lost'), comment('g', 'Found', { parent: 'f' })], quotes },
    { date: 'Дата', length: 'Длина', language: 'Язык', speakers: 'Кто', transcript: 'Расшифровка', unknown: '?' },
  );
  const parts = page.kind === 'docx' ? docxParts(page) : new Map<string, string>();
  const main = parts.get('word/document.xml') ?? '';
  const reference = (id: number) => `<w:commentRangeEnd w:id="${id}"/><w:r><w:commentReference w:id="${id}"/></w:r>`;
  expect(main).toContain(
    [
      '<w:r><w:t xml:space="preserve">Yes, </w:t></w:r><w:commentRangeStart w:id="0"/><w:commentRangeStart w:id="1"/>',
      `<w:r><w:t xml:space="preserve">it holds &lt;now&gt;</w:t></w:r>${reference(0)}${reference(1)}`,
    ].join(''),
  );
  const remarks = parts.get('word/comments.xml') ?? '';
  expect(remarks).toMatch(/w:author="Ann" w:initials="A"><w:p><w:r><w:t[^>]*>Lost \(was: it broke\)<.*>Found</);
  for (const heading of ['Summary', 'Outcomes', 'Расшифровка'])
    expect(main).toMatch(new RegExp(`"AnnotationHeading"/></w:pPr><w:r><w:t[^>]*>${heading}<`));
  expect(parts.get('word/styles.xml')).toContain('w:styleId="AnnotationHeading"><w:name w:val="heading 1"/>');
  expect(main).toContain('Длина:');
  // Equal words in a paragraph: they are on those said at their time, as far as the times of words are known.
  const text = 'Yes, it holds, and it holds again.';
  const spoken = [...text.matchAll(/\S+/g)].map(({ 0: one, index: at }, nth) => ({
    at,
    text: one,
    from: 61_500 + nth * 400,
  }));
  const twice = (at: number, typed = text) => {
    const segment = { ...turnOf('s', 61_500, typed).segment, words: spoken };
    const written = writeTranscript(
      'RAE',
      { ...empty, turns: [{ ...turnOf('s', 61_500, text), segment }] } as unknown as SpokenDocument,
      chosenOf('RAE', { fileType: 'docx' }),
      { comments: [comment('f', 'Lost', { start: at, quote: 'it holds' })], words },
    );
    const body = (written.kind === 'docx' ? docxParts(written) : parts).get('word/document.xml') ?? '';
    return body.replaceAll(/<w:commentRangeStart[^>]*>/g, '|').replaceAll(/<[^>]*>/g, '');
  };
  expect(twice(61.9)).toContain('Yes, |it holds, and it holds again.');
  expect(twice(63.1)).toContain('Yes, it holds, and |it holds again.');
  expect(twice(63.1, ` ${text}`)).toContain('Yes, |it holds, and it holds again.');
  // Without words they are on the title.
  const bare = writeTranscript('RAE', empty, chosenOf('RAE', { fileType: 'docx' }), {
    comments: [comment('f', 'Lost')],
    words,
  });
  const title = (bare.kind === 'docx' ? docxParts(bare) : parts).get('word/document.xml') ?? '';
  expect(title).toMatch(/<w:commentRangeStart w:id="0"\/>.*Talk.*<w:commentRangeEnd w:id="0"\/>/);
  const { seed } = readTranscript(
    readDocx((name) => parts.get(name) ?? null),
    'RAE',
  );
  expect(seed.segments).toHaveLength(2);
  expect([seed.about?.title, seed.about?.lang]).toEqual(['Talk', 'en']);
});

it('chapters are above the text, each with its time', () => {
  const contents = [
    { id: 'a', start: 0, title: 'Greeting' },
    { id: 'b', start: 75.5, title: 'The *goal*' },
  ];
  expect(writeMarkdown(empty, { times: true, speakers: true }, saidLists({ contents, words }))).toBe(
    '# Talk\n\n## Contents\n\n- *00:00:00* Greeting\n\n- *00:01:15* The \\*goal\\*\n',
  );
  expect(JSON.parse(writeJson(empty, { contents, words })).toc).toEqual(contents);
});

it('quotes are removed, because they may be hidden text; text in braces is hidden too', () => {
  const hidden = comment('c', 'Ask {Maria} about it', { quote: 'Maria Lop' });
  const page = (redacted: boolean) =>
    writeTranscript('RAE', empty, chosenOf('RAE', { comments: true, redacted }), { comments: [hidden], words });
  const text = (redacted: boolean) => firstLines(page(redacted), 20).join('\n');
  expect(text(false)).toContain('Maria Lop');
  expect(text(true)).toContain('Ask [redacted] about it');
  expect(text(true)).not.toContain('Maria');
  const json = writeTranscript('JSON', empty, chosenOf('JSON', { comments: true, redacted: true }), {
    comments: [{ ...hidden, text: 'It' }],
    words,
  });
  expect(firstLines(json, 20).join('')).not.toContain('Maria');
});
