// Invitations that wait in the library until they are accepted.
import { eq } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { invitations } from '#db/schema/accounts.ts';
import { roles } from '#shared/roles.ts';
import { expectAccessible, openDesk } from '../support/browser.ts';
import type { SharedHouse } from '../support/house.ts';
import { invite } from '../support/invitations.ts';
import { makeRecording } from '../support/recording.ts';
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
  await cards.filter({ hasText: 'Ines Test invites you to Colloquy' }).getByRole('button', { name: 'Accept' }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('Invitation accepted').waitFor();
  await expect.poll(() => cards.count()).toBe(1);
  expect((await ann.whoami()).body.invitations).toHaveLength(1);
});

it('is declined by keyboard, and by the notice it waits again; the sharer sees it and invites again', async () => {
  const [ann, ben] = [await house.person('Ann'), await house.person('Ben')];
  const meeting = await makeRecording(house, ann);
  const entries = [{ principal: { email: ben.email }, permissions: [...roles.canEdit] }];
  const { version } = (await ann.get(`/api/meetings/${meeting}/acl`)).body;
  const shared = await ann.post(`/api/meetings/${meeting}/acl`, { entries, version });
  expect(shared.status, shared.text).toBe(200);
  const page = await desk.seat(ben, { width: 'phone', scheme: 'dark' });
  await page.goto('/');
  const card = page.getByRole('article');
  await card.getByRole('button', { name: 'Decline' }).focus();
  await page.keyboard.press('Enter');
  const notice = page.getByRole('status').filter({ hasText: 'Invitation declined' });
  await notice.waitFor();
  await expectAccessible(page);
  await notice.getByRole('button', { name: 'Undo' }).click();
  await card.getByRole('button', { name: 'Decline' }).click();
  await card.waitFor({ state: 'detached' });

  const sharer = await desk.seat(ann, { width: 'phone', scheme: 'dark' });
  await sharer.goto(`/meeting/${meeting}`);
  await sharer.getByRole('button', { name: 'Share', exact: true }).click();
  const entry = sharer.getByRole('listitem').filter({ hasText: ben.email });
  await entry.getByText('Declined').waitFor();
  await expectAccessible(sharer);
  await entry.getByRole('button', { name: `Invite ${ben.email} again` }).click();
  await entry.getByText('Invited; gets access after confirming the address').waitFor();
  await page.reload();
  await card.waitFor();
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
