import { z } from 'zod';
import { planView } from './catalogue.ts';
import { creditsInput } from './money.ts';
import { isTaxIdType, looksLikeTaxId, taxIdTypeView } from './tax-ids.ts';

const line = (most: number) => z.string().trim().max(most, 'too_long');

/** Text of invoices, with the field names of the payment service. */
export const billingInfo = z.object({
  name: line(150).min(1, 'required'),
  address: z.object({
    line1: line(200).default(''),
    line2: line(200).default(''),
    city: line(100).default(''),
    state: line(100).default(''),
    postal_code: line(20).default(''),
    country: z
      .string()
      .trim()
      .toUpperCase()
      .regex(/^([A-Z]{2})?$/, 'country')
      .default(''),
  }),
  tax_id_data: z
    .array(
      z
        .object({
          type: z.string().refine(isTaxIdType, 'tax_id_type'),
          value: line(60).min(1, 'required'),
        })
        .refine(({ type, value }) => !isTaxIdType(type) || looksLikeTaxId(type, value), {
          error: 'tax_id',
          path: ['value'],
        }),
    )
    .max(5, 'too_many')
    .default([]),
});
export type BillingInfo = z.infer<typeof billingInfo>;

/** Least and most credits of one purchase. */
const purchaseBounds = { least: '1', most: '10000' } as const;

const address = z.string().max(2000, 'too_long');

export const purchaseInput = z.object({
  balance: creditsInput(purchaseBounds),
  successUrl: address.default('/balance'),
  cancelUrl: address.default('/buy-credits'),
  billingInfo: billingInfo.nullish(),
  promoCode: z.string().trim().max(60, 'promo').nullish(),
});
export type PurchaseInput = z.output<typeof purchaseInput>;

export const planPurchaseInput = z.object({
  planName: z.string().max(60),
  successUrl: address.default('/balance'),
  cancelUrl: address.default('/change-plan'),
});
export type PlanPurchaseInput = z.output<typeof planPurchaseInput>;

export const planCancelInput = z.object({ planName: z.string().max(60) });

/** `balance` is the price that the person saw. */
export const planInput = z.object({ plan: z.string().max(60), balance: creditsInput() });
export type PlanInput = z.output<typeof planInput>;

export const checkoutView = z.object({ stripeCheckoutSessionId: z.string(), url: z.string(), id: z.string() });

/** `undone`: no payment page, because a cancelled plan continues. */
export const planCheckoutView = z.union([checkoutView, z.object({ undone: z.literal(true) })]);

export const purchaseView = z.object({
  id: z.string(),
  /**
   * `waiting`: not known yet; `pending`: promised, not received; `failed`: nothing was paid; `unclaimed`: paid, but it fits
   * no purchase, and the operator has to look into it.
   */
  state: z.enum(['waiting', 'pending', 'paid', 'failed', 'unclaimed']),
  plan: z.string().nullable(),
  balance: z.string(),
  bonus: z.string(),
  date: z.number(),
});
export type PurchaseView = z.infer<typeof purchaseView>;

export const taxCodesView = z.object({ taxcodes: z.array(taxIdTypeView) });

export const publishableKeyView = z.object({ publishableKey: z.string() });

const paymentModes = ['live', 'test', 'practice', 'off'] as const;

/** Data of the pages on which people pay. */
export const shopView = z.object({
  mode: z.enum(paymentModes),
  /** Whether tax is added on the payment page. */
  tax: z.boolean(),
  testPurchase: z.boolean(),
  plans: z.array(planView),
  billingInfo: billingInfo.nullable(),
  recentCreditsPurchase: z.object({ balance: z.string(), date: z.number() }).nullable(),
});
export type ShopView = z.infer<typeof shopView>;

export const promoInput = z.strictObject({ code: z.string().max(60), balance: creditsInput(purchaseBounds) });
export const promoView = z.object({ bonus: z.string() });
