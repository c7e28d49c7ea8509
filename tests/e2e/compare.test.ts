// Comparison: recordings from the library and assessments from a review side by side, by mouse, keyboard and on a phone, with
// one's own notes beside them.
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { expectAccessible, expectReadable, openDesk, swipe } from '../support/browser.ts';
import { chip, cutLine, saved, waits } from '../support/document-page.ts';
import type { SharedHouse } from '../support/house.ts';
import type { Person } from '../support/people.ts';
import { makeRecording } from '../support/recording.ts';
import { askFor, seenBy, setStatus } from '../support/reviews.ts';
import { worker } from '../support/worker.ts';

const patient = { timeout: 30_000 };
const desk = openDesk(cutLine);
let house: SharedHouse;
worker.beforeAll(({ house: shared }) => {
  house = shared;
});

async function mark(person: Person, id: string | null, outcome: Record<string, unknown>): Promise<void> {
  const { status, text } = await person.post(`/api/meetings/${id}/outcomes`, { outcome: { text: '', ...outcome } });
  expect(status, text).toBe(200);
}

/** The cell that has the focus, by its row and column. */
const focused = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute('data-cell') ?? null);

/** Leads on within the application, which keeps what it has read. */
const leadOn = (page: Page, path: string) =>
  page.evaluate((to) => {
    history.pushState({ ...history.state, idx: 1 + Number(history.state?.idx ?? 0) }, '', to);
    dispatchEvent(new PopStateEvent('popstate', { state: history.state }));
  }, path);

/** Fields for one's own notes, one for each recording. */
const notesIn = (page: Page) => page.getByRole('textbox', { name: /^Your notes on/ });
const openNotes = async (page: Page) => {
  await page.getByRole('button', { name: 'My notes' }).click(waits);
  await notesIn(page).first().waitFor(waits);
};
/** Words of the notes that are stored. */
const storedNotes = async (person: Person, id: string | null): Promise<string> => {
  const { text } = (await person.get(`/api/meetings/${id}/notes`)).body as { text: string };
  return [...text.matchAll(/"text":"([^"]*)"/g)].map(([, words]) => words).join('');
};
const lettersOf = (text: string): string => [...text.replace(/\s/g, '')].toSorted().join('');

it('the leader compares two assessments: cells play, open the text, and are reached by arrow keys', async () => {
  const [ann, ben, cara] = [await house.person('Ann'), await house.person('Ben'), await house.person('Cara')];
  const id = await makeRecording(house, ann);
  const roles = [[ben, 'required'] as const, [cara, 'required'] as const];
  const review = await askFor(ann, id, { roles, outcomeModel: 'coaching' });
  const [bens, caras] = [(await seenBy(ben, review)).cloneId, (await seenBy(cara, review)).cloneId];
  await mark(ben, bens, {
    start: 10,
    end: 14,
    type: 'listening',
    grade: 3,
    text: 'heard well',
    children: [{ type: 'listeningSummary', grade: null }],
  });
  await mark(ben, bens, { start: 30, end: 34, type: 'presence', grade: 2 });
  await mark(cara, caras, { start: 12, end: 16, type: 'listening', grade: 1 });

  // A blind reviewer who knows the address of another assessment learns nothing of it.
  const blind = await desk.seat(ben);
  await blind.goto(`/compare/${bens},${caras}`);
  await blind.getByText('There is nothing to show for comparing').waitFor(patient);
  await blind.getByText('1 of them can’t be shown').waitFor();
  await expectAccessible(blind);
  // Cara's page reads the review while there is one assessment in it for her.
  const text = await desk.seat(cara);
  await text.goto(`/meeting/${id}/peer/${review.id}`);
  await text.getByRole('button', { name: 'Complete' }).waitFor(patient);
  await leadOn(text, `/compare/${bens},${caras}`);
  await text.getByText('There is nothing to show for comparing').waitFor(patient);
  for (const person of [ben, cara]) await setStatus(person, review, 'complete');

  const page = await desk.seat(ann);
  await page.goto(`/compare/${bens},${caras}`);
  const table = page.getByRole('table', { name: 'Comparison' });
  await table.waitFor(patient);
  expect(await table.getByRole('columnheader').allInnerTexts()).toEqual([
    'Competency or outcome',
    'Ben Test',
    'Cara Test',
  ]);
  // Types below a competency have their names, too.
  expect(await table.getByRole('rowheader').allInnerTexts()).toEqual(['Presence', 'Listening', 'Sums up']);
  await expectAccessible(page);
  await expectReadable(page);
  // Arrow keys skip what is empty; Enter lists the passages of a cell.
  await table.locator('[data-cell][tabindex="0"]').focus();
  expect(await focused(page)).toBe('0 0');
  await page.keyboard.press('ArrowRight');
  expect(await focused(page)).toBe('0 0');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowRight');
  expect(await focused(page)).toBe('1 1');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('Enter');
  const passages = page.getByRole('region', { name: 'Ben Test · Listening' });
  await passages.getByText('heard well').waitFor();
  // The passage plays where the recording has sound; its place in the text is a link in any case.
  const at = await passages.getByRole('link', { name: /Open the recording at/ }).getAttribute('href');
  expect(at).toBe(`/meeting/${id}/peer/${review.id}?layer=${bens}&t=10000`);
  // Cara has an assessment of her own, and opens that of Ben, where the link leads, though it is new to her page.
  await leadOn(text, at ?? '');
  const shown = text.getByLabel('Shown here');
  await shown.waitFor(patient);
  expect(await shown.inputValue()).toBe(bens);
  await text.goto(`/meeting/${id}/peer/${review.id}?layer=not-there`);
  await shown.waitFor(patient);
  expect(await shown.inputValue()).toBe(caras);
  await page.getByLabel('Rows').selectOption({ label: 'Where assessments overlap' });
  await page.getByText('marked by all').waitFor(patient);
  expect(await page.getByText('marked by one').count()).toBe(3);
  await expectAccessible(page);
  await page.reload();
  await page.getByText('marked by all').waitFor(patient);

  // On a phone one column is shown, and chosen by name or by a finger across.
  const phone = await desk.seat(cara, { width: 'phone' });
  await phone.goto(`/compare/${bens},${caras}`);
  await phone.getByLabel('Column').waitFor(patient);
  expect(await phone.getByRole('columnheader').count()).toBe(2);
  await phone.getByLabel('Column').selectOption({ label: 'Cara Test' });
  await phone.getByRole('columnheader', { name: 'Cara Test' }).waitFor();
  const box = await phone.getByRole('group', { name: 'Comparison' }).boundingBox();
  if (!box) throw new Error('no table');
  const [y, left, right] = [box.y + box.height / 2, box.x + 60, box.x + box.width - 60];
  await swipe(phone, { x: left, y }, { x: right, y });
  await phone.getByRole('columnheader', { name: 'Ben Test' }).waitFor();
  await swipe(phone, { x: right, y }, { x: left, y });
  await phone.getByRole('columnheader', { name: 'Cara Test' }).waitFor();
  // Cara has the recording by the review alone; its notes are hers, and open by her own assessment, as in the review.
  const room = phone.waitForEvent('websocket', { predicate: (socket) => socket.url().includes('/notes'), ...waits });
  await openNotes(phone);
  expect(new URL((await room).url()).pathname).toBe(`/sync/${caras}/notes`);
  expect(await notesIn(phone).count()).toBe(1);
  await notesIn(phone).click();
  await phone.keyboard.type('noted by Cara');
  await saved(phone);
  expect(await storedNotes(cara, caras)).toBe('noted by Cara');
  expect(await storedNotes(ben, bens)).toBe('');
  await expectAccessible(phone);
  await expectReadable(phone);
  expect(await phone.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true);
});

it('recordings that are selected in the library are compared', async () => {
  const dora = await house.person('Dora');
  const [one, two] = [await makeRecording(house, dora), await makeRecording(house, dora)];
  for (const nth of [1, 2, 3, 4, 5])
    await mark(dora, one, { start: 10, end: 14, type: 'decisions', text: `we go ${nth}` });
  await mark(dora, two, { start: 10, end: 14, type: 'decisions', text: 'we stay' });
  const page = await desk.seat(dora);
  await page.goto('/?sort=title');
  await page.getByRole('checkbox', { name: 'Select all on this page' }).check(patient);
  await page.getByRole('link', { name: 'Compare' }).click();
  const table = page.getByRole('table', { name: 'Comparison' });
  await table.waitFor(patient);
  expect(new URL(page.url()).pathname.split('/')[2]?.split(',').toSorted()).toEqual([one, two].toSorted());
  expect(await table.getByRole('button').count()).toBe(2);
  // All passages of a cell are listed, and the way back leads to the list as it was.
  await table.getByRole('button', { name: '5 passages' }).click();
  for (const nth of [1, 2, 3, 4, 5]) await page.getByText(`we go ${nth}`).waitFor(patient);
  // Own notes, typed in two tabs at once, and in one of them without a network and a copy in the browser: no letter is lost.
  const ids = new URL(page.url()).pathname.split('/')[2] ?? '';
  const tab = await desk.seat(dora);
  await tab.addInitScript(() => {
    IDBFactory.prototype.open = () => {
      throw new DOMException('not here', 'SecurityError');
    };
  });
  await tab.goto(`/compare/${ids}`);
  for (const each of [page, tab]) await openNotes(each);
  await expectAccessible(page);
  const type = async (each: Page, words: string) => {
    await notesIn(each).first().click(waits);
    await each.keyboard.type(words);
  };
  await Promise.all([type(page, 'a'.repeat(40)), type(tab, 'b'.repeat(40))]);
  await tab.context().setOffline(true);
  await Promise.all([type(page, 'd'.repeat(20)), type(tab, 'c'.repeat(20))]);
  // Other rows cannot be loaded; the notes stay as they are, without a question. Closed, they still say that they wait.
  await tab.getByLabel('Rows').selectOption({ label: 'Highlights' });
  await tab.getByRole('alert').getByRole('button', { name: 'Try again' }).waitFor(waits);
  await type(tab, 'e'.repeat(20));
  await tab.getByRole('button', { name: 'My notes' }).click();
  await notesIn(tab)
    .first()
    .waitFor({ ...waits, state: 'hidden' });
  await expect.poll(() => chip(tab).getAttribute('data-kind'), waits).toBe('notKept');
  expect(await chip(tab).isVisible()).toBe(true);
  await tab.context().setOffline(false);
  await tab.getByRole('button', { name: 'Try again' }).click();
  await tab.getByRole('table').waitFor({ ...waits, state: 'hidden' });
  const all = ['a'.repeat(40), 'b'.repeat(40), 'c'.repeat(20), 'd'.repeat(20), 'e'.repeat(20)].join('');
  const [first = '', second = ''] = ids.split(',');
  const stored = async (id: string) => lettersOf(await storedNotes(dora, id));
  await expect.poll(() => stored(first), waits).toBe(all);
  await expect.poll(async () => lettersOf(await notesIn(page).first().innerText()), waits).toBe(all);
  expect(await stored(second)).toBe('');
  await page.getByRole('link', { name: 'To the library' }).click();
  await page.getByRole('checkbox', { name: 'Select all on this page' }).waitFor(patient);
  expect(new URL(page.url()).search).toBe('?sort=title');
});
