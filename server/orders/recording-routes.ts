import { Hono } from 'hono';
import type { Env } from '../http/env.ts';
import { answerMedium } from '../media/media-answer.ts';
import { openRecording, recordingPath } from './orders.ts';

/**
 * Where an operator hears the recording of an order. Not of the API: the address says what, who for and until when, and
 * nobody's cookie is looked at. It leads nowhere any more when the order is answered, withdrawn or somebody else's.
 */
export const orderRecordingRoutes = new Hono<Env>().get(`${recordingPath}:token`, async (c) =>
  answerMedium(c, await openRecording(c.var.ctx, c.req.param('token'))),
);
