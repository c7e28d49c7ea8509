import { Hono } from 'hono';
import { z } from 'zod';
import { apiTokenView, newApiTokenView, sessionView, tokenInput } from '#shared/accounts.ts';
import { body, noParameters } from '../http/body.ts';
import type { Env } from '../http/env.ts';
import { describe } from '../http/openapi.ts';
import { createApiToken, deleteApiToken, listApiTokens } from './api-tokens.ts';
import { logOutElsewhere } from './login.ts';
import { listSessions } from '../people/sessions.ts';

const tag = 'Sessions and tokens';

/** Routes for sessions and API tokens of the person. */
export const sessionRoutes = new Hono<Env>()
  .get(
    '/sessions',
    describe({
      summary: 'List the caller’s sessions',
      tag,
      inPerson: true,
      answer: z.object({ sessions: z.array(sessionView) }),
      problems: ['INVALID'],
    }),
    noParameters,
    async (c) => c.json({ sessions: await listSessions(c.var.ctx) }),
  )
  .post(
    '/logout/others',
    describe({ summary: 'End all other sessions', tag, inPerson: true, problems: ['RATE'] }),
    async (c) => {
      await logOutElsewhere(c.var.ctx);
      return c.body(null, 204);
    },
  )
  .get(
    '/tokens',
    describe({
      summary: 'List the caller’s API tokens',
      tag,
      inPerson: true,
      answer: z.object({ tokens: z.array(apiTokenView) }),
      problems: ['INVALID'],
    }),
    noParameters,
    async (c) => c.json({ tokens: await listApiTokens(c.var.ctx) }),
  )
  .post(
    '/tokens',
    describe({
      summary: 'Create an API token; it is shown only once',
      tag,
      inPerson: true,
      answer: newApiTokenView,
      problems: ['RATE'],
    }),
    body(tokenInput),
    async (c) => c.json(await createApiToken(c.var.ctx, c.req.valid('json'))),
  )
  .delete(
    '/tokens/:id',
    describe({
      summary: 'Revoke an API token',
      tag,
      inPerson: true,
      problems: ['NOT_FOUND', 'RATE'],
    }),
    async (c) => {
      await deleteApiToken(c.var.ctx, c.req.param('id'));
      return c.body(null, 204);
    },
  );
