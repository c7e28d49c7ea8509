import type { Orm } from '#db/open.ts';
import { reviews } from '#db/schema/reviews.ts';
import { isOwnModel } from '#shared/account-choices.ts';
import { newId } from '#shared/ids.ts';
import { invalid } from '#shared/problems.ts';
import type { ReviewInput, ReviewView } from '#shared/reviews.ts';
import type { Policy, PrincipalKey } from '#shared/reviews/review.ts';
import { signedIn, transaction, type Ctx, type Signed } from '../context.ts';
import { keepResult } from '../http/once.ts';
import { mayUseSet, refuseForeignSet } from '../outcome-models/models.ts';
import { accessTo } from '../rooms/access.ts';
import { closeUnlessClosed } from '../sharing/close.ts';
import { apply } from './apply.ts';
import { keyFor } from './key.ts';
import { sendMails } from './mails.ts';
import { isLiving, noPart, partIn } from './part.ts';
import { findPeople, newReviewers, type NewReviewer } from './people.ts';
import { loadReview, reviewOf, type ReviewRow } from './rows.ts';
import { viewOf } from './view.ts';

/** Asks people to assess a recording; the caller leads the review. */
export async function requestReview(
  ctx: Ctx,
  { id, ...input }: ReviewInput & { id: string },
): Promise<{ review: ReviewView }> {
  const signed = signedIn(ctx);
  await accessTo(ctx, 'POST /api/meetings/:id/reviews', id);
  refuseWithoutModel(await hasModel(ctx, input));
  return transaction(ctx, async (tx) => {
    if (!(await isLiving(tx, id))) throw noPart();
    await closeFirst(signed, tx, id, input);
    const row = await storeReview(signed, tx, id, input, await peopleIn(signed, tx, input));
    const stored = await partIn(ctx, tx, { id, reviewId: row.id }, { owns: true });
    const answer = { review: await viewOf(ctx, tx, stored) };
    await keepResult(ctx, tx, answer);
    return answer;
  });
}

/** Locks what the review is stored beside, a review before its recording, and closes the text. */
async function closeFirst(
  signed: Signed,
  tx: Orm,
  meetingId: string,
  { closeText, keyOf }: ReviewInput,
): Promise<void> {
  if (!closeText) return;
  if (keyOf) await loadReview(tx, { meetingId, reviewId: keyOf }, true);
  await closeUnlessClosed(signed, tx, meetingId, closeText.name);
}

interface Asked {
  /** Id of the account that leads the review. */
  leaderId: string;
  student: PrincipalKey | null;
  reviewers: NewReviewer[];
  /** Addresses of people without an account. */
  addresses: Map<PrincipalKey, string>;
}

async function peopleIn(signed: Signed, tx: Orm, { student: named, reviewers: given }: ReviewInput): Promise<Asked> {
  const [student] = named ? await findPeople(signed, tx, [{ field: 'student', principal: named }]) : [];
  const { reviewers, addresses } = await newReviewers(signed, tx, given, student ? [student.key] : []);
  if (student?.email) addresses.set(student.key, student.email);
  return { leaderId: signed.person.id, student: student?.key ?? null, reviewers, addresses };
}

/** Stores a review with its people, in the caller's transaction, and mails them. */
export async function storeReview(
  signed: Signed,
  tx: Orm,
  meetingId: string,
  {
    policy,
    due = null,
    outcomeModel = null,
    anonymous = false,
    observers = false,
    coverage = null,
    keyOf = null,
    secondOf = null,
  }: Omit<ReviewInput, 'reviewers' | 'student' | 'closeText'> & { secondOf?: string | null },
  { leaderId, student: assessed, reviewers, addresses }: Asked,
): Promise<ReviewRow> {
  if (policy === 'student' && assessed === null) throw invalid({ field: 'student', code: 'required' });
  if (keyOf !== null && policy !== 'strict') throw invalid({ field: 'keyOf', code: 'policy' });
  // The leader of the key learns from refusals who assesses beside it.
  if (keyOf !== null && anonymous) throw invalid({ field: 'anonymous', code: 'key' });
  const key = keyOf === null ? null : await keyFor(tx, { meetingId }, keyOf, signed.person);
  // The same competencies, unless others are chosen, or the leader may not give these to others.
  const ofKey = key?.row.outcomeModel ?? null;
  const isForeign = isOwnModel(ofKey) && !(await mayUseSet(tx, leaderId, ofKey));
  const model = outcomeModel ?? (isForeign ? null : ofKey);
  await refuseForeignSet(tx, leaderId, model);
  const [row] = await tx
    .insert(reviews)
    .values({
      ...{ id: newId(), meetingId, policy, leaderId, anonymous, observers },
      ...{ outcomeModel: model, due, coverage, keyOf, secondOf },
      ...{ haveRead: [], rev: 0, createdAt: signed.clock.now() },
    })
    .returning();
  if (!row) throw new Error('no review was stored');
  const student = assessed === null ? null : { id: newId(), principal: assessed, status: 'new' as const };
  const review = { ...reviewOf(row, []), student };
  const by = { principal: leaderId, owns: true };
  const applied = await apply(signed, tx, { row, people: [], review }, [{ type: 'add', reviewers }], by, addresses);
  const asksStudent = policy === 'student' && student !== null;
  const mails = asksStudent ? [...applied.mails, { kind: 'asked' as const, to: student.principal }] : applied.mails;
  await sendMails(signed, tx, row, mails);
  return row;
}

/** Whether the server has what a policy needs: a language model for reviews with suggestions. */
export const hasModel = async (ctx: Ctx, { policy }: { policy?: Policy | undefined }): Promise<boolean> =>
  policy !== 'ai' || (await ctx.assistants()).length > 0;

export function refuseWithoutModel(offersModel: boolean): void {
  if (!offersModel) throw invalid({ field: 'policy', code: 'model' });
}
