import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { ChunkError, loadChunk } from './load.ts';

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

it('names a part that did not arrive as such, with the cause', async () => {
  const cause = new TypeError('Failed to fetch dynamically imported module');
  const error = await loadChunk(() => Promise.reject(cause)).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(ChunkError);
  expect(error).toMatchObject({ cause });
});
