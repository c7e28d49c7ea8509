import { Hono } from 'hono';
import { reportAnswer } from '#shared/reviews/report.ts';
import type { Env } from '../http/env.ts';
import { describe } from '../http/openapi.ts';
import { viewReport } from './report.ts';

export const reportRoutes = new Hono<Env>().get(
  '/meetings/:id/reviews/:reviewId/report',
  describe({
    summary: 'Get the report of an open review for the person who was assessed',
    more: 'The same for everybody who may read it: made of the assessments that the person assessed reads once the review is published. `agreed` has the grades that reviewers set in their discussion, `median` that of all reviewers. What stands in braces is replaced. Null unless the review is open, and for the person assessed published.',
    tag: 'Reviews',
    answer: reportAnswer,
    problems: ['NO_PERM'],
  }),
  async (c) => c.json(await viewReport(c.var.ctx, c.req.param())),
);
