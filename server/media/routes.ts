import { Hono } from 'hono';
import type { Env } from '../http/env.ts';
import { hasIt } from '../http/etag.ts';
import { describe } from '../http/openapi.ts';
import { subtitlesOf } from './media-subtitles.ts';
import { answerMedium, mediumPolicy } from './media-answer.ts';
import { openMedium } from './media.ts';

export const mediaRoutes = new Hono<Env>()
  .get(
    '/meetings/:id/vtt',
    describe({
      summary: 'Get the current text as subtitles (WebVTT)',
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
      summary: 'Get a recording’s media, whole or a range of bytes',
      tag: 'Meetings',
      open: true,
      bytes: true,
      also: { 206: 'The range asked for', 304: 'The same as before' },
      problems: ['NO_ACCESS', 'NOT_FOUND', 'RANGE'],
    }),
    async (c) => {
      const { id, mediaId } = c.req.param();
      return answerMedium(c, await openMedium(c.var.ctx, { id, mediaId }));
    },
  );
