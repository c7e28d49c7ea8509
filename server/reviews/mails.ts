import type { Orm } from '#db/open.ts';
import { emailKey, lifetimes } from '#shared/accounts.ts';
import type { ReviewMail } from '#shared/reviews/machine.ts';
import type { Signed } from '../context.ts';
import { rules } from '../limits.ts';
import { mayMail } from '../mail/may-mail.ts';
import { queueMail } from '../mail/queue.ts';
import { ownerOf } from '../people/addresses.ts';
import { accountsOf } from './people.ts';
import { principalOf, type ReviewRow } from './rows.ts';

const nameOf = ({ person }: Signed): string => `${person.firstName} ${person.lastName}`.trim();

/** Mails of a transition, in its transaction. */
export async function sendMails(ctx: Signed, tx: Orm, row: ReviewRow, mails: readonly ReviewMail[]): Promise<void> {
  const ids = mails.flatMap(({ to }) => (principalOf(to).kind === 'user' ? to : []));
  const accounts = await accountsOf(tx, [...new Set(ids)]);
  for (const { kind, to } of mails) {
    const { principalId } = principalOf(to);
    const account = accounts.get(to);
    const address = account?.email ?? (principalOf(to).kind === 'pending' ? principalId : null);
    if (address === null || to === ctx.person.id) continue;
    // People are asked by others, who must not flood them; beyond the limits they find the review in their library.
    if (kind === 'asked') {
      if (!(await ctx.limits.allow(rules.shareMails, ctx.person.id, tx))) continue;
      if (!(await mayMail(ctx, tx, { purpose: 'shared', to: emailKey(address), from: ctx.person.id }))) continue;
    }
    await queueMail(ctx, tx, {
      to: address,
      language: account ? account.language : ((await ownerOf(tx, principalId))?.language ?? ctx.language),
      mail: { kind: 'review', what: kind, by: nameOf(ctx), meetingId: row.meetingId, reviewId: row.id },
      lifetime: lifetimes.notice,
    });
  }
}

/** Tells the leader that a person wants to be added. */
export async function askLeader(ctx: Signed, tx: Orm, row: ReviewRow): Promise<void> {
  const leader = (await accountsOf(tx, [row.leaderId])).get(row.leaderId);
  if (!leader || !ctx.person.confirmed) return;
  if (!(await ctx.limits.allow(rules.shareMails, ctx.person.id, tx))) return;
  if (!(await mayMail(ctx, tx, { purpose: 'shared', to: emailKey(leader.email), from: ctx.person.id }))) return;
  await queueMail(ctx, tx, {
    to: leader.email,
    language: leader.language,
    mail: { kind: 'review', what: 'join', by: nameOf(ctx), meetingId: row.meetingId, reviewId: row.id },
    lifetime: lifetimes.notice,
  });
}
