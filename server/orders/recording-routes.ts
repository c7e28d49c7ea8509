import { Hono } from 'hono';
import type { Env } from '../http/env.ts';
import { answerMedium } from '../media/media-answer.ts';
import { openRecording, recordingPath } from './orders.ts';

/**
 * Serves the recording of an order to its operator. It is outside the API: the address holds the order, the person and
 * an expiry, and cookies are ignored. It stops working when the order is delivered, withdrawn or taken by another
 * operator.
 */
export const orderRecordingRoutes = new Hono<Env>().get(`${recordingPath}:token`, async (c) =>
  answerMedium(c, await openRecording(c.var.ctx, c.req.param('token'))),
);
