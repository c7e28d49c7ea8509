// Answers of a model on screen: shown and announced part by part while they are written, without effect whatever they
// say, and every pane that has them in four languages.
import type { Page } from 'playwright-core';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { Language } from '#shared/i18n/languages.ts';
import { meetingEn } from '#shared/i18n/meetings/en.ts';
import { meetingEs } from '#shared/i18n/meetings/es.ts';
import { meetingRu } from '#shared/i18n/meetings/ru.ts';
import { meetingZh } from '#shared/i18n/meetings/zh.ts';
import { announcements } from '../support/announcements.ts';
import { openAssistant } from '../support/assistant.ts';
import { expectAccessible, faultsOf, visit } from '../support/browser.ts';
import { openDocument, openPane, Stage, waits } from '../support/document-page.ts';
import { made, watch } from '../support/hostile.ts';
import { lookAtLabels } from '../support/labels.ts';
import type { Person } from '../support/people.ts';
import { makeRecording } from '../support/recording.ts';
import { askFor } from '../support/reviews.ts';
import { suggest } from '../support/suggestions.ts';

const there = await openAssistant('openai', { context: 16_000 });
afterAll(() => there.close());
const stage = new Stage(2, { env: { AI_URL: there.url, AI_MODEL: 'one,two' } });
const allTexts = { en: meetingEn, es: meetingEs, ru: meetingRu, zh: meetingZh };

const welcome = { line: 1, quote: 'welcome to our practice session' };
const notes = { line: 2, quote: 'keep your notes short' };
const says = (parts: { text: string; cites?: object[] }[]) => JSON.stringify({ parts, enough: true });
const part = (text: string) => ({ text, cites: [welcome] });
beforeEach(() => {
  there.mood.held = null;
});

const messages = (page: Page) => page.getByRole('log', { name: 'Chat' }).getByRole('listitem');
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
async function ask(page: Page, words: string): Promise<void> {
  const question = page.getByRole('textbox', { name: 'Your question' });
  await question.fill(words);
  await question.press('Enter');
}

/** Waits until the last work of a call has ended. */
async function done(by: Person, call: string): Promise<void> {
  const state = async () => {
    const { body } = await by.get(call);
    const { run, messages: all } = body as { run?: { state: string }; messages?: { run: { state: string } | null }[] };
    return (run ?? all?.at(-1)?.run)?.state;
  };
  await expect.poll(state, waits).toBe('done');
}

/** Has the model make all that it can about a recording. */
async function haveAllMade(by: Person, meeting: string): Promise<void> {
  const works = { chat: { content: 'What is this?' }, analysis: {}, 'drafts/summary': {}, 'outcomes/autodetect': {} };
  for (const [path, body] of Object.entries(works)) {
    const call = `/api/meetings/${meeting}/${path}`;
    const { status, text } = await by.post(call, body);
    expect(status, text).toBe(200);
    await done(by, call);
  }
}

it('an answer is shown and announced part by part while it is written, at both widths', async () => {
  const meeting = await stage.recording();
  there.mood.answer = () => says([part('It was asked before.')]);
  const pages = [await stage.open(0, meeting), await stage.open(1, meeting, { width: 'phone', scheme: 'dark' })];
  for (const page of pages) {
    await openPane(page, 'Chat');
    await ask(page, 'What is this?');
    await messages(page).getByText('It was asked before.').waitFor(waits);
    await button(page, 'Ask').waitFor(waits);
  }
  const heard = await Promise.all(pages.map(announcements));
  let go = () => {};
  there.mood.held = new Promise((resolve) => (go = resolve));
  // Its middle is within the second part.
  there.mood.answer = () => says([part('First of all.'), part(`Secondly. ${'Well. '.repeat(200)}`), part('At last.')]);
  for (const [who, page] of pages.entries()) {
    await ask(page, 'And then?');
    const answer = messages(page).nth(3);
    await answer.getByText('First of all.').waitFor(waits);
    await answer.getByRole('button', { name: /^Play from 0:01/ }).waitFor(waits);
    await answer.getByText('Reading and checking quotes…').waitFor(waits);
    await button(page, 'Stop').waitFor(waits);
    expect(await answer.getByText('Secondly.').count()).toBe(0);
    const { messages: stored } = (await stage.person(who).get(`/api/meetings/${meeting}/chat`)).body as {
      messages: { parts: unknown[]; run: { state: string } | null }[];
    };
    expect([stored.at(-1)?.run?.state, stored.at(-1)?.parts.length]).toEqual(['running', 1]);
    await expectAccessible(page);
  }
  go();
  for (const [nth, page] of pages.entries()) {
    await messages(page).nth(3).getByText('At last.').waitFor(waits);
    await button(page, 'Ask').waitFor(waits);
    const said = (await heard[nth]?.()) ?? [];
    for (const words of ['First of all.', 'Secondly.', 'At last.'])
      expect(said.filter((text) => text.includes(words), words)).toHaveLength(1);
    expect(said.join(' ')).not.toContain('It was asked before.');
  }
});

it('a question goes to the model of the recording, until the person chooses another', async () => {
  const meeting = await stage.recording();
  const ann = stage.person(0);
  const { version } = (await ann.get(`/api/meetings/${meeting}`)).body as { version: number };
  const put = await ann.put(`/api/meetings/${meeting}`, { meeting: { 'doc.chat_model_id': 'two' }, version });
  expect(put.status, put.text).toBe(200);
  const page = await stage.open(0, meeting);
  await openPane(page, 'Chat');
  const model = page.getByRole('combobox', { name: 'Model' });
  await expect.poll(() => model.inputValue(), waits).toBe('two');
  there.mood.answer = ({ model: asked }) => says([part(`This is ${asked}.`)]);
  await ask(page, 'Who are you?');
  await messages(page).getByText('This is two.').waitFor(waits);
  await model.selectOption('one');
  await button(page, 'Ask').waitFor(waits);
  await ask(page, 'And you?');
  await messages(page).getByText('This is one.').waitFor(waits);
  // Chosen once, for all that is asked about the recording.
  await openPane(page, 'Summary');
  await button(page, 'Draft a summary').click();
  await expect.poll(() => model.inputValue(), waits).toBe('one');
});

it('an answer that obeys an order to send something makes no element and asks no address', async () => {
  const meeting = await stage.recording();
  const ann = stage.person(0);
  const hostile = [
    '<img src="https://evil.example/1.png" onerror=hit()>',
    '![a picture](https://evil.example/2.png)',
    '[here](javascript:hit()) [there](https://evil.example/3)',
    '<a href="https://evil.example/4">here</a>',
    '<script src="https://evil.example/5.js"></script><script>hit()</script>',
    '<style>@import url(https://evil.example/6.css);</style>',
    '<link rel=prefetch href="https://evil.example/7">',
    '<iframe srcdoc="<script>parent.hit()</script>"></iframe>',
    'https://evil.example/8',
  ].join(' ');
  const outcome = { type: 'decisions', others: [], text: hostile, reason: hostile, ...welcome };
  there.mood.answer = ({ said }) =>
    said.includes('Find the outcomes') ? JSON.stringify({ outcomes: [outcome] }) : says([part(hostile)]);
  await haveAllMade(ann, meeting);

  const page = await stage.desk.seat(ann);
  const heard = await watch(page);
  const foreign: string[] = [];
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(`${stage.house.origin}/`) && !/^(data|blob):/.test(url)) foreign.push(url);
  });
  await page.goto(`/meeting/${meeting}`);
  await page.locator('.ProseMirror > *').first().waitFor(waits);
  const place = 'aside section[data-open]';
  for (const [pane, times] of [
    ['Chat', 2],
    ['Outcomes', 2],
    ['Summary', 1],
  ] as const) {
    await openPane(page, pane);
    // The answer and the analysis; the text and the reason of a suggestion; a draft.
    const shown = async () => (await page.locator(place).innerText()).split('evil.example/8').length - 1;
    await expect.poll(shown, { ...waits, message: pane }).toBe(times);
    expect(await made(page, place), pane).toEqual([]);
    expect(await page.locator(place).locator('a[href*="evil"], link, style').count(), pane).toBe(0);
  }
  expect([heard, foreign]).toEqual([[], []]);
});

describe.each(['en', 'es', 'ru', 'zh'] as const)('in %s', (language: Language) => {
  it('no label of a pane with a model is cut, and all can be used', { timeout: 300_000 }, async () => {
    const { chat, outcomes, summary, suggestions, drafts, explaining, modelWork, document: said } = allTexts[language];
    const person = await stage.house.person();
    const meeting = await makeRecording(stage.house, person);
    await suggest(stage.house, meeting);
    const outcome = { type: 'decisions', others: ['actionItems'], text: 'Notes are short.', reason: 'So it says.' };
    there.mood.answer = (received) =>
      received.said.includes('Find the outcomes')
        ? JSON.stringify({ outcomes: [{ ...outcome, ...notes }] })
        : says([
            { text: 'It is a practice session.', cites: [welcome, { line: 1, quote: 'words that nobody ever said' }] },
            { text: 'Nothing proves this.' },
          ]);
    await haveAllMade(person, meeting);
    expect((await person.post('/api/principals/me', { language })).status).toBeLessThan(300);

    const page = await openDocument(stage.desk, person, meeting, { locale: language });
    const faults: string[] = [];
    const look = async (place: string) => {
      faults.push(...(await lookAtLabels(page, place)));
      faults.push(...(await faultsOf(page)).map((fault) => `${place}: ${fault}`));
    };
    await openPane(page, chat.title, said.more);
    await page.getByRole('button', { name: chat.addComment }).waitFor(waits);
    await look(chat.title);
    await button(page, chat.consent.turnOff).click();
    await button(page, chat.consent.allowAll).waitFor(waits);
    await look(chat.consent.questionLocal);
    await button(page, chat.consent.allow).click();
    await page.getByRole('textbox', { name: chat.question }).waitFor(waits);

    await openPane(page, outcomes.title, said.more);
    const suggested = page.getByRole('region', { name: suggestions.title });
    await expect.poll(() => suggested.getByRole('listitem').count(), waits).toBe(2);
    await button(page, suggestions.find).click();
    await suggested.getByRole('button', { name: modelWork.start, exact: true }).waitFor(waits);
    await suggested.getByRole('button', { name: suggestions.reject, exact: true }).first().click();
    await button(page, suggestions.reasons.type).waitFor(waits);
    await look(outcomes.title);

    await openPane(page, summary.title, said.more);
    const drafted = page.getByRole('region', { name: drafts.title.summary });
    await button(page, drafts.again).click();
    await drafted.getByRole('button', { name: drafts.accept, exact: true }).waitFor(waits);
    await look(summary.title);

    const asked = { policy: 'relaxed', outcomeModel: 'coaching', roles: [[person, 'required']] } as const;
    const { id } = await askFor(person, meeting, asked);
    await visit(page, `/meeting/${meeting}/peer/${id}`);
    const named = (words: string) => ({ name: words.replace('{{name}}', outcomes.types.trust) });
    await page.getByRole('button', named(explaining.openOf)).click();
    const explained = page.getByRole('region', named(explaining.title));
    await explained.getByRole('button', { name: modelWork.start, exact: true }).waitFor(waits);
    await look(explaining.open);
    expect(faults).toEqual([]);
  });
});
