// Chat about a recording: what is asked, answered and refused, with each state of the pane, by several people.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openAssistant } from '../support/assistant.ts';
import { creditsLeft, giveCredits } from '../support/billing.ts';
import { reviewsRu } from '#shared/i18n/reviews/ru.ts';
import { meetingRu } from '#shared/i18n/meetings/ru.ts';
import { expectAccessible, expectReadable, visit, type Look } from '../support/browser.ts';
import { cutLine, drawnAgain, openDocument, openPane, sound, Stage, undoOf, waits } from '../support/document-page.ts';
import { makeTeam } from '../support/groups.ts';
import { makeRecording } from '../support/recording.ts';
import { askFor, seenBy } from '../support/reviews.ts';

const there = await openAssistant('openai', { context: 16_000 });
afterAll(() => there.close());
const stage = new Stage(2, { expected: cutLine, env: { AI_URL: there.url, QUESTION_PRICE: '0.5' } });
beforeAll(async () => {
  for (const who of [0, 1]) await giveCredits(stage.house, stage.person(who), '20');
});

const says = (parts: unknown[], enough = true) => JSON.stringify({ parts, enough });
const welcome = { line: 1, quote: 'welcome to our practice session' };
const good = { text: 'It is a practice session.', cites: [welcome] };

const question = (page: Page) => page.getByRole('textbox', { name: 'Your question' });
const messages = (page: Page) => page.getByRole('log', { name: 'Chat' }).getByRole('listitem');
const ask = async (page: Page, words: string) => {
  await question(page).fill(words);
  await question(page).press('Enter');
};

it('a question is answered in checked parts whose quotes play, stopped, not answered, failed, and deleted', async () => {
  const meeting = await stage.recording();
  const remark = { text: 'A remark beside it', quote: welcome.quote, start: 1.55, end: 3.26 };
  const added = await stage.person(0).post(`/api/meetings/${meeting}/comments`, remark);
  expect(added.status, added.text).toBeLessThan(300);
  const ann = await stage.open(0, meeting);
  await openPane(ann, 'Chat');
  await ann.getByText('Only you see this chat').waitFor(waits);
  await ann.getByText('stand-in, on this server').waitFor(waits);
  expect(await ann.getByRole('button', { name: 'Ask', exact: true }).isDisabled()).toBe(true);
  await expectReadable(ann);

  let go = () => {};
  there.mood.answer = () =>
    new Promise(
      (done) =>
        (go = () =>
          done(
            says([
              { ...good, cites: [welcome, { line: 1, quote: 'words that nobody ever said' }] },
              { text: 'The price is settled.', cites: [{ line: 2, quote: 'the price is settled now' }] },
            ]),
          )),
    );
  await ask(ann, 'What is this?');
  await messages(ann).getByText('Reading and checking quotes…').waitFor(waits);
  expect(await question(ann).inputValue()).toBe('');
  await ann.getByRole('button', { name: 'Stop', exact: true }).waitFor(waits);
  await expect.poll(() => there.asking(), waits).toBe(1);
  go();
  const answer = messages(ann).nth(1);
  await answer.getByText('It is a practice session.').waitFor(waits);
  await answer.getByText('1 quote removed: not found in the transcript').waitFor(waits);
  await answer.getByText('Not found in the transcript', { exact: true }).waitFor(waits);
  await ann.getByText('Quotes are checked against the transcript. Conclusions are not.').waitFor(waits);
  await ann.getByRole('button', { name: 'Ask', exact: true }).waitFor(waits);
  await expectReadable(ann);
  await answer.getByRole('button', { name: 'Play from 0:01: welcome to our practice session' }).click();
  await expect.poll(async () => (await sound(ann)).ms, waits).toBeGreaterThan(1500);
  await ann.getByRole('button', { name: 'Pause' }).first().click();

  // Annotations go along where the asker says so, and are no proof.
  expect(there.received.at(-1)?.said).not.toContain(remark.text);
  await ann.getByRole('checkbox', { name: 'Also send annotations' }).press('Space');
  there.mood.answer = () => says([], false);
  await ask(ann, 'decision');
  await expect.poll(() => there.received.at(-1)?.said, waits).toContain(remark.text);
  await messages(ann).nth(3).getByText("The recording doesn't say").waitFor(waits);
  await messages(ann).getByRole('button', { name: 'Search the transcript' }).click();
  await expect.poll(() => ann.getByRole('searchbox', { name: 'Search for' }).inputValue(), waits).toBe('decision');

  // An answer that never ends is stopped; the question that is typed meanwhile stays, also while the pane is closed.
  await openPane(ann, 'Chat');
  there.mood.answer = () => new Promise(() => {});
  await ask(ann, 'And now?');
  await ann.getByRole('button', { name: 'Stop', exact: true }).waitFor(waits);
  await question(ann).fill('For later');
  await ann.getByRole('button', { name: 'Stop', exact: true }).click();
  await messages(ann).nth(5).getByText('Stopped', { exact: true }).waitFor(waits);
  await ann.getByRole('button', { name: 'Close Chat' }).click();
  await openPane(ann, 'Chat');
  expect(await question(ann).inputValue()).toBe('For later');

  there.mood.answer = () => 'no JSON';
  await question(ann).press('Enter');
  const failed = messages(ann).nth(7);
  await failed.getByText("The model's answer couldn't be read. Ask again.").waitFor(waits);
  await question(ann).fill('Another');
  await failed.getByRole('button', { name: 'Ask again' }).click();
  expect(await question(ann).inputValue()).toBe('Another\nFor later');
  await failed.getByRole('button', { name: 'Ask again' }).click();
  expect(await question(ann).inputValue()).toBe('Another\nFor later');
  expect(await question(ann).evaluate((field) => field === document.activeElement)).toBe(true);
  await question(ann).fill('x'.repeat(1995));
  await failed.getByText('No room for this question below what you have typed.').waitFor(waits);
  expect(await failed.getByRole('button', { name: 'Ask again' }).isDisabled()).toBe(true);
  await expectReadable(ann);
  await ann.getByRole('button', { name: 'Delete this question and its answer' }).first().click();
  await expect.poll(() => messages(ann).count(), waits).toBe(6);
  await ann.getByRole('button', { name: 'Delete chat' }).click();
  await ann.getByRole('dialog').getByRole('button', { name: 'Delete chat' }).click();
  await ann.getByText('Only you see this chat').waitFor(waits);
});

it('a part that stands becomes a comment at its quote, for everyone or for oneself, and that is taken back', async () => {
  const meeting = await stage.recording();
  there.mood.answer = () =>
    says([good, { text: 'The price is settled.', cites: [{ line: 2, quote: 'the price is settled now' }] }]);
  const ann = await stage.open(0, meeting);
  await openPane(ann, 'Chat');
  await ask(ann, 'What is this?');
  const add = messages(ann).getByRole('button', { name: 'Add as comment' });
  await add.waitFor(waits);
  await ann.getByRole('button', { name: 'Ask', exact: true }).waitFor(waits);
  // Nothing proves the other part.
  expect(await add.count()).toBe(1);
  const comments = async (who: number) =>
    ((await stage.person(who).get(`/api/meetings/${meeting}`)).body as { doc: { comments: object[] } }).doc.comments;
  const wanted = { quote: 'welcome to our practice session', start: 1.55, end: 3.26 };
  await add.click();
  await ann.getByText('Comment added.').waitFor(waits);
  const undo = await undoOf(ann);
  await expect.poll(() => comments(1), waits).toMatchObject([{ ...wanted, private: false }]);
  expect(JSON.stringify(await comments(1))).toContain(good.text);
  await undo.click();
  await expect.poll(() => comments(1), waits).toEqual([]);

  // For a person whose new comments are their own, so is this one.
  await stage.person(0).post('/api/principals/me', { preferences: { hardcorePrivacy: true } });
  await ann.reload();
  await openPane(ann, 'Chat');
  await add.press('Enter');
  await ann.getByText('Comment added. Only you see it.').waitFor(waits);
  await add.press('Enter');
  await expect.poll(() => comments(0), waits).toMatchObject([{ ...wanted, private: true }]);
  expect(await comments(1)).toEqual([]);
  await expectReadable(ann);
  await stage.renew();
  for (const who of [0, 1]) await giveCredits(stage.house, stage.person(who), '20');
});

it('an analysis fails, stops, and is shown to all readers until the transcript has moved on', async () => {
  const meeting = await stage.recording();
  const ann = await stage.open(0, meeting);
  await openPane(ann, 'Chat');
  const about = (page: Page) => page.getByRole('region', { name: 'What it is about' });
  const button = (name: string) => about(ann).getByRole('button', { name, exact: true });
  await about(ann).getByText('Everyone who can open this recording sees it').waitFor(waits);
  there.mood.answer = () => 'no JSON';
  await button('Analyze').click();
  await about(ann).getByText("The model's answer couldn't be read.").waitFor(waits);
  there.mood.answer = () => new Promise(() => {});
  await button('Analyze').click();
  await about(ann).getByText('Reading and checking quotes…').waitFor(waits);
  await button('Stop the analysis').click();
  await about(ann).getByText('Stopped', { exact: true }).waitFor(waits);
  there.mood.answer = () => says([good, { text: 'An invention.' }]);
  await button('Analyze').click();
  await about(ann).getByText('It is a practice session.').waitFor(waits);
  expect(await about(ann).getByText('An invention.').count()).toBe(0);
  await button('Analyze again').waitFor(waits);
  await expectReadable(ann);
  await about(ann).getByRole('button', { name: 'Play from 0:01: welcome to our practice session' }).click();
  await expect.poll(async () => (await sound(ann)).ms, waits).toBeGreaterThan(1500);

  const { body } = await stage.person(0).get(`/api/meetings/${meeting}`);
  const old = body.doc.transcript.segments[0].text as string;
  const more = Array.from({ length: 60 }, (_, nth) => `more${nth}`).join(' ');
  await stage.person(0).post(`/api/meetings/${meeting}/edit`, {
    ...{ pos: 0, old, new: `${old} ${more}.`, version: body.version as number },
  });
  const ben = await stage.open(1, meeting, { width: 'phone', scheme: 'dark' });
  await openPane(ben, 'Chat');
  await about(ben).getByText('It is a practice session.').waitFor(waits);
  await about(ben).getByText('The transcript has changed since.').waitFor(waits);
  await expectAccessible(ben);
});

it('the owner decides, others are told whom to ask, on a phone too, and a question without a connection stays', async () => {
  const meeting = await stage.recording();
  there.mood.answer = () => says([good]);
  const ann = await stage.open(0, meeting);
  await openPane(ann, 'Chat');
  await ann.getByRole('button', { name: 'Turn off for this recording' }).click();
  // The button is gone with its form, and the focus is on what took their place.
  await ann.locator('section:focus').getByText('Allow a model on this server to read this recording?').waitFor(waits);
  await expectReadable(ann);
  const ben = await stage.open(1, meeting, { width: 'phone', scheme: 'dark' });
  await openPane(ben, 'Chat');
  await ben.getByText('Ann Test has turned off answers about this recording.').waitFor(waits);
  expect(await ben.getByRole('button', { name: 'Allow' }).count()).toBe(0);
  await expectAccessible(ben);
  await ann.getByRole('button', { name: 'Allow', exact: true }).click();
  await question(ann).waitFor(waits);
  await expect.poll(() => question(ann).evaluate((field) => field === document.activeElement), waits).toBe(true);

  await ben.getByRole('button', { name: 'Close Chat' }).click();
  await openPane(ben, 'Chat');
  await question(ben).fill('What is this?');
  await ben.context().setOffline(true);
  await question(ben).press('Enter');
  await ben.getByText('Not sent: no connection. Your question is still here.').waitFor({ timeout: 120_000 });
  expect(await question(ben).inputValue()).toBe('What is this?');
  await ben.context().setOffline(false);
  await question(ben).press('Enter');
  await messages(ben).nth(1).getByText('It is a practice session.').waitFor(waits);
  await expectAccessible(ben);
  // Each person has a chat of their own.
  expect(await messages(ann).count()).toBe(0);
});

it('a grade is explained with its price before, words that play, and what is not found, to those who may read it', async () => {
  const [ann, ben] = [stage.person(0), stage.person(1)];
  const asked = { outcomeModel: 'coaching', roles: [[ben, 'required'] as const] };
  const meeting = await makeRecording(stage.house, ann);
  const review = await askFor(ann, meeting, { ...asked, policy: 'relaxed' });
  const { cloneId } = await seenBy(ben, review);
  const grade = await ben.put(`/api/meetings/${cloneId}/grades/listening`, { grade: 1 });
  expect(grade.status, grade.text).toBe(200);
  const before = await creditsLeft(stage.house, ben);
  const path = `/meeting/${meeting}/peer/${review.id}`;
  const opened = async (look: Look = {}) => {
    const page = await stage.desk.seat(ben, look);
    await (page.url() === 'about:blank' ? page.goto(path) : visit(page, path));
    return page;
  };
  const page = await opened();
  const open = page.getByRole('button', { name: 'Explain this grade: Listening' });
  const about = page.getByRole('region', { name: 'Explained grade: Listening' });
  await open.press('Enter');
  await about.getByText('An explanation costs $0.50 if words of the transcript show a grade.').waitFor(waits);
  await about.getByText('stand-in, on this server').waitFor(waits);
  await about.getByText('The transcript, the names of speakers').waitFor(waits);
  await expectReadable(page);

  let go = () => {};
  const reasons = [
    { text: 'They are welcomed.', cites: [welcome, { line: 1, quote: 'words that nobody ever said' }] },
    { text: 'An invention.', cites: [{ line: 2, quote: 'the price is settled now' }] },
  ];
  const gives = (given: number | null, parts: object[]) =>
    JSON.stringify({ grade: given, parts, why: 'The client says little.' });
  there.mood.answer = () => new Promise((done) => (go = () => done(gives(3, reasons))));
  await about.getByRole('button', { name: 'Start' }).press('Enter');
  await about.getByText('Reading and checking quotes…').waitFor(waits);
  expect(await about.evaluate((section) => section === document.activeElement)).toBe(true);
  await about.getByRole('button', { name: 'Stop the explanation' }).waitFor(waits);
  await about.getByRole('progressbar', { name: 'Estimated progress' }).waitFor(waits);
  await expect.poll(() => there.asking(), waits).toBe(1);
  go();
  await about.getByText('The model would give').getByRole('img', { name: /^3:/ }).waitFor(waits);
  await about.getByText('The assessment has another grade').getByRole('img', { name: /^1:/ }).waitFor(waits);
  await about.getByText('1 quote removed: not found in the transcript').waitFor(waits);
  await about.getByText('1 left out: not found in the transcript. Paid: $0.50.').waitFor(waits);
  expect(await about.getByRole('progressbar').count()).toBe(0);
  await about.getByText(/^Why not the next grade \(4:/).waitFor(waits);
  await about.getByText('The client says little.').waitFor(waits);
  await about.getByText('Quotes are checked against the transcript. Conclusions are not.').waitFor(waits);
  expect(await about.getByText('An invention.').count()).toBe(0);
  await expectReadable(page);
  await about.getByRole('button', { name: 'Play from 0:01: welcome to our practice session' }).press('Enter');
  await expect.poll(async () => (await sound(page)).ms, waits).toBeGreaterThan(1500);
  await page.getByRole('button', { name: 'Pause' }).first().click();
  expect(await creditsLeft(stage.house, ben)).toBeCloseTo(before - 0.5, 6);

  const again = async () => {
    await about.getByRole('button', { name: 'Explain again' }).press('Enter');
    await about.getByRole('button', { name: 'Start' }).click();
  };
  there.mood.answer = () => gives(null, reasons);
  await again();
  await about.getByText('No evidence found. Without words from the transcript there is no grade.').waitFor(waits);
  there.mood.answer = () => 'no JSON';
  await again();
  await about.getByText("The model's answer couldn't be read. Try again. Nothing was paid.").waitFor(waits);
  there.mood.answer = () => new Promise(() => {});
  await again();
  await about.getByRole('button', { name: 'Stop the explanation' }).click();
  await about.getByText('Stopped. Nothing was paid.', { exact: true }).waitFor(waits);
  await about.getByRole('button', { name: 'Explain again' }).waitFor(waits);
  await about.getByText('The model would give').waitFor(waits);

  // Withheld by the owner; on a phone, in another language.
  expect((await ann.put(`/api/meetings/${meeting}/ai`, { consent: 'none' })).status).toBe(200);
  await ben.post('/api/principals/me', { language: 'ru' });
  const { explaining, chat, outcomes, modelWork } = meetingRu;
  const phone = await opened({ width: 'phone', scheme: 'dark', locale: 'ru' });
  await phone.locator('[data-rail]').getByRole('button', { name: reviewsRu.assessment.sheet.short }).click();
  const named = { name: outcomes.types.trust };
  await phone.getByRole('button', { name: explaining.openOf.replace('{{name}}', named.name) }).click();
  const withheld = phone.getByRole('region', { name: explaining.title.replace('{{name}}', named.name) });
  await withheld.getByText(chat.consent.missingLocal.replace('{{owner}}', 'Ann Test')).waitFor(waits);
  expect(await withheld.getByRole('button', { name: modelWork.start }).count()).toBe(0);
  await expectAccessible(phone);
  await ben.post('/api/principals/me', { language: 'en' });

  // In a blind review nobody who assesses is offered it before it opens.
  const blind = await askFor(ann, meeting, { ...asked, policy: 'strict' });
  await visit(page, `/meeting/${meeting}/peer/${blind.id}`);
  await page.getByText('You assess on your own.').waitFor(waits);
  await page.getByRole('listitem', { name: 'Listening', exact: true }).waitFor(waits);
  expect(await open.count()).toBe(0);
});

const plain = new Stage(1);
it('without a model the pane searches', async () => {
  const meeting = await makeRecording(plain.house, plain.person(0));
  const ann = plain.person(0);
  const page = await openDocument(plain.desk, ann, meeting);
  await openPane(page, 'Chat');
  await page.getByText(/^No language model is set up on this server/).waitFor(waits);
  await page.getByRole('searchbox', { name: 'Search for' }).fill('practice');
  await page.getByText(/^1 of \d+$/).waitFor(waits);
  expect(await page.getByRole('button', { name: /^Replace/ }).count()).toBe(0);
  await expectReadable(page);

  // Nothing explains a grade.
  const { id } = await askFor(ann, meeting, {
    policy: 'relaxed',
    outcomeModel: 'coaching',
    roles: [[ann, 'required']],
  });
  const models = page.waitForResponse('**/api/ai');
  await visit(page, `/meeting/${meeting}/peer/${id}`);
  await (await models).finished();
  await drawnAgain(page);
  await page.getByRole('listitem', { name: 'Listening', exact: true }).waitFor(waits);
  expect(await page.getByRole('button', { name: /^Explain this grade/ }).count()).toBe(0);
});

it('the price is shown with who pays it, and a team whose quota is used up says whom to ask', async () => {
  const [ann, ben] = [stage.person(0), stage.person(1)];
  const team = await makeTeam(ann, [ben], { name: 'Interviews', defaultQuota: 0.5 });
  const meeting = await stage.recording();
  const before = [await creditsLeft(stage.house, ann), await creditsLeft(stage.house, ben)];
  const page = await stage.open(1, meeting);
  await openPane(page, 'Chat');
  const form = page.locator('form').filter({ has: question(page) });
  await form.getByText('A question costs $0.50.').waitFor(waits);
  const who = form.getByRole('combobox', { name: 'Who pays' });
  expect(await who.locator('option').allTextContents()).toEqual([`You, from $${before[1]?.toFixed(2)}`, 'Interviews']);
  await who.selectOption('Interviews');
  await form.getByText('$0.50 of your quota left').waitFor(waits);
  await expectAccessible(page);
  there.mood.answer = () => says([good]);
  await ask(page, 'Who pays?');
  await messages(page).getByText('It is a practice session.').waitFor(waits);
  await expect
    .poll(async () => [await creditsLeft(stage.house, ann), await creditsLeft(stage.house, ben)], waits)
    .toEqual([(before[0] ?? 0) - 0.5, before[1]]);
  await form.getByText('The team pays $0.00 more for you. Ask Ann Test to raise your quota.').waitFor(waits);
  await question(page).fill('And now?');
  expect(await page.getByRole('button', { name: 'Ask', exact: true }).isDisabled()).toBe(true);
  // A payer who stops is replaced by nobody unasked.
  expect((await ann.delete(`/api/groups/${team}/members/${ben.id}`)).status).toBeLessThan(300);
  await page.getByRole('button', { name: 'Delete this question and its answer' }).click();
  await form.getByText('The team “Interviews” no longer pays. Choose who pays.').waitFor(waits);
  expect(await page.getByRole('button', { name: 'Ask', exact: true }).isDisabled()).toBe(true);
  await expectAccessible(page);
  expect(await question(page).inputValue()).toBe('And now?');
  await who.selectOption({ label: `You, from $${before[1]?.toFixed(2)}` });
  await page.getByRole('button', { name: 'Ask', exact: true }).and(page.locator(':enabled')).waitFor(waits);
});
