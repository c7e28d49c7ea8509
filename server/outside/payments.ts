import type { Language } from '#shared/i18n/languages.ts';
import type { BillingInfo } from '#shared/payments.ts';

/** `practice` and `test`: no money moves. */
export type PaymentMode = 'live' | 'test' | 'practice';

/** Order that a person is about to pay, on a page of the payment service. Money is in cents of USD, before tax. */
export interface CheckoutOrder {
  /** Our purchase and our database, which the service returns with everything that comes of the payment. */
  purchaseId: string;
  houseId: string;
  /** Name on the payment page and the invoice. */
  name: string;
  cents: number;
  /** Period of a subscription; null for a single payment. */
  every: 'month' | 'year' | null;
  email: string;
  /** Person at the service whose address and tax ids are on the invoice. */
  customer: string | null;
  language: Language;
  successUrl: string;
  cancelUrl: string;
  expiresAt: Date;
}

/** Payment page of one order. */
export interface Checkout {
  id: string;
  /** Null when it is no longer open. */
  url: string | null;
  status: 'open' | 'complete' | 'expired';
  paid: boolean;
  /** Promised for later, and refused since by the payer's bank. */
  refused: boolean;
  purchaseId: string | null;
  houseId: string | null;
  currency: string | null;
  /** Amount that was paid, before tax, and the tax. */
  cents: number;
  taxCents: number;
  payment: string | null;
  subscription: string | null;
  invoice: string | null;
}

/** Money that was received once. */
interface Payment {
  id: string;
  succeeded: boolean;
  purchaseId: string | null;
  houseId: string | null;
  currency: string;
  /** Received in all, with tax. */
  cents: number;
  receiptUrl: string | null;
}

export interface Subscription {
  id: string;
  /** Past due from the moment a payment fails: a bill that is not due yet, or whose payment is under way, is no reason. */
  status: 'active' | 'past_due' | 'ended';
  endsAtPeriodEnd: boolean;
  periodEnd: Date;
  purchaseId: string | null;
  houseId: string | null;
  /** Newest invoice, which may not be paid yet. */
  invoice: string | null;
}

/** Bill for one period of a subscription, or for a single payment. */
export interface Invoice {
  id: string;
  paid: boolean;
  /** Promised for later and refused since by the payer's bank, or declared void. */
  refused: boolean;
  currency: string;
  cents: number;
  taxCents: number;
  subscription: string | null;
  purchaseId: string | null;
  houseId: string | null;
  payment: string | null;
  periodStart: Date;
  periodEnd: Date;
  /** Page of the service on which it can be paid. */
  url: string | null;
  pdfUrl: string | null;
}

interface Refund {
  id: string;
  payment: string | null;
  cents: number;
  currency: string;
  /** Whether the money is or will be back with the payer. */
  counts: boolean;
}

export interface Dispute {
  id: string;
  payment: string | null;
  cents: number;
  currency: string;
  /** `inquiry`: nothing was taken yet; `won`: what was taken came back. */
  state: 'inquiry' | 'taken' | 'won';
}

/** Event by its object, which is read again, because events come late, twice and in any order. */
export interface PaymentEvent {
  id: string;
  type: string;
  /** Id of the object that changed. */
  object: string;
}

/** Change of the balance at the service. */
export interface Movement {
  id: string;
  kind: 'payment' | 'refund' | 'dispute' | 'other';
  cents: number;
  currency: string;
  /** Charge, refund or dispute that it comes from. */
  source: string | null;
  /** Payment that it belongs to. */
  payment: string | null;
}

/** Failed signature of an event: it is not from the service, too old, or of another mode. */
export class NotFromService extends Error {
  override name = 'NotFromService';
}

/** The service refuses a tax id. */
export class TaxIdRefused extends Error {
  override name = 'TaxIdRefused';
}

/** Cause of an UPSTREAM that any other call would get now, too: no connection, a key that is refused, too many calls. */
export class ServiceAway extends Error {
  override name = 'ServiceAway';
}

export const isServiceAway = (error: unknown): boolean => error instanceof Error && error.cause instanceof ServiceAway;

/**
 * Service that takes payments by card. Reading something that does not exist there answers null. Failures are UPSTREAM;
 * text of the service is never passed on or logged.
 */
export interface Payments {
  readonly mode: PaymentMode;
  readonly publishableKey: string;
  /** Opens a payment page. The same key with the same order answers the same page for a day, a failure too. */
  begin(order: CheckoutOrder, key: string): Promise<Checkout>;
  checkout(id: string): Promise<Checkout | null>;
  /** Pages that were opened since then. */
  checkoutsSince(at: Date): Promise<Checkout[]>;
  /** Closes an open page, so that nobody can pay on it any more. */
  expire(id: string): Promise<Checkout>;
  /** Stores what is to be written on invoices; answers its id there. */
  customer(email: string, info: BillingInfo, houseId: string, key: string): Promise<string>;
  payment(id: string): Promise<Payment | null>;
  invoice(id: string): Promise<Invoice | null>;
  subscription(id: string): Promise<Subscription | null>;
  /** Ends a subscription with its period, or takes that back. */
  endWithPeriod(id: string, ends: boolean): Promise<Subscription>;
  /** Ends a subscription now. */
  end(id: string): Promise<Subscription>;
  refund(id: string): Promise<Refund | null>;
  dispute(id: string): Promise<Dispute | null>;
  /** Events of the last days that did not reach us. */
  undelivered(since: Date): Promise<PaymentEvent[]>;
  movements(since: Date): Promise<Movement[]>;
  /** Checks who sent an event. Throws NotFromService. */
  read(sent: Uint8Array, signature: string, now: Date): Promise<PaymentEvent>;
}
