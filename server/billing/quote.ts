import type { Orm } from '#db/open.ts';
import { externalModel, humanModel, intakeFailures, noModel, type CostOption, type SeenCost } from '#shared/intake.ts';
import { costOf, microsPerCredit, minutesOf } from '#shared/money.ts';
import { Problem } from '#shared/problems.ts';
import type { Signed } from '../context.ts';
import { scopeOf } from '../people/sessions.ts';
import { planPricesOf } from './minute-price.ts';
import { creditsAndDebts, payingTeamsOf, type PayingTeam } from './paying-teams.ts';
import { contentsOf, type Contents } from './purse.ts';

/** The person who asks for work, in the scope that they are in; without one it is the personal one. */
export interface Asker {
  id: string;
  scopeId?: string | null;
}

export const askerOf = async (ctx: Signed): Promise<Asker> => ({ id: ctx.person.id, scopeId: await scopeOf(ctx) });

/** Transcription to be paid for. */
export interface Transcription {
  meetingId: string;
  model: string;
  /** Null if the duration is unknown. */
  seconds: number | null;
}

/** Work that a recording is paid for once: sharing it at a price, or minutes that were free. */
export type OnceOrder = { meetingId: string } & (
  | { purpose: 'share'; price: bigint }
  | { purpose: 'upgrade'; seconds: bigint; minutePrice: bigint }
);

/** A question or a search for outcomes at its price; several people may ask at once. */
interface QuestionOrder {
  meetingId: string;
  purpose: 'question' | 'detect';
  price: bigint;
  /** Person who asks. */
  subject: string;
}

export type Order = Transcription | OnceOrder | QuestionOrder;

/** An order with its price: begun seconds count whole. */
interface Priced {
  purpose: 'transcription' | 'human' | 'upgrade' | 'share' | 'question' | 'detect';
  seconds: bigint;
  minutePrice: bigint;
  /** Price of work that has no length. */
  fixed: bigint;
}

/** Micro-dollars a minute. A transcript that a person adds is free. */
export const plainPrices: Prices = { [externalModel]: 0 };

/** Micro-dollars a minute, by model. */
export type Prices = Readonly<Record<string, number>>;

/** Length in whole seconds. */
export const wholeSeconds = (seconds: number): bigint => BigInt(Math.ceil(Math.max(0, seconds)));

export function pricedOf(prices: Prices, order: Omit<Transcription, 'meetingId'> | OnceOrder | QuestionOrder): Priced {
  if ('purpose' in order)
    return order.purpose === 'upgrade'
      ? { purpose: 'upgrade', seconds: order.seconds, minutePrice: order.minutePrice, fixed: 0n }
      : { purpose: order.purpose, seconds: 0n, minutePrice: 0n, fixed: order.price };
  const { model, seconds } = order;
  // A recording without a transcript is free.
  const price = model === noModel ? 0 : prices[model];
  if (price === undefined) throw new Problem('INVALID', { errors: [{ field: 'model', code: 'model' }] });
  if (price > 0 && seconds === null)
    throw new Problem('INVALID', {
      message: `${intakeFailures.unsupported}: nothing tells how long it is, and by that it is paid for`,
      errors: [{ field: 'file', code: 'file_type' }],
    });
  return {
    purpose: model === humanModel ? 'human' : 'transcription',
    seconds: price === 0 ? 0n : wholeSeconds(seconds ?? 0),
    minutePrice: BigInt(price),
    fixed: 0n,
  };
}

/** Lots and credits that an order takes. */
interface Parts {
  lots: { id: string; paid: boolean; seconds: bigint }[];
  credits: bigint;
}

/**
 * Takes lots in their order, and credits for the rest. Nobody's work is sold for minutes, and what makes a recording a paid
 * one is not paid by free ones.
 */
function partsOf({ purpose, seconds, minutePrice, fixed }: Priced, { lots }: Pick<Contents, 'lots'>): Parts {
  let rest = seconds;
  const taken: Parts['lots'] = [];
  const usable = purpose === 'human' ? [] : purpose === 'upgrade' ? lots.filter(({ paid }) => paid) : lots;
  for (const { id, paid, seconds: there } of usable) {
    const part = there < rest ? there : rest;
    if (part === 0n) break;
    taken.push({ id, paid, seconds: part });
    rest -= part;
  }
  return { lots: taken, credits: fixed + costOf(rest, minutePrice) };
}

export const microsOf = (dollars: number): number => Math.round(dollars * 1e6);

const dollars = (micros: bigint): number => Number(micros) / Number(microsPerCredit);

/** An order at the price of its payer's plan; no plan lowers what people's work costs. */
function pricedFor(priced: Priced, planPrice: bigint | undefined): Priced {
  if (
    priced.purpose === 'human' ||
    priced.purpose === 'share' ||
    planPrice === undefined ||
    planPrice >= priced.minutePrice
  )
    return priced;
  return { ...priced, minutePrice: planPrice };
}

/** A way to pay with what the desk needs to take it. */
interface Way {
  option: CostOption;
  priced: Priced;
  parts: Parts;
}

/**
 * Credits to be bought before this price can be paid. A debtor spends nothing until what is owed is paid, which credits
 * that come in do first.
 */
function missingFor(price: bigint, { credits, debt }: { credits: bigint; debt: bigint }): bigint {
  const missing = price + debt - credits;
  return missing > debt ? missing : debt;
}

/** The person's own way to pay; an amount that is owed is to be paid first. */
function personalWay(priced: Priced, contents: Contents): Way {
  const parts = partsOf(priced, contents);
  const { lots, credits } = parts;
  const missing = isPaid(priced) ? missingFor(credits, contents) : 0n;
  const minutes = (paid: boolean) =>
    minutesOf(lots.reduce((sum, lot) => (lot.paid === paid ? sum + lot.seconds : sum), 0n));
  const option: CostOption = {
    cost: dollars(credits),
    isDelegated: false,
    isEnough: missing <= 0n,
    isEnoughQuota: true,
    freeMinutes: minutes(false),
    professionalMinutes: minutes(true),
    subscriptionMinutes: 0,
    balance: dollars(contents.credits),
    recommendedBalanceTopUp: missing > 0n ? dollars(missing) : 0,
    organizationName: null,
    payer: null,
    groupId: null,
    quotaLeft: null,
  };
  return { option, priced, parts };
}

/** The way of a team: credits of its payer alone, within what it pays for the person. */
function teamWay(
  priced: Priced,
  { groupId, name, payerId, payerName, isAdmin, quota, used }: PayingTeam,
  { userId, funds }: { userId: string; funds: { credits: bigint; debt: bigint } },
): Way {
  const parts = partsOf(priced, { lots: [] });
  const missing = missingFor(parts.credits, funds);
  const option: CostOption = {
    cost: dollars(parts.credits),
    isDelegated: true,
    isEnough: missing <= 0n,
    isEnoughQuota: quota === null || used + parts.credits <= quota,
    freeMinutes: 0,
    professionalMinutes: 0,
    subscriptionMinutes: 0,
    // Members learn whether it is enough, and not how much there is.
    balance: isAdmin ? dollars(funds.credits) : 0,
    recommendedBalanceTopUp: payerId === userId && missing > 0n ? dollars(missing) : 0,
    organizationName: name,
    payer: payerName,
    groupId,
    quotaLeft: quota === null ? null : dollars(quota > used ? quota - used : 0n),
  };
  return { option, priced, parts };
}

export const isPaid = ({ seconds, minutePrice, fixed }: Priced): boolean =>
  fixed > 0n || (seconds > 0n && minutePrice > 0n);

/** All ways in which a person can pay. What is free needs no team. */
export async function waysOf(orm: Orm, userId: string, priced: Priced, now: Date): Promise<Way[]> {
  const teams = isPaid(priced) ? await payingTeamsOf(orm, userId) : [];
  const payers = [...new Set(teams.map(({ payerId }) => payerId))];
  const prices = await planPricesOf(orm, isPaid(priced) ? [userId, ...payers] : [], now);
  const funds = await creditsAndDebts(orm, payers);
  const personal = personalWay(pricedFor(priced, prices.get(userId)), await contentsOf(orm, userId, now));
  const delegated = teams.map((team) =>
    teamWay(pricedFor(priced, prices.get(team.payerId)), team, {
      userId,
      funds: funds.get(team.payerId) ?? { credits: 0n, debt: 0n },
    }),
  );
  return [personal, ...delegated];
}

/**
 * Options for a person, the default first. In a team's scope that is the team's way, and their own where the team's
 * cannot be used; elsewhere there are all.
 */
export function offered(ways: readonly Way[], scopeId: string | null | undefined): CostOption[] {
  const options = ways.map(({ option }) => option);
  const inScope = options.find(({ groupId }) => groupId !== null && groupId === scopeId);
  if (!inScope) return options;
  const isUsable = inScope.isEnough && inScope.isEnoughQuota;
  return options.filter((one) => one === inScope || (one.groupId === null && !isUsable)).toSorted(delegatedFirst);
}

const delegatedFirst = (a: CostOption, b: CostOption): number => Number(b.isDelegated) - Number(a.isDelegated);

/**
 * The option that a person chose, by its price, and by who pays where two cost the same. Refuses where the price differs or
 * the team does not pay any more.
 */
export function chosenOption(costs: readonly CostOption[], seen: SeenCost): CostOption {
  const option = costs.find(
    ({ cost, groupId }) =>
      microsOf(cost) === microsOf(seen.cost) && (seen.groupId === undefined || seen.groupId === groupId),
  );
  const isOffered = seen.groupId == null || costs.some(({ groupId }) => groupId === seen.groupId);
  if (!option) throw new Problem(isOffered ? 'PRICE' : 'FUNDS', { info: { costs } });
  return option;
}

/** The same; refuses also where there is too little. */
export function usableOption(costs: readonly CostOption[], seen: SeenCost): CostOption {
  const option = chosenOption(costs, seen);
  if (!option.isEnoughQuota) throw new Problem('QUOTA', { info: { costs } });
  if (!option.isEnough) throw new Problem('FUNDS', { info: { costs } });
  return option;
}
