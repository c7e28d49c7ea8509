// Things that reviewers learn of each other beside annotations: what was listened to (assessment: Heard), how others graded a
// passage (Ghost), and, in an anonymous review, no name whatever they do (docs/decisions/132-anonymous-reviewers-are-rows.md).
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { outcomes as outcomesZh } from '#shared/i18n/meetings/zh/outcomes.ts';
import { reviewsZh } from '#shared/i18n/reviews/zh.ts';
import type { ReviewView } from '#shared/reviews.ts';
import { inArchive } from '../support/archives.ts';
import { bytesOf, expectAccessible, expectReadable, hurried, type Look } from '../support/browser.ts';
import { caretBefore, cutLine, hasPane, openPane, select, sound, Stage, waits } from '../support/document-page.ts';
import { pixel } from '../support/files.ts';
import { readPdf } from '../support/pdf.ts';
import type { Person } from '../support/people.ts';
import { makeRecording } from '../support/recording.ts';
import { askFor, seenBy, setStatus } from '../support/reviews.ts';

/** Ann owns and leads; Ben, Chen and Dana assess. */
const stage = new Stage(4, { expected: cutLine });

const pathOf = ({ meetingId, id }: ReviewView) => `/meeting/${meetingId}/peer/${id}`;

async function ask(more: Partial<Parameters<typeof askFor>[2]> = {}): Promise<ReviewView> {
  const [ann, ben, chen] = stage.people as [Person, Person, Person];
  const roles = [[ben, 'required'] as const, [chen, 'required'] as const];
  return askFor(ann, await makeRecording(stage.house, ann), { roles, outcomeModel: 'coaching', ...more });
}

async function open(person: Person, path: string, look: Look = {}): Promise<Page> {
  const page = await stage.desk.seat(person, look);
  await page.goto(path);
  await page.locator('.ProseMirror > *').first().waitFor(waits);
  return page;
}

const good = async (asked: ReturnType<Person['post']>): Promise<void> => {
  const { status, text } = await asked;
  expect(status, text).toBe(200);
};
const linesBelow = (page: Page) =>
  page.evaluate(() => document.querySelector('[data-heard-lines]')?.getAttribute('data-heard-lines') ?? null);
const kept = ({ id }: ReviewView) => stage.house.database.sql`
  select h.shared from listened h join layers l on l.id = h.layer_id where l.review_id = ${id}`;

it.each([
  ['wide', 'light'],
  ['phone', 'dark'],
] as const)(
  'what is played shows once its person wants that, and not before or after: %s, %s',
  async (width, scheme) => {
    const [ben, chen] = [stage.person(1), stage.person(2)];
    const review = await ask({ policy: 'relaxed' });
    const { cloneId } = await seenBy(chen, review);
    const path = `/api/meetings/${review.meetingId}/reviews/${review.id}/listened`;
    // By the first annotation an address that was asked becomes the account, with its name.
    for (const person of [ben, chen]) await graded(person, review, 'trust', 2);
    await good(chen.put(path, { shared: true }));
    await good(chen.put(`/api/meetings/${cloneId}/listened`, { heard: [[1000, 3000]] }));

    const page = await stage.desk.seat(ben, { width, scheme });
    await page.clock.install();
    await page.goto(pathOf(review));
    await page.locator('.ProseMirror > *').first().waitFor(waits);
    await expect.poll(() => linesBelow(page), waits).toBe('1');
    await openPane(page, 'Listened to');
    const people = page.getByRole('list', { name: 'What people listened to' });
    await people.getByText('Chen Test').waitFor(waits);
    expect(await people.getByRole('listitem').count()).toBe(1);
    await page.getByRole('heading', { name: 'Not listened to by anyone' }).waitFor(waits);
    await page.getByText('to 0:01', { exact: true }).waitFor(waits);
    await (scheme === 'dark' ? expectAccessible : expectReadable)(page);

    // Played while it is off: nothing of it leaves the page.
    const sent: string[] = [];
    page.on('request', (request) => request.method() === 'PUT' && sent.push(new URL(request.url()).pathname));
    const play = page.getByRole('button', { name: 'Play', exact: true }).first();
    await play.press('Enter');
    await expect.poll(async () => (await sound(page)).ms, waits).toBeGreaterThan(1000);
    await page.getByRole('button', { name: 'Pause' }).first().press('Enter');
    expect(await kept(review)).toEqual([{ shared: true }]);

    // By keyboard: the switch, then the sound.
    const show = page.getByRole('switch', { name: 'Show what I listen to' });
    await show.focus();
    await page.keyboard.press('Space');
    const own = people.getByRole('listitem').filter({ hasText: 'Ben Test (you)' });
    await own.waitFor(waits);
    // Nor a little later, when the page has looked at the player again.
    expect(sent.filter((one) => /\/meetings\/[^/]+\/listened$/.test(one))).toEqual([]);
    await expect.poll(() => linesBelow(page), waits).toBe('2');
    await play.press('Enter');
    const before = (await sound(page)).ms;
    await expect.poll(async () => (await sound(page)).ms, waits).toBeGreaterThan(before + 2500);
    const answered = page.waitForResponse((answer) => answer.url().endsWith(`/${cloneId}/listened`), waits);
    await hurried(page, 5000, answered);
    await page.getByRole('button', { name: 'Pause' }).first().press('Enter');
    await own.getByText(/^(?!0:0[01])\d+:\d\d of /).waitFor(waits);

    // Others see it, after a reload it is still there, and no part was lost on the way out.
    await page.reload();
    await page.locator('.ProseMirror > *').first().waitFor(waits);
    await openPane(page, 'Listened to');
    await own.getByText(/^(?!0:0[01])\d+:\d\d of /).waitFor(waits);
    const other = await open(chen, pathOf(review));
    await openPane(other, 'Listened to');
    await other.getByRole('list', { name: 'What people listened to' }).getByText('Ben Test').waitFor(waits);

    await show.click();
    await own.waitFor({ state: 'detached', ...waits });
    expect(await kept(review)).toEqual([{ shared: true }]);
  },
  300_000,
);

it('a blind page has the ticks of its own person alone; who leads sees what nobody listened to once it is open', async () => {
  const [ann, ben, chen] = stage.people as [Person, Person, Person];
  const review = await ask();
  const path = `/api/meetings/${review.meetingId}/reviews/${review.id}/listened`;
  for (const [person, heard] of [
    [ben, [0, 1000]],
    [chen, [3000, 5000]],
  ] as const) {
    const { cloneId } = await seenBy(person, review);
    await graded(person, review, 'trust', 2);
    await good(person.put(path, { shared: true }));
    await good(person.put(`/api/meetings/${cloneId}/listened`, { heard: [heard] }));
  }
  const page = await open(ben, pathOf(review));
  await openPane(page, 'Listened to');
  const people = page.getByRole('list', { name: 'What people listened to' });
  await people.getByText('Ben Test (you)').waitFor(waits);
  expect(await people.getByRole('listitem').count()).toBe(1);
  await expect.poll(() => linesBelow(page), waits).toBe('1');
  const leader = await open(ann, pathOf(review));
  expect(await hasPane(leader, 'Listened to')).toBe(false);

  for (const person of [ben, chen]) await setStatus(person, review, 'complete');
  await people.getByText('Chen Test').waitFor(waits);
  await openPane(leader, 'Listened to');
  const all = leader.getByRole('list', { name: 'What people listened to' });
  await expect.poll(() => all.getByRole('listitem').count(), waits).toBe(2);
  const unheard = leader.getByRole('region', { name: 'Not listened to by anyone' });
  await unheard.getByText('to 0:03', { exact: true }).waitFor(waits);
  // Each of them plays.
  await unheard.getByRole('button', { name: 'Play from 0:01' }).press('Enter');
  await expect.poll(async () => (await sound(leader)).ms, waits).toBeGreaterThanOrEqual(1000);
  expect(await leader.getByRole('switch').count()).toBe(0);
  await expectReadable(leader);
}, 300_000);

/** The card beside a passage. */
const ghost = (page: Page) => page.locator('[data-others]');
const graded = async (person: Person, review: ReviewView, type: string, grade: number): Promise<void> => {
  const { cloneId } = await seenBy(person, review);
  await good(person.post(`/api/meetings/${cloneId}/outcomes`, { outcome: { start: 10, end: 12, type, grade } }));
};
/** Text of the first outcome as the page draws it. */
async function passage(page: Page): Promise<string> {
  const first = () =>
    page.evaluate(() => {
      const drawn = [...CSS.highlights].find(([name, { size }]) => name.startsWith('outcome-') && size > 0);
      return drawn ? String([...drawn[1]][0] as Range) : '';
    });
  await expect.poll(first, waits).not.toBe('');
  return first();
}
/** Rests the pointer on the first outcome. */
async function hover(page: Page): Promise<void> {
  const [x, y] = await page.evaluate(() => {
    const drawn = [...CSS.highlights].find(([name, { size }]) => name.startsWith('outcome-') && size > 0);
    const range = [...(drawn?.[1] ?? [])][0] as Range;
    range.startContainer.parentElement?.scrollIntoView({ block: 'center' });
    const { left, top, height } = range.getClientRects()[0] ?? new DOMRect();
    return [left + 12, top + height / 2] as const;
  });
  await page.mouse.move(x + 3, y);
  await page.mouse.move(x, y);
}

it('where all assess together, a passage shows how others graded it: to the pointer, the caret and who adds one', async () => {
  const [ben, chen] = [stage.person(1), stage.person(2)];
  const review = await ask({ policy: 'relaxed' });
  await graded(ben, review, 'listening', 3);
  await graded(chen, review, 'trust', 1);
  const page = await open(chen, pathOf(review));
  const words = await passage(page);
  await hover(page);
  await ghost(page)
    .getByText(/^Ben Test: /)
    .waitFor(waits);
  await ghost(page).getByRole('img', { name: /^3:/ }).waitFor(waits);
  expect(await ghost(page).getByText('Chen Test').count()).toBe(0);
  await expectReadable(page);
  await page.keyboard.press('Escape');
  await ghost(page).waitFor({ state: 'detached', ...waits });

  // The caret shows it as well, and typing hides it.
  await page.mouse.move(0, 0);
  await caretBefore(page, words);
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await ghost(page)
    .getByText(/^Ben Test: /)
    .waitFor(waits);
  await page.keyboard.press('Shift');
  await ghost(page).waitFor({ state: 'detached', ...waits });

  // The form of a new outcome there shows it before the choice.
  await select(page, words);
  await page.keyboard.press('Alt+o');
  const adding = page.locator('[data-composing]');
  await adding
    .getByRole('list', { name: 'Others on this passage' })
    .getByText(/^Ben Test: /)
    .waitFor(waits);
  await expectAccessible(page);
  await page.keyboard.press('Escape');
}, 300_000);

it('a phone shows it on the card of one’s own passage', async () => {
  const [ben, chen] = [stage.person(1), stage.person(2)];
  const review = await ask({ policy: 'relaxed' });
  await graded(ben, review, 'listening', 3);
  await graded(chen, review, 'trust', 1);
  const page = await open(chen, pathOf(review), { width: 'phone', scheme: 'dark' });
  await page
    .locator('[data-rail]')
    .getByRole('button', { name: /^Grades/ })
    .click();
  const card = page.locator('[data-competency=trust] [data-outcome]');
  await card.getByRole('button', { expanded: false }).first().click();
  await card
    .getByRole('list', { name: 'Others on this passage' })
    .getByText(/^Ben Test: /)
    .waitFor(waits);
  await expectAccessible(page);
  const theirs = page.locator('[data-competency=listening] [data-outcome]');
  expect(await theirs.getByRole('list', { name: 'Others on this passage' }).count()).toBe(0);
}, 300_000);

it('in a strict review nothing shows, though both graded the same words', async () => {
  const [ben, chen] = [stage.person(1), stage.person(2)];
  const review = await ask();
  await graded(ben, review, 'listening', 3);
  await graded(chen, review, 'trust', 1);
  const page = await stage.desk.seat(chen);
  await page.clock.install();
  await page.goto(pathOf(review));
  await page.locator('.ProseMirror > *').first().waitFor(waits);
  const words = await passage(page);
  await hover(page);
  await page.clock.runFor(1000);
  expect(await ghost(page).count()).toBe(0);
  await select(page, words);
  await page.keyboard.press('Alt+o');
  await page.locator('[data-composing]').waitFor(waits);
  expect(await page.getByRole('list', { name: 'Others on this passage' }).count()).toBe(0);
  expect(await page.content()).not.toContain('Ben Test');
}, 300_000);

it('the header and the report are in Chinese for who reads Chinese: as a page, a Word document and a PDF', async () => {
  const [ben, chen] = [stage.person(1), stage.person(2)];
  const review = await ask();
  await graded(ben, review, 'listening', 3);
  for (const person of [ben, chen]) await setStatus(person, review, 'complete');
  await good(chen.post('/api/principals/me', { language: 'zh' }));
  try {
    const page = await stage.desk.seat(chen, { locale: 'zh', width: 'phone' });
    await page.goto(pathOf(review));
    const { report, assessment } = reviewsZh;
    // No space separates Chinese sentences; the name of who asked is in the second one.
    const header = page.getByRole('region', { name: assessment.lines });
    await header.getByText('发起人：').waitFor(waits);
    expect(await header.innerText()).toMatch(/。发起人：/);
    await page.goto(`${pathOf(review)}/report`);
    await page
      .getByRole('heading', { name: new RegExp(`^${report.title}`) })
      .first()
      .waitFor(waits);
    await page.getByRole('article', { name: outcomesZh.types.listening }).waitFor(waits);
    await expectReadable(page);
    for (const name of [report.word, report.pdf]) {
      const [file] = await Promise.all([
        page.waitForEvent('download', waits),
        page.getByRole('button', { name }).click(),
      ]);
      const bytes = await bytesOf(file);
      const text =
        name === report.pdf
          ? readPdf(bytes).pages.join('')
          : await inArchive(bytes, async (zip) => (await zip.readWhole('word/document.xml', 1e7)).toString());
      expect(text.replaceAll(/\s/g, '')).toContain(outcomesZh.types.listening);
      expect(text).not.toContain('Listening');
    }
  } finally {
    await good(chen.post('/api/principals/me', { language: 'en' }));
  }
}, 300_000);

it('in an anonymous review a comment is resolved and a file attached, and no name is told', async () => {
  const [ben, chen, dana] = [stage.person(1), stage.person(2), stage.person(3)];
  const roles = [[ben, 'required'] as const, [chen, 'required'] as const, [dana, 'supervisor'] as const];
  const review = await ask({ roles, anonymous: true });
  for (const person of [ben, chen, dana]) await setStatus(person, review, 'complete');
  const bens = await open(ben, pathOf(review));
  const received: Promise<string>[] = [];
  const chens = await stage.desk.seat(chen, { width: 'phone' });
  chens.on('response', (answer) => void received.push(answer.text().catch(() => '')));
  chens.on('websocket', (socket) =>
    socket.on('framereceived', ({ payload }) => void received.push(Promise.resolve(payload.toString()))),
  );
  await chens.goto(pathOf(review));
  await chens.locator('.ProseMirror > *').first().waitFor(waits);
  for (const page of [bens, chens]) await page.getByLabel('Shown here').selectOption({ label: 'Discussion' });

  await select(bens, 'a good friend');
  await bens.keyboard.press('Alt+m');
  await bens.locator('#new-comment').getByRole('textbox').waitFor(waits);
  await bens.keyboard.type('Whose friend is it?');
  await bens.locator('#new-comment').getByRole('button', { name: 'Comment', exact: true }).click();
  const thread = (page: Page) => page.locator('[data-comment]').filter({ hasText: 'Whose friend is it?' }).first();
  await thread(bens)
    .locator('input[type=file]')
    .setInputFiles({ name: 'Slides.png', mimeType: 'image/png', buffer: pixel });
  await thread(bens).getByRole('link', { name: 'Slides.png' }).waitFor(waits);

  await openPane(chens, 'Comments');
  await thread(chens).getByRole('link', { name: 'Slides.png' }).waitFor(waits);
  const [file] = await Promise.all([
    chens.waitForEvent('download', waits),
    thread(chens).getByRole('link', { name: 'Slides.png' }).click(),
  ]);
  expect(file.suggestedFilename()).toBe('Slides.png');
  await chens.getByRole('button', { name: 'Resolve' }).click();
  // Each learns by which number, and nobody by which name.
  await bens.getByText(/^Resolved by Reviewer \d$/).waitFor(waits);
  await expectReadable(bens);
  for (const [page, other] of [
    [bens, chen],
    [chens, ben],
  ] as const)
    for (const name of [other.id, other.email, other === chen ? 'Chen Test' : 'Ben Test'])
      expect((await page.content()).includes(name), name).toBe(false);
  const all = (await Promise.all(received)).join('\n');
  expect(all).toContain('Whose friend is it?');
  for (const name of [ben.id, ben.email, 'Ben Test']) expect(all.includes(name), name).toBe(false);

  // A supervisor is told.
  expect((await seenBy(dana, review)).reviewers.map(({ name }) => name).join()).toContain('Chen Test');
}, 300_000);
