import type { Orm } from '#db/open.ts';
import { externalModel, humanModel, intakeFailures, noModel, type CostOption } from '#shared/intake.ts';
import { costOf, microsPerCredit, minutesOf } from '#shared/money.ts';
import { Problem } from '#shared/problems.ts';
import { contentsOf, type Contents } from './purse.ts';

/** Transcription to be paid for. */
export interface Order {
  meetingId: string;
  model: string;
  /** Null if the duration is unknown. */
  seconds: number | null;
}

/** An order with its price: begun seconds count whole. */
interface Priced {
  purpose: 'transcription' | 'human';
  seconds: bigint;
  minutePrice: bigint;
}

/** Micro-dollars a minute. A transcript that a person adds is free. */
export const plainPrices: Prices = { [externalModel]: 0 };

/** Micro-dollars a minute, by model. */
export type Prices = Readonly<Record<string, number>>;

/** Length in whole seconds. */
export const wholeSeconds = (seconds: number): bigint => BigInt(Math.ceil(Math.max(0, seconds)));

export function pricedOf(prices: Prices, { model, seconds }: Pick<Order, 'model' | 'seconds'>): Priced {
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
  };
}

/** Lots and credits that an order takes. */
interface Parts {
  lots: { id: string; paid: boolean; seconds: bigint }[];
  credits: bigint;
}

/** Takes lots in their order, and credits for the rest; nobody's work is sold for minutes. */
export function partsOf({ purpose, seconds, minutePrice }: Priced, { lots }: Pick<Contents, 'lots'>): Parts {
  let rest = seconds;
  const taken: Parts['lots'] = [];
  for (const { id, paid, seconds: there } of purpose === 'human' ? [] : lots) {
    const part = there < rest ? there : rest;
    if (part === 0n) break;
    taken.push({ id, paid, seconds: part });
    rest -= part;
  }
  return { lots: taken, credits: costOf(rest, minutePrice) };
}

export const microsOf = (dollars: number): number => Math.round(dollars * 1e6);

const dollars = (micros: bigint): number => Number(micros) / Number(microsPerCredit);

/** The person's own way to pay; an amount that is owed is to be paid first. */
function personalOption(priced: Priced, contents: Contents): CostOption {
  const { lots, credits } = partsOf(priced, contents);
  const costs = priced.seconds > 0n && priced.minutePrice > 0n;
  const missing = costs ? credits + contents.debt - contents.credits : 0n;
  const minutes = (paid: boolean) =>
    minutesOf(lots.reduce((sum, lot) => (lot.paid === paid ? sum + lot.seconds : sum), 0n));
  return {
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
  };
}

/** All ways in which a person can pay; the first one is offered first. */
export async function optionsOf(orm: Orm, userId: string, priced: Priced, now: Date): Promise<CostOption[]> {
  return [personalOption(priced, await contentsOf(orm, userId, now))];
}
