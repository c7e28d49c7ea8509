import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { grantsOf } from './grants.ts';
import { isTooMany, next, type Actor, type ReviewEvent, type ReviewMail } from './machine.ts';
import { sampleReview } from './review-sample.ts';
import {
  isBlind,
  libraryStateOf,
  phaseOf,
  phases,
  policies,
  reviewerRoles,
  statusOf,
  type Policy,
  type Review,
  type ReviewerRole,
  type ReviewerStatus,
} from './review.ts';

const by = (principal: string, owns = false): Actor => ({ principal, owns });
const now = Date.parse('2030-01-02T03:04:05Z');

/** Runs events, each of which is permitted. */
function after(review: Review, ...events: [string, ReviewEvent][]): { review: Review; mails: ReviewMail[] } {
  const mails: ReviewMail[] = [];
  let state = review;
  events.forEach(([person, event], i) => {
    const step = next(state, event, by(person), now + i);
    if ('refused' in step) throw new Error(`${person} ${event.type}: ${JSON.stringify(step)}`);
    mails.push(...step.mails);
    state = step.review;
  });
  return { review: state, mails };
}
const refusal = (review: Review, person: string, event: ReviewEvent, owns = false) => {
  const step = next(review, event, by(person, owns), now);
  return 'refused' in step ? step : null;
};
const only = (review: Review, ...ids: string[]): Review => ({
  ...review,
  reviewers: review.reviewers.filter(({ id }) => ids.includes(id)),
});
const complete: ReviewEvent = { type: 'complete' };
const takeBack: ReviewEvent = { type: 'take-back' };
const annotate: ReviewEvent = { type: 'annotate' };

describe('a review is complete', () => {
  const cases: [string, ReviewerRole[], ReviewerStatus[], boolean][] = [
    ['if all required are', ['required', 'required', 'optional'], ['complete', 'complete', 'new'], true],
    ['not before', ['required', 'required'], ['complete', 'in-progress'], false],
    ['if supervisors are, too', ['required', 'supervisor'], ['complete', 'new'], false],
    ['by supervisors alone, where nobody is required', ['supervisor', 'optional'], ['complete', 'new'], true],
    ['by everybody, where there are neither', ['optional', 'muted'], ['complete', 'new'], false],
    ['by everybody who can complete', ['optional', 'muted', 'watcher'], ['complete', 'complete', 'new'], true],
    ['not with watchers alone', ['watcher'], ['new'], false],
    ['not without anybody', [], [], false],
  ];
  test.each(cases)('%s', (_, roles, statuses, expected) => {
    const reviewers = roles.map((role, i) => ({
      ...{ id: `${i}`, principal: `${i}`, role },
      status: statuses[i] ?? ('new' as const),
    }));
    expect(statusOf({ ...sampleReview('strict'), reviewers })).toBe(expected ? 'complete' : 'in-progress');
  });

  it('once its leader ended it', () => {
    expect(statusOf(sampleReview('strict', { endedAt: 1 }))).toBe('complete');
  });

  it('by the student alone, where nobody else takes part', () => {
    const { review } = after(only(sampleReview('student')), ['T', annotate], ['T', complete]);
    expect(phaseOf(review)).toBe('published');
  });
});

describe('a review with a key', () => {
  const keyed = () => only(sampleReview('strict', { keyOf: 'k' }), 'R', 'O');

  it('takes nothing back: who has completed knows the key', () => {
    const { review } = after(keyed(), ['R', annotate], ['O', annotate], ['O', complete]);
    expect(refusal(review, 'O', takeBack)).toEqual({ refused: 'CONFLICT' });
    const open = after(review, ['R', complete]).review;
    expect(phaseOf(open)).toBe('open');
    expect(refusal(open, 'R', takeBack)).toEqual({ refused: 'CONFLICT' });
    expect(refusal(open, 'L', { type: 'reopen' })).toEqual({ refused: 'CONFLICT' });
    expect(refusal({ ...open, keyOf: null }, 'L', { type: 'reopen' })).toBeNull();
  });

  it('does not close again once it is open', () => {
    const { review } = after(keyed(), ['R', annotate], ['R', complete]);
    expect(phaseOf(review)).toBe('open');
    const required: ReviewEvent = { type: 'role', reviewer: 'O', role: 'required' };
    expect(refusal(review, 'L', required)).toEqual({ refused: 'CONFLICT' });
    expect(refusal({ ...review, keyOf: null }, 'L', required)).toBeNull();
  });

  it('stays strict', () => {
    const changed = refusal(keyed(), 'L', { type: 'change', policy: 'relaxed' });
    expect(changed).toEqual({ refused: 'INVALID', field: 'policy', code: 'key' });
  });
});

describe('an anonymous review', () => {
  it('takes nobody from an owner but themselves, as a refusal would name who is there', () => {
    const review = sampleReview('strict', { anonymous: true });
    const add = (principal: string): ReviewEvent => ({
      type: 'add',
      reviewers: [{ id: 'new', principal, role: 'optional' }],
    });
    const byOwner = (event: ReviewEvent) => next(review, event, { principal: 'K', owns: true }, 0);
    expect(byOwner(add('R'))).toEqual({ refused: 'NO_PERM' });
    expect(byOwner(add('X'))).toEqual({ refused: 'NO_PERM' });
    expect(byOwner(add('K'))).not.toHaveProperty('refused');
    expect(next({ ...review, anonymous: false }, add('X'), { principal: 'K', owns: true }, 0)).not.toHaveProperty(
      'refused',
    );
  });
});

describe('a strict review', () => {
  const two = () => only(sampleReview('strict'), 'R', 'O', 'S');

  it('opens when the required and the supervisor have completed, and says so to all but the student', () => {
    const first = after(two(), ['R', annotate], ['R', complete]);
    expect(phaseOf(first.review)).toBe('closed');
    // Nobody else who has to complete is left.
    expect(first.mails).toEqual([{ kind: 'approve', to: 'S' }]);
    const second = after(first.review, ['S', complete]);
    expect(phaseOf(second.review)).toBe('open');
    expect(second.review.blindRecord).toEqual(['R']);
    expect(second.mails.map(({ kind, to }) => `${kind} ${to}`)).toEqual([
      'opened L',
      'opened R',
      'opened O',
      'opened S',
    ]);
  });

  it('closes again when somebody takes back, and the blind record stays', () => {
    const open = after(two(), ['R', complete], ['S', complete]).review;
    const closed = after(open, ['R', takeBack]).review;
    expect([phaseOf(closed), closed.blindRecord]).toEqual(['closed', ['R']]);
    const again = after(closed, ['O', annotate], ['O', complete], ['R', complete]).review;
    expect([phaseOf(again), again.blindRecord]).toEqual(['open', ['R']]);
  });

  it('takes nothing back once published', () => {
    const published = after(two(), ['R', complete], ['S', complete], ['L', { type: 'publish' }]).review;
    expect(refusal(published, 'R', takeBack)).toEqual({ refused: 'CONFLICT' });
    expect(refusal(published, 'L', { type: 'reopen' })).toEqual({ refused: 'CONFLICT' });
  });

  it('is ended and reopened by its leader alone', () => {
    expect(refusal(two(), 'R', { type: 'end' }, true)).toEqual({ refused: 'NO_PERM' });
    const ended = after(two(), ['R', annotate], ['L', { type: 'end' }]).review;
    expect(phaseOf(ended)).toBe('open');
    const reopened = after(ended, ['L', { type: 'reopen' }]).review;
    expect(phaseOf(reopened)).toBe('closed');
    // Completed by everybody: those who decided go on.
    const open = after(two(), ['R', complete], ['S', complete], ['L', { type: 'reopen' }]).review;
    expect(open.reviewers.map(({ status }) => status)).toEqual(['in-progress', 'new', 'in-progress']);
  });

  it('is published by a supervisor where the student leads', () => {
    const open = after({ ...two(), leader: 'T' }, ['R', complete], ['S', complete]).review;
    expect(refusal(open, 'T', { type: 'publish' })).toEqual({ refused: 'NO_PERM' });
    expect(phaseOf(after(open, ['S', { type: 'publish' }]).review)).toBe('published');
  });
});

describe('a review of a student', () => {
  const one = () => only(sampleReview('student'), 'R', 'W');

  it('lets mentors wait, tells them, and is opened and published at once', () => {
    expect(refusal(one(), 'R', annotate)).toEqual({ refused: 'CONFLICT' });
    const self = after(one(), ['T', annotate], ['T', complete]);
    expect(self.mails).toEqual([{ kind: 'self-done', to: 'R' }]);
    const done = after(self.review, ['R', annotate], ['R', complete]);
    expect(phaseOf(done.review)).toBe('published');
    expect(done.mails.map(({ kind, to }) => `${kind} ${to}`)).toEqual(
      ['L', 'R', 'W', 'T'].map((to) => `published ${to}`),
    );
  });

  it('lets the student take back until a mentor has begun', () => {
    const self = after(one(), ['T', complete]).review;
    expect(phaseOf(after(self, ['T', takeBack]).review)).toBe('self');
    const begun = after(self, ['R', annotate]).review;
    expect(refusal(begun, 'T', takeBack)).toEqual({ refused: 'CONFLICT' });
  });

  it('goes on without the student once that is overdue', () => {
    const skip: ReviewEvent = { type: 'skip-self' };
    expect(refusal(one(), 'L', skip)).toEqual({ refused: 'CONFLICT' });
    // On the day itself the student still has time.
    expect(refusal({ ...one(), due: '2030-01-02' }, 'L', skip)).toEqual({ refused: 'CONFLICT' });
    const overdue = { ...one(), due: '2030-01-01' };
    expect(phaseOf(after(overdue, ['L', skip]).review)).toBe('closed');
  });
});

describe('people of a review', () => {
  const add = (role: ReviewerRole, principal = 'X'): ReviewEvent => ({
    type: 'add',
    reviewers: [{ id: principal, principal, role }],
  });
  const begun = () => after(sampleReview('strict'), ['R', annotate]).review;

  test.each<[string, string, boolean, ReviewEvent, object | null]>([
    ['the leader adds anybody', 'L', false, add('supervisor'), null],
    ['an owner adds a reviewer', 'X', true, add('optional'), null],
    ['an owner names no supervisor', 'X', true, add('supervisor'), { refused: 'NO_PERM' }],
    ['others add nobody', 'X', false, add('optional'), { refused: 'NO_PERM' }],
    ['the student adds nobody', 'T', true, add('optional'), { refused: 'NO_PERM' }],
    [
      'the student is no reviewer',
      'L',
      false,
      add('watcher', 'T'),
      { refused: 'INVALID', field: 'reviewers', code: 'student' },
    ],
    [
      'nobody has two roles',
      'L',
      false,
      add('watcher', 'R'),
      { refused: 'INVALID', field: 'reviewers', code: 'exists' },
    ],
    ['required and optional change', 'L', false, { type: 'role', reviewer: 'R', role: 'optional' }, null],
    ['reviewers are muted', 'L', false, { type: 'role', reviewer: 'R', role: 'muted' }, null],
    ['other roles stay', 'L', false, { type: 'role', reviewer: 'W', role: 'optional' }, { refused: 'CONFLICT' }],
    ['the policy stays', 'L', false, { type: 'change', policy: 'relaxed' }, { refused: 'CONFLICT' }],
    ['an owner deletes nothing begun', 'X', true, { type: 'delete' }, { refused: 'NO_PERM' }],
    ['the leader deletes', 'L', false, { type: 'delete' }, null],
  ])('after the beginning, %s', (_, person, owns, event, expected) =>
    expect(refusal(begun(), person, event, owns)).toEqual(expected),
  );

  it('change freely before somebody begins', () => {
    const review = sampleReview('strict');
    expect(refusal(review, 'L', { type: 'role', reviewer: 'S', role: 'required' })).toBe(null);
    expect(refusal(review, 'L', { type: 'change', policy: 'relaxed' })).toBe(null);
    expect(refusal({ ...review, student: null }, 'L', { type: 'change', policy: 'student' })).toMatchObject({
      field: 'student',
    });
    expect(refusal(review, 'X', { type: 'delete' }, true)).toBe(null);
  });

  it('who could read another assessment never come back to judge', () => {
    const removed = after(begun(), ['L', { type: 'remove', reviewer: 'S' }]).review;
    expect(refusal(removed, 'L', add('optional', 'S'))).toMatchObject({ code: 'could_read' });
    expect(refusal(removed, 'L', add('supervisor', 'S'))).toBe(null);
  });

  it('who could read a joint assessment do not assess alone afterwards', () => {
    const without = (id: string): [string, ReviewEvent] => ['L', { type: 'remove', reviewer: id }];
    const strict: ReviewEvent = { type: 'change', policy: 'strict' };
    const { review } = after(sampleReview('relaxed'), without('S2'), ['R', annotate], without('W'), without('R'));
    expect(refusal(review, 'L', strict)).toMatchObject({ code: 'could_read' });
    // Neither who was removed before anybody began, nor the one who did.
    expect(review.haveRead.toSorted()).toEqual(['M', 'O', 'S', 'W']);
  });

  it('are told of a late supervisor', () => {
    const { mails } = after(only(begun(), 'R', 'O'), ['L', add('supervisor')]);
    expect(mails.map(({ kind, to }) => `${kind} ${to}`)).toEqual(['asked X', 'supervised R', 'supervised O']);
  });

  it('are limited, supervisors apart', () => {
    const limits = { reviewers: { strict: 4, relaxed: 30, student: 5, ai: 30 }, supervisors: 2 };
    const review = sampleReview('strict');
    expect(isTooMany(review, limits)).toBe(false);
    expect(isTooMany(review, { ...limits, supervisors: 1 })).toBe(true);
    expect(isTooMany(review, { ...limits, reviewers: { ...limits.reviewers, strict: 3 } })).toBe(true);
  });

  const usual = { reviewers: { strict: 10, relaxed: 30, student: 5, ai: 30 }, supervisors: 3 };
  const crowd = (policy: Policy, others: number, supervisors: number): Review => ({
    ...sampleReview(policy),
    reviewers: Array.from({ length: others + supervisors }, (_, i) => ({
      ...{ id: `${i}`, principal: `${i}`, status: 'new' as const },
      role: i < others ? ('optional' as const) : ('supervisor' as const),
    })),
  });

  test.each([
    ['strict', 10],
    ['relaxed', 30],
    ['ai', 30],
    ['student', 5],
  ] as const)('%s: %i reviewers and three supervisors, and not one more of either', (policy, most) => {
    const full = crowd(policy, most, 3);
    expect(isTooMany(full, usual)).toBe(false);
    expect(isTooMany(crowd(policy, most + 1, 3), usual)).toBe(true);
    expect(isTooMany(crowd(policy, most, 4), usual)).toBe(true);
    // Another role changes both numbers.
    const tooMany = (...given: [nth: number, role: ReviewerRole][]) => {
      const events = given.map(([nth, role]): [string, ReviewEvent] => [
        'L',
        { type: 'role', reviewer: `${nth}`, role },
      ]);
      return isTooMany(after(full, ...events).review, usual, full);
    };
    expect(tooMany([0, 'supervisor'])).toBe(true);
    expect(tooMany([most, 'required'])).toBe(true);
    expect(tooMany([0, 'supervisor'], [most, 'required'])).toBe(false);
    expect(tooMany([0, 'muted'])).toBe(false);
  });

  it('are not fewer because the limits were lowered, and no more come', () => {
    const before = crowd('relaxed', 12, 4);
    const lowered = { ...usual, reviewers: { ...usual.reviewers, relaxed: 10 } };
    expect(isTooMany(before, lowered, before)).toBe(false);
    expect(isTooMany(crowd('relaxed', 11, 3), lowered, before)).toBe(false);
    expect(isTooMany(crowd('relaxed', 13, 4), lowered, before)).toBe(true);
    expect(isTooMany(crowd('relaxed', 11, 5), lowered, before)).toBe(true);
    // Another policy has a limit of its own.
    expect(isTooMany({ ...before, policy: 'strict' }, usual, before)).toBe(true);
  });
});

test.each<[string, string, (string | null)[]]>([
  ['R', 'a reviewer', ['pending', 'button', 'completed', 'completed_review']],
  ['S', 'a supervisor, after the others', ['pending', 'pending', 'button', 'completed_review']],
  ['W', 'a watcher', ['pending', 'pending', 'pending', 'completed_review']],
  ['L', 'the leader', ['pending', 'pending', 'pending', 'completed_review']],
  ['T', 'the student', ['button', 'completed', 'completed', 'completed_review']],
  ['X', 'anybody else', [null, null, null, null]],
])('the list shows %s, %s, whose turn it is', (person, _, expected) => {
  const first = only(sampleReview('student'), 'R', 'W', 'S');
  const second = after(first, ['T', complete]).review;
  const third = after(second, ['R', complete]).review;
  const fourth = after(third, ['S', complete]).review;
  expect([first, second, third, fourth].map((review) => libraryStateOf(review, person))).toEqual(expected);
});

describe('after any events', () => {
  const names = ['R', 'O', 'M', 'W', 'S', 'S2', 'L', 'T', 'X', 'Y'];
  const person = fc.constantFrom(...names);
  // Few, so that the same people leave and come back.
  const few = fc.constantFrom('S', 'O', 'X');
  const role = fc.constantFrom(...reviewerRoles);
  const event: fc.Arbitrary<ReviewEvent> = fc.oneof(
    { weight: 5, arbitrary: fc.record({ type: fc.constantFrom('annotate', 'complete', 'take-back') }) },
    fc.record({ type: fc.constantFrom('end', 'reopen', 'publish', 'skip-self') }),
    fc
      .record({ principal: few, role })
      .map((one) => ({ type: 'add' as const, reviewers: [{ ...one, id: `${one.principal}'` }] })),
    fc.record({ type: fc.constant('remove' as const), reviewer: few }),
    fc.record({ type: fc.constant('role' as const), reviewer: person, role }),
    fc.record({ type: fc.constant('change' as const), policy: fc.constantFrom(...policies) }),
  );
  const start = fc.record({
    policy: fc.constantFrom(...policies),
    ids: fc.subarray(['R', 'O', 'M', 'W', 'S', 'S2']),
    leader: fc.constantFrom('L', 'R', 'T', 'S'),
    due: fc.constantFrom(null, '2030-01-01'),
  });
  // Most of what changes a review is for its leader.
  const whom = fc.option(person, { freq: 2, nil: 'leader' });
  const history = fc.array(fc.tuple(whom, event, fc.boolean()), { maxLength: 40, size: 'max' });

  it('nobody has a right beyond the table, and what was read is never judged again', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(start, history, ({ policy, ids, leader, due }, events) => {
        let review: Review = { ...only(sampleReview(policy), ...ids), leader, due };
        for (const [name, what, owns] of events) {
          const who = name === 'leader' ? leader : name;
          const step = next(review, what, by(who, owns), now);
          if ('refused' in step) continue;
          for (const wrong of wrongAfter(review, step.review)) throw new Error(`${who} ${what.type}: ${wrong}`);
          review = step.review;
          seen.add(phaseOf(review));
        }
      }),
      { numRuns: 1500, seed: 17 },
    );
    // The search comes to each phase; otherwise it proves little.
    expect([...seen].sort()).toEqual([...phases].sort());
  });
});

/** Laws of roles and phases that hold between any two states, said anew and not by the rules they check. */
function wrongAfter(before: Review, review: Review): string[] {
  const wrong: string[] = [];
  const phase = phaseOf(review);
  const opened = phase === 'open' || phase === 'published';
  const roleOf = (name: string) => review.reviewers.find(({ principal }) => principal === name)?.role ?? null;
  for (const { layer, principal, permission } of grantsOf(review)) {
    const isStudent = review.student?.principal === principal;
    const held = isStudent ? null : roleOf(principal);
    const say = (law: string) => wrong.push(`${principal} ${permission} ${layer.kind} ${layer.of}: ${law}`);
    if (held === null && !isStudent && principal !== review.leader) say('has no part');
    if (permission === 'write' && layer.kind !== 'words') say('corrects words by another layer');
    if (held === 'watcher' && principal !== review.leader && permission !== 'read') say('only watches');
    if (layer.kind === 'feedback' && phase !== 'published') say('is not published');
    const owner = review.reviewers.find(({ id }) => id === layer.of)?.principal ?? (layer.of === 'T' ? 'T' : null);
    if (layer.kind === 'own' && permission !== 'read' && owner !== principal) say('is of somebody else');
    if (layer.kind === 'own' && !opened && owner !== principal && held !== 'supervisor') say('reads another');
    if (isBlind(review) && !opened && ['machine', 'discussion', 'shared'].includes(layer.kind) && held !== 'supervisor')
      say('learns of others before opening');
    if (
      isStudent &&
      phase !== 'published' &&
      !(review.policy === 'student' && (owner === 'T' || layer.kind === 'words'))
    )
      say('is assessed');
    if (isStudent && (layer.kind === 'discussion' || (owner !== null && roleOf(owner) === 'supervisor')))
      say('is assessed');
  }
  const fresh = review.reviewers.filter(({ id, role }) => {
    const was = before.reviewers.find((one) => one.id === id)?.role;
    const judges = (one: string | undefined) => one === 'required' || one === 'optional' || one === 'muted';
    return judges(role) && !judges(was);
  });
  if (isBlind(review) && fresh.some(({ principal }) => before.haveRead.includes(principal)))
    wrong.push('judges after reading');
  if (before.blindRecord && before.blindRecord !== review.blindRecord) wrong.push('the blind record changed');
  if (before.publishedAt !== null && phase !== 'published') wrong.push('was published');
  if (opened !== (statusOf(review) === 'complete') && phase !== 'published') wrong.push('is open but not complete');
  return wrong;
}
