import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Hono } from 'hono';
import { html } from 'hono/html';
import { Problem } from '#shared/problems.ts';
import type { House } from '../context.ts';
import type { Env } from './env.ts';
import { checked, publicFile, serveFile, type PublicFile } from './files.ts';
import { describeApi, type Api } from './openapi.ts';

const page = html`<!doctype html>
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>Colloquy API</title>
      <link rel="icon" href="data:," />
      <link rel="stylesheet" href="/api/docs/swagger-ui.css" />
      <script src="/api/docs/swagger-ui-bundle.js" defer></script>
      <script src="/api/docs/start.js" defer></script>
    </head>
    <body>
      <div id="docs"></div>
    </body>
  </html>`;

// Requests from the page carry a request id, as those of the client do; without `validatorUrl: null` the page calls a
// foreign server. Collapsed, because the page shows only the first nine of more than 128 expanded calls.
const start = `SwaggerUIBundle({
  url: '/api/openapi.json',
  dom_id: '#docs',
  deepLinking: true,
  docExpansion: 'none',
  validatorUrl: null,
  requestInterceptor: (request) => {
    request.headers['X-Request-ID'] = crypto.randomUUID?.() ?? String(Date.now());
    return request;
  },
});
`;

/** Content policy of the page: nothing from other origins, nothing inline. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Routes of the API's description, and of a page to read it and try it out. */
export function docsRoutes(house: House, api: Api) {
  const files = new Map<string, Promise<PublicFile>>();
  const once = (name: string, content: () => Promise<string | Buffer>): Promise<PublicFile> => {
    let file = files.get(name);
    if (!file) {
      file = content().then((bytes) => publicFile(name, Buffer.from(bytes)));
      files.set(name, file);
    }
    return file;
  };
  const fromPackage = (name: string) => () =>
    readFile(join(dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json')), name));
  const parts: Record<string, () => Promise<string | Buffer>> = {
    'swagger-ui.css': fromPackage('swagger-ui.css'),
    'swagger-ui-bundle.js': fromPackage('swagger-ui-bundle.js'),
    'start.js': () => Promise.resolve(start),
  };

  return new Hono<Env>()
    .get('/openapi.json', async (c) => {
      const content = async () => JSON.stringify(await describeApi(api, house.config));
      return serveFile(c, await once('openapi.json', content), checked);
    })
    .get('/docs', (c) => {
      c.header('Content-Security-Policy', policy);
      return c.html(page);
    })
    .get('/docs/:part', async (c) => {
      const name = c.req.param('part');
      const content = Object.hasOwn(parts, name) ? parts[name] : undefined;
      if (!content) throw new Problem('NOT_FOUND');
      return serveFile(c, await once(name, content), checked);
    });
}
