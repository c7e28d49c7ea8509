// The first start makes demo people and a recording to correct, offered on this machine only (README.md).
import { get } from 'node:http';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sessions, users } from '#db/schema/accounts.ts';
import { meetings } from '#db/schema/meetings.ts';
import { mailOutbox } from '#db/schema/house.ts';
import { readConfig } from '#server/config.ts';
import { seedDemo } from '#server/demo/people.ts';
import { createLog } from '#server/log.ts';
import { start } from '#server/start.ts';
import { isCommonPassword } from '#server/accounts/common-passwords.ts';
import { detectionView } from '#shared/ai/suggestions.ts';
import { analysisView, writtenByHand } from '#shared/ai/views.ts';
import type { SignInOptions } from '#shared/accounts.ts';
import { agreementAnswer } from '#shared/reviews/agreement-view.ts';
import { growthAnswer } from '#shared/reviews/growth.ts';
import type { ReviewView } from '#shared/reviews.ts';
import { readSegments } from '#shared/meetings/transcript.ts';
import { readWords } from '#shared/meetings/words.ts';
import { freshDatabase } from '#tests/support/database.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';

let house: TestHouse;
beforeAll(async () => {
  house = await openHouse({ env: { DEMO: 'on' } });
});
afterAll(() => house?.close());

const offered = async (of: TestHouse, headers: Record<string, string> = {}) =>
  ((await of.stranger().get('/api/sign-in-options', { headers })).body as SignInOptions).demo;

/** Asked with a Host of one's own choice, as a page of another name that leads to this machine would. */
function offeredTo(host: string): Promise<SignInOptions['demo']> {
  return new Promise((resolve, reject) => {
    get(`${house.origin}/api/sign-in-options`, { headers: { Host: host } }, (answer) => {
      let text = '';
      answer.on('data', (chunk: Buffer) => (text += chunk.toString()));
      answer.on('end', () => resolve((JSON.parse(text) as SignInOptions).demo));
    }).on('error', reject);
  });
}

test('an empty server gets three people, who sign in like everybody', async () => {
  const demo = await offered(house);
  expect(demo.map(({ name, email }) => [name, email])).toEqual([
    ['Ann Demo', 'ann@demo.example'],
    ['Ben Demo', 'ben@demo.example'],
    ['Chen Demo', 'chen@demo.example'],
  ]);
  const types: unknown[] = [];
  for (const { email, password } of demo) {
    expect(isCommonPassword(password)).toBe(false);
    const person = house.stranger();
    expect((await person.post('/api/login', { email, password })).status).toBe(200);
    const { principal } = (await person.whoami()).body;
    expect(principal).toMatchObject({ email, confirmed: true, language: 'en', last_name: 'Demo' });
    types.push(principal.accountType);
  }
  expect(types).toEqual(['coach', 'mentor', 'student']);
});

test('the recording has an analysis and suggested outcomes, written by hand and marked so, whose quotes stand', async () => {
  const [row] = await house.database.orm.select({ id: meetings.id }).from(meetings);
  const ann = house.stranger();
  const [first] = await offered(house);
  expect((await ann.post('/api/login', { email: first?.email, password: first?.password })).status).toBe(200);
  const { analysis } = analysisView.parse((await ann.get(`/api/meetings/${row?.id}/analysis`)).body);
  expect(analysis).toMatchObject({ model: writtenByHand, older: false });
  expect(analysis?.parts.map(({ quotes }) => quotes.length)).toEqual([1, 2, 1]);
  const { suggestions } = detectionView.parse((await ann.get(`/api/meetings/${row?.id}/outcomes/autodetect`)).body);
  expect(suggestions.map(({ type, author }) => [type, author.name])).toEqual(
    ['agreement', 'listening', 'awareness', 'trust', 'growth'].map((type) => [type, writtenByHand]),
  );
});

test('the recording has reviews: one that has opened, one that waits, and one of the student, with grades', async () => {
  const [row] = await house.database.orm.select({ id: meetings.id }).from(meetings);
  const states: unknown[] = [];
  for (const { email, password } of await offered(house)) {
    const person = house.stranger();
    await person.post('/api/login', { email, password });
    const { reviews } = (await person.get(`/api/meetings/${row?.id}/reviews`)).body as { reviews: ReviewView[] };
    states.push(reviews.map(({ policy, phase, mine }) => [policy, phase, mine?.status ?? null]));
    // In the review in progress, those who assess have suggestions to decide.
    const running = reviews.find(({ phase }) => phase === 'closed');
    if (running) {
      const { body } = await person.get(`/api/meetings/${running.cloneId}/outcomes/autodetect`);
      expect(detectionView.parse(body).suggestions).toHaveLength(5);
    }
    const opened = reviews.find(({ phase }) => phase === 'open');
    const { agreement } = agreementAnswer.parse(
      (await person.get(`/api/meetings/${row?.id}/reviews/${opened?.id}/agreement`)).body,
    );
    expect(agreement?.people).toHaveLength(2);
    expect(agreement?.grades.alpha).toBeGreaterThan(0);
    expect(agreement?.grades.alpha).toBeLessThan(1);
    expect(agreement?.words?.alpha).toBeGreaterThan(0);
    expect(agreement?.blind?.grades).toEqual(agreement?.grades);
    const layer = opened?.layers.find(({ kind }) => kind === 'discussion')?.id;
    expect((await person.get(`/api/meetings/${layer}`)).body.doc.comments).toHaveLength(2);
    const { people, points } = growthAnswer.parse((await person.get('/api/growth')).body);
    expect(people.map(({ name }) => name)).toEqual(['Chen Demo']);
    expect(points.map(({ competencies }) => competencies.map(({ type, grade, self }) => [type, grade, self]))).toEqual([
      [
        ['agreement', 2, 3],
        ['trust', 3, 3],
        ['listening', 3, 2],
      ],
    ]);
  }
  expect(states).toEqual([
    [
      ['relaxed', 'closed', 'new'],
      ['strict', 'open', null],
      ['student', 'published', 'complete'],
    ],
    [
      ['relaxed', 'closed', 'in-progress'],
      ['strict', 'open', 'complete'],
      ['student', 'published', 'complete'],
    ],
    [
      ['strict', 'open', 'complete'],
      ['student', 'published', 'complete'],
    ],
  ]);
});

test('the first of them has a recording to correct, and the others may help', async () => {
  const rows = await house.database.orm.select({ id: meetings.id }).from(meetings);
  expect(rows).toHaveLength(1);
  const id = rows[0]?.id ?? '';
  for (const { email, password } of await offered(house)) {
    const person = house.stranger();
    await person.post('/api/login', { email, password });
    const { body } = await person.get(`/api/meetings/${id}/about`);
    expect(body).toMatchObject({ owner: { name: 'Ann Demo' }, permissions: expect.arrayContaining(['read', 'write']) });
    expect(body.media.map(({ tag }: { tag: string }) => tag)).toEqual(['audio', 'histogram']);
    const sound = await person.get(body.media[0].src, { headers: { Range: 'bytes=0-2' } });
    expect([sound.status, sound.text]).toEqual([206, 'ID3']);
  }
  const by = { userId: null };
  const segments = await house.house.rooms.read(id, 'transcript', by, readSegments);
  expect(segments).toHaveLength(30);
  expect(segments[5]?.text).toContain('putting off a conversion with');
  const { words } = await house.house.rooms.read(id, 'transcript', by, (doc) => {
    const reading = readWords(doc);
    return { words: reading.segments.flatMap((segment) => [...segment.words]) };
  });
  expect(words.length).toBeGreaterThan(400);
});

test('making them leaves no open session and no mail', async () => {
  const fresh = await openHouse({ env: { DEMO: 'on' } });
  expect(await fresh.database.orm.select().from(sessions)).toEqual([]);
  expect(await fresh.database.orm.select().from(mailOutbox)).toEqual([]);
  await fresh.close();
});

describe('they are offered at this machine only', () => {
  test.each([
    ['x-forwarded-for', '203.0.113.7'],
    ['forwarded', 'for=203.0.113.7'],
    ['x-real-ip', '127.0.0.1'],
    ['via', '1.1 proxy'],
    ['x-forwarded-host', 'localhost'],
  ])('not through a proxy (%s)', async (name, value) => {
    expect(await offered(house, { [name]: value })).toEqual([]);
  });

  test('not to a page of another name that leads here', async () => {
    expect(await offeredTo('evil.example')).toEqual([]);
    expect(await offeredTo(`evil.example:${house.port}`)).toEqual([]);
    expect(await offeredTo(`localhost:${house.port}`)).toHaveLength(3);
  });

  test.each<[string, Record<string, string>]>([
    ['switched off', { DEMO: 'off' }],
    ['on an external database, unless asked for', {}],
    ['under a public address', { DEMO: 'on', PUBLIC_URL: 'https://colloquy.example' }],
  ])('not in a house that is %s, where they do not exist either', async (_, env) => {
    const other = await openHouse({ env });
    expect(await offered(other)).toEqual([]);
    expect(await other.database.orm.select().from(users)).toEqual([]);
    await other.close();
  });
});

test('a server that is in use stays unchanged', async () => {
  const lived = await openHouse({ env: { DEMO: 'on' } });
  const said: string[] = [];
  await lived.database.orm.delete(users).where(eq(users.email, 'ben@demo.example'));
  await seedDemo(lived.house, (line) => said.push(line));
  expect(said).toEqual([]);
  expect((await offered(lived)).map(({ name }) => name)).toEqual(['Ann Demo', 'Chen Demo']);
  await lived.close();
});

test('without the setting no demo people are made', async () => {
  const other = await openHouse();
  await seedDemo(other.house, () => {});
  expect(await other.database.orm.select().from(users)).toEqual([]);
  await other.close();
});

test('two processes that start at once fill it once', async () => {
  const { url, database, drop } = await freshDatabase();
  const config = readConfig({ PORT: '0', DATABASE_URL: url, DEMO: 'on' }, new URL('../..', import.meta.url).pathname);
  const said: string[] = [];
  const given = { log: createLog('silent'), quickPasswords: true, client: null };
  const both = await Promise.all([1, 2].map(() => start(config, (line) => said.push(line), given)));
  expect(await database.orm.select().from(users)).toHaveLength(3);
  expect(said).toEqual(['The sign-in page offers the demo people Ann, Ben and Chen.']);
  await Promise.all(both.map((one) => one.stop()));
  await drop();
});
