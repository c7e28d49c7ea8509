// A server that is killed while an engine transcribes a recording: the next one continues where the transcript ends.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '#db/open.ts';
import { pieceRate } from '#server/engines/pieces.ts';
import { freshDatabase } from '#tests/support/database.ts';
import { beginProcessing, createMeeting, multipart, processed } from '#tests/support/intake.ts';
import { Person, signUp } from '#tests/support/people.ts';
import { endProcesses, kill, openProcess, type RunningHouse } from '#tests/support/processes.ts';
import { noFfmpeg, openRecogniser, recorded, silence, type Recogniser } from '#tests/support/speech.ts';

let database: Database & { url: string; drop(): Promise<void> };
let folder: string;
let house: RunningHouse;
let server: Recogniser;
let cookies: Person['cookies'];
const ann = () => Object.assign(new Person(house.origin), { cookies });

const start = () =>
  openProcess({
    DATABASE_URL: database.url,
    DATA_DIR: folder,
    LOG_LEVEL: 'warn',
    TRANSCRIBE_URL: server.url,
    TRANSCRIBE_PRICE: '0',
  });

beforeAll(async () => {
  server = await openRecogniser();
  const fresh = await freshDatabase();
  database = Object.assign(fresh.database, { url: fresh.url, drop: fresh.drop });
  folder = await mkdtemp(join(tmpdir(), 'colloquy-listening-'));
  house = await start();
  const person = await signUp(house.origin, 'ann@example.test');
  ({ cookies } = person);
}, 120_000);
afterAll(async () => {
  endProcesses();
  await server?.close();
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

/** Loud enough to be sent, and longer than one piece. */
function noise(seconds: number): Buffer {
  const samples = silence(seconds);
  for (let at = 0; at < samples.length; at += 2) samples.writeInt16LE(at % 64 < 32 ? 9000 : -9000, at);
  return samples;
}

const asleep = async (): Promise<boolean> =>
  (await database.sql`select 1 from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()`)
    .length > 0;

test.for(['while the engine listens', 'while its words are stored'])(
  'killed %s: no piece is missing or doubled',
  async (when, { skip }) => {
    const without = noFfmpeg();
    if (without) return skip(without);
    server.asked.length = 0;
    let listening = () => {};
    const second = new Promise<void>((resolve) => (listening = resolve));
    const storing = when === 'while its words are stored';
    server.answers = ({ wav }, nth) => {
      if (nth === 2 && !storing) {
        listening();
        return 'hang';
      }
      const seconds = Math.round((wav.length - 44) / 2 / pieceRate);
      return { body: { segments: [{ start: 1, end: 3, text: ` Of ${seconds} seconds.` }] } };
    };
    if (storing)
      await database.sql.unsafe(`
        create function test_slow() returns trigger language plpgsql as $$ begin perform pg_sleep(3); return new; end $$;
        create trigger test_slow before update of heard_ms on intakes for each row when (old.heard_ms > 0) execute function test_slow();`);
    const file = { fileName: 'talk.wav', content: recorded(noise(70)) };
    const { id } = await createMeeting(ann(), multipart({ title: when, model: 'speech', file }));
    expect((await beginProcessing(ann(), id)).status).toBe(200);
    if (storing) while (!(await asleep())) await sleep(10);
    else await second;
    await kill(house);
    // The last statement of the dead process may still run, and then its change is stored.
    while (await asleep()) await sleep(10);
    if (storing) await database.sql.unsafe('drop trigger test_slow on intakes');
    // Ends the lease, so that the test need not wait for it.
    await database.sql`update jobs set leased_until = now() - interval '1 second' where meeting_id = ${id} and state = 'running'`;

    house = await start();
    expect(await processed(ann(), id)).toEqual({ percentage: 100, failures_present: false, failure_messages: [] });
    const { body } = await ann().get(`/api/meetings/${id}`);
    const { segments } = (body as { doc: { transcript: { segments: { text: string }[] } } }).doc.transcript;
    expect(segments.map(({ text }) => text)).toEqual(['Of 60 seconds.', 'Of 10 seconds.']);
    expect(
      await database.sql`select state, attempts from jobs where meeting_id = ${id} and kind = 'transcription'`,
    ).toEqual([{ state: 'done', attempts: 2 }]);
    const mails =
      await database.sql`select 1 from mail_outbox where dedupe_key like 'recording:%' and text like ${`%/meeting/${id}%`}`;
    expect(mails).toHaveLength(1);
    expect(await readdir(join(folder, 'work')).catch(() => [])).toEqual([]);
  },
);
