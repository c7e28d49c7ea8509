import { expect, test } from 'vitest';
import type { HeardSegment } from '#shared/meetings/heard.ts';
import { readLocal, type Stretch, type Turn } from './local-answer.ts';

const stretch = (more: Partial<Stretch>): Stretch => ({
  ...{ from: 0, to: 10_000, text: '', tokens: [], timestamps: [] },
  ...more,
});
const plainly = (segments: readonly HeardSegment[]) =>
  segments.flatMap(({ words }) => words.map(({ text, from, to }) => [text, from, to]));
const saidBy = (segments: readonly HeardSegment[]) =>
  segments.map(({ speaker, words }) => `${speaker}: ${words.map(({ text }) => text).join(' ')}`);

test('tokens become words with times relative to their span', () => {
  const heard = readLocal(
    {
      stretches: [
        stretch({
          from: 5000,
          to: 9000,
          text: " Well, I don't.",
          tokens: [' We', 'll', ',', ' I', ' d', 'on', "'", 't', '.'],
          timestamps: [0.08, 0.24, 0.4, 0.72, 0.88, 1.04, 1.12, 1.2, 1.36],
          durations: [0.16, 0.16, 0, 0.08, 0.16, 0.08, 0.08, 0.16, 0],
        }),
      ],
      turns: [],
    },
    60_000,
  );
  expect(plainly(heard)).toEqual([
    ['Well,', 5080, 5400],
    ['I', 5720, 5800],
    ["don't.", 5880, 6360],
  ]);
  expect(heard.every(({ speaker }) => speaker === null)).toBe(true);
});

test('a token without a duration lasts until the next one, up to a limit', () => {
  const tokens = ['▁HELLO', '▁WOR', 'LD'];
  const heard = readLocal(
    { stretches: [stretch({ text: ' HELLO WORLD', tokens, timestamps: [0.2, 1.5, 1.7], durations: [] })], turns: [] },
    10_000,
  );
  expect(plainly(heard)).toEqual([
    ['HELLO', 200, 600],
    ['WORLD', 1500, 2100],
  ]);
});

test('the confidence of a word is the lowest of its tokens', () => {
  const heard = readLocal(
    {
      stretches: [
        stretch({
          text: ' good morning',
          tokens: [' good', ' mor', 'ning'],
          timestamps: [0, 1, 1.2],
          ys_log_probs: [-0.1, Math.log(0.5), Math.log(0.25)],
        }),
      ],
      turns: [],
    },
    10_000,
  );
  expect(heard[0]?.words.map(({ confidence }) => confidence)).toEqual([Math.exp(-0.1), 0.25]);
});

test('Chinese characters are words; partial bytes are skipped', () => {
  const heard = readLocal(
    {
      stretches: [
        stretch({
          text: '我们开始 café',
          tokens: ['我', '们', '开', '始', ' caf', '<0xC3>', '<0xA9>'],
          timestamps: [0, 0.2, 0.4, 0.6, 1, 1.2, 1.2],
        }),
      ],
      turns: [],
    },
    10_000,
  );
  expect(heard.flatMap(({ words }) => words.map(({ text }) => text)).join('')).toBe('我们开始café');
  expect(heard[0]?.words.at(-1)?.estimated).toBe(true);
  expect(heard[0]?.words[0]).toMatchObject({ from: 0 });
});

test('words of timed sentences get estimated times', () => {
  const heard = readLocal(
    {
      stretches: [
        stretch({
          from: 2000,
          to: 8000,
          text: ' One two. Three four.',
          tokens: [' One', ' two', '.', ' Three', ' four', '.'],
          segment_texts: [' One two.', ' Three four.'],
          segment_timestamps: [0.5, 3],
          segment_durations: [1.5, 2],
        }),
      ],
      turns: [],
    },
    60_000,
  );
  const [one, two, three, four] = plainly(heard);
  expect([one?.[1], three?.[1]]).toEqual([2500, 5000]);
  expect(two?.[2]).toBeLessThanOrEqual(4000);
  expect(four?.[2]).toBeLessThanOrEqual(7000);
  expect(heard.every(({ words }) => words.every(({ estimated }) => estimated))).toBe(true);
});

test('spans without words give no segments', () => {
  expect(readLocal({ stretches: [], turns: [] }, 1000)).toEqual([]);
  const turns = [{ start: 0, end: 1, speaker: 0 }];
  expect(readLocal({ stretches: [stretch({ text: ' ' })], turns }, 1000)).toEqual([]);
});

const sentence = stretch({
  text: ' a b c d e f',
  tokens: [' a', ' b', ' c', ' d', ' e', ' f'],
  timestamps: [0, 1, 2, 3, 4, 5],
  durations: [0.9, 0.9, 0.9, 0.9, 0.9, 0.9],
});

test.for<[string, Turn[], string[]]>([
  [
    'one speaker after the other',
    [
      { start: 0, end: 3, speaker: 4 },
      { start: 3, end: 6, speaker: 1 },
    ],
    ['voice 1: a b c', 'voice 2: d e f'],
  ],
  [
    'a short interjection during a word',
    [
      { start: 0, end: 6, speaker: 0 },
      { start: 2.9, end: 3.95, speaker: 1 },
    ],
    ['voice 1: a b c d e f'],
  ],
  [
    'a single speaker for one word',
    [
      { start: 0, end: 3, speaker: 0 },
      { start: 3, end: 4, speaker: 1 },
      { start: 4, end: 6, speaker: 0 },
    ],
    ['voice 1: a b c', 'voice 2: d', 'voice 1: e f'],
  ],
  [
    'a word outside all speakers',
    [
      { start: 0, end: 1.9, speaker: 0 },
      { start: 4, end: 6, speaker: 1 },
    ],
    ['voice 1: a b c', 'voice 2: d e f'],
  ],
  [
    'a word across two speakers',
    [
      { start: 0, end: 2.3, speaker: 0 },
      { start: 2.3, end: 6, speaker: 1 },
    ],
    ['voice 1: a b', 'voice 2: c d e f'],
  ],
  ['no speakers', [], ['null: a b c d e f']],
])('the speaker of a word: %s', ([, turns, expected]) => {
  expect(saidBy(readLocal({ stretches: [sentence], turns }, 10_000))).toEqual(expected);
});
