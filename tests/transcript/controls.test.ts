// Marked boundaries keep every character where copied text would spoil it; the comparison shows that the check can
// fail.
import { describe, expect, test } from 'vitest';
import { atOnce, scenarios } from './at-once.ts';
import { copying } from './copying-peer.ts';
import { flat } from './flat-peer.ts';
import { simulate } from './run.ts';

describe.each(scenarios)('$name', (scenario) => {
  test('keeps every character where it belongs', () => {
    expect(atOnce(flat, scenario)).toEqual({ shown: [scenario.wanted, scenario.wanted], wrong: [null, null] });
  });

  test('goes wrong where text is copied', () => {
    const { shown } = atOnce(copying, scenario);
    expect(shown[0]).toEqual(shown[1]);
    expect(shown[0]).not.toEqual(scenario.wanted);
  });
});

test('of random meetings, the copying model spoils most, even without undo', () => {
  const outcomes = Array.from({ length: 60 }, (_, index) => simulate(index + 1, { model: copying, undo: false }));
  const spoiled = outcomes.filter(({ wrong }) => wrong !== null).length;
  console.info(`the copying way spoiled ${spoiled} of 60`);
  expect(spoiled).toBeGreaterThan(30);
});

test('a run has content: much is typed, and much of it stays', () => {
  const units = Array.from({ length: 30 }, (_, index) => simulate(index + 1).units);
  expect(Math.max(...units)).toBeGreaterThan(40);
});
