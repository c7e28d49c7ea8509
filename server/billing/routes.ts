import { Readable } from 'node:stream';
import { Hono } from 'hono';
import { balanceView, transactionsQuery, transactionsView } from '#shared/billing.ts';
import { noParameters, query } from '../http/body.ts';
import type { Env } from '../http/env.ts';
import { describe } from '../http/openapi.ts';
import { readBalance } from './balance.ts';
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
  );
