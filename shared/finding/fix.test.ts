import { expect, test } from 'vitest';
import { fixText, trimmed, type Fixing } from './fix.ts';

const at = (before: string, words: string, after: string, to: string, start: number | null = null): Fixing => ({
  ...{ before, words, after, to, start },
});

test('a place is found by the words around it, and nowhere else', () => {
  const text = 'An art of parts, art and art.';
  const fixed = fixText(text, [at('of parts, ', 'art', ' and', 'craft')], () => null);
  expect(fixed.text).toBe('An art of parts, craft and art.');
  expect(fixed.missed).toEqual([]);
  const gone = at('of parts ', 'art', ' and', 'craft');
  expect(fixText(text, [gone], () => null)).toEqual({ text, done: [], missed: [gone] });
  // Letters within another word are no place.
  expect(fixText('parts', [at('', 'art', '', 'craft')], () => null).done).toEqual([]);
});

test('equal words are told apart by their times, and each is taken once', () => {
  const text = 'no no no';
  const startOf = (from: number) => from;
  expect(fixText(text, [at('', 'no', '', 'yes', 6)], startOf).text).toBe('no no yes');
  expect(fixText(text, [at('', 'no', '', 'yes', 3), at('', 'no', '', 'yes', 3)], startOf).text).toMatch(
    /^(yes yes no|no yes yes)$/,
  );
  expect(fixText('no', [at('', 'no', '', 'yes'), at('', 'no', '', 'yes')], startOf)).toMatchObject({
    text: 'yes',
    missed: [{ words: 'no' }],
  });
});

test('what was done leads back to the text as it was', () => {
  const words = ['fig', 'a', 'pear', 'fig', '汉字', 'при', 'fig'];
  for (let seed = 1; seed < 400; seed += 1) {
    let state = seed;
    const next = (most: number) => {
      state = (state * 48_271) % 2_147_483_647;
      return state % most;
    };
    const text = Array.from({ length: 2 + next(30) }, () => words[next(words.length)]).join(' ');
    const places = [...text.matchAll(/(?<!\S)fig(?!\S)/g)]
      .filter(() => next(3) > 0)
      .map(({ index }) =>
        at(
          text.slice(Math.max(0, index - 12), index),
          'fig',
          text.slice(index + 3, index + 15),
          next(2) === 0 ? 'plum' : 'two figs',
          index,
        ),
      );
    const fixed = fixText(text, places, (from) => from);
    expect(fixed.done).toHaveLength(places.length);
    // Times move with the text.
    const back = fixText(fixed.text, fixed.done, () => null);
    expect(back.missed).toEqual([]);
    expect(back.text).toBe(text);
  }
});

test('signs for text that is left out are no part of a place', () => {
  expect(trimmed({ start: 1, before: '… a ', words: 'b', after: ' c …' })).toEqual({
    start: 1,
    before: 'a ',
    words: 'b',
    after: ' c',
  });
});
