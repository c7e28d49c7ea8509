import { getHeapStatistics } from 'node:v8';
import { expect, test } from 'vitest';
import { memoryMark } from './memory.ts';

test('counts bytes outside the heap that are in use, and not those that were freed', () => {
  // Collects what earlier tests of this process left: it would be freed while this one measures.
  memoryMark(0, 0)();
  const { used_heap_size, external_memory, heap_size_limit } = getHeapStatistics();
  const room = 200_000_000;
  const share = (used_heap_size + external_memory + room) / heap_size_limit;
  const full = memoryMark(share, 0);
  expect(full()).toBe(false);
  const hold = () => {
    const held = Array.from({ length: 30 }, () => Buffer.alloc(10_000_000, 1));
    return full() && held.length === 30;
  };
  expect(hold()).toBe(true);
  expect(full()).toBe(false);
});
