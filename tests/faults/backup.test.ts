// A backup and what it brings back (docs/operations.md, "Back up" and "Restore"): made while people type, of every table
// and file, refused where a byte is not as it was written, and joined with what browsers have that is newer.
import { randomBytes } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { connect } from '#db/connect.ts';
import { inSnapshot, isUnused } from '#db/dump.ts';
import { isMigrated, migrate } from '#db/migrate.ts';
import { openDatabase } from '#db/open.ts';
import { backUp } from '#server/backup/backup.ts';
import { Refused, restore } from '#server/backup/restore.ts';
import { differencesIn } from '#server/billing/books.ts';
import { readConfig } from '#server/config.ts';
import { transaction } from '#server/context.ts';
import { createLog } from '#server/log.ts';
import { diskStore } from '#server/outside/disk-store.ts';
import { start } from '#server/start.ts';
import { newId } from '#shared/ids.ts';
import { Chance } from '#tests/sim/chance.ts';
import { giveCredits } from '#tests/support/billing.ts';
import { emptyDatabase } from '#tests/support/database.ts';
import {
  closeEditors,
  difference,
  Editor,
  nothingWrong,
  settled,
  stored,
  synced,
  typedBy,
  typing,
  until,
} from '#tests/support/editors.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { makeMeeting, share, ticketFor } from '#tests/support/meetings.ts';
import { Person } from '#tests/support/people.ts';
import { makeRecording } from '#tests/support/recording.ts';

const root = new URL('../..', import.meta.url).pathname;
const migrations = join(root, 'db/migrations');
const version = '1.2.3';

let house: TestHouse;
let folder: string;
const ends: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'colloquy-backup-'));
  house = await openHouse();
});
afterEach(async () => {
  closeEditors();
  for (const end of ends.splice(0).toReversed()) await end();
});
afterAll(async () => {
  await house.close();
  await rm(folder, { recursive: true, force: true });
});

const noKeys = { sign: () => Promise.reject(new Error('no')), verify: () => Promise.resolve(null) };

/** A backup of a house, in a new file. */
async function backup({ url, house: { store } }: TestHouse = house): Promise<string> {
  const path = join(folder, newId());
  await backUp({ url, store }, path, version);
  return path;
}

/** An empty database, and an empty folder beside it. */
async function empty() {
  const { url, drop } = await emptyDatabase();
  ends.push(drop);
  const dataDir = join(folder, newId());
  return { url, dataDir, store: diskStore(join(dataDir, 'files'), noKeys), migrations };
}

/** The rows of each table, whatever their order. */
const contentsOf = (url: string): Promise<Record<string, string[]>> =>
  inSnapshot(url, async ({ outline, rows }) => {
    const found: Record<string, string[]> = {};
    for (const table of outline.tables) {
      const chunks: Buffer[] = [];
      for await (const chunk of rows(table)) chunks.push(chunk);
      found[table.name] = Buffer.concat(chunks).toString().split('\n').toSorted();
    }
    return found;
  });

/** A server on what was restored. */
async function serve({ url, dataDir }: { url: string; dataDir: string }): Promise<string> {
  const running = await start(readConfig({ PORT: '0', DATABASE_URL: url, DATA_DIR: dataDir }, root), () => {}, {
    log: createLog('silent'),
    quickPasswords: true,
    client: null,
  });
  ends.push(() => running.stop());
  return `http://127.0.0.1:${running.port}`;
}

test('every row of every table, every file and every law of the tables is there again', async () => {
  // Nothing works on in a house that has stopped, so that the two databases can be compared.
  const own = await openHouse();
  ends.push(() => own.close());
  const [ann, ben] = await own.people(2);
  const meeting = await makeRecording(own, person(ann), [person(ben)]);
  await person(ann).post(`/api/meetings/${meeting}/comments`, { text: 'a comment\n\\N\t"' });
  const files = new Map([1, 0, 9_000_000].map((bytes) => [newId(), randomBytes(bytes)]));
  for (const [key, bytes] of files) await own.house.store.put(key, Readable.from([bytes]));
  // Books with a grant, and with a hold of work that is under way.
  await giveCredits(own, person(ann), '10');
  const { costs, db } = own.house;
  const order = { meetingId: newId(), purpose: 'share', price: 2_000_000n } as const;
  const option = { cost: 2, groupId: null };
  expect(await transaction({ db }, (tx) => costs.hold(tx, person(ann), order, option))).not.toBeNull();
  await own.stop();

  const before = await contentsOf(own.url);
  const there = await empty();
  const told = await restore(there, await backup(own));
  const rows = Object.values(before).reduce((sum, { length }) => sum + length - 1, 0);
  expect(told).toMatchObject({ version, rows });
  expect(told.files).toBeGreaterThan(files.size);
  expect(before['users']).toHaveLength(3);
  expect(before['holds']).toHaveLength(2);
  const sql = connect(there.url, { max: 1 });
  const { count } = await sql`update rooms set restored_at = null where restored_at is not null`;
  expect(await differencesIn(sql)).toEqual([]);
  await sql.end();
  expect(count).toBe((before['rooms'] ?? []).length - 1);
  expect(await contentsOf(there.url)).toEqual(before);
  expect(await lawsOf(there.url)).toEqual(await lawsOf(own.url));
  for (const [key, bytes] of files) expect((await buffer(await there.store.read(key))).equals(bytes)).toBe(true);

  const origin = await serve(there);
  const again = Object.assign(new Person(origin), { email: person(ann).email });
  await again.login();
  expect((await again.get(`/api/meetings/${meeting}`)).body).toMatchObject({ owner: { name: 'Ann Test' } });
  expect((await again.get('/api/balance')).body).toMatchObject({ balance: '8.00', reserved: { balance: '2.00' } });
});

/** Constraints, triggers and sequences, as PostgreSQL describes them. */
async function lawsOf(url: string): Promise<unknown[]> {
  const sql = connect(url, { max: 1 });
  const laws = await sql`
    select conrelid::regclass::text || ' ' || conname as name, pg_get_constraintdef(oid) as law
      from pg_constraint where connamespace = 'public'::regnamespace
    union all select tgrelid::regclass::text || ' ' || tgname, tgenabled::text
      from pg_trigger where not tgisinternal
    union all select sequencename, last_value::text from pg_sequences where schemaname = 'public'
    order by 1, 2`;
  await sql.end();
  expect(laws.length).toBeGreaterThan(100);
  return [...laws];
}

test('a backup that is made while people type has all that was saved when it began', async () => {
  const { ann, room, editors } = await table();
  const hands = typing(editors, 5);
  await until(() => typedBy(editors).length > 50);
  const saved = editors.flatMap((editor) => editor.saved);
  const path = await backup();
  await hands.stop();
  await settled(editors);
  const there = await empty();
  await restore(there, path);
  const sql = connect(there.url, { max: 1 });
  const { text } = await stored(sql, room);
  await sql.end();
  expect(difference(text, saved)).toEqual(nothingWrong);
  expect(saved.length).toBeGreaterThan(20);
  expect(ann.id).not.toBe('');
});

test('what was saved after the backup comes back from the browsers that have it', async () => {
  const { room, editors, moveTo } = await table();
  for (let i = 0; i < 20; i += 1) for (const editor of editors) editor.type();
  await settled(editors);
  const path = await backup();
  for (let i = 0; i < 20; i += 1) for (const editor of editors) editor.type();
  await settled(editors);
  const there = await empty();
  await restore(there, path);
  moveTo(await serve(there));
  for (const { socket } of editors) socket?.terminate();
  await until(() => editors.every(({ attempts }) => attempts.length > 1));
  for (const editor of editors) editor.type();
  await settled(editors);
  const sql = connect(there.url, { max: 1 });
  const { text } = await stored(sql, room);
  await sql.end();
  expect(difference(text, typedBy(editors))).toEqual(nothingWrong);
});

/** Three people at one transcript, whose pages can be led to another address. */
async function table() {
  const people = await house.people(3);
  const ann = person(people[0]);
  const meeting = await makeMeeting(house, ann);
  for (const other of people.slice(1)) await share(house, meeting, other, ['read', 'write', 'history']);
  const room = `${meeting}/transcript`;
  let origin = house.origin;
  const tickets = await Promise.all(people.map((one) => ticketFor(one, room)));
  const editors = tickets.map((ticket) => new Editor({ room, ticket, at: () => origin, hasty: true }));
  await synced(editors);
  return { ann, room, editors, moveTo: (to: string) => (origin = to) };
}

test('a damaged backup is refused, and nothing is changed', async () => {
  const whole = await readFile(await backup());
  const there = await empty();
  const path = join(folder, newId());
  const refused = async (bytes: Buffer, why: RegExp) => {
    await writeFile(path, bytes);
    await expect(restore(there, path)).rejects.toThrow(why);
    await expect(restore(there, path)).rejects.toBeInstanceOf(Refused);
  };
  for (const cut of [0, 100, 600, whole.length >> 1, whole.length - 1024])
    await refused(whole.subarray(0, cut), /damaged|no backup/);
  const chance = new Chance(7);
  for (let i = 0; i < 20; i += 1) {
    const at = chance.between(0, whole.length - 1025);
    // A tar file fills its blocks up with zeros, which say nothing.
    if (whole[at] === 0) continue;
    const bytes = Buffer.from(whole);
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    await refused(bytes, /damaged|no backup/);
  }
  await refused(Buffer.from('hello'), /no backup/);
  expect(await isUnused(there.url)).toBe(true);
});

test('a house with accounts is not written over, nor is an earlier backup', async () => {
  await house.people(1);
  const path = await backup();
  const before = await contentsOf(house.url);
  const target = { url: house.url, store: house.house.store, migrations };
  await expect(restore(target, path)).rejects.toThrow('There are accounts in this house already');
  expect((await contentsOf(house.url))['users']).toEqual(before['users']);
  await expect(backUp({ url: house.url, store: house.house.store }, path, version)).rejects.toThrow('is there already');
});

test('a backup of an older version is restored and brought to this one; that of a newer version is refused', async () => {
  const journal = JSON.parse(await readFile(join(migrations, 'meta/_journal.json'), 'utf8')) as {
    entries: { tag: string; when: number }[];
  };
  const folderOf = async (count: number) => {
    const some = join(folder, newId());
    await mkdir(join(some, 'meta'), { recursive: true });
    const entries = journal.entries.slice(0, count);
    await writeFile(join(some, 'meta/_journal.json'), JSON.stringify({ entries }));
    for (const { tag } of entries) await copyFile(join(migrations, `${tag}.sql`), join(some, `${tag}.sql`));
    return some;
  };
  const old = await empty();
  await migrate(old.url, await folderOf(20));
  const sql = connect(old.url, { max: 1 });
  await sql`insert into users (id, email, email_key, password_hash, first_name, last_name, created_at)
    values (${newId()}, 'ann@example.test', 'ann@example.test', 'x', 'Ann', 'Test', now())`;
  await sql.end();
  const path = join(folder, newId());
  await backUp(old, path, '0.0.1');

  const there = await empty();
  await restore(there, path);
  const database = openDatabase(there.url);
  expect(await isMigrated(database, migrations)).toBe(true);
  expect(await database.sql`select first_name from users`).toEqual([{ first_name: 'Ann' }]);
  await database.close();

  const older = { ...(await empty()), migrations: await folderOf(19) };
  await expect(restore(older, path)).rejects.toThrow('was made by a newer version (0.0.1): update first');
});

function person(one: Person | undefined): Person {
  if (!one) throw new Error('nobody there');
  return one;
}
