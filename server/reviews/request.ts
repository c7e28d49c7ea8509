import type { Orm } from '#db/open.ts';
import { reviews } from '#db/schema/reviews.ts';
import { newId } from '#shared/ids.ts';
import { invalid } from '#shared/problems.ts';
import type { ReviewInput, ReviewView } from '#shared/reviews.ts';
import type { Policy } from '#shared/reviews/review.ts';
import { signedIn, transaction, type Ctx, type Signed } from '../context.ts';
import { keepResult } from '../http/once.ts';
import { refuseForeignSet } from '../outcome-models/models.ts';
import { accessTo } from '../rooms/access.ts';
import { apply } from './apply.ts';
import { sendMails } from './mails.ts';
import { isLiving, noPart, partIn } from './part.ts';
import { findPeople, newReviewers } from './people.ts';
import { reviewOf, type ReviewRow } from './rows.ts';
import { viewOf } from './view.ts';

/** Asks people to assess a recording; the caller leads the review. */
export async function requestReview(
  ctx: Ctx,
  { id, ...input }: ReviewInput & { id: string },
): Promise<{ review: ReviewView }> {
  const signed = signedIn(ctx);
  await accessTo(ctx, 'POST /api/meetings/:id/reviews', id);
  refuseWhatIsNotBuilt(input);
  return transaction(ctx, async (tx) => {
    if (!(await isLiving(tx, id))) throw noPart();
    const row = await storeReview(signed, tx, id, input);
    const stored = await partIn(ctx, tx, { id, reviewId: row.id }, { owns: true });
    const answer = { review: await viewOf(ctx, tx, stored) };
    await keepResult(ctx, tx, answer);
    return answer;
  });
}

/** Stores a review of somebody who owns the recording, in the caller's transaction, and mails its people. */
export async function storeReview(signed: Signed, tx: Orm, meetingId: string, input: ReviewInput): Promise<ReviewRow> {
  const { policy, due = null, outcomeModel = null, observers = false } = input;
  if (policy === 'student' && !input.student) throw invalid({ field: 'student', code: 'required' });
  const leaderId = signed.person.id;
  await refuseForeignSet(tx, leaderId, outcomeModel);
  const [row] = await tx
    .insert(reviews)
    .values({
      ...{ id: newId(), meetingId, policy, leaderId, anonymous: false, observers, outcomeModel, due },
      ...{ haveRead: [], rev: 0, createdAt: signed.clock.now() },
    })
    .returning();
  if (!row) throw new Error('no review was stored');
  const student = await studentOf(signed, tx, input);
  const { reviewers, addresses } = await newReviewers(signed, tx, input.reviewers, student ? [student.key] : []);
  if (student?.email) addresses.set(student.key, student.email);
  const review = {
    ...reviewOf(row, []),
    student: student && { id: newId(), principal: student.key, status: 'new' as const },
  };
  const by = { principal: leaderId, owns: true };
  const applied = await apply(signed, tx, { row, people: [], review }, [{ type: 'add', reviewers }], by, addresses);
  const asksStudent = policy === 'student' && review.student !== null;
  const mails = asksStudent
    ? [...applied.mails, { kind: 'asked' as const, to: review.student?.principal ?? '' }]
    : applied.mails;
  await sendMails(signed, tx, row, mails);
  return row;
}

/** Nothing makes suggestions yet, and annotations carry the names of their authors. */
export function refuseWhatIsNotBuilt({
  policy,
  anonymous,
}: {
  policy?: Policy | undefined;
  anonymous?: boolean | undefined;
}): void {
  if (policy === 'ai') throw invalid({ field: 'policy', code: 'model' });
  if (anonymous) throw invalid({ field: 'anonymous', code: 'invalid' });
}

async function studentOf(signed: Signed, tx: Orm, { student }: ReviewInput) {
  if (!student) return null;
  const [found] = await findPeople(signed, tx, [{ field: 'student', principal: student }]);
  return found ?? null;
}
