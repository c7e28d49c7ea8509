import type { FoundPerson } from '#shared/accounts.ts';
import type { ModelId } from '#shared/account-choices.ts';
import type { FieldError } from '#shared/problems.ts';
import type { PrincipalInput, ReviewInput } from '#shared/reviews.ts';
import { isTooMany } from '#shared/reviews/machine.ts';
import { isBlind, type Policy, type Review, type ReviewerRole } from '#shared/reviews/review.ts';

import { personKey } from '../../ui/person-key.ts';

// A review that is not asked for yet, as its dialog holds it.

export interface DraftPerson {
  /** The same for one person, however they were found. */
  key: string;
  name: string;
  principal: PrincipalInput;
}

export interface DraftReviewer extends DraftPerson {
  role: ReviewerRole;
}

export interface Draft {
  policy: Policy;
  reviewers: readonly DraftReviewer[];
  student: DraftPerson | null;
  /** A day, or empty. */
  due: string;
  /** Percent to listen to, or empty. */
  coverage: string;
  /** Set of outcome types for all; null for each person’s own. */
  outcomeModel: ModelId | null;
  /** Review that assessments are compared with; for those in which people assess on their own. */
  keyOf: string | null;
  /** Shows people who watch or oversee as present, where people assess on their own. */
  observers: boolean;
  /** Hides the names of reviewers. */
  anonymous: boolean;
  /** Closes the transcript. */
  closes: boolean;
}

export const emptyDraft: Draft = {
  policy: 'strict',
  reviewers: [],
  student: null,
  due: '',
  coverage: '',
  outcomeModel: null,
  keyOf: null,
  observers: false,
  anonymous: false,
  closes: false,
};

export interface Me {
  id: string;
  name: string;
  email: string | null;
}

/** One key for the ways of writing an address that people use; the server knows the others. */
export const addressKey = (address: string): string => address.trim().toLowerCase();

/** Key of the person's colour. */
export const colorKeyOf = ({ key, principal }: DraftPerson): string =>
  principal.email == null ? key : personKey(null, principal.email);

/** A person who was found, or oneself by one's own address. */
export function draftPerson(found: FoundPerson, me: Me): DraftPerson {
  if (found.kind === 'user') return { key: String(found.id), name: nameOf(found), principal: { id: String(found.id) } };
  if (me.email !== null && addressKey(found.email) === addressKey(me.email)) return oneself(me);
  return { key: `mail:${addressKey(found.email)}`, name: found.email, principal: { email: found.email } };
}

export const oneself = ({ id, name }: Me): DraftPerson => ({ key: id, name, principal: { id } });

const nameOf = ({ first_name: first, last_name: last, email }: FoundPerson) => `${first} ${last}`.trim() || email;

/** The draft as a review that nobody has begun. */
export function reviewOf({ policy, reviewers, student, anonymous }: Draft, leader: string): Review {
  const fresh = { status: 'new' as const };
  return {
    ...{
      policy,
      leader,
      anonymous,
      keyOf: null,
      secondOf: null,
      due: null,
      selfSkipped: false,
      haveRead: [],
      blindRecord: null,
    },
    ...{ endedAt: null, openedAt: null, publishedAt: null, deletedAt: null },
    student: student && { id: student.key, principal: student.key, ...fresh },
    reviewers: reviewers.map(({ key, role }) => ({ id: key, principal: key, role, ...fresh })),
  };
}

/** Faults the server refuses, found before sending. */
export function faultsOf(
  draft: Draft,
  limits: { most: number; supervisors: number } | null,
  today: string,
): FieldError[] {
  const { policy, reviewers, student, due, coverage } = draft;
  const faults: FieldError[] = [];
  if (!reviewers.some(({ role }) => role !== 'watcher')) faults.push({ field: 'reviewers', code: 'needsPerson' });
  if (limits) {
    const { most, supervisors } = limits;
    const full = { strict: most, relaxed: most, student: most, ai: most };
    if (isTooMany(reviewOf(draft, ''), { reviewers: full, supervisors }))
      faults.push({ field: 'reviewers', code: 'too_many' });
  }
  if (policy === 'student' && !student) faults.push({ field: 'student', code: 'needsStudent' });
  if (due !== '' && due < today) faults.push({ field: 'due', code: 'past' });
  if (coverage !== '' && !isPercent(coverage)) faults.push({ field: 'coverage', code: 'percent' });
  return faults;
}

export const isPercent = (text: string): boolean => /^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= 100;

/** `closedName`: name of the version of the transcript that is closed. */
export const inputOf = (
  { policy, reviewers, student, due, coverage, outcomeModel, keyOf, observers, anonymous, closes }: Draft,
  closedName: string,
): ReviewInput => ({
  policy,
  reviewers: reviewers.map(({ principal, role }) => ({ principal, role })),
  student: student && student.principal,
  due: due || null,
  coverage: coverage === '' ? null : Number(coverage),
  outcomeModel,
  // A reference would tell its leader who assesses beside it.
  keyOf: policy === 'strict' && !anonymous ? keyOf : null,
  observers: isBlind({ policy }) && !anonymous && observers,
  anonymous,
  closeText: closes ? { name: closedName } : null,
});
