// `npm run desk` and `npm run books`: beside a server that runs on the same data folder, and without it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfig } from '#server/config.ts';
import { createLog } from '#server/log.ts';
import { start, type Running } from '#server/start.ts';
import { newId } from '#shared/ids.ts';
import { Person } from '#tests/support/people.ts';
import { root } from '../house/files.ts';
import { runCommand } from './run-command.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'colloquy-desk-'));
let server: Running | undefined;
let ann: Person;

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

const command = (name: 'books' | 'desk', ...words: string[]) => runCommand(dataDir, name, ...words);

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
});
