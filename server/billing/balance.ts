import type { Orm } from '#db/open.ts';
import { defaultPrices, type BalanceView } from '#shared/billing.ts';
import { creditsText, minutesFor, minutesOf } from '#shared/money.ts';
import { signedIn, type Ctx } from '../context.ts';
import { microsOf } from './quote.ts';
import { contentsOf, secondsIn, type Contents } from './purse.ts';

/** The caller's balance. */
export const readBalance = (ctx: Ctx): Promise<BalanceView> => balanceOf(ctx, ctx.db.orm, signedIn(ctx).person.id);

/** Balance of a person, read in one query. */
export const balanceOf = async ({ clock }: Pick<Ctx, 'clock'>, orm: Orm, userId: string): Promise<BalanceView> =>
  viewOf(await contentsOf(orm, userId, clock.now()));

function viewOf({ credits, debt, heldCredits, heldFree, heldPaid, lots }: Contents): BalanceView {
  const minutes = (paid?: boolean) => minutesOf(secondsIn(lots, paid));
  const ends = lots.flatMap(({ paid, lapsesAt }) => (paid && lapsesAt ? [lapsesAt.getTime()] : []));
  return {
    balance: creditsText(credits),
    totalMinutes: minutes(),
    freeMinutes: minutes(false),
    professionalMinutes: minutes(true),
    professionalEndDate: ends.length > 0 ? Math.min(...ends) : null,
    plan: null,
    plans: [],
    billingInfo: null,
    recentCreditsPurchase: null,
    reserved: {
      balance: creditsText(heldCredits),
      freeMinutes: minutesOf(heldFree),
      professionalMinutes: minutesOf(heldPaid),
    },
    debt: creditsText(debt),
    lots: lots.map(({ seconds, paid, source, lapsesAt }) => ({
      minutes: minutesOf(seconds),
      paid,
      source,
      until: lapsesAt?.getTime() ?? null,
    })),
    minutesForBalance: Number(minutesFor(credits, BigInt(microsOf(defaultPrices.individual.oneMinuteCost)))),
    cost: { plans: defaultPrices },
  };
}
