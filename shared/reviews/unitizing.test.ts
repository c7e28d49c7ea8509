import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { mostDisputed, RunningWordAgreement, wordAgreementOf, type Marking, type Passage } from './unitizing.ts';

const of = (marking: Marking) => wordAgreementOf(new Map([['trust', marking]]));
const passage = (from: number, to: number): Passage => ({ from, to });

/** The definition, word by word: pairs of people and words that could have come together by chance. */
function slowly({ words, people: passages }: Marking): { alpha: number | null; common: number | null } {
  const marks = passages.map((one) =>
    Array.from({ length: words }, (_, word) => one.some(({ from, to }) => from <= word && word < to)),
  );
  const size = passages.length;
  let [observed, both, marked, squares] = [0, 0, 0, 0];
  for (let word = 0; word < words; word += 1) {
    const n = marks.filter((one) => one[word]).length;
    observed += (2 * n * (size - n)) / (size - 1);
    both += n * (n - 1);
    marked += n;
  }
  for (const [i, one] of marks.entries()) {
    let length = 0;
    for (const [word, isMarked] of [...one, false].entries()) {
      // A unit ends where no passage of its person continues.
      const continues = isMarked && (passages[i] ?? []).some(({ from, to }) => from < word && word < to);
      if (!continues) squares += length ** 2;
      length = continues ? length + 1 : Number(isMarked);
    }
  }
  const all = size * words;
  const expected = (2 * marked * (all - marked)) / (all - (all - marked + squares) / all);
  return {
    alpha: expected > 0 ? 1 - observed / expected : null,
    common: marked > 0 ? both / (marked * (size - 1)) : null,
  };
}

describe('agreement on words', () => {
  it('is full where all mark the same, and cannot be told where nobody marks or all mark everything', () => {
    const same = [passage(2, 5)];
    expect(of({ words: 20, people: [same, same, same] })).toEqual({ alpha: 1, common: 1 });
    expect(of({ words: 20, people: [[], []] })).toEqual({ alpha: null, common: null });
    expect(of({ words: 20, people: [[passage(0, 20)], [passage(0, 20)]] })).toEqual({ alpha: null, common: 1 });
  });

  it('is the published figure: binary unitizing of three people (Krippendorff 2019, figure 12.11)', () => {
    const lists = ['1-7 8-13 31-32 33-37 38-44 45-60', '1-7 8-13 14-21 33-44', '1-7 8-13 14-21 33-37 38-41 42-44'];
    const people = lists.map((list) =>
      list.split(' ').map((unit) => {
        const [first = 0, last = 0] = unit.split('-').map(Number);
        return passage(first - 1, last);
      }),
    );
    // The book has .413; its formula gives .4136 with units that only touch as two.
    const { alpha } = of({ words: 60, people });
    expect(alpha).toBeCloseTo(0.4136, 4);
  });

  it('is that of the formula, worked by hand', () => {
    // T = 20, A = 7, B = 13: Do = 2 * 3, De = 2 * 7 * 13 / (20 - (13 + 16 + 9) / 20).
    const { alpha, common } = of({ words: 10, people: [[passage(0, 4)], [passage(2, 5)]] });
    expect(alpha).toBeCloseTo(1 - 6 / (182 / 18.1), 12);
    expect(common).toBeCloseTo(4 / 7, 12);
  });

  it('is below none where people mark other passages', () => {
    expect(of({ words: 10, people: [[passage(0, 5)], [passage(5, 10)]] }).alpha).toBeLessThan(0);
  });

  it('needs two people and words', () => {
    expect(of({ words: 10, people: [[passage(0, 5)]] })).toEqual({ alpha: null, common: null });
    expect(of({ words: 0, people: [[passage(0, 5)], []] })).toEqual({ alpha: null, common: null });
  });
});

const onePassage = fc
  .tuple(fc.integer({ min: -3, max: 30 }), fc.nat(12))
  .map(([from, length]) => passage(from, from + length));
const marking: fc.Arbitrary<Marking> = fc.record({
  words: fc.integer({ min: 1, max: 30 }),
  people: fc.array(fc.array(onePassage, { maxLength: 4 }), { minLength: 2, maxLength: 5 }),
});

test('any passages, overlapping or past the end, give what the definition says word by word', () => {
  fc.assert(
    fc.property(marking, (one) => {
      const [found, expected] = [of(one), slowly(one)];
      for (const figure of ['alpha', 'common'] as const)
        if (expected[figure] === null) expect(found[figure]).toBe(null);
        else expect(found[figure]).toBeCloseTo(expected[figure], 9);
    }),
    { seed: 17, numRuns: 500 },
  );
});

test('kept while people mark, it is what a fresh count says, to the last bit', () => {
  const change = fc.tuple(fc.constantFrom('trust', 'presence', 'ethics'), fc.option(marking));
  fc.assert(
    fc.property(fc.array(change, { maxLength: 20 }), (changes) => {
      const running = new RunningWordAgreement();
      const now = new Map<string, Marking>();
      for (const [type, marked] of changes) {
        if (marked) {
          running.set(type, marked);
          now.set(type, marked);
        } else {
          running.remove(type);
          now.delete(type);
        }
      }
      expect(running.agreement()).toEqual(wordAgreementOf(new Map([...now].toReversed())));
    }),
    { seed: 17 },
  );
});

test('the most disputed passages come first, five at most', () => {
  const people = [[passage(0, 10), passage(20, 22)], [passage(4, 10)], [passage(0, 10), passage(30, 31)]];
  expect(mostDisputed({ words: 40, people })).toEqual([
    { from: 0, to: 4, pairs: 8 },
    { from: 20, to: 22, pairs: 4 },
    { from: 30, to: 31, pairs: 2 },
  ]);
  const many = [Array.from({ length: 9 }, (_, i) => passage(i * 3, i * 3 + 1)), []];
  expect(mostDisputed({ words: 40, people: many })).toHaveLength(5);
});
