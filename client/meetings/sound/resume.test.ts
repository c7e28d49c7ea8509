import { beforeEach, expect, it } from 'vitest';

import { storePosition, storedPosition } from './resume.ts';

let kept: Map<string, string>;
const store = {
  getItem: (key: string) => kept.get(key) ?? null,
  setItem: (key: string, value: string) => void kept.set(key, value),
};
beforeEach(() => {
  kept = new Map();
});

const minute = 60_000;

it.each([
  ['in the middle', 10 * minute, 60 * minute, 10 * minute],
  ['hardly begun', 4_999, 60 * minute, null],
  ['just begun', 5_000, 60 * minute, 5_000],
  ['played to the end', 60 * minute - 4_000, 60 * minute, null],
  ['unknown duration', 10 * minute, null, 10 * minute],
])('%s', (_name, ms, duration, expected) => {
  storePosition(store, 'ann', 'm', ms, duration, 1);
  expect(storedPosition(store, 'ann', 'm')).toBe(expected);
});

it('starts at the beginning after playback to the end', () => {
  storePosition(store, 'ann', 'm', minute, 2 * minute, 1);
  storePosition(store, 'ann', 'm', 2 * minute, 2 * minute, 2);
  expect(storedPosition(store, 'ann', 'm')).toBeNull();
});

it('is stored by person and recording', () => {
  storePosition(store, 'ann', 'm', minute, null, 1);
  storePosition(store, 'ann', 'n', 2 * minute, null, 2);
  expect([
    storedPosition(store, 'ben', 'm'),
    storedPosition(store, 'ann', 'n'),
    storedPosition(store, 'ann', 'm'),
  ]).toEqual([null, 2 * minute, minute]);
});

it('stores the last two hundred positions', () => {
  for (let i = 0; i < 205; i += 1) storePosition(store, 'ann', `m${i}`, minute + i, null, i);
  expect(storedPosition(store, 'ann', 'm4')).toBeNull();
  expect(storedPosition(store, 'ann', 'm5')).toBe(minute + 5);
  expect(storedPosition(store, 'ann', 'm204')).toBe(minute + 204);
});

it.each(['nonsense', 'null', '[]', '{"m":7}', '{"m":{"ms":"1","at":1}}'])('reads nothing out of %s', (text) => {
  kept.set('colloquy-places:ann', text);
  expect(storedPosition(store, 'ann', 'm')).toBeNull();
  storePosition(store, 'ann', 'm', minute, null, 1);
  expect(storedPosition(store, 'ann', 'm')).toBe(minute);
});
