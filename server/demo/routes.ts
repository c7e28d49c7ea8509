import { Hono } from 'hono';
import { z } from 'zod';
import { noParameters } from '../http/body.ts';
import type { Env } from '../http/env.ts';
import { describe } from '../http/openapi.ts';
import { openSample } from './sample.ts';

export const sampleRoutes = new Hono<Env>().post(
  '/sample',
  describe({
    summary: 'Get the caller’s own copy of the sample recording',
    more: 'The first call makes it; later ones answer the same meeting, and restore it if it was deleted. It costs no minutes.',
    tag: 'Library',
    answer: z.strictObject({ id: z.string() }),
    problems: ['INVALID', 'RATE', 'UNAVAILABLE'],
  }),
  noParameters,
  async (c) => c.json(await openSample(c.var.ctx)),
);
