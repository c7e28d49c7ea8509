import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import type { Stripe } from 'stripe';
import { newId } from '#shared/ids.ts';
import type { Clock } from '../../clock.ts';
import type { StripeAccess } from '../stripe.ts';
import { listOf, PracticeAccount, Refused } from './account.ts';
import { cardPage, invoicePage, pageHeaders } from './card-page.ts';
import { mapAt, readNested, textAt, type FieldMap } from './form.ts';
import { Journal } from './journal.ts';

/** Mistakes that a test makes the service commit. */
interface Faults {
  /** Milliseconds before each answer of the API. */
  delay: number;
  /** Calls that are done and whose answer is lost. */
  lose: number;
  /** Calls that are answered with an error of the service. */
  fail: number;
}

interface PracticeOptions {
  clock: Clock;
  /** File that remembers everything; null keeps it in memory. */
  file: string | null;
  tax: boolean;
}

/** Stand-in for a payment service, on a loopback port: Stripe's API, its events and a card page. No money moves. */
export interface Practice {
  origin: string;
  /** How the package of Stripe reaches it. */
  access: StripeAccess;
  account: PracticeAccount;
  faults: Faults;
  /** Events that wait for the test to send them; null sends each at once. */
  held: Stripe.Event[] | null;
  /** Names the webhook, and sends what did not reach it before. */
  tellTo(url: string): Promise<void>;
  /** Sends an event to the webhook; false when it was not accepted. */
  send(event: Stripe.Event): Promise<boolean>;
  /** Events that are on their way have arrived, or were given up. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

const practiceKey = 'sk_test_practice';
const maxBody = 64 * 1024;
/** Milliseconds between two looks at what became due. */
const dueEvery = 5000;
/** Pauses before an event is sent again, in milliseconds. */
const againAfter = [500, 2000, 10_000];

export async function openPractice({ clock, file, tax }: PracticeOptions): Promise<Practice> {
  const journal = new Journal(file);
  const secret = journal.get('secret');
  const webhookSecret = typeof secret === 'string' ? secret : `whsec_${newId(32)}`;
  const faults: Faults = { delay: 0, lose: 0, fail: 0 };
  const stop = new AbortController();
  let webhook: string | null = null;
  let origin = '';
  let sending: Promise<unknown> = Promise.resolve();

  const account = new PracticeAccount(
    journal,
    clock,
    () => origin,
    (event) => {
      if (practice.held) practice.held.push(event);
      else sending = Promise.all([sending, deliver(event)]);
    },
  );

  async function send(event: Stripe.Event): Promise<boolean> {
    if (webhook === null) return false;
    const { Stripe: Package } = await import('stripe');
    const payload = JSON.stringify(event);
    const timestamp = Math.floor(clock.now().getTime() / 1000);
    const signature = new Package(practiceKey, { telemetry: false }).webhooks.generateTestHeaderString({
      payload,
      secret: webhookSecret,
      timestamp,
    });
    const headers = { 'Content-Type': 'application/json', 'Stripe-Signature': signature };
    const answer = await fetch(webhook, { method: 'POST', body: payload, headers, signal: stop.signal }).catch(
      () => null,
    );
    await answer?.arrayBuffer().catch(() => null);
    if (answer?.ok) account.delivered(event);
    return answer?.ok === true;
  }

  async function deliver(event: Stripe.Event): Promise<void> {
    if (webhook === null) return;
    for (const wait of [0, ...againAfter]) {
      try {
        await pause(wait, undefined, { signal: stop.signal, ref: false });
      } catch {
        return;
      }
      if (await send(event)) return;
    }
  }

  const server = createServer((request, response) => {
    void answer(request, response).catch(() => response.destroy());
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', origin);
    if (Number(request.headers['content-length'] ?? 0) > maxBody) {
      response.writeHead(413).end();
      return;
    }
    const body = await text(request);
    account.advance();
    if (url.pathname.startsWith('/v1/')) return api(request, response, url, body);
    return page(request, response, url, body);
  }

  async function api(request: IncomingMessage, response: ServerResponse, url: URL, body: string): Promise<void> {
    const json = (status: number, value: unknown) =>
      response
        .writeHead(status, { 'Content-Type': 'application/json', 'Request-Id': `req_${newId(14)}` })
        .end(JSON.stringify(value));
    if (request.headers.authorization !== `Bearer ${practiceKey}`) {
      json(401, { error: { type: 'invalid_request_error', message: 'Invalid API Key' } });
      return;
    }
    if (faults.delay > 0) await pause(faults.delay);
    const { status, value } = respond(request, url, body);
    if (faults.lose > 0) {
      faults.lose -= 1;
      response.destroy();
      return;
    }
    json(status, value);
  }

  /** Answers a call; the same idempotency key gets the same answer, a failure of the service too. */
  function respond(request: IncomingMessage, url: URL, body: string): { status: number; value: unknown } {
    const header = request.headers['idempotency-key'];
    const key = typeof header === 'string' && request.method === 'POST' ? `idem:${header}` : null;
    const call = `${url.pathname}\n${body}`;
    const before = key === null ? undefined : (journal.get(key) as { call: string; answer: Answer } | undefined);
    if (before && before.call !== call) return errorOf(400, 'idempotency_key_in_use', 'idempotency_error');
    if (before) return before.answer;
    let result: Answer;
    if (faults.fail > 0) {
      faults.fail -= 1;
      result = errorOf(500, 'api_error', 'api_error');
    } else {
      try {
        result = {
          status: 200,
          value: perform(account, request.method ?? 'GET', url, readNested(new URLSearchParams(body))),
        };
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        return errorOf(error.status, error.code);
      }
    }
    if (key !== null) journal.set(key, { call, answer: result });
    return result;
  }

  function page(request: IncomingMessage, response: ServerResponse, url: URL, body: string): void {
    const html = (status: number, content: string) => response.writeHead(status, pageHeaders).end(content);
    const leave = (to: string) => response.writeHead(303, { ...pageHeaders, Location: to }).end();
    const [, kind = '', id = ''] = url.pathname.split('/');
    const action = request.method === 'POST' ? new URLSearchParams(body).get('action') : null;
    try {
      if (kind === 'invoice') {
        if (action === 'pay') account.payInvoice(id);
        const bill = account.invoice(id);
        if (bill.status === 'draft') throw new Refused(404, 'resource_missing');
        html(200, invoicePage(bill, request.headers['accept-language']));
        return;
      }
      if (kind !== 'pay') throw new Refused(404, 'resource_missing');
      const session = account.session(id);
      if (action === 'leave') leave(session.cancel_url ?? '/');
      else if (session.status === 'open' && (action === 'pay' || action === 'later')) {
        account.pay(id, action === 'pay' ? 'now' : 'later');
        leave((session.success_url ?? '/').replaceAll('{CHECKOUT_SESSION_ID}', id));
      } else html(200, cardPage(account.session(id), account.order(id), action === 'decline'));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      html(404, '');
    }
  }

  const remembered = journal.get('port');
  await listenAt(server, typeof remembered === 'number' ? remembered : 0);
  const { port } = server.address() as AddressInfo;
  origin = `http://127.0.0.1:${port}`;
  if (remembered !== port) {
    journal.set('port', port);
    journal.set('secret', webhookSecret);
  }
  const timer = setInterval(() => account.advance(), dueEvery);
  timer.unref();

  const practice: Practice = {
    origin,
    access: {
      mode: 'practice',
      secretKey: practiceKey,
      publishableKey: 'pk_test_practice',
      webhookSecrets: [webhookSecret],
      apiUrl: origin,
      tax,
    },
    account,
    faults,
    held: null,
    async tellTo(url) {
      webhook = url;
      for (const event of account.events().filter(({ pending_webhooks }) => pending_webhooks > 0)) await send(event);
    },
    send,
    settled: async () => {
      await sending;
    },
    async close() {
      clearInterval(timer);
      stop.abort();
      await sending;
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
  return practice;
}

interface Answer {
  status: number;
  value: unknown;
}

const errorOf = (status: number, code: string, type = 'invalid_request_error'): Answer => ({
  status,
  value: { error: { type, code, message: code } },
});

/** Listens on the port of the last time, so that open pages still work, or on any. */
async function listenAt(server: ReturnType<typeof createServer>, port: number): Promise<void> {
  const tryPort = (wanted: number) =>
    new Promise<void>((done, failed) => {
      server.once('error', failed);
      server.listen(wanted, '127.0.0.1', () => {
        server.off('error', failed);
        done();
      });
    });
  await tryPort(port).catch(() => tryPort(0));
}

/** The calls of Stripe's API that the server makes, and those by which tests and operators act. */
function perform(account: PracticeAccount, method: string, url: URL, form: FieldMap): unknown {
  const [, , kind = '', ...rest] = url.pathname.split('/');
  const name = kind === 'checkout' ? `checkout/${rest.shift()}` : kind;
  const [id = '', verb] = rest;
  const call = `${method} ${name}${id && '/id'}${verb ? `/${verb}` : ''}`;
  switch (call) {
    case 'POST customers':
      return account.createCustomer(form);
    case 'POST checkout/sessions':
      return account.createSession(form);
    case 'GET checkout/sessions':
      return page(
        account.sessions().map((session) => withPayment(account, session, url, 'data.payment_intent')),
        url,
      );
    case 'GET checkout/sessions/id':
      return withPayment(account, account.session(id), url, 'payment_intent');
    case 'POST checkout/sessions/id/expire':
      return account.expire(id);
    case 'POST payment_intents':
      return account.createIntent(form);
    case 'GET payment_intents/id': {
      const intent = account.intent(id);
      const charge = intent.latest_charge;
      return { ...intent, latest_charge: typeof charge === 'string' ? account.charge(charge) : null };
    }
    case 'GET invoices/id':
      return withPayments(account, account.invoice(id), url);
    case 'GET subscriptions/id':
      return account.subscription(id);
    case 'POST subscriptions/id':
      return account.updateSubscription(id, form);
    case 'DELETE subscriptions/id':
      return account.endSubscription(id);
    case 'POST refunds': {
      const amount = textAt(form, 'amount');
      return account.createRefund(
        textAt(form, 'payment_intent') ?? '',
        amount === undefined ? undefined : Number(amount),
      );
    }
    case 'GET refunds/id':
      return account.refund(id);
    case 'GET disputes/id':
      return account.dispute(id);
    case 'GET events':
      return page(
        account
          .events()
          .filter((event) => url.searchParams.get('delivery_success') !== 'false' || event.pending_webhooks > 0),
        url,
      );
    case 'GET balance_transactions':
      return page(
        account.movements().map((movement) => ({ ...movement, source: sourceOf(account, movement) })),
        url,
      );
    default:
      throw new Refused(404, 'url_invalid');
  }
}

const expands = ({ searchParams }: URL, field: string): boolean =>
  Object.values(mapAt(readNested(searchParams), 'expand')).includes(field);

/** Payment page with its payment in it, where the call expands that. */
function withPayment(account: PracticeAccount, session: Stripe.Checkout.Session, url: URL, field: string) {
  const { payment_intent: intent } = session;
  return typeof intent === 'string' && expands(url, field)
    ? { ...session, payment_intent: account.intent(intent) }
    : session;
}

/** Bill with its payments in it, where the call expands those. */
function withPayments(account: PracticeAccount, invoice: Stripe.Invoice, url: URL) {
  const { payments } = invoice;
  if (!payments || !expands(url, 'payments.data.payment.payment_intent')) return invoice;
  const data = payments.data.map((one) => {
    const { payment_intent: intent } = one.payment;
    return typeof intent === 'string'
      ? { ...one, payment: { ...one.payment, payment_intent: account.intent(intent) } }
      : one;
  });
  return { ...invoice, payments: { ...payments, data } };
}

function sourceOf(account: PracticeAccount, { source }: Stripe.BalanceTransaction): unknown {
  if (typeof source !== 'string') return source;
  if (source.startsWith('re_')) return account.refund(source);
  return source.startsWith('du_') ? account.dispute(source) : account.charge(source);
}

/** One page of a list, newest first. */
function page<T extends { id: string; created: number }>(all: readonly T[], url: URL) {
  const { searchParams } = url;
  const from = Number(searchParams.get('created[gte]') ?? 0);
  const limit = Number(searchParams.get('limit') ?? 10);
  const newest = all.filter(({ created }) => created >= from).toReversed();
  const after = searchParams.get('starting_after');
  const rest = after === null ? newest : newest.slice(newest.findIndex(({ id }) => id === after) + 1);
  return listOf(rest.slice(0, limit), url.pathname, rest.length > limit);
}
