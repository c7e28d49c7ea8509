// Sizes of jumps are stored in the browser; whatever else is stored there, a jump has an offered size.
import { expect, it } from 'vitest';

import { storedJumps, storeJump } from './stored-jumps.ts';

function storeOf(values: Record<string, string> = {}) {
  const held = new Map(Object.entries(values));
  return {
    getItem: (key: string) => held.get(key) ?? null,
    setItem: (key: string, value: string) => void held.set(key, value),
  };
}

it('are two and ten seconds until others are chosen', () => {
  const store = storeOf();
  expect(storedJumps(store)).toEqual({ short: 2_000, long: 10_000 });
  storeJump(store, 'long', 30_000);
  storeJump(store, 'short', 5_000);
  expect(storedJumps(store)).toEqual({ short: 5_000, long: 30_000 });
});

it.each(['', 'x', '-3', '7', '1e9'])('are the usual ones where %o is stored', (value) => {
  const store = storeOf({ 'colloquy-jump-short': value, 'colloquy-jump-long': value });
  expect(storedJumps(store)).toEqual({ short: 2_000, long: 10_000 });
});

it('are the usual ones where storage is refused', () => {
  const refusing = {
    getItem: (): string => {
      throw new Error('refused');
    },
    setItem: () => {
      throw new Error('refused');
    },
  };
  expect(storedJumps(refusing)).toEqual({ short: 2_000, long: 10_000 });
  expect(() => storeJump(refusing, 'short', 1_000)).not.toThrow();
});
