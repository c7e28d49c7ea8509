import { describe, expect, it } from 'vitest';

import { behaviorFor, followsAfter, isAt, isSeen, wayTo } from './follow.ts';

describe('following', () => {
  it.each([
    // follows before, event, playing, follows after
    [true, 'scrolled', true, false],
    [true, 'scrolled', false, true],
    [false, 'scrolled', true, false],
    [false, 'scrolled', false, false],
    [true, 'typed', true, false],
    [true, 'typed', false, true],
    [false, 'typed', true, false],
    [false, 'started', false, true],
    [false, 'jumped', true, true],
    [false, 'jumped', false, true],
    [true, 'jumped', true, true],
    [false, 'back', true, true],
    [false, 'back', false, true],
  ] as const)('%s, %s, playing %s: %s', (follows, event, playing, expected) => {
    expect(followsAfter(follows, event, playing)).toBe(expected);
  });
});

describe('a line is seen while its middle is in the window', () => {
  it.each([
    [90, true],
    [84, false],
    [685, true],
    [686, false],
  ])('%i: %s', (top, expected) => {
    expect(isSeen({ top, height: 30 }, { top: 100, height: 600 })).toBe(expected);
  });
});

describe('the line that was pressed', () => {
  it.each([
    [83, false],
    [84, true],
    [116, true],
    [117, false],
  ])('at %i: %s', (y, expected) => {
    expect(isAt({ top: 86.5, height: 27 }, y)).toBe(expected);
  });
});

describe('the distance to a third of the window', () => {
  const port = { top: 100, height: 600 };
  it.each([
    ['a line already there', 300, 30, 0],
    ['a line a little off', 310, 30, 0],
    ['the next line', 330, 30, 30],
    ['the line before', 270, 30, -30],
    ['far below', 9_000, 30, 8_700],
    ['a line without height yet', 306, 0, 0],
  ])('%s', (_name, top, height, expected) => {
    expect(wayTo({ top, height }, port)).toBe(expected);
  });

  it.each([
    ['a line', 30, false, 'smooth'],
    ['a window', -600, false, 'smooth'],
    ['far away', 601, false, 'instant'],
    ['reduced motion', 30, true, 'instant'],
  ] as const)('%s', (_name, by, still, expected) => {
    expect(behaviorFor(by, port, still)).toBe(expected);
  });
});
