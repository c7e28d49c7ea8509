import { grantsOf } from './grants.ts';
import { canComplete, isCounted, type Phase, type PrincipalKey, type Review, type ReviewerStatus } from './review.ts';

// Reading of each person of a review in each of its phases, from the same function that gives them their rights.

/** `words`: the transcript alone; `own`: no assessment but one's own; `all`: every assessment that counts. */
type Reading = 'nothing' | 'words' | 'own' | 'some' | 'all';

interface Part {
  principal: PrincipalKey;
  /** `alone` in a layer of their own, `together` in the one that all share. */
  assesses: 'alone' | 'together' | null;
  reads: Reading;
}

export interface PhasePreview {
  phase: Phase;
  parts: readonly Part[];
}

/** The phases that lie before a review; a student is shown the others’ assessments in the last one. */
export function previewOf(draft: Review): PhasePreview[] {
  const begun = { ...draft, endedAt: null, openedAt: null, publishedAt: null, deletedAt: null };
  const opened = { ...withStatus(begun, 'complete'), openedAt: 1 };
  const published = { ...opened, publishedAt: 1 };
  const closed: PhasePreview = { phase: 'closed', parts: partsIn(withStudent(begun, 'complete')) };
  // In this policy a review is published as it opens.
  if (draft.policy === 'student')
    return [
      { phase: 'self', parts: partsIn(withStudent({ ...begun, selfSkipped: false }, 'new')) },
      closed,
      { phase: 'published', parts: partsIn(published) },
    ];
  return [
    closed,
    { phase: 'open', parts: partsIn(opened) },
    ...(draft.student ? [{ phase: 'published' as const, parts: partsIn(published) }] : []),
  ];
}

const withStudent = (review: Review, status: ReviewerStatus): Review => ({
  ...review,
  student: review.student && { ...review.student, status },
});

const withStatus = (review: Review, status: ReviewerStatus): Review => ({
  ...withStudent(review, status),
  reviewers: review.reviewers.map((one) => ({ ...one, status: canComplete(one) ? status : one.status })),
});

function partsIn(review: Review): Part[] {
  const grants = grantsOf(review);
  const { leader, student, reviewers } = review;
  const people = new Set([
    ...reviewers.map(({ principal }) => principal),
    ...(student ? [student.principal] : []),
    leader,
  ]);
  const idsOf = new Map<PrincipalKey, string>(
    [...reviewers, ...(student ? [student] : [])].map(({ id, principal }) => [principal, id]),
  );
  const countedIds = new Set([...reviewers.filter(isCounted).map(({ id }) => id), ...(student ? [student.id] : [])]);
  const counts = ({ kind, of }: (typeof grants)[number]['layer']) =>
    kind === 'shared' || (kind === 'own' && of !== null && countedIds.has(of));
  const layers = new Set(grants.filter(({ layer }) => counts(layer)).map(({ layer: { kind, of } }) => `${kind} ${of}`));
  return [...people].map((principal): Part => {
    const held = grants.filter((grant) => grant.principal === principal);
    const mine = idsOf.get(principal);
    const annotated = held.filter(({ permission }) => permission === 'comment');
    const together = annotated.some(({ layer }) => layer.kind === 'shared');
    const alone = annotated.some(({ layer }) => layer.kind === 'own' && layer.of === mine);
    const seen = held.filter(({ layer }) => counts(layer));
    const hasOwn = held.some(({ layer }) => layer.kind === 'own' && layer.of === mine);
    const others = seen.filter(({ layer }) => layer.of === null || layer.of !== mine);
    const reads = (): Reading => {
      if (others.length > 0) return seen.length === layers.size ? 'all' : 'some';
      if (hasOwn) return review.openedAt === null ? 'own' : 'all';
      return held.some(({ layer }) => layer.kind === 'words') ? 'words' : 'nothing';
    };
    return {
      principal,
      assesses: together ? 'together' : alone ? 'alone' : null,
      reads: reads(),
    };
  });
}
