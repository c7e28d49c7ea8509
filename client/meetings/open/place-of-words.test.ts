// A hit opens on the word that was found, not on another one like it.
import { expect, test } from 'vitest';
import { placeOfWords } from './place-of-words.ts';

const segment = (text: string, from: number, pace = 1000) => ({
  text,
  words: [...text.matchAll(/\S+/g)].map(({ 0: one, index }, nth) => ({
    ...{ at: index, text: one, from: from + nth * pace, to: from + nth * pace + pace },
    ...{ estimated: false, confidence: null, flags: 0, source: null },
  })),
});

test('of the same words, those nearest to the time are meant', () => {
  const said = [segment('plan the plan', 0), segment('a plan', 10_000)];
  expect(placeOfWords(said, 0, 2000, 'plan')).toEqual({ segment: 0, at: 9 });
  expect(placeOfWords(said, 0, 0, 'plan')).toEqual({ segment: 0, at: 0 });
  expect(placeOfWords(said, 1, 11_000, 'plan')).toEqual({ segment: 1, at: 2 });
  expect(placeOfWords(said, 0, 0, 'gone')).toBeNull();
});

test('without times the nearest paragraph counts', () => {
  const written = [segment('plan', 0, 0), segment('a plan', 0, 0), segment('plan', 0, 0)];
  expect(placeOfWords(written, 1, 0, 'plan')).toEqual({ segment: 1, at: 2 });
});
