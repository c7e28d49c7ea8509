import { Hono } from 'hono';
import { growthAnswer, growthQuery, mostPoints } from '#shared/reviews/growth.ts';
import { reportAnswer, reportQuery } from '#shared/reviews/report.ts';
import { attachment } from '../http/attachment.ts';
import { query } from '../http/body.ts';
import type { Env } from '../http/env.ts';
import { describe } from '../http/openapi.ts';
import { reportFile } from './file.ts';
import { viewGrowth } from './growth.ts';
import { viewReport } from './report.ts';

export const reportRoutes = new Hono<Env>()
  .get(
    '/growth',
    describe({
      summary: 'Get the grades of one person over time, from the reports that the caller reads',
      more: `A point for each report, of the latest ${mostPoints} recordings, with the competencies that somebody graded. \`person\` is the id of the person assessed in any report that the caller reads; without, the points are of the caller, or of the person assessed last. People of whom the caller reads no report are not named.`,
      tag: 'Reviews',
      answer: growthAnswer,
      problems: ['INVALID'],
    }),
    query(growthQuery),
    async (c) => c.json(await viewGrowth(c.var.ctx, c.req.valid('query'))),
  )
  .get(
    '/meetings/:id/reviews/:reviewId/report',
    describe({
      summary: 'Get the report of an open review for the person who was assessed',
      more: 'The same for everybody who may read it: made of the assessments that the person assessed reads once the review is published. `agreed` has the grades that reviewers set in their discussion, `median` that of all reviewers. What stands in braces is replaced. Null unless the review is open, and for the person assessed published.',
      tag: 'Reviews',
      answer: reportAnswer,
      problems: ['NO_PERM'],
    }),
    async (c) => c.json(await viewReport(c.var.ctx, c.req.param())),
  )
  .get(
    '/meetings/:id/reviews/:reviewId/report/file',
    describe({
      summary: 'Get the report of an open review as a Word document or PDF, in the language of the caller',
      tag: 'Reviews',
      bytes: true,
      problems: ['NO_PERM', 'NOT_FOUND', 'INVALID', 'RATE', 'UNAVAILABLE'],
    }),
    query(reportQuery),
    async (c) => {
      const { name, type, bytes } = await reportFile(c.var.ctx, { ...c.req.valid('query'), ...c.req.param() });
      c.header('Content-Type', type);
      c.header('Content-Disposition', attachment(name));
      return c.body(new Uint8Array(bytes));
    },
  );
