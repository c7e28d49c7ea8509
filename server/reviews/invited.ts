import { and, eq, isNull } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { layers } from '#db/schema/reviews.ts';
import type { ReviewView } from '#shared/reviews.ts';
import type { Ctx, Signed } from '../context.ts';
import { changeReviewer } from './change.ts';
import { noPart } from './part.ts';
import { storeReview } from './request.ts';

// Reviews of recordings that people add for a mentor: they assess themselves first, and the mentor after them.

/** Asks a mentor for an assessment of a recording that the caller has just added. */
export async function askMentor(ctx: Signed, tx: Orm, meetingId: string, mentor: string): Promise<void> {
  await storeReview(ctx, tx, meetingId, {
    policy: 'student',
    student: { id: ctx.person.id },
    reviewers: [{ principal: { email: mentor }, role: 'required' }],
  });
}

/** Completes the caller's assessment, named by its layer. */
export async function completeInvited(
  ctx: Ctx,
  { id, notesId }: { id: string; notesId: string },
): Promise<{ review: ReviewView }> {
  const [layer] = await ctx.db.orm
    .select({ reviewId: layers.reviewId, reviewerId: layers.reviewerId })
    .from(layers)
    .where(and(eq(layers.id, notesId), eq(layers.meetingId, id), eq(layers.kind, 'own'), isNull(layers.deletedAt)));
  // Layers of others and no such layer get the same answer, from the change itself.
  if (!layer?.reviewerId) throw noPart();
  const { reviewId, reviewerId } = layer;
  return changeReviewer(ctx, { id, reviewId, reviewerId, status: 'complete' });
}
