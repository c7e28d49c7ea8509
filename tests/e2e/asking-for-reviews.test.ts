// Asking for a review and following it, from the recording's page: who reads what is said before, states follow what
// reviewers do, and who leads publishes and reads the assessments side by side.
import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { expectAccessible, expectReadable, widths } from '../support/browser.ts';
import { cutLine, openPane, select, sound, Stage, waits } from '../support/document-page.ts';
import type { Person } from '../support/people.ts';
import { askFor, seenBy, setStatus } from '../support/reviews.ts';

const stage = new Stage(5, { expected: cutLine });

const shots = process.env['SHOTS'];
const shoot = async (page: Page, name: string) => {
  if (!shots) return;
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.waitForTimeout(300);
    await page.screenshot({ path: `${shots}/${name}-${colorScheme}.png` });
  }
  await page.emulateMedia({ colorScheme: 'light' });
};

const dialogOf = (page: Page, name = 'Ask for a review') => page.getByRole('dialog', { name });
const find = async (page: Page, label: string, { email }: Person) => {
  const field = page.getByRole('combobox', { name: label, exact: true });
  await field.fill(email);
  await page.getByRole('option').filter({ hasText: email }).first().waitFor(waits);
  await field.press('Enter');
};
const outcome = async (person: Person, cloneId: string | null, type: string, grade: number, at: number) => {
  const passage = { start: at, end: at + 2, type, grade };
  const answer = await person.post(`/api/meetings/${cloneId}/outcomes`, { outcome: passage });
  expect(answer.status, answer.text).toBe(200);
};

/** Opens what the newest mail to a person leads to: the assessment view of a review. */
async function openFromMail(person: Person): Promise<Page> {
  const [mail] = await stage.house.mails(person.email);
  const link = /https?:\/\/\S+\/peer\/\S+/.exec(mail?.text ?? '')?.[0] ?? '';
  const page = await stage.desk.seat(person);
  await page.goto(new URL(link).pathname);
  await page.locator('.ProseMirror > *').first().waitFor(waits);
  return page;
}

it('a strict review: asked for, completed by three, read side by side, published, and reported', async () => {
  const [ann, ben, chen, dana, emil] = stage.people as [Person, Person, Person, Person, Person];
  const meeting = await stage.recording();
  const page = await stage.open(0, meeting);
  await openPane(page, 'Reviews');
  await page.getByText('No reviews yet').waitFor(waits);
  await expectReadable(page);

  // Missing people are named at their field; entries outlast the dialog.
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('button', { name: 'Ask for a review' }).first().click();
  const dialog = dialogOf(page);
  await dialog.getByText('Up to 10 people, and 3 more who oversee.').waitFor(waits);
  await dialog.getByRole('button', { name: 'Ask for a review' }).click();
  await dialog.getByRole('alert').getByText('Add at least one person who assesses.').waitFor(waits);
  await find(page, 'Add people', ben);
  await find(page, 'Add people', chen);
  await find(page, 'Add people', emil);
  await dialog.getByLabel('Part of Chen Test').selectOption('may assess');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden', ...waits });
  await page.getByRole('region', { name: 'Reviews' }).getByRole('button', { name: 'Ask for a review' }).waitFor(waits);
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('button', { name: 'Ask for a review' }).first().click();
  await dialog.getByLabel('Part of Chen Test').waitFor(waits);
  await find(page, 'Person assessed', dana);
  const phases = dialog.getByRole('table');
  await expect.poll(() => phases.count(), waits).toBe(3);
  expect(await phases.nth(0).getByRole('row').nth(1).innerText()).toMatch(/own assessment\s+own assessment only/);
  expect(await phases.nth(0).getByRole('row').filter({ hasText: '(you)' }).innerText()).toMatch(/the transcript/);
  expect(await phases.nth(2).getByRole('row').filter({ hasText: 'Dana Test' }).innerText()).toMatch(/all assessments/);
  await dialog.getByLabel('Due by').fill('2020-01-01');
  await dialog.getByRole('button', { name: 'Ask for a review' }).click();
  await dialog.getByRole('alert').getByText('Choose today or a later day.').waitFor(waits);
  await dialog.getByLabel('Due by').fill('2090-05-04');
  await dialog.getByText('More settings').click();
  await dialog.getByLabel('Competencies and outcomes').selectOption('Competencies and grades');
  await expectReadable(page);
  await shoot(page, 'request');
  await dialog.getByRole('button', { name: 'Ask for a review' }).click();
  await dialog.waitFor({ state: 'hidden', ...waits });

  const card = page.getByRole('article', { name: 'Strict: each alone' });
  await card.getByText('0 of 3 people have completed').waitFor(waits);
  const [asked] = (await ann.get(`/api/meetings/${meeting}/reviews`)).body.reviews;
  expect(asked).toMatchObject({ policy: 'strict', due: '2090-05-04', outcomeModel: 'coaching' });

  // Two correct the text at once, as their mails lead them there.
  const [bens, emils] = [await openFromMail(ben), await openFromMail(emil)];
  await select(bens, 'Good morning');
  await select(emils, 'a good friend');
  await Promise.all([bens.keyboard.type('Good evening'), emils.keyboard.type('a true friend')]);
  for (const peer of [bens, emils, page])
    for (const words of ['Good evening', 'a true friend'])
      await expect.poll(() => peer.locator('.ProseMirror').textContent(), waits).toContain(words);

  // All assess; the card follows.
  for (const [person, grade] of [
    [ben, 3],
    [chen, 1],
    [emil, 2],
  ] as const) {
    const { cloneId } = await seenBy(person, asked);
    await outcome(person, cloneId, 'listening', grade, 1);
    if (person === ben) await outcome(person, cloneId, 'trust', 2, 9);
  }
  await card.getByText('In progress').nth(3).waitFor(waits);
  for (const person of [chen, ben, emil]) await setStatus(person, asked, 'complete');
  await card.getByText('3 of 3 people have completed').waitFor(waits);
  await card.getByRole('button', { name: 'Show assessments' }).click();
  const table = card.getByRole('table');
  await table.waitFor(waits);
  const heads = (await table.getByRole('columnheader').allInnerTexts()).slice(1);
  expect(heads.toSorted()).toEqual(['Ben Test', 'Chen Test', 'Emil Test']);
  const listening = table.getByRole('row').filter({ hasText: 'istening' });
  const grades = {
    'Ben Test': '3: mostly\n1 passage',
    'Chen Test': '1: a little\n1 passage',
    'Emil Test': '2: in parts\n1 passage',
  };
  expect(await listening.getByRole('button').allInnerTexts()).toEqual(
    heads.map((name) => grades[name as keyof typeof grades]),
  );
  await expectAccessible(page);
  await shoot(page, 'results');
  const phone = await stage.open(0, meeting, { width: 'phone', scheme: 'dark' });
  await openPane(phone, 'Reviews');
  await phone.getByRole('button', { name: 'Show assessments' }).click();
  const answer = phone.getByRole('article').getByRole('table');
  await answer.waitFor(waits);
  // The answer comes below what is seen, and is brought into sight with its button above it.
  const inSight = (part: Locator) =>
    part.evaluate((one) => {
      const { left, top, width } = one.getBoundingClientRect();
      return one.contains(document.elementFromPoint(left + width / 2, top + 20));
    });
  await expect.poll(() => inSight(answer), waits).toBe(true);
  await expect.poll(() => inSight(phone.getByRole('button', { name: 'Hide assessments' })), waits).toBe(true);
  await expectAccessible(phone);
  // Beside the person's sign, as everyone else's name is.
  const assessed = phone.getByRole('article').getByText('Dana Test is assessed');
  const reviewer = phone.getByRole('list', { name: 'People', exact: true }).getByText('Ben Test');
  expect((await assessed.boundingBox())?.x).toBe((await reviewer.boundingBox())?.x);
  await shoot(phone, 'phone-results');
  await listening.getByRole('button').first().click();
  await card.getByRole('button', { name: 'Play from 0:01' }).click();
  await expect.poll(async () => (await sound(page)).ms, waits).toBeGreaterThan(900);

  // Publishing cannot be undone, so it asks; the person assessed reads then.
  expect((await dana.get(`/api/meetings/${meeting}/reviews/${asked.id}`)).status).toBe(403);
  await card.getByRole('button', { name: 'Publish' }).click();
  const question = page.getByRole('dialog', { name: 'Publish review?' });
  await question.getByText('Dana Test will read the assessments.').waitFor(waits);
  await question.getByRole('button', { name: 'Publish' }).click();
  await card.getByText('Published', { exact: true }).waitFor(waits);
  expect((await seenBy(dana, asked)).phase).toBe('published');
  const danas = await openFromMail(dana);
  await danas.getByRole('region', { name: 'Assessment', exact: true }).getByRole('link', { name: 'Report' }).click();
  await danas.getByRole('heading', { name: /^Report: / }).waitFor(waits);
  const report = danas.getByRole('article', { name: 'Listening' });
  for (const name of ['Ben Test', 'Chen Test', 'Emil Test']) await report.getByText(name).first().waitFor(waits);
  await expectReadable(danas);
});

it('a running review is changed, ended, reopened and deleted; on a phone it is asked for in steps, and changed', async () => {
  const [ann, ben, chen] = stage.people as [Person, Person, Person];
  const meeting = await stage.recording();
  const asked = await askFor(ann, meeting, { policy: 'relaxed', roles: [[ben, 'required']] });
  const page = await stage.open(0, meeting);
  await openPane(page, 'Reviews');
  const card = page.getByRole('article', { name: 'Relaxed: together' });
  const act = async (name: string) => {
    await card.getByRole('button', { name: 'Review actions' }).click();
    await card.getByRole('button', { name, exact: true }).click();
  };
  const agree = async (title: string, name: string) =>
    page.getByRole('dialog', { name: title }).getByRole('button', { name, exact: true }).click();

  await act('Change');
  const dialog = dialogOf(page, 'Change review');
  await find(page, 'Add people', chen);
  await dialog.getByLabel('Due by').fill('2090-01-02');
  await dialog.getByText('Strict: each alone').click();
  await dialog.getByLabel('Listen to at least, in percent').fill('forty');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByRole('alert').getByText('Enter a whole number from 1 to 100.').waitFor(waits);
  await dialog.getByLabel('Listen to at least, in percent').fill('40');
  // Somebody else changes it first: nothing that was entered is lost.
  const meanwhile = await ann.post(`/api/meetings/${meeting}/reviews/${asked.id}`, { rev: 1, due: '2090-12-31' });
  expect(meanwhile.status, meanwhile.text).toBe(200);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('Someone changed this review meanwhile.').waitFor(waits);
  await expectReadable(page);
  await shoot(page, 'change');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'hidden', ...waits });
  expect(await seenBy(ann, asked)).toMatchObject({
    ...{ policy: 'strict', due: '2090-01-02', coverage: 40, reviewers: [{}, {}] },
  });

  const strict = page.getByRole('article', { name: 'Strict: each alone' });
  await strict.getByText('Chen Test').waitFor(waits);
  const { cloneId } = await seenBy(ben, asked);
  await outcome(ben, cloneId, 'trust', 2, 9);
  await strict.getByText('In progress').nth(1).waitFor(waits);
  await strict.getByRole('button', { name: 'Review actions' }).click();
  await strict.getByRole('button', { name: 'End review' }).click();
  await agree('End review?', 'End review');
  await strict.getByText('Complete', { exact: true }).waitFor(waits);
  await strict.getByRole('button', { name: 'Review actions' }).click();
  await strict.getByRole('button', { name: 'Reopen' }).click();
  await agree('Reopen review?', 'Reopen');
  await strict.getByText('Complete', { exact: true }).waitFor({ state: 'hidden', ...waits });
  await strict.getByRole('button', { name: 'Review actions' }).click();
  await strict.getByRole('button', { name: 'Delete review' }).click();
  await page.getByText('All assessments in it are deleted for everyone').waitFor(waits);
  await agree('Delete review?', 'Delete review');
  await page.getByText('No reviews yet').waitFor(waits);

  const phone = await stage.open(0, meeting, { width: 'phone', scheme: 'dark' });
  await openPane(phone, 'Reviews');
  await phone.getByRole('button', { name: 'Ask for a review' }).last().click();
  const steps = dialogOf(phone);
  await steps.getByText('Step 1 of 3').waitFor(waits);
  await steps.getByRole('button', { name: 'Next' }).click();
  await steps.getByRole('alert').waitFor(waits);
  await steps.getByRole('button', { name: 'Add me' }).click();
  await expectAccessible(phone);
  await shoot(phone, 'phone-1');
  await steps.getByRole('button', { name: 'Next' }).click();
  await steps.getByText('Step 2 of 3').waitFor(waits);
  await steps.getByText('Student: self-assessment first').click();
  await steps.getByRole('button', { name: 'Next' }).click();
  await steps.getByRole('alert').getByText('Choose the person assessed.').waitFor(waits);
  await expectAccessible(phone);
  await shoot(phone, 'phone-2');
  await find(phone, 'Person assessed', ben);
  await steps.getByRole('button', { name: 'Next' }).click();
  await steps.getByText('Step 3 of 3').waitFor(waits);
  await steps.getByText('First, during the self-assessment').waitFor(waits);
  // A step begins at its top, however far the one before was scrolled.
  const begins = () =>
    steps
      .getByText('Step 3 of 3')
      .evaluate(
        (line) => line.getBoundingClientRect().top - (line.closest('[role=dialog]')?.getBoundingClientRect().top ?? 0),
      );
  await expect.poll(begins, waits).toBeGreaterThan(0);
  await expectAccessible(phone);
  await shoot(phone, 'phone-3');
  await steps.getByRole('button', { name: 'Ask for a review' }).click();
  const review = phone.getByRole('article', { name: 'Student: self-assessment first' });
  await review.waitFor(waits);
  await expectAccessible(phone);
  await shoot(phone, 'phone-4');

  await review.getByRole('button', { name: 'Review actions' }).click();
  await review.getByRole('button', { name: 'Change', exact: true }).click();
  // In sight before anything is scrolled.
  const save = dialogOf(phone, 'Change review').getByRole('button', { name: 'Save' });
  await expect
    .poll(async () => {
      const box = await save.boundingBox();
      return (box?.y ?? Infinity) + (box?.height ?? 0);
    }, waits)
    .toBeLessThanOrEqual(widths.phone.height);
  await expectAccessible(phone);
  await shoot(phone, 'phone-5');
});
