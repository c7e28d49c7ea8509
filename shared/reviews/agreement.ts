// Agreement of people who assess the same units: Krippendorff's alpha, Fleiss' and weighted kappa, percent agreement.

/** Grades of one unit, in the order of the people; null: none. */
export type Unit = readonly (number | null)[];

/** Disagreement of two values; `count` is how often each value was given in all units with at least two values. */
type Distance = (one: number, other: number, count: ReadonlyMap<number, number>) => number;

export const nominal: Distance = (one, other) => (one === other ? 0 : 1);

/** Counts what lies between two values, so that only their order matters. */
export const ordinal: Distance = (one, other, count) => {
  const [low, high] = one < other ? [one, other] : [other, one];
  let between = 0;
  for (const [value, n] of count) if (value >= low && value <= high) between += n;
  return (between - ((count.get(one) ?? 0) + (count.get(other) ?? 0)) / 2) ** 2;
};

/** Grade of a competency: that of the sheet, else the lower median of the graded evidence. -1 is the lowest grade. */
export function gradeOf(sheet: number | null, evidence: readonly (number | null)[]): number | null {
  return sheet ?? lowerMedian(evidence.filter((grade) => grade !== null));
}

export const lowerMedian = (values: readonly number[]): number | null =>
  values.toSorted((one, other) => one - other)[Math.floor((values.length - 1) / 2)] ?? null;

const given = (unit: Unit): number[] => unit.filter((value) => value !== null);

const smallest = 2;
/** Units below which the spread says more than the number. */
const fewUnits = 10;
/** Agreement in percent that looks high, and alpha that is low beside it: nearly everybody gave the same grade. */
const [highShare, lowAlpha] = [0.8, 0.4];

type Caution = 'few' | 'same' | 'skewed';
interface Agreement {
  /** Alpha; null where nobody differed in any way or nothing was graded twice. */
  alpha: number | null;
  /** Share of pairs of grades that are equal. */
  percent: number | null;
  units: number;
  caution: Caution | null;
}

/**
 * Agreement that is kept while people grade: a change takes one unit out and puts it in again. Pairs are whole numbers
 * for each number of values, so that nothing drifts and the result is that of a fresh count.
 */
export class RunningAgreement {
  /** Ordered pairs of values by the number of values in their unit. */
  private readonly pairs = new Map<number, Map<string, number>>();
  private readonly counts = new Map<number, number>();
  private units = 0;

  add(unit: Unit): void {
    this.put(unit, 1);
  }

  remove(unit: Unit): void {
    this.put(unit, -1);
  }

  private put(unit: Unit, by: 1 | -1): void {
    const values = given(unit);
    if (values.length < smallest) return;
    this.units += by;
    const pairs = this.pairs.get(values.length) ?? new Map<string, number>();
    this.pairs.set(values.length, pairs);
    values.forEach((value, i) => {
      bump(this.counts, value, by);
      values.forEach((other, j) => {
        if (i !== j) bump(pairs, `${value} ${other}`, by);
      });
    });
  }

  /** Pairs of values with their weight, in one order whatever came first. */
  private coincidences(): [one: number, other: number, weight: number][] {
    return [...this.pairs]
      .toSorted(([one], [other]) => one - other)
      .flatMap(([size, pairs]) =>
        [...pairs]
          .toSorted(([one], [other]) => (one < other ? -1 : 1))
          .map(([pair, n]): [number, number, number] => {
            const [one = 0, other = 0] = pair.split(' ').map(Number);
            return [one, other, n / (size - 1)];
          }),
      );
  }

  alpha(distance: Distance): number | null {
    const counts = new Map([...this.counts].toSorted(([one], [other]) => one - other));
    const n = sum(counts.values());
    let observed = 0;
    for (const [one, other, weight] of this.coincidences()) observed += weight * distance(one, other, counts);
    let expected = 0;
    for (const [one, many] of counts)
      for (const [other, more] of counts) expected += many * more * distance(one, other, counts);
    // Without variation nothing can be told, and it is never full agreement.
    return expected === 0 ? null : 1 - ((n - 1) * observed) / expected;
  }

  agreement(distance: Distance): Agreement {
    const alpha = this.alpha(distance);
    let [equal, all] = [0, 0];
    for (const [one, other, weight] of this.coincidences()) {
      all += weight;
      if (one === other) equal += weight;
    }
    const percent = all === 0 ? null : equal / all;
    const skewed = alpha !== null && percent !== null && percent >= highShare && alpha < lowAlpha;
    const few = this.units < fewUnits ? 'few' : null;
    return { alpha, percent, units: this.units, caution: alpha === null ? 'same' : skewed ? 'skewed' : few };
  }
}

function bump<Key>(map: Map<Key, number>, key: Key, by: number): void {
  const next = (map.get(key) ?? 0) + by;
  if (next === 0) map.delete(key);
  else map.set(key, next);
}

const sum = (values: Iterable<number>): number => {
  let total = 0;
  for (const value of values) total += value;
  return total;
};

export function agreementOf(units: Iterable<Unit>, distance: Distance): Agreement {
  return counted(units).agreement(distance);
}

function counted(units: Iterable<Unit>): RunningAgreement {
  const running = new RunningAgreement();
  for (const unit of units) running.add(unit);
  return running;
}

/** Share of all disagreement that each unit causes; zeros without any. */
export function sharesOf(units: readonly Unit[], distance: Distance): number[] {
  const counts = new Map<number, number>();
  const graded = units.map(given).map((values) => (values.length < smallest ? [] : values));
  for (const value of graded.flat()) bump(counts, value, 1);
  const caused = graded.map((values) => {
    let disagreement = 0;
    values.forEach((one, i) => {
      for (const other of values.slice(i + 1)) disagreement += distance(one, other, counts);
    });
    return values.length < smallest ? 0 : (2 * disagreement) / (values.length - 1);
  });
  const all = sum(caused);
  return caused.map((one) => (all === 0 ? 0 : one / all));
}

const resamples = 1000;

/** Middle 95 percent of alpha over resampled units, the same for the same seed; null if it cannot be told. */
export function intervalOf(units: readonly Unit[], distance: Distance, seed: number): [number, number] | null {
  const random = seeded(seed);
  const found: number[] = [];
  for (let round = 0; round < resamples; round += 1) {
    const drawn = units.map(() => units[Math.floor(random() * units.length)] ?? []);
    const alpha = counted(drawn).alpha(distance);
    if (alpha !== null) found.push(alpha);
  }
  found.sort((one, other) => one - other);
  const at = (share: number): number | undefined => found[Math.round(share * (found.length - 1))];
  const [low, high] = [at(0.025), at(0.975)];
  return low === undefined || high === undefined ? null : [low, high];
}

/** Random numbers from 0 to below 1 by mulberry32. */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Kappa of two people; a weight says how grave a difference is, 0 for none. Null if it cannot be told. */
export function weightedKappa(
  pairs: readonly (readonly [number, number])[],
  weight: (one: number, other: number) => number,
): number | null {
  const [ones, others] = [new Map<number, number>(), new Map<number, number>()];
  let observed = 0;
  for (const [one, other] of pairs) {
    bump(ones, one, 1);
    bump(others, other, 1);
    observed += weight(one, other);
  }
  let expected = 0;
  for (const [one, many] of ones) for (const [other, more] of others) expected += many * more * weight(one, other);
  return expected === 0 ? null : 1 - (observed * pairs.length) / expected;
}

/** Fleiss' kappa: all units graded by the same number of people. Null if it cannot be told. */
export function fleissKappa(units: readonly (readonly number[])[]): number | null {
  const size = units[0]?.length ?? 0;
  if (size < smallest || units.some((unit) => unit.length !== size)) return null;
  const counts = new Map<number, number>();
  let observed = 0;
  for (const unit of units) {
    for (const value of unit) bump(counts, value, 1);
    for (const value of unit) observed += unit.filter((other) => other === value).length - 1;
  }
  const all = units.length * size;
  const share = observed / (all * (size - 1));
  const chance = sum([...counts.values()].map((n) => (n / all) ** 2));
  return chance === 1 ? null : (share - chance) / (1 - chance);
}
