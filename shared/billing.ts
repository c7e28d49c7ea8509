import { z } from 'zod';
import { planView } from './catalogue.ts';

/** Free minutes of every new account. */
export const trialMinutes = 90;

/** Default prices in USD; a person's own balance info overrides them. */
export const defaultPrices = {
  individual: { oneMinuteCost: 0.15 },
  professional: { cost: 75, includedMinutes: 1000 },
} as const;

/** Minutes of one source that lapse together. */
const lotView = z.object({
  minutes: z.number(),
  paid: z.boolean(),
  /** Origin, such as `trial`. */
  source: z.string(),
  /** Until when they can be used; null: without an end. */
  until: z.number().nullable(),
});

/** Text of the person's invoices, with the field names of the payment service. */
export const billingInfoView = z.object({
  name: z.string(),
  address: z.object({
    ...{ line1: z.string(), line2: z.string(), city: z.string(), state: z.string() },
    ...{ postal_code: z.string(), country: z.string() },
  }),
  tax_id_data: z.array(z.object({ type: z.string(), value: z.string() })),
});

/** Balance of a person on the wire; credits are decimal strings so that no cent is rounded away. */
export const balanceView = z.object({
  balance: z.string(),
  totalMinutes: z.number(),
  freeMinutes: z.number(),
  professionalMinutes: z.number(),
  /** End of the paid minutes that lapse first. */
  professionalEndDate: z.number().nullable(),
  /** Name of the plan that the person has; null: they pay by the minute. */
  plan: z.string().nullable(),
  /** Plans and bundles that the person has. */
  plans: z.array(planView),
  billingInfo: billingInfoView.nullable(),
  recentCreditsPurchase: z.object({ balance: z.string(), date: z.number() }).nullable(),
  /** Reserved for work that is under way. */
  reserved: z.object({ balance: z.string(), freeMinutes: z.number(), professionalMinutes: z.number() }),
  /** Debt, which is paid first by the next purchase. */
  debt: z.string(),
  /** In the order in which they are used. */
  lots: z.array(lotView),
  /** Whole minutes that the credits pay for. */
  minutesForBalance: z.number(),
  cost: z.object({
    plans: z.object({
      individual: z.object({ oneMinuteCost: z.number() }),
      professional: z.object({ cost: z.number(), includedMinutes: z.number() }),
    }),
  }),
});
export type BalanceView = z.infer<typeof balanceView>;

/** Transactions of one page. */
export const transactionsPage = 100;
const mostTransactions = 1000;

const wholeNumber = (most: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'invalid')
    .transform(Number)
    .pipe(z.number().max(most, 'invalid'));

export const transactionsQuery = z.strictObject({
  skip: wholeNumber(999_999_999).default(0),
  count: wholeNumber(mostTransactions).default(transactionsPage),
});
export type TransactionsQuery = z.infer<typeof transactionsQuery>;

/** Kinds of transactions that have a text in every language. */
export const transactionKinds = [
  ...(['transcription', 'human', 'upgrade', 'share', 'question', 'detect'] as const),
  ...([
    'trial',
    'referral',
    'opening',
    'lapse',
    'grant',
    'gift',
    'giftReturned',
    'purchase',
    'bonus',
    'refund',
    'dispute',
    'void',
  ] as const),
  ...(['plan', 'bundle', 'period'] as const),
] as const;
export type TransactionKind = (typeof transactionKinds)[number];

const transactionView = z.object({
  /** Number of the transaction, from 1 on. */
  nth: z.number().int(),
  date: z.number(),
  kind: z.string(),
  /** USD, with a sign. */
  balance: z.string(),
  freeMinutes: z.number(),
  professionalMinutes: z.number(),
  /** Null without a recording, or where the caller may not open it. */
  meetingId: z.string().nullable(),
  meetingName: z.string().nullable(),
  /** The caller's folder that was shared; null without one, and for a folder of another person. */
  folder: z.object({ id: z.string(), name: z.string() }).nullable(),
  /** Uploader of the recording; of a team's payment, the member. */
  uploader: z.string().nullable(),
  /** The team that it was paid for; null: none, or deleted. */
  groupId: z.string().nullable(),
  organizationName: z.string().nullable(),
  details: z.string(),
  /** Reason, or the other side of a transfer, in words of people. */
  note: z.string().nullable(),
  /** Id of the receipt, if it is a purchase. */
  paymentId: z.string().nullable(),
});
export type TransactionView = z.infer<typeof transactionView>;

export const transactionsView = z.object({ transactions: z.array(transactionView), total: z.number().int() });
export type TransactionsView = z.infer<typeof transactionsView>;
