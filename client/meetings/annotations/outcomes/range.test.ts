// Handles of an outcome's range (issue: range of an outcome): ends lie at words, across paragraphs, and keep one word.
import { describe, expect, it } from 'vitest';
import type { Reading } from '#shared/meetings/words.ts';

import { endAt, moved, stepped, type Range } from './range.ts';

/** Reading of paragraphs; each begins with a boundary of one character. */
function readingOf(...paragraphs: string[]): Reading {
  const starts: number[] = [];
  let length = 0;
  const segments = paragraphs.map((text, i) => {
    length += 1;
    starts.push(length);
    length += text.length;
    const words = [...text.matchAll(/\S+/g)].map(({ index, 0: word }) => ({ at: index, text: word }));
    return { id: String(i), text, words };
  });
  return { segments, starts, length } as unknown as Reading;
}

const reading = readingOf('One two three', '', 'four five');
const all = ' One two three  four five';
const words = ({ from, to }: Range) => all.slice(from, to).trim().replace(/\s+/g, ' ');
const two = { from: 5, to: 8 };

describe('an end of a range', () => {
  it.each([
    ['end', 1, 'two three'],
    ['end', -1, 'two'],
    ['start', -1, 'One two'],
    ['start', 1, 'two'],
  ] as const)('goes a word further: %s by %i', (side, way, is) => {
    expect(words(stepped(reading, two, side, way))).toBe(is);
  });

  it('goes through paragraphs, empty ones, too, and stops where the text ends', () => {
    let range: Range = two;
    const seen = Array.from({ length: 5 }, () => words((range = stepped(reading, range, 'end', 1))));
    expect(seen).toEqual([
      'two three',
      'two three four',
      'two three four five',
      'two three four five',
      'two three four five',
    ]);
    for (let i = 0; i < 9; i += 1) range = stepped(reading, range, 'end', -1);
    expect(words(range)).toBe('two');
  });

  it.each([
    ['end', 0, 'two'],
    ['end', 12, 'two three'],
    ['end', 17, 'two three four'],
    ['end', 999, 'two three four five'],
    ['start', 2, 'One two'],
    ['start', 20, 'two'],
    ['start', -5, 'One two'],
  ] as const)('is put at the nearest word: %s at %i', (side, at, is) => {
    expect(words(moved(reading, two, side, at))).toBe(is);
  });

  it('stays as it is in a text without words', () => {
    expect(moved(readingOf(''), { from: 1, to: 1 }, 'end', 1)).toEqual({ from: 1, to: 1 });
  });

  it('is remembered by its paragraph', () => {
    expect(endAt(reading, 8)).toEqual({ segment: '0', text: 'One two three', at: 7 });
    expect(endAt(reading, 99)).toEqual({ segment: '2', text: 'four five', at: 9 });
  });
});
