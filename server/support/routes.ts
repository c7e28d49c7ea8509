import { Hono } from 'hono';
import { feedbackInput, logInput, supportView } from '#shared/accounts.ts';
import { body } from '../http/body.ts';
import type { Env } from '../http/env.ts';
import { describe } from '../http/openapi.ts';
import { giveFeedback, logFromPage, supportAddress } from './support.ts';

const tag = 'Support';

export const supportRoutes = new Hono<Env>()
  .get(
    '/feedback',
    describe({ summary: 'Whether somebody reads what is written to support', tag, open: true, answer: supportView }),
    (c) => c.json({ isRead: supportAddress(c.var.ctx.config) !== null }),
  )
  .post(
    '/feedback',
    describe({ summary: 'Send feedback to whoever runs the server', tag, open: true, problems: ['RATE'] }),
    body(feedbackInput),
    async (c) => {
      await giveFeedback(c.var.ctx, c.req.valid('json'));
      return c.body(null, 204);
    },
  )
  .post(
    '/logs',
    describe({
      summary: 'Report an error of a page to the server’s log',
      tag,
      open: true,
      problems: ['RATE'],
    }),
    body(logInput, { limit: 32 * 1024 }),
    async (c) => {
      await logFromPage(c.var.ctx, c.req.valid('json'));
      return c.body(null, 204);
    },
  );
