// Replacing words in many recordings (client/finding/fix-dialog.tsx), and undoing it from the notice and from the list.
import { expect, it } from 'vitest';
import { expectAccessible, openDesk } from '../support/browser.ts';
import { indexAll, makeSaid } from '../support/finding.ts';
import { share } from '../support/meetings.ts';
import type { SharedHouse } from '../support/house.ts';
import { roles } from '#shared/roles.ts';
import type { Person } from '../support/people.ts';
import { worker } from '../support/worker.ts';

const desk = openDesk();
let house: SharedHouse;
worker.beforeAll(({ house: shared }) => {
  house = shared;
});

const said = async (person: Person, id: string): Promise<string[]> =>
  (await person.get(`/api/meetings/${id}`)).body.doc.transcript.segments.map(({ text }: { text: string }) => text);

it('words are replaced where they stay chosen, by mouse and by keyboard, and it is undone', async () => {
  const [ann, ben] = [await house.person(), await house.person()];
  const long = await makeSaid(
    house,
    ann,
    Array.from({ length: 60 }, (_, n) => `Kolloquy number ${n}`),
    { title: 'Long' },
  );
  const short = await makeSaid(house, ann, ['about Kolloquy', 'and Kolloquy again'], { title: 'Short' });
  const others = await makeSaid(house, ben, ['Kolloquy of Ben'], { title: 'Of Ben' });
  await share(house, others, ann, roles.canRead);
  await indexAll(house);
  const page = await desk.seat(ann);
  await page.goto('/find?query=kolloquy');
  await page.getByRole('button', { name: 'Fix all' }).click();
  const dialog = page.getByRole('dialog', { name: 'Replace words everywhere' });
  // Places of further pages are brought, too.
  await dialog.getByText('62 of 62 chosen').waitFor();
  await dialog.getByText('You can’t change 1 other recording').waitFor();
  await expectAccessible(page);
  expect(await dialog.getByRole('button', { name: 'Replace in' }).isDisabled()).toBe(true);
  await dialog.getByLabel('Replace with').fill('Colloquy');
  await dialog.getByRole('checkbox', { name: 'and Kolloquy again' }).uncheck();
  await dialog.getByRole('button', { name: 'Replace in 61 places' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('61 places changed').waitFor();
  expect(await said(ann, short)).toEqual(['about Colloquy', 'and Kolloquy again']);
  expect((await said(ann, long)).filter((text) => text.startsWith('Colloquy number'))).toHaveLength(60);
  expect(await said(ben, others)).toEqual(['Kolloquy of Ben']);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('61 changes undone').waitFor();
  expect(await said(ann, short)).toEqual(['about Kolloquy', 'and Kolloquy again']);

  // On a phone, in the dark, by keyboard; one recording is closed meanwhile.
  await indexAll(house);
  const phone = await desk.seat(ann, { width: 'phone', scheme: 'dark' });
  await phone.goto('/find?query=kolloquy');
  await phone.getByRole('button', { name: 'Fix all' }).focus();
  await phone.keyboard.press('Enter');
  await phone.getByText('62 of 62 chosen').waitFor();
  await expectAccessible(phone);
  expect((await ann.post(`/api/meetings/${long}/close`, { name: 'Final' })).status).toBeLessThan(300);
  await phone.keyboard.type('Colloquy');
  await phone.keyboard.press('Enter');
  await phone.getByText('the transcript is closed').waitFor();
  await expectAccessible(phone);
  await phone.keyboard.press('Enter');
  expect(await said(ann, short)).toEqual(['about Colloquy', 'and Colloquy again']);
  await phone.goto('/actions');
  await phone.getByRole('heading', { name: 'My changes' }).waitFor();
  await phone.getByText('“kolloquy” replaced with “Colloquy”').first().waitFor();
  await expectAccessible(phone);
  const undo = phone.getByRole('button', { name: /^Undo/ });
  expect(await undo.count()).toBe(1);
  await undo.focus();
  await phone.keyboard.press('Enter');
  await phone.getByText('2 changes undone').waitFor();
  await expect.poll(() => undo.count()).toBe(0);
  expect(await said(ann, short)).toEqual(['about Kolloquy', 'and Kolloquy again']);

  const other = await desk.seat(ben);
  await other.goto('/');
  await other.getByRole('link', { name: 'My changes' }).click();
  await other.getByText('No changes to undo').waitFor();
  await expectAccessible(other);
});
