// `npm run backup` beside a running server, and `npm run restore` into an empty data folder (docs/operations.md).
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { demoPassword } from '#server/accounts/demo-people.ts';
import { readConfig } from '#server/config.ts';
import { createLog } from '#server/log.ts';
import { start } from '#server/start.ts';
import { Person } from '#tests/support/people.ts';
import { root } from '../house/files.ts';
import { runCommand } from './run-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'colloquy-backup-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const serve = (dataDir: string) =>
  start(readConfig({ PORT: '0', DATA_DIR: dataDir }, root), () => {}, {
    log: createLog('silent'),
    quickPasswords: true,
    client: null,
  });

/** Ann of the demo, signed in. */
async function demoPerson(port: number): Promise<Person> {
  const ann = new Person(`http://127.0.0.1:${port}`);
  Object.assign(ann, { email: 'ann@demo.example', password: demoPassword });
  await ann.login();
  return ann;
}

test('a backup that is made beside a running server is restored elsewhere, and only there', async () => {
  const [here, there] = [join(folder, 'here'), join(folder, 'there')];
  const file = join(folder, 'backup.tar');
  const server = await serve(here);
  const recordings = (port: number) => demoPerson(port).then((ann) => ann.get('/api/meetings?filters={}'));
  // Tags of a list come from the index of words, which is made behind the start.
  await expect.poll(async () => (await recordings(server.port)).body.hits[0].tags).toHaveLength(2);
  const before = await recordings(server.port);
  const made = await runCommand(here, 'backup', 'backup', file);
  expect(made).toEqual([0, expect.stringMatching(/rows of \d+ tables and [1-9]\d* files, [\d.]+ MB\.$/)]);
  expect(await runCommand(here, 'backup', 'backup', file)).toEqual([1, expect.stringContaining('is there already')]);
  expect(await runCommand(here, 'backup', 'restore', file)).toEqual([1, expect.stringContaining('is in use')]);
  await server.stop();
  expect(await runCommand(here, 'backup', 'restore', file)).toEqual([
    1,
    'There are accounts in this house already: a backup is restored into an empty one.',
  ]);

  expect(await runCommand(there, 'backup', 'restore', join(folder, 'none'))).toEqual([
    1,
    expect.stringContaining('There is no file'),
  ]);
  expect(await runCommand(there, 'backup', 'restore', file)).toEqual([
    0,
    expect.stringMatching(/Restored: .*\nThe books are right\.$/),
  ]);
  const again = await serve(there);
  try {
    expect((await recordings(again.port)).body).toEqual(before.body);
  } finally {
    await again.stop();
  }
});

test('without the name of a file it says what it does', async () => {
  expect(await runCommand(folder, 'backup', 'backup')).toEqual([
    2,
    expect.stringContaining('npm run restore -- <file>'),
  ]);
});
