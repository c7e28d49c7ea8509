// One browser, two people: what one of them was shown is not for the next.
import { expect, it } from 'vitest';
import { Stage } from '../support/document-page.ts';
import { makeMeeting } from '../support/meetings.ts';

const patient = { timeout: 60_000 };

const stage = new Stage(2);

it('who signs in in another tab is shown nothing here of who was here before', { timeout: 300_000 }, async () => {
  const { house, desk } = stage;
  const [ann, ben] = [stage.person(0), stage.person(1)];
  const id = await makeMeeting(house, ann);
  await ann.post(`/api/meetings/${id}/rename`, { title: 'Her divorce' });
  const page = await desk.seat(ann);
  await page.goto('/');
  const hers = page.getByRole('link', { name: 'Her divorce' });
  await hers.waitFor(patient);

  // His lists are slow to come; what stands in their place meanwhile is none of hers.
  let asked = 0;
  await page.route(/\/api\/meetings\?/, () => void (asked += 1));
  await page.context().addCookies([...ben.cookies].map(([name, value]) => ({ name, value, url: house.origin })));
  // As when somebody comes back to this tab: who is here is asked anew.
  await page.evaluate(() => ['offline', 'online'].forEach((type) => window.dispatchEvent(new Event(type))));
  await page.getByText('Good to see you, Ben').waitFor(patient);
  await expect.poll(() => asked, patient).toBeGreaterThan(0);
  expect(await hers.count()).toBe(0);
  await page.unroute(/\/api\/meetings\?/);
  await page.reload();
  await page.getByText('Your recordings will stand here').waitFor(patient);
});
