// The first screens of a transcript in the page of a recording: for whom, how current, and as nothing but text.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '#shared/ids.ts';
import { seedState } from '#shared/meetings/seed.ts';
import { close } from '#sync/protocol.ts';
import { openHouse, type TestHouse } from '../support/house.ts';
import { makeLayers } from '../support/layers.ts';
import { makeMeeting, share } from '../support/meetings.ts';
import type { Person } from '../support/people.ts';

const index = `<!doctype html><html><head><meta charset="utf-8" /><meta property="csp-nonce" nonce="__NONCE__" /></head><body><div id="root"></div></body></html>`;

let folder: string;
let house: TestHouse;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'colloquy-client-'));
  await writeFile(join(folder, 'index.html'), index);
  house = await openHouse({ client: folder });
});
afterAll(async () => {
  await house.close();
  await rm(folder, { recursive: true, force: true });
});

async function recording(owner: Person, ...texts: string[]): Promise<string> {
  const id = await makeMeeting(house, owner);
  const segments = texts.map((text, i) => ({
    id: newId(),
    speaker: i === 0 ? 'a' : 'b',
    words: text.split(' ').map((w, k) => ({ w, f: i * 9 + k, t: i * 9 + k + 0.5 })),
  }));
  const speakers = [{ id: 'a', name: '<b>Ann</b> "A"', color: 3, sortId: 0 }];
  const about = { title: 'Q&A', lang: 'en' };
  await house.house.rooms.renew(id, 'transcript', { userId: owner.id }, seedState({ about, speakers, segments }));
  return id;
}

const page = async (person: Person, id: string, more = ''): Promise<string> =>
  (await person.get(`/meeting/${id}${more}`, { headers: { 'Accept-Language': 'en' } })).text.replaceAll(
    /nonce="[\w-]{20,}"/g,
    'nonce=""',
  );

/** The page once it holds these words: it goes out without them where reading takes too long. */
async function shown(person: Person, id: string, words: string | RegExp): Promise<void> {
  await expect.poll(() => page(person, id), { timeout: 30_000 }).toMatch(words);
}

test('readers get the first words in the page, which nothing keeps', async () => {
  const [ann, ben] = (await house.people(2)) as [Person, Person];
  const id = await recording(ann, 'Good morning', 'Hello there');
  await share(house, id, ben, ['read']);
  await shown(ann, id, /<p>Good morning<\/p>.*<p>Hello there<\/p>.*<div id="root">/s);
  const answer = await ann.get(`/meeting/${id}`);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.headers.get('content-security-policy')).toMatch(/script-src 'self'; style-src 'self' 'nonce-/);
  expect(await page(ann, id)).toContain(`<meta name="colloquy-reader" content="${ann.id}" />`);
  expect(await page(ann, id)).not.toContain('edit it');
  await shown(ben, id, /You can read this recording but not edit it\. Its owner, Ann Test, .*Good morning/s);
  // A page that follows a link to a place begins elsewhere.
  expect(await page(ann, id, '?t=10')).not.toContain('Good morning');
});

test('a person who may not read gets the bytes of a recording that does not exist', async () => {
  const [ann, ben, chen] = (await house.people(3)) as [Person, Person, Person];
  const id = await recording(ann, 'Good morning');
  await shown(ann, id, 'Good morning');
  const nothing = await page(house.stranger(), newId());
  expect(nothing).toContain('<body><div id="root">');
  for (const person of [house.stranger(), ben]) expect(await page(person, id)).toBe(nothing);
  expect(await page(ben, newId())).toBe(nothing);

  // Without an account, a link opens the page as before.
  await share(house, id, 'anonymous', ['read']);
  expect(await page(house.stranger(), id)).toBe(nothing);
  await shown(ben, id, 'Good morning');
  // A code that is not typed yet, and a link that has expired.
  await house.database.sql`update meeting_access set code_id = 'c', code_hash = '\\x00' where meeting_id = ${id}`;
  expect(await page(ben, id)).toBe(nothing);
  await house.database
    .sql`update meeting_access set code_id = null, expires_at = now() - interval '1 hour' where meeting_id = ${id}`;
  expect(await page(ben, id)).toBe(nothing);

  await share(house, id, chen, ['read']);
  await shown(chen, id, 'Good morning');
  await house.database.sql`delete from meeting_access where meeting_id = ${id} and principal_id = ${chen.id}`;
  expect(await page(chen, id)).toBe(nothing);
  expect((await ann.post('/api/logout')).status).toBeLessThan(400);
  expect(await page(ann, id)).toBe(nothing);
});

test('what was deleted is gone from the page at once, before lists have caught up', async () => {
  const ann = await house.person();
  const id = await recording(ann, 'Call Margarethe now');
  await shown(ann, id, 'Margarethe');
  const { version } = (await ann.get(`/api/meetings/${id}`)).body as { version: number };
  // Lists stand still meanwhile, as they do for a moment after each change.
  await house.database.sql`create function stand_still() returns trigger language plpgsql as 'begin return null; end'`;
  await house.database
    .sql`create trigger stand_still before update on meeting_projections for each row execute function stand_still()`;
  try {
    const edited = await ann.post(`/api/meetings/${id}/edit`, {
      pos: 0,
      old: 'Call Margarethe now',
      new: 'Call her now',
      version,
    });
    expect(edited.status, edited.text).toBe(200);
    for (let i = 0; i < 3; i += 1) expect(await page(ann, id)).not.toContain('Margarethe');
    await shown(ann, id, '<p>Call her now</p>');
  } finally {
    await house.database.sql`drop trigger stand_still on meeting_projections`;
  }
});

test('a document that is not in memory is not built for a page', async () => {
  const ann = await house.person();
  const id = await recording(ann, 'Good morning');
  await shown(ann, id, 'Good morning');
  for (const { room } of [...house.house.rooms.all()]) room.drop('not in memory', close.restart);
  await house.database.sql`update meeting_projections set version = version - 1 where meeting_id = ${id}`;
  const text = await page(ann, id);
  expect(text).toContain('colloquy-reader');
  expect(text).not.toContain('Good morning');
});

test('while a few pages wait for a slow database, others go out without asking it', async () => {
  const ann = await house.person();
  const id = await recording(ann, 'Good morning');
  await shown(ann, id, 'Good morning');
  const { sql } = house.database;
  const pages = (many: number) => Promise.all(Array.from({ length: many }, () => page(ann, id)));
  const asking = await sql.begin(async (tx) => {
    await tx`lock table meeting_projections in access exclusive mode`;
    for (const one of [...(await pages(4)), ...(await pages(5))]) expect(one).not.toContain('Good morning');
    return sql`
      select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%p.first_text%'`;
  });
  // Not nine, even where the first have given up before the last came.
  expect(asking.length).toBeLessThan(9);
  await shown(ann, id, 'Good morning');
});

test('words and names are text, whatever they look like', async () => {
  const ann = await house.person();
  const id = await recording(ann, `<script>alert("1")</script> & 'x' __NONCE__ $& $1 {hidden}`, 'x');
  await shown(
    ann,
    id,
    '<p>&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;x&#39; __NONCE__ $&amp; $1 {hidden}</p>',
  );
  const text = await page(ann, id);
  expect(text).toContain('data-text="&lt;b&gt;Ann&lt;/b&gt; &quot;A&quot;"');
  expect(text).toContain('<span>Q&amp;A</span>');
  expect(text).toContain('data-text="Unknown speaker"');
  expect(text).not.toContain('<script>alert');
});

test('a recording whose page puts lines above its text opens as before', async () => {
  const ann = await house.person();
  const id = await recording(ann, 'Good morning');
  await shown(ann, id, 'Good morning');
  expect((await ann.post(`/api/meetings/${id}/close`, { name: 'Final' })).status).toBe(200);
  const closed = await page(ann, id);
  expect(closed).toContain('colloquy-reader');
  expect(closed).not.toContain('Good morning');

  const empty = await makeMeeting(house, ann);
  expect(await page(ann, empty)).not.toContain('first-text');
});

test('a layer has no page of its own under the address of a recording', async () => {
  const [ann, ben] = (await house.people(2)) as [Person, Person];
  const id = await recording(ann, 'Good morning');
  const [layer = ''] = await makeLayers(house, id, ann, [{ held: [[ben, ['read', 'comment']]] }]);
  await shown(ann, id, 'Good morning');
  expect(await page(ben, layer)).toBe(await page(ben, newId()));
});
