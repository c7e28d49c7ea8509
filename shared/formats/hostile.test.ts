// Files made to cost their reader much: none costs many times what a plain file of the same length does.
import { expect, test } from 'vitest';
import { readCarried, restore } from './carried.ts';
import type { ImportFormat } from './formats.ts';
import { readDocx } from './read-docx.ts';
import { likeliest, readTranscript } from './read.ts';
import { textSource } from './source.ts';
import { toSeed, wordsOf } from './spread.ts';
import { readXml } from './xml.ts';

const bytes = 150_000;
const filled = (line: string, size = bytes): string => line.repeat(Math.ceil(size / line.length)).slice(0, size);
const blanks = (count: number): string => ' '.repeat(count);

/** Both kinds of time: the system measures their sum, and only guesses how much of it is which. */
const used = (work: () => void): number => {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
};

/**
 * Expects the first work to cost less than `times` the second. Of each the cheapest round counts, because other load and
 * collected garbage only add. Work that costs too much does so in each of the many rounds it then gets.
 */
function expectCheap(hostile: () => void, plain: () => void, times: number): void {
  let [most, least] = [Infinity, Infinity];
  for (let round = 0; round < 3 || (round < 20 && most >= times * least); round += 1) {
    least = Math.max(Math.min(least, used(plain)), 1000);
    most = Math.min(most, used(hostile));
  }
  expect(most / least).toBeLessThan(times);
}

/** Far above what any of these cost now, and far below what each of them cost before. */
const bound = 6;
/** For a text four times as long: quadratic work would cost sixteen times as much. */
const longer = 12;

const honest = (width: number): string => filled(`${'word '.repeat(Math.floor(width / 5))}\n\n`);

test.each<[string, string, number]>([
  ['blanks within a short line', `a${blanks(136)}b\n\n`, 140],
  ['blanks before a time', `a${blanks(125)}b 0:99\n\n`, 140],
  ['blanks behind a name', `Ann:${blanks(130)}b\n\n`, 140],
  ['blanks behind a time in brackets', `[00:00:01]${blanks(120)}b\n\n`, 140],
  ['blanks in brackets', `[a]${blanks(100)}(0:00 -${blanks(20)}x)\n\n`, 140],
  ['brackets', `${'['.repeat(60)}${']'.repeat(60)} (0:00)\n\n`, 140],
  ['blanks before what is no date', `a${blanks(390)}b (Completed x)\n\n`, 400],
  ['names of a program in no brackets', `(${'TurboScribe'.repeat(36)}(\n\n`, 400],
  ['blanks in a tag', `00:00:01.000 --> 00:00:02.000\n<v${blanks(390)}\n\n`, 400],
  ['colons', `${'a:'.repeat(60)}\n\n`, 140],
  ['digits', `${'1:'.repeat(60)}\n\n`, 140],
  ['backslashes', `${'\\'.repeat(390)}\n\n`, 400],
])('lines with %s', (_, line, width) => {
  const [hostile, plain] = [textSource(filled(line)), textSource(honest(width))];
  // All readers, one after the other.
  expectCheap(
    () => likeliest(hostile),
    () => likeliest(plain),
    bound,
  );
});

/** One line, or one word, of the whole file. */
const whole: [string, ImportFormat, (size: number) => string][] = [
  ['exclamation marks', 'OTTERAI', (size) => `Ann  0:00  \n${'!'.repeat(size)}x\n`],
  ['Chinese letters', 'OTTERAI', (size) => `Ann  0:00  \n${'今天我们讨论计划'.repeat(size / 3.2)}\n`],
  ['blanks', 'OTTERAI', (size) => `Ann  0:00  \nx${blanks(size)}x\n`],
  ['tags', 'TRME', (size) => `S1: 00:00:01 x\n${'[a]'.repeat(size / 3)}x\n`],
  ['tags with a time', 'REV', (size) => `Ann (00:00:02):\n${'[a 00:04]'.repeat(size / 40)}\n`],
  ['angle brackets', 'ZOOM', (size) => `WEBVTT\n\n00:00:01.000 --> 00:00:02.000\n${'<v '.repeat(size / 3)}\n`],
  [
    'parts of a language',
    'RAE',
    (size) => `# Language: ab${'-ab'.repeat(size / 3)}!\n[00:00:00.000 - 00:00:01.000] A:\nx\n`,
  ],
];
test.each(whole)('one line of %s', (_, format, text) => {
  const [small, large] = [text(20_000), text(80_000)];
  expectCheap(
    () => readTranscript(textSource(large), format),
    () => readTranscript(textSource(small), format),
    longer,
  );
});

const inDocx = (body: string): string =>
  `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${body}</w:body></w:document>`;
const readBody = (body: string) => void readDocx((name) => (name === 'word/document.xml' ? inDocx(body) : null));
const said = (text: string): string => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;

test('a table in a table, two hundred deep', () => {
  const text = said(filled('word ', 300_000));
  const deep = `${'<w:tr><w:tc>'.repeat(200)}${text}${'</w:tc></w:tr>'.repeat(200)}`;
  expectCheap(
    () => readBody(deep),
    () => readBody(text),
    bound,
  );
});

test('attributes without a value', () => {
  const read = (tag: string) =>
    readXml(`<a>${`<b ${tag}/>`.repeat(5)}</a>`, {
      open: (_, attribute) => void attribute('x'),
      close: () => {},
      text: () => {},
    });
  expectCheap(
    () => read('a'.repeat(19_000)),
    () => read('a="b" '.repeat(3000)),
    bound,
  );
});

test('hidden data whose words are found at the end alone', () => {
  const work = (count: number) => {
    const text = `${'x '.repeat(count)}y`;
    const carried = readCarried(
      `<transcript><segment id="a" speaker=""><text>${text}</text><words>${count * 2},1,0,1,0,</words></segment></transcript>`,
    );
    const line = { line: 1, speaker: '', pieces: [{ text: `z ${text} z`, from: 0, to: null }] };
    if (!carried) throw new Error('not read');
    restore(toSeed({ turns: [line], heads: 1, skipped: 0 }), carried);
  };
  expectCheap(
    () => work(40_000),
    () => work(10_000),
    longer,
  );
});

test('hidden data that parts from the text in the smallest of steps', () => {
  /** Each element is unique only once its neighbours are paired. */
  const list = (count: number, junk: string): string =>
    Array.from({ length: count }, (_, i) => `x${i + 2} x${i + 1} ${junk}`).join(' ');
  const work = (count: number) => {
    const text = list(count, 'b');
    const at = [...text.matchAll(/\S+/g)].map((match) => `${match.index},${match[0].length},0,1,0,`).join(' ');
    const carried = readCarried(
      `<transcript><segment id="a" speaker=""><text>${text}</text><words>${at}</words></segment></transcript>`,
    );
    if (!carried) throw new Error('not read');
    const line = { line: 1, speaker: '', pieces: [{ text: list(count, 'a'), from: 0, to: null }] };
    restore(toSeed({ turns: [line], heads: 1, skipped: 0 }), carried);
  };
  expectCheap(
    () => work(8000),
    () => work(2000),
    longer,
  );
});

test('a long run of Chinese keeps all its words', () => {
  const text = '今天我们讨论计划，然后回家。'.repeat(500);
  const words = wordsOf(text);
  expect(words.map(({ w }) => w).join('')).toBe(text);
  expect(words.every(({ at, w }) => text.startsWith(w, at))).toBe(true);
  expect(new Set(words.map(({ w }) => w)).size).toBeLessThan(12);
});
