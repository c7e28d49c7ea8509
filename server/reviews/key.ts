import { and, eq, isNull } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { reviewers, reviews } from '#db/schema/reviews.ts';
import { invalid } from '#shared/problems.ts';
import { assesses } from '#shared/reviews/machine.ts';
import { isBlind, phaseOf, type PrincipalKey, type Review, type Reviewer } from '#shared/reviews/review.ts';
import type { Person } from '../context.ts';
import { countedIn, layerOf } from './agreement.ts';
import { keyOf, layersIn, loadReview, selfIn, twinsOf, type ReviewRow, type StoredReview } from './rows.ts';

// A key: an open review with which the assessments of another one are compared. Nobody who can read it assesses there.
// Each check of that holds the lock on the key, so that nobody comes to read it meanwhile.

export const isOpen = ({ review }: StoredReview): boolean =>
  phaseOf(review) === 'open' || phaseOf(review) === 'published';

type Named = Pick<Reviewer, 'principal' | 'role'>;

/** The key that a person names for a review; they read all assessments in it. */
export async function keyFor(tx: Orm, row: Pick<ReviewRow, 'meetingId'>, id: string, person: Person) {
  const key = await loadReview(tx, { meetingId: row.meetingId, reviewId: id }, true);
  const unknown = invalid({ field: 'keyOf', code: 'unknown' });
  // Refusals beside a key would tell who its people are.
  if (!key || !isOpen(key) || key.review.secondOf !== null || key.review.anonymous) throw unknown;
  const { layers, access } = await layersIn(tx, [id]);
  const leader = selfIn(key.review, person);
  const read = new Set(access.flatMap((one) => (keyOf(one) === leader ? one.layerId : [])));
  const counted = countedIn(key.review).map((one) => layerOf(key.review, layers, one.id));
  if (counted.length === 0 || !counted.every((layer) => layer !== null && read.has(layer.id))) throw unknown;
  return key;
}

/** Refuses who would come to assess with a review's key known to them, or to a key that they assess beside. */
export async function refuseByKey(tx: Orm, before: StoredReview, review: Review): Promise<void> {
  const was = new Map(before.review.reviewers.map((one) => [one.id, one]));
  const added = review.reviewers.filter(({ id }) => !was.has(id));
  // People who assess already are judged no more: they may be muted.
  const comeToAssess = review.reviewers.filter(({ id }) => {
    const one = was.get(id);
    return one && !assesses(one);
  });
  await refuseReadersOfKey(tx, before, [...added, ...comeToAssess]);
  await refuseThoseBesideKey(tx, before, isBlind(review) ? added.filter(assesses) : [], added);
}

/** Those of these refusals that do not depend on how far reviewers are: they come before others that do. */
export async function refuseKnownToKey(
  tx: Orm,
  before: StoredReview,
  { added, changed }: { added: readonly Named[]; changed: readonly Named[] },
): Promise<void> {
  await refuseReadersOfKey(tx, before, [...added, ...changed]);
  await refuseThoseBesideKey(tx, before, [], added);
}

/**
 * Refuses people who assess in a review and have a part in its key, or in the review that it assesses again; for that one also
 * people who would read how they were assessed, or how they assessed.
 */
async function refuseReadersOfKey(tx: Orm, { review, row }: StoredReview, people: readonly Named[]) {
  const before = review.keyOf ?? review.secondOf;
  const isSecond = review.keyOf === null && review.secondOf !== null;
  if (before === null || !people.some((one) => isSecond || assesses(one))) return;
  const key = await loadReview(tx, { meetingId: row.meetingId, reviewId: before }, true);
  if (!key) return;
  const { leader, student, reviewers: inKey, haveRead } = key.review;
  const readers = [leader, ...(student ? [student.principal] : []), ...inKey.map((one) => one.principal), ...haveRead];
  const judged = isSecond
    ? [...(student ? [student.principal] : []), ...inKey.filter(assesses).map(({ principal }) => principal)]
    : [];
  const twins = await twinsOf(tx, [...readers, ...people.map(({ principal }) => principal)]);
  const account = (one: PrincipalKey) => twins.get(one) ?? one;
  const [known, knownInAnyRole] = [new Set(readers.map(account)), new Set(judged.map(account))];
  const isRefused = (one: Named) => (assesses(one) ? known : knownInAnyRole).has(account(one.principal));
  if (people.some(isRefused))
    throw invalid({ field: 'reviewers', code: review.keyOf === null ? 'could_read' : 'knows_key' });
}

/** Refuses people for a key who assess beside it, or who have learnt, or will learn, there what is in it. */
async function refuseThoseBesideKey(
  tx: Orm,
  { row, review }: StoredReview,
  comeToAssessBlind: readonly Named[],
  people: readonly Named[],
) {
  if (people.length === 0) return;
  const beside = await tx
    .select({ kind: reviewers.kind, principalId: reviewers.principalId, role: reviewers.role })
    .from(reviewers)
    .innerJoin(reviews, eq(reviews.id, reviewers.reviewId))
    .where(and(eq(reviews.keyOf, row.id), isNull(reviews.deletedAt)));
  // However far they are: the answer tells nothing of that. Those who look on there learn of the key sooner or later.
  const assessing = beside.flatMap((one) => (one.role !== 'student' && assesses({ role: one.role }) ? keyOf(one) : []));
  const lookingOn = beside.flatMap((one) => (one.role === 'watcher' || one.role === 'supervisor' ? keyOf(one) : []));
  // Readers of the review before the change: people who come to an open one read it from then on, and may.
  const knowing = [...lookingOn, ...review.haveRead];
  const twins = await twinsOf(tx, [...assessing, ...knowing, ...people.map(({ principal }) => principal)]);
  const account = (one: PrincipalKey) => twins.get(one) ?? one;
  const isAmong = (all: readonly PrincipalKey[], one: Named) =>
    all.some((other) => account(other) === account(one.principal));
  for (const one of people) {
    if (isAmong(assessing, one)) throw invalid({ field: 'reviewers', code: 'gets_key' });
    if (comeToAssessBlind.includes(one) && isAmong(knowing, one))
      throw invalid({ field: 'reviewers', code: 'could_read' });
  }
}

/** Notes for a key who has learnt what is in it, by a review beside it that has changed. */
export async function noteWhoLearns(tx: Orm, { row }: StoredReview, review: Review): Promise<void> {
  if (review.keyOf === null) return;
  const done = review.reviewers.filter((one) => assesses(one) && one.status === 'complete');
  if (done.length === 0) return;
  const opened = phaseOf(review) === 'open' || phaseOf(review) === 'published';
  const readers = opened
    ? [review.leader, ...review.reviewers.map(({ principal }) => principal)]
    : [...done, ...review.reviewers.filter(({ role }) => role === 'supervisor')].map(({ principal }) => principal);
  const key = await loadReview(tx, { meetingId: row.meetingId, reviewId: review.keyOf }, true);
  if (!key) return;
  const haveRead = [...new Set([...key.row.haveRead, ...readers.filter((one) => one !== review.student?.principal)])];
  if (haveRead.length > key.row.haveRead.length)
    await tx.update(reviews).set({ haveRead }).where(eq(reviews.id, key.row.id));
}
