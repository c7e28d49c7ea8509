// Parts of a page that fail to load say so in their own place.
import { expect, it } from 'vitest';
import { expectAccessible, openDesk } from '../support/browser.ts';
import { caretIn, openDocument, openPane, saved, texts, waits } from '../support/document-page.ts';
import type { SharedHouse } from '../support/house.ts';
import { makeRecording } from '../support/recording.ts';
import { worker } from '../support/worker.ts';

const desk = openDesk(/A part of the application did not arrive/);
let house: SharedHouse;
worker.beforeAll(({ house: shared }) => {
  house = shared;
});

it('a pane and a dialog that fail to load say so in their own place, the text stays editable, and they load when tried again', async () => {
  const ann = await house.person();
  const page = await openDocument(desk, ann, await makeRecording(house, ann));
  const away = /\/assets\/(?:version-list|share-dialog)-[^/]*\.js$/;
  await page.route(away, (route) => route.abort('internetdisconnected'));
  await caretIn(page, 0, 0);
  await page.keyboard.type('Before. ');
  await openPane(page, 'Version history');
  const dock = page.getByRole('complementary');
  await dock.getByRole('alert').getByText('Couldn’t load this part.').waitFor(waits);
  await expectAccessible(page);
  await dock.getByRole('button', { name: 'Try again' }).click();
  await dock.getByRole('alert').waitFor(waits);

  await page.getByRole('button', { name: 'Share' }).click();
  const missing = page.getByRole('dialog', { name: 'Not loaded' });
  await missing.getByText('Couldn’t load this part.').waitFor(waits);
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await missing.waitFor({ state: 'hidden', ...waits });

  await caretIn(page, 1, 0);
  await page.keyboard.type('Meanwhile. ');
  await saved(page);
  const written = async () => (await texts(page)).slice(0, 2).join(' ');
  expect(await written()).toMatch(/Before\. .*Meanwhile\. /);

  await page.unroute(away);
  await dock.getByRole('button', { name: 'Try again' }).click();
  await dock.getByRole('alert').waitFor({ state: 'hidden', ...waits });
  await dock.getByText('Now', { exact: true }).waitFor(waits);
  await page.getByRole('button', { name: 'Share' }).click();
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('dialog', { name: /Share/ }).waitFor(waits);
  expect(await written()).toMatch(/Before\. .*Meanwhile\. /);
});

it('a question that fails to load is answered with no, and is asked when its button is pressed again', async () => {
  const ann = await house.person();
  const id = await makeRecording(house, ann);
  expect((await ann.delete(`/api/meetings/${id}`)).status).toBe(204);
  const page = await desk.seat(ann);
  const away = /\/assets\/confirm-[^/]*\.js$/;
  await page.route(away, (route) => route.abort('internetdisconnected'));
  await page.goto('/deleted');
  const forever = page.getByRole('button', { name: /” forever$/ });
  await forever.click();
  await page.getByRole('alert').getByText('Couldn’t load this part.').waitFor(waits);
  await expectAccessible(page);
  expect(await page.getByRole('heading', { name: 'Deleted', level: 1 }).count()).toBe(1);

  await page.unroute(away);
  await forever.click();
  const asked = page.getByRole('dialog');
  await asked.getByRole('button', { name: 'Delete forever' }).click(waits);
  await forever.waitFor({ ...waits, state: 'detached' });
});
