// Signing in with an identity provider.
import { eq } from 'drizzle-orm';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { invitations } from '#db/schema/accounts.ts';
import { newId } from '#shared/ids.ts';
import { openDesk } from '../support/browser.ts';
import { waits } from '../support/document-page.ts';
import { builtClient, openHouse, type TestHouse } from '../support/house.ts';
import { invite } from '../support/invitations.ts';
import { calledOff, openProvider, type TestProvider } from '../support/oidc.ts';

const desk = openDesk();
let provider: TestProvider;
let house: TestHouse;

beforeAll(async () => {
  provider = await openProvider();
  house = await openHouse({ client: builtClient, env: { ...provider.env, BOT_CHECK: 'on' } });
});
afterAll(async () => {
  await house?.close();
  await provider?.close();
});

const next = '/?from=there';

/** Opens the sign-in page in a browser that the provider already knows as that person. */
async function atTheDoor(as: string): Promise<Page> {
  const page = await desk.seat(house.stranger());
  await page.setExtraHTTPHeaders({ 'X-Person': as });
  await page.goto(`/login?${new URLSearchParams({ redirectTo: next })}`);
  return page;
}
const goThere = (page: Page) => page.getByRole('button', { name: 'Continue with Test provider' }).click();

it('a button leads to the provider and back to the requested page, signed in', async () => {
  const sub = newId(12);
  provider.people.set(sub, { email: `${sub.toLowerCase()}@example.test`, email_verified: true, name: 'Ann Test' });
  const page = await atTheDoor(sub);
  await goThere(page);
  await page.getByRole('button', { name: 'Account of Ann Test' }).waitFor();
  expect(page.url()).toBe(house.origin + next);
});

it('the provider’s button keeps the invitation that led to registering', async () => {
  const sub = newId(12);
  const email = `${sub.toLowerCase()}@example.test`;
  provider.people.set(sub, { email, email_verified: true, name: 'Dana Test' });
  const { id, secret } = await invite(house, { email });
  const page = await desk.seat(house.stranger());
  await page.setExtraHTTPHeaders({ 'X-Person': sub });
  await page.goto(`/invitation/${secret}`);
  await page.getByText('Ines Test invites you to Colloquy').waitFor();
  await goThere(page);
  await page.getByRole('button', { name: 'Account of Dana Test' }).waitFor();
  const acceptedAt = async () =>
    (await house.database.orm.select().from(invitations).where(eq(invitations.id, id)))[0]?.acceptedAt;
  await expect.poll(acceptedAt, waits).toBeInstanceOf(Date);
});

it('a person whose address has a password is told to use it', async () => {
  const ann = await house.person('Ann');
  const sub = newId(12);
  provider.people.set(sub, { email: ann.email, email_verified: true });
  const page = await atTheDoor(sub);
  await goThere(page);
  await page.getByText('An account with this address already exists. Log in with its password.').waitFor();
  expect(new URL(page.url()).searchParams.get('redirectTo')).toBe(next);
});

it('cancelled at the provider, a person is back on the sign-in page', async () => {
  const page = await atTheDoor(calledOff);
  await goThere(page);
  await page.getByText('You did not sign in there.').waitFor();
});

it('the bot check is solved in the background, under the page’s own policy', async () => {
  const email = `${newId(10).toLowerCase()}@example.test`;
  const page = await desk.seat(house.stranger());
  await page.goto('/signup');
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password', { exact: true }).fill('correct horse battery');
  await page.getByLabel('Retype password').fill('correct horse battery');
  await page.getByLabel('First name').fill('Ann');
  await page.getByLabel('Last name').fill('Test');
  await page.getByRole('checkbox').check();
  const sent = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/api/register'));
  await page.getByRole('button', { name: 'Create an account', exact: true }).click();
  expect((await sent).postDataJSON()).toMatchObject({ email, botToken: expect.stringMatching(/^[\w+/=]{200,}$/) });
  await page.getByText(email).waitFor();
  expect(await house.mails(email)).toHaveLength(1);
});
