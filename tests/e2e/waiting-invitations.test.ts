// Invitations that wait in the library until they are accepted.
import { eq } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { invitations } from '#db/schema/accounts.ts';
import { openDesk } from '../support/browser.ts';
import type { SharedHouse } from '../support/house.ts';
import { invite } from '../support/invitations.ts';
import { worker } from '../support/worker.ts';

const desk = openDesk();
let house: SharedHouse;
worker.beforeAll(({ house: shared }) => {
  house = shared;
});

it('each waits in the library on a card of its own, until it is accepted', async () => {
  const ann = await house.person();
  await invite(house, { email: ann.email });
  await invite(house, { email: ann.email, kind: 'team', targetId: 'none' });
  const page = await desk.seat(ann);
  await page.goto('/');
  const cards = page.getByRole('article');
  await expect.poll(() => cards.count()).toBe(2);
  // The team no longer exists: that is reported, and the invitation is not lost.
  await cards.filter({ hasText: 'Ines Test invites you to a team' }).getByRole('button', { name: 'Accept' }).click();
  await page.getByText('Error applying invitation. Contact the inviter or support.').waitFor();
  await cards.filter({ hasText: 'Ines Test invites you to Colloquy' }).getByRole('button').focus();
  await page.keyboard.press('Enter');
  await page.getByText('Invitation accepted').waitFor();
  await expect.poll(() => cards.count()).toBe(1);
  expect((await ann.whoami()).body.invitations).toHaveLength(1);
});

it('an invitation withdrawn meanwhile is reported and disappears', async () => {
  const ann = await house.person();
  const { id } = await invite(house, { email: ann.email });
  const page = await desk.seat(ann);
  await page.goto('/');
  await page.getByRole('article').waitFor();
  await house.database.orm.update(invitations).set({ revokedAt: new Date() }).where(eq(invitations.id, id));
  await page.getByRole('button', { name: 'Accept' }).click();
  await page.getByText('This invitation was withdrawn or has expired.').waitFor();
  await page.getByRole('article').waitFor({ state: 'detached' });
});
