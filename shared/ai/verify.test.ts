// Quotes are checked before an answer is shown (shared/ai/verify.ts): no altered quote passes, each true one is found.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { linesOf, longestLine } from './lines.ts';
import { quoteFinder } from './verify.ts';

const words: Record<string, string[]> = {
  en: ['we', 'agree', 'not', 'budget', 'the', 'plan', 'naïve', "don't", '3.5', '35', 'Straße', 'AI'],
  es: ['reunión', 'mañana', 'no', 'años', 'cigüeña', 'decisiones', 'sí', 'el', 'presupuesto'],
  ru: ['решение', 'принято', 'не', 'йод', 'бюджет', 'ещё', 'собрание', 'мы'],
  zh: ['我们', '不', '同意', '预算', '会议', '决定', '明天', '二〇二六年'],
};
const glueOf = (lang: string) => (lang === 'zh' ? '' : ' ');
const mark = fc.constantFrom('', '', '', ',', '.', '!', ' –', '…');

const talks = fc.constantFrom(...Object.keys(words)).chain((lang) =>
  fc.record({
    lang: fc.constant(lang),
    paragraphs: fc.array(fc.array(fc.constantFrom(...(words[lang] ?? [])), { minLength: 6, maxLength: 30 }), {
      minLength: 1,
      maxLength: 6,
    }),
    pick: fc.record({
      paragraph: fc.nat(),
      from: fc.nat(),
      length: fc.nat(),
      loud: fc.boolean(),
      marks: fc.array(mark),
    }),
    change: fc.record({ kind: fc.constantFrom('other', 'drop', 'swap', 'clip', 'add'), at: fc.nat(), word: fc.nat() }),
  }),
);
type Talk = typeof talks extends fc.Arbitrary<infer T> ? T : never;

/** As a model may write it down: other capitals, other marks between the words. */
const written = ({ lang, pick }: Talk, list: readonly string[]) => {
  const text = list.map((word, i) => word + (pick.marks[i] ?? '')).join(glueOf(lang));
  return pick.loud ? text.toUpperCase() : text;
};

const plain = (word: string) => word.toLowerCase();

/** True if the talk has these words in a row; found in another way than by the code under test. */
const isSaid = ({ lang, paragraphs }: Talk, list: readonly string[]) =>
  paragraphs.some((paragraph) =>
    lang === 'zh'
      ? paragraph.join('').includes(list.join(''))
      : ` ${paragraph.map(plain).join(' ')} `.includes(` ${list.map(plain).join(' ')} `),
  );

function changed({ lang, change }: Talk, list: readonly string[]): string[] {
  const at = change.at % list.length;
  const own = words[lang] ?? [];
  const word = own[change.word % own.length] ?? '';
  const [one = '', next = ''] = [list[at], list[at + 1]];
  const before = list.slice(0, at);
  if (change.kind === 'other') return [...before, word, ...list.slice(at + 1)];
  if (change.kind === 'drop') return [...before, ...list.slice(at + 1)];
  if (change.kind === 'add') return [...before, word, ...list.slice(at)];
  if (change.kind === 'clip') return [...before, [...one].slice(0, -1).join(''), ...list.slice(at + 1)].filter(Boolean);
  return [...before, ...(next ? [next] : []), one, ...list.slice(at + 2)];
}

function holds(finder: typeof quoteFinder): boolean {
  const property = fc.property(talks, (talk) => {
    const { lang, paragraphs, pick } = talk;
    const glue = glueOf(lang);
    const spoken = paragraphs.map((list, nth) => ({ name: 'Ann', from: nth * 1000, text: `${list.join(glue)}.` }));
    const lines = linesOf(spoken);
    const find = finder(lines);
    const nth = pick.paragraph % paragraphs.length;
    const paragraph = paragraphs[nth] ?? [];
    const from = pick.from % (paragraph.length - 5);
    const list = paragraph.slice(from, from + 6 + (pick.length % 10));
    const place = find({ line: nth + 1, quote: written(talk, list) });
    const said = place && spoken[place.paragraph]?.text.slice(place.from, place.to);
    if (place?.paragraph !== nth || plain(said ?? '') !== plain(list.join(glue))) return false;
    const other = changed(talk, list);
    return isSaid(talk, other) || find({ line: nth + 1, quote: written(talk, other) }) === null;
  });
  return !fc.check(property, { numRuns: 10_000, seed: 20_261_124 }).failed;
}

test('in 10,000 random texts each true quote is found where it is, and no altered one is', () => {
  expect(holds(quoteFinder)).toBe(true);
});

test('without the check the same search fails', () => {
  const first: typeof quoteFinder = (lines) => (cite) =>
    quoteFinder(lines)(cite) ?? { line: 1, paragraph: 0, from: 0, to: 1 };
  expect(holds(first)).toBe(false);
});

describe('a quote', () => {
  const spoken = [
    { name: 'Ann', from: 0, text: 'We cannot pay 3.5 % more, I’m sure. Not this year.' },
    { name: 'Ben', from: 5000, text: 'We cannot pay. Cool temperatures: -5 degrees in June.' },
    { name: 'Ann', from: 9000, text: '我们不同意今年的预算，下次再说。AI会议室' },
    { name: 'Ben', from: 12_000, text: 'This is said twice.' },
    { name: 'Ann', from: 15_000, text: 'So so so.' },
    { name: 'Ben', from: 18_000, text: 'Nothing more of it.' },
    { name: 'Ann', from: 20_000, text: 'This is said twice.' },
  ];
  const find = quoteFinder(linesOf(spoken));
  const textOf = (line: number, quote: string) => {
    const place = find({ line, quote });
    return place && `${place.paragraph} ${spoken[place.paragraph]?.text.slice(place.from, place.to)}`;
  };

  test.each([
    [1, "we CANNOT pay 3.5% more – I'm sure", '0 We cannot pay 3.5 % more, I’m sure'],
    [1, 'we cannot pay 35 % more', null],
    [1, 'we cannot pay 3.5 more', null],
    [1, 'we can pay 3.5 % more', null],
    [1, 'e cannot pay 3.5', null],
    [2, 'temperatures -5 degrees', '1 temperatures: -5 degrees'],
    [2, 'temperatures 5 degrees', null],
    [2, 'year we cannot pay', null],
    [3, '不同意今年的预算', '2 不同意今年的预算'],
    [3, '同意今年', null],
    [3, '我们同意今年的预算', null],
    [3, 'I会议室下次再说', null],
    [1, 'cannot pay', null],
    [2, 'we cannot pay', '1 We cannot pay'],
    [99, '不同意今年的预算', '2 不同意今年的预算'],
    [99, 'this is said twice', null],
    [3, 'this is said twice', '3 This is said twice'],
    [7, 'this is said twice', '6 This is said twice'],
    [1, 'this is said twice', null],
    [1, '', null],
    [1, '— … !', null],
  ])('of line %i, %j: %j', (line, quote, found) => expect(textOf(line, quote)).toBe(found));

  test('reaches over the cut of a long paragraph, and never into the next one', () => {
    const long = Array.from({ length: 400 }, (_, nth) => `word${nth}`).join(' ');
    const cut = linesOf([{ name: '', from: 0, text: long }]);
    expect(cut.length).toBeGreaterThan(2);
    expect(Math.max(...cut.map(({ text }) => text.length))).toBeLessThanOrEqual(longestLine);
    expect(cut.map(({ text }) => text).join('')).toBe(long);
    const last = cut[0]?.text.trim().split(' ').at(-1) ?? '';
    const next = Number(last.slice(4)) + 1;
    const quote = `${last} word${next} word${next + 1}`;
    const place = quoteFinder(cut)({ line: 1, quote });
    expect(place && long.slice(place.from, place.to)).toBe(quote);
  });
});
