import { Hono } from 'hono';
import { attachmentAnswer, deleteAttachmentInput } from '#shared/attachments.ts';
import { body } from '../http/body.ts';
import type { Env } from '../http/env.ts';
import { formOf } from '../http/multipart.ts';
import { describe } from '../http/openapi.ts';
import { answerMedium } from '../media/media-answer.ts';
import { addAttachment, deleteAttachment, openAttachment } from './attachments.ts';

const tag = 'Attachments';

export const attachmentRoutes = new Hono<Env>()
  .post(
    '/meetings/:id/attachment',
    describe({
      summary: 'Upload a voice note about a meeting; the caller’s outcome or comment may then carry its `url`',
      more: 'At most 25 MB and ten minutes. Becomes an mp3 where the server can convert it. `type` is `vnote` for an outcome or `vcomment` for a comment. Uploads without an outcome or comment are deleted after a day.',
      tag,
      answer: attachmentAnswer,
      form: { file: 'file', type: 'text' },
      problems: ['NO_ACCESS', 'RATE'],
    }),
    async (c) => c.json(await addAttachment(c.var.ctx, { id: c.req.param('id'), form: formOf(c) })),
  )
  .post(
    '/meetings/:id/delete-attachment',
    describe({
      summary: 'Delete the caller’s upload while no outcome or comment carries it',
      tag,
      problems: ['NO_ACCESS', 'NOT_FOUND', 'CONFLICT'],
    }),
    body(deleteAttachmentInput),
    async (c) => {
      await deleteAttachment(c.var.ctx, { ...c.req.valid('json'), id: c.req.param('id') });
      return c.body(null, 204);
    },
  )
  .get(
    '/meetings/:id/attachments/:attachmentId',
    describe({
      summary: 'Get a voice note, whole or a range of bytes, for those who may read its outcome or comment',
      tag,
      open: true,
      bytes: true,
      also: { 206: 'The range asked for', 304: 'The same as before' },
      problems: ['NO_ACCESS', 'NOT_FOUND', 'RANGE'],
    }),
    async (c) => {
      const found = await openAttachment(c.var.ctx, c.req.param());
      // A browser downloads the file when it is opened directly; the pages can still play it.
      c.header('Content-Disposition', 'attachment');
      return answerMedium(c, found);
    },
  );
