import { Hono } from 'hono';
import { languagesAndModels, languagesView } from '#shared/intake.ts';
import type { Env } from '../http/env.ts';
import { describe } from '../http/openapi.ts';

export const intakeRoutes = new Hono<Env>().get(
  '/languages',
  describe({
    summary: 'The languages a recording may be in, and the models that write it down',
    tag: 'Intake',
    open: true,
    answer: languagesView,
  }),
  (c) => c.json(languagesAndModels()),
);
