import type { Policy, Review, ReviewerRole, ReviewerStatus } from './review.ts';

/** A review with one person of each role and two supervisors, for tests; L leads, T is assessed. */
const roles = {
  R: 'required',
  O: 'optional',
  M: 'muted',
  W: 'watcher',
  S: 'supervisor',
  S2: 'supervisor',
} as const satisfies Record<string, ReviewerRole>;
type Name = keyof typeof roles | 'T';

export function sampleReview(
  policy: Policy,
  { statuses = {}, ...more }: Partial<Review> & { statuses?: Partial<Record<Name, ReviewerStatus>> } = {},
): Review {
  const reviewers = Object.entries(roles).map(([id, role]) => ({
    ...{ id, principal: id, role },
    status: statuses[id as Name] ?? ('new' as const),
  }));
  return {
    policy,
    leader: 'L',
    student: { id: 'T', principal: 'T', status: statuses.T ?? 'new' },
    reviewers,
    ...{
      anonymous: false,
      keyOf: null,
      secondOf: null,
      due: null,
      selfSkipped: false,
      haveRead: [],
      blindRecord: null,
    },
    ...{ endedAt: null, openedAt: null, publishedAt: null, deletedAt: null },
    ...more,
  };
}
