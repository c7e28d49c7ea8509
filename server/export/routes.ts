import { Hono } from 'hono';
import { exportInput } from '#shared/export.ts';
import { attachment } from '../http/attachment.ts';
import { body } from '../http/body.ts';
import type { Env } from '../http/env.ts';
import { describe } from '../http/openapi.ts';
import { exportMeeting } from './export.ts';

export const exportRoutes = new Hono<Env>().post(
  '/export/:id',
  describe({
    summary: 'Export a meeting’s transcript as a file (pdf: format RAE); options the format does not have are ignored',
    more: 'By a layer’s id: with the annotations and grades of that assessment in the place of the recording’s own.',
    tag: 'Export',
    open: true,
    bytes: true,
    problems: ['NO_ACCESS', 'RATE', 'UNAVAILABLE'],
  }),
  body(exportInput),
  async (c) => {
    const { name, type, bytes } = await exportMeeting(c.var.ctx, { ...c.req.valid('json'), id: c.req.param('id') });
    c.header('Content-Type', type);
    c.header('Content-Disposition', attachment(name));
    return c.body(new Uint8Array(bytes));
  },
);
