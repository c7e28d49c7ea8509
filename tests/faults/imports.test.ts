// A server that is killed while it fetches a recording from another service: the next one fetches all of it.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '#db/open.ts';
import { freshDatabase } from '#tests/support/database.ts';
import { beginProcessing, createMeeting, external, processed, tone } from '#tests/support/intake.ts';
import { openZoom, sendBytes, type TestService } from '#tests/support/meeting-services.ts';
import { Person, signUp } from '#tests/support/people.ts';
import { endProcesses, kill, openProcess, type RunningHouse } from '#tests/support/processes.ts';

let database: Database & { url: string; drop(): Promise<void> };
let folder: string;
let house: RunningHouse;
let zoom: TestService;
let cookies: Person['cookies'];
const ann = () => Object.assign(new Person(house.origin), { cookies });

const start = () => openProcess({ DATABASE_URL: database.url, DATA_DIR: folder, LOG_LEVEL: 'warn', ...zoom.env });

beforeAll(async () => {
  zoom = await openZoom();
  const fresh = await freshDatabase();
  database = Object.assign(fresh.database, { url: fresh.url, drop: fresh.drop });
  folder = await mkdtemp(join(tmpdir(), 'colloquy-importing-'));
  house = await start();
  const person = await signUp(house.origin, 'ann@example.test');
  await zoom.letIn(person, 'ann');
  ({ cookies } = person);
}, 120_000);
afterAll(async () => {
  endProcesses();
  await zoom?.close();
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

/** All files of the store, unfinished ones too. */
async function files(): Promise<string[]> {
  const found = await readdir(join(folder, 'files'), { recursive: true, withFileTypes: true }).catch(() => []);
  return found.filter((one) => one.isFile()).map(({ name }) => name);
}

test('killed in the middle: it comes whole, once, and what came before is known to be cleared away', async () => {
  const content = tone(60);
  const { id: meeting, fileId } = zoom.keep('ann', { content });
  let halfway = () => {};
  const half = new Promise<void>((resolve) => (halfway = resolve));
  zoom.mood.send = (_request, response) => {
    response.writeHead(200, { 'Content-Type': 'video/mp4', 'Content-Length': String(content.length) });
    response.write(content.subarray(0, content.length / 2), halfway);
  };
  const { id } = await createMeeting(ann(), external({ zoomMeetingId: meeting, zoomRecordingFileId: fileId }));
  expect((await beginProcessing(ann(), id)).status).toBe(200);
  await half;
  await expect.poll(files).not.toEqual([]);
  await kill(house);
  const [job] = await database.sql<{ store_keys: string[] }[]>`
    update jobs set leased_until = now() - interval '1 second' where meeting_id = ${id} and state = 'running'
    returning store_keys`;
  const [unfinished = ''] = job?.store_keys ?? [];
  expect((await files()).filter((name) => name.startsWith(unfinished))).not.toEqual([]);

  zoom.mood.send = (request, response) => sendBytes(request, response, content);
  house = await start();
  expect(await processed(ann(), id)).toMatchObject({ percentage: 100, failures_present: false });
  const rows = await database.sql<{ store_key: string; bytes: string }[]>`
    select store_key, bytes from uploads where meeting_id = ${id}`;
  expect(rows.map(({ bytes }) => Number(bytes))).toEqual([content.length]);
  expect(rows[0]?.store_key).not.toBe(unfinished);
  expect(
    await database.sql`select kind, state, attempts from jobs where meeting_id = ${id} order by created_at`,
  ).toEqual([
    { kind: 'import', state: 'done', attempts: 2 },
    { kind: 'recording', state: 'done', attempts: 1 },
  ]);
  expect(await database.sql`select 1 from store_leftovers where key = ${unfinished}`).toHaveLength(1);
});
