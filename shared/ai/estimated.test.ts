// The percentage of work whose end nobody knows: of the time that it may take, or of what was read, and never all of it.
import { expect, test } from 'vitest';
import { estimated } from './views.ts';

test.each([
  [{ passed: 0, share: 0 }, 0],
  [{ passed: 450, share: 0 }, 50],
  [{ passed: 450, share: 0.25 }, 50],
  [{ passed: 9, share: 0.5 }, 50],
  [{ passed: 899.9, share: 0 }, 99],
  [{ passed: 90_000, share: 0 }, 99],
  [{ passed: 0, share: 1 }, 99],
  // Two clocks that differ.
  [{ passed: -60, share: 0 }, 0],
])('%o of 15 minutes is %i %', (given, percent) => {
  expect(estimated({ ...given, seconds: 900 })).toBe(percent);
});
