import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { extname } from 'node:path';
import type { Context } from 'hono';
import type { Env } from './env.ts';

/**
 * A public file, in memory: all of them together are a few megabytes. Only such files are compressed. Answers of the
 * API mix secrets with text of other people, and the compressed length would reveal secrets.
 */
export interface PublicFile {
  type: string;
  /** Digest of the content, the same for each compression. */
  etag: string;
  content: Buffer;
}

type Packing = 'br' | 'gzip';

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
};
/** Types worth compressing; the others are compressed by their format. */
const worthPacking = /^text\/|javascript|json|svg/;

/** Policy for a file opened as a page of its own: it may load files of this server only. */
const filePolicy = "default-src 'self'; base-uri 'none'; object-src 'none'; form-action 'none'; frame-ancestors 'none'";

export function publicFile(name: string, content: Buffer): PublicFile {
  const digest = createHash('sha256').update(content).digest('base64url').slice(0, 22);
  return {
    type: types[extname(name)] ?? 'application/octet-stream',
    etag: `W/"${digest}"`,
    content,
  };
}

/** Caching for names that contain the digest of their content. */
export const forever = 'public, max-age=31536000, immutable';
/** Caching for other names: the browser asks each time, and gets 304 if nothing changed. */
export const checked = 'no-cache';

export async function serveFile(c: Context<Env>, file: PublicFile, caching: string): Promise<Response> {
  c.header('Cache-Control', caching);
  c.header('Content-Security-Policy', filePolicy);
  c.header('ETag', file.etag);
  const mayPack = worthPacking.test(file.type) && file.content.length > 1024;
  if (mayPack) c.header('Vary', 'Accept-Encoding');
  const known = (c.req.header('if-none-match') ?? '').split(',').map((tag) => tag.trim().replace(/^(?!W\/)/, 'W/'));
  if (known.includes(file.etag)) return c.body(null, 304);

  const packing = mayPack ? acceptedPacking(c.req.header('accept-encoding')) : null;
  if (packing) c.header('Content-Encoding', packing);
  const bytes = packing ? await pack(file, packing) : file.content;
  c.header('Content-Type', file.type);
  c.header('Content-Length', String(bytes.length));
  return c.body(bytes as Uint8Array<ArrayBuffer>);
}

function acceptedPacking(header = ''): Packing | null {
  const accepted = header
    .toLowerCase()
    .split(',')
    .filter((part) => !/;\s*q=0(\.0*)?\s*$/.test(part))
    .map((part) => part.replace(/;.*/, '').trim());
  return accepted.includes('br') ? 'br' : accepted.includes('gzip') ? 'gzip' : null;
}

/** Compressed files by compression and digest, of all houses of this process: compressing a client takes seconds. */
const packed = new Map<string, Promise<Buffer>>();

/**
 * Compresses a file at its first request, outside the event loop: up to a tenth of a second each would delay the start.
 */
function pack({ content, etag }: PublicFile, packing: Packing): Promise<Buffer> {
  const key = `${packing} ${etag}`;
  let bytes = packed.get(key);
  if (!bytes) {
    bytes =
      packing === 'gzip' ? toGzip(content) : toBrotli(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } });
    packed.set(key, bytes);
  }
  return bytes;
}
const toGzip = promisify(gzip);
const toBrotli = promisify(brotliCompress);
