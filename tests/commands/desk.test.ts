// `npm run desk`, `npm run books` and `npm run archive`: beside a server that runs on the same data folder, and without it.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfig } from '#server/config.ts';
import { makeTalk } from '#server/demo/talk.ts';
import { createLog } from '#server/log.ts';
import { start, type Running } from '#server/start.ts';
import { newId } from '#shared/ids.ts';
import { archived } from '#tests/support/archives.ts';
import { Person } from '#tests/support/people.ts';
import { root } from '../house/files.ts';
import { runCommand } from './run-command.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'colloquy-desk-'));
let server: Running | undefined;
let ann: Person;
/** An archive of one recording of hers. */
const zipped = join(dataDir, 'archive.zip');

beforeAll(async () => {
  const config = readConfig({ PORT: '0', DATA_DIR: dataDir, DEMO: 'off' }, root);
  server = await start(config, () => {}, { log: createLog('silent'), quickPasswords: true, client: null });
  ann = Object.assign(new Person(`http://127.0.0.1:${server.port}`), { email: 'ann@example.test' });
  ann.id = newId();
  const { passwords, db } = server.house;
  await db.sql`
    insert into users (id, email, email_key, password_hash, first_name, last_name, created_at, confirmed_at) values
    (${ann.id}, ${ann.email}, ${ann.email}, ${await passwords.hash(ann.password)}, 'Ann', 'Test', now(), now())`;
  await ann.login();
});
afterAll(async () => {
  await server?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const command = (name: 'archive' | 'books' | 'desk', ...words: string[]) => runCommand(dataDir, name, ...words);

test('beside a running server the desk grants credits, which its people see, and the books are read', async () => {
  expect(await command('desk', 'grant', 'Ann@example.test', '12,50', 'Thank', 'you')).toEqual([
    0,
    'Ann@example.test has 12.50 credits now.',
  ]);
  expect((await ann.get('/api/balance')).body).toMatchObject({ balance: '12.50' });
  expect(await command('books')).toEqual([0, 'The books are right.']);
  expect(await command('desk', 'void-test-money')).toEqual([0, 'There is no test money: no payment was taken yet.']);
});

test('a mistake changes nothing and is named', async () => {
  const wrong = [
    [],
    ['grant', 'ann@example.test', '5'],
    ['grant', 'ann@example.test', '-5', 'why'],
    ['promo', 'SPRING', '5', '9', '0', '2027-02-30'],
  ];
  for (const words of wrong)
    expect(await command('desk', ...words)).toEqual([2, expect.stringContaining('npm run desk -- grant')]);
  expect(await command('desk', 'grant', 'nobody@example.test', '5', 'why')).toEqual([
    1,
    'No account has confirmed the address nobody@example.test.',
  ]);
  expect((await ann.get('/api/balance')).body).toMatchObject({ balance: '12.50' });
});

test('beside a running server an archive is checked and taken in, once', async () => {
  if (!server) throw new Error('no server');
  const { house } = server;
  const id = await makeTalk(house, ann.id, []);
  const { body: was } = await ann.get(`/api/meetings/${id}`);
  const archive = await archived(ann, { ids: [id] });
  writeFileSync(zipped, (await ann.get(`/api/archives/${archive.id}`)).bytes);
  expect(await command('archive', 'check', zipped)).toEqual([
    0,
    expect.stringMatching(/^All \d+ files are right\. Recordings: 1, as of /),
  ]);
  expect(await command('archive', 'import', zipped, '--owner', 'nobody@example.test')).toEqual([
    1,
    'No account has confirmed the address nobody@example.test.',
  ]);
  // The house is then like one that never had it.
  await house.db.sql`delete from meetings where id = ${id}`;
  const taken = () => command('archive', 'import', zipped, '--owner', 'Ann@example.test');
  expect(await taken()).toEqual([0, 'Recordings imported: 1. Imported before: 0.']);
  expect(await taken()).toEqual([0, 'Recordings imported: 0. Imported before: 1.']);
  const { hits } = (await ann.get('/api/meetings')).body;
  expect(hits).toHaveLength(1);
  const { body: is } = await ann.get(`/api/meetings/${hits[0].id}`);
  expect(is.doc.title).toBe(was.doc.title);
  expect(is.doc.transcript).toEqual(was.doc.transcript);
});

test('a damaged archive, a missing one and a mistyped command change nothing and are named', async () => {
  const damaged = join(dataDir, 'damaged.zip');
  const bytes = readFileSync(zipped);
  writeFileSync(damaged, bytes.subarray(0, bytes.length >> 1));
  const ann = ['--owner', 'ann@example.test'];
  expect(await command('archive', 'import', damaged, ...ann)).toEqual([
    1,
    expect.stringMatching(/damaged\.zip is damaged: .+\.$/),
  ]);
  const missing = join(dataDir, 'missing.zip');
  expect(await command('archive', 'check', missing)).toEqual([1, `There is no file ${missing}.`]);
  const usage = expect.stringContaining('npm run archive -- import');
  expect(await command('archive', 'import', zipped, ...ann, 'more')).toEqual([2, usage]);
});

test('without a server the desk starts the database of the folder and stops it again', async () => {
  await server?.stop();
  server = undefined;
  expect(await command('desk', 'promo', 'spring', '5', '100', '20', '2099-12-31')).toEqual([
    0,
    'SPRING adds 5.00 credits to a purchase, 100 times.',
  ]);
  expect(await command('desk', 'promos')).toEqual([
    0,
    'SPRING: 5.00 credits, used 0 of 100 times, from 20.00 on, until 2099-12-31T23:59:59.999Z',
  ]);
  expect(await command('desk', 'debts')).toEqual([0, 'Nobody owes anything.']);
  expect(await command('archive', 'import', zipped, '--owner', 'ann@example.test')).toEqual([
    0,
    'Recordings imported: 0. Imported before: 1.',
  ]);
});
