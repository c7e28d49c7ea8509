import { and, eq, lt } from 'drizzle-orm';
import { keepUnnamed } from '#db/access.ts';
import { layers, reviews } from '#db/schema/reviews.ts';
import type { House } from '../context.ts';

/** Reviews, and layers of removed reviewers, per round of housekeeping. */
const atOnce = 1000;

/**
 * Deletes for good what was deleted before this time: reviews, and layers of removed reviewers. Their people, and their
 * rooms with annotations and grades, are deleted with them; what they corrected in a blind review stays without a name.
 */
export async function emptyReviewTrash(
  { db: { orm, sql }, log }: Pick<House, 'db' | 'log'>,
  before: Date,
): Promise<void> {
  const later = (what: object) => (error: unknown) =>
    log.warn({ err: error, ...what }, 'a deleted assessment could not be cleared away; tried again later');
  const ofReviews = lt(reviews.deletedAt, before);
  for (const { id } of await orm.select({ id: reviews.id }).from(reviews).where(ofReviews).limit(atOnce))
    await sql
      .begin(async (tx) => {
        // A review may have been restored since it was listed.
        const [deleted] = await tx`
          select 1 from reviews where id = ${id} and deleted_at < ${before.toISOString()}::timestamptz for update`;
        if (!deleted) return;
        await keepUnnamed(tx, id);
        await tx`delete from reviews where id = ${id}`;
      })
      .catch(later({ review: id }));
  const ofLayers = lt(layers.deletedAt, before);
  for (const { id } of await orm.select({ id: layers.id }).from(layers).where(ofLayers).limit(atOnce))
    await orm
      .delete(layers)
      .where(and(eq(layers.id, id), ofLayers))
      .catch(later({ layer: id }));
}
