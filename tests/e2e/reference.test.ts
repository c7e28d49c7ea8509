// A review as the reference of another one: chosen when asking, and shown to a reviewer who has completed, by a browser.
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { expectAccessible, expectReadable } from '../support/browser.ts';
import { cutLine, openPane, sound, Stage, waits } from '../support/document-page.ts';
import type { Person } from '../support/people.ts';
import { askFor, seenBy, setStatus } from '../support/reviews.ts';

/** Ann leads, Ben is the expert, Chen learns to assess. */
const stage = new Stage(3, { expected: cutLine });

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

const lines = (page: Page) => page.getByRole('region', { name: 'Assessment', exact: true });

async function mark(person: Person, cloneId: string | null, type: string, grade: number, at: number): Promise<void> {
  const outcome = { type, grade, start: at, end: at + 2 };
  const answer = await person.post(`/api/meetings/${cloneId}/outcomes`, { outcome });
  expect(answer.status, answer.text).toBe(200);
}

it('is chosen among complete reviews, and shows who completes how their assessment differs', async () => {
  const [ann, ben, chen] = stage.people as [Person, Person, Person];
  const meeting = await stage.recording();
  const key = await askFor(ann, meeting, { roles: [[ben, 'required']], outcomeModel: 'coaching' });
  const { cloneId: ofKey } = await seenBy(ben, key);
  for (const [type, grade, at] of [
    ['listening', 3, 1],
    ['listening', 3, 20],
    ['trust', 2, 9],
  ] as const)
    await mark(ben, ofKey, type, grade, at);
  await setStatus(ben, key, 'complete');

  const page = await stage.open(0, meeting);
  await openPane(page, 'Reviews');
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('button', { name: 'Ask for a review' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Ask for a review' });
  const people = dialog.getByRole('combobox', { name: 'Add people', exact: true });
  await people.fill(chen.email);
  await page.getByRole('option').filter({ hasText: chen.email }).first().waitFor(waits);
  await people.press('Enter');
  await dialog.getByText('More settings').click();
  const reference = dialog.getByLabel('Reference');
  await reference.selectOption({ index: 1 });
  expect(await reference.locator('option:checked').innerText()).toContain('Ben Test');
  const competencies = dialog.getByLabel('Competencies and outcomes');
  expect(await competencies.locator('option:checked').innerText()).toBe('Those of the reference');
  await expectReadable(page);
  await shoot(page, 'reference-request');
  // People who took part in it know it.
  await people.fill(ben.email);
  await page.getByRole('option').filter({ hasText: ben.email }).first().waitFor(waits);
  await people.press('Enter');
  await dialog.getByRole('button', { name: 'Ask for a review' }).click();
  await dialog
    .getByRole('alert')
    .getByText('Who takes part in the reference review cannot assess here.')
    .waitFor(waits);
  await dialog.getByRole('button', { name: 'Remove Ben Test' }).click();
  await dialog.getByRole('button', { name: 'Ask for a review' }).click();
  await dialog.waitFor({ state: 'hidden', ...waits });
  const [asked] = (await ann.get(`/api/meetings/${meeting}/reviews`)).body.reviews;
  expect(asked).toMatchObject({ keyed: true, outcomeModel: 'coaching' });

  const { cloneId } = await seenBy(chen, asked);
  await mark(chen, cloneId, 'listening', 1, 1);
  await mark(chen, cloneId, 'trust', 2, 30);
  const learner = await stage.desk.seat(chen, { width: 'phone' });
  await learner.goto(`/meeting/${meeting}/peer/${asked.id}`);
  await lines(learner)
    .getByText('When you complete, you see how your assessment differs from a reference')
    .waitFor(waits);
  await lines(learner).getByRole('button', { name: 'Complete', exact: true }).click();
  const completing = learner.getByRole('dialog');
  await completing.getByText('You can’t take it back').waitFor(waits);
  await shoot(learner, 'reference-completing');
  await completing.getByRole('button', { name: 'Complete', exact: true }).click();

  // The pane opens by itself: figures, then each competency with what was found and missed.
  const pane = learner.getByRole('region', { name: 'Reference' });
  await pane.getByText('1.0 steps lower').waitFor(waits);
  await pane.getByText('1 of 3').waitFor(waits);
  const listening = pane.getByRole('listitem').filter({ hasText: 'Listening' });
  await listening.getByText('2 steps lower').waitFor(waits);
  await listening.getByRole('button', { name: '1 of 2 passages found' }).click();
  await listening.getByText('missed').waitFor(waits);
  await listening.getByText('found', { exact: true }).waitFor(waits);
  await pane.getByText('1 passage that the reference does not have').waitFor(waits);
  await shoot(learner, 'reference-pane');
  await expectAccessible(learner);
  await expectReadable(learner);
  await listening.getByRole('listitem').filter({ hasText: 'missed' }).getByRole('button').click();
  await expect.poll(async () => (await sound(learner)).ms, waits).toBeGreaterThan(15_000);
  await lines(learner).getByText('The review is complete.').waitFor(waits);
  expect(await lines(learner).getByRole('button', { name: 'Take back' }).count()).toBe(0);
});
