// The page of all places (client/finding/): of words and of graded outcomes, played and opened without leaving the list.
import { expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { newId } from '#shared/ids.ts';
import { bytesOf, expectAccessible, openDesk } from '../support/browser.ts';
import { readCsv } from '../support/csv.ts';
import { indexAll, insertSaid, makeSaid } from '../support/finding.ts';
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
  const prefix = newId();
  const at = (month: number, minute: number) => new Date(Date.UTC(2026, month, 5, 0, minute));
  await insertSaid(house, [
    ...Array.from({ length: 121 }, (_, n) => ({
      ...{ id: `${prefix}-${n}`, owner: ann, at: at(0, n), said: 'ripe red pears', title: 'Harvest' },
      ...(n > 0 && { tag: n % 2 === 0 ? 'plum' : 'quince' }),
    })),
    // Says the words, but not in a row.
    { id: `${prefix}-apart`, owner: ann, at: at(1, 0), said: 'pears, ripe and red', title: 'Storage', tag: 'medlar' },
  ]);
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

  // No recording fits both filters; without the month only one is left that does not have the words in a row.
  const none = JSON.stringify({ tag: ['medlar'], date: ['2026-01'] });
  const drop = page.getByRole('button', { name: 'Remove the filter' });
  let answers = 0;
  page.on('response', (response) => {
    if (new URL(response.url()).searchParams.get('size') === '1') answers += 1;
  });
  await page.goto(`/?query=${query}&filters=${encodeURIComponent(none)}`);
  await drop.first().waitFor();
  await expect.poll(() => answers, patient).toBe(2);
  await expect.poll(() => drop.allInnerTexts(), patient).toEqual(['Remove the filter “medlar”']);
  await drop.click();
  await page.getByText('More than 20 recordings').waitFor();

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
