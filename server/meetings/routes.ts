import { Hono } from 'hono';
import { z } from 'zod';
import { body } from '../http/body.ts';
import type { Env } from '../http/env.ts';
import { describe } from '../http/openapi.ts';
import { issueTicket } from './tickets.ts';

const ticketInput = z.object({ room: z.string('required').min(1, 'required').max(100, 'too_long') });

export const liveRoutes = new Hono<Env>().post(
  '/sync/tickets',
  describe({
    summary: 'Get a ticket to edit one document live from a program; valid for five minutes, reusable',
    tag: 'Live',
    open: true,
    answer: z.object({ ticket: z.string() }),
    problems: ['CSRF', 'NO_ACCESS', 'INVALID', 'TYPE', 'BIG'],
  }),
  body(ticketInput),
  async (c) => c.json(await issueTicket(c.var.ctx, c.req.valid('json'))),
);
