import { and, eq, gt, sql } from 'drizzle-orm';
import { groups, teams } from '#db/schema/groups.ts';
import type { ClosingView } from '#shared/closing.ts';
import { readBalance } from '../billing/balance.ts';
import { inPerson, type Ctx } from '../context.ts';

/** Losses of the caller with the account, and the teams that need another payer first. */
export async function readClosing(ctx: Ctx): Promise<ClosingView> {
  const { person } = inPerson(ctx);
  const { balance, totalMinutes, plans } = await readBalance(ctx);
  const paid = await ctx.db.orm
    .select({ id: groups.id, name: groups.name })
    .from(teams)
    .innerJoin(groups, eq(groups.id, teams.groupId))
    .where(
      and(
        eq(teams.payerId, person.id),
        gt(sql`(select count(*) from group_members m where m.group_id = ${groups.id})`, 1),
      ),
    )
    .orderBy(groups.name);
  return {
    balance,
    minutes: totalMinutes,
    plans: plans.filter(({ type }) => type === 'plan').map(({ title }) => title),
    teams: paid,
  };
}
