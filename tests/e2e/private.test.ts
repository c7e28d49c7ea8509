// A person who adds everything as private, until they publish it.
import type { Locator, Page } from 'playwright-core';
import { beforeEach, expect, it } from 'vitest';
import { roles } from '#shared/roles.ts';
import { expectAccessible, noMicrophone } from '../support/browser.ts';
import { cutLine, select, Stage, waits } from '../support/document-page.ts';
import { share } from '../support/meetings.ts';

beforeEach(({ skip }) => skip(noMicrophone !== undefined, noMicrophone));

/** Ann owns; Ben may comment, and adds everything as private. */
const stage = new Stage(2, { expected: cutLine, records: true });

const pane = (page: Page) => page.locator('aside');
const button = (page: Page, name: string) => pane(page).getByRole('button', { name, exact: true });
const onlyMe = (page: Page) => pane(page).getByLabel('Only me');

/** Shortcuts work only once the annotations have loaded, a moment after the text. */
async function press(page: Page, key: string, then: Locator): Promise<void> {
  await expect
    .poll(async () => {
      await page.keyboard.press(key);
      return then.count();
    }, waits)
    .toBeGreaterThan(0);
}

const said = async (who: number, meeting: string) => {
  const { comments, outcomes } = (await stage.person(who).get(`/api/meetings/${meeting}`)).body.doc;
  return [...comments, ...outcomes].map(({ quote }: { quote: string }) => quote).toSorted();
};

it('an outcome, a comment, a reply and a voice note start private for a person who chose that, and are seen once published', async () => {
  const meeting = await stage.recording();
  const [ann, ben] = [stage.person(0), stage.person(1)];
  await share(stage.house, meeting, ben, [...roles.canComment]);
  const preferences = { hardcorePrivacy: true, showConfirmationPopupForOutcomes: false };
  expect((await ben.post('/api/principals/me', { preferences })).status).toBe(200);
  const asked = { start: 24, end: 26, quote: 'Better than I expected', text: 'Truly?' };
  expect((await ann.post(`/api/meetings/${meeting}/comments`, asked)).status).toBe(200);

  const page = await stage.open(1, meeting);
  await page.context().grantPermissions(['microphone'], { origin: ben.origin });
  // An outcome.
  await select(page, 'always busy');
  await press(page, 'Alt+o', onlyMe(page));
  expect(await onlyMe(page).isChecked()).toBe(true);
  await page.getByRole('combobox', { name: 'Outcome type' }).focus();
  await page.keyboard.press('2');
  await pane(page).locator('[data-outcome]').getByRole('img', { name: 'Only you see this' }).waitFor(waits);
  // A voice note.
  await select(page, 'I open my calender');
  await press(page, 'Alt+v', onlyMe(page));
  expect(await onlyMe(page).isChecked()).toBe(true);
  await pane(page).getByRole('timer').waitFor(waits);
  await expect.poll(() => pane(page).getByRole('timer').textContent(), waits).not.toBe('0:00');
  await button(page, 'Stop').click();
  await pane(page).getByRole('group', { name: 'Your recording' }).waitFor(waits);
  await button(page, 'Add').click();
  // A comment.
  await select(page, 'a good friend');
  await press(page, 'Alt+m', onlyMe(page));
  expect(await onlyMe(page).isChecked()).toBe(true);
  await page.getByRole('textbox', { name: 'Write a comment' }).fill('For me');
  await expectAccessible(page);
  await button(page, 'Comment').click();
  // A reply to a shared comment.
  const talk = pane(page).locator('li').filter({ hasText: 'Truly?' });
  await talk.getByRole('button', { name: 'Reply' }).click();
  expect(await talk.getByLabel('Only me').isChecked()).toBe(true);
  await talk.getByRole('textbox', { name: 'Write a reply' }).fill('It is');
  await talk.getByRole('button', { name: 'Reply' }).click();
  await expect.poll(() => page.getByLabel('Sending…').count(), waits).toBe(0);

  const all = [
    'Better than I expected',
    'Better than I expected',
    'I open my calender',
    'a good friend',
    'always busy',
  ];
  await expect.poll(() => said(1, meeting), waits).toEqual(all);
  expect(await said(0, meeting)).toEqual(['Better than I expected']);
  const other = await stage.open(0, meeting);
  await other.getByRole('button', { name: /^Comments/ }).click();
  await pane(other).getByText('Truly?').waitFor(waits);
  expect(await pane(other).locator('[data-comment]').count()).toBe(1);

  const show = async (where: Locator) => {
    await where.getByRole('button', { name: /^Actions/ }).click();
    await where.getByRole('button', { name: 'Publish', exact: true }).click();
  };
  for (const text of ['For me', 'It is']) await show(pane(page).locator('[data-comment]').filter({ hasText: text }));
  await pane(other).getByText('It is').waitFor(waits);
  await pane(other).getByText('For me').waitFor(waits);
  await page.getByRole('button', { name: /^Outcomes/ }).click();
  for (const text of ['always busy', 'I open my calender'])
    await show(pane(page).locator('[data-outcome]').filter({ hasText: text }));
  await other.getByRole('button', { name: /^Outcomes/ }).click();
  await expect.poll(() => pane(other).locator('[data-outcome]').count(), waits).toBe(2);
  await expect.poll(() => said(0, meeting), waits).toEqual(all);
});

it('annotations that were to be private stay so, whatever is opened before they are sent', async () => {
  const meeting = await stage.recording();
  const [ann, ben] = [stage.person(0), stage.person(1)];
  await share(stage.house, meeting, ben, [...roles.canComment]);
  const asked = { start: 24, end: 26, quote: 'Better than I expected', text: 'Truly?' };
  const { comment } = (await ben.post(`/api/meetings/${meeting}/comments`, asked)).body;
  const page = await stage.open(0, meeting);
  await page.context().grantPermissions(['microphone'], { origin: ann.origin });
  const heading = (name: string) => page.locator('[data-rail]').getByRole('button', { name });
  /** Switches to another pane, and back. */
  const away = async (from: string, to: string) => {
    await heading(to).click();
    await onlyMe(page).waitFor({ state: 'detached' });
    await heading(from).click();
    await onlyMe(page).waitFor(waits);
    expect(await onlyMe(page).isChecked()).toBe(true);
  };
  const field = page.getByRole('textbox', { name: /^Write/ });
  // A comment: set to private before anything is typed, and with words.
  await select(page, 'always busy');
  await press(page, 'Alt+m', onlyMe(page));
  expect(await onlyMe(page).isChecked()).toBe(false);
  await onlyMe(page).check();
  await away('Comments', 'Outcomes');
  await field.fill('For me');
  await away('Comments', 'Outcomes');
  await away('Comments', 'Outcomes');
  await button(page, 'Comment').click();
  // The next one is shared again, as usual.
  await select(page, 'Good morning');
  await press(page, 'Alt+m', onlyMe(page));
  expect(await onlyMe(page).isChecked()).toBe(false);
  await field.press('Escape');
  // A reply, typed and recorded, to a comment that is deleted meanwhile.
  const talk = pane(page).locator('li').filter({ hasText: 'Truly?' });
  await talk.getByRole('button', { name: 'Reply' }).click();
  await onlyMe(page).check();
  await talk.getByRole('button', { name: 'Record your voice' }).click();
  await pane(page).getByRole('timer').waitFor(waits);
  await expect.poll(() => pane(page).getByRole('timer').textContent(), waits).not.toBe('0:00');
  await button(page, 'Stop').click();
  await field.fill('It is not');
  await away('Comments', 'Outcomes');
  await ben.delete(`/api/meetings/${meeting}/comments/${comment.id}`);
  const spoken = pane(page).getByRole('group', { name: 'The comment you replied to was deleted' });
  expect(await spoken.getByLabel('Only me').isChecked()).toBe(true);
  await spoken.getByRole('button', { name: 'Add', exact: true }).click();
  await button(page, 'Add as comment').click();
  await field.waitFor(waits);
  expect(await onlyMe(page).isChecked()).toBe(true);
  await button(page, 'Comment').click();
  // An outcome, and a voice note.
  await select(page, 'I open my calender');
  await press(page, 'Alt+o', onlyMe(page));
  await onlyMe(page).check();
  await away('Outcomes', 'Comments');
  await button(page, 'Cancel').click();
  await select(page, 'a good friend');
  await press(page, 'Alt+v', onlyMe(page));
  await onlyMe(page).check();
  await pane(page).getByRole('timer').waitFor(waits);
  await expect.poll(() => pane(page).getByRole('timer').textContent(), waits).not.toBe('0:00');
  await away('Outcomes', 'Comments');
  await button(page, 'Add').click();
  await expect.poll(() => page.getByLabel('Sending…').count(), waits).toBe(0);
  const own = ['Better than I expected', 'Better than I expected', 'a good friend', 'always busy'];
  await expect.poll(() => said(0, meeting), waits).toEqual(own);
  expect(await said(1, meeting)).toEqual([]);
});
