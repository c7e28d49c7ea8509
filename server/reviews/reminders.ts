import { and, asc, eq, isNull, lte, sql } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { meetings } from '#db/schema/meetings.ts';
import { reviews } from '#db/schema/reviews.ts';
import { libraryStateOf } from '#shared/reviews/review.ts';
import { after } from '../clock.ts';
import { transaction, type House } from '../context.ts';
import { addresseesOf, tell } from './mails.ts';
import { accountsOf } from './people.ts';
import { keyOf, loadReview } from './rows.ts';

// Mails that a review is due tomorrow, to those whose turn it is, once for each due date. They depend on the part of each
// person alone, so that a blind reviewer learns nothing of others.

const daySeconds = 86_400;
const atOnce = 200;

export const dayAfter = (now: Date): string => after(now, daySeconds).toISOString().slice(0, 10);

/** Reminds of the reviews that are due tomorrow, apart from those that people were asked for within a day. */
export async function remindOfReviews(house: Pick<House, 'db' | 'clock' | 'origin' | 'limits'>): Promise<void> {
  const now = house.clock.now();
  const due = dayAfter(now);
  const found = await house.db.orm
    .select({ reviewId: reviews.id, meetingId: reviews.meetingId })
    .from(reviews)
    .innerJoin(meetings, and(eq(meetings.id, reviews.meetingId), isNull(meetings.deletedAt)))
    .where(
      and(
        eq(reviews.due, due),
        isNull(reviews.openedAt),
        isNull(reviews.deletedAt),
        lte(reviews.createdAt, after(now, -daySeconds)),
        sql`${reviews.remindedFor} is distinct from ${reviews.due}`,
      ),
    )
    .orderBy(asc(reviews.id))
    .limit(atOnce);
  for (const named of found) await transaction(house, (tx) => remind(house, tx, named, due));
}

async function remind(
  house: Pick<House, 'clock' | 'origin' | 'limits'>,
  tx: Orm,
  named: { meetingId: string; reviewId: string },
  due: string,
): Promise<void> {
  const stored = await loadReview(tx, named, true);
  // Another process was faster, or the leader has changed the date.
  if (!stored || stored.row.due !== due || stored.row.remindedFor === due) return;
  await tx.update(reviews).set({ remindedFor: due }).where(eq(reviews.id, named.reviewId));
  const { leaderId } = stored.row;
  const leader = (await accountsOf(tx, [leaderId])).get(leaderId);
  if (!leader) return;
  const waited = stored.people.map(keyOf).filter((key) => libraryStateOf(stored.review, key) === 'button');
  for (const to of (await addresseesOf(tx, waited)).values())
    await tell(house, tx, { ...named, what: 'due' }, { ...leader, id: leaderId }, to);
}
