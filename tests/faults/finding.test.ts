// A server that is killed while it indexes words: nothing of the half-done work is there, the next one does all of it, and
// `npm run finding -- check` finds nothing wrong. Killed at random instants while people type, it is the same.
// A longer run: KILL_ROUNDS=200 npm test -- tests/faults/finding.test.ts
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '#db/open.ts';
import { makeRoom, Processes } from '#tests/support/crash.ts';
import { freshDatabase } from '#tests/support/database.ts';
import { closeEditors, settled, stored, synced, tokensIn, typing, until, type Editor } from '#tests/support/editors.ts';
import { beginProcessing, createMeeting, processed } from '#tests/support/intake.ts';
import { makeLayers } from '#tests/support/layers.ts';
import { Person, signUp } from '#tests/support/people.ts';
import { endProcesses, kill, openProcess, run, type RunningHouse } from '#tests/support/processes.ts';

let database: Database & { url: string; drop(): Promise<void> };
let house: RunningHouse;
beforeAll(async () => {
  const fresh = await freshDatabase();
  database = Object.assign(fresh.database, { url: fresh.url, drop: fresh.drop });
}, 120_000);
afterAll(async () => {
  closeEditors();
  endProcesses();
  await database?.drop();
});

const env = () => ({ DATABASE_URL: database.url, LOG_LEVEL: 'warn' });
const command = async (...given: string[]) => {
  const { ended, lines } = run('scripts/read-finding.ts', env(), { arguments: given });
  return { code: await ended, said: lines.at(-1) };
};
const behind = async () =>
  (
    await database.sql`
      select 1 from rooms r left join search_rooms s on s.room = r.name
      where s.room is null or s.version < r.base + r.seq + r.mends`
  ).length > 0;
/** Audiences of the passages of a recording. */
const indexed = async (id: string) =>
  (
    await database.sql<{ audience: string }[]>`
      select distinct audience from search_passages where meeting_id = ${id} order by 1`
  ).map(({ audience }) => audience);
const asleep = async () =>
  (await database.sql`select 1 from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()`)
    .length > 0;

test('killed in the middle of its transaction, for a transcript and for a layer of a review', async () => {
  house = await openProcess(env());
  const { cookies } = await signUp(house.origin, 'ann@example.test');
  // The sleep is longer than a statement of the house may take: none commits, however late the kill is.
  await database.sql.unsafe(`
    create function test_slow() returns trigger language plpgsql as $$ begin perform pg_sleep(30); return new; end $$;
    create trigger test_slow before insert on search_words for each row execute function test_slow();`);
  const [person] = await database.sql<{ id: string }[]>`select id from users`;
  const ann = Object.assign(new Person(house.origin), { cookies, id: person?.id ?? '' });
  const { id } = await createMeeting(ann);
  await beginProcessing(ann, id);
  await processed(ann, id);
  const [layer] = await makeLayers({ database }, id, ann, [{ held: [[ann, ['read', 'comment']]] }]);
  const sheet = { grade: 1, words: 'Interrupts' };
  expect((await ann.put(`/api/meetings/${layer}/grades/presence`, sheet)).status).toBe(200);
  await until(asleep);
  await kill(house);
  await until(async () => !(await asleep()));
  expect(await indexed(id)).toEqual([]);
  await database.sql.unsafe(`
    drop trigger test_slow on search_words;
    create trigger test_slow before insert on search_words for each row when (new.audience like 'l:%')
      execute function test_slow();`);

  // The transcript of a recording comes before its layers.
  house = await openProcess(env());
  await until(asleep);
  await kill(house);
  await until(async () => !(await asleep()));
  await database.sql.unsafe('drop trigger test_slow on search_words');
  expect(await indexed(id)).toEqual(['t']);
  expect(await command('check')).toMatchObject({ code: 1, said: 'The index differs from the documents.' });

  house = await openProcess(env());
  await until(async () => !(await behind()));
  await kill(house);
  expect(await indexed(id)).toEqual([`l:${layer}`, 't']);
  expect(await command('check')).toEqual({ code: 0, said: 'The index is right.' });
  await database.sql`delete from search_words where ctid = (select min(ctid) from search_words)`;
  expect((await command('check')).code).toBe(1);
  await database.sql`update search_rooms set tokens = 0`;
  expect(await command('rebuild')).toMatchObject({ code: 0 });
  expect(await command('check')).toEqual({ code: 0, said: 'The index is right.' });
});

const rounds = Number(process.env['KILL_ROUNDS'] ?? 3);

/** Deletes some letters, at a place that changes. */
function deleteSome({ text }: Editor): void {
  const at = Math.floor(Math.random() * text.length);
  text.delete(at, Math.min(text.length - at, 1 + Math.floor(Math.random() * 40)));
}

test(
  `${rounds} kills at random instants, while people type and after it`,
  { timeout: 120_000 + rounds * 30_000 },
  async () => {
    const processes = new Processes(database.url);
    const meeting = await makeRoom(database, 2);
    for (let round = 0; round < rounds; round += 1) {
      house = await processes.start();
      const editors = [processes.editor(meeting, 0), processes.editor(meeting, 1)];
      await synced(editors);
      const hands = typing(editors, 20);
      await until(() => editors.every(({ saved }) => saved.length > 20));
      for (const editor of editors) deleteSome(editor);
      // Search follows two seconds after the last key: the instants lie before it, within it and behind it.
      const still = round % 3;
      if (still > 0) {
        await hands.stop();
        await settled(editors);
      }
      await sleep(1500 * (still + Math.random()));
      await kill(house);
      await hands.stop();
      for (const editor of editors) editor.close();
      if (still === 0) expect(await command('check')).toMatchObject({ code: 1 });
    }
    expect(tokensIn((await stored(database.sql, meeting.room)).text).length).toBeGreaterThan(10);

    house = await processes.start();
    await until(async () => !(await behind()));
    await kill(house);
    expect(await command('check')).toEqual({ code: 0, said: 'The index is right.' });
    await database.sql`update search_passages set digest = '' where ctid = (select min(ctid) from search_passages)`;
    expect((await command('check')).code).toBe(1);
  },
);
