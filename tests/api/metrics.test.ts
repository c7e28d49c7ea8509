// Metrics of the server, and who may read them.
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createApp } from '#server/app.ts';
import { newId } from '#shared/ids.ts';
import { indexAll, makeSaid } from '#tests/support/finding.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';

let house: TestHouse;
beforeAll(async () => {
  house = await openHouse({ env: { TRUSTED_PROXIES: '10.0.0.1' } });
});
afterAll(() => house.close());

/** Uses node's own client, because `fetch` chooses the Host itself. */
const ask = (headers: Record<string, string> = {}) =>
  new Promise<{ status: number; type: string; text: string }>((resolve, reject) => {
    const outgoing = request(
      { host: '127.0.0.1', port: house.port, path: '/metrics', headers, agent: false },
      (answer) => {
        let text = '';
        answer.on('data', (part: Buffer) => (text += part.toString()));
        answer.on('end', () =>
          resolve({ status: answer.statusCode ?? 0, type: String(answer.headers['content-type']), text }),
        );
      },
    );
    outgoing.on('error', reject);
    outgoing.end();
  });

interface Line {
  name: string;
  labels: Record<string, string>;
  value: number;
}
const read = (text: string): Line[] =>
  text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', labels = '', value = ''] = /^([a-z0-9_]+)(?:\{(.*)\})? (\S+)$/i.exec(line) ?? [];
      const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key, one]) => [key, one]);
      return { name, labels: Object.fromEntries(pairs) as Record<string, string>, value: Number(value) };
    });

describe('metrics are shown to', () => {
  test('requests from this machine, by a name of it', async () => {
    for (const Host of ['localhost', '127.0.0.1', `localhost:${house.port}`, '[::1]:80']) {
      expect((await ask({ Host })).status).toBe(200);
    }
  });

  test.each([
    [{ 'X-Forwarded-For': '127.0.0.1' }],
    [{ 'X-Forwarded-Proto': 'https' }],
    [{ 'X-Real-IP': '127.0.0.1' }],
    [{ Forwarded: 'for=127.0.0.1' }],
    [{ Via: '1.1 proxy' }],
    [{ Host: 'evil.example' }],
    [{ Host: 'localhost.evil.example' }],
    [{ Host: '127.0.0.1.evil.example:80' }],
  ])('nobody who came another way: %o', async (headers) => {
    const { status, text } = await ask(headers as Record<string, string>);
    expect(status).toBe(404);
    expect(text).not.toContain('colloquy_');
  });
});

describe('metrics contain', () => {
  test('routes by their patterns, never what was asked for', async () => {
    const word = `canary${newId(10)}`;
    const ann = await house.person('Ann');
    for (const path of [
      `/api/confirm/${word}`,
      `/api/reset/${word}`,
      `/api/invitations/${word}`,
      `/api/${word}`,
      `/${word}`,
      `/api/tokens/${word}?q=${word}`,
    ]) {
      for (const method of ['GET', 'POST', 'DELETE', 'PROPFIND']) await ann.call(method, path);
    }
    const { text, type } = await ask();
    expect(type).toContain('text/plain; version=0.0.4');
    expect(text).not.toContain(word);
    expect(text).not.toMatch(/127\.0\.0\.1|@example/);
    const app = createApp(house.house, { version: 'none', index: null, files: new Map() });
    const patterns = new Set([...app.routes.map(({ path }) => path), '*']);
    const seen = read(text).filter(({ name }) => name === 'colloquy_http_request_seconds_count');
    expect(seen.length).toBeGreaterThan(5);
    for (const { labels } of seen) {
      expect(patterns.has(labels['route'] ?? ''), labels['route']).toBe(true);
      expect(Object.keys(labels).toSorted()).toEqual(['method', 'route', 'status']);
    }
    expect(seen.some(({ labels }) => labels['route'] === '/api/confirm/:token' && labels['status'] === '410')).toBe(
      true,
    );
  });

  test('sign-ins by their result, and what was limited by which rule', async () => {
    const before = read((await ask()).text);
    const of = (lines: Line[], name: string, labels: Record<string, string>) =>
      lines.find(
        (line) => line.name === name && Object.entries(labels).every(([key, value]) => line.labels[key] === value),
      )?.value ?? 0;
    const ben = await house.person('Ben');
    await ben.login();
    for (let i = 0; i < 11; i += 1) {
      const stranger = house.stranger();
      stranger.email = ben.email;
      await stranger.login({ password: 'not this password' });
    }
    const after = read((await ask()).text);
    const more = (name: string, labels: Record<string, string>) => of(after, name, labels) - of(before, name, labels);
    expect(more('colloquy_sign_ins_total', { result: 'ok' })).toBe(1);
    expect(more('colloquy_sign_ins_total', { result: 'refused' })).toBe(10);
    expect(more('colloquy_rate_limited_total', { rule: 'login-account' })).toBe(1);
  });

  test('how many documents search is behind with', async () => {
    const behind = async () =>
      read((await ask()).text).find(({ name }) => name === 'colloquy_finding_behind_rooms')?.value;
    const ann = await house.person('Ann');
    await indexAll(house);
    expect(await behind()).toBe(0);
    // Nobody can write to the index meanwhile.
    await house.database.sql.begin(async (tx) => {
      await tx`lock table search_rooms in share row exclusive mode`;
      await makeSaid(house, ann, ['a harvest']);
      expect(await behind()).toBe(1);
    });
    await indexAll(house);
    expect(await behind()).toBe(0);
  });

  test('how the process does', async () => {
    const names = new Set(read((await ask()).text).map(({ name }) => name));
    for (const name of ['process_resident_memory_bytes', 'nodejs_eventloop_lag_seconds', 'colloquy_mails_waiting']) {
      expect(names.has(name), name).toBe(true);
    }
  });
});
