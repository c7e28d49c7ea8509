import { eq } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { reviewers, reviews } from '#db/schema/reviews.ts';
import { Problem } from '#shared/problems.ts';
import type { JoinInput, ReviewChange, ReviewerChange, ReviewView } from '#shared/reviews.ts';
import type { ReviewEvent } from '#shared/reviews/machine.ts';
import { signedIn, transaction, type Ctx } from '../context.ts';
import { keepResult } from '../http/once.ts';
import { refuseForeignSet } from '../outcome-models/models.ts';
import { apply, type Addresses } from './apply.ts';
import { withBlindReading } from './blind-record.ts';
import { forgetHidden, forgetListened, refuseUnheard } from './listened.ts';
import { askLeader, sendMails } from './mails.ts';
import { noPart, ownsMeeting, partIn, type ReviewId } from './part.ts';
import { newReviewers } from './people.ts';
import { hasModel, refuseWithoutModel } from './request.ts';
import { keyOf, loadReview } from './rows.ts';
import { viewOf } from './view.ts';

type Found = Awaited<ReturnType<typeof partIn>>;

interface Changes {
  events: readonly ReviewEvent[];
  addresses?: Addresses;
}

/** Changes a review under its lock, and answers with it as it is then. */
async function changing(
  ctx: Ctx,
  named: ReviewId,
  changesOf: (tx: Orm, found: Found) => Promise<Changes>,
): Promise<{ review: ReviewView }> {
  const signed = signedIn(ctx);
  const owns = await ownsMeeting(ctx, named.id);
  return withBlindReading(ctx, (reading) =>
    transaction(ctx, async (tx) => {
      const found = await partIn(ctx, tx, named, { owns, lock: true });
      const { events, addresses } = await changesOf(tx, found);
      const { mails } = await apply(signed, tx, { ...found, reading }, events, found.by, addresses);
      await sendMails(signed, tx, found.row, mails);
      const answer = { review: await viewOf(ctx, tx, await partIn(ctx, tx, named, { owns })) };
      await keepResult(ctx, tx, answer);
      return answer;
    }),
  );
}

/** Changes settings and people of a review, for its leader; who owns the recording may add reviewers. */
export async function changeReview(ctx: Ctx, { id, reviewId, rev, ...change }: ReviewChange & ReviewId) {
  // A model server is not asked under the lock.
  const offersModel = await hasModel(ctx, change);
  return changing(ctx, { id, reviewId }, async (tx, found) => {
    const { row, review, by } = found;
    const leads = review.leader === by.principal;
    if (!leads && !by.owns) throw new Problem('NO_PERM');
    if (rev !== row.rev) throw new Problem('CONFLICT');
    refuseWithoutModel(offersModel || change.policy === review.policy);
    // People were asked with it, and their rows are known by their names without it.
    if (change.anonymous !== undefined && change.anonymous !== row.anonymous) throw new Problem('CONFLICT');
    const { policy, outcomeModel, due, coverage, add = [], remove = [], roles = [], end, skipSelf } = change;
    const events: ReviewEvent[] = [];
    if (policy !== undefined && policy !== review.policy) events.push({ type: 'change', policy });
    if (due !== undefined && due !== review.due) events.push({ type: 'due', due });
    events.push(...remove.map((reviewer): ReviewEvent => ({ type: 'remove', reviewer })));
    const watching = roles.filter(({ role }) => role === 'watcher').map(({ id }) => id);
    const leaving = review.reviewers
      .filter(({ id }) => remove.includes(id) || watching.includes(id))
      .map(({ principal }) => principal);
    if (leaving.length > 0) await forgetListened(tx, row.id, leaving);
    events.push(...roles.map(({ id: reviewer, role }): ReviewEvent => ({ type: 'role', reviewer, role })));
    // A person who is removed comes again as the leader names them now.
    const staying = review.reviewers.filter((one) => !remove.includes(one.id));
    const there = [review.student?.principal, ...staying.map(({ principal }) => principal)];
    const signed = signedIn(ctx);
    const { reviewers: added, addresses } = await newReviewers(
      signed,
      tx,
      add,
      there.filter((key) => key !== undefined),
      'add',
    );
    if (added.length > 0) events.push({ type: 'add', reviewers: added });
    if (end) events.push({ type: 'end' });
    if (skipSelf) events.push({ type: 'skip-self' });
    // Nothing of it is stored where the event is refused.
    if (outcomeModel !== undefined && outcomeModel !== row.outcomeModel) {
      events.unshift({ type: 'settings' });
      await refuseForeignSet(tx, signed.person.id, outcomeModel);
      const asked = { outcomeModel, askedTypes: null };
      await tx.update(reviews).set(asked).where(eq(reviews.id, row.id));
      Object.assign(row, asked);
    }
    if (coverage !== undefined && coverage !== row.coverage) {
      events.unshift({ type: 'settings' });
      await tx.update(reviews).set({ coverage }).where(eq(reviews.id, row.id));
      if (coverage === null) await forgetHidden(tx, row.id);
      Object.assign(row, { coverage });
    }
    return { events, addresses };
  });
}

/** Changes the caller's own status and comment; completing comes behind all annotations that are stored. */
export const changeReviewer = (
  ctx: Ctx,
  { id, reviewId, reviewerId, status, comment }: ReviewerChange & ReviewId & { reviewerId: string },
) =>
  changing(ctx, { id, reviewId }, async (tx, { row, people, review, by }) => {
    const mine = [...review.reviewers, ...(review.student ? [review.student] : [])].find(
      (one) => one.id === reviewerId,
    );
    // Rows of others and no such row get the same answer.
    if (!mine || mine.principal !== by.principal) throw noPart();
    const before = people.find((one) => one.id === reviewerId);
    if (comment !== undefined && comment !== before?.comment)
      await tx.update(reviewers).set({ comment }).where(eq(reviewers.id, reviewerId));
    if (status === undefined || status === mine.status) return { events: [] };
    if (status === 'complete') {
      await refuseUnheard(ctx, tx, { row, people, review }, reviewerId);
      return { events: [{ type: 'complete' }] };
    }
    return { events: [{ type: mine.status === 'new' ? 'annotate' : 'take-back' }] };
  });

export const publishReview = (ctx: Ctx, named: ReviewId) =>
  changing(ctx, named, async () => ({ events: [{ type: 'publish' }] }));

export const reopenReview = (ctx: Ctx, named: ReviewId) =>
  changing(ctx, named, async () => ({ events: [{ type: 'reopen' }] }));

/** Deletes a review with all its layers, for its leader, and for who owns the recording while nobody has begun. */
export async function deleteReview(ctx: Ctx, named: ReviewId): Promise<void> {
  const signed = signedIn(ctx);
  const owns = await ownsMeeting(ctx, named.id);
  await transaction(ctx, async (tx) => {
    const found = await partIn(ctx, tx, named, { owns, lock: true });
    await apply(signed, tx, found, [{ type: 'delete' }], found.by);
    await keepResult(ctx, tx, null);
  });
}

/**
 * Adds who owns the recording to the reviewers. Others ask the leader, and get the same answer whether there is such a
 * review or not.
 */
export async function joinReview(ctx: Ctx, { role, ...named }: JoinInput & ReviewId): Promise<{ joined: boolean }> {
  const signed = signedIn(ctx);
  const owns = await ownsMeeting(ctx, named.id);
  return transaction(ctx, async (tx) => {
    const answer = { joined: owns };
    if (owns) {
      const found = await partIn(ctx, tx, named, { owns, lock: true });
      const there = found.review.reviewers.map(({ principal }) => principal);
      const self = { principal: { id: signed.person.id }, role };
      const { reviewers: added } = await newReviewers(signed, tx, [self], there);
      const { mails } = await apply(signed, tx, found, [{ type: 'add', reviewers: added }], found.by);
      // Nobody needs to be asked for what they did themselves.
      await sendMails(
        signed,
        tx,
        found.row,
        mails.filter(({ to }) => to !== found.by.principal),
      );
    } else {
      const found = await loadReview(tx, { meetingId: named.id, reviewId: named.reviewId });
      const isThere = found?.people.some((one) => keyOf(one) === signed.person.id) ?? true;
      if (found && found.row.secondOf === null && !isThere && found.row.leaderId !== signed.person.id)
        await askLeader(signed, tx, found.row);
    }
    await keepResult(ctx, tx, answer);
    return answer;
  });
}
