import { grantsOf } from './grants.ts';
import {
  awaitsApproval,
  canComplete,
  deciding,
  isBlind,
  isCounted,
  isFrozen,
  isOverdue,
  phaseOf,
  statusOf,
  type Policy,
  type PrincipalKey,
  type Review,
  type Reviewer,
  type ReviewerRole,
  type ReviewerStatus,
} from './review.ts';

// All transitions of a review. Pure: the caller holds the lock, and writes the review, its rights and its mails at once.

/** `annotate`, `complete`, `take-back`: by the reviewer or student themselves. */
export type ReviewEvent =
  | { type: 'annotate' | 'complete' | 'take-back' }
  | { type: 'end' | 'reopen' | 'publish' | 'skip-self' | 'delete' }
  | { type: 'add'; reviewers: readonly Pick<Reviewer, 'id' | 'principal' | 'role'>[] }
  | { type: 'remove'; reviewer: string }
  | { type: 'role'; reviewer: string; role: ReviewerRole }
  | { type: 'due'; due: string | null }
  /** Settings that no rule here depends on, such as the set of outcome types. */
  | { type: 'settings' }
  | { type: 'change'; policy: Policy };

/** A person who causes an event; `owns`: has the permission *own* on the recording. */
export interface Actor {
  principal: PrincipalKey;
  owns: boolean;
}

const mailKinds = ['asked', 'self-done', 'approve', 'supervised', 'opened', 'published'] as const;
export interface ReviewMail {
  kind: (typeof mailKinds)[number];
  to: PrincipalKey;
}

/** `field` and `code` as in errors of inputs. */
type ReviewRefusal = { refused: 'NO_PERM' | 'CONFLICT' } | { refused: 'INVALID'; field: string; code: string };
type Step = { review: Review; mails: readonly ReviewMail[] };

interface ReviewLimits {
  /** Reviewers but for supervisors, by policy. */
  reviewers: Readonly<Record<Policy, number>>;
  supervisors: number;
}

type Crowd = Pick<Review, 'policy' | 'reviewers'>;

const supervisorsIn = ({ reviewers }: Crowd): number => reviewers.filter(({ role }) => role === 'supervisor').length;
const othersIn = (crowd: Crowd): number => crowd.reviewers.length - supervisorsIn(crowd);

/** Whether more people take part than may; who was too many `before` may stay, as limits may have been lowered. */
export function isTooMany(crowd: Crowd, limits: ReviewLimits, before: Crowd | null = null): boolean {
  const [supervisors, others] = [supervisorsIn(crowd), othersIn(crowd)];
  if (supervisors > limits.supervisors && supervisors > (before ? supervisorsIn(before) : 0)) return true;
  const there = before?.policy === crowd.policy ? othersIn(before) : 0;
  return others > limits.reviewers[crowd.policy] && others > there;
}

const forbidden: ReviewRefusal = { refused: 'NO_PERM' };
const conflict: ReviewRefusal = { refused: 'CONFLICT' };
const invalid = (code: string, field = 'reviewers'): ReviewRefusal => ({ refused: 'INVALID', field, code });

export function next(review: Review, event: ReviewEvent, by: Actor, now: number): Step | ReviewRefusal {
  if (review.deletedAt !== null) return conflict;
  const changed = change(review, event, by, now);
  if ('refused' in changed) return changed;
  const step = settle(review, changed, event, now);
  const closes = review.openedAt !== null && step.review.openedAt === null;
  return closes && hasKey(review) ? conflict : step;
}

/** The review with the event, before what follows from statuses. */
function change(review: Review, event: ReviewEvent, by: Actor, now: number): Review | ReviewRefusal {
  const leads = by.principal === review.leader;
  const phase = phaseOf(review);
  switch (event.type) {
    case 'annotate':
    case 'complete':
    case 'take-back':
      return ofOneself(review, event.type, by.principal);
    case 'add':
      return adding(review, event.reviewers, by);
    case 'due':
      return leads ? { ...review, due: event.due } : forbidden;
    case 'settings':
      if (!leads) return forbidden;
      return isFrozen(review) ? conflict : review;
    case 'end':
      if (!leads) return forbidden;
      return review.endedAt === null && phase !== 'published' ? { ...review, endedAt: now } : conflict;
    case 'reopen':
      if (!leads) return forbidden;
      return phase === 'open' && !hasKey(review) ? reopened(review) : conflict;
    case 'publish':
      if (!mayPublish(review, by.principal)) return forbidden;
      return phase === 'open' ? { ...review, publishedAt: now } : conflict;
    case 'skip-self': {
      if (!leads || review.student?.principal === by.principal) return forbidden;
      return phase === 'self' && isOverdue(review, now) ? { ...review, selfSkipped: true } : conflict;
    }
    case 'delete': {
      if (!leads && !by.owns) return forbidden;
      return leads || !isFrozen(review) ? { ...review, deletedAt: now } : forbidden;
    }
    case 'remove': {
      if (!leads) return forbidden;
      const stays = review.reviewers.filter(({ id }) => id !== event.reviewer);
      if (stays.length === review.reviewers.length) return invalid('unknown');
      // An assessment that others have read stays; it can be muted.
      return review.blindRecord === null ? { ...review, reviewers: stays } : conflict;
    }
    case 'role':
      return leads ? withRole(review, event.reviewer, event.role) : forbidden;
    case 'change': {
      if (!leads) return forbidden;
      if (isFrozen(review)) return conflict;
      const { policy } = event;
      if (policy === 'student' && !review.student) return invalid('required', 'student');
      // Its reviewer would be seen by the people of the first review.
      const mustBeStrict = hasKey(review) || review.secondOf !== null;
      if (mustBeStrict && policy !== 'strict') return invalid('key', 'policy');
      const next = { ...review, policy };
      const fits = next.reviewers.every((one) => !knowsOthers(next, one.principal) || !assesses(one));
      return fits ? next : invalid('could_read');
    }
  }
}

/** If the person assessed leads the review, a supervisor publishes. */
function mayPublish({ leader, student, reviewers }: Review, person: PrincipalKey): boolean {
  const supervisors = reviewers.filter(({ role }) => role === 'supervisor');
  if (student?.principal !== leader || supervisors.length === 0) return person === leader;
  return supervisors.some(({ principal }) => principal === person);
}

const began: ReviewerStatus = 'in-progress';

function ofOneself(
  review: Review,
  type: 'annotate' | 'complete' | 'take-back',
  person: PrincipalKey,
): Review | ReviewRefusal {
  const phase = phaseOf(review);
  const student = review.student?.principal === person ? review.student : null;
  const isStudent = student !== null;
  const reviewer = review.reviewers.find((one) => one.principal === person && canComplete(one));
  const me = student ?? reviewer;
  if (!me || (isStudent && review.policy !== 'student')) return forbidden;
  const set = (status: ReviewerStatus): Review => {
    if (student) return { ...review, student: { ...student, status } };
    return { ...review, reviewers: review.reviewers.map((one) => (one.id === me.id ? { ...one, status } : one)) };
  };
  if (type === 'take-back') {
    if (me.status !== 'complete' || phase === 'published' || hasKey(review)) return conflict;
    // Mentors who have begun would wait again.
    if (isStudent && review.reviewers.some(({ status }) => status !== 'new')) return conflict;
    return set(began);
  }
  if (phase !== (isStudent ? 'self' : 'closed')) return conflict;
  // Annotating a shared layer after completing takes nothing back.
  if (type === 'annotate') return me.status === 'new' ? set(began) : review;
  return me.status === 'complete' ? conflict : set('complete');
}

/** People who have completed, or read the open review, know the key: nothing can be assessed again. */
const hasKey = ({ keyOf }: Review): boolean => keyOf !== null;

/** Takes back the leader's end; if the review is complete without it, everybody who decides continues. */
function reopened(review: Review): Review {
  const before = { ...review, endedAt: null };
  if (statusOf(before) === 'in-progress') return before;
  const again = new Set(deciding(before).map(({ id }) => id));
  const reviewers = before.reviewers.map((one) => (again.has(one.id) ? { ...one, status: began } : one));
  return { ...before, reviewers };
}

/** Roles that judge. In blind policies they know no other assessment. */
export const assesses = ({ role }: Pick<Reviewer, 'role'>): boolean => isCounted({ role }) || role === 'muted';

const knowsOthers = (review: Review, person: PrincipalKey): boolean =>
  isBlind(review) && review.haveRead.includes(person);

function adding(
  review: Review,
  added: readonly Pick<Reviewer, 'id' | 'principal' | 'role'>[],
  { principal: person, owns }: Actor,
): Review | ReviewRefusal {
  const leads = person === review.leader;
  const isTheStudent = review.student?.principal === person;
  // A refusal of somebody who takes part already would name them: in an anonymous review others add themselves alone.
  const fits = (one: (typeof added)[number]) => isCounted(one) && (!review.anonymous || one.principal === person);
  if (!leads && (!owns || isTheStudent || !added.every(fits))) return forbidden;
  const all = [...review.reviewers.map(({ principal }) => principal), ...added.map(({ principal }) => principal)];
  if (new Set(all).size < all.length) return invalid('exists');
  if (review.student && all.includes(review.student.principal)) return invalid('student');
  // Nobody can assess any more.
  if (review.publishedAt !== null && added.some(canComplete)) return conflict;
  if (added.some((one) => assesses(one) && knowsOthers(review, one.principal))) return invalid('could_read');
  return { ...review, reviewers: [...review.reviewers, ...added.map((one) => ({ ...one, status: 'new' as const }))] };
}

function withRole(review: Review, id: string, role: ReviewerRole): Review | ReviewRefusal {
  const one = review.reviewers.find((reviewer) => reviewer.id === id);
  if (!one) return invalid('unknown');
  if (phaseOf(review) === 'published') return conflict;
  const free = isCounted(one) && (isCounted({ role }) || role === 'muted');
  if (isFrozen(review) && !free) return conflict;
  if (!assesses(one) && assesses({ role }) && knowsOthers(review, one.principal)) return invalid('could_read');
  return {
    ...review,
    reviewers: review.reviewers.map((other) => (other.id === id ? { ...other, role } : other)),
  };
}

/** Consequences of statuses: opening, closing again, who has read others, and the mails of all of it. */
function settle(before: Review, changed: Review, event: ReviewEvent, now: number): Step {
  let review = changed;
  const complete = statusOf(review) === 'complete';
  if (complete && review.openedAt === null) {
    const counted = review.reviewers.filter((one) => isCounted(one) && one.status === 'complete').map(({ id }) => id);
    review = { ...review, openedAt: now, blindRecord: review.blindRecord ?? counted };
    if (review.policy === 'student') review = { ...review, publishedAt: now };
  } else if (!complete && review.publishedAt === null) review = { ...review, openedAt: null };
  review = { ...review, haveRead: readersOf(review) };
  return { review, mails: review.deletedAt === null ? mailsOf(before, review, event) : [] };
}

/** People who can read, or once could, an assessment of somebody else. Before somebody begins there is none. */
function readersOf(review: Review): readonly PrincipalKey[] {
  if (!isFrozen(review)) return review.haveRead;
  const owners = new Map(
    [...review.reviewers, ...(review.student ? [review.student] : [])].map((one) => [one.id, one]),
  );
  const begun = review.reviewers.filter((one) => isCounted(one) && one.status !== 'new');
  const now = grantsOf(review).flatMap(({ layer, principal }) => {
    if (layer.kind === 'shared') return begun.some((one) => one.principal !== principal) ? [principal] : [];
    const owner = layer.of === null ? null : owners.get(layer.of);
    return owner && owner.principal !== principal ? [principal] : [];
  });
  return [...new Set([...review.haveRead, ...now])];
}

function mailsOf(before: Review, after: Review, event: ReviewEvent): readonly ReviewMail[] {
  const mail = (kind: ReviewMail['kind'], people: readonly { principal: PrincipalKey }[]): ReviewMail[] =>
    people.map(({ principal }) => ({ kind, to: principal }));
  const [was, is] = [phaseOf(before), phaseOf(after)];
  const { reviewers, student } = after;
  const leader = student?.principal === after.leader ? [] : [{ principal: after.leader }];
  const readers = uniqueBy([...leader, ...reviewers]);
  const mails: ReviewMail[] = [];
  if (event.type === 'add') {
    mails.push(...mail('asked', event.reviewers));
    const late = event.reviewers.some(({ role }) => role === 'supervisor') && isFrozen(before);
    if (late) mails.push(...mail('supervised', before.reviewers));
  }
  const waited = was === 'self' && is === 'closed' && event.type === 'complete';
  if (waited) mails.push(...mail('self-done', reviewers.filter(assesses)));
  const supervisors = reviewers.filter(({ role, status }) => role === 'supervisor' && status !== 'complete');
  if (is === 'closed' && event.type === 'complete' && awaitsApproval(after) && !awaitsApproval(before))
    mails.push(...mail('approve', supervisors));
  if (was !== 'published' && is === 'published')
    mails.push(...mail('published', uniqueBy([...readers, ...(student ? [student] : [])])));
  else if (was !== 'open' && is === 'open') mails.push(...mail('opened', readers));
  return mails;
}

const uniqueBy = (people: readonly { principal: PrincipalKey }[]): { principal: PrincipalKey }[] =>
  [...new Set(people.map(({ principal }) => principal))].map((principal) => ({ principal }));
