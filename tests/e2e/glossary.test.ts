// The page of the glossary (client/glossary/): terms of one's own and of a team, added, removed and undone by keyboard.
import { expect, it } from 'vitest';
import { expectAccessible, expectFitting } from '../support/browser.ts';
import { openPane, select, Stage, waits } from '../support/document-page.ts';
import { indexAll, makeSaid } from '../support/finding.ts';
import { makeFolders } from '../support/folders.ts';
import { makeGroup } from '../support/groups.ts';

const stage = new Stage(2);

it('terms are added, removed, and there again after Undo', async () => {
  const [ann, ben] = [stage.person(0), stage.person(1)];
  const team = `Interviews ${ann.id}`;
  const id = await makeGroup(ben, [ann], team);
  await ben.put(`/api/glossaries/group/${id}`, { add: [{ term: 'Dr. Żółć', heard: ['dr zoch'] }] });

  const page = await stage.desk.seat(ann);
  await page.goto('/profile');
  await page.getByRole('link', { name: 'Glossary' }).click();
  const mine = page.getByRole('region', { name: 'Only for you' });
  await mine.getByText('No terms yet.').waitFor();
  await mine.getByRole('button', { name: 'Add' }).click();
  await mine.getByText('Fill in every field.').waitFor();
  await expectAccessible(page);
  await mine.getByLabel('Name or term').fill('Colloquy');
  await mine.getByLabel('Misheard as').fill('colic key, call a key');
  await page.keyboard.press('Enter');
  await mine.getByRole('listitem').filter({ hasText: 'Colloquy' }).waitFor();
  // The next term can be typed at once.
  await expect
    .poll(() => mine.getByLabel('Name or term').evaluate((field) => field === document.activeElement))
    .toBe(true);
  await mine.getByRole('button', { name: 'Remove “call a key” from “Colloquy”' }).press('Enter');
  await expect.poll(() => mine.getByText('call a key').count()).toBe(0);
  await mine.getByRole('button', { name: 'Remove “Colloquy”' }).click();
  await mine.getByText('No terms yet.').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await mine.getByText('colic key').waitFor();

  // Terms of another member are there to read.
  const ours = page.getByRole('region', { name: `Team “${team}”` });
  await ours.getByText('dr zoch').waitFor();
  expect(await ours.getByRole('button', { name: 'Remove “Dr. Żółć”' }).count()).toBe(0);
  await ours.getByLabel('Name or term').fill('Ann-Lee');
  await ours.getByRole('button', { name: 'Add' }).click();
  await ours.getByText('added by Ann').waitFor();

  const phone = await stage.desk.seat(ann, { width: 'phone', scheme: 'dark' });
  await phone.goto('/glossary');
  await phone.getByRole('region', { name: 'Only for you' }).getByText('colic key').waitFor();
  await expectAccessible(phone);
  await expectFitting(phone);
});

it('a name that is corrected once is offered for its other places, and kept for a team', async () => {
  await stage.renew();
  const [ann, ben] = [stage.person(0), stage.person(1)];
  const team = `Interviews ${ann.id}`;
  await makeGroup(ben, [ann], team);
  const page = await stage.open(0, await stage.recording());
  await select(page, 'Thursday');
  await page.keyboard.type('Thorsday');
  const notice = page.getByRole('status').filter({ hasText: '“Thursday” is now “Thorsday” here.' });
  await notice.getByRole('button', { name: 'Replace 2 more' }).click(waits);
  const pane = page.getByRole('search');
  await pane.getByText('1 of 2').waitFor(waits);
  await pane.getByRole('button', { name: 'Replace all' }).click();
  await pane.getByText('2 places replaced').waitFor();
  await pane.getByRole('button', { name: 'Keep in glossary' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Keep in glossary' });
  expect(await dialog.getByLabel('Misheard as').inputValue()).toBe('Thursday');
  await dialog.getByRole('radio', { name: 'Only for you' }).press('ArrowDown');
  expect(await dialog.getByRole('radio', { name: `Team “${team}”` }).isChecked()).toBe(true);
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Keep', exact: true }).click();
  await dialog.waitFor({ state: 'hidden' });
  const { glossaries } = (await ben.get('/api/glossaries')).body;
  expect(glossaries[1].terms).toMatchObject([{ term: 'Thorsday', heard: [{ text: 'Thursday' }] }]);
  // One step of undo for all that was replaced.
  await pane.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(async () => (await page.locator('.ProseMirror').innerText()).split('Thursday').length - 1).toBe(2);

  const phone = await stage.desk.seat(ann, { width: 'phone', scheme: 'dark' });
  await phone.goto(page.url());
  await openPane(phone, '(Find|Search and replace)');
  await phone.getByRole('searchbox', { name: 'Search for' }).fill('Thorsday', waits);
  await phone.getByLabel('Replace with').fill('Thursday');
  await phone.getByRole('button', { name: 'Replace all' }).click();
  await phone.getByRole('button', { name: 'Keep in glossary' }).click();
  await phone.getByRole('dialog', { name: 'Keep in glossary' }).getByRole('radio').first().waitFor();
  await expectAccessible(phone);
  await expectFitting(phone);
});

it('a name that is kept for a folder is replaced in all its recordings, and not in others', async () => {
  await stage.renew();
  const ann = stage.person(0);
  await makeFolders(ann, '/Work');
  const open = await stage.recording();
  const inside = await makeSaid(stage.house, ann, ['See you Thursday.'], { title: 'Inside' });
  const outside = await makeSaid(stage.house, ann, ['See you Thursday.'], { title: 'Outside' });
  for (const id of [open, inside])
    expect((await ann.put(`/api/meetings/${id}/move`, { path: '/Work' })).status).toBe(204);
  const said = async (id: string): Promise<string> =>
    (await ann.get(`/api/meetings/${id}`)).body.doc.transcript.segments
      .map(({ text }: { text: string }) => text)
      .join(' ');
  const page = await stage.open(0, open);
  await select(page, 'Thursday');
  await page.keyboard.type('Thorsday');
  const notice = page.getByRole('status').filter({ hasText: '“Thursday” is now “Thorsday” here.' });
  await notice.getByRole('button', { name: 'Keep in glossary' }).click(waits);
  const keeping = page.getByRole('dialog', { name: 'Keep in glossary' });
  await keeping.getByRole('radio', { name: 'Folder “Work”' }).check(waits);
  await keeping.getByRole('button', { name: 'Keep', exact: true }).click();
  const link = page.getByRole('link', { name: 'Replace in other recordings' });
  // A notice stays as long as the pointer is on it.
  await link.hover(waits);
  await expect.poll(() => said(open), waits).toContain('Thorsday');
  await indexAll(stage.house);
  await link.click();
  const fixing = page.getByRole('dialog', { name: 'Replace words everywhere' });
  await fixing.getByText('3 of 3 chosen').waitFor(waits);
  expect(await fixing.getByLabel('Replace with').inputValue()).toBe('Thorsday');
  await expectAccessible(page);
  await fixing.getByRole('button', { name: 'Replace in 3 places' }).click();
  await fixing.waitFor({ state: 'detached', ...waits });
  // A reload does not ask again.
  await expect.poll(() => new URL(page.url()).searchParams.get('fix'), waits).toBe(null);
  expect(await said(inside)).toBe('See you Thorsday.');
  expect(await said(open)).not.toContain('Thursday');
  expect(await said(outside)).toBe('See you Thursday.');
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(() => said(inside), waits).toBe('See you Thursday.');

  // The entry itself is undone from the list, too.
  const phone = await stage.desk.seat(ann, { width: 'phone', scheme: 'dark' });
  await phone.goto('/actions');
  await phone.getByRole('button', { name: 'Undo: “Thorsday” added to a glossary' }).click(waits);
  await phone.getByText('1 change undone').waitFor(waits);
  await expectFitting(phone);
  await expect
    .poll(
      async () => (await ann.get('/api/glossaries')).body.glossaries.flatMap((one: { terms: object[] }) => one.terms),
      waits,
    )
    .toEqual([]);
});
