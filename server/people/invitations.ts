import { and, eq, gt, isNull, lt, or, type SQL } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { invitations } from '#db/schema/accounts.ts';
import { emailKey, lifetimes } from '#shared/accounts.ts';
import { newId } from '#shared/ids.ts';
import { Problem } from '#shared/problems.ts';
import { after } from '../clock.ts';
import type { Ctx, House, Person, Signed } from '../context.ts';
import { hashOf, newSecret } from '../keys.ts';
import { queueMail } from '../mail/queue.ts';
import { ownerOf } from './addresses.ts';

export type Invitation = typeof invitations.$inferSelect;

/** Effect of accepting an invitation of one kind, in the transaction that accepts it. */
export type InvitationApplier = (
  ctx: Ctx,
  tx: Orm,
  invitation: Invitation,
  person: Pick<Person, 'id'>,
) => Promise<void>;
export type InvitationAppliers = Readonly<Record<string, InvitationApplier>>;

export interface NewInvitation {
  /** Kind of thing that the mail names; also the key of the applier. */
  kind: 'account' | 'team' | 'meeting' | 'folder' | 'recording';
  /** Id of the team, the meeting or the folder; for a recording that somebody asks for, of that person. */
  targetId?: string;
  role?: string;
  /** Quota that the invited person gets, in micro-dollars. */
  quota?: bigint | null;
  /** Words of the team's admins, in the mail. */
  words?: string;
  email: string;
  /** Sends no mail, because the address has had too many; its owner sees the invitation when signed in. */
  silent?: boolean;
}

/**
 * Invites an address, in the caller's transaction. The secret is only in the mail; the inviter never learns it. It
 * replaces an earlier invitation to the same thing, so that only the newest mail works.
 */
export async function createInvitation(ctx: Signed, tx: Orm, input: NewInvitation): Promise<{ id: string }> {
  const now = ctx.clock.now();
  const key = emailKey(input.email);
  const targetId = input.targetId ?? null;
  await revokeInvitations(ctx, tx, { kind: input.kind, targetId, email: input.email });
  const secret = newSecret();
  const id = newId();
  await tx.insert(invitations).values({
    id,
    hash: hashOf(secret),
    kind: input.kind,
    targetId,
    role: input.role ?? null,
    quota: input.quota ?? null,
    email: input.email,
    emailKey: key,
    inviterId: ctx.person.id,
    createdAt: now,
    expiresAt: after(now, lifetimes.invitation),
  });
  if (input.silent) return { id };
  await queueMail(ctx, tx, {
    to: input.email,
    language: (await ownerOf(tx, key))?.language ?? ctx.language,
    mail: {
      kind: 'invitation',
      inviter: `${ctx.person.firstName} ${ctx.person.lastName}`.trim(),
      what: input.kind,
      token: secret,
      ...(input.words && { words: input.words }),
    },
    lifetime: lifetimes.invitation,
  });
  return { id };
}

/** Revokes all invitations to one thing, or those of one address, so that they can no longer be accepted. */
export async function revokeInvitations(house: House, tx: Orm, which: Which): Promise<void> {
  await tx.update(invitations).set({ revokedAt: house.clock.now() }).where(unanswered(which));
}

/** Lets an open invitation wait again, where no mail may be sent for a new one; false if there is none. */
export async function renewInvitation(house: House, tx: Orm, which: Which): Promise<boolean> {
  const renewed = await tx
    .update(invitations)
    .set({ declinedAt: null })
    .where(and(unanswered(which), gt(invitations.expiresAt, house.clock.now())))
    .returning({ id: invitations.id });
  return renewed.length > 0;
}

interface Which {
  kind: string;
  targetId: string | null;
  email?: string;
}

/** Invitations to one thing, or those of one address, that were neither accepted nor revoked. */
const unanswered = ({ kind, targetId, email }: Which): SQL | undefined =>
  and(
    eq(invitations.kind, kind),
    targetId === null ? isNull(invitations.targetId) : eq(invitations.targetId, targetId),
    email === undefined ? undefined : eq(invitations.emailKey, emailKey(email)),
    isNull(invitations.acceptedAt),
    isNull(invitations.revokedAt),
  );

/**
 * An invitation that can be accepted. The refusal is the same for unknown, expired, revoked, and accepted by another
 * person.
 */
export async function openInvitation(ctx: Ctx, tx: Orm, which: SQL | undefined): Promise<Invitation> {
  const [found] = await tx
    .select()
    .from(invitations)
    .where(and(which, isNull(invitations.revokedAt), gt(invitations.expiresAt, ctx.clock.now())));
  if (!found || (found.acceptedAt && found.acceptedBy !== ctx.person?.id)) throw new Problem('GONE');
  return found;
}

/** Rows that a secret from a mail names, or an id from the session info for the person it invites. */
export const invitationNamed = ({ person }: Ctx, given: string): SQL | undefined => {
  const bySecret = eq(invitations.hash, hashOf(given));
  return person?.confirmed
    ? or(bySecret, and(eq(invitations.id, given), eq(invitations.emailKey, person.emailKey)))
    : bySecret;
};

/** The person who asks for a recording, by an invitation that this person may follow and has not fulfilled; null: none. */
export async function askedForRecording(ctx: Signed, tx: Orm, given: string): Promise<Invitation | null> {
  const { id, emailKey: key, confirmed } = ctx.person;
  if (!confirmed) return null;
  const [found] = await tx
    .select()
    .from(invitations)
    .where(
      and(
        or(eq(invitations.hash, hashOf(given)), eq(invitations.id, given)),
        eq(invitations.kind, 'recording'),
        eq(invitations.emailKey, key),
        isNull(invitations.revokedAt),
        gt(invitations.expiresAt, ctx.clock.now()),
        or(isNull(invitations.acceptedBy), eq(invitations.acceptedBy, id)),
      ),
    );
  return found ?? null;
}

/** Marks an invitation for a recording as fulfilled, and tells by whom it was sent; null if it was already, or was revoked. */
export async function fulfilInvitation(house: House, tx: Orm, id: string): Promise<string | null> {
  const [found] = await tx
    .update(invitations)
    .set({ revokedAt: house.clock.now() })
    .where(and(eq(invitations.id, id), isNull(invitations.revokedAt)))
    .returning({ inviterId: invitations.inviterId });
  return found?.inviterId ?? null;
}

/** Deletes invitations some time after they expired, and with them addresses that never joined. */
export async function sweepInvitations(house: House): Promise<void> {
  const before = after(house.clock.now(), -lifetimes.invitation);
  await house.db.orm.delete(invitations).where(lt(invitations.expiresAt, before));
}
