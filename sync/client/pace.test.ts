import { describe, expect, it } from 'vitest';
import { Pace } from './pace.ts';

const limits = { updates: 10, updateBurst: 20, bytes: 1000, byteBurst: 2000 };
const spent = (times: number, bytes: number) => {
  const pace = new Pace(limits, 0);
  for (let i = 0; i < times; i += 1) pace.spend(bytes, 0);
  return pace;
};

describe('how fast updates may leave', () => {
  it.each<[string, Pace, number, number, boolean]>([
    ['the first', spent(0, 0), 10, 0, true],
    ['the last of a burst', spent(19, 1), 1, 0, true],
    ['one more', spent(20, 1), 1, 0, false],
    ['one more, a little too early', spent(20, 1), 1, 99, false],
    ['one more, when there is room for it', spent(20, 1), 1, 101, true],
    ['too many bytes', spent(1, 1500), 600, 0, false],
    ['the same a moment later', spent(1, 1500), 600, 101, true],
    ['more than a whole burst, when nothing else went', spent(0, 0), 5000, 0, true],
    ['anything, after that', spent(1, 5000), 1, 3000, false],
    ['anything, once that is made up for', spent(1, 5000), 1, 3100, true],
  ])('%s', (_name, pace, bytes, now, allowed) => {
    expect(pace.allows(bytes, now)).toBe(allowed);
  });

  it('counts no time that runs backwards, and saves up no more than a burst', () => {
    const pace = spent(20, 1);
    expect(pace.allows(1, -5000)).toBe(false);
    expect(pace.allows(1, 3_600_000)).toBe(true);
    for (let i = 0; i < 20; i += 1) pace.spend(1, 3_600_000);
    expect(pace.allows(1, 3_600_000)).toBe(false);
  });

  it('is short once half of the burst is gone', () => {
    expect(spent(10, 1).short).toBe(false);
    expect(spent(11, 1).short).toBe(true);
  });
});
