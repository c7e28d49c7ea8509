// The dialog promises of a review what its rights give (`grantsOf`).
import { expect, it } from 'vitest';
import { previewOf } from './preview.ts';
import { sampleReview } from './review-sample.ts';
import type { Review } from './review.ts';

/** One word a person: how they assess and what they read. */
const told = (review: Review) =>
  Object.fromEntries(
    previewOf(review).map(({ phase, parts }) => [
      phase,
      Object.fromEntries(
        parts.map(({ principal, assesses, reads }) => [principal, [assesses, reads].filter(Boolean).join(' ')]),
      ),
    ]),
  );

it('strict: each reads their own assessment alone until all have completed', () => {
  const open = { R: 'all', O: 'all', M: 'all', S: 'all', S2: 'all' };
  expect(told(sampleReview('strict'))).toEqual({
    closed: {
      ...{ R: 'alone own', O: 'alone own', M: 'alone own', W: 'words' },
      ...{ S: 'alone all', S2: 'alone all', T: 'nothing', L: 'words' },
    },
    open: { ...open, W: 'all', T: 'nothing', L: 'all' },
    published: { ...open, W: 'all', T: 'all', L: 'all' },
  });
});

it('student: the person assessed begins, and everything opens at once', () => {
  expect(told(sampleReview('student'))).toMatchObject({
    self: { T: 'alone own', R: 'nothing', O: 'nothing', M: 'nothing', W: 'nothing', L: 'nothing' },
    closed: { T: 'own', R: 'alone own', W: 'words', S: 'alone all', L: 'words' },
    published: { T: 'all', R: 'all', W: 'all', L: 'all' },
  });
});

it('relaxed: one assessment of all, which everybody but the person assessed reads', () => {
  expect(told(sampleReview('relaxed'))).toMatchObject({
    closed: {
      ...{ R: 'together all', O: 'together all', M: 'alone all', W: 'all' },
      ...{ T: 'nothing', L: 'words' },
    },
    open: { L: 'all', T: 'nothing' },
    published: { T: 'all' },
  });
});

it('without a person assessed nothing follows after opening, and a lone reviewer reads their own assessment', () => {
  const lone = { ...sampleReview('strict'), student: null };
  const review = { ...lone, reviewers: lone.reviewers.filter(({ id }) => id === 'R') };
  expect(told(review)).toEqual({
    closed: { R: 'alone own', L: 'words' },
    open: { R: 'all', L: 'all' },
  });
});
