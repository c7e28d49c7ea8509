// Requirements of the house on any PostgreSQL: processes that start together, and bounded waits.
import { spawn } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { connect } from '#db/connect.ts';
import { isMigrated, migrate } from '#db/migrate.ts';
import { openDatabase, type Database, type Orm } from '#db/open.ts';
import { appendRows } from '#db/updates.ts';
import { asProblem } from '#server/http/answer.ts';
import { emptyDatabase, freshDatabase } from '#tests/support/database.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';

const root = join(import.meta.dirname, '../..');
const migrations = join(root, 'db/migrations');

const tablesOf = async (url: string): Promise<string[]> => {
  const admin = connect(url, { max: 1 });
  const rows = await admin<
    { name: string }[]
  >`select tablename as name from pg_tables where schemaname = 'public' order by 1`;
  await admin.end();
  return rows.map(({ name }) => name);
};

/** A database as it was before the migration with that number. */
async function olderDatabase(number: string): Promise<{ url: string; drop: () => Promise<unknown> }> {
  const { url, drop } = await emptyDatabase();
  const older = await mkdtemp(join(tmpdir(), 'colloquy-migrations-'));
  await cp(migrations, older, { recursive: true });
  const journal = JSON.parse(await readFile(join(older, 'meta/_journal.json'), 'utf8')) as {
    entries: { tag: string }[];
  };
  journal.entries = journal.entries.filter(({ tag }) => tag < number);
  await writeFile(join(older, 'meta/_journal.json'), JSON.stringify(journal));
  await migrate(url, older);
  await rm(older, { recursive: true });
  return { url, drop };
}

describe('migrations', () => {
  test('many that start at once on an empty database all finish, and each migration is applied once', async () => {
    const { url, drop } = await emptyDatabase();
    await Promise.all(Array.from({ length: 6 }, () => migrate(url, migrations)));
    const whole = await freshDatabase();
    expect(await tablesOf(url)).toEqual(await tablesOf(whole.url));
    const admin = connect(url, { max: 1 });
    const applied = await admin<{ created_at: string }[]>`select created_at from drizzle.__drizzle_migrations`;
    expect(new Set(applied.map((row) => row.created_at)).size).toBe(applied.length);
    await admin.end();
    await whole.drop();
    await drop();
  });

  test('isMigrated tells whether all of them are applied', async () => {
    const { url, drop } = await emptyDatabase();
    const database = openDatabase(url);
    await expect(isMigrated(database, migrations)).rejects.toThrow();
    await migrate(url, migrations);
    expect(await isMigrated(database, migrations)).toBe(true);
    await database.sql`delete from drizzle.__drizzle_migrations where created_at = (select max(created_at) from drizzle.__drizzle_migrations)`;
    expect(await isMigrated(database, migrations)).toBe(false);
    await database.close();
    await drop();
  });

  test('number versions anew that were above 2^31, the names of versions with them', async () => {
    const { url, drop } = await olderDatabase('0026');
    const admin = connect(url, { max: 1 });
    const old = 2 ** 32;
    await admin`insert into users (id, email, email_key, first_name, last_name, created_at) values ('u', 'a@b.c', 'a@b.c', '', '', now())`;
    await admin`insert into meetings (id, owner_id, acl_version) values ('m', 'u', ${2 * old + 1}), ('n', 'u', 2)`;
    await admin`
      insert into rooms (name, meeting_id, part, generation, seq, mends) values
      ('m/transcript', 'm', 'transcript', 3, 4, 1), ('n/transcript', 'n', 'transcript', 1, 5, 0)`;
    for (const [generation, rows] of [
      [1, 7],
      [2, 2],
      [3, 4],
    ] as const)
      await admin`
        insert into room_updates (room, generation, seq, bytes, checksum, at)
        select 'm/transcript', ${generation}, n, '', '', now() from generate_series(1, ${rows}) n`;
    await admin`
      insert into version_names (meeting_id, version, name, user_id, at)
      select m, v, 'name', 'u', now() from (values ('m', 7), ('m', ${old + 2}::bigint), ('m', ${2 * old + 5}::bigint), ('n', 5)) x(m, v)`;
    await admin`
      insert into meeting_projections (meeting_id, version, title, title_key, words, speakers, spoken_ms, updated_at)
      values ('m', ${2 * old + 5}, '', '', 0, 0, 0, now()), ('n', 5, '', '', 0, 0, 0, now())`;
    await migrate(url, migrations);
    const all = async (rows: PromiseLike<readonly Record<string, unknown>[]>) =>
      (await rows).map((row) => Object.values(row).map(String).join(' '));
    // A version is the number of rows until then, and of what was set aside.
    expect(await all(admin`select name, base from rooms order by 1`)).toEqual(['m/transcript 9', 'n/transcript 0']);
    expect(await all(admin`select meeting_id, version from version_names order by 1, 2`)).toEqual([
      'm 7',
      'm 9',
      'm 14',
      'n 5',
    ]);
    expect(await all(admin`select id, acl_version from meetings order by 1`)).toEqual(['m 10', 'n 2']);
    expect(await all(admin`select meeting_id, version from meeting_projections order by 1`)).toEqual(['m 14', 'n 5']);
    expect(await all(admin`select room, generation from room_renewals where carried_at is null`)).toEqual([
      'm/transcript 3',
    ]);
    await admin.end();
    await drop();
  });

  test('answer the invitations to recordings and folders that were visited', async () => {
    const { url, drop } = await olderDatabase('0075');
    const admin = connect(url, { max: 1 });
    await admin`
      insert into users (id, email, email_key, first_name, last_name, created_at, confirmed_at)
      select id, id || '@b.c', id || '@b.c', '', '', now(), now() from unnest('{ann,ben}'::text[]) id`;
    await admin`insert into meetings (id, owner_id) values ('seen', 'ann'), ('waiting', 'ann')`;
    await admin`insert into folders (id, owner_id, name, name_key, created_at) values ('folder', 'ann', 'F', 'f', now())`;
    await admin`
      insert into meeting_access (meeting_id, kind, principal_id, permissions, seen_at)
      values ('seen', 'user', 'ben', '{read}', now()), ('waiting', 'pending', 'ben@b.c', '{read}', null)`;
    await admin`
      insert into folder_access (folder_id, kind, principal_id, permissions, seen_at) values ('folder', 'user', 'ben', '{read}', now())`;
    await admin`
      insert into invitations (id, hash, kind, target_id, email, email_key, inviter_id, created_at, expires_at)
      select kind || ' ' || target, convert_to(kind || target || who, 'UTF8'), kind, target, who, who, 'ann', now(), now()
      from (values ('meeting', 'seen', 'ben@b.c'), ('meeting', 'waiting', 'ben@b.c'), ('folder', 'folder', 'ben@b.c'),
        ('team', 'seen', 'ben@b.c')) x(kind, target, who)`;
    await migrate(url, migrations);
    const answered = await admin`select id, accepted_by from invitations where accepted_at is not null order by id`;
    expect([...answered]).toEqual([
      { id: 'folder folder', accepted_by: 'ben' },
      { id: 'meeting seen', accepted_by: 'ben' },
    ]);
    await admin.end();
    await drop();
  });

  test('two processes of the house that start at once on an empty database both become ready', async () => {
    const { url, drop } = await emptyDatabase();
    const begin = async () => {
      const env = {
        PATH: process.env['PATH'],
        HOME: process.env['HOME'],
        PORT: '0',
        DATABASE_URL: url,
        DATA_DIR: join(root, '.data'),
        LOG_LEVEL: 'error',
        DEMO: 'off',
      };
      const child = spawn(process.execPath, ['--import', 'tsx', 'server/main.ts'], {
        cwd: root,
        env,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const ended = once(child, 'exit') as Promise<[number | null]>;
      for await (const line of createInterface({ input: child.stdout })) {
        const origin = /^Colloquy is ready at (\S+)$/.exec(line)?.[1];
        if (origin) return { child, origin, ended };
      }
      throw new Error('it did not come up');
    };
    const houses = await Promise.all([begin(), begin()]);
    for (const { origin } of houses) expect((await fetch(`${origin}/readyz`)).status).toBe(200);
    for (const { child } of houses) child.kill('SIGTERM');
    expect(await Promise.all(houses.map(async ({ ended }) => (await ended)[0]))).toEqual([0, 0]);
    await drop();
  });
});

describe('bounded waits', () => {
  let url: string;
  let drop: () => Promise<void>;
  let database: Database;
  beforeAll(async () => {
    ({ url, drop } = await freshDatabase());
    database = openDatabase(url, { max: 2, statementTimeout: 400, lockTimeout: 200, wait: 300 });
  });
  afterAll(async () => {
    await database.close();
    await drop();
  });

  const failure = async (work: Promise<unknown>) =>
    asProblem(
      await work.then(
        () => new Error('it did not fail'),
        (error: unknown) => error,
      ),
    );
  const passing = { code: 'UNAVAILABLE', retryAfter: 5 };
  // With so little patience a busy machine may fail a query or two by itself.
  const works = async () => {
    const ask = () => database.orm.execute(sql`select 1 as one`).then((rows) => [...rows], String);
    await expect.poll(ask).toMatchObject([{ one: 1 }]);
  };
  afterEach(works);

  test('a statement', async () => {
    expect(await failure(database.orm.execute(sql`select pg_sleep(5)`))).toMatchObject(passing);
  });

  test('a statement in a transaction', async () => {
    const slow = database.orm.transaction((tx) => tx.execute(sql`select pg_sleep(5)`));
    expect(await failure(slow)).toMatchObject(passing);
  });

  test('waiting for a lock', async () => {
    const other = connect(url, { max: 1 });
    await other.begin(async (tx) => {
      await tx`lock table feedback`;
      expect(await failure(database.orm.execute(sql`delete from feedback`))).toMatchObject(passing);
    });
    await other.end();
  });

  test('an idle transaction', async () => {
    const idle = database.orm.transaction(async (tx) => {
      await tx.execute(sql`select 1`);
      await new Promise((resolve) => setTimeout(resolve, 1500));
      await tx.execute(sql`select 1`);
    });
    expect(await failure(idle)).toMatchObject(passing);
  });

  test('waiting for a connection, while earlier queries are not disturbed', async () => {
    const narrow = openDatabase(url, { max: 2, wait: 100 });
    const held = [1, 2].map(() =>
      narrow.orm.transaction((tx) => tx.execute(sql`select pg_sleep(1.5), 'held' as state`)),
    );
    expect(await failure(narrow.orm.execute(sql`select 1`))).toMatchObject(passing);
    for (const result of await Promise.all(held)) expect(result).toMatchObject([{ state: 'held' }]);
    await narrow.close();
  });

  test('transactions that need a second connection each, all at once', async () => {
    const inside = () => database.orm.transaction(async () => database.orm.execute(sql`select 1`));
    const results = await Promise.allSettled(Array.from({ length: 6 }, inside));
    for (const result of results)
      if (result.status === 'rejected') expect(asProblem(result.reason)).toMatchObject(passing);
  });

  test('the query builder gets the driver’s answers: rows, values and counts, and a failure undoes everything', async () => {
    const patient = openDatabase(url);
    const rows = await patient.orm.execute<{ n: number }>(sql`select n from generate_series(1, 3) n`);
    expect([...rows]).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
    const undone = patient.orm.transaction(async (tx) => {
      await tx.execute(sql`insert into feedback (id, text, at) values ('x', 'x', now())`);
      await (tx as unknown as Orm).transaction((inner) => inner.execute(sql`select 1 / 0`)).catch(() => {});
      expect(await tx.execute(sql`select 1 from feedback where id = 'x'`)).toHaveLength(1);
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect(await patient.orm.execute(sql`select 1 from feedback where id = 'x'`)).toHaveLength(0);
    await patient.close();
  });
});

describe('statements that a connection keeps', () => {
  let setup: Awaited<ReturnType<typeof freshDatabase>>;
  let single: Database;
  beforeAll(async () => {
    setup = await freshDatabase();
    single = openDatabase(setup.url, { max: 1 });
  });
  afterAll(async () => {
    await single.close();
    await setup.drop();
  });
  const keptWith = async (word: string) => {
    const rows = await single.orm.execute<{ statement: string }>(sql`select statement from pg_prepared_statements`);
    return rows.filter(({ statement }) => statement.includes(word)).length;
  };

  test('are those with values, alone and in a transaction, each once', async () => {
    const ask = (orm: Pick<Orm, 'execute'>, n: number) => orm.execute(sql`select ${n}::int as once`);
    expect(await ask(single.orm, 1)).toEqual([{ once: 1 }]);
    expect(await ask(single.orm, 2)).toEqual([{ once: 2 }]);
    await single.orm.transaction(async (tx) => {
      expect(await ask(tx as unknown as Orm, 3)).toEqual([{ once: 3 }]);
      await tx.transaction(async (inner) => expect(await ask(inner as unknown as Orm, 4)).toEqual([{ once: 4 }]));
    });
    expect(await keptWith('as once')).toBe(1);
  });

  test('have that of keystrokes planned a few times only, in one room of many and in several at once', async () => {
    await single.sql`
      insert into users (id, email, email_key, first_name, last_name, trial_minutes, created_at)
      values ('typist', 'typist@example.test', 'typist@example.test', 'Ty', 'Pist', 0, now())`;
    await single.sql`
      insert into meetings (id, owner_id, created_at) select 'typed' || n, 'typist', now() from generate_series(1, 3000) n`;
    await single.sql`insert into rooms (name, meeting_id, part) select id, id, 'transcript' from meetings`;
    await single.sql`analyze`;
    const row = { room: 'typed7', generation: 1, userId: 'typist', clientIds: [7], bytes: new Uint8Array(40) };
    for (let n = 1; n <= 10; n += 1) expect(await appendRows(single.sql, [{ ...row, at: new Date() }])).toEqual([n]);
    const rows = ['typed8', 'typed9', 'typed9'].map((room) => ({ ...row, room, at: new Date() }));
    for (let n = 1; n <= 10; n += 1) expect(await appendRows(single.sql, rows)).toEqual([n, 2 * n - 1, 2 * n]);
    const plans = await single.sql<{ generic: string; custom: string }[]>`
      select generic_plans as generic, custom_plans as custom from pg_prepared_statements
      where statement like ${'%insert into room_updates%'}`;
    // One statement is for one room, one for many. The database makes five plans for known values before it keeps one for all.
    expect(plans).toEqual([
      { generic: '5', custom: '5' },
      { generic: '5', custom: '5' },
    ]);
  });

  test('are none with a long list, which differ by its length', async () => {
    const list = Array.from({ length: 40 }, (_, n) => sql`${n}::int`);
    const [row] = await single.orm.execute(sql`select array[${sql.join(list, sql`, `)}] as listed`);
    expect(row?.['listed']).toHaveLength(40);
    expect(await keptWith('as listed')).toBe(0);
  });

  test('are asked anew after their table has changed', async () => {
    await single.orm.execute(sql`create table changing (a int)`);
    await single.orm.execute(sql`insert into changing values (${7}::int)`);
    const ask = () => single.orm.execute(sql`select * from changing where a = ${7}::int`);
    for (let n = 0; n < 8; n += 1) expect(await ask()).toEqual([{ a: 7 }]);
    await single.orm.execute(sql`alter table changing add column b int default 8`);
    expect(await ask()).toEqual([{ a: 7, b: 8 }]);
  });
});

describe('a transaction whose connection is lost', () => {
  let setup: Awaited<ReturnType<typeof freshDatabase>>;
  beforeAll(async () => {
    setup = await freshDatabase();
  });
  afterAll(() => setup.drop());

  const add = (id: string) => sql`insert into feedback (id, text, at) values (${id}, 'x', now())`;
  const pidOf = async (tx: Orm) =>
    (await tx.execute<{ pid: number }>(sql`select pg_backend_pid() as pid`))[0]?.pid ?? 0;
  const end = async (pid: number) => {
    const admin = connect(setup.url, { max: 1 });
    await admin`select pg_terminate_backend(${pid})`;
    while ((await admin`select 1 from pg_stat_activity where pid = ${pid}`).length > 0);
    await admin.end();
  };
  const orm = () => setup.database.orm as unknown as Pick<Orm, 'transaction' | 'execute'>;
  const expectGone = async (work: Promise<unknown>, ids: string) => {
    const error = await work.then(
      () => new Error('it did not fail'),
      (reason: unknown) => reason,
    );
    expect(asProblem(error)).toMatchObject({ code: 'UNAVAILABLE' });
    // More queries than connections, twice: each connection is used again, and the driver may report the fate of the
    // previous query to the next.
    const ask = async () =>
      Promise.allSettled(Array.from({ length: 15 }, async () => orm().execute(sql`select pg_sleep(0.05)`)));
    await ask();
    expect((await ask()).filter(({ status }) => status === 'rejected')).toEqual([]);
    expect(await orm().execute(sql`select id from feedback where id like ${ids}`)).toHaveLength(0);
  };

  test('between two statements: the next one never runs on another connection', async () => {
    const work = orm().transaction(async (tx) => {
      await tx.execute(add('between-1'));
      await end(await pidOf(tx as unknown as Orm));
      // By now the driver may have opened a new connection instead of the old one.
      await Promise.all(
        Array.from({ length: 15 }, () =>
          orm()
            .execute(sql`select 1`)
            .then(
              () => {},
              () => {},
            ),
        ),
      );
      await tx.execute(add('between-2'));
    });
    await expectGone(work, 'between-%');
  });

  test('in a statement whose failure the caller ignores', async () => {
    const work = orm().transaction(async (tx) => {
      await tx.execute(add('during-1'));
      const pid = await pidOf(tx as unknown as Orm);
      await Promise.all([tx.execute(sql`select pg_sleep(3)`).catch(() => {}), end(pid)]);
      await tx.execute(add('during-2')).catch(() => {});
    });
    await expectGone(work, 'during-%');
  });

  test('in a nested transaction', async () => {
    const work = orm().transaction(async (tx) => {
      await tx.execute(add('inside-1'));
      const pid = await pidOf(tx as unknown as Orm);
      const inner = tx.transaction(async (nested) => {
        await Promise.all([nested.execute(sql`select pg_sleep(3)`), end(pid)]);
      });
      await inner.catch(() => {});
      await tx.execute(add('inside-2'));
    });
    await expectGone(work, 'inside-%');
  });

  test('in the driver itself, with a query built from parts', async () => {
    const { sql: raw } = setup.database;
    const work = raw.begin('isolation level repeatable read', async (tx) => {
      const wanted = ['raw-0', 'raw-1'];
      const part = tx`where id in ${tx(wanted)}`;
      expect(await tx`select id from feedback ${part}`).toHaveLength(0);
      await tx`insert into feedback ${tx({ id: 'raw-1', text: 'x', at: new Date().toISOString() })}`;
      const [row] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`;
      await end(row?.pid ?? 0);
      await tx`insert into feedback (id, text, at) values ('raw-2', 'x', now())`;
    });
    await expectGone(work, 'raw-%');
  });

  test('a wrong query loses only its own transaction', async () => {
    const wrong = orm().transaction(async (tx) => {
      await tx.execute(add('wrong-1'));
      await tx.execute(sql`select ${undefined as never}::text`);
    });
    await expect(wrong).rejects.toThrow();
    const caught = orm().transaction(async (tx) => {
      await tx.execute(add('right-1'));
      await tx.transaction((nested) => nested.execute(sql`select 1 / 0`)).catch(() => {});
      await tx.execute(add('right-2'));
      return 'done';
    });
    expect(await caught).toBe('done');
    const rows = await orm().execute<{ id: string }>(
      sql`select id from feedback where id like '%t-_' or id like 'wr%' order by id`,
    );
    expect(rows.map(({ id }) => id)).toEqual(['right-1', 'right-2']);
  });
});

describe('F15 a house whose connections are all in use', () => {
  let house: TestHouse;
  beforeAll(async () => {
    house = await openHouse();
  });
  afterAll(() => house.close());

  test('reports it within a bound, recovers, is not ready meanwhile, and serves calls that need no database', async () => {
    const ann = await house.person('Ann');
    const held = Array.from({ length: 10 }, async () => house.house.db.orm.execute(sql`select pg_sleep(3)`));
    const [answer, ready, alive, page] = await Promise.all([
      ann.whoami(),
      house.stranger().get('/readyz'),
      house.stranger().get('/healthz'),
      house.stranger().get('/api/login'),
    ]);
    expect(answer.problem).toMatchObject({ status: 503, code: 'UNAVAILABLE' });
    expect(answer.headers.get('retry-after')).toBe('5');
    expect(ready.problem).toMatchObject({ status: 503, code: 'UNAVAILABLE' });
    expect([alive.status, page.status]).toEqual([200, 200]);
    await Promise.all(held);
    expect((await ann.whoami()).status).toBe(200);
    expect((await house.stranger().get('/readyz')).status).toBe(200);
  });

  test('is not ready while migrations are missing', async () => {
    const { sql: admin } = house.database;
    const [newest] =
      await admin`delete from drizzle.__drizzle_migrations where created_at = (select max(created_at) from drizzle.__drizzle_migrations) returning *`;
    expect((await house.stranger().get('/readyz')).status).toBe(503);
    expect((await house.stranger().get('/healthz')).status).toBe(200);
    await admin`insert into drizzle.__drizzle_migrations ${admin(newest ?? {})}`;
    expect((await house.stranger().get('/readyz')).status).toBe(200);
  });

  test('F14 a row that another transaction keeps locked delays only the requests for that row', async () => {
    const [ann, ben] = await house.people(2);
    const other = connect(house.url, { max: 1 });
    await other.begin(async (tx) => {
      await tx`select 1 from users where id = ${ann?.id ?? ''} for update`;
      const [hers, his] = await Promise.all([
        ann?.post('/api/principals/me', { language: 'ru' }),
        ben?.post('/api/principals/me', { language: 'ru' }),
      ]);
      expect(hers?.problem).toMatchObject({ status: 503, code: 'UNAVAILABLE' });
      expect(his?.status).toBe(200);
    });
    await other.end();
    expect((await ann?.post('/api/principals/me', { language: 'ru' }))?.status).toBe(200);
  });
});

describe('arrays', () => {
  let setup: Awaited<ReturnType<typeof freshDatabase>>;
  beforeAll(async () => {
    setup = await freshDatabase();
  });
  afterAll(() => setup.drop());

  const odd = ['', ' ', 'a,b', '{a}', '"', '\\', '\\"', 'NULL', 'null', 'a\nb', 'Ünï 😀', "'", '$1'];
  test.each<[string, unknown[]]>([
    ['text', [...odd, null]],
    ['text', []],
    ['text', [null]],
    ['text', ['NULL', null]],
    ['varchar', odd],
    ['int2', [1, -2, null]],
    ['int4', [0, -1, 2_147_483_647]],
    ['int8', ['9223372036854775807', '-1']],
    ['float8', [1.5, -1e300]],
    ['uuid', ['a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11']],
  ])('of %s are read as they were written: %o', async (type, values) => {
    const { sql: raw } = setup.database;
    const [row] = await raw.unsafe<{ given: unknown }[]>(`select $1::${type}[] as given`, [values as never]);
    expect(row?.given).toEqual(values);
    const [count] = await raw.unsafe<{ n: number }[]>(`select cardinality($1::${type}[]) as n`, [values as never]);
    expect(count?.n).toBe(values.length);
  });

  test('can be searched for a value', async () => {
    const names = ['users', 'sessions'];
    const rows = await setup.database.sql`select tablename from pg_tables where tablename = any(${names}) order by 1`;
    expect(rows.map((row) => row['tablename'] as string)).toEqual(['sessions', 'users']);
  });

  test('of booleans and bytes are read, too', async () => {
    const [row] = await setup.database
      .sql`select array[true, false, null] as truths, array['\\x00ff'::bytea, ''] as bytes`;
    expect(row).toEqual({ truths: [true, false, null], bytes: [Buffer.from([0, 255]), Buffer.alloc(0)] });
  });
});
