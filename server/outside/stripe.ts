import type { Stripe } from 'stripe';
import { Problem } from '#shared/problems.ts';
import {
  NotFromService,
  ServiceAway,
  TaxIdRefused,
  type Checkout,
  type CheckoutOrder,
  type Dispute,
  type Invoice,
  type Movement,
  type PaymentMode,
  type Payments,
  type Subscription,
} from './payments.ts';

export interface StripeAccess {
  mode: PaymentMode;
  secretKey: string;
  publishableKey: string;
  webhookSecrets: readonly string[];
  /** Address of the payment service; null for Stripe itself. */
  apiUrl: string | null;
  tax: boolean;
}

/** Oldest signature of an event that is accepted, in seconds. */
const oldestSignature = 300;
const timeout = 20_000;
const mostListed = 1000;

/** Payments by Stripe, through its own package, which is loaded with the first call because it is large. */
export function stripePayments(access: StripeAccess): Payments {
  let loaded: Promise<Stripe> | undefined;
  const stripe = () => (loaded ??= openStripe(access));

  /** Turns an error of the package into a problem; its text may contain anything, so it stays out of the answer. */
  async function ask<T>(work: (stripe: Stripe) => Promise<T>): Promise<T> {
    try {
      return await work(await stripe());
    } catch (error) {
      throw lost(error);
    }
  }

  async function find<T>(work: (stripe: Stripe) => Promise<T>): Promise<T | null> {
    try {
      return await work(await stripe());
    } catch (error) {
      if (codeOf(error) === 'resource_missing') return null;
      throw lost(error);
    }
  }

  return {
    mode: access.mode,
    publishableKey: access.publishableKey,
    begin: (order, key) =>
      ask(async ({ checkout }) =>
        checkoutOf(await checkout.sessions.create(sessionOf(order, access.tax), { idempotencyKey: key })),
      ),
    checkout: (id) =>
      find(async ({ checkout }) => checkoutOf(await checkout.sessions.retrieve(id, { expand: ['payment_intent'] }))),
    checkoutsSince: (at) =>
      ask(async ({ checkout }) => {
        const created = { gte: Math.floor(at.getTime() / 1000) };
        const found = await checkout.sessions
          .list({ created, limit: 100, expand: ['data.payment_intent'] })
          .autoPagingToArray({ limit: mostListed });
        return found.map(checkoutOf);
      }),
    expire: (id) => ask(async ({ checkout }) => checkoutOf(await checkout.sessions.expire(id))),
    customer: (email, { name, address, tax_id_data }, houseId, key) =>
      ask(async ({ customers }) => {
        const { id } = await customers.create(
          { email, name, address, tax_id_data, metadata: { house: houseId } },
          { idempotencyKey: key },
        );
        return id;
      }),
    payment: (id) =>
      find(async ({ paymentIntents }) => {
        const found = await paymentIntents.retrieve(id, { expand: ['latest_charge'] });
        const charge = typeof found.latest_charge === 'object' ? found.latest_charge : null;
        return {
          id: found.id,
          succeeded: found.status === 'succeeded',
          ...oursOf(found.metadata),
          currency: found.currency,
          cents: found.amount_received,
          receiptUrl: charge?.receipt_url ?? null,
        };
      }),
    invoice: (id) =>
      find(async ({ invoices }) =>
        invoiceOf(await invoices.retrieve(id, { expand: ['payments.data.payment.payment_intent'] })),
      ),
    subscription: (id) => find(async ({ subscriptions }) => subscriptionOf(await subscriptions.retrieve(id))),
    endWithPeriod: (id, ends) =>
      ask(async ({ subscriptions }) => subscriptionOf(await subscriptions.update(id, { cancel_at_period_end: ends }))),
    end: (id) => ask(async ({ subscriptions }) => subscriptionOf(await subscriptions.cancel(id))),
    refund: (id) =>
      find(async ({ refunds }) => {
        const found = await refunds.retrieve(id);
        return {
          id: found.id,
          payment: idOf(found.payment_intent),
          cents: found.amount,
          currency: found.currency,
          counts: found.status !== 'failed' && found.status !== 'canceled',
        };
      }),
    dispute: (id) => find(async ({ disputes }) => disputeOf(await disputes.retrieve(id))),
    undelivered: (since) =>
      ask(async ({ events }) => {
        const created = { gte: Math.floor(since.getTime() / 1000) };
        const found = await events
          .list({ created, delivery_success: false, limit: 100 })
          .autoPagingToArray({ limit: mostListed });
        return found.map(eventOf).toReversed();
      }),
    movements: (since) =>
      ask(async ({ balanceTransactions }) => {
        const created = { gte: Math.floor(since.getTime() / 1000) };
        const found = await balanceTransactions
          .list({ created, limit: 100, expand: ['data.source'] })
          .autoPagingToArray({ limit: mostListed });
        return found.map(movementOf);
      }),
    async read(sent, signature, now) {
      const { webhooks } = await stripe();
      for (const secret of access.webhookSecrets) {
        let event: Stripe.Event;
        try {
          const payload = Buffer.from(sent);
          event = webhooks.constructEvent(payload, signature, secret, oldestSignature, undefined, now.getTime());
        } catch {
          continue;
        }
        if (event.livemode !== (access.mode === 'live')) throw new NotFromService('the event is of another mode');
        return eventOf(event);
      }
      throw new NotFromService('the event is not signed by any of our secrets');
    },
  };
}

async function openStripe({ secretKey, apiUrl }: StripeAccess): Promise<Stripe> {
  const { Stripe: Package } = await import('stripe');
  const at = apiUrl === null ? null : new URL(apiUrl);
  return new Package(secretKey, {
    // The version that the package's types describe: it is sent with each request, whatever the account's default is.
    telemetry: false,
    maxNetworkRetries: 2,
    timeout,
    ...(at && {
      host: at.hostname,
      port: at.port || (at.protocol === 'https:' ? 443 : 80),
      protocol: at.protocol === 'https:' ? ('https' as const) : ('http' as const),
    }),
  });
}

function sessionOf(order: CheckoutOrder, tax: boolean): Stripe.Checkout.SessionCreateParams {
  const metadata = { house: order.houseId, purchase: order.purchaseId };
  const { customer } = order;
  return {
    mode: order.every === null ? 'payment' : 'subscription',
    ui_mode: 'hosted_page',
    client_reference_id: order.purchaseId,
    metadata,
    ...(customer === null ? { customer_email: order.email } : { customer }),
    line_items: [
      {
        quantity: 1,
        price_data: {
          currency: 'usd',
          unit_amount: order.cents,
          product_data: { name: order.name },
          ...(tax && { tax_behavior: 'exclusive' as const }),
          ...(order.every && { recurring: { interval: order.every } }),
        },
      },
    ],
    ...(order.every === null
      ? {
          payment_intent_data: { metadata },
          invoice_creation: { enabled: true, invoice_data: { metadata } },
          ...(customer === null && { customer_creation: 'always' as const }),
        }
      : { subscription_data: { metadata } }),
    ...(tax && {
      automatic_tax: { enabled: true },
      ...(customer === null
        ? { tax_id_collection: { enabled: true } }
        : { customer_update: { address: 'auto' as const } }),
    }),
    // The amount that is charged must be the one that is booked, in one currency.
    adaptive_pricing: { enabled: false },
    locale: order.language,
    success_url: order.successUrl,
    cancel_url: order.cancelUrl,
    expires_at: Math.floor(order.expiresAt.getTime() / 1000),
  };
}

const idOf = (value: string | { id: string } | null | undefined): string | null =>
  typeof value === 'string' ? value : (value?.id ?? null);
const oursOf = (metadata: Stripe.Metadata | null | undefined) => ({
  houseId: metadata?.['house'] ?? null,
  purchaseId: metadata?.['purchase'] ?? null,
});
const dateOf = (seconds: number): Date => new Date(seconds * 1000);

const hasFailed = (intent: string | Stripe.PaymentIntent | null | undefined): boolean =>
  typeof intent === 'object' && (intent?.status === 'requires_payment_method' || intent?.status === 'canceled');

function checkoutOf(session: Stripe.Checkout.Session): Checkout {
  const taxCents = session.total_details?.amount_tax ?? 0;
  return {
    id: session.id,
    url: session.url,
    status: session.status === 'complete' ? 'complete' : session.status === 'expired' ? 'expired' : 'open',
    paid: session.payment_status === 'paid',
    // On a page that is complete, a payment that wants another card has failed: nobody can enter one any more.
    refused: session.status === 'complete' && session.payment_status === 'unpaid' && hasFailed(session.payment_intent),
    ...oursOf(session.metadata),
    purchaseId: session.client_reference_id,
    currency: session.currency,
    cents: (session.amount_total ?? 0) - taxCents,
    taxCents,
    payment: idOf(session.payment_intent),
    subscription: idOf(session.subscription),
    invoice: idOf(session.invoice),
  };
}

function subscriptionOf(found: Stripe.Subscription): Subscription {
  const ended = found.status === 'canceled' || found.status === 'incomplete_expired';
  return {
    id: found.id,
    status: ended ? 'ended' : found.status === 'active' || found.status === 'trialing' ? 'active' : 'past_due',
    endsAtPeriodEnd: found.cancel_at_period_end,
    // The period belongs to the item since the API version of 2025.
    periodEnd: dateOf(found.items.data[0]?.current_period_end ?? found.created),
    ...oursOf(found.metadata),
    invoice: idOf(found.latest_invoice),
  };
}

const isRefused = ({ status, payments }: Stripe.Invoice): boolean =>
  status === 'void' ||
  status === 'uncollectible' ||
  (status === 'open' && payments?.data.some(({ payment }) => hasFailed(payment.payment_intent)) === true);

function invoiceOf(found: Stripe.Invoice): Invoice {
  const taxCents = (found.total_taxes ?? []).reduce((sum, { amount }) => sum + amount, 0);
  const details = found.parent?.subscription_details;
  // The period of the invoice itself is the one before; that of its line is what it pays for.
  const period = found.lines.data[0]?.period ?? { start: found.period_start, end: found.period_end };
  return {
    id: found.id,
    paid: found.status === 'paid',
    refused: isRefused(found),
    currency: found.currency,
    cents: found.amount_paid - (found.status === 'paid' ? taxCents : 0),
    taxCents,
    subscription: idOf(details?.subscription),
    ...oursOf(details?.metadata ?? found.metadata),
    payment: idOf(found.payments?.data[0]?.payment.payment_intent),
    periodStart: dateOf(period.start),
    periodEnd: dateOf(period.end),
    url: found.hosted_invoice_url ?? null,
    pdfUrl: found.invoice_pdf ?? null,
  };
}

function disputeOf(found: Stripe.Dispute): Dispute {
  const asked = found.status.startsWith('warning_') || found.status === 'prevented';
  return {
    id: found.id,
    payment: idOf(found.payment_intent),
    cents: found.amount,
    currency: found.currency,
    state: asked ? 'inquiry' : found.status === 'won' ? 'won' : 'taken',
  };
}

const eventOf = (event: Stripe.Event) => ({
  id: event.id,
  type: event.type,
  object: (event.data.object as { id?: string }).id ?? '',
});

const kinds: Readonly<Record<string, Movement['kind']>> = {
  charge: 'payment',
  refund: 'refund',
  refund_failure: 'refund',
  dispute: 'dispute',
  dispute_reversal: 'dispute',
};

function movementOf(found: Stripe.BalanceTransaction): Movement {
  const source = typeof found.source === 'object' ? found.source : null;
  const payment = source && 'payment_intent' in source ? source.payment_intent : null;
  return {
    id: found.id,
    kind: kinds[found.reporting_category] ?? 'other',
    cents: found.amount,
    currency: found.currency,
    source: idOf(found.source),
    payment: idOf(payment),
  };
}

function fieldOf(error: unknown, name: 'code' | 'type' | 'statusCode'): string {
  const value = Object(error) === error ? (error as Record<string, unknown>)[name] : undefined;
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
const codeOf = (error: unknown): string => fieldOf(error, 'code');

const awayTypes = new Set(['StripeConnectionError', 'StripeAuthenticationError', 'StripeRateLimitError']);

/** Problem for the log: a status and a fixed word of the package, no text of the service. */
function lost(error: unknown): unknown {
  if (error instanceof Problem) return error;
  if (codeOf(error) === 'tax_id_invalid') return new TaxIdRefused();
  const type = fieldOf(error, 'type');
  if (!type.startsWith('Stripe')) return error;
  const said = `stripe: ${type} ${fieldOf(error, 'statusCode')} ${codeOf(error)}`.trim();
  const cause = awayTypes.has(type) ? new ServiceAway(said) : new Error(said);
  return new Problem('UPSTREAM', { message: 'The payment service did not answer as it should', cause });
}
