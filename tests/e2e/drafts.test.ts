// Drafts of a summary and of chapters: each entry plays, and is accepted, edited or rejected by the person.
import type { Page } from 'playwright-core';
import { afterAll, expect, it } from 'vitest';
import { openAssistant } from '../support/assistant.ts';
import { expectAccessible, expectFitting, expectReadable } from '../support/browser.ts';
import { openPane, sound, Stage, undoOf, waits } from '../support/document-page.ts';

const there = await openAssistant('openai', { context: 16_000 });
afterAll(() => there.close());
const stage = new Stage(2, { env: { AI_URL: there.url } });

const says = (parts: unknown[]) => JSON.stringify({ parts, enough: true });
const welcome = { text: 'They practise.', cites: [{ line: 1, quote: 'welcome to our practice session' }] };
const notes = { text: 'Notes are short.', cites: [{ line: 2, quote: 'keep your notes short' }] };
const ready = { text: 'It begins.', cites: [{ line: 2, quote: 'when you are ready go ahead' }] };
const wrong = { text: 'They flew.', cites: [{ line: 1, quote: 'nobody ever said this' }] };

const region = (page: Page, name: string) => page.getByRole('region', { name });
const cards = (page: Page, name: string) =>
  region(page, name).getByRole('list', { name: 'Draft, to accept or reject' }).getByRole('listitem');
const focused = (page: Page) =>
  page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.tagName ?? '');

it('a summary is drafted, and its points are accepted, edited or rejected; they play, and are the person’s alone', async () => {
  const meeting = await stage.recording();
  const ann = await stage.open(0, meeting);
  await openPane(ann, 'Summary');
  const name = 'Draft of a summary';
  const draft = region(ann, name);
  let go = () => {};
  there.mood.answer = () => new Promise((done) => (go = () => done(says([welcome, notes, ready, wrong]))));
  await draft.getByRole('button', { name: 'Draft a summary' }).click();
  await draft.getByText('stand-in, on this server').waitFor(waits);
  await expect.poll(() => focused(ann), waits).toBe('Draft a summary');
  await expectReadable(ann);
  await draft.getByRole('button', { name: 'Start' }).press('Enter');
  await expect.poll(() => focused(ann), waits).toBe(name);
  await draft.getByText('Reading and checking quotes…').waitFor(waits);
  await draft.getByRole('progressbar', { name: 'Estimated progress' }).waitFor(waits);
  await expectAccessible(ann);
  await expect.poll(() => there.asking(), waits).toBe(1);
  go();
  await draft.getByText('3 new entries. 1 left out: not found in the transcript.').waitFor(waits);
  expect(await cards(ann, name).count()).toBe(3);
  await expectAccessible(ann);
  await draft.getByRole('button', { name: 'Play from 0:01: welcome to our practice session' }).click();
  await expect.poll(async () => (await sound(ann)).ms, waits).toBeGreaterThan(1500);
  await ann.getByRole('button', { name: 'Pause' }).first().click();

  await cards(ann, name).first().getByRole('button', { name: 'Accept' }).press('Enter');
  const own = region(ann, 'Only me');
  const point = own.getByRole('list', { name: 'Only me' }).getByRole('listitem').first();
  await point.getByText('They practise.').waitFor(waits);
  await point.getByRole('button', { name: 'Play from 0:01: welcome to our practice session' }).waitFor(waits);
  // The words that prove it stand below the point, which keeps its width.
  const { width } = (await point.getByText('They practise.').boundingBox()) ?? { width: 0 };
  expect(width).toBeGreaterThan(150);
  await expect.poll(() => cards(ann, name).count(), waits).toBe(2);
  expect(await focused(ann)).toBe('Draft: Notes are short.');
  await cards(ann, name).first().getByRole('button', { name: 'Edit' }).press('Enter');
  await cards(ann, name).first().getByRole('button', { name: 'Cancel' }).press('Enter');
  expect(await focused(ann)).toBe('Draft: Notes are short.');
  await cards(ann, name).first().getByRole('button', { name: 'Edit' }).press('Enter');
  await cards(ann, name).first().getByRole('textbox', { name: 'Text' }).fill('Keep notes short.');
  await cards(ann, name).first().getByRole('button', { name: 'Save' }).press('Enter');
  await own.getByText('Keep notes short.').waitFor(waits);
  await expect.poll(() => cards(ann, name).count(), waits).toBe(1);
  expect(await focused(ann)).toBe('Draft: It begins.');
  await cards(ann, name).first().getByRole('button', { name: 'Reject' }).press('Enter');
  await ann.getByText('Rejected. It is not drafted again.').waitFor(waits);
  const rejected = await undoOf(ann);
  await expect.poll(() => cards(ann, name).count(), waits).toBe(0);
  expect(await focused(ann)).toBe(name);
  // A decision is taken back.
  await rejected.click();
  await expect.poll(() => cards(ann, name).count(), waits).toBe(1);

  const ben = await stage.open(1, meeting);
  await openPane(ben, 'Summary');
  await region(ben, name).getByRole('button', { name: 'Draft a summary' }).waitFor(waits);
  expect(await ben.getByText('They practise.').count()).toBe(0);
});

it('Undo keeps an accepted point or chapter that was changed since', async () => {
  const meeting = await stage.recording();
  const ann = await stage.open(0, meeting);
  await openPane(ann, 'Summary');
  there.mood.answer = () => says([welcome]);
  const undo = ann.getByRole('status').getByRole('button', { name: 'Undo', exact: true });
  // A notice stays as long as the pointer is on it.
  await region(ann, 'Draft of a summary').getByRole('button', { name: 'Draft a summary' }).click();
  await region(ann, 'Draft of a summary').getByRole('button', { name: 'Start' }).click();
  await cards(ann, 'Draft of a summary').first().getByRole('button', { name: 'Accept' }).click(waits);
  await undo.hover(waits);
  const point = region(ann, 'Only me').getByRole('textbox').first();
  await point.focus();
  await ann.keyboard.press('End');
  await ann.keyboard.type(' Every day.');
  await undo.click();
  await ann.getByText('You have edited or published this point since. It stays.').waitFor(waits);
  expect(await point.inputValue()).toBe('They practise. Every day.');
  expect(await cards(ann, 'Draft of a summary').count()).toBe(0);

  await openPane(ann, 'Contents');
  await region(ann, 'Draft of chapters').getByRole('button', { name: 'Propose chapters' }).click();
  await region(ann, 'Draft of chapters').getByRole('button', { name: 'Start' }).click();
  await cards(ann, 'Draft of chapters').first().getByRole('button', { name: 'Accept' }).click(waits);
  await undo.hover(waits);
  const put = async () => {
    const { doc, version } = (await stage.person(0).get(`/api/meetings/${meeting}`)).body;
    const toc = doc.toc.map((one: object) => ({ ...one, title: 'Practice' }));
    return (
      toc.length === 1 &&
      (await stage.person(0).put(`/api/meetings/${meeting}`, { meeting: { 'doc.toc': toc }, version })).status
    );
  };
  await expect.poll(put, waits).toBe(200);
  await ann.getByRole('list', { name: 'Contents' }).getByText('Practice').waitFor(waits);
  await undo.click();
  await ann.getByText('This chapter was changed since. It stays.').waitFor(waits);
  await ann.getByRole('list', { name: 'Contents' }).getByText('Practice').waitFor(waits);
});

it('chapters are proposed, and an accepted one begins five seconds before its words, for everyone', async () => {
  const meeting = await stage.recording();
  const ann = await stage.open(0, meeting, { width: 'phone', scheme: 'dark' });
  await openPane(ann, 'Contents');
  const name = 'Draft of chapters';
  const draft = region(ann, name);
  there.mood.answer = () => says([{ ...notes, text: 'About notes' }]);
  await draft.getByRole('button', { name: 'Propose chapters' }).click();
  await draft.getByRole('button', { name: 'Start' }).click();
  await expect.poll(() => cards(ann, name).count(), { timeout: 60_000 }).toBe(1);
  await expectAccessible(ann);
  await expectFitting(ann);
  await cards(ann, name).first().getByRole('button', { name: 'Accept' }).click();
  await ann.getByRole('list', { name: 'Contents' }).getByText('About notes').waitFor(waits);
  const kept = async () => {
    const { toc } = (await stage.person(0).get(`/api/meetings/${meeting}`)).body.doc as { toc: { start: number }[] };
    const { drafts } = (await stage.person(0).get(`/api/meetings/${meeting}/drafts/chapters`)).body as {
      drafts: { state: string; quotes: { start: number }[] }[];
    };
    return { state: drafts[0]?.state, start: toc[0]?.start, quoted: drafts[0]?.quotes[0]?.start ?? 0 };
  };
  await expect.poll(kept, waits).toMatchObject({ state: 'accepted', start: expect.any(Number) });
  const { start, quoted } = await kept();
  expect(start).toBe(Math.max(0, quoted - 5));
});
