import { describe, expect, it } from 'vitest';

import { settles, swiped, type Swipe } from './swipe.ts';

const width = 280;
const landed = (fields: Partial<Swipe> = {}): Swipe => ({
  x: 5,
  y: 300,
  at: 0,
  opened: false,
  dragging: false,
  ...fields,
});
const at = (clientX: number, clientY = 300) => ({ clientX, clientY });

describe('a finger on the drawer', () => {
  it('says nothing within its slack', () => {
    expect(swiped(landed(), at(11, 305), width, 1)).toBeNull();
  });

  it('is a scroll when it goes up or down first', () => {
    expect(swiped(landed(), at(15, 330), width, 1)).toBe('scroll');
  });

  it('stays a swipe once it is one, wherever it wanders', () => {
    expect(swiped(landed({ dragging: true }), at(75, 600), width, 1)).toBeCloseTo(0.25);
  });

  it('never pulls further than open nor pushes further than closed', () => {
    expect(swiped(landed(), at(900), width, 1)).toBe(1);
    expect(swiped(landed({ x: 200, opened: true }), at(-200), width, 1)).toBe(0);
  });

  it('works from the other side where text runs from right to left', () => {
    expect(swiped(landed({ x: 385 }), at(245), width, -1)).toBeCloseTo(0.5);
    expect(swiped(landed({ x: 200, opened: true }), at(270), width, -1)).toBeCloseTo(0.75);
  });
});

describe('a finger that is lifted', () => {
  it('leaves the drawer on the nearer side', () => {
    expect(settles(landed(), at(5 + 150), 2_000, width, 1)).toBe(true);
    expect(settles(landed(), at(5 + 120), 2_000, width, 1)).toBe(false);
    expect(settles(landed({ x: 250, opened: true }), at(250 - 150), 2_000, width, 1)).toBe(false);
    expect(settles(landed({ x: 250, opened: true }), at(250 - 120), 2_000, width, 1)).toBe(true);
  });

  it('decides by a flick, however short', () => {
    expect(settles(landed(), at(5 + 40), 60, width, 1)).toBe(true);
    expect(settles(landed({ x: 250, opened: true }), at(250 - 40), 60, width, 1)).toBe(false);
    expect(settles(landed({ x: 150, opened: true }), at(190), 60, width, -1)).toBe(false);
  });
});
