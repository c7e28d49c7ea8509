import { Hono } from 'hono';
import { feedbackInput, logInput } from '#shared/accounts.ts';
import { body } from '../http/body.ts';
import type { Env } from '../http/env.ts';
import { describe } from '../http/openapi.ts';
import { giveFeedback, logFromPage } from './support.ts';

const tag = 'Support';

export const supportRoutes = new Hono<Env>()
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
