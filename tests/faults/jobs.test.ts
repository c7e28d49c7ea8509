// U4, U5, F3: work that takes longer than a request is done once, even if its process dies, stops, is late or loses it.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { findPrograms } from '#server/media/ffmpeg.ts';
import { sweepLeftovers } from '#server/meetings/leftovers.ts';
import { JobFailed, queueJob, startJobs, type Kind, type Pace, type Work } from '#server/jobs.ts';
import { transaction } from '#server/context.ts';
import type { Database } from '#db/open.ts';
import { readSegments } from '#shared/meetings/transcript.ts';
import { freshDatabase } from '#tests/support/database.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { beginProcessing, createMeeting, external, processed, tone } from '#tests/support/intake.ts';
import { makeMeeting } from '#tests/support/meetings.ts';
import { Person, signUp } from '#tests/support/people.ts';
import { endProcesses, kill, openProcess, type RunningHouse } from '#tests/support/processes.ts';

const path = process.env['PATH'] ?? '';
/** Short intervals, so that these tests wait little. */
const pace: Pace = { poll: 50, beat: 50, lease: 30, pause: 0 };

describe('a job', () => {
  let house: TestHouse;
  let owner: Person;
  const running: { stop(): Promise<void> }[] = [];
  beforeAll(async () => {
    house = await openHouse({ env: { ROLE: 'api' } });
    owner = await house.person();
  });
  afterEach(async () => {
    for (const one of running.splice(0)) await one.stop();
  });
  afterAll(() => house.close());

  interface Row {
    state: string;
    attempts: number;
    error: string | null;
    step: string;
  }
  const row = async (meetingId: string): Promise<Row> => {
    const [found] = await house.database.sql<
      Row[]
    >`select state, attempts, error, step from jobs where meeting_id = ${meetingId}`;
    if (!found) throw new Error('there is no such job');
    return found;
  };
  const ended = async (meetingId: string): Promise<Row> => {
    const open = () =>
      house.database.sql`select 1 from jobs where meeting_id = ${meetingId} and state in ('waiting', 'running')`;
    while ((await open()).length > 0) await sleep(20);
    return row(meetingId);
  };
  const queue = async (): Promise<string> => {
    const id = await makeMeeting(house, owner);
    await transaction(house.house, (tx) => queueJob(tx, 'test', id, house.clock.now()));
    return id;
  };
  const failures: string[] = [];
  const kind = (run: (work: Work) => Promise<void>, seconds = 600): Kind => ({
    seconds,
    run,
    failed: async (_tx, _job, failure) => void failures.push(failure),
  });
  const work = async (run: (work: Work) => Promise<void>, seconds?: number): Promise<void> => {
    running.push(await startJobs(house.house, { test: kind(run, seconds) }, pace));
  };

  test('is done once, however many look for work', async () => {
    const done: string[] = [];
    for (let i = 0; i < 4; i += 1)
      await work(async ({ job, step, finish }) => {
        await step('working');
        await sleep(20);
        done.push(job.meetingId);
        await finish(async () => {});
      });
    const ids = await Promise.all(Array.from({ length: 12 }, queue));
    for (const id of ids) expect(await ended(id)).toMatchObject({ state: 'done', attempts: 1, step: 'working' });
    expect(done.toSorted()).toEqual(ids.toSorted());
  });

  test('of a meeting runs one at a time', async () => {
    const id = await queue();
    await expect(transaction(house.house, (tx) => queueJob(tx, 'test', id, house.clock.now()))).rejects.toThrow();
    await work(async ({ finish }) => finish(async () => {}));
    await ended(id);
    await transaction(house.house, (tx) => queueJob(tx, 'test', id, house.clock.now()));
    await ended(id);
  });

  test('that throws is tried three times, and one that fails for good once', async () => {
    failures.length = 0;
    const stumbles = await queue();
    await work(async ({ job }) => {
      throw job.meetingId === stumbles ? new Error('something odd') : new JobFailed('damaged');
    });
    expect(await ended(stumbles)).toMatchObject({ state: 'failed', attempts: 3, error: 'unexpected' });
    const fails = await queue();
    expect(await ended(fails)).toMatchObject({ state: 'failed', attempts: 1, error: 'damaged' });
    expect(failures).toEqual(['unexpected', 'damaged']);
  });

  test('that was taken over can finish nothing: its writes are refused', async () => {
    const id = await queue();
    const tries: string[] = [];
    await work(async ({ signal, finish }) => {
      tries.push('begun');
      if (tries.length === 1) {
        // As if this process had slept for an hour, and another had taken the job.
        await house.database
          .sql`update jobs set lease = 'another', leased_until = ${house.clock.now().toISOString()} where meeting_id = ${id}`;
        while (!signal.aborted) await sleep(5);
      }
      await finish(async () => void tries.push('written')).catch((error: unknown) => {
        tries.push('refused');
        throw error;
      });
    });
    expect(await ended(id)).toMatchObject({ state: 'done', attempts: 2 });
    expect(tries).toEqual(['begun', 'refused', 'begun', 'written']);
  });

  test('that does not learn that it was taken over can finish nothing either', async () => {
    const id = await queue();
    const written: string[] = [];
    running.push(
      await startJobs(
        house.house,
        {
          test: kind(async ({ job, finish }) => {
            if (job.attempts === 1)
              await house.database
                .sql`update jobs set lease = 'another', leased_until = ${house.clock.now().toISOString()} where meeting_id = ${id}`;
            await finish(async () => void written.push(`try ${job.attempts}`));
          }),
        },
        { ...pace, beat: 60_000 },
      ),
    );
    expect(await ended(id)).toMatchObject({ state: 'done', attempts: 2 });
    expect(written).toEqual(['try 2']);
  });

  test('that takes longer than its limit fails, and its signal is aborted', async () => {
    failures.length = 0;
    const id = await queue();
    let heard: unknown;
    await work(async ({ signal }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      heard = signal.reason;
    }, 0.2);
    expect(await ended(id)).toMatchObject({ state: 'failed', error: 'too_long' });
    expect(heard).toBeInstanceOf(JobFailed);
    expect(failures).toEqual(['too_long']);
  });

  test('that ends each process that takes it is given up', async () => {
    const id = await queue();
    const past = house.clock.now().toISOString();
    await house.database
      .sql`update jobs set state = 'running', attempts = 3, lease = 'dead', leased_until = ${past} where meeting_id = ${id}`;
    await work(async ({ finish }) => finish(async () => {}));
    expect(await ended(id)).toMatchObject({ state: 'failed', attempts: 4, error: 'unexpected' });
  });

  test('of a server that stops waits for the next one, and that does not count as a try', async () => {
    const id = await queue();
    let begun = 0;
    await work(async ({ signal }) => {
      begun += 1;
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    });
    while (begun === 0) await sleep(5);
    await running.pop()?.stop();
    expect(await row(id)).toMatchObject({ state: 'waiting', attempts: 0 });
    await work(async ({ finish }) => finish(async () => {}));
    expect(await ended(id)).toMatchObject({ state: 'done', attempts: 1 });
  });
});

/** Steps of taking a recording in at which the database is made to wait, so that a server can be killed in each. */
const steps = ['fetching', 'reading', 'drawing', 'converting', 'writing', 'the end'] as const;

describe('a house that is killed while it takes a recording in', () => {
  let database: Database & { url: string; drop(): Promise<void> };
  let folder: string;
  let house: RunningHouse;
  const ann = () => Object.assign(new Person(house.origin), { cookies: known.cookies });
  let known: Person;
  let programs: Awaited<ReturnType<typeof findPrograms>>;

  beforeAll(async () => {
    programs = await findPrograms(path);
    const fresh = await freshDatabase();
    database = Object.assign(fresh.database, { url: fresh.url, drop: fresh.drop });
    folder = await mkdtemp(join(tmpdir(), 'colloquy-jobs-'));
    await database.sql.unsafe(`
      create table test_halt (step text primary key);
      create function test_halt_step() returns trigger language plpgsql as $$
      begin
        if exists (select 1 from test_halt where step = new.step) then perform pg_sleep(4); end if;
        return new;
      end $$;
      create function test_halt_end() returns trigger language plpgsql as $$
      begin
        if exists (select 1 from test_halt where step = 'the end') then perform pg_sleep(4); end if;
        return new;
      end $$;
      create trigger test_halt before update of step on jobs for each row execute function test_halt_step();
      create trigger test_halt before update of state on intakes for each row when (new.state = 'ready') execute function test_halt_end();`);
    house = await start();
    known = await signUp(house.origin, 'ann@example.test');
  }, 300_000);
  afterAll(async () => {
    endProcesses();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  const start = () =>
    openProcess({ DATABASE_URL: database.url, DATA_DIR: folder, LOG_LEVEL: 'warn', DEMO: 'off', PATH: path });

  const asleep = async (): Promise<boolean> =>
    (await database.sql`select 1 from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()`)
      .length > 0;

  /** Statements of the dead process may hold a row until the database notices that its client is gone. */
  async function whenFree(ask: () => Promise<unknown>): Promise<void> {
    for (;;) {
      try {
        await ask();
        return;
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === '55P03')) throw error;
      }
    }
  }

  test.for(steps)(
    'at %s: the next one ends it, with nothing twice and nothing left',
    { timeout: 300_000 },
    async (step, { skip }) => {
      if (!programs && (step === 'drawing' || step === 'converting')) return skip('no ffmpeg on this machine');
      // This file has to be converted, where there is a program for it.
      const file = programs
        ? { fileName: 'talk.aiff', content: await aiff() }
        : { fileName: 'talk.wav', content: tone() };
      const { id } = await createMeeting(ann(), external({ file }));
      await database.sql`insert into test_halt values (${step})`;
      await beginProcessing(ann(), id);
      while (!(await asleep())) await sleep(10);
      await kill(house);
      await database.sql`delete from test_halt`;
      const [before] = await database.sql<
        { percentage: number; state: string }[]
      >`select percentage, state from intakes where meeting_id = ${id}`;
      expect(before?.state).toBe('processing');
      // The last statement of the dead process may still run.
      while (await asleep()) await sleep(10);
      // Ends the lease, so that the test need not wait for it.
      await whenFree(
        () =>
          database.sql`update jobs set leased_until = now() - interval '1 second' where meeting_id = ${id} and state = 'running'`,
      );

      house = await start();
      expect(await processed(ann(), id)).toEqual({ percentage: 100, failures_present: false, failure_messages: [] });
      const [job] = await database.sql`select state, attempts from jobs where meeting_id = ${id}`;
      expect(job).toEqual({ state: 'done', attempts: 2 });
      const { body } = await ann().get(`/api/meetings/${id}`);
      expect(body.doc.transcript.segments).toHaveLength(3);
      expect(body.media.map(({ tag }: { tag: string }) => tag).toSorted()).toEqual(
        programs ? ['audio', 'histogram', 'source'] : ['audio'],
      );
      const mails =
        await database.sql`select 1 from mail_outbox where dedupe_key like 'recording:%' and text like ${`%/meeting/${id}%`}`;
      expect(mails).toHaveLength(1);
      // Cleared away right after the state says that it is ready.
      await expect.poll(() => readdir(join(folder, 'work')).catch(() => [])).toEqual([]);
    },
  );

  test('and what the killed ones had put into the store is cleared away', async () => {
    const helper = await openHouse({ env: { ROLE: 'api', DATA_DIR: folder, DATABASE_URL: database.url } });
    await sweepLeftovers(helper.house);
    const inUse = await database.sql<{ key: string }[]>`select store_key as key from media`;
    const there = (await readdir(join(folder, 'files'), { recursive: true, withFileTypes: true }))
      .filter((one) => one.isFile())
      .map(({ name }) => name);
    expect(there.toSorted()).toEqual(inUse.map(({ key }) => key).toSorted());
    await helper.close();
  });

  /** The same tone in a file that browsers do not play. */
  async function aiff(): Promise<Buffer> {
    const sound = tone(1).subarray(44);
    const head = Buffer.alloc(54);
    head.write('FORM', 0, 'latin1');
    head.writeUInt32BE(46 + sound.length, 4);
    head.write('AIFFCOMM', 8, 'latin1');
    head.writeUInt32BE(18, 16);
    head.writeUInt16BE(1, 20);
    head.writeUInt32BE(sound.length / 2, 22);
    head.writeUInt16BE(16, 26);
    // 8000 as a number of 80 bits.
    Buffer.from('400bfa00000000000000', 'hex').copy(head, 28);
    head.write('SSND', 38, 'latin1');
    head.writeUInt32BE(8 + sound.length, 42);
    return Buffer.concat([head, Buffer.from(sound).swap16()]);
  }
});

test('a meeting that is deleted while it is processed is not processed any more', async () => {
  const house = await openHouse({ jobPace: pace });
  try {
    const ann = await house.person();
    await house.database.sql.unsafe(`
      create function test_slow() returns trigger language plpgsql as $$ begin perform pg_sleep(1); return new; end $$;
      create trigger test_slow before update of step on jobs for each row when (new.step = 'writing') execute function test_slow();`);
    const { id } = await createMeeting(ann, external({ file: { fileName: 'talk.wav', content: tone() } }));
    await beginProcessing(ann, id);
    const step = async () =>
      (await house.database.sql<{ step: string }[]>`select step from jobs where meeting_id = ${id}`)[0]?.step;
    // The step before the slow one is seen for as long as that takes; each of the others may be over in no time.
    while (!['reading', 'drawing', 'converting'].includes((await step()) ?? '')) await sleep(5);
    expect((await ann.delete(`/api/meetings/${id}`)).status).toBe(204);
    const state = async () =>
      (await house.database.sql<{ state: string }[]>`select state from jobs where meeting_id = ${id}`)[0]?.state;
    expect(await state()).toBe('cancelled');
    await sleep(1500);
    expect(await state()).toBe('cancelled');
    expect(await house.database.sql`select 1 from media where meeting_id = ${id}`).toHaveLength(0);
    expect(await house.mails(ann.email)).toHaveLength(0);
    // Once restored, the recording shows the failure, and can be processed after all.
    expect((await ann.post(`/api/meetings/${id}/restore`)).status).toBe(204);
    expect((await processed(ann, id)).failures_present).toBe(true);
    await house.database.sql`drop trigger test_slow on jobs`;
    await beginProcessing(ann, id);
    expect(await processed(ann, id)).toMatchObject({ percentage: 100, failures_present: false });
    expect(await house.house.documents.read(id, (doc) => readSegments(doc).length)).toBe(3);
  } finally {
    await house.close();
  }
});
