import { and, eq, sql } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { holds } from '#db/schema/billing.ts';
import { folders } from '#db/schema/library.ts';
import { meetings } from '#db/schema/meetings.ts';
import type { SeenCost } from '#shared/intake.ts';
import { creditsText } from '#shared/money.ts';
import { Problem } from '#shared/problems.ts';
import type { PaidShareView } from '#shared/sharing.ts';
import { moneyTransaction } from '../billing/ledger.ts';
import { askerOf, usableOption, type OnceOrder } from '../billing/quote.ts';
import { signedIn, type Ctx, type Signed } from '../context.ts';
import { fellowsOf, livingGroupsOf } from '../groups/members.ts';
import { keepResult } from '../http/once.ts';
import { accessTo } from '../rooms/access.ts';
import type { AccessRow } from './rows.ts';

/** Micro-dollars that the first sharing of a recording or folder with somebody outside still costs; 0: nothing. */
async function sharingPrice({ config }: Pick<Ctx, 'config'>, orm: Orm, id: string): Promise<bigint> {
  if (config.sharePrice === 0n) return 0n;
  const [paid] = await orm
    .select({ id: holds.id })
    .from(holds)
    .where(and(eq(holds.meetingId, id), eq(holds.purpose, 'share'), eq(holds.state, 'captured')))
    .limit(1);
  return paid ? 0n : config.sharePrice;
}

/** The same as the number that pages show; null: nothing to pay. */
export async function sharingCost(ctx: Pick<Ctx, 'config'>, orm: Orm, id: string): Promise<number | null> {
  const price = await sharingPrice(ctx, orm, id);
  return price === 0n ? null : Number(creditsText(price));
}

/** Refuses to add somebody outside the groups of the owner to a recording or folder whose sharing is not paid. */
export async function refuseUnpaid(
  ctx: Signed,
  tx: Orm,
  { id, ownerId }: { id: string; ownerId: string },
  added: readonly Pick<AccessRow, 'kind' | 'principalId'>[],
): Promise<void> {
  if (added.length === 0) return;
  const price = await sharingPrice(ctx, tx, id);
  if (price === 0n || !(await someOutside(tx, ownerId, added))) return;
  const order: OnceOrder = { purpose: 'share', meetingId: id, price };
  throw new Problem('FUNDS', { info: { costs: await ctx.costs.options(tx, await askerOf(ctx), order) } });
}

/** Links and addresses that nobody has confirmed are outside of every group. */
async function someOutside(
  tx: Orm,
  ownerId: string,
  added: readonly Pick<AccessRow, 'kind' | 'principalId'>[],
): Promise<boolean> {
  const groups = new Set((await livingGroupsOf(tx, ownerId)).map(({ id }) => id));
  const rows = await tx.execute<{ user_id: string }>(sql`${fellowsOf(ownerId)}`);
  const fellows = new Set([ownerId, ...[...rows].map((row) => row.user_id)]);
  return added.some(({ kind, principalId }) =>
    kind === 'group' ? !groups.has(principalId) : kind !== 'user' || !fellows.has(principalId),
  );
}

interface Paying {
  id: string;
  cost: SeenCost;
}

/** Pays for sharing a recording; a second time costs nothing. The list of people is saved by its own call. */
export async function payForSharing(ctx: Ctx, paying: Paying): Promise<PaidShareView> {
  await accessTo(ctx, 'POST /api/meetings/:id/paid-share', paying.id);
  return payOnce(ctx, paying, (tx) =>
    tx.select({ id: meetings.id }).from(meetings).where(eq(meetings.id, paying.id)).for('no key update'),
  );
}

/** The same for a folder that the caller may share. Whatever is in it costs nothing more. */
export const payForFolder = (ctx: Ctx, paying: Paying): Promise<PaidShareView> =>
  payOnce(ctx, paying, (tx) =>
    tx.select({ id: folders.id }).from(folders).where(eq(folders.id, paying.id)).for('no key update'),
  );

/** The lock lets one payment be made at a time, so that the second finds it paid. */
async function payOnce(
  ctx: Ctx,
  { id, cost }: Paying,
  lock: (tx: Orm) => PromiseLike<unknown>,
): Promise<PaidShareView> {
  const asker = await askerOf(signedIn(ctx));
  return await moneyTransaction(ctx, async (tx) => {
    await lock(tx);
    const price = await sharingPrice(ctx, tx, id);
    if (price > 0n) {
      const order: OnceOrder = { purpose: 'share', meetingId: id, price };
      const option = usableOption(await ctx.costs.options(tx, asker, order), cost);
      const holdId = await ctx.costs.hold(tx, asker, order, option);
      if (holdId !== null) await ctx.costs.capture(tx, holdId);
    }
    const answer = { id, sharingCost: null };
    await keepResult(ctx, tx, answer);
    return answer;
  });
}
