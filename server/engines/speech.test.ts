import fc from 'fast-check';
import { expect, test } from 'vitest';
import { joinSpeech, quietRate, type Span } from './speech.ts';

const seconds = (spans: readonly Span[]) => spans.map(({ from, to }) => [from / quietRate, to / quietRate]);
const spans = (list: readonly (readonly [number, number])[]): Span[] =>
  list.map(([from, to]) => ({ from: from * quietRate, to: to * quietRate }));

test.for<[string, [number, number][], number, [number, number][]]>([
  ['no speech', [], 10, []],
  ['one span with margins', [[2, 4]], 10, [[1.8, 4.2]]],
  ['margins within the piece', [[0.1, 9.9]], 10, [[0, 10]]],
  [
    'a short pause joins two spans',
    [
      [1, 2],
      [2.5, 4],
    ],
    10,
    [[0.8, 4.2]],
  ],
  [
    'a long pause keeps two spans',
    [
      [1, 2],
      [5, 6],
    ],
    10,
    [
      [0.8, 2.2],
      [4.8, 6.2],
    ],
  ],
  [
    'two spans too long to join share the gap',
    [
      [1, 20],
      [20.25, 30],
    ],
    60,
    [
      [0.8, 20.125],
      [20.125, 30.2],
    ],
  ],
  [
    'a span that is too long is split',
    [[0, 60]],
    60,
    [
      [0, 20],
      [20, 40],
      [40, 60],
    ],
  ],
] as const)('spans of speech: %s', ([, found, end, expected]) => {
  expect(seconds(joinSpeech(spans(found), end * quietRate))).toEqual(expected);
});

test('spans cover all detected speech once, and none exceeds the limit', () => {
  const lengths = fc.array(fc.tuple(fc.nat(5 * quietRate), fc.integer({ min: 1, max: 40 * quietRate })), {
    maxLength: 30,
  });
  fc.assert(
    fc.property(lengths, fc.nat(quietRate), (list, rest) => {
      let end = 0;
      const found = list.map(([gap, length]): Span => {
        const from = end + gap;
        end = from + length;
        return { from, to: end };
      });
      end += rest;
      const joined = joinSpeech(found, end);
      for (const [i, { from, to }] of joined.entries()) {
        expect(from).toBeGreaterThanOrEqual(joined[i - 1]?.to ?? 0);
        expect(to).toBeGreaterThan(from);
        expect(to).toBeLessThanOrEqual(end);
        expect(to - from).toBeLessThan(30 * quietRate);
      }
      for (const { from, to } of found) {
        const covered = joined.map((one) => Math.max(0, Math.min(to, one.to) - Math.max(from, one.from)));
        expect(covered.reduce((sum, length) => sum + length, 0)).toBe(to - from);
      }
    }),
  );
});
