import fc from 'fast-check';
import { expect, it } from 'vitest';
import { retryDelay } from './dispatch.ts';

it('waits 10 seconds after the first attempt, up to half an hour later, with some randomness', () => {
  expect([1, 2, 3, 4].map((attempts) => retryDelay(attempts, 0))).toEqual([10, 20, 40, 80]);
  expect(retryDelay(500, 0.999)).toBeLessThanOrEqual(1_800);
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1_000 }), fc.double({ min: 0, max: 1, noNaN: true }), (attempts, random) => {
      const delay = retryDelay(attempts, random);
      expect(delay).toBeGreaterThanOrEqual(10);
      expect(delay).toBeLessThanOrEqual(1_800);
      expect(retryDelay(attempts + 1, random)).toBeGreaterThanOrEqual(delay);
    }),
  );
  expect(retryDelay(3, 0.9)).toBeGreaterThan(retryDelay(3, 0.1));
});
