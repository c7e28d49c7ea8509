// F7 and F8: PostgreSQL hangs, restarts, or is down for a while, under a running server.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connect } from '#db/connect.ts';
import { startEmbedded, type EmbeddedDatabase } from '#db/embedded.ts';
import { systemBinaries } from '#tests/support/cluster.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import type { Answer, Person } from '#tests/support/people.ts';
import { processesIn } from '#tests/support/processes.ts';

let folder: string;
let cluster: EmbeddedDatabase;
let house: TestHouse;
let ann: Person;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'colloquy-faults-'));
  const binaries = process.env['TEST_DATABASE'] === 'external' ? systemBinaries() : null;
  cluster = await startEmbedded({ dataDir: folder, ...(binaries ? { binaries } : {}) });
  house = await openHouse({ env: { DATABASE_URL: cluster.url } });
  ann = house.stranger();
  Object.assign(ann, { email: 'ann@example.test' });
  expect((await ann.register()).status).toBe(200);
});
afterAll(async () => {
  await house.close();
  await cluster.stop();
  await rm(folder, { recursive: true, force: true });
});

const postmaster = (): number => Number(readFileSync(join(cluster.folder, 'postmaster.pid'), 'utf8').split('\n')[0]);
/** The postmaster and everything it started. */
const everyPostgres = (): number[] => {
  const parent = postmaster();
  const children = execFileSync('ps', ['-o', 'pid=', '--ppid', String(parent)], { encoding: 'utf8' });
  return [parent, ...children.split('\n').map(Number).filter(Boolean)];
};
const signal = (pids: number[], name: NodeJS.Signals) => {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch (error) {
      // One of its processes may have ended in this very moment.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
};

const expectUnavailable = ({ problem, headers }: Answer) => {
  expect(problem).toMatchObject({ status: 503, code: 'UNAVAILABLE' });
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
};
/** The same question until it is answered well; the limit of the test bounds it. */
const well = async () => {
  while ((await ann.whoami()).status !== 200) await sleep(100);
};
const feedback = (text: string) => ann.post('/api/feedback', { text });
const stored = async (): Promise<string[]> => {
  const admin = connect(cluster.url, { max: 1 });
  const rows = await admin<{ text: string }[]>`select text from feedback`;
  await admin.end();
  return rows.map(({ text }) => text);
};

describe('F7 PostgreSQL hangs', () => {
  test('requests are refused within a bound, the server survives, and all works once PostgreSQL responds again', async () => {
    const frozen = everyPostgres();
    signal(frozen, 'SIGSTOP');
    try {
      // More than there are connections: some hold one that hangs, the others wait for one.
      const answers = await Promise.all(Array.from({ length: 25 }, () => ann.whoami()));
      for (const answer of answers) expectUnavailable(answer);
      expect((await house.stranger().get('/healthz')).status).toBe(200);
      expectUnavailable(await house.stranger().get('/readyz'));
      // Pages and forms need no database.
      expect((await house.stranger().get('/api/login')).status).toBe(200);
    } finally {
      signal(frozen, 'SIGCONT');
    }
    await well();
    expect((await feedback('after it hung')).status).toBe(204);
    expect((await house.stranger().get('/readyz')).status).toBe(200);
  });

  test('and if it never responds again, new connections reach its replacement', async () => {
    // Simulates a machine that vanishes while another takes its address: open connections stay silent for ever.
    const connected = everyPostgres().filter((pid) => pid !== postmaster());
    signal(connected, 'SIGSTOP');
    try {
      await well();
      for (let i = 0; i < 20; i += 1) expect((await ann.whoami()).status).toBe(200);
    } finally {
      signal(connected, 'SIGCONT');
    }
  });
});

describe('F8 PostgreSQL is restarted', () => {
  test.each(['SIGINT', 'SIGQUIT', 'SIGKILL'] as const)(
    'by %s in the middle of requests: they fail as such, nothing acknowledged is lost, and all is well without a restart of the house',
    async (how) => {
      const acknowledged: string[] = [];
      const others = new Set<number>();
      let going = true;
      const writers = Array.from({ length: 4 }, async (_, writer) => {
        for (let i = 0; going; i += 1) {
          const text = `${how} ${writer} ${i}`;
          house.house.limits.take = () => Promise.resolve();
          const { status } = await feedback(text);
          if (status === 204) acknowledged.push(text);
          else others.add(status);
        }
      });
      while (acknowledged.length < 10) await sleep(20);
      process.kill(postmaster(), how);
      while (!others.has(503)) await sleep(20);
      await well();
      const before = acknowledged.length;
      while (acknowledged.length < before + 10) await sleep(20);
      going = false;
      await Promise.all(writers);
      expect([...others]).toEqual([503]);
      const kept = new Set(await stored());
      expect(acknowledged.filter((text) => !kept.has(text))).toEqual([]);
    },
  );
});

test('nothing failed in an unforeseen way, and no process is left over', () => {
  expect(house.log()).not.toContain('"msg":"request failed"');
  expect(processesIn(cluster.folder).length).toBeGreaterThan(0);
});
