// Agreement on which words are evidence: each person marks passages of one text for a competency.

/** Words from `from` up to but not including `to`. */
export interface Passage {
  from: number;
  to: number;
}

/** Passages for one competency, a list for each person, and the number of words in the text. */
export interface Marking {
  words: number;
  people: readonly (readonly Passage[])[];
}

interface Figures {
  observed: number;
  expected: number;
  /** Pairs of people and words: both marked it; one marked it, counted for that one. */
  both: number;
  marked: number;
}

const nothing: Figures = { observed: 0, expected: 0, both: 0, marked: 0 };

/** Units of one person: passages in order, inside the text, those that overlap as one. Two that only touch are two units. */
function unitsOf(passages: readonly Passage[], words: number): Passage[] {
  const found: Passage[] = [];
  const inside = passages
    .map(({ from, to }) => ({ from: Math.max(0, from), to: Math.min(words, to) }))
    .filter(({ from, to }) => from < to);
  for (const one of inside.toSorted((a, b) => a.from - b.from)) {
    const last = found.at(-1);
    if (last && one.from < last.to) last.to = Math.max(last.to, one.to);
    else found.push({ ...one });
  }
  return found;
}

/** The same, with those that touch as one. */
function merged(passages: readonly Passage[], words: number): Passage[] {
  const found: Passage[] = [];
  for (const unit of unitsOf(passages, words)) {
    const last = found.at(-1);
    if (last?.to === unit.from) last.to = unit.to;
    else found.push(unit);
  }
  return found;
}

function figuresOf({ words, people }: Marking): Figures {
  const size = people.length;
  if (size < 2 || words === 0) return nothing;
  const passages = people.map((one) => unitsOf(one, words));
  const edges = passages
    .flat()
    .flatMap(({ from, to }) => [
      { at: from, by: 1 },
      { at: to, by: -1 },
    ])
    .sort((one, other) => one.at - other.at);
  // Words between two edges are marked by the same people.
  let [differing, both, marked, now, at] = [0, 0, 0, 0, 0];
  for (const edge of edges) {
    const length = edge.at - at;
    differing += length * now * (size - now);
    both += length * now * (now - 1);
    marked += length * now;
    [now, at] = [now + edge.by, edge.at];
  }
  const all = size * words;
  const unmarked = all - marked;
  const squares = passages.flat().reduce((total, { from, to }) => total + (to - from) ** 2, 0);
  const pairs = all - (unmarked + squares) / all;
  return {
    observed: (2 * differing) / (size - 1),
    expected: pairs === 0 ? 0 : (2 * marked * unmarked) / pairs,
    both,
    marked: marked * (size - 1),
  };
}

interface WordAgreement {
  /** Krippendorff's alpha for binary unitizing; null if it cannot be told. */
  alpha: number | null;
  /** How much of what one person marked another marked as well; null without any marks. */
  common: number | null;
}

/** Agreement over all competencies that is kept while people mark; a change takes one competency out and in. */
export class RunningWordAgreement {
  private readonly byType = new Map<string, Figures>();

  set(type: string, marking: Marking): void {
    this.byType.set(type, figuresOf(marking));
  }

  remove(type: string): void {
    this.byType.delete(type);
  }

  agreement(): WordAgreement {
    let { observed, expected, both, marked } = nothing;
    for (const [, one] of [...this.byType].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      observed += one.observed;
      expected += one.expected;
      both += one.both;
      marked += one.marked;
    }
    return { alpha: expected === 0 ? null : 1 - observed / expected, common: marked === 0 ? null : both / marked };
  }
}

export function wordAgreementOf(markings: ReadonlyMap<string, Marking>): WordAgreement {
  const running = new RunningWordAgreement();
  for (const [type, marking] of markings) running.set(type, marking);
  return running.agreement();
}

/** Words in which people differ most, as passages; each pair of people and word counts once. */
export function mostDisputed({ words, people }: Marking, most = 5): (Passage & { pairs: number })[] {
  const passages = people.map((one) => merged(one, words));
  const edges = [...new Set(passages.flat().flatMap(({ from, to }) => [from, to]))].sort((one, other) => one - other);
  const found: (Passage & { pairs: number })[] = [];
  edges.slice(0, -1).forEach((from, i) => {
    const to = edges[i + 1] ?? from;
    const marked = passages.filter((one) => one.some((passage) => passage.from <= from && from < passage.to)).length;
    const pairs = marked * (people.length - marked) * (to - from);
    const last = found.at(-1);
    if (pairs === 0) return;
    if (last?.to === from) [last.to, last.pairs] = [to, last.pairs + pairs];
    else found.push({ from, to, pairs });
  });
  return found.toSorted((one, other) => other.pairs - one.pairs || one.from - other.from).slice(0, most);
}

/** Passages that at least half of the people marked. */
export function markedByHalf({ words, people }: Marking): Passage[] {
  const edges = people
    .flatMap((one) => merged(one, words))
    .flatMap(({ from, to }) => [
      { at: from, by: 1 },
      { at: to, by: -1 },
    ])
    .sort((one, other) => one.at - other.at);
  const found: Passage[] = [];
  let [now, at] = [0, 0];
  for (const edge of edges) {
    if (2 * now >= people.length && edge.at > at) found.push({ from: at, to: edge.at });
    [now, at] = [now + edge.by, edge.at];
  }
  return merged(found, words);
}

export const overlap = (one: Passage, other: Passage): boolean => one.from < other.to && other.from < one.to;
