import { z } from 'zod';
import { creditsText } from './money.ts';

/** Part of plans and bundles. Prices are micro-dollars, lengths seconds. */
interface Sold {
  title: string;
  price: bigint;
  period: 'month' | 'year';
}

interface Plan extends Sold {
  type: 'plan';
  /** Minutes of each period; or, for plans of teams, the price as credits. */
  seconds: bigint | null;
  /** Price of a minute for all that the holder pays; null: the usual one. */
  minutePrice: bigint | null;
}

interface Bundle extends Sold {
  type: 'bundle';
  seconds: bigint;
}

const credits = (whole: number): bigint => BigInt(whole) * 1_000_000n;
const minutes = (count: number): bigint => BigInt(count) * 60n;

export const plans = {
  professional: {
    type: 'plan',
    title: 'Professional',
    price: credits(75),
    period: 'month',
    seconds: minutes(1000),
    minutePrice: null,
  },
  'team300-2024': {
    type: 'plan',
    title: 'Team 300',
    price: credits(300),
    period: 'year',
    seconds: null,
    minutePrice: 120_000n,
  },
  'academy-2024': {
    type: 'plan',
    title: 'Academy',
    price: credits(1000),
    period: 'year',
    seconds: null,
    minutePrice: 100_000n,
  },
} as const satisfies Record<string, Plan>;

const bundles = {
  bundle300: { type: 'bundle', title: '300 minutes', price: credits(36), period: 'year', seconds: minutes(300) },
  bundle1000: { type: 'bundle', title: '1,000 minutes', price: credits(100), period: 'year', seconds: minutes(1000) },
} as const satisfies Record<string, Bundle>;

export type PlanName = keyof typeof plans;
type BundleName = keyof typeof bundles;

export const planNames = Object.keys(plans) as PlanName[];
export const bundleNames = Object.keys(bundles) as BundleName[];

export const isPlan = (name: string): name is PlanName => Object.hasOwn(plans, name);
const isBundle = (name: string): name is BundleName => Object.hasOwn(bundles, name);

/** Plan or bundle of a name; null for a name under which nothing is sold. */
export function soldAs(name: string): Plan | Bundle | null {
  if (isPlan(name)) return plans[name];
  return isBundle(name) ? bundles[name] : null;
}

/** A plan or bundle with what it is to one person. */
export const planView = z.object({
  type: z.enum(['plan', 'bundle']),
  name: z.string(),
  title: z.string(),
  /** Minutes of each period, or null for a plan that becomes credits. */
  minutes: z.number().nullable(),
  /** Credits a minute that its holder pays, where that is less than usual. */
  minutePrice: z.string().nullable(),
  price: z.string(),
  period: z.enum(['month', 'year']),
  /** Alone for pay-as-you-go, which is no plan to choose. */
  isIndividual: z.boolean(),
  active: z.boolean(),
  cancellable: z.boolean(),
  cancelled: z.boolean(),
  /** Time of renewal or end, in milliseconds. */
  endDate: z.number().nullable(),
  pastDue: z.boolean(),
  /** Page on which a bill can be paid that the card did not pay. */
  billUrl: z.string().nullable(),
});
export type PlanView = z.infer<typeof planView>;

/** Plan or bundle on the wire, before it is known what a person has. */
export function viewOf(name: PlanName | BundleName): PlanView {
  const sold: Plan | Bundle = isPlan(name) ? plans[name] : bundles[name];
  return {
    type: sold.type,
    name,
    title: sold.title,
    minutes: sold.seconds === null ? null : Number(sold.seconds / 60n),
    minutePrice: sold.type === 'plan' && sold.minutePrice !== null ? creditsText(sold.minutePrice) : null,
    price: creditsText(sold.price),
    period: sold.period,
    isIndividual: false,
    active: false,
    cancellable: false,
    cancelled: false,
    endDate: null,
    pastDue: false,
    billUrl: null,
  };
}
