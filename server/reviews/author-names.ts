import { and, eq } from 'drizzle-orm';
import { layers, reviews } from '#db/schema/reviews.ts';
import { Problem } from '#shared/problems.ts';
import type { Ctx } from '../context.ts';
import { viewReview } from './view.ts';

/** Names of the authors in a layer of an anonymous review, by their rows, as its list shows them to the caller; else empty. */
export async function authorNames(ctx: Ctx, layerId: string | null): Promise<ReadonlyMap<string, string>> {
  const [found] =
    layerId === null
      ? []
      : await ctx.db.orm
          .select({ id: layers.meetingId, reviewId: layers.reviewId })
          .from(layers)
          .innerJoin(reviews, eq(reviews.id, layers.reviewId))
          .where(and(eq(layers.id, layerId), eq(reviews.anonymous, true)));
  if (!found) return new Map();
  const seen = await viewReview(ctx, found).catch((error: unknown) => {
    // The part in the review has just ended.
    if (error instanceof Problem) return null;
    throw error;
  });
  return new Map((seen?.review.reviewers ?? []).map(({ id, name, email }) => [id, name ?? email ?? '']));
}
