// npm run bench -- signin: duration of the sign-in calls, beside a Hono route that does nothing, in one run.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { Person } from '#tests/support/people.ts';
import { expectOk, run } from './houses/run.ts';
import { figures } from '../figures.ts';

if (process.argv[2] === 'bare') serveBare();
else await measure();

function serveBare() {
  const app = new Hono().get('/', (c) => c.json({ ok: true }));
  serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => {
    console.log(`Colloquy is ready at http://localhost:${port}`);
  });
}

async function measure() {
  const folder = mkdtempSync(join(tmpdir(), 'colloquy-bench-'));
  const bare = await run(['--import', 'tsx', fileURLToPath(import.meta.url), 'bare']);
  const house = await run([fileURLToPath(new URL('../start.mjs', import.meta.url))], {
    DATA_DIR: folder,
    LOG_LEVEL: 'error',
  });
  try {
    const stranger = new Person(house.address);
    const ann = new Person(house.address);
    ann.email = 'ann@example.test';
    const registered = await ann.register();
    if (registered.status !== 200) throw new Error(`registering failed: ${registered.text}`);
    const [mail] = (await ann.get(`/api/outbox?to=${ann.email}`)).body as { text: string }[];
    const token = /\/confirm\/([\w.-]+)/.exec(mail?.text ?? '')?.[1];
    const signIn = async () => expectOk(ann.login());
    await expectOk(ann.post(`/api/confirm/${token}`));
    await signIn();

    const nothing = new Person(bare.address);
    const calls: [string, number, () => Promise<unknown>][] = [
      ['a Hono route that does nothing', 300, async () => expectOk(nothing.get('/'))],
      ['whoami of nobody', 300, async () => expectOk(stranger.whoami())],
      ['whoami of somebody signed in', 300, async () => expectOk(ann.whoami())],
      ['login', 20, signIn],
    ];
    const times = new Map<string, number[]>();
    // Alternating rounds, so that other load affects all alike; the first round is a warm-up.
    for (let round = 0; round <= 5; round++) {
      for (const [name, count, call] of calls) {
        const taken = times.get(name) ?? [];
        if (round > 0) times.set(name, taken);
        for (let i = 0; i < count; i++) {
          const started = performance.now();
          await call();
          taken.push(performance.now() - started);
        }
      }
    }
    const bareMedian = figures(times.get('a Hono route that does nothing') ?? []).median;
    for (const [name, taken] of times) {
      const { median, text } = figures(taken);
      console.log(`${name}: ${text}, ${(median / bareMedian).toFixed(1)} times the bare route`);
    }
  } finally {
    await Promise.all([bare.stop(), house.stop()]);
    rmSync(folder, { recursive: true, force: true });
  }
}
