// Files served to browsers: the page of the client, its files, and nothing else, for every kind of request.
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { speak } from './raw.ts';
import { expectHeaders, expectProblem, openWorld, type World } from './run.ts';

const script = `export const words = ${JSON.stringify('so many words '.repeat(500))};\n`;
const index = `<!doctype html><meta property="csp-nonce" nonce="__NONCE__"><meta name="colloquy-version" content="__VERSION__"><script src="/assets/main-abc123.js"></script>`;

let folder: string;
let world: World;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'colloquy-pages-'));
  const client = join(folder, 'client');
  await mkdir(join(client, 'assets'), { recursive: true });
  await mkdir(join(client, '.vite'));
  await writeFile(join(client, 'index.html'), index);
  await writeFile(join(client, 'assets/main-abc123.js'), script);
  await writeFile(join(client, 'assets/small-abc123.css'), 'a{}');
  await writeFile(join(client, 'assets/font-abc123.woff2'), Buffer.alloc(5000, 7));
  await writeFile(join(client, 'favicon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  await writeFile(join(client, '.vite/manifest.json'), '{"secret":true}');
  await writeFile(join(folder, 'secret.txt'), 'not for anybody');
  await symlink(join(folder, 'secret.txt'), join(client, 'link.txt'));
  world = await openWorld({ client });
});
afterAll(async () => {
  await world.house.close();
  await rm(folder, { recursive: true, force: true });
});

/** The bytes as received, packed or not. */
function bytes(path: string, headers: Record<string, string> = {}, method = 'GET') {
  return new Promise<{ status: number; headers: Record<string, string | string[] | undefined>; body: Buffer }>(
    (resolve, reject) => {
      const outgoing = request(
        { host: '127.0.0.1', port: world.house.port, path, method, headers, agent: false },
        (incoming) => {
          const parts: Buffer[] = [];
          incoming.on('data', (part: Buffer) => parts.push(part));
          incoming.on('end', () =>
            resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: Buffer.concat(parts) }),
          );
        },
      );
      outgoing.on('error', reject);
      outgoing.end();
    },
  );
}

describe('files', () => {
  const asset = '/assets/main-abc123.js';

  test('named by their content are cached for good, the others requested again', async () => {
    expect((await bytes(asset)).headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect((await bytes('/favicon.svg')).headers).toMatchObject({
      'cache-control': 'no-cache',
      'content-type': 'image/svg+xml',
    });
  });

  test.each([
    ['br', 'gzip, deflate, br', (body: Buffer) => brotliDecompressSync(body)],
    ['gzip', 'gzip', (body: Buffer) => gunzipSync(body)],
    ['gzip', 'gzip, br;q=0', (body: Buffer) => gunzipSync(body)],
    [undefined, '', (body: Buffer) => body],
    [undefined, 'identity', (body: Buffer) => body],
    [undefined, 'br;q=0, gzip;q=0.0', (body: Buffer) => body],
    [undefined, 'brotli, x-gzip', (body: Buffer) => body],
  ])('come packed as %s for %o', async (packing, accepted, unpack) => {
    const { headers, body } = await bytes(asset, { 'Accept-Encoding': accepted });
    expect(headers['content-encoding']).toBe(packing);
    expect(headers['vary']).toBe('Accept-Encoding');
    expect(Number(headers['content-length'])).toBe(body.length);
    expect(unpack(body).toString()).toBe(script);
    if (packing) expect(body.length).toBeLessThan(script.length / 4);
  });

  test('that are small, or packed already, are sent unchanged', async () => {
    for (const path of ['/assets/small-abc123.css', '/assets/font-abc123.woff2']) {
      const { headers } = await bytes(path, { 'Accept-Encoding': 'br' });
      expect(headers['content-encoding']).toBeUndefined();
      expect(headers['vary']).toBeUndefined();
    }
  });

  test('that a browser has are not sent again', async () => {
    const etag = String((await bytes('/favicon.svg')).headers['etag']);
    for (const given of [etag, `"other", ${etag}`, etag.replace('W/', '')]) {
      const { status, body } = await bytes('/favicon.svg', { 'If-None-Match': given });
      expect([status, body.length]).toEqual([304, 0]);
    }
    expect((await bytes('/favicon.svg', { 'If-None-Match': '"other"' })).status).toBe(200);
  });

  test('can be asked about without being sent', async () => {
    const { status, headers, body } = await bytes(asset, {}, 'HEAD');
    expect([status, Number(headers['content-length']), body.length]).toEqual([200, script.length, 0]);
  });
});

describe('pages', () => {
  test('B15 allow nothing from elsewhere, no inline script, and no other page around them', async () => {
    const one = await world.send({ path: '/meeting/some-id' });
    const other = await world.send({ path: '/' });
    expectHeaders(one);
    const policy = String(one.headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'; script-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(one.headers['cross-origin-opener-policy']).toBe('same-origin');
    const nonce = /'nonce-([\w-]{43})'/.exec(policy)?.[1] ?? 'none';
    expect(one.text).toContain(`nonce="${nonce}"`);
    expect(other.text).not.toContain(nonce);
  });

  test('B15 all answers of the house say the same of frames', async () => {
    for (const path of [
      '/',
      '/favicon.svg',
      '/api/docs',
      '/api/docs/swagger-ui.css',
      '/api/openapi.json',
      '/api/login',
      '/healthz',
      '/api/nothing',
    ]) {
      expectHeaders(await world.send({ path }));
    }
  });

  test('carry the version that every answer carries', async () => {
    const { text, headers } = await world.send({ path: '/login' });
    expect(headers['x-version']).toMatch(/^[0-9a-f]{16}$/);
    expect(text).toContain(`content="${headers['x-version']}"`);
    expect((await world.send({ path: '/api/principals/whoami' })).headers['x-version']).toBe(headers['x-version']);
  });

  test('are never packed: they carry a nonce', async () => {
    expect((await bytes('/', { 'Accept-Encoding': 'br, gzip' })).headers['content-encoding']).toBeUndefined();
  });

  test('nor are answers of the API', async () => {
    expect(
      (await bytes('/api/principals/whoami', { 'Accept-Encoding': 'br, gzip' })).headers['content-encoding'],
    ).toBeUndefined();
  });
});

describe('nothing else', () => {
  const outside = [
    '/../secret.txt',
    '/assets/../../secret.txt',
    '/%2e%2e/secret.txt',
    '/..%2fsecret.txt',
    '/assets/..%2f..%2fsecret.txt',
    '/assets/%2e%2e%2f%2e%2e%2fsecret.txt',
    '/..%5csecret.txt',
    '/assets/....//....//secret.txt',
    '//secret.txt',
    '/./secret.txt',
    '/%252e%252e/secret.txt',
    '/link.txt',
    '/.vite/manifest.json',
    '/.env',
    '/.git/config',
    '/.well-known/anything',
    '/assets/none.js',
    '/assets/',
    '/assets',
    '/index.html',
    '/etc/passwd',
    '/secret.txt',
    '/assets/main-abc123.js%00.txt',
    '/favicon.svg/',
    '/server/main.ts',
    '/package.json',
  ];
  test.each(outside)('%s', async (path) => {
    // Unlike a program's library, `speak` sends the path unchanged.
    const { text, status } = await speak(
      world.house.port,
      `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
    );
    expect(text).not.toMatch(/not for anybody|"secret":true|root:|"dependencies"|so many words/);
    expect([200, 400, 404]).toContain(status);
    if (status === 200) expect(text).toContain('<!doctype html>');
  });

  test('a file that is not there is a failure like any other', async () => {
    const answer = await world.send({ path: '/assets/none.js' });
    expect(answer.status).toBe(404);
    expectProblem(answer, 'NOT_FOUND');
    expectHeaders(answer);
  });
});

describe('with TLS only', () => {
  let house: TestHouse;
  beforeAll(async () => {
    house = await openHouse({ client: join(folder, 'client'), env: { PUBLIC_URL: 'https://colloquy.example' } });
  });
  afterAll(() => house.close());

  test('browsers are told to use TLS only, and cookies are for this host alone', async () => {
    const page = await house.stranger().get('/');
    expect(page.headers.get('strict-transport-security')).toBe('max-age=31536000');
    expect(page.headers.get('content-security-policy')).toContain('upgrade-insecure-requests');
    const form = await house.stranger().get('/api/login');
    expect(form.headers.get('set-cookie')).toMatch(/^__Host-pre=.*; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
  });

  test('only the public address is our own', async () => {
    const person = await house.person('Ann');
    const from = (Origin: string) => person.post('/api/principals/me', { language: 'ru' }, { headers: { Origin } });
    expect((await from(house.origin)).problem.code).toBe('CSRF');
    expect((await from('http://colloquy.example')).problem.code).toBe('CSRF');
    expect((await from('https://colloquy.example')).status).toBe(200);
  });
});
