// A review of a recording, and what follows from it alone. Plain data, so that pages and tests have it without a server.

import type { LibraryState } from '../review-states.ts';

export const policies = ['strict', 'relaxed', 'student', 'ai'] as const;
export type Policy = (typeof policies)[number];

export const reviewerRoles = ['required', 'optional', 'muted', 'watcher', 'supervisor'] as const;
export type ReviewerRole = (typeof reviewerRoles)[number];

/** Length of the comment that a reviewer gives with an assessment. */
export const longestReviewComment = 2000;

export type ReviewerStatus = 'new' | 'in-progress' | 'complete';

/** A person, by the key of an account or of an address that has none yet. */
export type PrincipalKey = string;

export interface Reviewer {
  id: string;
  principal: PrincipalKey;
  role: ReviewerRole;
  status: ReviewerStatus;
}

/** The person who is assessed. Their status counts in reviews of the policy `student` alone. */
interface Student {
  id: string;
  principal: PrincipalKey;
  status: ReviewerStatus;
}

export interface Review {
  policy: Policy;
  /** The person who asked for the review. */
  leader: PrincipalKey;
  student: Student | null;
  reviewers: readonly Reviewer[];
  /** Names of reviewers are for supervisors and the leader alone, and stay so. */
  anonymous: boolean;
  /** Open review of the recording that each assessment is compared with once it is complete; null: none. */
  keyOf: string | null;
  /** Review whose recording is assessed a second time here; null: none. Only the leader and supervisors are told. */
  secondOf: string | null;
  /** Day until which reviewers are asked to complete. */
  due: string | null;
  /** The leader went on without the student's own assessment. */
  selfSkipped: boolean;
  /** Times in milliseconds; null: not so. `endedAt`: the leader ended the review, whatever its reviewers completed. */
  endedAt: number | null;
  openedAt: number | null;
  publishedAt: number | null;
  deletedAt: number | null;
  /** Ids of the reviewers whose assessments were counted when the review first opened. */
  blindRecord: readonly string[] | null;
  /** People who could once read an assessment of somebody else. */
  haveRead: readonly PrincipalKey[];
}

/** `self`: the student assesses, mentors wait. `closed`: reviewers assess. */
export const phases = ['self', 'closed', 'open', 'published'] as const;
export type Phase = (typeof phases)[number];

const dayMs = 86_400_000;

/** Whether the day until which people are asked to complete is over. */
export const isOverdue = ({ due }: Pick<Review, 'due'>, now: number): boolean =>
  due !== null && Date.parse(due) + dayMs <= now;

/** Policies in which reviewers learn nothing of each other before the review opens. */
export const isBlind = ({ policy }: Pick<Review, 'policy'>): boolean => policy === 'strict' || policy === 'student';

/** Roles whose annotations count. */
export const isCounted = ({ role }: Pick<Reviewer, 'role'>): boolean => role === 'required' || role === 'optional';

/** A watcher only reads. */
export const canComplete = ({ role }: Pick<Reviewer, 'role'>): boolean => role !== 'watcher';

const decides = ({ role }: Reviewer): boolean => role === 'required' || role === 'supervisor';

/** People whose completing makes the review complete. */
export function deciding({ policy, student, reviewers }: Review): readonly (Reviewer | Student)[] {
  const deciders = reviewers.filter(decides);
  if (deciders.length > 0) return deciders;
  const others = reviewers.filter(canComplete);
  return policy === 'student' && student ? [...others, student] : others;
}

const isDone = ({ status }: { status: ReviewerStatus }): boolean => status === 'complete';

export function statusOf(review: Review): 'in-progress' | 'complete' {
  const asked = deciding(review);
  const complete = review.endedAt !== null || (asked.length > 0 && asked.every(isDone));
  return complete ? 'complete' : 'in-progress';
}

export function phaseOf(review: Review): Phase {
  if (review.publishedAt !== null) return 'published';
  if (review.openedAt !== null) return 'open';
  const waits = review.policy === 'student' && review.student?.status !== 'complete' && !review.selfSkipped;
  return waits ? 'self' : 'closed';
}

/** Policy, model and roles stay as they are once somebody has begun; anonymity is there from the beginning. */
export const isFrozen = ({ student, reviewers }: Review): boolean =>
  [...reviewers, ...(student ? [student] : [])].some(({ status }) => status !== 'new');

/** Whether everybody who completes before a supervisor has done so. */
export function awaitsApproval({ reviewers }: Review): boolean {
  const others = reviewers.filter(({ role }) => role !== 'supervisor');
  const required = others.filter(({ role }) => role === 'required');
  return (required.length > 0 ? required : others.filter(canComplete)).every(isDone);
}

/** How a list of recordings shows a review to a person; null without a part in it. */

export function libraryStateOf(review: Review, person: PrincipalKey): LibraryState | null {
  if (review.deletedAt !== null) return null;
  const phase = phaseOf(review);
  if (review.student?.principal === person) {
    if (phase === 'published') return 'completed_review';
    if (review.policy !== 'student') return null;
    return phase === 'self' ? 'button' : 'completed';
  }
  const mine = review.reviewers.find(({ principal }) => principal === person);
  if (!mine && review.leader !== person) return null;
  if (phase === 'open' || phase === 'published') return 'completed_review';
  if (!mine || !canComplete(mine)) return 'pending';
  if (isDone(mine)) return 'completed';
  if (phase === 'self') return 'pending';
  return mine.role === 'supervisor' && !awaitsApproval(review) ? 'pending' : 'button';
}
