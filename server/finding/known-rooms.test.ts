// Words of a room that are counted change by change are those that counting all of it anew gives (finding.md, 5).
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { often, positionsKept, WordCounts, type Said } from './known-rooms.ts';

const said = fc.record({
  kind: fc.constantFrom('words', 'outcome', 'comment'),
  braces: fc.boolean(),
  lexemes: fc
    .dictionary(fc.constantFrom('a', 'b', 'c', '~d', 'e'), fc.constantFrom(1, 3, 7, 9, 4000, 9000), { maxKeys: 5 })
    .map((all) => Object.entries(all)),
}) as fc.Arbitrary<Said>;

/** Marks of all words of a room, counted from nothing. */
function marksOf(all: readonly Said[]): Map<string, number> {
  const times = new Map<string, number>();
  const named = new Set<string>();
  let words = 0;
  for (const { kind, braces, lexemes } of all)
    for (const [lexeme, count] of lexemes) {
      const key = `${braces} ${lexeme}`;
      times.set(key, (times.get(key) ?? 0) + count);
      if (kind === 'outcome') named.add(key);
      if (!braces) words += count;
    }
  const loudFrom = Math.max(often.times, words / often.in);
  return new Map([...times].map(([key, count]) => [key, named.has(key) || count >= loudFrom ? 2 : 1]));
}

test('after any changes each word is absent, said or said often as if all were counted anew', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.array(said, { maxLength: 4 }), fc.nat()), { maxLength: 12 }), (rounds) => {
      const counts = new WordCounts();
      let all: Said[] = [];
      let marks = new Map<string, number>();
      for (const [come, nth] of rounds) {
        const gone = all.filter((_, at) => (nth + at) % 3 === 0);
        all = [...all.filter((one) => !gone.includes(one)), ...come];
        for (const { braces, lexeme, was, now } of counts.change(gone, come)) {
          expect(marks.get(`${braces} ${lexeme}`) ?? 0).toBe(was);
          if (now === 0) marks.delete(`${braces} ${lexeme}`);
          else marks.set(`${braces} ${lexeme}`, now);
        }
        const anew = marksOf(all);
        expect([...marks].toSorted()).toEqual([...anew].toSorted());
        marks = anew;
      }
    }),
    { numRuns: 300, seed: 20_261_129 },
  );
});

test('positions count as PostgreSQL keeps them', () => {
  expect(positionsKept([1, 2, 3])).toBe(3);
  expect(positionsKept(Array.from({ length: 400 }, (_, nth) => nth + 1))).toBe(256);
  expect(positionsKept([1, 16_383, 16_384, 20_000])).toBe(2);
});
