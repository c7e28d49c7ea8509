import { describe, expect, it } from 'vitest';
import { taggedOverTime } from './analytics.ts';

describe('outcomes over time', () => {
  const parts = [
    { from: 0, to: 10 },
    { from: 10, to: 20 },
    { from: 20, to: 30 },
  ];
  const one = (type: string, start: number) => ({ type, start });

  it('are counted by type and part, in the order of time', () => {
    const [late, early, middle, other] = [one('notes', 12), one('notes', 3), one('notes', 10), one('decisions', 29)];
    const found = taggedOverTime(parts, [late, early, middle, other]);
    expect([...found]).toEqual([
      ['notes', [[early], [middle, late], []]],
      ['decisions', [[], [], [other]]],
    ]);
  });

  it('include those beyond the end of the recording, and those of a recording of unknown length', () => {
    const beyond = one('notes', 99);
    expect(taggedOverTime(parts, [beyond]).get('notes')).toEqual([[], [], [beyond]]);
    expect(taggedOverTime([], [beyond]).size).toBe(0);
  });
});
