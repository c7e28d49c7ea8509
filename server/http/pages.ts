import { createHash } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { Hono, type Context } from 'hono';
import { acceptedLanguage, type Language } from '#shared/i18n/languages.ts';
import { Problem } from '#shared/problems.ts';
import { newSecret } from '../keys.ts';
import type { House } from '../context.ts';
import type { Env } from './env.ts';
import { checked, forever, publicFile, serveFile, type PublicFile } from './files.ts';

/** The built client: its page, its files, and their common version. */
export interface Pages {
  version: string;
  /** Null without a built client (tests of the API alone). */
  index: string | null;
  files: Map<string, PublicFile>;
  /** Links in the head of a recording's page, by language, for the files that only this page needs. */
  recording?: Readonly<Record<Language, string>>;
}

/** Reads the client once at start; a file that is not in this list is never served, however its path is spelled. */
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
  const manifest = await readFile(join(folder, '.vite/manifest.json'), 'utf8').catch(() => null);
  const recording = manifest === null ? null : recordingLinks(JSON.parse(manifest) as Manifest);
  // The page names its hashed files, so its digest changes with each of them.
  const version = createHash('sha256').update(index).digest('hex').slice(0, 16);
  return { version, index, files, ...(recording && { recording }) };
}

/** The bundler's record of the file made from each source. */
type Manifest = Record<
  string,
  { file: string; src?: string; imports?: string[]; css?: string[]; assets?: string[] } | undefined
>;

/**
 * Preload links for a recording's page; without them the browser would request these files only after the first script
 * ran. Of the fonts, one for each alphabet, only Latin is preloaded, because most texts use it.
 */
function recordingLinks(manifest: Manifest): Record<Language, string> {
  const partsOf = (...sources: string[]): Set<string> => {
    const keys = new Set(sources);
    for (const key of keys) for (const next of manifest[key]?.imports ?? []) keys.add(next);
    return keys;
  };
  const first = partsOf('index.html');
  const own = [...partsOf('client/meeting-panes.tsx')].filter((key) => !first.has(key));
  const styles = new Set(own.flatMap((key) => manifest[key]?.css ?? []));
  const letters = manifest['index.html']?.assets?.find((name) => name.includes('/literata-latin-wght-normal-'));
  const script = (key: string) => {
    const file = manifest[key]?.file;
    return file === undefined ? '' : `<link rel="modulepreload" crossorigin href="/${file}">`;
  };
  const links = [
    ...own.map(script),
    ...[...styles].map((file) => `<link rel="preload" as="style" crossorigin href="/${file}">`),
    letters === undefined ? '' : `<link rel="preload" as="font" type="font/woff2" crossorigin href="/${letters}">`,
  ].join('');
  const inLanguage = (language: Language) =>
    links + script(`shared/i18n/${language}.ts`) + script(`shared/i18n/meetings/${language}.ts`);
  return { en: inLanguage('en'), zh: inLanguage('zh'), ru: inLanguage('ru'), es: inLanguage('es') };
}

/**
 * Paths that no screen has: requests for them look for files of other software. Below /sync only WebSockets are served.
 */
const noScreen = /^\/(assets\/|sync\/|\.)|%2e|%2f|%5c|%00|\\|\/\//i;

/** `fill`: puts into the page of an address what its reader may see before its scripts. */
export function pageRoutes(house: House, pages: Pages, fill: (c: Context<Env>, page: string) => Promise<string>) {
  return new Hono<Env>().get('*', async (c) => {
    const file = pages.files.get(c.req.path);
    if (file) return serveFile(c, file, c.req.path.startsWith('/assets/') ? forever : checked);
    if (pages.index === null || noScreen.test(new URL(c.req.url).pathname)) throw new Problem('NOT_FOUND');
    // For a person who chose another language, the client loads it later.
    const links = c.req.path.startsWith('/meeting/')
      ? (pages.recording?.[acceptedLanguage(c.req.header('accept-language'))] ?? '')
      : '';
    const nonce = newSecret();
    c.header('Content-Security-Policy', pagePolicy(nonce, house.config.secureCookies, house.store.origin));
    const page = pages.index
      .replace('</head>', `${links}</head>`)
      .replaceAll('__NONCE__', nonce)
      .replaceAll('__VERSION__', pages.version)
      .replaceAll('__DEV__', house.config.dev ? 'on' : 'off');
    // Last, so that nothing in the text is taken for a place to fill.
    return c.html(await fill(c, page));
  });
}

/** Content policy of the pages; it includes the origin of the store, where recordings are uploaded and played. */
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
