import { eq } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { invitations, users } from '#db/schema/accounts.ts';
import { maskEmail, type InvitationAnswer, type RegisterInput } from '#shared/accounts.ts';
import { Problem } from '#shared/problems.ts';
import { moneyTransaction } from '../billing/ledger.ts';
import type { Ctx, Person } from '../context.ts';
import { join } from '../groups/join.ts';
import { hashOf } from '../keys.ts';
import { rules } from '../limits.ts';
import { setDeclined } from '../sharing/declined.ts';
import { holdShared } from '../sharing/rows.ts';
import { takeUp } from '../sharing/visits.ts';
import { claimAddress, ownerOf } from '../people/addresses.ts';
import { invitationNamed, openInvitation, type Invitation, type InvitationAppliers } from '../people/invitations.ts';
import { welcome } from './confirmed.ts';
import { register } from './register.ts';
import { killMailTokens } from './tokens.ts';

/** Effects of accepting, by kind; each capability that invites adds its kind here. */
export const invitationAppliers: InvitationAppliers = {
  account: () => Promise.resolve(),
  // Adding the recording fulfils it.
  recording: () => Promise.resolve(),
  meeting: (...given) => takeUpShared('meeting', ...given),
  folder: (...given) => takeUpShared('folder', ...given),
  team: async (ctx, tx, invitation, { id }) => {
    const { targetId } = invitation;
    if (targetId === null || !(await join(ctx, tx, targetId, id, invitation))) throw new Error('the group is gone');
  },
};

async function takeUpShared(
  what: 'meeting' | 'folder',
  ctx: Ctx,
  tx: Orm,
  { targetId, emailKey: key }: Invitation,
  { id }: Pick<Person, 'id'>,
): Promise<void> {
  const shared = targetId === null ? null : { kind: what, id: targetId };
  if (shared) await setDeclined(tx, shared, key, false);
  if (!shared || !(await takeUp(ctx, tx, shared, { id, emailKey: key }))) throw new Error('nothing is shared any more');
}

/**
 * Opens an invitation by the secret from its mail, or by its id from the session info for the person it invites. The
 * holder of the secret learns whether the address has an account, and sees of the address only a mask.
 */
export async function acceptInvitation(ctx: Ctx, given: string): Promise<InvitationAnswer> {
  await ctx.limits.take(rules.invitations, ctx.address);
  const { person } = ctx;
  const invitation = await openInvitation(ctx, ctx.db.orm, invitationNamed(ctx, given));
  const masked = maskEmail(invitation.email);

  const owner = await ownerOf(ctx.db.orm, invitation.emailKey);
  if (!person || person.emailKey !== invitation.emailKey || (owner && owner.id !== person.id)) {
    const result = !owner ? 'please-register' : person ? 'please-relogin' : 'please-login';
    if (result !== 'please-register') return { result, email: masked, token: null };
    const invited = { by: await nameOf(ctx, invitation.inviterId), to: invitation.kind };
    return { result, email: masked, token: null, invited };
  }
  try {
    await moneyTransaction(ctx, (tx) => apply(ctx, tx, invitation, person));
  } catch (error) {
    if (!(error instanceof NotApplied)) throw error;
    ctx.log.error(
      { err: error.cause, requestId: ctx.requestId, kind: invitation.kind },
      'an invitation could not be applied',
    );
    return { result: 'apply-error', email: masked, token: null };
  }
  const meetingId = invitation.kind === 'meeting' ? invitation.targetId : null;
  const token = { meeting_id: meetingId, email: person.email };
  if (invitation.kind !== 'recording') return { result: 'ok', email: person.email, token };
  return { result: 'ok', email: person.email, token, inviter: await nameOf(ctx, invitation.inviterId) };
}

async function nameOf({ db }: Ctx, id: string | null): Promise<string> {
  const [found] = id === null ? [] : await db.orm.select().from(users).where(eq(users.id, id));
  return found ? `${found.firstName} ${found.lastName}`.trim() : '';
}

class NotApplied extends Error {}

/** Applies an invitation once: repeated accepts wait for the row and find it done. */
async function apply(ctx: Ctx, tx: Orm, { id, kind, targetId }: Invitation, person: Person): Promise<void> {
  // Locks in the same order as sharing does: first the shared thing, then its invitations.
  if ((kind === 'meeting' || kind === 'folder') && targetId !== null) await holdShared(tx, { kind, id: targetId });
  if (!person.confirmed) {
    // The secret from the mail proves the address as well as a confirmation would.
    if (!(await claimAddress(tx, person.emailKey, person.id))) throw new Problem('GONE');
    await tx.update(users).set({ confirmedAt: ctx.clock.now() }).where(eq(users.id, person.id));
    await welcome(ctx, tx, { id: person.id, key: person.emailKey });
    await killMailTokens(tx, person.id, 'confirm');
  }
  const [invitation] = await tx.select().from(invitations).where(eq(invitations.id, id)).for('update');
  if (invitation?.acceptedBy === person.id) {
    // A request for a recording can be declined after it was accepted.
    if (invitation.declinedAt) await tx.update(invitations).set({ declinedAt: null }).where(eq(invitations.id, id));
    return;
  }
  if (!invitation || invitation.acceptedAt || invitation.revokedAt) throw new Problem('GONE');
  await tx
    .update(invitations)
    .set({ acceptedAt: ctx.clock.now(), acceptedBy: person.id, declinedAt: null })
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

/** Registers the person that the invitation's mail reached; its address needs no confirmation. */
export async function registerInvited(ctx: Ctx, secret: string, input: RegisterInput) {
  await ctx.limits.take(rules.invitations, ctx.address);
  const invitation = await openInvitation(ctx, ctx.db.orm, eq(invitations.hash, hashOf(secret)));
  return register(ctx, input, invitation.emailKey);
}
