// The progress of a recording reaches open pages by itself; when no messages come, they ask.
import { expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { eq } from 'drizzle-orm';
import { feedback } from '#db/schema/accounts.ts';
import { intakes } from '#db/schema/intake.ts';
import { media } from '#db/schema/media.ts';
import { hurried, openDesk } from '../support/browser.ts';
import type { SharedHouse } from '../support/house.ts';
import { share } from '../support/meetings.ts';
import type { Person } from '../support/people.ts';
import { makeRecording } from '../support/recording.ts';
import { worker } from '../support/worker.ts';

const patient = { timeout: 60_000 };

const desk = openDesk();
let house: SharedHouse;
worker.beforeAll(({ house: shared }) => {
  house = shared;
});

/** Creates a recording in preparation without a worker: it moves only when the test says so. */
async function underWay(owner: Person): Promise<string> {
  const meetingId = await makeRecording(house, owner);
  await house.database.orm.insert(intakes).values({
    meetingId,
    ownerId: owner.id,
    requestId: meetingId,
    requestDigest: Buffer.alloc(32),
    state: 'processing',
    percentage: 10,
    title: 'Monday',
    model: 'external',
    lang: 'en-US',
    speakers: 2,
    vocabulary: '',
    createdAt: new Date(),
  });
  return meetingId;
}
const move = (meetingId: string, fields: Partial<typeof intakes.$inferInsert>) =>
  house.database.orm.update(intakes).set(fields).where(eq(intakes.meetingId, meetingId));

/** Repeats the first answer to all further requests; resolves with a function that ends this. */
async function standStill(page: Page, asked: RegExp): Promise<() => Promise<void>> {
  let first: Promise<{ body: string }> | null = null;
  await page.route(asked, async (route) => {
    first ??= route.fetch().then(async (answer) => ({ body: await answer.text() }));
    await route.fulfill({ ...(await first), contentType: 'application/json' });
  });
  return () => page.unrouteAll({ behavior: 'ignoreErrors' });
}
const listening = (page: Page) =>
  page.waitForEvent('websocket', { predicate: (socket) => socket.url().includes('/sync/news'), ...patient });
const told = (page: Page) =>
  listening(page).then((socket) => socket.waitForEvent('framereceived', { timeout: patient.timeout }));

it('a row of the library moves to its end without a reload', async () => {
  const ann = await house.person();
  const id = await underWay(ann);
  const page = await desk.seat(ann);
  const goOn = await standStill(page, /\/api\/meetings\?/);
  const heard = told(page);
  await page.goto('/');
  await page.getByText('Preparing: 10%').waitFor(patient);
  await heard;
  await move(id, { percentage: 42 });
  await page.getByText('Preparing: 42%').waitFor(patient);
  await goOn();
  await move(id, { state: 'failed', failure: 'unsupported' });
  await page.getByText('This file type is not supported').waitFor(patient);
});

it('the end is shown for a moment, in the list and on its page', async () => {
  const ann = await house.person();
  const id = await underWay(ann);
  for (const path of ['/', `/meeting/${id}`]) {
    await move(id, { state: 'processing', percentage: 10 });
    const page = await desk.seat(ann);
    const heard = told(page);
    await page.goto(path);
    await page.getByText('Preparing: 10%').waitFor(patient);
    await heard;
    // Records everything that is drawn: the moment may be over before the test looks.
    const seen = await page.evaluateHandle(() => {
      const lines = new Set<string>();
      const look = () => {
        for (const bar of document.querySelectorAll('progress'))
          lines.add(`${bar.parentElement?.textContent} ${bar.value}`);
      };
      new MutationObserver(look).observe(document.body, { childList: true, subtree: true, characterData: true });
      return lines;
    });
    await move(id, { state: 'ready', percentage: 100 });
    await expect.poll(() => seen.evaluate((lines) => [...lines]), patient).toContain('Transcribing 100');
    await expect.poll(() => page.locator('progress').count(), patient).toBe(0);
    await page.close();
  }
});

it('a recording added elsewhere appears in the list', async () => {
  const ann = await house.person();
  const page = await desk.seat(ann);
  const heard = told(page);
  await page.goto('/');
  await page.getByText('Add your first recording').waitFor(patient);
  await heard;
  const id = await underWay(ann);
  await move(id, { percentage: 20 });
  await page.getByText('Preparing: 20%').waitFor(patient);
});

it('without messages the library asks', async () => {
  const ann = await house.person();
  const id = await underWay(ann);
  const page = await desk.seat(ann);
  await page.routeWebSocket(/\/sync\/news/, (socket) => socket.close());
  await page.clock.install();
  await page.goto('/');
  await page.getByText('Preparing: 10%').waitFor(patient);
  await move(id, { percentage: 42 });
  await hurried(page, 5000, page.getByText('Preparing: 42%').waitFor(patient));
});

it('the page of a recording follows, too, also by its link, and loads the result, at a second try where it has to', async () => {
  const [ann, ben] = (await house.people(2)) as [Person, Person];
  const id = await underWay(ann);
  await share(house, id, 'anonymous', ['read']);
  const { orm } = house.database;
  const made = await orm.delete(media).where(eq(media.meetingId, id)).returning();
  const pages = await Promise.all([desk.seat(ann), desk.seat(ben), desk.seat(house.stranger())]);
  const play = (page: Page) => page.getByRole('button', { name: 'Play', exact: true });
  const [ofAnn, ofBen, ofStranger] = pages as [Page, Page, Page];
  await ofStranger.clock.install();
  await Promise.all(
    pages.map(async (page) => {
      const heard = told(page);
      await page.goto(`/meeting/${id}`);
      await heard;
      await page.locator('.ProseMirror').waitFor(patient);
      expect(await play(page).count()).toBe(0);
    }),
  );
  const busy = ofStranger.waitForResponse((response) => response.status() === 503, patient);
  await ofStranger.route('**/about', (route) => route.fulfill({ status: 503 }), { times: 1 });
  await orm.insert(media).values(made);
  await move(id, { state: 'ready', percentage: 100 });
  for (const page of [ofAnn, ofBen]) await play(page).waitFor(patient);
  await busy;
  await hurried(ofStranger, 5000, play(ofStranger).waitFor(patient));
});

it.each(['wide', 'phone'] as const)(
  'a person who opens a failed recording can report it to support, on a %s screen',
  async (width) => {
    const ann = await house.person();
    const id = await underWay(ann);
    await move(id, { state: 'failed', failure: 'unexpected' });
    const page = await desk.seat(ann, { width });
    await page.goto(`/meeting/${id}`);
    await page.getByText('because an unexpected error occurred').waitFor(patient);
    await page.getByRole('button', { name: 'Report it to support' }).click();
    const panel = page.getByRole('dialog', { name: 'Ask support' });
    const text = await panel.getByLabel('Description').inputValue();
    expect(text).toContain(`Document: ${id}`);
    expect(text).toContain('Reason: The transcription cannot be completed because an unexpected error occurred.');
    await panel.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Thank you. Your message was sent.').waitFor(patient);
    await panel.waitFor({ state: 'detached' });
    const sent = await house.database.orm.select().from(feedback).where(eq(feedback.userId, ann.id));
    expect(sent.map((one) => one.text.includes(`Document: ${id}`))).toEqual([true]);
  },
);

it('a recording in progress offers no report to support', async () => {
  const ann = await house.person();
  const id = await underWay(ann);
  const page = await desk.seat(ann);
  await page.goto(`/meeting/${id}`);
  await page.getByText('Preparing: 10%').waitFor(patient);
  expect(await page.getByRole('button', { name: 'Report it to support' }).count()).toBe(0);
});
