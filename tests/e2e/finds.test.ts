// The page of all places (client/finding/): of words and of graded outcomes, played and opened without leaving the list.
import { expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { bytesOf, expectAccessible, openDesk } from '../support/browser.ts';
import { readCsv } from '../support/csv.ts';
import { indexAll, makeSaid } from '../support/finding.ts';
import type { SharedHouse } from '../support/house.ts';
import { makeRecording } from '../support/recording.ts';
import { worker } from '../support/worker.ts';

const patient = { timeout: 30_000 };
const desk = openDesk(/ERR_INTERNET_DISCONNECTED/);
let house: SharedHouse;
worker.beforeAll(({ house: shared }) => {
  house = shared;
});

const playing = (page: Page) =>
  page.evaluate(() => {
    const audio = document.querySelector('audio');
    return audio?.getAttribute('src') ? { at: audio.currentTime, paused: audio.paused } : null;
  });

it('a search leads to all of its places, which are stepped through, played and opened, behind its index and offline', async () => {
  const ann = await house.person();
  const id = await makeRecording(house, ann);
  await makeSaid(
    house,
    ann,
    Array.from({ length: 60 }, (_, n) => `an interrupting sentence ${n}`),
    { title: 'Long' },
  );
  const { body: meeting } = await ann.get(`/api/meetings/${id}`);
  const word = meeting.doc.transcript.segments[2].words[1];
  const outcome = { start: word.f, end: word.t, type: 'presence', grade: 1, text: 'Too quick' };
  expect((await ann.post(`/api/meetings/${id}/outcomes`, { outcome })).status).toBe(200);
  await indexAll(house);
  const page = await desk.seat(ann);
  await page.goto('/?query=interrupting');
  await page.getByRole('link', { name: 'Show every match' }).click();
  await page.getByRole('heading', { name: 'Places' }).waitFor();
  await page.getByText('2 recordings').waitFor();
  await expectAccessible(page);
  const lines = page.locator('[data-line]');
  expect(await lines.count()).toBe(50);
  const saved = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download CSV' }).click();
  const table = readCsv((await bytesOf(await saved)).toString());
  expect((await saved).suggestedFilename()).toBe('places.csv');
  expect(table.filter(([title]) => title === 'Long')).toHaveLength(60);
  await page.getByRole('button', { name: 'Show more' }).click();
  await expect.poll(() => lines.count(), patient).toBeGreaterThan(60);

  // A grade, without words.
  const filters = JSON.stringify({ outcome: { type: 'presence', below: 2 } });
  await page.goto(`/find?filters=${encodeURIComponent(filters)}`);
  await page.getByText('Too quick').waitFor();
  await page.getByText('Presence: 1').waitFor();
  expect(await lines.count()).toBe(1);
  await page.getByRole('link', { name: 'Show recordings' }).focus();
  await lines.first().focus();
  await page.keyboard.press('k');
  await page.keyboard.press('Enter');
  const player = page.getByRole('group', { name: 'Player' });
  await player.waitFor();
  await expect.poll(() => playing(page), patient).toMatchObject({ paused: false });
  const from = (await playing(page))?.at ?? 0;
  // The browser rounds its times to microseconds.
  expect(from).toBeGreaterThan(word.f - 3.001);
  await player.getByRole('button', { name: 'Pause' }).click();
  await expect.poll(() => playing(page), patient).toMatchObject({ paused: true });
  await expectAccessible(page);
  await player.getByRole('link').click();
  await page.waitForURL(/\/meeting\/.*outcome=/);

  // On a phone, in the dark.
  const phone = await desk.seat(ann, { width: 'phone', scheme: 'dark' });
  await phone.goto('/find?query=interrupting');
  await phone.getByText('2 recordings').waitFor();
  await expectAccessible(phone);

  // The index is behind, and then is not. The background may have the recording in hand still.
  const late = phone.getByText('Still indexing 1 recording');
  const behind = async () => {
    await house.database.sql`update search_rooms set tokens = 0 where room = ${`${id}/transcript`}`;
    await phone.goto('/find?query=interrupting');
    await phone.getByText('2 recordings').waitFor();
    return late.count();
  };
  await expect.poll(behind, patient).toBe(1);
  await indexAll(house);
  await late.waitFor({ state: 'hidden' });

  // Offline, what was found stays; another search says that it failed, and is tried again.
  await phone.context().setOffline(true);
  expect(await phone.locator('[data-line]').count()).toBe(50);
  await phone.getByRole('searchbox').fill('sentence');
  const failed = phone.getByRole('alert').filter({ hasText: 'Couldn’t load the places.' });
  await failed.waitFor();
  await phone.context().setOffline(false);
  await failed.getByRole('button', { name: 'Try again' }).click();
  await phone.locator('[data-line]').first().waitFor();
  await phone.getByRole('searchbox').fill('zzz');
  await phone.getByText('No place has these words').waitFor();
  await phone.getByRole('searchbox').fill('');
  await phone.getByText('Nothing searched for yet').waitFor();
});

it('words in a row that most recordings have are shown page by page, without a count until the end', async () => {
  const ann = await house.person();
  const id = await makeSaid(house, ann, ['ripe red pears'], { title: 'Harvest' });
  await indexAll(house);
  const { sql } = house.database;
  // Copies of the rows of which lists are made.
  const copies = sql`generate_series(1, 120) n`;
  await sql`
    insert into meetings (id, owner_id, created_at)
    select m.id || '-' || n, owner_id, created_at - n * interval '1 minute' from meetings m, ${copies} where m.id = ${id}`;
  await sql`
    insert into meeting_projections (meeting_id, version, title, title_key, words, speakers, spoken_ms, lanes, opening, first_text, updated_at)
    select meeting_id || '-' || n, 0, title, title_key, words, speakers, spoken_ms, lanes, opening, first_text, updated_at - n * interval '1 minute'
    from meeting_projections, ${copies} where meeting_id = ${id}`;
  await sql`
    insert into rooms (name, meeting_id, part)
    select meeting_id || '-' || n || '/transcript', meeting_id || '-' || n, part from rooms, ${copies} where name = ${`${id}/transcript`}`;
  await sql`
    insert into search_rooms (room, meeting_id, audience, generation, version, tokens, facets)
    select meeting_id || '-' || n || '/transcript', meeting_id || '-' || n, audience, 1, 0, tokens, array['tag:' || case n % 2 when 0 then 'plum' else 'quince' end]
    from search_rooms, ${copies} where room = ${`${id}/transcript`}`;
  await sql`
    insert into search_words (room, braces, part, meeting_id, audience, lexemes)
    select meeting_id || '-' || n || '/transcript', braces, w.part, meeting_id || '-' || n, audience, lexemes
    from search_words w, ${copies} where room = ${`${id}/transcript`}`;
  await sql`
    insert into search_passages (room, kind, key, braces, meeting_id, audience, from_ms, body, segments, times, lexemes, digest)
    select meeting_id || '-' || n || '/transcript', kind, key, braces, meeting_id || '-' || n, audience, from_ms, body, segments, times, lexemes, digest
    from search_passages, ${copies} where room = ${`${id}/transcript`}`;
  const page = await desk.seat(ann);
  const query = encodeURIComponent('"ripe red pears"');
  await page.goto(`/?query=${query}`);
  await page.getByText('More than 20 recordings').waitFor();
  const panel = page.getByRole('group', { name: 'Filters', exact: true });
  const plum = panel.getByRole('listitem').filter({ hasText: 'plum' });
  expect((await plum.innerText()).trim()).toBe('plum');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Next page' }).click();
  await page.getByText('More than 40 recordings').waitFor();
  await page.goto(`/?query=${query}&page=6`);
  await page.getByText('121 recordings').waitFor();
  // The others have no tag but these two.
  await plum.getByRole('checkbox').check();
  await page.getByText('60 recordings').waitFor();

  await page.goto(`/find?query=${query}`);
  await page.getByText('At least 50 recordings').waitFor();
  const lines = page.locator('[data-line]');
  for (const before of [50, 99]) {
    expect(await lines.count()).toBe(before);
    await page.getByRole('button', { name: 'Show more' }).click();
    await expect.poll(() => lines.count(), patient).toBeGreaterThan(before);
  }
  expect(await lines.count()).toBe(121);
  await page.getByText('121 recordings').waitFor();
});
