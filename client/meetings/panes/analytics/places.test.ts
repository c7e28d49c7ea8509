import { describe, expect, it } from 'vitest';
import { analyse } from '#shared/meetings/analytics.ts';
import type { PlainSegment } from '#shared/meetings/plain.ts';
import { nextAfter, placesOf } from './places.ts';

const said = (speaker: string, start: number, end: number, text: string): PlainSegment => ({
  id: `${speaker}${start}`,
  speaker,
  start,
  end,
  text,
  words: text.split(' ').flatMap((w) => (w === '' ? [] : [{ w, f: start, t: end }])),
});

const ten = 'one two three four five six seven eight nine ten';
const talk = [
  said('a', 1, 4, 'What do you want?'),
  said('b', 4, 10, `${ten}.`),
  said('b', 10, 12, ten),
  said('c', 12, 13, ''),
  said('a', 20, 21, 'Why? And when?'),
  said('b', 21, 26, ten),
  said('a', 24, 25, 'Yes.'),
];

describe('passages behind the figures', () => {
  const { voices, silence } = placesOf(talk);

  it.each([
    ['a', { longest: 1000, fastest: null, turns: [1000, 20_000, 24_000], questions: [1000, 20_000] }],
    ['b', { longest: 4000, fastest: 10_000, turns: [4000, 21_000], questions: [] }],
  ])('finds those of speaker %s', (speaker, places) => expect(voices.get(speaker)).toEqual(places));

  it('leaves out a speaker without words', () => expect(voices.has('c')).toBe(false));

  it('finds the longest silence, also before the first word', () => {
    expect(silence).toBe(12_000);
    expect(placesOf([said('a', 30, 40, 'Yes.'), said('a', 45, 46, 'No.')]).silence).toBe(0);
    expect(placesOf([said('a', 0, 40, 'Yes.'), said('b', 10, 20, 'No.')]).silence).toBeNull();
    expect(placesOf([])).toEqual({ voices: new Map(), silence: null });
  });

  it('finds as many turns as the analytics count', () => {
    for (const { speaker, turns } of analyse(talk).speakers) expect(voices.get(speaker)?.turns.length).toBe(turns);
  });
});

describe('next passage after a time', () => {
  it.each([
    [[100, 500, 900], 0, 100],
    [[100, 500, 900], 100, 500],
    [[100, 500, 900], 460, 900],
    [[100, 500, 900], 900, 100],
    [[0, 500], 0, 500],
    [[7], 7, 7],
    [[], 7, null],
  ])('%j from %i: %s', (places, now, next) => expect(nextAfter(places, now)).toBe(next));
});
