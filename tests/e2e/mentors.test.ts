// A student adds a recording for a mentor, assesses it first, and reads what the mentor says of it (server/reviews/invited.ts).
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { expectAccessible, expectReadable, type Look } from '../support/browser.ts';
import { cutLine, Stage, waits } from '../support/document-page.ts';
import { processed } from '../support/intake.ts';
import type { Person } from '../support/people.ts';

const stage = new Stage(2, { expected: cutLine });

const lines = (page: Page) => page.getByRole('region', { name: 'Assessment', exact: true });
const dialog = (page: Page) => page.getByRole('dialog');
const competency = (page: Page, name: string) => page.getByRole('listitem', { name, exact: true });
const transcript = 'WEBVTT\n\n1\n00:00:01.000 --> 00:00:04.000\nAnna: What would you like to work on today?\n';

async function mailedLink({ email, get }: Person, subject: RegExp): Promise<string> {
  const mails = (await get(`/api/outbox?to=${encodeURIComponent(email)}`)).body as { subject: string; text: string }[];
  const mail = mails.find((one) => subject.test(one.subject));
  const link = /https?:\/\/\S+\/(?:peer|invitation)\/\S+/.exec(mail?.text ?? '')?.[0] ?? '';
  expect(link, `${mails.map((one) => one.subject).join()} has no ${subject.source}`).not.toBe('');
  return link.replace(new URL(link).origin, '');
}

/** Adds a pasted transcript; the field of the mentor is left as it is where `mentor` is null. */
async function add(page: Page, title: string, mentor: string | null): Promise<void> {
  await dialog(page).getByRole('button', { name: 'Paste or upload a transcript' }).press('Enter');
  await dialog(page).getByLabel('Or paste its text').fill(transcript);
  await dialog(page).getByLabel('Title', { exact: true }).fill(title);
  if (mentor !== null) {
    await dialog(page).getByRole('button', { name: 'Invite a mentor' }).press('Enter');
    await page.keyboard.type('nobody');
    await dialog(page).getByRole('button', { name: 'Next', exact: true }).press('Enter');
    await dialog(page).getByText('Enter the e-mail address of your mentor, or leave this empty.').waitFor(waits);
    await expectAccessible(page);
    await dialog(page).getByRole('textbox', { name: 'Mentor’s e-mail' }).fill(mentor);
  }
  await dialog(page).getByRole('button', { name: 'Next', exact: true }).press('Enter');
  await page.getByText('The transcript is being prepared').waitFor(waits);
}

/** Grades one competency by keyboard, and completes with a comment. */
async function assess(page: Page, grade: string, comment: string): Promise<void> {
  await page.getByRole('button', { name: 'Next without a grade' }).waitFor(waits);
  await page.getByRole('button', { name: 'Next without a grade' }).press('Enter');
  await expect
    .poll(() => competency(page, 'Ethical practice').evaluate((row) => row === document.activeElement), waits)
    .toBe(true);
  await page.keyboard.press(grade);
  await competency(page, 'Ethical practice')
    .getByRole('img', { name: new RegExp(`^${grade}:`) })
    .waitFor(waits);
  await lines(page).getByRole('button', { name: 'Complete', exact: true }).press('Enter');
  await dialog(page).getByRole('textbox', { name: 'Overall comment (optional)' }).fill(comment);
  await dialog(page).getByRole('button', { name: 'Complete', exact: true }).press('Enter');
  await dialog(page).waitFor({ ...waits, state: 'hidden' });
}

async function openAssessment(person: Person, path: string, look: Look = {}): Promise<Page> {
  const page = await stage.desk.seat(person, look);
  await page.goto(path);
  await page.locator('.ProseMirror > *').first().waitFor(waits);
  return page;
}

it('a student and a mentor: invited with the recording, both assess, and both open together', async () => {
  const [student, mentor] = [stage.person(0), stage.person(1)];
  for (const [person, accountType] of [
    [student, 'student'],
    [mentor, 'mentor'],
  ] as const)
    expect((await person.post('/api/principals/me', { accountType })).status).toBe(200);

  const page = await stage.desk.seat(student, { width: 'phone' });
  await page.goto('/upload');
  await add(page, 'First session', mentor.email);
  await dialog(page).getByText(`${mentor.email} is invited as your mentor.`, { exact: false }).waitFor(waits);
  await expectReadable(page);
  await dialog(page).getByRole('button', { name: 'Open recording' }).press('Enter');
  await page.waitForURL('**/meeting/*');
  const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  await processed(student, id);

  const peer = await mailedLink(mentor, /asks you to assess a recording/);
  const other = await stage.desk.seat(mentor);
  await other.goto(peer);
  await other.getByRole('heading', { name: 'The self-assessment comes first' }).waitFor(waits);

  const self = await openAssessment(student, peer, { width: 'phone' });
  await lines(self).getByText('You assess your own recording first.').waitFor(waits);
  await self
    .locator('[data-rail]')
    .getByRole('button', { name: /^Grades/ })
    .click();
  await assess(self, '2', 'I talked too much.');
  await lines(self).getByText('Completed', { exact: true }).waitFor(waits);

  await other.goto(await mailedLink(mentor, /has completed their own assessment/));
  await other.locator('.ProseMirror > *').first().waitFor(waits);
  expect(await other.content()).not.toContain('I talked too much.');
  await assess(other, '3', 'You listened well.');
  for (const [one, grade] of [
    [other, '2'],
    [await openAssessment(student, peer), '3'],
  ] as const) {
    await lines(one).getByText('Published', { exact: true }).waitFor(waits);
    const shown = lines(one).getByLabel('Shown here');
    const label = await shown
      .locator('option')
      .filter({ hasText: /^Assessment: / })
      .first()
      .innerText();
    await shown.selectOption({ label });
    await competency(one, 'Ethical practice')
      .getByRole('img', { name: new RegExp(`^${grade}:`) })
      .waitFor(waits);
    await expectReadable(one);
  }
}, 300_000);

it('a mentor asks for a recording; the person asked adds it by the mail, and it waits for them in their library', async () => {
  const [student, mentor] = [stage.person(0), stage.person(1)];
  const asking = await stage.desk.seat(mentor, { width: 'phone' });
  await asking.goto('/upload');
  await dialog(asking).getByRole('button', { name: 'Ask someone for a recording' }).press('Enter');
  const address = dialog(asking).getByRole('textbox', { name: 'E-mail' });
  await expect.poll(() => address.evaluate((one) => one === document.activeElement), waits).toBe(true);
  await asking.keyboard.type(mentor.email);
  await asking.keyboard.press('Enter');
  await dialog(asking).getByText('This is your own address.').first().waitFor(waits);
  await expectAccessible(asking);
  await expectReadable(asking);
  await address.fill(student.email);
  await address.press('Enter');
  await asking.getByText(`${student.email} was asked for a recording.`).first().waitFor(waits);

  const page = await stage.desk.seat(student);
  await page.goto('/');
  await page.getByText(/asks you for a recording/).waitFor(waits);
  await expectReadable(page);
  await page.goto(await mailedLink(student, /asks you for a recording/));
  await page.waitForURL('**/upload?invite=*');
  const note = dialog(page).getByRole('note');
  await note.getByText(/asks you for a recording. You assess it first/).waitFor(waits);
  expect(await dialog(page).getByRole('button', { name: 'Ask someone for a recording' }).count()).toBe(0);
  await add(page, 'Asked for', null);
  await dialog(page)
    .getByText(/^Assess the recording yourself first/)
    .waitFor(waits);
  await dialog(page).getByRole('button', { name: 'Close' }).last().press('Enter');
  await page
    .getByRole('row', { name: /Asked for/ })
    .getByText('Waiting for me')
    .waitFor(waits);
  expect(await page.getByText(/asks you for a recording/).count()).toBe(0);

  await page.goto('/upload?invite=used');
  await page.getByRole('heading', { name: /no longer|expired|valid/i }).waitFor(waits);
}, 300_000);
