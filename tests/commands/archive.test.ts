// `npm run archive`: an archive is checked without a database, and imported into the house of a data folder.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfig } from '#server/config.ts';
import { createLog } from '#server/log.ts';
import { start, type Running } from '#server/start.ts';
import { archived } from '#tests/support/archives.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { makeRecording } from '#tests/support/recording.ts';
import { root } from '../house/files.ts';
import { runCommand } from './run-command.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'colloquy-archive-'));
let house: TestHouse;
let server: Running | undefined;

beforeAll(async () => {
  house = await openHouse();
  const config = readConfig({ PORT: '0', DATA_DIR: dataDir, DEMO: 'off' }, root);
  server = await start(config, () => {}, { log: createLog('silent'), quickPasswords: true, client: null });
});
afterAll(async () => {
  await server?.stop();
  await house?.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const command = (...words: string[]) => runCommand(dataDir, 'archive', ...words);

test('an archive is checked, and imported beside a running server', async () => {
  const ann = await house.person('Ann');
  await makeRecording(house, ann);
  const { id } = await archived(ann, { all: true });
  const path = join(dataDir, 'archive.zip');
  const { bytes } = await ann.get(`/api/archives/${id}`);
  writeFileSync(path, bytes);
  expect(await command('check', path)).toEqual([
    0,
    expect.stringMatching(/^All \d+ files are right. Recordings: 1, as of/),
  ]);
  expect(await command('import', path, '--owner', ann.email)).toEqual([
    1,
    `No account has confirmed the address ${ann.email}.`,
  ]);
  const { passwords, db } = server?.house ?? house.house;
  await db.sql`
    insert into users (id, email, email_key, password_hash, first_name, last_name, created_at, confirmed_at) values
    ('owner', ${ann.email}, ${ann.email}, ${await passwords.hash(ann.password)}, 'Ann', 'Test', now(), now())`;
  expect(await command('import', path, '--owner', ann.email)).toEqual([
    0,
    'Recordings imported: 1. Imported before: 0.',
  ]);
  expect(await command('import', path, '--owner', ann.email)).toEqual([
    0,
    'Recordings imported: 0. Imported before: 1.',
  ]);
  expect(await db.sql`select title from meeting_projections`).toHaveLength(1);

  const damaged = Buffer.from(bytes);
  const middle = Math.floor(damaged.length / 2);
  damaged[middle] = (damaged[middle] ?? 0) ^ 1;
  writeFileSync(path, damaged);
  expect(await command('check', path)).toEqual([
    1,
    expect.stringMatching(/^recordings\/\w+\/media\/\w+\.mp3 is damaged$/),
  ]);
  writeFileSync(path, 'no zip');
  expect(await command('check', path)).toEqual([1, `${path} is damaged: it is no zip, or its end is missing.`]);
  expect(await command('check')).toEqual([2, expect.stringContaining('npm run archive -- check')]);
});
