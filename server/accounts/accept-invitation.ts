import { and, eq, or } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { invitations, users } from '#db/schema/accounts.ts';
import { maskEmail, type InvitationAnswer, type RegisterInput } from '#shared/accounts.ts';
import { Problem } from '#shared/problems.ts';
import { transaction, type Ctx, type Person } from '../context.ts';
import { join } from '../groups/join.ts';
import { hashOf } from '../keys.ts';
import { rules } from '../limits.ts';
import { holdShared } from '../sharing/rows.ts';
import { takeUp } from '../sharing/visits.ts';
import { claimAddress, ownerOf } from '../people/addresses.ts';
import { openInvitation, type Invitation, type InvitationAppliers } from '../people/invitations.ts';
import { register } from './register.ts';
import { killMailTokens } from './tokens.ts';

/** Each capability that invites adds its kind here. */
export const invitationAppliers: InvitationAppliers = {
  account: () => Promise.resolve(),
  meeting: (...given) => takeUpShared('meeting', ...given),
  folder: (...given) => takeUpShared('folder', ...given),
  team: async (ctx, tx, { targetId, role }, { id }) => {
    if (targetId === null || !(await join(ctx, tx, targetId, id, role))) throw new Error('the group is gone');
  },
};

async function takeUpShared(
  what: 'meeting' | 'folder',
  ctx: Ctx,
  tx: Orm,
  { targetId, emailKey: key }: Invitation,
  { id }: Pick<Person, 'id'>,
): Promise<void> {
  if (targetId === null || !(await takeUp(ctx, tx, { kind: what, id: targetId }, { id, emailKey: key })))
    throw new Error('nothing is shared any more');
}

/**
 * Opens an invitation by the secret of its mail, or, for the person it is for, by its id in the session info. Whoever
 * holds the secret learns whether the address has an account, which its owner may know, and no more of the address than
 * a mask.
 */
export async function acceptInvitation(ctx: Ctx, given: string): Promise<InvitationAnswer> {
  await ctx.limits.take(rules.invitations, ctx.address);
  const { person } = ctx;
  const bySecret = eq(invitations.hash, hashOf(given));
  const which = person?.confirmed
    ? or(bySecret, and(eq(invitations.id, given), eq(invitations.emailKey, person.emailKey)))
    : bySecret;
  const invitation = await openInvitation(ctx, ctx.db.orm, which);
  const masked = maskEmail(invitation.email);

  const owner = await ownerOf(ctx.db.orm, invitation.emailKey);
  if (!person || person.emailKey !== invitation.emailKey || (owner && owner.id !== person.id)) {
    const result = !owner ? 'please-register' : person ? 'please-relogin' : 'please-login';
    return { result, email: masked, token: null };
  }
  try {
    await transaction(ctx, (tx) => apply(ctx, tx, invitation, person));
  } catch (error) {
    if (!(error instanceof NotApplied)) throw error;
    ctx.log.error(
      { err: error.cause, requestId: ctx.requestId, kind: invitation.kind },
      'an invitation could not be applied',
    );
    return { result: 'apply-error', email: masked, token: null };
  }
  const meetingId = invitation.kind === 'meeting' ? invitation.targetId : null;
  return { result: 'ok', email: person.email, token: { meeting_id: meetingId, email: person.email } };
}

class NotApplied extends Error {}

/** Of many that accept at once one applies it, the others wait for the row and find it done. */
async function apply(ctx: Ctx, tx: Orm, { id, kind, targetId }: Invitation, person: Person): Promise<void> {
  // What is shared first, then its invitations, as whoever shares it does.
  if ((kind === 'meeting' || kind === 'folder') && targetId !== null) await holdShared(tx, { kind, id: targetId });
  if (!person.confirmed) {
    // Registered, but the mail that came first was the invitation: its secret shows as much as a confirmation would.
    if (!(await claimAddress(tx, person.emailKey, person.id))) throw new Problem('GONE');
    await tx.update(users).set({ confirmedAt: ctx.clock.now() }).where(eq(users.id, person.id));
    await killMailTokens(tx, person.id, 'confirm');
  }
  const [invitation] = await tx.select().from(invitations).where(eq(invitations.id, id)).for('update');
  if (invitation?.acceptedBy === person.id) return;
  if (!invitation || invitation.acceptedAt || invitation.revokedAt) throw new Problem('GONE');
  await tx
    .update(invitations)
    .set({ acceptedAt: ctx.clock.now(), acceptedBy: person.id })
    .where(eq(invitations.id, id));
  const applier = Object.hasOwn(ctx.invitationAppliers, invitation.kind)
    ? ctx.invitationAppliers[invitation.kind]
    : undefined;
  try {
    if (!applier) throw new Error('nothing applies this kind of invitation');
    await applier(ctx, tx, invitation, person);
  } catch (cause) {
    throw new NotApplied('not applied', { cause });
  }
}

/** Registers whoever the invitation's mail reached: with the address of the invitation no confirmation is needed. */
export async function registerInvited(ctx: Ctx, secret: string, input: RegisterInput) {
  await ctx.limits.take(rules.invitations, ctx.address);
  const invitation = await openInvitation(ctx, ctx.db.orm, eq(invitations.hash, hashOf(secret)));
  return register(ctx, input, invitation.emailKey);
}
