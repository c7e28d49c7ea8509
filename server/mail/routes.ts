import { Hono } from 'hono';
import { Problem } from '#shared/problems.ts';
import { query } from '../http/body.ts';
import type { Env } from '../http/env.ts';
import { describe } from '../http/openapi.ts';
import { mayReadOutbox, outboxMailView, outboxQuery, readOutbox } from './outbox.ts';

export const outboxRoutes = new Hono<Env>().get(
  '/outbox',
  describe({
    summary: 'List the newest mails, or those to one address, while the server keeps its mail; only from this machine',
    tag: 'Mail',
    open: true,
    answer: outboxMailView.array(),
    problems: ['INVALID', 'NOT_FOUND'],
  }),
  query(outboxQuery),
  async (c) => {
    const { ctx } = c.var;
    if (!mayReadOutbox(ctx.config, c.env.incoming?.socket.remoteAddress, (name) => c.req.header(name))) {
      throw new Problem('NOT_FOUND');
    }
    return c.json(await readOutbox(ctx, c.req.valid('query').to));
  },
);
