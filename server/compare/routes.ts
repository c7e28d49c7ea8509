import { Hono } from 'hono';
import { compareAnswer, compareQuery } from '#shared/compare.ts';
import { query } from '../http/body.ts';
import type { Env } from '../http/env.ts';
import { describe } from '../http/openapi.ts';
import { compare } from './compare.ts';

export const compareRoutes = new Hono<Env>().get(
  '/compare',
  describe({
    summary: 'Compare recordings and assessments: a column each, a row for each type of outcome or colour',
    more: '`ids` are those of recordings or layers, separated by commas. Recordings and reviews count towards `most`; `cut` has the ids beyond it, and `missing` those that are not there or that the caller may not read. `rows` chooses what rows are made of: `overlaps` has a row for each part of a transcript by which assessments marked it. A cell has three of its passages; `row` asks for all of one row, by type, type and detail, or recording and start: `%20listening`, `listening%20detail`, `meeting%2012.5`.',
    tag: 'Comparison',
    answer: compareAnswer,
    problems: ['INVALID'],
  }),
  query(compareQuery),
  async (c) => c.json(await compare(c.var.ctx, c.req.valid('query'))),
);
