import { expect, test } from 'vitest';
import { glanceOf, lanesIn } from './glance.ts';

const opening = (...texts: string[]) =>
  glanceOf(
    texts.map((text, nth) => ({ text, from: nth, to: nth + 1, color: 0 })),
    texts.length,
  ).opening;

test('each part has the colour of who speaks most in it, and how much is spoken', () => {
  const { lanes } = glanceOf(
    [
      { text: 'a', from: 0, to: 4000, color: 0 },
      { text: 'b', from: 4000, to: 4400, color: 3 },
      { text: 'c', from: 4400, to: 5000, color: 1 },
      { text: 'd', from: 79_500, to: 80_000, color: null },
    ],
    80_000,
  );
  const parts = lanesIn(lanes);
  expect(parts).toHaveLength(80);
  expect(parts.slice(0, 6)).toEqual([
    ...Array.from({ length: 4 }, () => ({ color: 0, share: 1 })),
    { color: 1, share: 1 },
    null,
  ]);
  expect(parts.slice(-2)).toEqual([null, { color: null, share: 0.5 }]);
});

test('a talk without times has no lanes', () => {
  expect(glanceOf([{ text: 'Hello.', from: 0, to: 0, color: 0 }], 0)).toEqual({ lanes: '', opening: 'Hello.' });
});

test.each([
  [['Good morning to all of you. Shall we start?'], 'Good morning to all of you.'],
  [['Yes.', 'Good.', 'Then we start with the goal. Tom?'], 'Yes. Good. Then we start with the goal.'],
  [['word '.repeat(60)], `${'word '.repeat(32).trim()}…`],
  [['字'.repeat(200)], `${'字'.repeat(160)}…`],
  [['😀'.repeat(170)], `${'😀'.repeat(160)}…`],
])('it begins with the first sentence, or a part of it: %j', (texts, shown) => {
  expect(opening(...texts)).toBe(shown);
});

test.each([
  [['I am {John Smith}, hello.'], 'I am hello.'],
  [['I am {John}athan.'], 'I am'],
  [['I am ｛约翰｝ here.'], 'I am here.'],
  [['Before {one', 'two', 'three} after.'], 'Before after.'],
  [['Before {one {two} three} after.'], 'Before after.'],
  [['Before {one', 'never closed.'], 'Before'],
  [['Stray} brace is no hiding place for anybody.'], 'brace is no hiding place for anybody.'],
])('it says nothing that is in curly braces: %j', (texts, shown) => {
  expect(opening(...texts)).toBe(shown);
});
