import { createStore } from 'jotai';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { reportOnlyHereAtom } from '../store.ts';
import { flush } from './reload.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const report = (store: ReturnType<typeof createStore>, count: number) => store.set(reportOnlyHereAtom, 'test', count);

test('nothing to save: ready at once', async () => {
  expect(await flush(createStore(), () => {})).toBe(true);
});

test('what a field sends when it is left is waited for', async () => {
  const store = createStore();
  let ready: boolean | null = null;
  void flush(store, () => report(store, 2)).then((saved) => (ready = saved));
  await vi.advanceTimersByTimeAsync(1_000);
  report(store, 1);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(ready).toBe(null);
  report(store, 0);
  await vi.advanceTimersByTimeAsync(0);
  expect(ready).toBe(true);
});

test('what cannot be saved is not waited for without end', async () => {
  const store = createStore();
  report(store, 1);
  const ready = flush(store, () => {});
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await ready).toBe(false);
});
