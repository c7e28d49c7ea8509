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

describe('a touch on the drawer', () => {
  it('is undecided for small movements', () => {
    expect(swiped(landed(), at(11, 305), width, 1)).toBeNull();
  });

  it('is a scroll if it starts vertically', () => {
    expect(swiped(landed(), at(15, 330), width, 1)).toBe('scroll');
  });

  it('stays a swipe once it is one, in any direction', () => {
    expect(swiped(landed({ dragging: true }), at(75, 600), width, 1)).toBeCloseTo(0.25);
  });

  it('stays between closed and open', () => {
    expect(swiped(landed(), at(900), width, 1)).toBe(1);
    expect(swiped(landed({ x: 200, opened: true }), at(-200), width, 1)).toBe(0);
  });

  it('works from the other side in right-to-left text', () => {
    expect(swiped(landed({ x: 385 }), at(245), width, -1)).toBeCloseTo(0.5);
    expect(swiped(landed({ x: 200, opened: true }), at(270), width, -1)).toBeCloseTo(0.75);
  });
});

describe('the end of a touch', () => {
  it('leaves the drawer on the nearer side', () => {
    expect(settles(landed(), at(5 + 150), 2_000, width, 1)).toBe(true);
    expect(settles(landed(), at(5 + 120), 2_000, width, 1)).toBe(false);
    expect(settles(landed({ x: 250, opened: true }), at(250 - 150), 2_000, width, 1)).toBe(false);
    expect(settles(landed({ x: 250, opened: true }), at(250 - 120), 2_000, width, 1)).toBe(true);
  });

  it('follows a flick, however short', () => {
    expect(settles(landed(), at(5 + 40), 60, width, 1)).toBe(true);
    expect(settles(landed({ x: 250, opened: true }), at(250 - 40), 60, width, 1)).toBe(false);
    expect(settles(landed({ x: 150, opened: true }), at(190), 60, width, -1)).toBe(false);
  });
});
