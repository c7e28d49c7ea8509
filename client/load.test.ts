import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { ChunkError, loadChunk, loadWhenPossible } from './load.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('hands on the part and leaves no timer', async () => {
  expect(await loadChunk(async () => 'part')).toBe('part');
  expect(vi.getTimerCount()).toBe(0);
});

it('gives up after two minutes', async () => {
  const late = loadChunk(() => new Promise(() => undefined)).catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(119_999);
  expect(vi.getTimerCount()).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(await late).toBeInstanceOf(ChunkError);
});

it('throws a ChunkError with the cause where a part does not load', async () => {
  const cause = new TypeError('Failed to fetch dynamically imported module');
  const error = await loadChunk(() => Promise.reject(cause)).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(ChunkError);
  expect(error).toMatchObject({ cause });
});

it('loads a background part again until it succeeds', async () => {
  const load = vi.fn<() => Promise<string>>(() => Promise.reject(new TypeError('no network')));
  const part = loadWhenPossible<string>(load);
  await vi.advanceTimersByTimeAsync(40_000);
  expect(load).toHaveBeenCalledTimes(3);
  load.mockImplementation(() => Promise.resolve('part'));
  await vi.advanceTimersByTimeAsync(15_000);
  expect(await part).toBe('part');
  expect(vi.getTimerCount()).toBe(0);
});
