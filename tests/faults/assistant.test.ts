// The server and its PostgreSQL are killed at once, at each step of a question, an analysis, a search for outcomes, drafts
// and an explained grade: what is shown is stored and paid once, what is not is paid never, and nothing stays reserved.
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '#db/open.ts';
import { differencesIn } from '#server/billing/books.ts';
import { draftsView } from '#shared/ai/drafts.ts';
import { verdictView } from '#shared/ai/verdicts.ts';
import { detectionView } from '#shared/ai/suggestions.ts';
import { analysisView, chatView, stands } from '#shared/ai/views.ts';
import { newId } from '#shared/ids.ts';
import { openAssistant, type StandIn } from '#tests/support/assistant.ts';
import { creditsLeft, giveCredits } from '#tests/support/billing.ts';
import { lookInto, ownCluster, signal } from '#tests/support/crash.ts';
import { beginProcessing, createMeeting, processed } from '#tests/support/intake.ts';
import { Person, signUp } from '#tests/support/people.ts';
import { askFor } from '#tests/support/reviews.ts';
import { endProcesses, gone, openProcess, type RunningHouse } from '#tests/support/processes.ts';

let folder: string;
let cluster: Awaited<ReturnType<typeof ownCluster>>;
let database: Database;
let house: RunningHouse;
let there: StandIn;

const start = () =>
  openProcess({
    DATABASE_URL: cluster.url,
    DATA_DIR: join(folder, 'house'),
    LOG_LEVEL: 'warn',
    AI_URL: there.url,
    QUESTION_PRICE: '0.5',
    DETECT_PRICE: '0.25',
  });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'colloquy-assistant-'));
  await chmod(folder, 0o755);
  await mkdir(join(folder, 'own'));
  there = await openAssistant('openai', { context: 16_000 });
  cluster = await ownCluster(join(folder, 'own'));
  database = lookInto(cluster.url);
  house = await start();
}, 300_000);
afterAll(async () => {
  endProcesses();
  await database?.close();
  await cluster?.stop();
  await there?.close();
  await rm(folder, { recursive: true, force: true });
});

const asleep = async (): Promise<boolean> =>
  (await database.sql`select 1 from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()`)
    .length > 0;

async function killBoth(): Promise<void> {
  const victims = [house.child.pid ?? 0, ...cluster.processes()];
  signal(victims, 'SIGKILL');
  await Promise.all(victims.map(gone));
  await cluster.up();
}

/** Stops the first change of this kind until everything is killed. */
async function killedWhile(change: string, act: () => Promise<unknown>): Promise<void> {
  await database.sql.unsafe(`
    create or replace function test_halt() returns trigger language plpgsql as $$
      begin perform pg_sleep(300); return new; end $$;
    create trigger test_halt ${change} execute function test_halt();`);
  const acted = act().catch(() => null);
  while (!(await asleep())) await sleep(10);
  await killBoth();
  await acted;
  await database.sql.unsafe(`drop trigger test_halt on ${/ on (\w+)/.exec(change)?.[1]}`);
}

/** A call that has a model work, where its result is stored, and how many parts of it people see. */
interface Work {
  path: string;
  /** Id that the call takes in the place of the recording's. */
  by?: (person: Person, meeting: string) => Promise<string>;
  body: object;
  purpose: 'question' | 'detect';
  price: number;
  /** First change that stores a part. */
  stored: string;
  answer: (quote: string) => object;
  view: (body: unknown) => { state: string | undefined; shown: number };
}

const parts = (quote: string) => ({ parts: [{ text: 'They begin.', cites: [{ line: 1, quote }] }], enough: true });

const works: Record<string, Work> = {
  'a question': {
    ...{ path: 'chat', body: { content: 'What is this?' }, purpose: 'question', price: 0.5 },
    stored: 'before update of parts on ai_messages for each row when (jsonb_array_length(new.parts) > 0)',
    answer: parts,
    view: (body) => {
      const { messages } = chatView.parse(body);
      const answers = messages.filter(({ role }) => role === 'assistant');
      expect(answers.length).toBeLessThan(2);
      return { state: answers[0]?.run?.state, shown: answers.flatMap((one) => one.parts.filter(stands)).length };
    },
  },
  'an analysis': {
    ...{ path: 'analysis', body: {}, purpose: 'question', price: 0.5 },
    stored: 'before insert on ai_analyses for each row',
    answer: parts,
    view: (body) => {
      const { analysis, run } = analysisView.parse(body);
      return { state: run?.state, shown: analysis?.parts.length ?? 0 };
    },
  },
  'a search for outcomes': {
    ...{ path: 'outcomes/autodetect', body: {}, purpose: 'detect', price: 0.25 },
    stored: 'before insert on ai_suggestions for each row',
    answer: (quote) => ({
      outcomes: [{ type: 'decisions', others: [], text: 'They begin.', reason: 'So it says.', line: 1, quote }],
    }),
    view: (body) => {
      const { suggestions, run } = detectionView.parse(body);
      return { state: run?.state, shown: suggestions.length };
    },
  },
  // Points of a summary and chapters are drafted by the same code.
  'a draft of chapters': {
    ...{ path: 'drafts/chapters', body: {}, purpose: 'question', price: 0.5 },
    stored: 'before insert on ai_drafts for each row',
    answer: parts,
    view: (body) => {
      const { drafts, run } = draftsView.parse(body);
      return { state: run?.state, shown: drafts.length };
    },
  },
  'an explained grade': {
    ...{ path: 'grades/listening/explanation', body: {}, purpose: 'question', price: 0.5 },
    by: async (person, meeting) => {
      const asked = { policy: 'relaxed', outcomeModel: 'coaching', roles: [[person, 'required']] } as const;
      return (await askFor(person, meeting, asked)).cloneId ?? '';
    },
    stored: 'before insert on ai_verdicts for each row',
    answer: (quote) => ({ grade: 3, parts: parts(quote).parts, why: 'They only begin.' }),
    view: (body) => {
      const { verdict, run } = verdictView.parse(body);
      return { state: run?.state, shown: verdict?.parts.length ?? 0 };
    },
  },
};

describe.each(Object.entries(works))('%s', (name, { path, by, body, purpose, price, stored, answer, view }) => {
  test.for([
    ['its price is reserved', 'before insert on jobs for each row'],
    ['the model reads', null],
    ['it is stored', stored],
    ['it is paid', "before update of state on holds for each row when (new.state = 'captured')"],
    ['it is returned', "before update of state on holds for each row when (new.state = 'released')"],
  ] as const)('killed while %s', { timeout: 300_000 }, async ([when, change]) => {
    const known = await signUp(house.origin, `${newId().toLowerCase()}@example.test`);
    const { id } = (await known.whoami()).body.principal as { id: string };
    const { cookies, email } = known;
    /** The same person, at the current address of the server. */
    const ann = () => Object.assign(new Person(house.origin), { id, email, cookies });
    const { id: meeting } = await createMeeting(ann());
    await beginProcessing(ann(), meeting);
    await processed(ann(), meeting);
    await giveCredits({ database }, ann(), '5');
    const before = await creditsLeft({ database }, ann());
    const call = `/api/meetings/${(await by?.(ann(), meeting)) ?? meeting}/${path}`;
    const headers = { 'X-Request-ID': newId() };
    const begin = () => ann().post(call, { ...body, cost: price }, { headers });
    const seen = async () => view((await ann().get(call)).body);
    const fails = when === 'it is returned';
    const said = JSON.stringify(answer(fails ? 'nobody ever said this' : 'Thanks for joining, shall we start?'));
    there.mood.answer = () => said;
    there.mood.silent = change === null;
    if (change === null) {
      expect((await begin()).status).toBe(200);
      await expect.poll(() => there.asking(), { timeout: 60_000 }).toBe(1);
      await killBoth();
      there.mood.silent = false;
    } else await killedWhile(change, begin);
    // Ends the lease, so that the test need not wait for it.
    await database.sql`update jobs set leased_until = now() - interval '1 second' where meeting_id = ${meeting} and state = 'running'`;
    house = await start();
    // The repeated request begins nothing anew.
    const again = await begin();
    expect(again.status, `${name}: ${again.text}`).toBe(200);
    await expect.poll(async () => (await seen()).state, { timeout: 60_000 }).toBe('done');
    expect((await seen()).shown).toBe(fails ? 0 : 1);
    const holds = await database.sql<{ purpose: string; state: string }[]>`
      select purpose, state from holds where meeting_id = ${meeting} and purpose in ('question', 'detect')`;
    expect([...holds]).toEqual([{ purpose, state: fails ? 'released' : 'captured' }]);
    expect(before - (await creditsLeft({ database }, ann()))).toBeCloseTo(fails ? 0 : price, 6);
    expect(await differencesIn(database.sql)).toEqual([]);
  });
});
