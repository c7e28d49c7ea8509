import { createHash } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { Hono } from 'hono';
import { Problem } from '#shared/problems.ts';
import { newSecret } from '../keys.ts';
import type { House } from '../context.ts';
import type { Env } from './env.ts';
import { checked, forever, publicFile, serveFile, type PublicFile } from './files.ts';

/** The built client: its page, its files, and the version both carry. */
export interface Pages {
  version: string;
  /** Null where no client was built (tests of the API alone). */
  index: string | null;
  files: Map<string, PublicFile>;
}

/** Read once at start: what is not in this list is not served, however the path is spelled. */
export async function readPages(folder: string | null): Promise<Pages> {
  const files: Pages['files'] = new Map();
  const index = folder ? await readFile(join(folder, 'index.html'), 'utf8').catch(() => null) : null;
  if (!folder || index === null) return { version: 'none', index: null, files };
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const name = `/${relative(folder, path).split(sep).join('/')}`;
    if (name === '/index.html' || name.startsWith('/.')) continue;
    files.set(name, publicFile(name, await readFile(path)));
  }
  // The page names its hashed files, so its digest changes whenever any of them does.
  return { version: createHash('sha256').update(index).digest('hex').slice(0, 16), index, files };
}

/**
 * No screen of ours is called like this; whoever asks is looking for something that is not ours. Below /sync only
 * WebSockets are served, and where the door is at other processes not even these.
 */
const noScreen = /^\/(assets\/|sync\/|\.)|%2e|%2f|%5c|%00|\\|\/\//i;

export function pageRoutes(house: House, pages: Pages) {
  return new Hono<Env>().get('*', (c) => {
    const file = pages.files.get(c.req.path);
    if (file) return serveFile(c, file, c.req.path.startsWith('/assets/') ? forever : checked);
    if (pages.index === null || noScreen.test(new URL(c.req.url).pathname)) throw new Problem('NOT_FOUND');
    const nonce = newSecret();
    c.header('Content-Security-Policy', pagePolicy(nonce, house.config.secureCookies, house.store.origin));
    return c.html(
      pages.index
        .replaceAll('__NONCE__', nonce)
        .replaceAll('__VERSION__', pages.version)
        .replaceAll('__DEV__', house.config.dev ? 'on' : 'off'),
    );
  });
}

/** Recordings may lie elsewhere: a page sends and plays them there. */
const pagePolicy = (nonce: string, secure: boolean, store: string | null): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "font-src 'self'",
    `connect-src 'self'${store === null ? '' : ` ${store}`}`,
    `media-src 'self' blob:${store === null ? '' : ` ${store}`}`,
    "worker-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    ...(secure ? ['upgrade-insecure-requests'] : []),
  ].join('; ');
