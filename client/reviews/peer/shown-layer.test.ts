import { expect, test } from 'vitest';

import type { ReviewView } from '#shared/reviews.ts';

import { layersOf, modeOf } from './shown-layer.ts';

type Row = ReviewView['reviewers'][number];

const row = (id: string, more: Partial<Row> = {}): Row => ({
  ...{
    id,
    name: id,
    userId: null,
    email: null,
    role: 'required',
    status: null,
    comment: '',
    heardEnough: null,
    cloneId: null,
    isMe: false,
  },
  ...more,
});

const review = (more: Partial<ReviewView>): ReviewView => ({
  ...{ id: 'r', meetingId: 'm', title: 'Talk', policy: 'strict', phase: 'closed', status: 'in-progress' },
  ...{ completionDate: null, firstOpenedAt: null },
  ...{ leader: { id: 'ann', name: 'Ann' }, student: null, anonymous: false, observers: false },
  ...{
    outcomeModel: null,
    askedTypes: null,
    due: null,
    coverage: null,
    keyed: false,
    isSecondPass: false,
    rev: null,
    mine: null,
    cloneId: null,
    reviewers: [],
    layers: [],
    can: [],
  },
  ...more,
});

const ids = (more: Partial<ReviewView>) => layersOf(review(more)).map(({ id, kind }) => `${kind} ${id}`);
const words = { id: 'w', kind: 'words' } as const;

test('the layer that one annotates comes first, whatever else one reads', () => {
  const reviewers = [row('ben', { cloneId: 'b' }), row('me', { cloneId: 'own', isMe: true })];
  expect(ids({ cloneId: 'own', reviewers, layers: [words] })).toEqual(['mine own', 'of b']);
  expect(
    ids({ cloneId: 's', reviewers: [row('dana', { cloneId: 'd' })], layers: [{ id: 's', kind: 'shared' }] }),
  ).toEqual(['shared s', 'of d']);
});

test('who annotates nothing reads an assessment first, and the transcript alone where there is none', () => {
  const layers = [words, { id: 't', kind: 'discussion' } as const];
  expect(ids({ cloneId: 'w', layers: [...layers, { id: 's', kind: 'shared' }] })).toEqual(['shared s', 'discussion t']);
  expect(ids({ cloneId: 'w', layers: [words] })).toEqual(['words w']);
  expect(ids({})).toEqual([]);
});

test('a reviewer without a name is not named', () => {
  const reviewers = [row('ben', { cloneId: 'b', name: null })];
  expect(layersOf(review({ reviewers }))).toEqual([{ id: 'b', kind: 'of', name: null }]);
});

test('the sentence follows from the policy, the phase and the part', () => {
  const mine = (role: NonNullable<ReviewView['mine']>['role']) => ({
    mine: { id: 'x', role, status: 'new' as const, comment: '', heard: null },
  });
  const mode = (more: Partial<ReviewView>) => modeOf(review(more));
  expect(mode(mine('required'))).toBe('alone');
  expect(mode({ ...mine('optional'), policy: 'relaxed' })).toBe('together');
  expect(mode({ ...mine('student'), policy: 'student', phase: 'self' })).toBe('self');
  expect(mode(mine('muted'))).toBe('practises');
  expect([mode(mine('watcher')), mode({ ...mine('watcher'), policy: 'relaxed' })]).toEqual([
    'watches',
    'watchesTogether',
  ]);
  expect(mode(mine('supervisor'))).toBe('oversees');
  expect(mode({})).toBe('leads');
  expect([mode({ phase: 'open' }), mode({ phase: 'published' })]).toEqual(['opened', 'published']);
});
