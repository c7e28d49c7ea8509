// One browser, two people: lists of the first are never shown to the second.
import { expect, it } from 'vitest';
import { Stage } from '../support/document-page.ts';
import { makeMeeting } from '../support/meetings.ts';

const patient = { timeout: 60_000 };

const stage = new Stage(2);

it('a sign-in in another tab hides the previous person’s data here', async () => {
  const { house, desk } = stage;
  const [ann, ben] = [stage.person(0), stage.person(1)];
  const id = await makeMeeting(house, ann);
  await ann.post(`/api/meetings/${id}/rename`, { title: 'Her divorce' });
  const page = await desk.seat(ann);
  await page.goto('/');
  const hers = page.getByRole('link', { name: 'Her divorce' });
  await hers.waitFor(patient);

  // Delays his lists: while they load, none of hers may be shown.
  let asked = 0;
  await page.route(/\/api\/meetings\?/, () => void (asked += 1));
  await page.context().addCookies([...ben.cookies].map(([name, value]) => ({ name, value, url: house.origin })));
  // Imitates a return to this tab, which checks again who is signed in.
  await page.evaluate(() => ['offline', 'online'].forEach((type) => window.dispatchEvent(new Event(type))));
  await page.getByText('Good to see you, Ben').waitFor(patient);
  await expect.poll(() => asked, patient).toBeGreaterThan(0);
  expect(await hers.count()).toBe(0);
  await page.unroute(/\/api\/meetings\?/);
  await page.reload();
  await page.getByText('Add your first recording').waitFor(patient);
});
