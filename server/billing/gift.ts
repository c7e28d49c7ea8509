import { and, eq, gt, isNull, lte, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { Orm } from '#db/open.ts';
import { invitations, users } from '#db/schema/accounts.ts';
import { purses } from '#db/schema/billing.ts';
import { groupMembers } from '#db/schema/groups.ts';
import { gifts } from '#db/schema/payments.ts';
import { emailKey, lifetimes } from '#shared/accounts.ts';
import { giftDays, type GiftInput } from '#shared/giving.ts';
import { newId } from '#shared/ids.ts';
import { creditsText } from '#shared/money.ts';
import { invalid, Problem } from '#shared/problems.ts';
import { after } from '../clock.ts';
import { signedIn, type Ctx, type House, type Signed } from '../context.ts';
import { keepResult } from '../http/once.ts';
import { rules } from '../limits.ts';
import { mayMail } from '../mail/may-mail.ts';
import { queueMail } from '../mail/queue.ts';
import { ownerOf, useAddress } from '../people/addresses.ts';
import { workOnEach } from '../rounds.ts';
import { moneyTransaction, post, purseOf, type Posting } from './ledger.ts';
import { balanceOf, giving } from './transfers.ts';

const waitSeconds = giftDays * 86_400;
const atOnce = 200;

/**
 * Transfers credits to the owner of an address. Where nobody has confirmed it yet, they wait for its owner; the sender
 * learns nothing about that.
 */
export async function giveCredits(ctx: Ctx, { recipient, balance: amount }: GiftInput): Promise<{ balance: string }> {
  const signed = signedIn(ctx);
  const { person } = signed;
  if (!person.confirmed) throw new Problem('NO_PERM', { message: 'Please confirm your e-mail address first' });
  await ctx.limits.take(rules.payments, person.id);
  const key = emailKey(recipient);
  if (key === person.emailKey) throw invalid({ field: 'recipient', code: 'gift_self' });
  const answer = await moneyTransaction(ctx, async (tx) => {
    await useAddress(tx, key);
    if (await isPending(signed, tx, key)) throw invalid({ field: 'recipient', code: 'gift_pending' });
    const owner = await ownerOf(tx, key);
    const purse = await purseOf(ctx, tx, person.id);
    const theirs = owner ? await purseOf(ctx, tx, owner.id) : null;
    await lockPurses(tx, [purse, ...(theirs === null ? [] : [theirs])]);
    await refuseWithout(tx, purse, amount);
    const id = newId();
    const now = ctx.clock.now();
    const expiresAt = after(now, waitSeconds);
    const state = theirs === null ? 'waiting' : 'taken';
    const row = { id, fromPurse: purse, toPurse: theirs, email: recipient, emailKey: key, amount };
    await tx.insert(gifts).values({ ...row, state, createdAt: now, expiresAt });
    const from = { purse, kind: 'credits' } as const;
    await post(ctx, tx, {
      key: `gift:${person.id}:${ctx.requestId}`,
      kind: 'gift',
      by: person.id,
      details: { gift: id },
      transfers: theirs === null ? [{ from, to: { house: 'gifts' }, amount }] : await giving(tx, theirs, amount, from),
    });
    await tellRecipient(signed, tx, { id, email: recipient, key, amount, owner });
    const left = { balance: creditsText(await balanceOf(tx, `${purse}/credits`)) };
    await keepResult(ctx, tx, left);
    return left;
  });
  ctx.wakeMail();
  return answer;
}

/** Locks in one order, as the books themselves do. */
async function lockPurses(tx: Orm, ids: readonly string[]): Promise<void> {
  const one = sql.join(
    ids.map((id) => sql`${id}`),
    sql`, `,
  );
  await tx.execute(sql`select 1 from purses where id in (${one}) order by id for no key update`);
}

/** A debtor spends nothing until the debt is paid. */
async function refuseWithout(tx: Orm, purse: string, amount: bigint): Promise<void> {
  const credits = await balanceOf(tx, `${purse}/credits`);
  const debt = -(await balanceOf(tx, `${purse}/debt`));
  if (debt > 0n || credits < amount)
    throw new Problem('FUNDS', { info: { balance: creditsText(credits), debt: creditsText(debt) } });
}

/** Whether the address has yet to answer an invitation to a team of the sender, and its owner is in none of them. */
async function isPending({ person, clock }: Signed, tx: Orm, key: string): Promise<boolean> {
  const mine = alias(groupMembers, 'mine');
  const [invited] = await tx
    .select({ id: invitations.id })
    .from(invitations)
    .innerJoin(mine, and(eq(mine.groupId, invitations.targetId), eq(mine.userId, person.id)))
    .where(
      and(
        ...[eq(invitations.kind, 'team'), eq(invitations.emailKey, key), gt(invitations.expiresAt, clock.now())],
        ...[isNull(invitations.acceptedAt), isNull(invitations.declinedAt), isNull(invitations.revokedAt)],
      ),
    )
    .limit(1);
  if (!invited) return false;
  const theirs = alias(groupMembers, 'theirs');
  const [member] = await tx
    .select({ id: theirs.userId })
    .from(theirs)
    .innerJoin(mine, and(eq(mine.groupId, theirs.groupId), eq(mine.userId, person.id)))
    .innerJoin(users, eq(users.id, theirs.userId))
    .where(eq(users.emailKey, key))
    .limit(1);
  return !member;
}

interface Told {
  id: string;
  email: string;
  key: string;
  amount: bigint;
  owner: Awaited<ReturnType<typeof ownerOf>>;
}

async function tellRecipient(ctx: Signed, tx: Orm, { id, email, key, amount, owner }: Told): Promise<void> {
  const { person } = ctx;
  if (!(await mayMail(ctx, tx, { purpose: 'gift', to: key, from: person.id }))) return;
  const from = `${person.firstName} ${person.lastName}`.trim();
  await queueMail(ctx, tx, {
    to: owner?.email ?? email,
    language: owner?.language ?? ctx.language,
    lifetime: lifetimes.notice,
    dedupeKey: `gift:${id}`,
    mail: {
      ...{ kind: owner ? ('gift' as const) : ('gift-waiting' as const), firstName: owner?.firstName ?? '' },
      ...{ from, amount: creditsText(amount) },
    },
  });
}

/** Gives credits that wait for an address to the person who confirms it, in that transaction. */
export async function takeGifts(house: House, tx: Orm, { id, key }: { id: string; key: string }): Promise<void> {
  const waiting = await tx
    .select()
    .from(gifts)
    .where(and(eq(gifts.emailKey, key), eq(gifts.state, 'waiting')))
    .orderBy(gifts.id)
    .for('update');
  for (const { id: gift, amount } of waiting) {
    const purse = await purseOf(house, tx, id);
    await lockPurses(tx, [purse]);
    await tx.update(gifts).set({ state: 'taken', toPurse: purse }).where(eq(gifts.id, gift));
    await post(house, tx, {
      key: `gift-taken:${gift}`,
      kind: 'gift',
      by: null,
      details: { gift },
      transfers: await giving(tx, purse, amount, { house: 'gifts' }),
    });
  }
}

type Desk = Pick<House, 'db' | 'clock' | 'origin'>;

/** Returns gifts for which nobody came. */
export async function sweepGifts(house: Desk & Pick<House, 'log'>): Promise<void> {
  const due = and(eq(gifts.state, 'waiting'), lte(gifts.expiresAt, house.clock.now()));
  const rows = await house.db.orm
    .select({ id: gifts.id })
    .from(gifts)
    .where(due)
    .orderBy(gifts.expiresAt, gifts.id)
    .limit(atOnce);
  const giveBack = ({ id }: { id: string }) =>
    moneyTransaction(house, async (tx) => {
      const [gift] = await tx
        .select()
        .from(gifts)
        .where(and(eq(gifts.id, id), due))
        .for('update');
      if (gift) await returnGift(house, tx, gift);
    });
  await workOnEach(house, { items: rows, failure: 'a gift could not be returned yet', work: giveBack });
}

/** Returns what waits, from this purse or from all, for this address or for any; answers how much that is. */
export async function returnGifts(
  house: Desk,
  tx: Orm,
  { purse, key }: { purse?: string; key?: string } = {},
): Promise<bigint> {
  const waiting = await tx
    .select()
    .from(gifts)
    .where(
      and(
        eq(gifts.state, 'waiting'),
        ...(purse === undefined ? [] : [eq(gifts.fromPurse, purse)]),
        ...(key === undefined ? [] : [eq(gifts.emailKey, key)]),
      ),
    )
    .orderBy(gifts.id)
    .for('update');
  for (const gift of waiting) await returnGift(house, tx, gift);
  return waiting.reduce((sum, { amount }) => sum + amount, 0n);
}

/** Returns a locked gift to its sender, who is told; where the sender's account was deleted, nobody owns it. */
async function returnGift(
  house: Desk,
  tx: Orm,
  { id, fromPurse: purse, amount, email }: typeof gifts.$inferSelect,
): Promise<void> {
  await lockPurses(tx, [purse]);
  const [sender] = await tx
    .select({ email: users.email, firstName: users.firstName, language: users.language })
    .from(purses)
    .innerJoin(users, eq(users.id, purses.userId))
    .where(eq(purses.id, purse));
  const from = { house: 'gifts' } as const;
  const transfers: Posting['transfers'] = sender
    ? await giving(tx, purse, amount, from)
    : [{ from, to: { house: 'unclaimed' }, amount }];
  await tx.update(gifts).set({ state: 'returned' }).where(eq(gifts.id, id));
  await post(house, tx, {
    key: `gift-returned:${id}`,
    kind: 'giftReturned',
    by: null,
    details: { gift: id },
    transfers,
  });
  if (!sender) return;
  await queueMail(house, tx, {
    to: sender.email,
    language: sender.language,
    lifetime: lifetimes.notice,
    dedupeKey: `gift-returned:${id}`,
    mail: { kind: 'gift-returned', firstName: sender.firstName, to: email ?? '', amount: creditsText(amount) },
  });
}
