// Faults that the dialog finds before sending, and people it takes for one.
import { expect, it } from 'vitest';
import type { FoundPerson } from '#shared/accounts.ts';
import { draftPerson, emptyDraft, faultsOf, inputOf, type DraftReviewer } from './draft.ts';

const limits = { most: 2, supervisors: 1 };
const today = '2026-05-04';
const reviewer = (key: string, role: DraftReviewer['role'] = 'required'): DraftReviewer => ({
  ...{ key, name: key, principal: { id: key }, role },
});
const codes = (more: Partial<typeof emptyDraft>) =>
  faultsOf({ ...emptyDraft, reviewers: [reviewer('b')], ...more }, limits, today).map(
    ({ field, code }) => `${field} ${code}`,
  );

it('names what is missing or too much, at its field', () => {
  expect(codes({})).toEqual([]);
  expect(codes({ reviewers: [] })).toEqual(['reviewers needsPerson']);
  expect(codes({ reviewers: [reviewer('w', 'watcher')] })).toEqual(['reviewers needsPerson']);
  expect(codes({ reviewers: ['b', 'c'].map((key) => reviewer(key)) })).toEqual([]);
  expect(codes({ reviewers: ['b', 'c', 'd'].map((key) => reviewer(key)) })).toEqual(['reviewers too_many']);
  expect(codes({ reviewers: [reviewer('b'), reviewer('c', 'watcher'), reviewer('s', 'supervisor')] })).toEqual([]);
  expect(codes({ reviewers: ['s', 't'].map((key) => reviewer(key, 'supervisor')) })).toEqual(['reviewers too_many']);
  expect(codes({ policy: 'student' })).toEqual(['student needsStudent']);
  expect(codes({ due: today })).toEqual([]);
  expect(codes({ due: '2026-05-03' })).toEqual(['due past']);
});

it('sends no due date where none was chosen', () => {
  expect(inputOf({ ...emptyDraft, reviewers: [reviewer('b')] }, 'Closed')).toEqual({
    ...{ policy: 'strict', student: null, due: null, coverage: null, outcomeModel: null, keyOf: null },
    ...{ observers: false, anonymous: false, closeText: null },
    reviewers: [{ principal: { id: 'b' }, role: 'required' }],
  });
});

it('names a reference only where people assess on their own', () => {
  const asked = (policy: 'strict' | 'relaxed') => inputOf({ ...emptyDraft, policy, keyOf: 'k' }, '').keyOf;
  expect([asked('strict'), asked('relaxed')]).toEqual(['k', null]);
  const hidden = inputOf({ ...emptyDraft, keyOf: 'k', observers: true, anonymous: true }, '');
  expect(hidden).toMatchObject({ anonymous: true, keyOf: null, observers: false });
});

it('shows who is present only where people assess on their own, and names the version that is closed', () => {
  const asked = (policy: 'strict' | 'relaxed' | 'student') =>
    inputOf({ ...emptyDraft, policy, observers: true, closes: true }, 'Closed on Monday');
  expect(asked('strict')).toMatchObject({ observers: true, closeText: { name: 'Closed on Monday' } });
  expect([asked('student').observers, asked('relaxed').observers]).toEqual([true, false]);
});

it('takes one’s own address for oneself', () => {
  const me = { id: 'a', name: 'Ann', email: 'ann@example.org' };
  const found = (email: string) => ({ id: -1, kind: 'pending', email, first_name: '', last_name: '' }) as FoundPerson;
  expect(draftPerson(found('Ann@Example.org'), me)).toEqual({ key: 'a', name: 'Ann', principal: { id: 'a' } });
  expect(draftPerson(found('Ben@example.org'), me)).toMatchObject({ principal: { email: 'Ben@example.org' } });
});
