import { describe, expect, it, test } from 'vitest';
import { grantsOf, layerKinds, publishedLayers } from './grants.ts';
import { sampleReview } from './review-sample.ts';
import type { Review } from './review.ts';

const letter = { read: 'r', comment: 'm', write: 'w' } as const;

/** Rights as lines such as `own R: R m, S r`. */
function linesOf(review: Review): string[] {
  const lines = new Map<string, string[]>();
  for (const { layer, principal, permission } of grantsOf(review)) {
    const name = [layer.kind, ...(layer.of === null ? [] : [layer.of])].join(' ');
    lines.set(name, [...(lines.get(name) ?? []), `${principal} ${letter[permission]}`]);
  }
  return [...lines].map(([name, held]) => `${name}: ${held.toSorted().join(', ')}`).sort();
}
const sorted = (table: string): string[] =>
  table
    .trim()
    .split('\n')
    .map((line) => {
      const [name = '', held = ''] = line.trim().split(': ');
      return `${name}: ${held.split(', ').toSorted().join(', ')}`;
    })
    .sort();

const everybody = 'R r, O r, M r, W r, S r, S2 r, L r';
const talks = 'discussion: R m, O m, M m, S m, S2 m, L m, W r';
const words = 'words: R w, O w, M w, S w, S2 w, W r, L r';
const feedback = 'feedback: T m, R m, O m, S m, S2 m, L m, W r';

// m annotates, r reads, w corrects words.
const table: [string, Review, string][] = [
  [
    'strict, closed',
    sampleReview('strict'),
    `own R: R m, S r, S2 r
     own O: O m, S r, S2 r
     own M: M m, S r, S2 r
     own S: S m, S2 r
     own S2: S2 m, S r
     machine: S r, S2 r
     discussion: S m, S2 m
     ${words}`,
  ],
  [
    'strict, closed, those who completed',
    sampleReview('strict', { statuses: { R: 'complete', M: 'complete', S: 'complete' } }),
    `own R: R r, S r, S2 r
     own O: O m, S r, S2 r
     own M: M r, S r, S2 r
     own S: S r, S2 r
     own S2: S2 m, S r
     machine: S r, S2 r
     discussion: S m, S2 m
     ${words}`,
  ],
  [
    'student, self',
    sampleReview('student'),
    `own T: T m, S r, S2 r
     own R: S r, S2 r
     own O: S r, S2 r
     own M: S r, S2 r
     own S: S2 r
     own S2: S r
     machine: S r, S2 r
     discussion: S m, S2 m
     words: T r, S w, S2 w`,
  ],
  [
    'student, mentors',
    sampleReview('student', { statuses: { T: 'complete' } }),
    `own T: T r, S r, S2 r
     own R: R m, S r, S2 r
     own O: O m, S r, S2 r
     own M: M m, S r, S2 r
     own S: S m, S2 r
     own S2: S2 m, S r
     machine: S r, S2 r
     discussion: S m, S2 m
     ${words}, T r`,
  ],
  ...(['relaxed', 'ai'] as const).map((policy): [string, Review, string] => [
    `${policy}, closed, whether completed or not`,
    sampleReview(policy, { statuses: { R: 'complete', M: 'complete' } }),
    `shared: R m, O m, M r, W r, S r, S2 r
     own M: M m, S r, S2 r
     own S: S m, S2 r
     own S2: S2 m, S r
     machine: R r, O r, M r, W r, S r, S2 r
     ${talks}
     ${words}`,
  ]),
  [
    'strict, open',
    sampleReview('strict', { openedAt: 1 }),
    `own R: ${everybody}
     own O: ${everybody}
     own M: ${everybody}
     own S: ${everybody}
     own S2: ${everybody}
     machine: ${everybody}
     ${talks}
     ${words}`,
  ],
  [
    'relaxed, open',
    sampleReview('relaxed', { openedAt: 1 }),
    `shared: ${everybody}
     own M: ${everybody}
     own S: ${everybody}
     own S2: ${everybody}
     machine: ${everybody}
     ${talks}
     ${words}`,
  ],
  [
    'strict, published',
    sampleReview('strict', { openedAt: 1, publishedAt: 1 }),
    `own R: ${everybody}, T r
     own O: ${everybody}, T r
     own M: ${everybody}, T r
     own S: ${everybody}
     own S2: ${everybody}
     machine: ${everybody}, T r
     ${talks}
     ${feedback}
     ${words}, T r`,
  ],
  [
    'student, published',
    sampleReview('student', { openedAt: 1, publishedAt: 1, statuses: { T: 'complete' } }),
    `own T: ${everybody}, T r
     own R: ${everybody}, T r
     own O: ${everybody}, T r
     own M: ${everybody}, T r
     own S: ${everybody}
     own S2: ${everybody}
     machine: ${everybody}, T r
     ${talks}
     ${feedback}
     ${words}, T r`,
  ],
];

describe('who reads and annotates which layer', () => {
  test.each(table)('%s', (_, review, expected) => expect(linesOf(review)).toEqual(sorted(expected)));

  it('is nobody once the review is deleted', () => {
    expect(grantsOf(sampleReview('strict', { openedAt: 1, deletedAt: 2 }))).toEqual([]);
  });

  it('is the same in a second pass, where nobody corrects words', () => {
    for (const [, review] of table.filter(([, { policy }]) => policy === 'strict')) {
      const [first, second] = [linesOf(review), linesOf({ ...review, secondOf: 'first' })];
      expect(second).toEqual(first.map((line) => (line.startsWith('words') ? line.replaceAll(/ w\b/g, ' r') : line)));
    }
  });

  it('names every kind of layer', () => {
    const kinds = table.flatMap(([, review]) => grantsOf(review).map(({ layer }) => layer.kind));
    expect(new Set(kinds)).toEqual(new Set(layerKinds));
  });
});

describe('a leader', () => {
  it('reads as the student where they are assessed', () => {
    const assessed = (more: Partial<Review>) => linesOf(sampleReview('strict', { leader: 'T', ...more })).join('\n');
    expect(assessed({})).not.toMatch(/T /);
    expect(assessed({ openedAt: 1 })).not.toMatch(/T /);
    const published = assessed({ openedAt: 1, publishedAt: 1 });
    expect(published).toMatch(/own R: .*T r/);
    expect(published).not.toMatch(/(own S|discussion): .*T /);
  });

  it('who is a reviewer too has the rights of both', () => {
    const lines = linesOf(sampleReview('strict', { leader: 'R' }));
    expect(lines).toContain('own R: R m, S r, S2 r');
    expect(lines).toContain('words: M w, O w, R w, S w, S2 w, W r');
    expect(lines.find((line) => line.startsWith('own O'))).toBe('own O: O m, S r, S2 r');
  });
});

test.each(['strict', 'student', 'relaxed'] as const)(
  '%s: the person assessed will read what they read once it is published',
  (policy) => {
    const review = sampleReview(policy, { openedAt: 1 });
    const names = (layers: readonly { kind: string; of: string | null }[]) =>
      layers.map(({ kind, of }) => `${kind} ${of ?? ''}`).toSorted();
    const read = grantsOf({ ...review, publishedAt: 2 }).filter(({ principal }) => principal === 'T');
    expect(names(publishedLayers(review))).toEqual(names(read.map(({ layer }) => layer)));
    expect(names(publishedLayers(review))).not.toContain('own S');
    expect(names(publishedLayers(review))).not.toContain('discussion ');
    // Somebody who is not named yet would read the same.
    if (policy !== 'student') expect(publishedLayers({ ...review, student: null })).toEqual(publishedLayers(review));
  },
);
