import { Readable } from 'node:stream';
import { Hono } from 'hono';
import { Problem } from '#shared/problems.ts';
import type { Env } from '../http/env.ts';
import { hasIt } from '../http/etag.ts';
import { describe } from '../http/openapi.ts';
import { subtitlesOf } from './media-subtitles.ts';
import { openMedium, readRange } from './media.ts';

/** Should one be opened as a page of its own, nothing in it may act. */
const mediumPolicy = "default-src 'none'; sandbox; frame-ancestors 'none'";

export const mediaRoutes = new Hono<Env>()
  .get(
    '/meetings/:id/vtt',
    describe({
      summary: 'The text as it is now, as subtitles (WebVTT)',
      tag: 'Meetings',
      open: true,
      text: 'text/vtt',
      also: { 304: 'The same as before' },
      problems: ['NO_ACCESS'],
    }),
    async (c) => {
      const knows = (etag: string) => hasIt(c.req.header('if-none-match'), etag);
      const { etag, text } = await subtitlesOf(c.var.ctx, { id: c.req.param('id'), knows });
      c.header('ETag', etag);
      c.header('Cache-Control', 'private, no-cache');
      if (text === null) return c.body(null, 304);
      c.header('Content-Security-Policy', mediumPolicy);
      c.header('Content-Type', 'text/vtt; charset=utf-8');
      return c.body(text);
    },
  )
  .get(
    '/meetings/:id/media/:mediaId',
    describe({
      summary: 'The bytes of a recording, whole or a range of them',
      tag: 'Meetings',
      open: true,
      bytes: true,
      also: { 206: 'The range asked for', 304: 'The same as before' },
      problems: ['NO_ACCESS', 'NOT_FOUND', 'RANGE'],
    }),
    async (c) => {
      const { ctx } = c.var;
      const medium = await openMedium(ctx, { id: c.req.param('id'), mediaId: c.req.param('mediaId') });
      // What stands under an id never changes.
      const etag = `"${medium.id}"`;
      c.header('ETag', etag);
      c.header('Accept-Ranges', 'bytes');
      c.header('Cache-Control', 'private, no-cache');
      if (hasIt(c.req.header('if-none-match'), etag)) return c.body(null, 304);

      const unchanged = (c.req.header('if-range') ?? etag) === etag;
      const range = unchanged ? readRange(c.req.header('range'), medium.bytes) : null;
      if (range === false) {
        c.header('Content-Range', `bytes */${medium.bytes}`);
        throw new Problem('RANGE');
      }
      c.header('Content-Security-Policy', mediumPolicy);
      c.header('Content-Type', medium.type);
      const length = range ? range.to - range.from + 1 : medium.bytes;
      c.header('Content-Length', String(length));
      if (range) c.header('Content-Range', `bytes ${range.from}-${range.to}/${medium.bytes}`);
      const status = range ? 206 : 200;
      if (c.req.method === 'HEAD') return c.body(null, status);
      const content = await ctx.store.read(medium.storeKey, range ?? undefined);
      return c.body(Readable.toWeb(content) as ReadableStream, status);
    },
  );
