import { Hono } from 'hono';
import { originalView } from '#shared/meetings/original-view.ts';
import type { Env } from '../http/env.ts';
import { describe } from '../http/openapi.ts';
import { originalOf } from './original.ts';

export const originalRoutes = new Hono<Env>().get(
  '/meetings/:id/original',
  describe({
    summary: 'Get the transcript as it was recognized or imported, before any correction',
    tag: 'Meetings',
    open: true,
    answer: originalView,
    problems: ['NO_ACCESS', 'NO_PERM'],
  }),
  async (c) => c.json(await originalOf(c.var.ctx, { id: c.req.param('id') })),
);
