import { Hono } from 'hono';
import { archiveDays, archiveInput, archivesAnswer, archiveView } from '#shared/archives.ts';
import { attachment } from '../http/attachment.ts';
import { body, noParameters } from '../http/body.ts';
import type { Env } from '../http/env.ts';
import { once } from '../http/once.ts';
import { describe } from '../http/openapi.ts';
import { answerMedium } from '../media/media-answer.ts';
import { deleteArchive, listArchives, makeArchive, openArchive } from './archives.ts';

const tag = 'Archives';

export const archiveRoutes = new Hono<Env>()
  .get(
    '/archives',
    describe({
      summary: 'List the caller’s archives with how far they are, newest first',
      tag,
      answer: archivesAnswer,
      problems: ['INVALID'],
    }),
    noParameters,
    async (c) => c.json(await listArchives(c.var.ctx)),
  )
  .post(
    '/archives',
    describe({
      summary: 'Make an archive: recordings with everything the caller may read of them, in one zip',
      more: `Of recordings by \`ids\`, of a \`folder\` with all below it, or of \`all\` in the caller’s library; without those they have by a review alone. It is made in the background, one at a time, and can be downloaded for ${archiveDays} days. \`manifest.json\` in it names all files with their SHA-256.`,
      tag,
      answer: archiveView,
      problems: ['NO_ACCESS', 'CONFLICT', 'RATE', 'IDEMP'],
    }),
    body(archiveInput),
    once,
    async (c) => c.json(await makeArchive(c.var.ctx, c.req.valid('json'))),
  )
  .get(
    '/archives/:id',
    describe({
      summary: 'Download an archive, whole or a range of bytes; only for the person who made it',
      tag,
      bytes: true,
      also: { 206: 'The range asked for', 304: 'The same as before' },
      problems: ['NO_ACCESS', 'RANGE'],
    }),
    async (c) => {
      const { name, ...file } = await openArchive(c.var.ctx, { id: c.req.param('id') });
      c.header('Content-Disposition', attachment(name));
      return answerMedium(c, { ...file, type: 'application/zip' });
    },
  )
  .delete(
    '/archives/:id',
    describe({ summary: 'Stop the making of an archive, or delete it', tag, problems: ['NO_ACCESS'] }),
    async (c) => {
      await deleteArchive(c.var.ctx, { id: c.req.param('id') });
      return c.body(null, 204);
    },
  );
