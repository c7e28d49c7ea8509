import { and, arrayContains, eq, inArray, isNotNull, isNull, not, or, sql } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { users } from '#db/schema/accounts.ts';
import { removedReviewers, reviewers, reviews } from '#db/schema/reviews.ts';
import { newId } from '#shared/ids.ts';
import { keyOf } from './rows.ts';

/**
 * Called before an account gives up its address, or is deleted. Reviews know people who were asked by address, and have
 * not begun, by their confirmed address alone: what the account corrected meanwhile would get its name.
 */
export async function stayUnnamed(tx: Orm, userId: string, now: Date): Promise<void> {
  const [user] = await tx
    .select({ emailKey: users.emailKey })
    .from(users)
    .where(and(eq(users.id, userId), isNotNull(users.confirmedAt)));
  // Another person may have the address of an account that never confirmed it.
  if (!user) return;
  const { emailKey } = user;
  const kept = { kind: 'user', principalId: userId } as const;
  // Readers of another assessment stay known by their account.
  const byAddress = keyOf({ kind: 'pending', principalId: emailKey });
  await tx
    .update(reviews)
    .set({ haveRead: sql`array_append(${reviews.haveRead}, ${userId})` })
    .where(and(arrayContains(reviews.haveRead, [byAddress]), not(arrayContains(reviews.haveRead, [userId]))));
  const asked = await tx
    .select({ reviewId: reviewers.reviewId, role: reviewers.role, addedAt: reviewers.addedAt })
    .from(reviewers)
    .innerJoin(reviews, eq(reviews.id, reviewers.reviewId))
    .where(
      and(
        ...[eq(reviewers.kind, 'pending'), eq(reviewers.principalId, emailKey)],
        or(reviews.anonymous, and(isNull(reviews.openedAt), inArray(reviews.policy, ['strict', 'student']))),
      ),
    );
  const removed = await tx
    .select()
    .from(removedReviewers)
    .where(and(eq(removedReviewers.kind, 'pending'), eq(removedReviewers.principalId, emailKey)));
  const rows = [
    ...asked.map((one) => ({ ...one, ...kept, id: newId(), removedAt: now })),
    ...removed.map((one) => ({ ...one, ...kept, id: newId() })),
  ];
  if (rows.length > 0) await tx.insert(removedReviewers).values(rows);
}
