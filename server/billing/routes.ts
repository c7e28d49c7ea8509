import { Readable } from 'node:stream';
import { Hono } from 'hono';
import { giftInput, giftView, referralView } from '#shared/giving.ts';
import { balanceView, transactionsQuery, transactionsView } from '#shared/billing.ts';
import { body, noParameters, query } from '../http/body.ts';
import type { Env } from '../http/env.ts';
import { once } from '../http/once.ts';
import { describe } from '../http/openapi.ts';
import { readBalance } from './balance.ts';
import { giveCredits } from './gift.ts';
import { referralLink } from './referral.ts';
import { listTransactions, transactionsCsv } from './transactions.ts';

const tag = 'Billing';

export const billingRoutes = new Hono<Env>()
  .get(
    '/balance',
    describe({
      summary: 'Get the caller’s balance: credits, minutes, what is reserved and owed',
      more: 'Credits are decimal strings, 1 credit is 1 USD. Minutes are seconds divided by 60.',
      tag,
      answer: balanceView,
      problems: ['INVALID'],
    }),
    noParameters,
    async (c) => c.json(await readBalance(c.var.ctx)),
  )
  .get(
    '/transactions',
    describe({
      summary: 'List the caller’s transactions, newest first',
      tag,
      answer: transactionsView,
      problems: ['INVALID'],
    }),
    query(transactionsQuery),
    async (c) => c.json(await listTransactions(c.var.ctx, c.req.valid('query'))),
  )
  .get(
    '/transactions.csv',
    describe({
      summary: 'Download all transactions of the caller as CSV, newest first',
      tag,
      text: 'text/csv',
      problems: ['INVALID'],
    }),
    noParameters,
    (c) => {
      c.header('Content-Type', 'text/csv; charset=utf-8');
      c.header('Content-Disposition', 'attachment; filename="transactions.csv"');
      const rows = transactionsCsv(c.var.ctx);
      return c.body(Readable.toWeb(Readable.from(rows, { objectMode: false })) as ReadableStream);
    },
  )
  .post(
    '/gift',
    describe({
      summary: 'Transfer credits to the owner of an address',
      more: 'Without an account at that address the credits wait 14 days for its owner, and are returned then; the answer is the same.',
      tag,
      answer: giftView,
      problems: ['FUNDS', 'NO_PERM', 'IDEMP', 'RATE'],
    }),
    body(giftInput),
    once,
    async (c) => c.json(await giveCredits(c.var.ctx, c.req.valid('json'))),
  )
  .post(
    '/referrals',
    describe({
      summary: 'Get the caller’s link for inviting others',
      more: 'Who signs up by it and confirms the address brings the caller 20 minutes, at most 50 people a month.',
      tag,
      answer: referralView,
      problems: ['NO_PERM'],
    }),
    async (c) => c.json(await referralLink(c.var.ctx)),
  );
