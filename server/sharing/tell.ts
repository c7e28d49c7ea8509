import type { Orm } from '#db/open.ts';
import { lifetimes } from '#shared/accounts.ts';
import { Problem } from '#shared/problems.ts';
import { createInvitation } from '../accounts/invitations.ts';
import type { Signed } from '../context.ts';
import { rules } from '../limits.ts';
import { queueMail } from '../mail/queue.ts';
import { peopleById } from './acl.ts';
import type { AccessRow, Shared } from './rows.ts';

/** Whoever is let in is told by mail: an address by an invitation, somebody with an account by a link. */
export async function tell(
  ctx: Signed,
  tx: Orm,
  shared: Shared,
  { kind, principalId, email }: Pick<AccessRow, 'kind' | 'principalId' | 'email'>,
): Promise<void> {
  if (!(await ctx.limits.allow(rules.shareMails, ctx.person.id, tx))) throw new Problem('RATE', { retryAfter: 600 });
  if (kind === 'pending') {
    // Taken away and given again, nobody is written to over and over.
    if (email === null || !(await ctx.limits.allow(rules.mailTo, principalId, tx))) return;
    await createInvitation(ctx, tx, { kind: shared.kind, targetId: shared.id, email });
    return;
  }
  const [person] = await peopleById(tx, [principalId]);
  if (person) await tellShared(ctx, tx, shared, person);
}

export async function tellShared(
  ctx: Signed,
  tx: Orm,
  shared: Shared,
  to: { email: string; language: string | null },
): Promise<void> {
  const inviter = `${ctx.person.firstName} ${ctx.person.lastName}`.trim();
  await queueMail(ctx, tx, {
    to: to.email,
    language: to.language,
    mail:
      shared.kind === 'meeting'
        ? { kind: 'shared', inviter, meetingId: shared.id }
        : { kind: 'shared-folder', inviter, folderId: shared.id },
    lifetime: lifetimes.notice,
    limited: true,
  });
}
