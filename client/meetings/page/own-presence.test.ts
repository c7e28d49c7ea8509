import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Awareness } from 'y-protocols/awareness';
import * as Y from 'yjs';

import { Signal } from '#shared/signal.ts';

import type { Player } from '../sound/player.ts';
import { tellOwn } from './own-presence.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A page whose player is moved by hand, and the times at which it told its position. */
function page() {
  const state = { playing: false, rate: 1 };
  let ms = 0;
  const moved = new Signal<number>();
  const changed = new Signal();
  const player = {
    get ms() {
      return ms;
    },
    now: () => state,
    onTime: moved.subscribe,
    subscribe: changed.subscribe,
  } as unknown as Player;
  const doc = new Y.Doc();
  const awareness = new Awareness(doc);
  const end = tellOwn(doc, awareness, player);
  const told: { at: number; listening: boolean; rate: number; when: number }[] = [];
  awareness.on('update', () => {
    const own = awareness.getLocalState() as (typeof told)[number] | null;
    if (own) told.push({ at: own.at, listening: own.listening, rate: own.rate, when: performance.now() });
  });
  const move = (to: number) => {
    ms = to;
    moved.emit(to);
  };
  const set = (change: Partial<typeof state>) => {
    Object.assign(state, change);
    changed.emit();
  };
  const play = (forMs: number) => {
    for (let passed = 0; passed < forMs; passed += 50) {
      vi.advanceTimersByTime(50);
      move(ms + 50 * state.rate);
    }
  };
  return { told, move, set, play, end: () => (end(), awareness.destroy()) };
}

test('a start is told with the first sound, and a stop and another rate at once', () => {
  const { told, move, set, play, end } = page();
  const since = performance.now();
  set({ playing: true });
  move(20);
  expect(told.at(-1)).toEqual({ at: 0.02, listening: true, rate: 1, when: since });
  play(120);
  const now = performance.now();
  set({ rate: 2 });
  expect(told.at(-1)).toMatchObject({ listening: true, rate: 2, when: now });
  set({ playing: false });
  expect(told.at(-1)).toMatchObject({ listening: false, when: now });
  end();
});

test('a jump is told within 200 ms, and a steady sound twice a second', () => {
  const { told, move, set, play, end } = page();
  set({ playing: true });
  move(20);
  play(3000);
  const steady = told.length;
  expect(steady).toBeLessThan(10);
  const jumped = performance.now();
  move(60_000);
  play(200);
  expect(told.slice(steady).find(({ at }) => at > 50)?.when).toBeLessThanOrEqual(jumped + 200);
  const after = told.length;
  play(3000);
  expect(told.length - after).toBeGreaterThanOrEqual(5);
  expect(told.length - after).toBeLessThanOrEqual(8);
  end();
});
