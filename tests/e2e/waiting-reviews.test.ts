// Reviews in the library: what waits for a person, beside each recording and as a place of its own, leads to the review.
import { expect, it } from 'vitest';
import { expectAccessible, expectReadable, openDesk } from '../support/browser.ts';
import { drawn } from '../support/document-page.ts';
import { indexAll, makeSaid, makeTimed } from '../support/finding.ts';
import type { SharedHouse } from '../support/house.ts';
import { askFor, setStatus } from '../support/reviews.ts';
import { worker } from '../support/worker.ts';

const patient = { timeout: 30_000 };
const desk = openDesk();
let house: SharedHouse;
worker.beforeAll(({ house: shared }) => {
  house = shared;
});

it('a reviewer finds what waits for them, opens it from the list, and sees it as completed afterwards', async () => {
  const [ann, ben] = [await house.person('Ann'), await house.person('Ben')];
  const said = ['A', 'talk', 'about', 'whales.'];
  const id = await makeTimed(house, ann, [said], { title: 'Practice talk' });
  await makeSaid(house, ben, ['Something else.'], { title: 'Own talk' });
  const review = await askFor(ann, id, { roles: [[ben, 'required']] });
  await indexAll(house);
  const peer = `/meeting/${id}/peer/${review.id}`;

  const page = await desk.seat(ben);
  await page.goto('/');
  await page.getByText('2 recordings').waitFor(patient);
  const row = page.getByRole('row', { name: /Practice talk/ });
  await row.getByText('Waiting for me').waitFor();
  // Nothing can be done with it but to open it.
  expect(await row.getByRole('button').count()).toBe(0);
  expect(await row.getByRole('checkbox').count()).toBe(0);
  await expectAccessible(page);
  const places = page.getByRole('navigation', { name: 'Places' });
  await places.getByRole('link', { name: 'Waiting for me' }).press('Enter');
  await page.getByText('1 recording', { exact: true }).waitFor(patient);
  expect(await places.locator('[aria-current]').allInnerTexts()).toEqual(['Waiting for me']);
  const chips = page.getByRole('group', { name: 'Chosen filters' });
  await chips.getByText('Waiting for me').waitFor(patient);
  await expectReadable(page);

  // The filters offer the same, with a count.
  await page.goto('/?query=whales');
  const panel = page.getByRole('group', { name: 'Filters', exact: true });
  const waits = panel.getByRole('group', { name: 'Review' }).getByRole('checkbox', { name: 'Waiting for me' });
  await waits.check();
  await chips.getByText('Waiting for me').waitFor(patient);
  const hit = page.getByRole('list', { name: 'Where the words are' }).getByRole('link');
  expect(new URL(await hit.evaluate((one: HTMLAnchorElement) => one.href)).pathname).toBe(peer);
  // The page of the review opens on the word.
  await hit.click();
  await page.waitForURL(new RegExp(`${peer}\\?t=1500&find=whales$`));
  await expect.poll(() => drawn(page, 'found-place'), patient).toEqual(['whales']);
  await page.goBack();
  await page.getByRole('link', { name: 'Practice talk' }).click();
  await page.waitForURL(`**${peer}`);
  await page.locator('.ProseMirror > *').first().waitFor(patient);

  await setStatus(ben, review, 'complete');
  const phone = await desk.seat(ben, { width: 'phone' });
  await phone.goto('/');
  await phone.getByText('Review complete').waitFor(patient);
  await expectAccessible(phone);
  await expectReadable(phone);
  await phone.getByRole('navigation', { name: 'Places' }).getByRole('link', { name: 'Waiting for me' }).click();
  await phone.getByText('Nothing is waiting for you').waitFor(patient);
  await phone.getByRole('button', { name: 'Show all recordings' }).click();
  await phone.getByText('2 recordings').waitFor(patient);

  await phone.goto('/?view=tile');
  const tile = phone.getByRole('listitem').filter({ hasText: 'Practice talk' });
  await tile.getByText('Review complete').click();
  await phone.waitForURL(`**${peer}`);
});
