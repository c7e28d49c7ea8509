import type { Orm } from '#db/open.ts';
import { defaultPrices, type BalanceView } from '#shared/billing.ts';
import { creditsText, minutesFor, minutesOf } from '#shared/money.ts';
import { signedIn, type Ctx } from '../context.ts';
import { holdingsOf } from './holdings.ts';
import { microsOf } from './quote.ts';
import { secondsIn } from './purse.ts';

/** The caller's balance. */
export const readBalance = (ctx: Ctx): Promise<BalanceView> => balanceOf(ctx, ctx.db.orm, signedIn(ctx).person.id);

/** Balance of a person, read in one query. */
export async function balanceOf(ctx: Pick<Ctx, 'clock'>, orm: Orm, userId: string): Promise<BalanceView> {
  const { contents, plans: all, billingInfo, recentCreditsPurchase } = await holdingsOf(ctx, orm, userId);
  const { credits, debt, heldCredits, heldFree, heldPaid, lots } = contents;
  const plans = all.filter(({ active }) => active);
  const minutes = (paid?: boolean) => minutesOf(secondsIn(lots, paid));
  const ends = lots.flatMap(({ paid, lapsesAt }) => (paid && lapsesAt ? [lapsesAt.getTime()] : []));
  // A plan whose bill is not paid lowers no price.
  const minutePrices = plans.flatMap(({ minutePrice, pastDue }) =>
    minutePrice && !pastDue ? [Number(minutePrice)] : [],
  );
  const oneMinuteCost = Math.min(defaultPrices.individual.oneMinuteCost, ...minutePrices);
  return {
    balance: creditsText(credits),
    totalMinutes: minutes(),
    freeMinutes: minutes(false),
    professionalMinutes: minutes(true),
    professionalEndDate: ends.length > 0 ? Math.min(...ends) : null,
    plan: plans.find(({ type }) => type === 'plan')?.name ?? null,
    plans,
    billingInfo,
    recentCreditsPurchase,
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
    minutesForBalance: Number(minutesFor(credits, BigInt(microsOf(oneMinuteCost)))),
    cost: { plans: { ...defaultPrices, individual: { oneMinuteCost } } },
  };
}
