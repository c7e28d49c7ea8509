// Suggested outcomes: from the search to an outcome of one's own, each accepted or rejected by button and by key, with each
// state of the search, by several people.
import type { Page } from 'playwright-core';
import { afterAll, expect, it } from 'vitest';
import type { ReviewView } from '#shared/reviews.ts';
import { openAssistant } from '../support/assistant.ts';
import { expectAccessible, expectReadable } from '../support/browser.ts';
import { cutLine, openDocument, openPane, sound, Stage, undoOf, waits } from '../support/document-page.ts';
import type { Person } from '../support/people.ts';
import { makeRecording } from '../support/recording.ts';
import { askFor, seenBy } from '../support/reviews.ts';
import { suggest } from '../support/suggestions.ts';

const there = await openAssistant('openai', { context: 16_000 });
afterAll(() => there.close());
const stage = new Stage(2, { expected: cutLine, env: { AI_URL: there.url } });

const says = (outcomes: unknown[]) => JSON.stringify({ outcomes });
const welcome = { line: 1, quote: 'welcome to our practice session' };
const good = { type: 'decisions', others: ['actionItems'], text: 'They practise.', reason: 'It says so.', ...welcome };
const notes = { ...good, others: [], text: 'Keep notes short.', line: 2, quote: 'keep your notes short' };
const ready = {
  ...good,
  others: [],
  type: 'problems',
  text: 'Not ready yet.',
  line: 2,
  quote: 'when you are ready go ahead',
};

const region = (page: Page) => page.getByRole('region', { name: 'Suggestions' });
const cards = (page: Page) => region(page).getByRole('listitem');
const press = (page: Page, name: string) => region(page).getByRole('button', { name, exact: true }).click();
const search = async (page: Page) => {
  await press(page, 'Find outcomes');
  await press(page, 'Start');
};
const outcomes = (page: Page, name: RegExp) => page.getByRole('listitem', { name });

it('outcomes are searched for, play, and are accepted or rejected one by one, by button and by key', async () => {
  const meeting = await stage.recording();
  const ann = await stage.open(0, meeting);
  await openPane(ann, 'Outcomes');
  let go = () => {};
  there.mood.answer = () =>
    new Promise((done) => (go = () => done(says([good, notes, ready, { ...good, quote: 'nobody ever said this' }]))));
  await press(ann, 'Find outcomes');
  await region(ann).getByText('stand-in, on this server').waitFor(waits);
  await expectReadable(ann);
  await press(ann, 'Start');
  await region(ann).getByText('Reading and checking quotes…').waitFor(waits);
  await expect.poll(() => there.asking(), waits).toBe(1);
  go();
  await region(ann).getByText('3 new suggestions. 1 left out: not found in the transcript.').waitFor(waits);
  expect(await cards(ann).count()).toBe(3);
  await expectReadable(ann);
  await region(ann).getByRole('button', { name: 'Play from 0:01: welcome to our practice session' }).click();
  await expect.poll(async () => (await sound(ann)).ms, waits).toBeGreaterThan(1500);
  await ann.getByRole('button', { name: 'Pause' }).first().click();

  // As another type that fits, by key; the focus goes to the next card.
  await cards(ann).first().getByRole('button', { name: 'Action item' }).click();
  await ann.keyboard.press('a');
  await outcomes(ann, /^Action item: welcome/).waitFor(waits);
  await expect.poll(() => cards(ann).count(), waits).toBe(2);
  expect(await ann.evaluate(() => document.activeElement?.textContent)).toContain('Keep notes short.');
  await ann.keyboard.press('r');
  await expect.poll(() => ann.evaluate(() => document.activeElement?.textContent), waits).toBe('Wrong type');
  await ann.keyboard.press('Escape');
  expect(await cards(ann).count()).toBe(2);
  await ann.keyboard.press('r');
  await ann.keyboard.press('Enter');
  await ann.getByText('Rejected. It is not suggested again.').waitFor(waits);
  const rejected = await undoOf(ann);
  await expect.poll(() => cards(ann).count(), waits).toBe(1);
  // A decision is taken back.
  await rejected.click();
  await expect.poll(() => cards(ann).count(), waits).toBe(2);
  await cards(ann).first().getByRole('button', { name: 'Accept' }).click();
  await outcomes(ann, /^Decision: keep your notes short/).waitFor(waits);
  await ann.getByText('Accepted as your outcome.').waitFor(waits);
  await ann.getByRole('button', { name: 'Undo', exact: true }).click();
  await expect.poll(() => outcomes(ann, /^Decision: keep your notes short/).count(), waits).toBe(0);
  await expect.poll(() => cards(ann).count(), waits).toBe(2);

  // Another editor sees the same suggestions.
  const ben = await stage.open(1, meeting, { width: 'phone', scheme: 'dark' });
  await openPane(ben, 'Outcomes');
  await expect.poll(() => cards(ben).count(), waits).toBe(2);
  await expectAccessible(ben);
  await cards(ben).first().getByRole('button', { name: 'Accept' }).click();
  await outcomes(ann, /^Decision: keep your notes short/).waitFor(waits);
});

it('a search fails, stops, finds nothing, needs the speaker who coaches, and a decision without a connection is none', async () => {
  const meeting = await stage.recording();
  await suggest(stage.house, meeting);
  const ann = await stage.open(0, meeting, { width: 'phone' });
  await openPane(ann, 'Outcomes');
  await expect.poll(() => cards(ann).count(), waits).toBe(1);
  there.mood.answer = () => 'no JSON';
  await search(ann);
  await region(ann).getByText("The model's answer couldn't be read. Try again.").waitFor(waits);
  there.mood.answer = () => new Promise(() => {});
  await search(ann);
  await press(ann, 'Stop the search');
  await region(ann).getByText('Stopped.', { exact: true }).waitFor(waits);
  there.mood.answer = () => says([]);
  await press(ann, 'Find outcomes');
  await region(ann).getByLabel('What to find').selectOption('coaching');
  await press(ann, 'Start');
  await region(ann).getByLabel('Speaker who coaches').selectOption({ label: 'Coach' });
  await expectReadable(ann);
  await press(ann, 'Start');
  await region(ann).getByText('No evidence found.').waitFor(waits);
  await ann.getByText('AI competencies searching completed!').waitFor(waits);

  let go = () => {};
  there.mood.answer = () => new Promise((done) => (go = () => done(says([]))));
  await press(ann, 'Find outcomes');
  await region(ann).getByLabel('What to find').selectOption('meeting');
  await press(ann, 'Start');
  await expect.poll(() => there.asking(), waits).toBe(1);
  await ann.context().setOffline(true);
  await cards(ann).first().getByRole('button', { name: 'Accept' }).click();
  await ann.getByText('Not saved. Check your connection and decide again.').waitFor({ timeout: 120_000 });
  await region(ann).getByText('No connection. The result will be shown').waitFor({ timeout: 120_000 });
  await expect.poll(() => cards(ann).count(), waits).toBe(1);
  await ann.context().setOffline(false);
  go();
  await region(ann).getByText('No evidence found.').waitFor(waits);
  await cards(ann).first().getByRole('button', { name: 'Accept' }).click();
  await outcomes(ann, /^Decision: welcome/).waitFor(waits);
});

it('the owner decides whether a model may search; an editor is told whom to ask', async () => {
  const meeting = await stage.recording();
  await stage.person(0).put(`/api/meetings/${meeting}/ai`, { consent: 'none' });
  const ben = await stage.open(1, meeting);
  await openPane(ben, 'Outcomes');
  await press(ben, 'Find outcomes');
  await region(ben).getByText('Ann Test has turned off answers about this recording.').waitFor(waits);
  expect(await region(ben).getByRole('button', { name: 'Start' }).count()).toBe(0);
  await expectReadable(ben);
  const ann = await stage.open(0, meeting, { width: 'phone', scheme: 'dark' });
  await openPane(ann, 'Outcomes');
  await press(ann, 'Find outcomes');
  await region(ann).getByText('Allow a model on this server to read this recording?').waitFor(waits);
  await expectAccessible(ann);
  await press(ann, 'Allow');
  await region(ann).getByRole('button', { name: 'Start' }).waitFor(waits);
  expect(await ann.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Find outcomes');
});

it('in a review with a model a reviewer searches and accepts into the assessment; a blind one is shown nothing', async () => {
  const [ann, ben] = stage.people as [Person, Person];
  const meeting = await stage.recording();
  const page = await stage.open(0, meeting);
  await openPane(page, 'Reviews');
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('button', { name: 'Ask for a review' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Ask for a review' });
  const people = dialog.getByRole('combobox', { name: 'Add people', exact: true });
  await people.fill(ben.email);
  await page.getByRole('option').filter({ hasText: ben.email }).first().waitFor(waits);
  await people.press('Enter');
  await dialog.getByRole('radio', { name: 'With suggestions: together' }).check();
  await expectReadable(page);
  await dialog.getByRole('button', { name: 'Ask for a review' }).click();
  await dialog.waitFor({ state: 'hidden', ...waits });
  const [asked] = (await ann.get(`/api/meetings/${meeting}/reviews`)).body.reviews as ReviewView[];
  expect(asked?.policy).toBe('ai');

  there.mood.answer = () => says([good, notes]);
  const assessment = await stage.desk.seat(ben);
  await assessment.goto(`/meeting/${meeting}/peer/${asked?.id}`);
  await search(assessment);
  await region(assessment).getByText('2 new suggestions.').waitFor(waits);
  await region(assessment).getByText('Each person decides for themselves.', { exact: false }).waitFor(waits);
  await expectAccessible(assessment);
  await cards(assessment).first().getByRole('button', { name: 'Accept' }).click();
  await expect.poll(() => cards(assessment).count(), waits).toBe(1);
  const { cloneId } = asked ? await seenBy(ben, asked) : { cloneId: null };
  const accepted = async () => (await ben.get(`/api/meetings/${cloneId}`)).body.doc.outcomes;
  await expect.poll(accepted, waits).toMatchObject([{ type: 'decisions', wasAutomatic: true }]);

  const strict = await askFor(ann, meeting, { roles: [[ben, 'required']] });
  await assessment.goto(`/meeting/${meeting}/peer/${strict.id}`);
  await assessment.getByText('Select words in the transcript', { exact: false }).first().waitFor(waits);
  expect(await region(assessment).count()).toBe(0);
});

const plain = new Stage(1);
it('without a model nothing is offered', async () => {
  const meeting = await makeRecording(plain.house, plain.person(0));
  const page = await openDocument(plain.desk, plain.person(0), meeting);
  await openPane(page, 'Outcomes');
  await page.getByText('No outcome yet').waitFor(waits);
  expect(await region(page).count()).toBe(0);
});
