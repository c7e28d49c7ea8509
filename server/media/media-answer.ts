import { Readable } from 'node:stream';
import type { Context } from 'hono';
import { Problem } from '#shared/problems.ts';
import type { Env } from '../http/env.ts';
import { hasIt } from '../http/etag.ts';
import { readRange, type Medium } from './media.ts';

/** Policy for a file opened as a page: no content in it is active. */
export const mediumPolicy = "default-src 'none'; sandbox; frame-ancestors 'none'";

/** Sends a file or the requested range. The caller checks the permission before. */
export async function answerMedium(
  c: Context<Env>,
  medium: Pick<Medium, 'id' | 'bytes' | 'type' | 'storeKey'>,
): Promise<Response> {
  const { ctx } = c.var;
  // The content of an id never changes.
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
}
