// Sets of outcome types that people make: made on a page of their own, chosen for a recording, and read by others there.
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { expectAccessible, expectReadable } from '../support/browser.ts';
import { chooseTypes, cutLine, drawn, select, Stage, waits } from '../support/document-page.ts';
import { indexAll } from '../support/finding.ts';
import { makeSet } from '../support/outcome-models.ts';

async function remove(page: Page, name: string): Promise<void> {
  await page
    .getByRole('button', { name: `Delete “${name}”` })
    .first()
    .click();
  const dialog = page.getByRole('dialog', { name: `Delete “${name}”?` });
  await dialog.waitFor(waits);
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
}

/** Ann owns the recording, Ben reads it. */
const stage = new Stage(2, { expected: cutLine });

it('a set is made, chosen for a recording, and its types are picked and graded there', async () => {
  const page = await stage.desk.seat(stage.person(0));
  await page.goto('/outcome-types');
  await page.getByRole('heading', { name: 'No outcome types of your own yet' }).waitFor(waits);
  await expectAccessible(page);
  await page.getByRole('link', { name: 'New set' }).click();
  await page.getByLabel('Name of the set').fill('Service desk');
  const first = page.getByRole('group', { name: 'Type 1' });
  await first.getByLabel('Name', { exact: true }).fill('Greeting');
  await first.getByLabel('Description').fill('Says who speaks.');
  await first.getByRole('button', { name: 'Add grade' }).click();
  await first.getByLabel('Word').fill('Warm');
  await first.getByLabel('Number').fill('one');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Save' }).click();
  // An error names the type, above the form and at the field.
  await page.getByText('Type 1: Enter a whole number between 0 and 100.').first().waitFor(waits);
  await first.getByLabel('Number').fill('3');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('1 type · Only you').waitFor(waits);

  const meeting = await stage.recording();
  const ann = await stage.open(0, meeting);
  await ann.getByRole('button', { name: /^Outcomes/ }).click();
  await chooseTypes(ann, 'Service desk');
  await ann.getByRole('heading', { name: 'Service desk' }).waitFor(waits);
  await select(ann, 'You planned it three times');
  await ann.keyboard.press('Alt+o');
  const option = ann.getByRole('listbox', { name: 'Service desk' }).getByRole('option', { name: /Greeting/ });
  await option.waitFor(waits);
  expect(await option.getAttribute('title')).toBe('Says who speaks.');
  await ann.keyboard.press('1');
  const add = ann.getByRole('dialog').getByRole('button', { name: 'Add', exact: true });
  await add.click(waits);
  const card = ann.locator('[data-outcome]').filter({ hasText: 'You planned it' });
  await card.getByText('Greeting').waitFor(waits);
  await card.getByRole('button', { name: /Warm/ }).click(waits);
  await card.getByRole('img', { name: 'Warm' }).waitFor(waits);

  const ben = await stage.open(1, meeting);
  await ben.getByRole('button', { name: /^Outcomes/ }).click();
  await ben.locator('[data-outcome]').filter({ hasText: 'You planned it' }).getByText('Greeting').waitFor(waits);

  await remove(page, 'Service desk');
  await page.getByRole('alert').getByText('“Service desk” is used by recordings or reviews').waitFor(waits);
  await page.getByRole('listitem').filter({ hasText: 'Service desk' }).waitFor(waits);
});

it('types of a set that is named or changed while a page is open have their words, grades and colour there', async () => {
  const [ann, meeting] = [stage.person(0), await stage.recording()];
  const made = await makeSet(ann, { name: 'Help desk' });
  const ben = await stage.open(1, meeting);
  await ben.getByRole('button', { name: /^Outcomes/ }).click();
  let asked = 0;
  ben.on('request', (request) => (asked += request.url().endsWith(`/${meeting}/outcome-models`) ? 1 : 0));

  await ann.post(`/api/meetings/${meeting}/outcome-models`, { id: made.id });
  const { doc } = (await ann.get(`/api/meetings/${meeting}`)).body;
  const [word] = doc.transcript.segments[1].words;
  const give = async (outcome: object) => {
    const given = { start: word.f, end: word.t, text: '', ...outcome };
    const { status, text } = await ann.post(`/api/meetings/${meeting}/outcomes`, { outcome: given });
    expect(status, text).toBe(200);
  };
  await give({ type: made.types[0]?.id, grade: 3 });
  const card = ben.locator('[data-outcome]').filter({ hasText: 'Greeting' });
  await card.getByRole('img', { name: 'Warm' }).waitFor(waits);
  expect(await card.locator('[data-look]').first().getAttribute('data-look')).toBe('2');
  await expect.poll(async () => (await drawn(ben, 'outcome-2')).length, waits).toBe(1);

  const types = made.types.map(({ id, name, color, grades }) => ({ id, name, color, grades }));
  const changed = await ann.put(`/api/outcome-models/${made.id}`, {
    ...{ name: made.name, language: made.language, rev: made.rev },
    types: [...types, { name: 'Farewell', color: 2 }],
  });
  expect(changed.status, changed.text).toBe(200);
  const farewell = changed.body.model.types.find(({ name }: { name: string }) => name === 'Farewell');
  await give({ type: farewell.id });
  await ben.locator('[data-outcome]').filter({ hasText: 'Farewell' }).waitFor(waits);
  await give({ type: farewell.id });
  await expect.poll(() => ben.locator('[data-outcome]').filter({ hasText: 'Farewell' }).count(), waits).toBe(2);
  // Once for each type that was not known.
  expect(asked).toBe(2);

  // A page of its own knows no set: the names are in the answers.
  await indexAll(stage.house);
  const id = made.types[0]?.id ?? '';
  const filters = JSON.stringify({ outcomeType: [id], outcome: { type: id, above: 1 } });
  await ben.goto(`/find?filters=${encodeURIComponent(filters)}`);
  const chips = ben.getByRole('group', { name: 'Chosen filters' });
  for (const name of ['Greeting', 'Greeting: above Not yet'])
    await chips.getByRole('button', { name: `Remove ${name}`, exact: true }).waitFor(waits);
  await ben.getByText('Greeting: 3', { exact: true }).waitFor(waits);
});

it('a set is exported and imported, and a file that is none is refused, on a phone', async () => {
  // Tests of this file share their people: the name tells the sets apart.
  await makeSet(stage.person(0), { name: 'Front desk' });
  const page = await stage.desk.seat(stage.person(0), { width: 'phone' });
  await page.goto('/outcome-types');
  const exported = page.getByRole('button', { name: 'Export “Front desk”' });
  await exported.waitFor(waits);
  await expectReadable(page);
  const [download] = await Promise.all([page.waitForEvent('download'), exported.click()]);
  const file = await readFile(await download.path());
  const give = (content: string | Buffer) =>
    page
      .locator('input[type=file]')
      .setInputFiles({ name: 'set.json', mimeType: 'application/json', buffer: Buffer.from(content) });
  await give('no json');
  await page.getByRole('alert').getByText('This file is no export of outcome types.').waitFor(waits);
  await give(JSON.stringify({ ...JSON.parse(file.toString()), types: [{ name: 'A' }, { name: 'a' }] }));
  await page.getByRole('alert').getByText('Type 2: There are two of the same.').waitFor(waits);
  await give(file);
  await expect.poll(() => page.getByRole('listitem').filter({ hasText: 'Front desk' }).count(), waits).toBe(2);
  await remove(page, 'Front desk');
  await expect.poll(() => page.getByRole('listitem').filter({ hasText: 'Front desk' }).count(), waits).toBe(1);
  await expectReadable(page);
  await page.getByRole('link', { name: 'Edit', exact: true }).first().click();
  await page.getByRole('region', { name: 'Preview' }).waitFor(waits);
  await expectReadable(page);
});
