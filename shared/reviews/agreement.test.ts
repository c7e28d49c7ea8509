import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  agreementOf,
  fleissKappa,
  gradeOf,
  intervalOf,
  nominal,
  ordinal,
  RunningAgreement,
  sharesOf,
  weightedKappa,
  type Unit,
} from './agreement.ts';

/** Units from the lines of people; a dot is no value. */
function unitsOf(...people: string[]): Unit[] {
  const lines = people.map((line) => line.split(' ').map((value) => (value === '.' ? null : Number(value))));
  return (lines[0] ?? []).map((_, i) => lines.map((line) => line[i] ?? null));
}

// Four observers, twelve units (Krippendorff 2011, Computing Krippendorff's alpha-reliability, section C).
const krippendorff = unitsOf(
  '1 2 3 3 2 1 4 1 2 . . .',
  '1 2 3 3 2 2 4 1 2 5 . 3',
  '. 3 3 3 2 3 4 2 2 5 1 .',
  '1 2 3 3 2 4 4 1 2 5 1 .',
);

describe('published figures', () => {
  test.each([
    ['nominal', nominal, 0.743],
    ['ordinal', ordinal, 0.815],
  ] as const)('alpha of Krippendorff 2011, %s', (_, distance, figure) => {
    const { alpha, units } = agreementOf(krippendorff, distance);
    expect(alpha).toBeCloseTo(figure, 3);
    // The last unit has one value.
    expect(units).toBe(11);
  });

  // Forty units, the grades of five observers for each (Hayes and Krippendorff 2007, Answering the call).
  const hayes =
    `112.2 1101. 2333. .00.0 000.0 000.0 102.1 1.20. 222.2 2111. .100. 0000. 1222. 33223 111.1 111.1 212.2 1233.
    1101. 000.0 0011. 00.00 2333. 0000. 12.22 0111. 00010 1212. 1122. 112.2 110.0 2121. 22.22 3222. 222.2 223.2 222.2 22.12
    2222. 111.1`
      .split(/\s+/)
      .map((unit) => [...unit].map((value) => (value === '.' ? null : Number(value))));

  test.each([
    ['forty units, ordinal', hayes, ordinal, 0.7598],
    ['forty units, nominal', hayes, nominal, 0.4765],
    [
      'twelve units of two values by three people (Krippendorff 2018, page 306)',
      unitsOf('0 1 0 1 1 0 0 0 1 1 1 1', '0 1 0 1 0 0 0 0 1 1 0 1', '0 1 1 0 0 1 0 0 1 0 0 0'),
      nominal,
      0.234,
    ],
  ])('alpha of %s', (_, units, distance, figure) => {
    const { alpha, caution } = agreementOf(units, distance);
    expect(alpha).toBeCloseTo(figure, 3);
    expect(caution).toBe(null);
  });

  test('kappa and weighted kappa of Cohen 1968', () => {
    const table = [
      [88, 14, 18],
      [10, 40, 10],
      [2, 6, 12],
    ];
    const grave = [
      [0, 1, 3],
      [1, 0, 6],
      [3, 6, 0],
    ];
    const pairs = table.flatMap((row, i) => row.flatMap((n, j) => Array.from({ length: n }, () => [i, j] as const)));
    expect(pairs).toHaveLength(200);
    expect(weightedKappa(pairs, (one, other) => (one === other ? 0 : 1))).toBeCloseTo(0.492, 3);
    expect(weightedKappa(pairs, (one, other) => grave[one]?.[other] ?? 0)).toBeCloseTo(0.348, 3);
  });

  test('kappa of Fleiss, 14 people and 10 subjects', () => {
    const counts = `0 0 0 0 14|0 2 6 4 2|0 0 3 5 6|0 3 9 2 0|2 2 8 1 1|7 7 0 0 0|3 2 6 3 0|2 5 3 2 2|6 5 2 1 0|0 2 2 3 7`;
    const units = counts
      .split('|')
      .map((line) => line.split(' ').flatMap((n, value) => Array.from({ length: Number(n) }, () => value)));
    expect(fleissKappa(units)).toBeCloseTo(0.21, 3);
  });
});

describe('what a number cannot tell', () => {
  it('is said where nobody differs', () => {
    const same = unitsOf('2 2 2', '2 2 2');
    expect(agreementOf(same, ordinal)).toEqual({ alpha: null, percent: 1, units: 3, caution: 'same' });
    expect(intervalOf(same, ordinal, 1)).toBe(null);
    expect(fleissKappa([[1, 1]])).toBe(null);
    expect(weightedKappa([[1, 1]], (one, other) => Math.abs(one - other))).toBe(null);
  });

  it('is said where nothing was graded twice', () => {
    expect(agreementOf(unitsOf('1 . 2', '. 3 .'), ordinal)).toEqual({
      ...{ alpha: null, percent: null, units: 0, caution: 'same' },
    });
  });

  test.each([
    ['few units', '1 2 3', '1 2 4', 'few'],
    ['enough units', '1 2 3 4 1 2 3 4 1 2', '1 2 3 4 1 2 3 4 1 3', null],
    ['nearly all the same', '1 1 1 1 1 1 1 1 1 2', '1 1 1 1 1 1 1 1 2 1', 'skewed'],
  ])('%s', (_, one, other, caution) => expect(agreementOf(unitsOf(one, other), ordinal).caution).toBe(caution));

  it('is 0 for one competency at most', () => {
    expect(agreementOf(unitsOf('1', '2', '2', '4'), ordinal).alpha).toBeCloseTo(0, 10);
  });
});

test.each([
  [3, [1, 1], 3],
  [null, [4, 1, 2], 2],
  [null, [4, 1, 2, 3], 2],
  [null, [null, -1, 4], -1],
  [null, [null], null],
])('the grade of the sheet %s and evidence %j: %s', (sheet, evidence, grade) =>
  expect(gradeOf(sheet, evidence)).toBe(grade),
);

test('causes: each unit has its share of what differs', () => {
  expect(sharesOf(unitsOf('1 2 3 4', '1 2 3 1', '1 3 3 .'), nominal)).toEqual([0, 0.5, 0, 0.5]);
  expect(sharesOf(unitsOf('1 2', '1 2'), nominal)).toEqual([0, 0]);
});

test('the interval is the same for the same seed, and holds the figure', () => {
  const [low, high] = intervalOf(krippendorff, ordinal, 7) ?? [1, 0];
  expect(intervalOf(krippendorff, ordinal, 7)).toEqual([low, high]);
  expect(intervalOf(krippendorff, ordinal, 8)).not.toEqual([low, high]);
  expect(low).toBeLessThan(0.815);
  expect(high).toBeGreaterThan(0.815);
});

test('kept while people grade, it is what a fresh count says, to the last bit', () => {
  const unit = fc.array(fc.option(fc.constantFrom(-1, 1, 2, 3, 4)), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(
      fc.array(unit, { minLength: 1, maxLength: 12 }),
      fc.array(fc.tuple(fc.nat(11), unit)),
      (units, changes) => {
        const running = new RunningAgreement();
        const now = [...units];
        for (const one of now) running.add(one);
        for (const [at, changed] of changes) {
          const before = now[at];
          if (!before) continue;
          running.remove(before);
          running.add(changed);
          now[at] = changed;
        }
        for (const distance of [ordinal, nominal])
          expect(running.agreement(distance)).toEqual(agreementOf(now.toReversed(), distance));
      },
    ),
    { seed: 17 },
  );
});
