import { and, eq, gt, sql } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { ledgerAccounts, purses } from '#db/schema/billing.ts';
import { referralLinks, referrals } from '#db/schema/payments.ts';
import { newId } from '#shared/ids.ts';
import { Problem } from '#shared/problems.ts';
import { after } from '../clock.ts';
import { signedIn, type Ctx, type House } from '../context.ts';
import { lockPurse, newLot, post, purseOf } from './ledger.ts';

const rewardSeconds = 20n * 60n;
/** Rewards of one person within a month. */
const mostRewards = 50;
const monthSeconds = 30 * 86_400;

/** The caller's link for inviting others; always the same one. */
export async function referralLink(ctx: Ctx): Promise<{ url: string }> {
  const { person } = signedIn(ctx);
  if (!person.confirmed) throw new Problem('NO_PERM', { message: 'Please confirm your e-mail address first' });
  const [link] = await ctx.db.orm
    .insert(referralLinks)
    .values({ userId: person.id, code: newId() })
    .onConflictDoUpdate({ target: referralLinks.userId, set: { userId: person.id } })
    .returning({ code: referralLinks.code });
  return { url: `${ctx.origin()}/signup?${new URLSearchParams({ ref: link?.code ?? '' })}` };
}

/** Notes who invited a new account. A code that nobody has changes nothing. */
export async function keepReferral(house: House, tx: Orm, code: string | undefined, userId: string): Promise<void> {
  if (!code) return;
  const [link] = await tx
    .select({ userId: referralLinks.userId })
    .from(referralLinks)
    .where(eq(referralLinks.code, code));
  if (!link) return;
  await tx.insert(referrals).values({ userId, purseId: await purseOf(house, tx, link.userId) });
}

/** Rewards the person who invited an account whose address is confirmed in this transaction. */
export async function rewardReferral(house: House, tx: Orm, userId: string): Promise<void> {
  const [invited] = await tx
    .select({ purse: referrals.purseId, inviter: purses.userId })
    .from(referrals)
    .innerJoin(purses, eq(purses.id, referrals.purseId))
    .where(eq(referrals.userId, userId));
  if (!invited?.inviter) return;
  const { purse } = invited;
  await lockPurse(tx, purse);
  const since = after(house.clock.now(), -monthSeconds);
  const [{ count } = { count: 0 }] = await tx
    .select({ count: sql<number>`count(*)::int` })
    .from(ledgerAccounts)
    .where(
      and(
        ...[eq(ledgerAccounts.purseId, purse), eq(ledgerAccounts.source, 'referral')],
        gt(ledgerAccounts.createdAt, since),
      ),
    );
  if (count >= mostRewards) return;
  const lot = await newLot(house, tx, purse, { paid: false, lapsesAt: null, source: 'referral' });
  await post(house, tx, {
    key: `referral:${userId}`,
    kind: 'referral',
    by: null,
    transfers: [{ from: { house: 'minted' }, to: { purse, lot }, amount: rewardSeconds }],
  });
}
