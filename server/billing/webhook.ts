import { Hono } from 'hono';
import { paymentEvents } from '#db/schema/payments.ts';
import { Problem } from '#shared/problems.ts';
import type { House } from '../context.ts';
import { rawBody } from '../http/body.ts';
import type { Env } from '../http/env.ts';
import { NotFromService, type PaymentEvent } from '../outside/payments.ts';
import { paymentsOf } from './payment-house.ts';
import {
  settleCheckout,
  settleDispute,
  settleInvoice,
  settleRefund,
  settleSubscription,
  type Settled,
} from './settle.ts';

/** Most bytes of an event. */
const eventBytes = 256 * 1024;

const settlers: readonly [begins: string, settle: (house: House, id: string) => Promise<Settled>][] = [
  ['checkout.session.', settleCheckout],
  ['invoice.paid', settleInvoice],
  ['invoice.payment_failed', settleInvoice],
  ['customer.subscription.', settleSubscription],
  ['refund.', settleRefund],
  ['charge.dispute.', settleDispute],
];

/** An event is only a hint at which object to look: what it says may be old, and it may come again. */
export async function settleEvent(house: House, { id, type, object }: PaymentEvent): Promise<void> {
  const settle = settlers.find(([begins]) => type.startsWith(begins))?.[1];
  if (!settle || (await settle(house, object)) === 'foreign') return;
  await house.db.orm.insert(paymentEvents).values({ id, type, at: house.clock.now() }).onConflictDoNothing();
}

/** Outside of the guard and of sign-in: the signature says who calls. */
export const webhookRoutes = new Hono<Env>().post('/api/stripe/webhook', async (c) => {
  const { ctx } = c.var;
  const payments = paymentsOf(ctx);
  const sent = await rawBody(c, eventBytes);
  const signature = c.req.header('stripe-signature') ?? '';
  const event = await payments.read(sent, signature, ctx.clock.now()).catch((error: unknown) => {
    throw error instanceof NotFromService ? new Problem('BAD_REQUEST', { cause: error }) : error;
  });
  try {
    await settleEvent(ctx, event);
  } catch (error) {
    // The service sends it again for three days.
    ctx.log.warn(
      { err: error, event: event.id, type: event.type },
      'an event of the payment service could not be used yet',
    );
    throw new Problem('INTERNAL', { cause: error });
  }
  return c.json({ received: true });
});
