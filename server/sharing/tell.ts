import type { Orm } from '#db/open.ts';
import { emailKey, lifetimes } from '#shared/accounts.ts';
import { groupLimits } from '#shared/group-rules.ts';
import { Problem } from '#shared/problems.ts';
import { createInvitation, renewInvitation } from '../people/invitations.ts';
import type { Signed } from '../context.ts';
import { othersIn } from '../groups/members.ts';
import { rules } from '../limits.ts';
import { mayMail } from '../mail/may-mail.ts';
import { queueMail } from '../mail/queue.ts';
import { peopleById } from './acl.ts';
import { ownerOfShared, rowsOf, type AccessRow, type Shared } from './rows.ts';

/** Notifies a new person by mail: an address with an invitation, an account with a link. */
export async function tell(
  ctx: Signed,
  tx: Orm,
  shared: Shared,
  { kind, principalId, email }: Pick<AccessRow, 'kind' | 'principalId' | 'email'>,
): Promise<void> {
  if (kind === 'group') return tellGroup(ctx, tx, shared, principalId);
  if (!(await ctx.limits.allow(rules.shareMails, ctx.person.id, tx))) throw new Problem('RATE', { retryAfter: 600 });
  if (kind === 'pending') {
    if (email === null) return;
    // Repeated sharing does not send mail after mail; the person finds it when they sign in.
    const silent = !(await mayMail(ctx, tx, { purpose: 'shared', to: principalId, from: ctx.person.id }));
    const invitation = { kind: shared.kind, targetId: shared.id, email };
    if (silent && (await renewInvitation(ctx, tx, invitation))) return;
    await createInvitation(ctx, tx, { ...invitation, silent });
    return;
  }
  const [person] = await peopleById(tx, [principalId]);
  if (person) await tellShared(ctx, tx, shared, person);
}

/**
 * Notifies the members of a group, except people named themselves, up to a limit. Beyond the sender's hourly limit of
 * mails, members find it in their library.
 */
async function tellGroup(ctx: Signed, tx: Orm, shared: Shared, groupId: string): Promise<void> {
  const owner = await ownerOfShared(tx, shared);
  const named = new Set([owner, ...(await rowsOf(tx, shared)).map(({ principalId }) => principalId)]);
  const others = (await othersIn(tx, groupId, ctx.person.id)).filter(({ id }) => !named.has(id));
  for (const other of others.slice(0, groupLimits.told)) {
    if (!(await ctx.limits.allow(rules.shareMails, ctx.person.id, tx))) return;
    await tellShared(ctx, tx, shared, other);
  }
}

async function tellShared(
  ctx: Signed,
  tx: Orm,
  shared: Shared,
  to: { email: string; language: string | null },
): Promise<void> {
  if (!(await mayMail(ctx, tx, { purpose: 'shared', to: emailKey(to.email), from: ctx.person.id }))) return;
  const inviter = `${ctx.person.firstName} ${ctx.person.lastName}`.trim();
  await queueMail(ctx, tx, {
    to: to.email,
    language: to.language,
    mail:
      shared.kind === 'meeting'
        ? { kind: 'shared', inviter, meetingId: shared.id }
        : { kind: 'shared-folder', inviter, folderId: shared.id },
    lifetime: lifetimes.notice,
  });
}
