// npm run books (server/billing/books.ts): recomputes the books from their transfers, and finds whatever is wrong in them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Sql } from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase, type Database } from '#db/open.ts';
import { backUp } from '#server/backup/backup.ts';
import { booksKeeper, differencesIn } from '#server/billing/books.ts';
import { createDesk } from '#server/billing/desk.ts';
import { systemClock } from '#server/clock.ts';
import { transaction } from '#server/context.ts';
import { createLog } from '#server/log.ts';
import { createMetrics } from '#server/metrics.ts';
import { diskStore } from '#server/outside/disk-store.ts';
import { giveCredits, setFreeMinutes } from '#tests/support/billing.ts';
import { MovableClock } from '#tests/support/clock.ts';
import { emptyDatabase, freshDatabase } from '#tests/support/database.ts';

let database: Database;
let address: string;
let drop: () => Promise<void>;
const ann = { id: 'ann' };
beforeAll(async () => {
  ({ url: address, database, drop } = await freshDatabase());
  await database.sql`
    insert into users (id, email, email_key, first_name, last_name) values ('ann', 'a@example.test', 'a@example.test', 'Ann', 'Test')`;
  await giveCredits({ database }, ann, '10');
  await setFreeMinutes({ database }, ann, 2);
  const desk = createDesk({ clock: systemClock }, () => ({ speech: 150_000 }));
  const [one, two] = ['one', 'two'].map((meetingId) => ({ meetingId, model: 'speech', seconds: 180 }));
  for (const order of [one, two]) {
    if (!order) continue;
    const [option] = await desk.options(database.orm, ann, order);
    if (!option) throw new Error('nothing is offered');
    await transaction({ db: database }, async (tx) => {
      const hold = await desk.hold(tx, ann, order, option);
      if (order === one && hold) await desk.capture(tx, hold);
    });
  }
  // From here on nothing holds the laws.
  for (const table of ['ledger_accounts', 'ledger_postings', 'ledger_transfers', 'ledger_lines', 'holds'])
    await database.sql.unsafe(`alter table ${table} disable trigger user`);
  await database.sql`alter table ledger_accounts drop constraint ledger_accounts_funds`;
  await database.sql`alter table ledger_transfers drop constraint ledger_transfers_amount`;
  await database.sql`alter table allowances drop constraint allowances_used`;
});
afterAll(() => drop());

test('books that are right have no differences', async () => {
  expect(await differencesIn(database.sql)).toEqual([]);
});

test.for([
  [
    'a micro-dollar too much',
    'a balance differs from its transfers',
    "update ledger_accounts set balance = balance + 1 where name = 'credits'",
    "update ledger_accounts set balance = balance - 1 where name = 'credits'",
  ],
  [
    'a balance of the house',
    'an account of the house keeps a balance',
    "update ledger_accounts set balance = 1 where id = 'revenue'",
    "update ledger_accounts set balance = 0 where id = 'revenue'",
  ],
  [
    'a debt above zero',
    'a balance is below zero, or a debt above it',
    "update ledger_accounts set balance = 1 where name = 'debt'",
    "update ledger_accounts set balance = 0 where name = 'debt'",
  ],
  [
    'credits below zero',
    'a balance is below zero, or a debt above it',
    "update ledger_accounts set balance = balance - 100000000 where name = 'credits'",
    "update ledger_accounts set balance = balance + 100000000 where name = 'credits'",
  ],
  [
    'a debt that credits did not pay',
    'a purse owes something beside its credits',
    "update ledger_accounts set balance = -1 where name = 'debt'",
    "update ledger_accounts set balance = 0 where name = 'debt'",
  ],
  [
    'a negative amount',
    'an amount is not positive, stays where it is, or changes its unit',
    'update ledger_transfers set amount = -amount where posting_id = (select min(id) from ledger_postings)',
    'update ledger_transfers set amount = -amount where posting_id = (select min(id) from ledger_postings)',
  ],
  [
    'an event without transfers',
    'an event moves nothing',
    "insert into ledger_postings (key, kind, at) values ('empty', 'test', now())",
    "delete from ledger_postings where key = 'empty'",
  ],
  [
    'a line with another amount',
    'lines differ from the transfers of their event',
    'update ledger_lines set free_seconds = free_seconds + 1 where nth = 1',
    'update ledger_lines set free_seconds = free_seconds - 1 where nth = 1',
  ],
  [
    'a hole in the lines',
    'the lines of a purse are not numbered from 1 on',
    'update ledger_lines set nth = 99 where nth = 1',
    'update ledger_lines set nth = 1 where nth = 99',
  ],
  [
    'a hold that ended without its money',
    'what is reserved differs from the open holds',
    "update holds set state = 'released' where meeting_id = 'two'",
    "update holds set state = 'open' where meeting_id = 'two'",
  ],
  [
    'a hold of a recording that nobody transcribes',
    'work and its hold do not know each other',
    "insert into meetings (id, owner_id) values ('two', 'ann')",
    "delete from meetings where id = 'two'",
  ],
  [
    'a transcription under way that was paid already',
    'work and its hold do not know each other',
    `insert into meetings (id, owner_id) values ('one', 'ann');
      insert into intakes (meeting_id, owner_id, request_id, request_digest, state, title, model, lang, speakers, vocabulary, hold_id, created_at)
      select 'one', 'ann', 'one', '', 'processing', 'One', 'speech', 'en', 1, '', id, now() from holds where meeting_id = 'one'`,
    "delete from intakes; delete from meetings where id = 'one'",
  ],
  [
    'a hold of a question that nobody asked',
    'a question or a search and its hold do not know each other',
    `insert into meetings (id, owner_id) values ('two', 'ann');
      update holds set purpose = 'question' where meeting_id = 'two'`,
    "update holds set purpose = 'transcription' where meeting_id = 'two'; delete from meetings where id = 'two'",
  ],
  [
    'a question that failed and was paid',
    'a question or a search and its hold do not know each other',
    `insert into meetings (id, owner_id) values ('one', 'ann'); update holds set purpose = 'question' where meeting_id = 'one';
      insert into ai_runs (id, kind, meeting_id, user_id, hold_id, model, host, language, state, created_at)
      select 'run', 'question', 'one', 'ann', id, 'm', 'h', 'en', 'failed', now() from holds where meeting_id = 'one'`,
    "delete from ai_runs; delete from meetings where id = 'one'; update holds set purpose = 'transcription' where meeting_id = 'one'",
  ],
  [
    'a quota that was used for nothing',
    'what a member used of a quota differs from what the team paid and reserved',
    `insert into groups (id, type, name, created_at) values ('team', 'team', 'Team', now());
      insert into allowances (group_id, user_id, used) values ('team', 'ann', 1)`,
    "delete from groups where id = 'team'",
  ],
  [
    'a quota that is exceeded',
    'what a member used of a quota differs from what the team paid and reserved',
    `insert into groups (id, type, name, created_at) values ('team', 'team', 'Team', now());
      insert into allowances (group_id, user_id, quota, used) values ('team', 'ann', -1, 0)`,
    "delete from groups where id = 'team'",
  ],
] as const)('%s is found', async ([, law, wrong, right]) => {
  await database.sql.unsafe(wrong);
  expect((await differencesIn(database.sql)).map((one) => one.split(':')[0])).toContain(law);
  await database.sql.unsafe(right);
  expect(await differencesIn(database.sql)).toEqual([]);
});

test('the server checks the books soon after its start and then once a day, logs what is wrong, and counts it', async () => {
  const clock = new MovableClock();
  clock.stop();
  const logged: string[] = [];
  const log = createLog('info', { write: (line: string) => void logged.push(line) });
  const metrics = createMetrics();
  const check = booksKeeper({ db: database, clock, log, metrics });
  const seen = async () => [logged.length, (await metrics.booksDifferences.get()).values[0]?.value];
  await database.sql`update ledger_accounts set balance = balance + 1 where name = 'credits'`;
  try {
    await check();
    expect(await seen()).toEqual([1, 1]);
    expect(logged[0]).toContain('the books are wrong');
    clock.forward(86_399);
    await check();
    expect(await seen()).toEqual([1, 1]);
    clock.forward(1);
    await check();
    expect(await seen()).toEqual([2, 1]);
  } finally {
    await database.sql`update ledger_accounts set balance = balance - 1 where name = 'credits'`;
  }
  clock.forward(86_400);
  await check();
  expect(await seen()).toEqual([2, 0]);
});

/** Output and exit code of a command on a database. */
async function command(
  url: string,
  [name = 'books', ...words]: readonly string[] = [],
  dataDir?: string,
): Promise<{ code: number | null; said: string }> {
  const script = new URL(`../../scripts/${name}.mjs`, import.meta.url).pathname;
  // Not all of the environment: the test runner sets keys of its own.
  const env = { PATH: process.env['PATH'], DATABASE_URL: url, ...(dataDir && { DATA_DIR: dataDir }) };
  const child = spawn(process.execPath, [script, ...words], { env });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, said };
}

test('the command ends with 0 where the books are right, and with 1 where it names a micro-dollar', async () => {
  expect(await command(address)).toMatchObject({ code: 0, said: expect.stringContaining('The books are right.') });
  await database.sql`update ledger_accounts set balance = balance + 1 where name = 'credits'`;
  const { code, said } = await command(address);
  await database.sql`update ledger_accounts set balance = balance - 1 where name = 'credits'`;
  expect([code, said]).toEqual([1, expect.stringContaining('a balance differs from its transfers: {"account":"')]);
  expect(said).toContain('The books are wrong.');
});

test('a backup of wrong books is restored as it is, and the command says so and ends with 1', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'colloquy-books-'));
  const there = await emptyDatabase();
  const file = join(folder, 'backup.tar');
  const noKeys = { sign: () => Promise.reject(new Error('no')), verify: () => Promise.resolve(null) };
  const balance = async (sql: Sql) => [...(await sql`select balance from ledger_accounts where name = 'credits'`)];
  try {
    await database.sql`update ledger_accounts set balance = balance + 1 where name = 'credits'`;
    const wrong = await balance(database.sql);
    await backUp({ url: address, store: diskStore(join(folder, 'files'), noKeys) }, file, '1.2.3');
    await database.sql`update ledger_accounts set balance = balance - 1 where name = 'credits'`;
    const { code, said } = await command(there.url, ['backup', 'restore', file], join(folder, 'data'));
    expect([code, said]).toEqual([1, expect.stringContaining('Restored: ')]);
    expect(said).toMatch(/a balance differs from its transfers: .*\nThe books are wrong\.\n$/);
    const restored = openDatabase(there.url);
    expect(await balance(restored.sql)).toEqual(wrong);
    await restored.close();
  } finally {
    await there.drop('wrong');
    await rm(folder, { recursive: true, force: true });
  }
});
