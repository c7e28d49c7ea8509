import { Hono } from 'hono';
import { feedbackInput, logInput, supportView } from '#shared/accounts.ts';
import { supportChatAnswer, supportChatInput } from '#shared/support-chat.ts';
import { body } from '../http/body.ts';
import type { Env } from '../http/env.ts';
import { once } from '../http/once.ts';
import { describe } from '../http/openapi.ts';
import { askSupport, hostOf, supportModel } from './chat.ts';
import { giveFeedback, logFromPage, supportAddress } from './support.ts';

const tag = 'Support';

export const supportRoutes = new Hono<Env>()
  .get(
    '/feedback',
    describe({
      summary: 'Whether somebody reads what is written to support, and whether a model answers first',
      tag,
      open: true,
      answer: supportView,
    }),
    async (c) => {
      const { ctx } = c.var;
      const model = await supportModel(ctx);
      return c.json({
        isRead: supportAddress(ctx.config) !== null,
        chat: model && { host: hostOf(model) },
      });
    },
  )
  .post(
    '/feedback',
    describe({ summary: 'Send feedback to whoever runs the server', tag, open: true, problems: ['NO_ACCESS', 'RATE'] }),
    body(feedbackInput),
    async (c) => {
      await giveFeedback(c.var.ctx, c.req.valid('json'));
      return c.body(null, 204);
    },
  )
  .post(
    '/feedback/chat',
    describe({
      summary: 'Ask a model how the product is used',
      more: 'It answers from the guide alone, with the words of the guide that say it and their places; otherwise `known` is false. Only the last message of the person is read: the conversation is the one that the server has under `chatId`. Sent with `POST /feedback`, the id hands it over to people.',
      tag,
      answer: supportChatAnswer,
      problems: ['NO_ACCESS', 'CONSENT', 'NOT_FOUND', 'CONFLICT', 'INVALID', 'RATE', 'IDEMP', 'UPSTREAM', 'NO_MODEL'],
    }),
    body(supportChatInput),
    once,
    async (c) => c.json(await askSupport(c.var.ctx, { ...c.req.valid('json'), signal: c.req.raw.signal })),
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
