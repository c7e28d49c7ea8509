import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { Pause } from './pause.ts';

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => vi.useRealTimers());

/** Calls `ask` at these times and returns when the work ran. */
function doneAt(heard: readonly number[], dropped?: number): number[] {
  const done: number[] = [];
  const start = performance.now();
  const pause = new Pause(() => done.push(performance.now() - start), 100, 500);
  for (const at of heard) setTimeout(pause.ask, at);
  if (dropped !== undefined) setTimeout(() => pause.drop(), dropped);
  vi.advanceTimersByTime(5_000);
  return done;
}

const every = (ms: number, upTo: number) => Array.from({ length: upTo / ms }, (_, i) => i * ms);

it.each<[string, readonly number[], number | undefined, number[]]>([
  ['once: after the rest', [0], undefined, [100]],
  ['again within the rest: after the last', [0, 60, 120], undefined, [220]],
  ['each by itself', [0, 300], undefined, [100, 400]],
  ['without a pause: now and then all the same', every(50, 1_200), undefined, [500, 1_050, 1_250]],
  ['dropped: not at all', [0, 60], 120, []],
  ['dropped: what is heard later counts from there', [...every(50, 450), 460], 440, [560]],
])('%s', (_, heard, dropped, done) => {
  expect(doneAt(heard, dropped)).toEqual(done);
});
