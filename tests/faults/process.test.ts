// The process of the server: how it stops, and how it ends after an unforeseen failure.
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { connect } from '#db/connect.ts';
import { emptyDatabase } from '#tests/support/database.ts';
import { freePort } from '#tests/support/ports.ts';
import { deserted, endProcesses, openProcess, processesIn, run } from '#tests/support/processes.ts';
import { openRedis, redisBinary } from '#tests/support/redis.ts';

let url: string;
let drop: () => Promise<void>;
beforeAll(async () => {
  ({ url, drop } = await emptyDatabase());
});
afterAll(() => drop());

afterEach(() => endProcesses());
const openServer = (env: Record<string, string> = {}, more: string[] = []) =>
  openProcess({ DATABASE_URL: url, ...env }, { modules: more });

const refused = async (origin: string): Promise<boolean> =>
  fetch(`${origin}/healthz`).then(
    () => false,
    () => true,
  );

/** Half a request, which the server has confirmed to have; the rest, and the answer, come later. */
async function begin(port: number, agent?: Agent) {
  const body = JSON.stringify({ text: 'It works well.' });
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': body.length,
    Expect: '100-continue',
    'X-Request-ID': 'some-request-id',
  };
  const outgoing = request({
    host: '127.0.0.1',
    port,
    path: '/api/feedback',
    method: 'POST',
    headers,
    ...(agent ? { agent } : {}),
  });
  outgoing.write(body.slice(0, 5));
  const had = new Promise((resolve) => {
    outgoing.on('continue', resolve);
    outgoing.on('error', resolve);
  });
  const answered = new Promise<IncomingMessage | null>((resolve) => {
    outgoing.on('response', (answer) => {
      answer.resume();
      resolve(answer);
    });
    outgoing.on('error', () => resolve(null));
  });
  await had;
  return { finish: () => outgoing.end(body.slice(5)), answered };
}

describe('SIGTERM', () => {
  test('lets a request under way finish, refuses new ones, and ends with success', async () => {
    const { child, port, origin, ended, lines } = await openServer();
    const late = await begin(port);
    child.kill('SIGTERM');
    while (!(await refused(origin))) await sleep(20);
    late.finish();
    const answer = await late.answered;
    expect(answer?.statusCode).toBe(204);
    expect(answer?.headers.connection).toBe('close');
    expect(await ended).toBe(0);
    expect(lines.filter((line) => /"level":"(error|fatal)"/.test(line))).toEqual([]);
  });

  test('does not wait for ever for a request that never ends, nor at all for connections that only idle', async () => {
    const { child, port, ended } = await openServer();
    const agent = new Agent({ keepAlive: true });
    const idle = await begin(port, agent);
    idle.finish();
    await idle.answered;
    const never = await begin(port);
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
    expect(await never.answered).toBeNull();
    agent.destroy();
  });

  test('twice, and with Ctrl-C in between, is once', async () => {
    const { child, ended } = await openServer();
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGTERM', 'SIGHUP'] as const) child.kill(signal);
    expect(await ended).toBe(0);
  });

  test('while it is still starting: it gives up, and leaves no database behind', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'colloquy-process-'));
    const started = run('server/main.ts', { DATA_DIR: folder });
    await started.heard(/Making the database/);
    started.child.kill('SIGTERM');
    expect(await started.ended).toBe(0);
    expect(started.lines.some((line) => line.startsWith('Colloquy is ready'))).toBe(false);
    await deserted(folder);
    const again = run('server/main.ts', { DATA_DIR: folder });
    await again.heard(/^Colloquy is ready at /);
    again.child.kill('SIGTERM');
    expect(await again.ended).toBe(0);
    await rm(folder, { recursive: true, force: true });
  });
});

test('F57 while it is starting it lives and is not ready, and says so with the headers of every answer', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'colloquy-process-'));
  const port = await freePort();
  const started = run('server/main.ts', { DATA_DIR: folder, PORT: String(port) });
  const seen = new Set<string>();
  const watching = (async () => {
    while (!seen.has('ready 200')) {
      for (const what of ['health', 'ready']) {
        const answer = await fetch(`http://127.0.0.1:${port}/${what}z`).catch(() => null);
        if (answer) seen.add(`${what} ${answer.status}`);
        if (answer) expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
        if (answer?.status === 503) expect(answer.headers.get('retry-after')).toBe('1');
      }
      await sleep(20);
    }
  })();
  await started.heard(/^Colloquy is ready at /);
  await watching;
  expect([...seen].toSorted()).toEqual(['health 200', 'ready 200', 'ready 503']);
  started.child.kill('SIGTERM');
  expect(await started.ended).toBe(0);
  await rm(folder, { recursive: true, force: true });
});

describe('an unhandled failure', () => {
  const failing = (how: string) =>
    `data:text/javascript,${encodeURIComponent(`process.on('SIGUSR2', () => { ${how} });`)}`;

  test.each([
    ['thrown', "setTimeout(() => { throw new Error('unforeseen') }, 0)"],
    ['rejected', "Promise.reject(new Error('unforeseen'))"],
    ['thrown that is no error', "setTimeout(() => { throw 'unforeseen' }, 0)"],
  ])('%s: it is logged, all is closed, and the process ends as failed', async (_, how) => {
    const folder = await mkdtemp(join(tmpdir(), 'colloquy-process-'));
    const { child, lines, ended, port } = await openServer({ DATABASE_URL: '', DATA_DIR: folder }, [failing(how)]);
    expect(processesIn(folder).length).toBeGreaterThan(0);
    const late = await begin(port);
    child.kill('SIGUSR2');
    await sleep(200);
    late.finish();
    expect((await late.answered)?.statusCode).toBe(204);
    expect(await ended).toBe(1);
    const fatal = lines.filter((line) => line.includes('"level":"fatal"'));
    expect(fatal).toHaveLength(1);
    expect(fatal[0]).toContain('unforeseen');
    expect(() => JSON.parse(fatal[0] ?? '') as unknown).not.toThrow();
    await deserted(folder);
    await rm(folder, { recursive: true, force: true });
  });
});

test('a house that was closed leaves nothing that keeps its process alive', async () => {
  const redis = redisBinary() ? await openRedis() : null;
  const env = {
    DATABASE_URL: url,
    SMTP_URL: 'smtp://127.0.0.1:9',
    BOT_CHECK: 'on',
    ...(redis ? { REDIS_URL: redis.url } : {}),
  };
  const { ended, lines } = run('tests/support/house-child.ts', env);
  expect(await ended).toBe(0);
  expect(lines.filter((line) => !line.startsWith('{'))).toEqual(['open', 'closed']);
  await redis?.close();
  const admin = connect(url, { max: 1 });
  const left =
    await admin`select 1 from pg_stat_activity where datname = current_database() and application_name = 'colloquy'`;
  await admin.end();
  expect(left).toHaveLength(0);
});
