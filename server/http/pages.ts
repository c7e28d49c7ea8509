import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, readdir, stat } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { Readable } from 'node:stream';
import { Hono } from 'hono';
import { newSecret } from '../keys.ts';
import type { House } from '../context.ts';
import type { Env } from './env.ts';

/** The built client: its page, its files, and the version both carry. */
export interface Pages {
  version: string;
  /** Null where no client was built (tests of the API alone). */
  index: string | null;
  files: Map<string, { path: string; size: number }>;
}

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

/** Read once at start: what is not in this list is not served, however the path is spelled. */
export async function readPages(folder: string | null): Promise<Pages> {
  const files: Pages['files'] = new Map();
  const index = folder ? await readFile(join(folder, 'index.html'), 'utf8').catch(() => null) : null;
  if (!folder || index === null) return { version: 'none', index: null, files };
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const name = `/${relative(folder, path).split(sep).join('/')}`;
    if (name === '/index.html' || name.startsWith('/.vite/')) continue;
    files.set(name, { path, size: (await stat(path)).size });
  }
  // The page names its hashed files, so its digest changes whenever any of them does.
  return { version: createHash('sha256').update(index).digest('hex').slice(0, 16), index, files };
}

export function pageRoutes(house: House, pages: Pages) {
  return new Hono<Env>().get('*', (c) => {
    const file = pages.files.get(c.req.path);
    if (file) {
      c.header('Content-Type', types[extname(file.path)] ?? 'application/octet-stream');
      c.header('Content-Length', String(file.size));
      c.header('Cache-Control', c.req.path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache');
      return c.body(Readable.toWeb(createReadStream(file.path)) as ReadableStream);
    }
    if (pages.index === null || c.req.path.startsWith('/assets/')) return c.text('Not found', 404);
    const nonce = newSecret();
    c.header('Cache-Control', 'no-store');
    c.header('Content-Security-Policy', pagePolicy(nonce, house.config.secureCookies));
    return c.html(pages.index.replaceAll('__NONCE__', nonce).replaceAll('__VERSION__', pages.version).replaceAll('__DEV__', house.config.dev ? 'on' : 'off'));
  });
}

const pagePolicy = (nonce: string, secure: boolean): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "media-src 'self' blob:",
    "worker-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    ...(secure ? ['upgrade-insecure-requests'] : []),
  ].join('; ');
