import type { Stripe } from 'stripe';
import { newId } from '#shared/ids.ts';
import { monthsLater } from '#shared/periods.ts';
import type { Clock } from '../../clock.ts';
import { mapAt, textAt, type FieldMap } from './form.ts';
import type { Journal } from './journal.ts';

// Payment account without any money: objects in the shapes of Stripe's package, with the fields that
// the server reads. People act on its card page; an operator's actions (refunds, disputes) have calls of their own.

/** Refusal in Stripe's words. */
export class Refused extends Error {
  override name = 'Refused';
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string) {
    super(code);
    this.status = status;
    this.code = code;
  }
}

/** Tax of an order that asks for automatic tax, in percent. */
const exampleTax = 20;
/** Seconds until a payment arrives that was promised for later. */
const laterSeconds = 60;
/** Seconds for which the bill of a next period is a draft, before the card is charged. */
const draftSeconds = 3600;

interface Intervals {
  readonly month: number;
  readonly year: number;
}
const monthsOf: Intervals = { month: 1, year: 12 };

type Interval = keyof Intervals;

interface Paid {
  cents: number;
  taxCents: number;
}

export class PracticeAccount {
  private readonly journal: Journal;
  private readonly clock: Clock;
  /** Origin of the card page. */
  private readonly origin: () => string;
  /** Called for each event, after everything it is about was stored. */
  private readonly tell: (event: Stripe.Event) => void;

  constructor(journal: Journal, clock: Clock, origin: () => string, tell: (event: Stripe.Event) => void) {
    this.journal = journal;
    this.clock = clock;
    this.origin = origin;
    this.tell = tell;
  }

  private now(): number {
    return Math.floor(this.clock.now().getTime() / 1000);
  }

  private store<T extends { id: string }>(object: T): T {
    this.journal.set(object.id, object);
    return object;
  }

  private find<T>(id: string, prefix: string): T {
    const found = id.startsWith(prefix) ? this.journal.get(id) : undefined;
    if (found === undefined) throw new Refused(404, 'resource_missing');
    return found as T;
  }

  private announce(type: string, object: object): void {
    const event = {
      id: `evt_${newId()}`,
      object: 'event',
      type,
      created: this.now(),
      livemode: false,
      pending_webhooks: 1,
      data: { object },
    } as unknown as Stripe.Event;
    this.tell(this.store(event));
  }

  /** An event reached its webhook. */
  delivered(event: Stripe.Event): void {
    this.store({ ...event, pending_webhooks: 0 });
  }

  session = (id: string) => this.find<Stripe.Checkout.Session>(id, 'cs_');
  intent = (id: string) => this.find<Stripe.PaymentIntent>(id, 'pi_');
  invoice = (id: string) => this.find<Stripe.Invoice>(id, 'in_');
  subscription = (id: string) => this.find<Stripe.Subscription>(id, 'sub_');
  refund = (id: string) => this.find<Stripe.Refund>(id, 're_');
  dispute = (id: string) => this.find<Stripe.Dispute>(id, 'du_');
  charge = (id: string) => this.find<Stripe.Charge>(id, 'ch_');

  sessions = () => this.journal.startingWith('cs_') as Stripe.Checkout.Session[];
  events = () => this.journal.startingWith('evt_') as Stripe.Event[];
  movements = () => this.journal.startingWith('txn_') as Stripe.BalanceTransaction[];
  private subscriptions = () => this.journal.startingWith('sub_') as Stripe.Subscription[];

  createCustomer(form: FieldMap): Stripe.Customer {
    const taxIds = Object.values(mapAt(form, 'tax_id_data'));
    // The one value that the practice service does not know, so that a refusal can be tried out.
    if (taxIds.some((one) => typeof one === 'object' && /^\w{2}0{9}$/.test(textAt(one, 'value') ?? '')))
      throw new Refused(400, 'tax_id_invalid');
    const customer = {
      id: `cus_${newId()}`,
      object: 'customer',
      created: this.now(),
      livemode: false,
      email: textAt(form, 'email') ?? null,
      name: textAt(form, 'name') ?? null,
      metadata: mapAt(form, 'metadata') as Stripe.Metadata,
    } satisfies Partial<Stripe.Customer>;
    return this.store(customer as Stripe.Customer);
  }

  createSession(form: FieldMap): Stripe.Checkout.Session {
    const price = mapAt(form, 'line_items', '0', 'price_data');
    const subtotal = Number(textAt(price, 'unit_amount'));
    const mode = textAt(form, 'mode');
    if (!Number.isSafeInteger(subtotal) || subtotal < 50) throw new Refused(400, 'amount_too_small');
    if (textAt(form, 'ui_mode') !== 'hosted_page' || (mode !== 'payment' && mode !== 'subscription'))
      throw new Refused(400, 'parameter_invalid');
    const customer = textAt(form, 'customer') ?? null;
    if (customer !== null) this.find(customer, 'cus_');
    const tax = textAt(form, 'automatic_tax', 'enabled') === 'true' ? Math.round((subtotal * exampleTax) / 100) : 0;
    const id = `cs_test_${newId(40)}`;
    const session = {
      id,
      object: 'checkout.session',
      created: this.now(),
      livemode: false,
      mode,
      ui_mode: 'hosted_page',
      status: 'open',
      payment_status: 'unpaid',
      client_reference_id: textAt(form, 'client_reference_id') ?? null,
      metadata: mapAt(form, 'metadata') as Stripe.Metadata,
      currency: textAt(price, 'currency') ?? 'usd',
      amount_subtotal: subtotal,
      amount_total: subtotal + tax,
      total_details: { amount_tax: tax, amount_discount: 0, amount_shipping: 0 },
      customer,
      customer_email: textAt(form, 'customer_email') ?? null,
      locale: textAt(form, 'locale') ?? 'en',
      success_url: textAt(form, 'success_url') ?? null,
      cancel_url: textAt(form, 'cancel_url') ?? null,
      expires_at: Number(textAt(form, 'expires_at')),
      payment_intent: null,
      subscription: null,
      invoice: null,
      url: `${this.origin()}/pay/${id}`,
    } satisfies Partial<Stripe.Checkout.Session>;
    this.journal.set(`order:${id}`, {
      name: textAt(price, 'product_data', 'name') ?? '',
      interval: textAt(price, 'recurring', 'interval') ?? null,
      payment: mapAt(form, mode === 'payment' ? 'payment_intent_data' : 'subscription_data', 'metadata'),
      bill: textAt(form, 'invoice_creation', 'enabled') === 'true',
    });
    return this.store(session as unknown as Stripe.Checkout.Session);
  }

  /** Order as the card page shows it. */
  order(id: string): { name: string; interval: Interval | null; payment: Stripe.Metadata; bill: boolean } {
    return this.find(`order:${id}`, 'order:');
  }

  expire(id: string): Stripe.Checkout.Session {
    const session = this.session(id);
    if (session.status !== 'open') throw new Refused(400, 'checkout_session_not_open');
    const expired = this.store({ ...session, status: 'expired' as const, url: null });
    this.announce('checkout.session.expired', expired);
    return expired;
  }

  /** The person pays, now or later. */
  pay(id: string, when: 'now' | 'later'): Stripe.Checkout.Session {
    const session = this.session(id);
    if (session.status !== 'open') throw new Refused(400, 'checkout_session_not_open');
    const complete = { ...session, status: 'complete' as const, url: null };
    if (when === 'later') {
      this.journal.set(`later:${id}`, { at: this.now() + laterSeconds });
      const promised =
        session.mode === 'payment' ? { payment_intent: this.newIntent(session).id } : this.promisePlan(session);
      const unpaid = this.store({ ...complete, ...promised });
      this.announce('checkout.session.completed', unpaid);
      return unpaid;
    }
    const paid = this.receive(complete);
    this.announce('checkout.session.completed', paid);
    return paid;
  }

  /** The payer's bank refuses a payment that was promised for later. */
  refuseLater(id: string): void {
    const session = this.session(id);
    const bill = typeof session.invoice === 'string' ? this.invoice(session.invoice) : null;
    const intent = bill ? billed(bill) : session.payment_intent;
    if (session.status !== 'complete' || session.payment_status !== 'unpaid' || typeof intent !== 'string')
      throw new Refused(400, 'payment_intent_unexpected_state');
    this.journal.set(`later:${id}`, null);
    this.store({ ...this.intent(intent), status: 'requires_payment_method' as const });
    if (bill) this.announce('invoice.payment_failed', bill);
    this.announce('checkout.session.async_payment_failed', session);
  }

  /** Begins the plan of a session whose first bill stays open until its payment arrives. */
  private promisePlan(session: Stripe.Checkout.Session) {
    // At Stripe, payments of bills have no metadata of ours.
    return this.beginPlan(session, this.store(intentOf(session.amount_total ?? 0, 'usd', {}, this.now())));
  }

  private beginPlan(session: Stripe.Checkout.Session, promised?: Stripe.PaymentIntent) {
    const { interval, payment } = this.order(session.id);
    const taxCents = session.total_details?.amount_tax ?? 0;
    const paid: Paid = { cents: (session.amount_total ?? 0) - taxCents, taxCents };
    const subscription = this.begin(interval ?? 'month', payment, paid, promised);
    return { subscription: subscription.id, invoice: subscription.latest_invoice };
  }

  private newIntent({ amount_total, currency, id }: Stripe.Checkout.Session): Stripe.PaymentIntent {
    return this.store(intentOf(amount_total ?? 0, currency ?? 'usd', this.order(id).payment, this.now()));
  }

  /** Books what a session brings. */
  private receive(session: Stripe.Checkout.Session): Stripe.Checkout.Session {
    if (session.mode === 'subscription') {
      const { invoice: promised } = session;
      if (typeof promised !== 'string')
        return this.store({ ...session, payment_status: 'paid' as const, ...this.beginPlan(session) });
      const bill = this.invoice(promised);
      this.payBill(bill, this.succeed(this.intent(billed(bill) ?? '')));
      return this.store({ ...session, payment_status: 'paid' as const });
    }
    const order = this.order(session.id);
    const taxCents = session.total_details?.amount_tax ?? 0;
    const paid: Paid = { cents: (session.amount_total ?? 0) - taxCents, taxCents };
    const began = session.payment_intent;
    const intent = this.succeed(typeof began === 'string' ? this.intent(began) : this.newIntent(session));
    const invoice = order.bill ? this.bill(paid, null, order.payment, intent).id : null;
    return this.store({ ...session, payment_status: 'paid' as const, payment_intent: intent.id, invoice });
  }

  createIntent(form: FieldMap): Stripe.PaymentIntent {
    const metadata = mapAt(form, 'metadata') as Stripe.Metadata;
    const cents = Number(textAt(form, 'amount'));
    const intent = this.store(intentOf(cents, textAt(form, 'currency') ?? 'usd', metadata, this.now()));
    if (textAt(form, 'confirm') !== 'true') return intent;
    const succeeded = this.succeed(intent);
    if (textAt(form, 'payment_method') === 'pm_card_createDispute') this.createDispute(succeeded.id, 'needs_response');
    return succeeded;
  }

  private succeed(intent: Stripe.PaymentIntent): Stripe.PaymentIntent {
    const charge = {
      id: `ch_${newId()}`,
      object: 'charge',
      amount: intent.amount,
      amount_refunded: 0,
      created: this.now(),
      currency: intent.currency,
      livemode: false,
      metadata: intent.metadata,
      paid: true,
      payment_intent: intent.id,
      receipt_url: `${this.origin()}/receipt/${intent.id}`,
    } satisfies Partial<Stripe.Charge>;
    this.store(charge);
    this.move('charge', intent.amount, charge.id);
    const succeeded = this.store({
      ...intent,
      status: 'succeeded' as const,
      amount_received: intent.amount,
      latest_charge: charge.id,
    });
    this.announce('payment_intent.succeeded', succeeded);
    return succeeded;
  }

  private move(category: string, cents: number, source: string): void {
    const movement = {
      id: `txn_${newId()}`,
      object: 'balance_transaction',
      amount: cents,
      created: this.now(),
      currency: 'usd',
      reporting_category: category,
      source,
    } satisfies Partial<Stripe.BalanceTransaction>;
    this.store(movement);
  }

  /** Without a payment the bill is a draft, which has no page. */
  private bill(
    { cents, taxCents }: Paid,
    subscription: Stripe.Subscription | null,
    metadata: Stripe.Metadata,
    intent: Stripe.PaymentIntent | null,
  ): Stripe.Invoice {
    const id = `in_${newId()}`;
    const isPaid = intent?.status === 'succeeded';
    const item = subscription?.items.data[0];
    const now = this.now();
    const invoice = {
      id,
      object: 'invoice',
      created: now,
      currency: 'usd',
      livemode: false,
      status: isPaid ? 'paid' : intent ? 'open' : 'draft',
      amount_due: cents + taxCents,
      amount_paid: isPaid ? cents + taxCents : 0,
      total: cents + taxCents,
      total_taxes: [{ amount: taxCents }] as Stripe.Invoice.TotalTax[],
      metadata: subscription ? {} : metadata,
      parent: (subscription && {
        type: 'subscription_details',
        quote_details: null,
        subscription_details: { subscription: subscription.id, metadata },
      }) as Stripe.Invoice.Parent | null,
      lines: listOf([
        { period: { start: item?.current_period_start ?? now, end: item?.current_period_end ?? now } },
      ]) as unknown as Stripe.ApiList<Stripe.InvoiceLineItem>,
      payments: listOf(
        intent === null ? [] : [{ payment: { type: 'payment_intent', payment_intent: intent.id } }],
      ) as unknown as Stripe.ApiList<Stripe.InvoicePayment>,
      hosted_invoice_url: intent && this.billPage(id),
      invoice_pdf: null,
      period_start: now,
      period_end: now,
    } satisfies Partial<Stripe.Invoice>;
    const stored = this.store(invoice as Stripe.Invoice);
    this.announce(isPaid ? 'invoice.paid' : intent ? 'invoice.finalized' : 'invoice.created', stored);
    return stored;
  }

  private billPage = (id: string): string => `${this.origin()}/invoice/${id}`;

  private begin(
    interval: Interval,
    metadata: Stripe.Metadata,
    paid: Paid,
    promised?: Stripe.PaymentIntent,
  ): Stripe.Subscription {
    const start = this.now();
    const id = `sub_${newId()}`;
    this.journal.set(`price:${id}`, { ...paid, interval });
    const subscription = {
      id,
      object: 'subscription',
      created: start,
      livemode: false,
      status: 'active',
      cancel_at_period_end: false,
      metadata,
      items: periodsOf(start, monthsOf[interval]),
      latest_invoice: null,
    } satisfies Partial<Stripe.Subscription>;
    const begun = subscription as unknown as Stripe.Subscription;
    const intent = promised ?? this.chargeCard(paid);
    return this.store({ ...begun, latest_invoice: this.bill(paid, begun, metadata, intent).id });
  }

  /** Charges the card of a subscription, which accepts. */
  private chargeCard({ cents, taxCents }: Paid): Stripe.PaymentIntent {
    return this.succeed(this.store(intentOf(cents + taxCents, 'usd', {}, this.now())));
  }

  /** From now on the card of a subscription is declined, or accepted again. */
  decline(id: string, declines = true): void {
    this.journal.set(`declines:${this.subscription(id).id}`, declines);
  }

  /** The person pays an open bill on its page. */
  payInvoice(id: string): Stripe.Invoice {
    const invoice = this.invoice(id);
    const ofSubscription = invoice.parent?.subscription_details?.subscription;
    if (invoice.status !== 'open' || typeof ofSubscription !== 'string') throw new Refused(400, 'invoice_not_open');
    const subscription = this.subscription(ofSubscription);
    const intent = this.succeed(this.store(intentOf(invoice.amount_due, 'usd', {}, this.now())));
    this.journal.set(`declines:${subscription.id}`, false);
    const paid = this.payBill(invoice, intent);
    // A plan that has ended does not begin again, though its bill can be paid.
    if (subscription.status !== 'canceled')
      this.announce('customer.subscription.updated', this.store({ ...subscription, status: 'active' as const }));
    return paid;
  }

  private payBill(invoice: Stripe.Invoice, intent: Stripe.PaymentIntent): Stripe.Invoice {
    const paid = this.store({
      ...invoice,
      status: 'paid' as const,
      amount_paid: invoice.amount_due,
      payments: listOf([
        { payment: { type: 'payment_intent', payment_intent: intent.id } },
      ]) as unknown as Stripe.ApiList<Stripe.InvoicePayment>,
    });
    this.announce('invoice.paid', paid);
    return paid;
  }

  updateSubscription(id: string, form: FieldMap): Stripe.Subscription {
    const subscription = this.subscription(id);
    if (subscription.status === 'canceled') throw new Refused(404, 'resource_missing');
    const ends = textAt(form, 'cancel_at_period_end');
    const updated = this.store({
      ...subscription,
      cancel_at_period_end: ends === undefined ? subscription.cancel_at_period_end : ends === 'true',
    });
    this.announce('customer.subscription.updated', updated);
    return updated;
  }

  endSubscription(id: string): Stripe.Subscription {
    const subscription = this.subscription(id);
    if (subscription.status === 'canceled') throw new Refused(404, 'resource_missing');
    const ended = this.store({ ...subscription, status: 'canceled' as const, ended_at: this.now() });
    this.announce('customer.subscription.deleted', ended);
    return ended;
  }

  createRefund(payment: string, cents?: number): Stripe.Refund {
    const intent = this.intent(payment);
    const charge = this.charge(typeof intent.latest_charge === 'string' ? intent.latest_charge : '');
    const amount = cents ?? charge.amount - charge.amount_refunded;
    if (amount < 1 || amount > charge.amount - charge.amount_refunded)
      throw new Refused(400, 'charge_already_refunded');
    const refund = {
      id: `re_${newId()}`,
      object: 'refund',
      amount,
      charge: charge.id,
      created: this.now(),
      currency: intent.currency,
      payment_intent: intent.id,
      status: 'succeeded',
    } satisfies Partial<Stripe.Refund>;
    const stored = this.store(refund as Stripe.Refund);
    this.store({ ...charge, amount_refunded: charge.amount_refunded + amount });
    this.move('refund', -amount, refund.id);
    this.announce('refund.created', stored);
    return stored;
  }

  /** The payer's bank refuses a refund, so that the money comes back here. */
  failRefund(id: string): void {
    const refund = this.refund(id);
    this.move('refund_failure', refund.amount, refund.id);
    this.announce('refund.failed', this.store({ ...refund, status: 'failed' }));
  }

  /** The payer's bank takes a payment back, or asks about it (`warning_needs_response`). */
  createDispute(payment: string, status: Stripe.Dispute.Status): Stripe.Dispute {
    const intent = this.intent(payment);
    const dispute = {
      id: `du_${newId()}`,
      object: 'dispute',
      amount: intent.amount,
      charge: typeof intent.latest_charge === 'string' ? intent.latest_charge : '',
      created: this.now(),
      currency: intent.currency,
      livemode: false,
      payment_intent: intent.id,
      status,
    } satisfies Partial<Stripe.Dispute>;
    if (!status.startsWith('warning_')) this.move('dispute', -intent.amount, dispute.id);
    const stored = this.store(dispute as Stripe.Dispute);
    this.announce('charge.dispute.created', stored);
    return stored;
  }

  endDispute(id: string, status: 'won' | 'lost'): void {
    const dispute = this.dispute(id);
    if (status === 'won') this.move('dispute_reversal', dispute.amount, dispute.id);
    this.announce('charge.dispute.closed', this.store({ ...dispute, status }));
  }

  /** Does what became due: pages close, late payments arrive, periods end. */
  advance(): void {
    const now = this.now();
    for (const session of this.sessions()) {
      if (session.status === 'open' && session.expires_at <= now) this.expire(session.id);
      const later = this.journal.get(`later:${session.id}`) as { at: number } | null | undefined;
      if (session.status === 'complete' && session.payment_status === 'unpaid' && later && later.at <= now)
        this.announce('checkout.session.async_payment_succeeded', this.receive(session));
    }
    for (const subscription of this.subscriptions()) this.renew(subscription, now);
  }

  private renew(began: Stripe.Subscription, now: number): void {
    let subscription = this.chargeDraft(began, now);
    while (subscription.status === 'active' && periodEnd(subscription) <= now) {
      if (subscription.cancel_at_period_end) {
        this.endSubscription(subscription.id);
        return;
      }
      const price = this.find<Paid & { interval: Interval }>(`price:${subscription.id}`, 'price:');
      const start = periodEnd(subscription);
      const items = periodsOf(start, monthsOf[price.interval]);
      const draft = this.bill(price, { ...subscription, items }, subscription.metadata, null);
      const renewed = this.store({ ...subscription, items, latest_invoice: draft.id });
      this.announce('customer.subscription.updated', renewed);
      subscription = this.chargeDraft(renewed, now);
    }
  }

  /** Finishes the bill of a period that has begun, and charges the card, as soon as that is due. */
  private chargeDraft(subscription: Stripe.Subscription, now: number): Stripe.Subscription {
    const { latest_invoice: newest, status } = subscription;
    const draft = typeof newest === 'string' ? this.invoice(newest) : null;
    const begun = subscription.items.data[0]?.current_period_start ?? 0;
    if (draft?.status !== 'draft' || status === 'canceled' || begun + draftSeconds > now) return subscription;
    const open = this.store({ ...draft, status: 'open' as const, hosted_invoice_url: this.billPage(draft.id) });
    this.announce('invoice.finalized', open);
    if (this.journal.get(`declines:${subscription.id}`) !== true) {
      this.payBill(open, this.chargeCard(this.find<Paid>(`price:${subscription.id}`, 'price:')));
      return subscription;
    }
    const late = this.store({ ...subscription, status: 'past_due' as const });
    this.announce('invoice.payment_failed', open);
    this.announce('customer.subscription.updated', late);
    return late;
  }
}

export const listOf = <T>(data: T[], url = '/v1', more = false) => ({
  object: 'list' as const,
  data,
  has_more: more,
  url,
});

/** Payment of a bill; null while nobody has tried to pay it. */
const billed = ({ payments }: Stripe.Invoice): string | null => {
  const payment = payments?.data[0]?.payment.payment_intent;
  return typeof payment === 'string' ? payment : null;
};

const periodEnd = (subscription: Stripe.Subscription): number => subscription.items.data[0]?.current_period_end ?? 0;

function periodsOf(start: number, months: number): Stripe.ApiList<Stripe.SubscriptionItem> {
  const end = monthsLater(new Date(start * 1000), months).getTime() / 1000;
  return listOf([{ current_period_start: start, current_period_end: end } as Stripe.SubscriptionItem]);
}

function intentOf(cents: number, currency: string, metadata: Stripe.Metadata, created: number): Stripe.PaymentIntent {
  if (!Number.isSafeInteger(cents) || cents < 1) throw new Refused(400, 'parameter_invalid');
  const intent = {
    id: `pi_${newId()}`,
    object: 'payment_intent',
    amount: cents,
    amount_received: 0,
    created,
    currency,
    livemode: false,
    metadata,
    status: 'processing',
    latest_charge: null,
  } satisfies Partial<Stripe.PaymentIntent>;
  return intent as unknown as Stripe.PaymentIntent;
}
