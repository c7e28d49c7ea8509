import { and, eq, isNull } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { users } from '#db/schema/accounts.ts';
import { layers } from '#db/schema/reviews.ts';
import { emailKey } from '#shared/accounts.ts';
import { newId } from '#shared/ids.ts';
import type { ReviewView } from '#shared/reviews.ts';
import type { Ctx, Signed } from '../context.ts';
import { changeReviewer } from './change.ts';
import { noPart } from './part.ts';
import { findPeople } from './people.ts';
import { storeReview } from './request.ts';

// Reviews of recordings that people add for a mentor: they assess themselves first, and the mentor after them.

interface Invited {
  /** Address of the mentor; null: who invited the person. */
  mentor: string | null;
  /** Id of who asked for the recording; null: nobody did. */
  inviterId: string | null;
}

/**
 * Asks a mentor for an assessment of a recording that the caller has just added. The person who asked for it leads the
 * review, else the caller.
 */
export async function askMentor(
  ctx: Signed,
  tx: Orm,
  meetingId: string,
  { mentor, inviterId }: Invited,
): Promise<void> {
  const { id: student } = ctx.person;
  const [inviter] = inviterId === null ? [] : await tx.select().from(users).where(eq(users.id, inviterId));
  const isInviter = inviter && (mentor === null || emailKey(mentor) === inviter.emailKey);
  const [named] =
    mentor === null || isInviter ? [] : await findPeople(ctx, tx, [{ field: 'mentor', principal: { email: mentor } }]);
  const principal = isInviter ? inviter.id : named?.key;
  // The account that asked is gone, and nobody else was named.
  if (principal === undefined) return;
  await storeReview(
    ctx,
    tx,
    meetingId,
    { policy: 'student' },
    {
      ...{ leaderId: inviter?.id ?? student, student },
      reviewers: [{ id: newId(), principal, role: 'required' }],
      addresses: new Map(named?.email ? [[named.key, named.email]] : []),
    },
  );
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
