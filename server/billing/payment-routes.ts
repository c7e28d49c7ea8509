import { Hono } from 'hono';
import {
  billingInfo,
  checkoutView,
  planCancelInput,
  planCheckoutView,
  planInput,
  planPurchaseInput,
  promoInput,
  promoView,
  publishableKeyView,
  purchaseInput,
  purchaseView,
  shopView,
  taxCodesView,
} from '#shared/payments.ts';
import { taxIdTypes } from '#shared/tax-ids.ts';
import { body, noParameters } from '../http/body.ts';
import type { Env } from '../http/env.ts';
import { once } from '../http/once.ts';
import { describe } from '../http/openapi.ts';
import { paymentsOf } from './payment-house.ts';
import { buyFromCredits, cancelPlan, purchasePlan } from './plans.ts';
import { changeProfile } from './profile.ts';
import { promoBonus } from './promo.ts';
import { purchaseCredits, readPurchase } from './purchase.ts';
import { receiptPage, receiptPolicy } from './receipt.ts';
import { readShop } from './shop.ts';

const tag = 'Billing';

export const paymentRoutes = new Hono<Env>()
  .get(
    '/stripe/publishable-key',
    describe({
      summary: 'Get the publishable key of the payment service',
      tag,
      answer: publishableKeyView,
      problems: ['INVALID', 'PAYMENTS_OFF'],
    }),
    noParameters,
    (c) => c.json({ publishableKey: paymentsOf(c.var.ctx).publishableKey }),
  )
  .get(
    '/shop',
    describe({
      summary: 'Get what the caller can buy: plans and bundles with what they have, and how payments work here',
      tag,
      answer: shopView,
      problems: ['INVALID'],
    }),
    noParameters,
    async (c) => c.json(await readShop(c.var.ctx)),
  )
  .get(
    '/principals/billing/taxcodes',
    describe({ summary: 'List the types of tax ids for invoices', tag, answer: taxCodesView, problems: ['INVALID'] }),
    noParameters,
    (c) => c.json({ taxcodes: taxIdTypes(c.var.ctx.language) }),
  )
  .put(
    '/billing/profile',
    describe({ summary: 'Change what is written on the caller’s invoices', tag, answer: billingInfo }),
    body(billingInfo),
    async (c) => c.json(await changeProfile(c.var.ctx, c.req.valid('json'))),
  )
  .post(
    '/credits/purchase',
    describe({
      summary: 'Begin a purchase of credits; the person pays at the address that is answered',
      more: '1 credit is 1 USD, before tax. The return addresses are pages of this application. The same request id answers the same payment page.',
      tag,
      answer: checkoutView,
      problems: ['CONFLICT', 'IDEMP', 'RATE', 'UPSTREAM', 'PAYMENTS_OFF'],
    }),
    body(purchaseInput),
    once,
    async (c) => c.json(await purchaseCredits(c.var.ctx, c.req.valid('json'))),
  )
  .get(
    '/credits/purchases/:id',
    describe({
      summary: 'Get what became of a purchase',
      more: '`unclaimed`: the payment arrived, but could not be booked; the operator looks into it.',
      tag,
      answer: purchaseView,
      problems: ['NO_ACCESS', 'UPSTREAM'],
    }),
    async (c) => c.json(await readPurchase(c.var.ctx, { id: c.req.param('id') })),
  )
  .post(
    '/credits/promo',
    describe({
      summary: 'Get the credits that a promo code adds to a purchase',
      tag,
      answer: promoView,
      problems: ['RATE'],
    }),
    body(promoInput),
    async (c) => c.json(await promoBonus(c.var.ctx, c.req.valid('json'))),
  )
  .post(
    '/plans/purchase',
    describe({
      summary: 'Begin a plan that is paid by card and renews; takes back that one was cancelled',
      tag,
      answer: planCheckoutView,
      problems: ['CONFLICT', 'IDEMP', 'RATE', 'UPSTREAM', 'PAYMENTS_OFF'],
    }),
    body(planPurchaseInput),
    once,
    async (c) => c.json(await purchasePlan(c.var.ctx, c.req.valid('json'))),
  )
  .post(
    '/plans/cancel',
    describe({
      summary: 'End a plan with its period',
      tag,
      problems: ['CONFLICT', 'IDEMP', 'RATE', 'UPSTREAM', 'PAYMENTS_OFF'],
    }),
    body(planCancelInput),
    once,
    async (c) => {
      await cancelPlan(c.var.ctx, c.req.valid('json'));
      return c.body(null, 204);
    },
  )
  .post(
    '/plan',
    describe({
      summary: 'Buy a bundle, or one period of a plan with minutes, from credits',
      more: '`balance` is the price that the person saw; 409 PRICE answers another one in `info.price`.',
      tag,
      answer: shopView.pick({ plans: true }),
      problems: ['FUNDS', 'PRICE', 'CONFLICT', 'IDEMP', 'RATE', 'UPSTREAM'],
    }),
    body(planInput),
    once,
    async (c) => c.json(await buyFromCredits(c.var.ctx, c.req.valid('json'))),
  )
  .get(
    '/transactions/receipt/:id',
    describe({ summary: 'Get the receipt of a payment, as a page to print', tag, page: true, problems: ['NO_ACCESS'] }),
    async (c) => {
      const page = await receiptPage(c.var.ctx, { id: c.req.param('id') });
      c.header('Content-Security-Policy', receiptPolicy);
      return c.html(page);
    },
  );
