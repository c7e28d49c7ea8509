import { and, eq, isNull } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { meetings } from '#db/schema/meetings.ts';
import { Problem } from '#shared/problems.ts';
import type { Actor } from '#shared/reviews/machine.ts';
import { phaseOf, type PrincipalKey, type Review } from '#shared/reviews/review.ts';
import { signedIn, type Ctx } from '../context.ts';
import { mayMake } from '../rooms/access.ts';
import { loadReview, selfIn, type StoredReview } from './rows.ts';

export interface ReviewId {
  id: string;
  reviewId: string;
}

/** One answer for no such recording, no such review, and no part in it. */
export const noPart = (): Problem =>
  new Problem('NO_PERM', { message: 'No permissions for this assessment. Please add yourself to reviewers.' });

export const ownsMeeting = (ctx: Ctx, id: string): Promise<boolean> =>
  mayMake(ctx, 'POST /api/meetings/:id/reviews', id);

export async function isLiving(tx: Orm, id: string): Promise<boolean> {
  const found = await tx
    .select({ id: meetings.id })
    .from(meetings)
    .where(and(eq(meetings.id, id), isNull(meetings.deletedAt)));
  return found.length > 0;
}

/** True if the person is told of the review by a part in it. A student is, once they take part. */
export function hasPart(review: Review, { principal }: Actor): boolean {
  if (review.student?.principal === principal)
    return review.policy === 'student' || review.leader === principal || phaseOf(review) === 'published';
  return review.leader === principal || review.reviewers.some((one) => one.principal === principal);
}

/** A review, and who the caller is in it; throws for callers who neither have a part nor own the recording. */
export async function partIn(
  ctx: Ctx,
  tx: Orm,
  { id, reviewId }: ReviewId,
  { owns: isOwner, lock = false }: { owns: boolean | Promise<boolean>; lock?: boolean },
): Promise<StoredReview & { by: Actor }> {
  const [living, stored, owns] = await Promise.all([
    isLiving(tx, id),
    loadReview(tx, { meetingId: id, reviewId }, lock),
    isOwner,
  ]);
  if (!living || !stored) throw noPart();
  const { person } = signedIn(ctx);
  // Owners of the recording learn nothing of a second pass: they are often the one assessed.
  const isTold = owns && stored.review.secondOf === null;
  const by = { principal: selfIn(stored.review, person), owns: isTold };
  if (!isTold && !hasPart(stored.review, by)) throw noPart();
  if (!lock) return { ...stored, by };
  // Actors are known by their account from then on.
  const own = (key: PrincipalKey) => (key === by.principal ? person.id : key);
  const { review } = stored;
  const known = <P extends { principal: PrincipalKey }>(one: P): P => ({ ...one, principal: own(one.principal) });
  const taken: Review = {
    ...review,
    student: review.student && known(review.student),
    reviewers: review.reviewers.map(known),
    haveRead: review.haveRead.map(own),
  };
  return { ...stored, review: taken, by: { principal: person.id, owns: isTold } };
}
