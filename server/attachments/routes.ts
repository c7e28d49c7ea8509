import { Hono } from 'hono';
import { attachmentAnswer, deleteAttachmentInput, filesView } from '#shared/attachments.ts';
import { body, noParameters } from '../http/body.ts';
import { attachment } from '../http/attachment.ts';
import type { Env } from '../http/env.ts';
import { formOf } from '../http/multipart.ts';
import { describe } from '../http/openapi.ts';
import { answerMedium } from '../media/media-answer.ts';
import { addAttachment, deleteAttachment, openAttachment } from './attachments.ts';
import { listFiles, restoreFile } from './files.ts';

const tag = 'Attachments';

export const attachmentRoutes = new Hono<Env>()
  .post(
    '/meetings/:id/attachment',
    describe({
      summary: 'Upload a voice note, whose `url` the caller’s outcome or comment may then carry, or a file',
      more: 'At most 25 MB and ten minutes. Becomes an mp3 where the server can convert it. `type` is `vnote` for an outcome or `vcomment` for a comment. Voice notes without an outcome or comment are deleted after a day. With the type `file`, sent before the file: a picture, PDF, Office document or text of at most 25 MB, as its content tells; it lies beside the recording, which takes *write*, or on a `comment` of the caller. By the id of a layer it belongs to that layer, where files lie on comments alone.',
      tag,
      answer: attachmentAnswer,
      form: { type: 'text', comment: 'text', file: 'file' },
      problems: ['NO_ACCESS', 'NO_PERM', 'RATE'],
    }),
    async (c) => c.json(await addAttachment(c.var.ctx, { id: c.req.param('id'), form: formOf(c) })),
  )
  .post(
    '/meetings/:id/delete-attachment',
    describe({
      summary: 'Delete the caller’s voice note while no outcome or comment carries it, or a file',
      more: 'Files are deleted by their senders, those beside the recording also by editors. For a day they can be restored.',
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
    '/meetings/:id/attachments',
    describe({
      summary: 'List the files beside a recording and on the comments that the caller may read, oldest first',
      tag,
      open: true,
      answer: filesView,
      problems: ['INVALID', 'NO_ACCESS'],
    }),
    noParameters,
    async (c) => c.json(await listFiles(c.var.ctx, { id: c.req.param('id') })),
  )
  .post(
    '/meetings/:id/attachments/:attachmentId/restore',
    describe({
      summary: 'Restore a file that was deleted within a day',
      tag,
      problems: ['NO_ACCESS', 'NOT_FOUND'],
    }),
    async (c) => {
      await restoreFile(c.var.ctx, c.req.param());
      return c.body(null, 204);
    },
  )
  .get(
    '/meetings/:id/attachments/:attachmentId',
    describe({
      summary: 'Get a voice note or file, whole or a range of bytes, for those who may read what it belongs to',
      tag,
      open: true,
      bytes: true,
      also: { 206: 'The range asked for', 304: 'The same as before' },
      problems: ['NO_ACCESS', 'NOT_FOUND', 'RANGE'],
    }),
    async (c) => {
      const found = await openAttachment(c.var.ctx, c.req.param());
      // A browser downloads the file when it is opened directly; the pages can still play and show it.
      c.header('Content-Disposition', found.name === null ? 'attachment' : attachment(found.name));
      return answerMedium(c, found);
    },
  );
