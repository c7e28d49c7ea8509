import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { Countdown } from './countdown.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('ends after its time', () => {
  const done = vi.fn<() => void>();
  new Countdown(5_000, done).run();
  vi.advanceTimersByTime(4_999);
  expect(done).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(done).toHaveBeenCalledOnce();
});

it('keeps the remaining time through any number of pauses', () => {
  const done = vi.fn<() => void>();
  const countdown = new Countdown(5_000, done);
  for (let turn = 0; turn < 4; turn += 1) {
    countdown.run();
    countdown.run();
    vi.advanceTimersByTime(1_000);
    countdown.pause();
    countdown.pause();
    vi.advanceTimersByTime(60_000);
  }
  expect(done).not.toHaveBeenCalled();
  countdown.run();
  vi.advanceTimersByTime(1_000);
  expect(done).toHaveBeenCalledOnce();
});
