// Recording in the browser (live-meeting slice 1): begun from the library, paused, read by others, ended; what is on
// this device alone is never called saved, and follows at the next visit. The microphone plays a tone each second.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeEach, expect, inject, it } from 'vitest';
import type { LiveView } from '#shared/recorder.ts';
import type { MeetingAbout } from '#shared/meetings/meeting.ts';
import { roles } from '#shared/roles.ts';
import { expectAccessible, noMicrophone, type Look } from '../support/browser.ts';
import { freshDatabase } from '../support/database.ts';
import { cutLine, Stage, waits } from '../support/document-page.ts';
import { share } from '../support/meetings.ts';
import { signUp, type Person } from '../support/people.ts';
import { kill as killHouse, openProcess } from '../support/processes.ts';
import { noFfmpeg } from '../support/speech.ts';
import { launch } from '../support/worker.ts';

beforeEach(({ skip }) => skip(noMicrophone !== undefined, noMicrophone));

/** Ann records, Ben may read. */
const stage = new Stage(2, { expected: cutLine, records: true, env: { PATH: process.env['PATH'] ?? '' } });

const bar = (page: Page) => page.getByRole('region', { name: 'Recorder' });
const press = (page: Page, name: string) => bar(page).getByRole('button', { name, exact: true }).click();
const idOf = (page: Page) => /\/meeting\/([^/?#]+)/.exec(page.url())?.[1] ?? '';

async function openHome(look: Look = {}): Promise<Page> {
  const page = await stage.desk.seat(stage.person(0), look);
  await page.context().grantPermissions(['microphone'], { origin: stage.person(0).origin });
  await page.goto('/');
  return page;
}

/** Begins a recording, of the microphone unless other sound is chosen; returns the id of its meeting. */
async function begin(page: Page, sound?: string): Promise<string> {
  await page.getByRole('button', { name: 'Record', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Record' });
  await dialog.getByLabel('Name').fill('Monday');
  if (sound !== undefined) await dialog.getByRole('radio', { name: sound }).check();
  await dialog.getByRole('checkbox').check();
  await dialog.getByRole('button', { name: 'Start recording' }).click();
  await page.waitForURL(/\/meeting\//, waits);
  await bar(page).waitFor(waits);
  return idOf(page);
}

/** Waits until the server keeps that many seconds, by what the page says; returns how many it says. */
async function savedFor(page: Page, seconds: number): Promise<number> {
  const saved = async () => {
    const text = await bar(page).innerText();
    const [, minutes = '0', rest = '0'] = /Saved to (\d+):(\d\d)/.exec(text) ?? [];
    return Number(minutes) * 60 + Number(rest);
  };
  let said = 0;
  await expect.poll(async () => (said = await saved()), waits).toBeGreaterThanOrEqual(seconds);
  return said;
}

/** Recorded time that the page shows, in milliseconds. */
async function timeOf(page: Page): Promise<number> {
  const [minutes = 0, seconds = 0] = (await bar(page).getByRole('timer').innerText()).split(':').map(Number);
  return (minutes * 60 + seconds) * 1000;
}

async function keptOf(id: string): Promise<number> {
  const { takes } = (await stage.person(0).get(`/api/meetings/${id}/live`)).body as LiveView;
  return takes.reduce((sum, { kept }) => sum + kept, 0);
}

/** Length of the playable recording, in milliseconds. */
async function lengthOf(id: string, person: Person = stage.person(0)): Promise<number> {
  const { media } = (await person.get(`/api/meetings/${id}/about`)).body as MeetingAbout;
  return (media[0]?.duration ?? 0) * 1000;
}

/** Ends a tab as a crash does: nothing more leaves it. */
async function kill(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const crashed = page.waitForEvent('crash', waits);
  session.send('Page.crash').catch(() => {});
  await crashed;
  await page.close();
}

const play = (page: Page) => page.getByRole('button', { name: 'Play', exact: true });

async function endIt(page: Page): Promise<void> {
  await press(page, 'End');
  await page.getByRole('dialog').getByRole('button', { name: 'End', exact: true }).click();
}

it('a recording: dialog, pause, another page, a reader who asks to stop, and its end', async ({ skip }) => {
  const reason = noFfmpeg();
  if (reason) return skip(reason);
  const page = await openHome();
  await page.getByRole('button', { name: 'Record', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Record' });
  await dialog.getByText('You can add recordings now and transcribe them later.').waitFor(waits);
  await dialog.getByRole('button', { name: 'Start recording' }).click();
  await dialog.getByText('Confirm that everyone agrees.').waitFor(waits);
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached', ...waits });

  const id = await begin(page);
  await savedFor(page, 2);
  await page.getByRole('heading', { level: 1, name: 'Monday' }).waitFor(waits);
  await expectAccessible(page);
  await press(page, 'Pause');
  await bar(page).getByText('All saved').waitFor(waits);
  const paused = await keptOf(id);
  expect(paused).toBeGreaterThan(0);
  await press(page, 'Resume');

  // The bar stays on other pages, and lists say what happens.
  await page.getByRole('link', { name: 'Library', exact: true }).click();
  await page.getByText('Recording…').first().waitFor(waits);
  await savedFor(page, 4);
  await expectAccessible(page);
  await share(stage.house, id, stage.person(1), [...roles.canRead]);
  const ben = await stage.desk.seat(stage.person(1), { width: 'phone', scheme: 'dark' });
  await ben.goto(`/meeting/${id}`);
  await ben.getByText('is recording.').waitFor(waits);
  await expectAccessible(ben);
  await ben.getByRole('button', { name: 'Ask to stop' }).click();
  await bar(page).getByText('Someone asks you to stop recording.').waitFor(waits);

  await bar(page).getByRole('link', { name: 'Monday' }).click();
  await page.waitForURL(/\/meeting\//, waits);
  const recorded = await timeOf(page);
  await endIt(page);
  await bar(page).waitFor({ state: 'detached', ...waits });
  await Promise.all([play(page).waitFor(waits), play(ben).waitFor(waits)]);
  expect(await keptOf(id)).toBeGreaterThan(paused);
  // Under load a browser starts a take a moment after its time began.
  expect(await lengthOf(id)).toBeGreaterThan(recorded - 1000);
});

it('sound that was on the device alone is called so, and follows after the tab was killed', async ({ skip }) => {
  const reason = noFfmpeg();
  if (reason) return skip(reason);
  const page = await openHome({ width: 'phone', scheme: 'dark' });
  // The bar is there before the page is drawn.
  let answer = (): void => {};
  const answered = new Promise<void>((resolve) => (answer = resolve));
  await page.route('**/api/meetings/*/about', (route) => answered.then(() => route.continue()));
  const id = await begin(page);
  await savedFor(page, 1);
  await expectAccessible(page);
  answer();
  await page.getByRole('heading', { level: 1, name: 'Monday' }).waitFor(waits);
  await page.unroute('**/api/meetings/*/about');
  await expectAccessible(page);
  await page.context().setOffline(true);
  await bar(page).getByText('On this device, not saved online yet').waitFor(waits);
  await expect.poll(() => bar(page).innerText(), waits).toMatch(/yet: (8|9|\d\d) sec/);
  expect(await bar(page).innerText()).not.toContain('Saved');
  const recorded = await timeOf(page);
  await kill(page);

  const context = page.context();
  await context.setOffline(false);
  const again = await context.newPage();
  await again.goto('/');
  await again.getByText('Saved the rest of “Monday” from this device.').waitFor(waits);
  const after = await keptOf(id);
  await again.goto(`/meeting/${id}`);
  await again.getByRole('button', { name: 'Resume here' }).click();
  await bar(again).waitFor(waits);
  await expect.poll(() => keptOf(id), waits).toBeGreaterThan(after);
  await endIt(again);
  await play(again).waitFor(waits);
  // The last piece before the tab was closed is lost with it.
  expect(await lengthOf(id)).toBeGreaterThan(recorded - 1000);
});

it('the sound of a tab: what was said to be saved is in the file, though the server was killed', async ({ skip }) => {
  const reason = noFfmpeg();
  if (reason) return skip(reason);
  const { url, drop } = await freshDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'colloquy-tab-'));
  const start = (port = 0) =>
    openProcess({ DATABASE_URL: url, DATA_DIR: folder, LOG_LEVEL: 'error', PORT: String(port) });
  // Shares the first tab that is asked for; its sound is a tone each second.
  const browser = await launch(inject('browser'), '--use-fake-ui-for-media-stream');
  let house = await start();
  try {
    const ann = await signUp(house.origin, 'ann@example.test');
    // A person who has not chosen a kind of account is asked for it, over everything else.
    expect((await ann.post('/api/principals/me', { accountType: 'individual' })).status).toBe(200);
    const context = await browser.newContext({ baseURL: house.origin, serviceWorkers: 'block' });
    await context.addCookies([...ann.cookies].map(([name, value]) => ({ name, value, url: house.origin })));
    const page = await context.newPage();
    await page.goto('/');
    const id = await begin(page, 'Sound of a tab or window');
    let said = 0;
    for (let round = 1; round <= 2; round += 1) {
      said = await savedFor(page, said + 3);
      await killHouse(house);
      await bar(page).getByText('On this device, not saved online yet').waitFor(waits);
      house = await start(house.port);
    }
    said = await savedFor(page, said + 3);
    await killHouse(house);
    house = await start(house.port);
    await endIt(page);
    // The page finds the server again after a while, and a slow machine takes long to join what was recorded.
    await play(page).waitFor({ timeout: 150_000 });
    expect(((await ann.get(`/api/meetings/${id}/live`)).body as LiveView).takes.map(({ track }) => track)).toEqual([
      'tab',
    ]);
    expect(await lengthOf(id, ann)).toBeGreaterThanOrEqual(said * 1000);
  } finally {
    await browser.close();
    await killHouse(house);
    await drop();
    await rm(folder, { recursive: true, force: true });
  }
});
