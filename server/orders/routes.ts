import { Hono } from 'hono';
import { answeredOrder, orderRecordingView, ordersView, orderView, refuseInput } from '#shared/orders.ts';
import { body, noParameters } from '../http/body.ts';
import type { Env } from '../http/env.ts';
import { formOf } from '../http/multipart.ts';
import { describe } from '../http/openapi.ts';
import { answerOrder, giveBackOrder, listOrders, recordingOf, refuseOrder, takeOrder } from './orders.ts';

const tag = 'Orders';

/** Routes of the queue of human transcripts, for operators. */
export const orderRoutes = new Hono<Env>()
  .get(
    '/orders',
    describe({
      summary: 'List waiting and recent orders of human transcripts; for operators',
      tag,
      answer: ordersView,
      problems: ['INVALID', 'NO_ACCESS'],
    }),
    noParameters,
    async (c) => c.json({ orders: await listOrders(c.var.ctx) }),
  )
  .post(
    '/orders/:id/take',
    describe({
      summary: 'Take an order, so that nobody else works on it',
      tag,
      answer: orderView,
      problems: ['NO_ACCESS', 'NOT_FOUND', 'CONFLICT'],
    }),
    async (c) => c.json(await takeOrder(c.var.ctx, { id: c.req.param('id') })),
  )
  .post(
    '/orders/:id/give-back',
    describe({
      summary: 'Give an order back to the queue',
      tag,
      answer: orderView,
      problems: ['NO_ACCESS', 'NOT_FOUND', 'CONFLICT'],
    }),
    async (c) => c.json(await giveBackOrder(c.var.ctx, { id: c.req.param('id') })),
  )
  .post(
    '/orders/:id/refuse',
    describe({
      summary: 'Refuse an order; its owner is refunded and told the reason',
      tag,
      answer: orderView,
      problems: ['NO_ACCESS', 'NOT_FOUND', 'CONFLICT'],
    }),
    body(refuseInput),
    async (c) => c.json(await refuseOrder(c.var.ctx, { ...c.req.valid('json'), id: c.req.param('id') })),
  )
  .post(
    '/orders/:id/transcript',
    describe({
      summary: 'Complete an order with a transcript file in any format that can be imported',
      tag,
      answer: answeredOrder,
      form: { transcript: 'file', transcriptType: 'text' },
      problems: ['NO_ACCESS', 'NOT_FOUND', 'CONFLICT', 'RATE', 'UNAVAILABLE'],
    }),
    async (c) => c.json(await answerOrder(c.var.ctx, { id: c.req.param('id'), form: formOf(c) })),
  )
  .get(
    '/orders/:id/recording',
    describe({
      summary: 'Get an address for playing and downloading an order’s recording, valid for five minutes',
      tag,
      answer: orderRecordingView,
      problems: ['NO_ACCESS', 'NOT_FOUND', 'CONFLICT'],
    }),
    async (c) => c.json(await recordingOf(c.var.ctx, { id: c.req.param('id') })),
  );
