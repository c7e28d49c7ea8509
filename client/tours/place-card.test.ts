import fc from 'fast-check';
import { expect, test } from 'vitest';
import { placeCard } from './place-card.ts';

const page = { width: 1000, height: 800 };
const card = { width: 300, height: 200 };

test.each([
  ['below', { left: 400, top: 100, width: 200, height: 40 }, { left: 350, top: 152 }],
  ['above, at the foot of the page', { left: 0, top: 740, width: 1000, height: 60 }, { left: 350, top: 528 }],
  ['before, at the end of the page', { left: 950, top: 50, width: 50, height: 700 }, { left: 638, top: 50 }],
  ['after, at the beginning of the page', { left: 0, top: 50, width: 50, height: 700 }, { left: 62, top: 50 }],
  ['inside, where it fills the page', { left: 0, top: 50, width: 1000, height: 740 }, { left: 350, top: 578 }],
])('a card stands %s', (_, target, place) => {
  expect(placeCard(target, card, page)).toEqual(place);
});

test('a card is always whole within the page', () => {
  const length = fc.integer({ min: -2000, max: 3000 });
  const size = fc.integer({ min: 0, max: 3000 });
  fc.assert(
    fc.property(length, length, size, size, (left, top, width, height) => {
      const at = placeCard({ left, top, width, height }, card, page);
      expect(at.left).toBeGreaterThanOrEqual(8);
      expect(at.top).toBeGreaterThanOrEqual(8);
      expect(at.left + card.width).toBeLessThanOrEqual(page.width - 8);
      expect(at.top + card.height).toBeLessThanOrEqual(page.height - 8);
    }),
  );
});
