// A server that is killed while somebody records, or while the file of a recording is made: every piece that was told
// to be kept is in the file, once.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '#db/open.ts';
import type { MediumView } from '#shared/meetings/media.ts';
import { freshDatabase } from '#tests/support/database.ts';
import { processed } from '#tests/support/intake.ts';
import { Person, signUp } from '#tests/support/people.ts';
import { endProcesses, kill, openProcess, type RunningHouse } from '#tests/support/processes.ts';
import {
  beginLive,
  beginTake,
  cut,
  endLive,
  endTake,
  putPiece,
  recordTone,
  TakeSocket,
  tonesIn,
} from '#tests/support/recorder.ts';
import { noFfmpeg } from '#tests/support/speech.ts';

let database: Database & { url: string; drop(): Promise<void> };
let folder: string;
let house: RunningHouse;
let cookies: Person['cookies'];
const ann = () => Object.assign(new Person(house.origin), { cookies });
const start = () => openProcess({ DATABASE_URL: database.url, DATA_DIR: folder, LOG_LEVEL: 'warn' });
const without = noFfmpeg();

beforeAll(async () => {
  const fresh = await freshDatabase();
  database = Object.assign(fresh.database, { url: fresh.url, drop: fresh.drop });
  folder = await mkdtemp(join(tmpdir(), 'colloquy-recorder-'));
  house = await start();
  const person = await signUp(house.origin, 'ann@example.test');
  ({ cookies } = person);
}, 120_000);
afterAll(async () => {
  endProcesses();
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

async function heardIn(id: string): Promise<string> {
  expect(await processed(ann(), id)).toMatchObject({ percentage: 100, failures_present: false });
  const { media } = (await ann().get(`/api/meetings/${id}`)).body as { media: MediumView[] };
  const medium = media.find(({ tag }) => tag === 'audio');
  return tonesIn((await ann().get(medium?.src ?? '')).bytes, { a: 440 });
}

test('killed between pieces: what was kept stays, and the rest follows', async ({ skip }) => {
  if (without) return skip(without);
  const pieces = cut(await recordTone(10, 440), 10);
  const id = await beginLive(ann());
  const take = await beginTake(ann(), id);
  let kept = 0;
  // Each server is killed while pieces are on their way: no answer tells which of them it has.
  for (const until of [9, 22, 31]) {
    const socket = new TakeSocket(ann(), take);
    await socket.opened();
    expect(socket.kept).toBeGreaterThanOrEqual(kept);
    for (let n = socket.kept + 1; n <= until; n += 1) socket.send(n, pieces[n - 1] ?? Buffer.alloc(0));
    await socket.untilKept(until - 4);
    for (let n = until + 1; n <= until + 3; n += 1) socket.send(n, pieces[n - 1] ?? Buffer.alloc(0));
    kept = socket.kept;
    await kill(house);
    socket.close();
    const [row] = await database.sql<{ kept: number }[]>`select kept from takes where id = ${take}`;
    expect(row?.kept).toBeGreaterThanOrEqual(kept);
    house = await start();
  }
  const socket = new TakeSocket(ann(), take);
  await socket.opened();
  // From the start again: what is stored is not stored twice.
  for (const [i, piece] of pieces.entries()) socket.send(i + 1, piece);
  socket.finish(pieces.length);
  await socket.untilKept(pieces.length);
  expect(socket.kept).toBe(pieces.length);
  socket.close();
  await endLive(ann(), id);
  expect(await heardIn(id)).toMatch(/^a{99,101}[.]?$/);
});

/** Statements of the job that makes the file. */
const steps = [
  ['the end of pieces', 'update on live_recordings', "new.state = 'assembling'"],
  ['its upload', 'insert on uploads', 'true'],
  ['its state', 'update on live_recordings', "new.state = 'assembled'"],
  [
    'the choice of a model',
    'update on intakes',
    "old.state = 'processing' and new.model = 'none' and new.state = 'processing'",
  ],
] as const;

test.for(steps)(
  'killed while %s is stored: the next process makes the file',
  { timeout: 300_000 },
  async ([, statement, when], { skip }) => {
    if (without) return skip(without);
    const pieces = cut(await recordTone(3, 440), 3);
    const id = await beginLive(ann());
    const take = await beginTake(ann(), id);
    for (const [i, piece] of pieces.entries()) await putPiece(ann(), take, i + 1, piece);
    await endTake(ann(), take, pieces.length);
    const [event = '', table = ''] = statement.split(' on ');
    await database.sql.unsafe(`
      create function test_slow() returns trigger language plpgsql as $$
        begin if (${when}) then perform pg_sleep(3); end if; return new; end $$;
      create trigger test_slow before ${event} on ${table} for each row execute function test_slow();`);
    const asleep = async () =>
      (await database.sql`select 1 from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()`)
        .length > 0;
    await endLive(ann(), id);
    while (!(await asleep())) await sleep(10);
    await kill(house);
    // The last statement of the dead process may still run.
    while (await asleep()) await sleep(10);
    await database.sql.unsafe(`drop trigger test_slow on ${table}; drop function test_slow();`);
    // Ends the lease, so that the test need not wait for it.
    await database.sql`update jobs set leased_until = now() - interval '1 second' where state = 'running'`;
    house = await start();
    expect(await heardIn(id)).toMatch(/^a{29,31}[.]?$/);
    const [uploads] = await database.sql<{ count: number }[]>`
      select count(*)::int as count from uploads where meeting_id = ${id}`;
    expect(uploads?.count).toBe(1);
    const late = await putPiece(ann(), take, pieces.length + 1, Buffer.from('late'));
    expect(late.problem.info['reason']).toBe('RECORDING_ENDED');
    expect((await putPiece(ann(), take, 1, pieces[0] ?? Buffer.alloc(0))).body).toEqual({ kept: pieces.length });
  },
);
