import { eq } from 'drizzle-orm';
import { invitations } from '#db/schema/accounts.ts';
import { maskEmail, type InvitationAnswer } from '#shared/accounts.ts';
import { Problem } from '#shared/problems.ts';
import { transaction, type Ctx } from '../context.ts';
import { rules } from '../limits.ts';
import { ownerOf } from '../people/addresses.ts';
import { invitationNamed, openInvitation } from '../people/invitations.ts';
import { setDeclined } from '../sharing/declined.ts';
import { holdShared, type Shared } from '../sharing/rows.ts';

/**
 * Declines an invitation, or takes that back. What an account is invited to is declined by this account alone; an address
 * without one needs only the secret from its mail.
 */
export async function declineInvitation(
  ctx: Ctx,
  { id: given, declined }: { id: string; declined: boolean },
): Promise<InvitationAnswer> {
  await ctx.limits.take(rules.invitations, ctx.address);
  const { person } = ctx;
  const { id, kind, targetId, email, emailKey } = await openInvitation(ctx, ctx.db.orm, invitationNamed(ctx, given));
  const answer = { email: maskEmail(email), token: null };
  const owner = await ownerOf(ctx.db.orm, emailKey);
  if (owner && owner.id !== person?.id) return { result: person ? 'please-relogin' : 'please-login', ...answer };
  await transaction(ctx, async (tx) => {
    const shared: Shared | null =
      (kind === 'meeting' || kind === 'folder') && targetId !== null ? { kind, id: targetId } : null;
    // Locks in the same order as sharing does: first the shared thing, then its invitations.
    if (shared) await holdShared(tx, shared);
    const [found] = await tx.select().from(invitations).where(eq(invitations.id, id)).for('update');
    // A request for a recording that was accepted waits until the recording is added.
    if (!found || found.revokedAt || (found.acceptedAt && kind !== 'recording')) throw new Problem('GONE');
    if ((found.declinedAt !== null) === declined) return;
    await tx
      .update(invitations)
      .set({ declinedAt: declined ? ctx.clock.now() : null })
      .where(eq(invitations.id, id));
    if (shared) await setDeclined(tx, shared, emailKey, declined);
  });
  return { result: 'ok', ...answer };
}
