// Assessing a recording, from the mail to completing, on the real house with a browser for each reviewer
// (docs/architecture.md, "A review").
import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { ReviewView } from '#shared/reviews.ts';
import { expectAccessible, expectReadable, hurried, type Look } from '../support/browser.ts';
import { cutLine, drawn, hasPane, openPane, select, sound, Stage, waits } from '../support/document-page.ts';
import type { Person } from '../support/people.ts';
import { makeRecording } from '../support/recording.ts';
import { askFor, seenBy, setStatus } from '../support/reviews.ts';

/** Ann owns and leads; Ben, Chen and Dana assess, and have no other right on the recording. */
const stage = new Stage(4, { expected: cutLine });

const pathOf = ({ meetingId, id }: ReviewView) => `/meeting/${meetingId}/peer/${id}`;

async function ask(more: Partial<Parameters<typeof askFor>[2]> = {}): Promise<ReviewView> {
  const [ann, ben, chen] = [stage.person(0), stage.person(1), stage.person(2)];
  const meeting = await makeRecording(stage.house, ann);
  const roles = [[ben, 'required'] as const, [chen, 'required'] as const];
  return askFor(ann, meeting, { roles, outcomeModel: 'coaching', ...more });
}

/** Everything that a page receives: answers and frames of its sockets. */
function bytesOf(page: Page): { text: () => Promise<string> } {
  const parts: Promise<string>[] = [];
  page.on('response', (response) => {
    parts.push(response.text().catch(() => ''));
  });
  page.on('websocket', (socket) => {
    socket.on('framereceived', ({ payload }) => {
      parts.push(Promise.resolve(payload.toString()));
    });
  });
  return { text: async () => (await Promise.all(parts)).join('\n') };
}

async function open(person: Person, path: string, look: Look = {}): Promise<Page & { bytes: () => Promise<string> }> {
  const page = await stage.desk.seat(person, look);
  const { text } = bytesOf(page);
  await page.goto(path);
  await page.locator('.ProseMirror > *').first().waitFor(waits);
  return Object.assign(page, { bytes: text });
}

const competency = (page: Page, name: string) => page.getByRole('listitem', { name, exact: true });
const lines = (page: Page) => page.getByRole('region', { name: 'Assessment', exact: true });
const dialog = (page: Page) => page.getByRole('dialog');
const shownIn = (page: Page) =>
  lines(page)
    .getByLabel('Shown here')
    .evaluate((select: HTMLSelectElement) => select.selectedOptions[0]?.text);

/** Adds the selected words to a competency, grades them and says why, by keyboard alone. */
async function assess(page: Page, words: string, name: string, grade: string, why: string): Promise<void> {
  await select(page, words);
  const add = page.getByRole('button', { name: `Add passage: ${name}` });
  await add.waitFor(waits);
  await add.press('Enter');
  const card = page.locator('[data-outcome]').filter({ hasText: words });
  await card.waitFor(waits);
  await expect.poll(() => card.evaluate((one) => one === document.activeElement), waits).toBe(true);
  await page.keyboard.press(grade);
  await competency(page, name)
    .getByRole('img', { name: new RegExp(`^${grade}:`) })
    .first()
    .waitFor(waits);
  await card.getByRole('textbox', { name: 'Note', exact: true }).fill(why);
  await page.keyboard.press('Control+Enter');
  await expect.poll(() => page.getByLabel('Sending…').count(), waits).toBe(0);
}

async function complete(page: Page, comment: string): Promise<void> {
  await lines(page).getByRole('button', { name: 'Complete', exact: true }).press('Enter');
  await dialog(page).getByText('6 competencies without a grade:').waitFor(waits);
  await dialog(page).getByRole('textbox', { name: 'Overall comment (optional)' }).fill(comment);
  await expectAccessible(page);
  await dialog(page).getByRole('button', { name: 'Complete', exact: true }).click();
  await dialog(page).waitFor({ ...waits, state: 'hidden' });
}

it('two strict reviewers assess from the mail to completing, and learn nothing of each other before', async () => {
  const review = await ask({ due: '2999-05-02' });
  const [ben, chen] = [stage.person(1), stage.person(2)];
  const mails = (await ben.get(`/api/outbox?to=${encodeURIComponent(ben.email)}`)).body as { text: string }[];
  const link = /https?:\/\/\S+\/peer\/\S+/.exec(mails[0]?.text ?? '')?.[0] ?? '';
  expect(new URL(link).pathname).toBe(pathOf(review));

  const [one, other] = await Promise.all([
    open(ben, new URL(link).pathname),
    open(chen, pathOf(review), { width: 'phone' }),
  ]);
  await lines(one).getByText('You assess on your own.').waitFor(waits);
  await lines(one).getByText('Not begun').waitFor(waits);
  await lines(one).getByText('Due May 2, 2999').waitFor(waits);
  await one.getByText('7 competencies without a grade').waitFor(waits);
  expect(await hasPane(one, 'Chat')).toBe(false);
  expect(await hasPane(one, 'Version history')).toBe(false);
  await expectReadable(one);

  // The key leads to each competency without a grade in turn.
  await one.getByRole('button', { name: 'Next without a grade' }).click();
  await expect
    .poll(() => competency(one, 'Ethical practice').evaluate((row) => row === document.activeElement), waits)
    .toBe(true);
  await one.keyboard.press('Alt+g');
  await expect
    .poll(() => competency(one, 'Agreement').evaluate((row) => row === document.activeElement), waits)
    .toBe(true);

  // Digits grade the competency that has the focus, with no passage; 0 leaves it to the passages again.
  await one.keyboard.press('2');
  await competency(one, 'Agreement').getByRole('img', { name: /^2:/ }).waitFor(waits);
  await one.keyboard.press('0');
  await expect.poll(() => competency(one, 'Agreement').getByRole('img').count(), waits).toBe(0);
  await one.keyboard.press('-');
  const agreement = competency(one, 'Agreement').getByRole('group', { name: 'Grade: Agreement' });
  await expect
    .poll(() => agreement.getByRole('button', { name: 'Not shown' }).getAttribute('aria-pressed'), waits)
    .toBe('true');
  await agreement.getByRole('button', { name: 'From passages' }).click();
  await competency(one, 'Agreement').getByText('No grade').waitFor(waits);

  await assess(one, 'You planned it three times', 'Listening', '3', 'canary-of-ben');
  await competency(one, 'Listening').getByText('from 1 passage').waitFor(waits);
  await lines(one).getByText('In progress').waitFor(waits);
  await one.getByText('6 competencies without a grade').first().waitFor(waits);
  await other
    .locator('[data-rail]')
    .getByRole('button', { name: /^Grades/ })
    .click();
  await assess(other, 'You planned it three times', 'Listening', '1', 'canary-of-chen');
  await assess(other, 'a good friend', 'Listening', '1', 'canary-of-chen-too');
  await expectAccessible(other);

  await complete(one, 'canary-comment-of-ben');
  await lines(one).getByText('Completed').waitFor(waits);
  await lines(one).getByRole('button', { name: 'Take back' }).waitFor(waits);
  await one.getByText('canary-comment-of-ben').waitFor(waits);
  await expect.poll(() => one.getByRole('button', { name: /^Add passage/ }).count(), waits).toBe(0);

  // A corrected word is there for all at once, and nothing beside the words can be changed.
  await select(one, 'You planned it three times');
  await one.keyboard.press('Alt+h');
  await select(one, 'Good morning');
  await one.keyboard.type('Good evening');
  await expect.poll(() => other.locator('.ProseMirror').textContent(), waits).toContain('Good evening');
  await openPane(one, 'Bookmarks');
  await one.getByText('No bookmarks yet').waitFor(waits);
  expect(await one.getByRole('button', { name: 'Add here' }).count()).toBe(0);
  await openPane(one, 'Contents');
  await one.getByText('No chapters yet').waitFor(waits);
  expect(await one.getByLabel('New chapter').count()).toBe(0);
  await one.getByRole('tab', { name: 'Tags & Speakers' }).click();
  await one.getByRole('list', { name: 'Tags of the recording' }).getByText('practice').first().waitFor(waits);
  expect(await one.getByLabel('Add a tag').count()).toBe(0);
  expect(await one.getByRole('button', { name: 'Remove practice' }).count()).toBe(0);
  expect(await one.getByRole('textbox', { name: 'Title' }).count()).toBe(0);
  await one.getByRole('tab', { name: 'Transcript' }).click();
  const { doc } = (await stage.person(0).get(`/api/meetings/${review.meetingId}`)).body;
  expect([doc.highlights, doc.toc, doc.bookmarks]).toEqual([[], [], []]);

  // Neither the page nor anything that reached it tells of the other reviewer.
  for (const [page, secret] of [
    [one, /canary[a-z-]*of-chen/],
    [other, /canary[a-z-]*of-ben/],
  ] as const) {
    await page.reload();
    await lines(page).waitFor(waits);
    await page.locator('.ProseMirror > *').first().waitFor(waits);
    expect(await page.content()).not.toMatch(secret);
    expect(await page.bytes()).not.toMatch(secret);
    expect(await lines(page).getByLabel('Shown here').count()).toBe(0);
  }

  for (const pane of ['Agreement', 'People', 'Passages']) expect(await hasPane(one, pane)).toBe(false);

  // The last one completes: now both read both.
  await complete(other, 'canary-comment-of-chen');
  await lines(other).getByText('The review is complete.').waitFor(waits);
  await lines(one).getByText('The review is complete.').waitFor(waits);
  await lines(one)
    .getByLabel('Shown here')
    .selectOption({ label: `Assessment: ${await nameOf(chen, review)}` });
  await one.getByText('canary-of-chen').first().waitFor(waits);
  await one.getByText('canary-comment-of-chen').waitFor(waits);
  expect(await one.getByRole('button', { name: /^Add passage/ }).count()).toBe(0);
  await expectReadable(one);

  // The most disputed competency comes first.
  await one.locator('[data-rail]').getByRole('button', { name: 'Agreement' }).click();
  const figures = one.getByRole('region', { name: 'Agreement' });
  await figures.getByText('read the spread, not the number').waitFor(waits);
  const most = figures.getByRole('list', { name: 'Competencies, most disputed first' }).locator(':scope > li').first();
  await most.getByText('100% of the disagreement').waitFor(waits);
  await most.getByText('Mean difference: 2.00').waitFor(waits);
  await expectReadable(one);

  // Talking of a disputed passage begins a comment on it, which the other reads there.
  await most.getByRole('button', { name: '1 disputed passage' }).click();
  await most.getByRole('button', { name: /^Discuss the passage at/ }).click();
  await expect.poll(() => shownIn(one), waits).toBe('Discussion');
  const begun = one.locator('#new-comment');
  await begun.getByText('a good friend').waitFor(waits);
  await expect.poll(() => drawn(one, 'item-chosen'), waits).toEqual(['a good friend']);
  const field = begun.getByRole('textbox');
  await expect.poll(() => field.evaluate((box) => box === document.activeElement), waits).toBe(true);
  await one.keyboard.type('Is this evidence?');
  await begun.getByRole('button', { name: 'Comment', exact: true }).click();
  await one.locator('[data-comment]').getByText('Is this evidence?').waitFor(waits);
  await expectReadable(one);
  await other.locator('[data-rail]').getByRole('button', { name: 'More' }).click();
  await other.getByRole('button', { name: 'Agreement', exact: true }).click();
  await other.getByRole('button', { name: '1 disputed passage' }).click();
  await other.getByRole('button', { name: /^Discuss the passage at/ }).click();
  await other.locator('[data-comment]').getByText('Is this evidence?').waitFor(waits);

  // The grade agreed on stands beside those that were given, and in the report.
  await one.locator('[data-rail]').getByRole('button', { name: 'Agreed grades' }).click();
  const listens = competency(one, 'Listening');
  await expect
    .poll(() => listens.getByRole('list', { name: 'Grades given' }).getByRole('listitem').count(), waits)
    .toBe(2);
  await listens.getByRole('group', { name: 'Grade: Listening' }).getByRole('button', { name: /^2:/ }).click();
  await expect.poll(() => one.getByLabel('Sending…').count(), waits).toBe(0);
  await expectReadable(one);

  // The report is on paper what it is on the screen, and its passages play.
  await lines(one).getByRole('link', { name: 'Report' }).click();
  await one.getByRole('heading', { name: /^Report: / }).waitFor(waits);
  const listening = one.getByRole('article', { name: 'Listening' });
  await listening.getByRole('img', { name: /^Agreed grade: 2/ }).waitFor(waits);
  await listening.getByText('canary-of-ben').waitFor(waits);
  await one.getByText('canary-comment-of-chen').waitFor(waits);
  await listening
    .getByRole('button', { name: /^Play from/ })
    .first()
    .click();
  await one.getByRole('group', { name: 'Player' }).waitFor(waits);
  await expectReadable(one);
  for (const [name, kind] of [
    ['Word document', 'docx'],
    ['PDF', 'pdf'],
  ] as const) {
    const [file] = await Promise.all([one.waitForEvent('download'), one.getByRole('button', { name }).click()]);
    expect(file.suggestedFilename()).toMatch(new RegExp(`^Report .*\\.${kind}$`));
  }
  await one.emulateMedia({ media: 'print' });
  expect(await one.getByRole('button', { name: 'Print' }).isVisible()).toBe(false);
  expect(await one.getByRole('banner').isVisible()).toBe(false);
  expect(await listening.getByText('canary-of-ben').isVisible()).toBe(true);
  await one.emulateMedia({ media: 'screen' });
  await other.goto(`${pathOf(review)}/report`);
  await other.getByRole('article', { name: 'Listening' }).waitFor(waits);
  await expectReadable(other);
  for (const page of [one, other]) {
    await page.getByRole('link', { name: 'To the assessment view' }).click();
    await page.locator('.ProseMirror > *').first().waitFor(waits);
  }
  await lines(one)
    .getByLabel('Shown here')
    .selectOption({ label: `Assessment: ${await nameOf(chen, review)}` });
  await one.getByText('canary-of-chen').first().waitFor(waits);

  // Taking back closes the assessments of others again.
  await lines(other).getByRole('button', { name: 'Take back' }).click();
  await dialog(other).getByRole('button', { name: 'Take back' }).click();
  await lines(other).getByText('In progress').waitFor(waits);
  await lines(one).getByText('You assess on your own.').waitFor(waits);
  await one.getByText('canary-of-ben').first().waitFor(waits);
  expect(await one.content()).not.toContain('canary-of-chen');
  await one.goto(`${pathOf(review)}/report`);
  await one.getByRole('heading', { name: 'No report yet' }).waitFor(waits);
  expect(await one.content()).not.toContain('canary-of-chen');
}, 300_000);

const nameOf = async (person: Person, review: ReviewView): Promise<string> =>
  (await seenBy(person, review)).reviewers.find(({ isMe }) => isMe)?.name ?? '';

it('who has no part asks for access, an owner joins, and a deleted review looks like none', async () => {
  const [ann, ben, chen] = [stage.person(0), stage.person(1), stage.person(2)];
  const review = await ask({ policy: 'student', student: chen, roles: [[ben, 'required']] });

  // Mentors wait for the self-assessment.
  const page = await stage.desk.seat(ben);
  await page.goto(pathOf(review));
  await page.getByRole('heading', { name: 'The self-assessment comes first' }).waitFor(waits);
  await expectReadable(page);

  const student = await open(chen, pathOf(review), { width: 'phone' });
  await lines(student).getByText('You assess your own recording first.').waitFor(waits);
  await setStatus(chen, review, 'complete');
  await page.reload();
  await lines(page).getByText('You assess on your own.').waitFor(waits);

  expect((await ann.delete(`/api/meetings/${review.meetingId}/reviews/${review.id}`)).status).toBe(204);
  const none = page.getByRole('heading', { name: /^No permissions for this assessment/ });
  await none.waitFor(waits);
  await page.getByRole('button', { name: 'Request access' }).click();
  await page.getByText('If there is such a review,').waitFor(waits);
  await expectReadable(page);

  const led = await ask({ roles: [[chen, 'required']] });
  const shared = await ann.post(`/api/meetings/${led.meetingId}/reviews/${led.id}/join`, {});
  expect(shared.status, shared.text).toBe(200);
  const joined = await open(ann, pathOf(led));
  await lines(joined).getByText('You assess on your own.').waitFor(waits);
  await joined.getByRole('link', { name: 'Back to the recording' }).waitFor(waits);
}, 300_000);

it('a supervisor sees how far people are and what they marked, and the leader publishes on the same page', async () => {
  const [ann, ben, chen, dana] = stage.people as [Person, Person, Person, Person];
  const review = await ask({
    roles: [
      [ben, 'required'],
      [chen, 'supervisor'],
      [dana, 'optional'],
    ],
  });
  const { cloneId } = await seenBy(ben, review);
  const outcome = { type: 'listening', start: 10, end: 12, grade: 2 };
  expect((await ben.post(`/api/meetings/${cloneId}/outcomes`, { outcome })).status).toBe(200);

  const page = await open(chen, pathOf(review), { width: 'phone' });
  // The little room of a phone's header is for the name of the recording.
  await page.locator('header').getByText('Practice session: asking for a decision', { exact: true }).waitFor(waits);
  await openPane(page, 'People');
  const people = page.getByRole('list', { name: 'People' });
  const row = people.getByRole('listitem').filter({ hasText: 'must assess' });
  await row.getByText('1 passage, 1 graded').waitFor(waits);
  await row.getByText('In progress').waitFor(waits);
  await expectAccessible(page);
  await expectReadable(page);
  await openPane(page, 'Passages');
  await page.getByRole('rowheader', { name: 'Listening' }).waitFor(waits);
  // A phone shows one assessment at a time.
  await page.getByLabel('Column').selectOption({ label: 'Ben Test' });
  await page.getByRole('button', { name: /1 passage/ }).press('Enter');
  await page.getByRole('button', { name: /^Play from \d/ }).waitFor(waits);
  await expectReadable(page);

  // Figures move on the open page while people grade.
  await openPane(page, 'Agreement');
  const most = page.getByRole('list', { name: 'Competencies, most disputed first' }).locator(':scope > li');
  const listening = most.filter({ has: page.getByText('Listening', { exact: true }) });
  await listening.waitFor(waits);
  expect(await page.getByText(/^Mean difference/).count()).toBe(0);
  await page.evaluate(() => Object.assign(window, { stays: true }));
  const danas = (await seenBy(dana, review)).cloneId;
  for (const [grade, difference] of [
    [4, '2.00'],
    [3, '1.00'],
  ] as const) {
    const graded = await dana.put(`/api/meetings/${danas}/grades/listening`, { grade });
    expect(graded.status, graded.text).toBe(200);
    await listening.getByText(`Mean difference: ${difference}`).waitFor(waits);
  }
  expect(await page.evaluate(() => 'stays' in window)).toBe(true);
  await expectReadable(page);

  const leader = await open(ann, pathOf(review));
  await openPane(leader, 'People');
  await leader.getByRole('list', { name: 'People' }).getByText('In progress').first().waitFor(waits);
  expect(await hasPane(leader, 'Passages')).toBe(false);
  expect(await leader.getByRole('button', { name: 'Publish' }).count()).toBe(0);
  // The open page follows without being loaded again.
  await setStatus(ben, review, 'complete');
  await setStatus(chen, review, 'complete');
  await lines(leader).getByText('The review is complete.').waitFor(waits);
  await competency(leader, 'Listening').waitFor(waits);
  // Nobody who is signed in is asked to sign in.
  await openPane(leader, 'Comments');
  await leader.getByText('You can read the comments here.', { exact: true }).waitFor(waits);
  await openPane(leader, 'People');
  await leader.getByRole('button', { name: 'Publish' }).press('Enter');
  await dialog(leader).getByRole('button', { name: 'Publish' }).press('Enter');
  await lines(leader).getByText('Published', { exact: true }).waitFor(waits);
}, 300_000);

const isFocused = (one: Locator) => one.evaluate((element) => element === document.activeElement);
const focused = async (one: Locator): Promise<void> => {
  await expect.poll(() => isFocused(one), waits).toBe(true);
};

/** Goes to an element by the key Tab. */
async function tabTo(page: Page, to: Locator): Promise<void> {
  await to.waitFor(waits);
  for (let times = 0; times < 300; times += 1) {
    if (await isFocused(to)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`the key Tab does not lead to ${to}`);
}

/** Waits until nothing keeps the dialog from completing. */
const allSaved = async (page: Page): Promise<void> => {
  await expect.poll(() => dialog(page).getByRole('status').count(), waits).toBe(0);
};

it('an assessment is made by keys alone, from the first words to the report', async () => {
  const [ben, chen] = [stage.person(1), stage.person(2)];
  const review = await ask();
  const { cloneId } = await seenBy(chen, review);
  expect((await chen.put(`/api/meetings/${cloneId}/grades/trust`, { grade: 1 })).status).toBe(200);
  await setStatus(chen, review, 'complete');

  const page = await open(ben, pathOf(review));
  await lines(page).getByText('You assess on your own.').waitFor(waits);
  await tabTo(page, page.locator('.ProseMirror'));
  await page.keyboard.press('Control+Home');
  for (let left = 'Good morning'.length; left > 0; left -= 1) await page.keyboard.press('Shift+ArrowRight');
  await expect.poll(() => page.evaluate(() => getSelection()?.toString()), waits).toBe('Good morning');
  await page.keyboard.press('Alt+o');
  await focused(page.getByRole('combobox', { name: 'Outcome type' }));
  await page.keyboard.type('tr');
  await focused(dialog(page).getByRole('button', { name: 'Add', exact: true }));
  await page.keyboard.press('Enter');
  await focused(page.locator('[data-outcome]').filter({ hasText: 'Good morning' }));
  await page.keyboard.press('3');
  await competency(page, 'Trust and safety').getByRole('img', { name: /^3:/ }).first().waitFor(waits);
  await page.keyboard.press('Alt+g');
  await focused(competency(page, 'Ethical practice'));
  await page.keyboard.press('2');
  await competency(page, 'Ethical practice').getByRole('img', { name: /^2:/ }).waitFor(waits);

  await tabTo(page, lines(page).getByRole('button', { name: 'Complete', exact: true }));
  await page.keyboard.press('Enter');
  await dialog(page).getByText('5 competencies without a grade:').waitFor(waits);
  const send = dialog(page).getByRole('button', { name: 'Complete', exact: true });
  await allSaved(page);
  await tabTo(page, send);
  await page.keyboard.press('Enter');
  await lines(page).getByText('The review is complete.').waitFor(waits);

  await tabTo(page, page.locator('[data-rail]').getByRole('button', { name: 'Agreement' }));
  await page.keyboard.press('Enter');
  const figures = page.getByRole('region', { name: 'Agreement' });
  await figures.getByText('Mean difference: 2.00').waitFor(waits);
  await tabTo(page, lines(page).getByRole('link', { name: 'Report' }));
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: /^Report: / }).waitFor(waits);
  await page.getByRole('article', { name: 'Trust and safety' }).waitFor(waits);
}, 300_000);

it('who has to listen is told how much is missing, and completes after that', async () => {
  const [ben, chen] = [stage.person(1), stage.person(2)];
  const roles = [[ben, 'required'] as const, [chen, 'optional'] as const];
  const review = await ask({ roles, coverage: 3 });
  const page = await stage.desk.seat(ben);
  await page.clock.install();
  await page.goto(pathOf(review));
  await page.locator('.ProseMirror > *').first().waitFor(waits);
  await lines(page).getByText('Listened to 0% of the recording; 3% needed').waitFor(waits);
  const completing = lines(page).getByRole('button', { name: 'Complete', exact: true });
  const send = dialog(page).getByRole('button', { name: 'Complete', exact: true });
  await completing.click();
  await dialog(page)
    .getByText(/^About \d+ min of the recording not listened to yet\.$/)
    .waitFor(waits);
  await allSaved(page);
  await send.click();
  await dialog(page).getByText('You have not listened to enough of the recording yet.').waitFor(waits);
  await expectReadable(page);
  await page.keyboard.press('Escape');
  await dialog(page).waitFor({ ...waits, state: 'hidden' });
  expect((await seenBy(ben, review)).mine?.status).not.toBe('complete');

  // The parts that were heard are sent every 15 seconds while the recording plays.
  await page.getByRole('button', { name: 'Play', exact: true }).first().click();
  await expect.poll(async () => (await sound(page)).ms, waits).toBeGreaterThan(8000);
  expect((await sound(page)).playing).toBe(true);
  const enough = lines(page).getByText(/Listened to ([3-9]|\d\d)% of the recording; 3% needed/);
  await hurried(page, 5000, enough.waitFor(waits));
  await page.getByRole('button', { name: 'Pause' }).first().click();
  await completing.click();
  await allSaved(page);
  await send.click();
  await dialog(page).waitFor({ ...waits, state: 'hidden' });
  await lines(page).getByText('The review is complete.').waitFor(waits);
  expect((await seenBy(ben, review)).mine?.heard).toBeGreaterThanOrEqual(3);
}, 300_000);
