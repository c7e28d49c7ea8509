// Credits that people give, and minutes for inviting others (spec 1, sections 2 and 5): bought in practice, given to a
// colleague who sees them at once, refused with a way out; the link of an invitation up to the minutes it brings.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '#shared/ids.ts';
import { roles } from '#shared/roles.ts';
import { giveCredits } from '../support/billing.ts';
import { expectAccessible, openDesk } from '../support/browser.ts';
import { makeTeam } from '../support/groups.ts';
import { builtClient, openHouse, type TestHouse } from '../support/house.ts';
import { makeMeeting, share } from '../support/meetings.ts';
import { Person } from '../support/people.ts';

const patient = { timeout: 60_000 };
const shots = process.env['SHOTS'];

const desk = openDesk();
let house: TestHouse;
beforeAll(async () => {
  house = await openHouse({ client: builtClient, env: { ALLOW_TEST_PURCHASE: '1' } });
});
afterAll(() => house?.close());

describe.each([
  ['wide', 'light'],
  ['phone', 'dark'],
] as const)('%s, %s', (width, scheme) => {
  it('credits are bought, given, and seen by the colleague', { timeout: 240_000 }, async () => {
    const [ann, ben] = [await house.person('Ann'), await house.person('Ben')];
    const group = await makeTeam(ann, [ben]);
    const shot = async (name: string) => {
      if (shots) await page.screenshot({ path: `${shots}/${name}-${width}.png`, fullPage: true });
    };
    const page = await desk.seat(ann, { width, scheme });
    const theirs = await desk.seat(ben, { width, scheme });
    await theirs.goto('/balance');
    await theirs.getByRole('button', { name: 'Show personal balance anyway' }).click();
    await theirs.getByText('Nothing left').waitFor(patient);

    await page.goto('/testpurchase');
    await page.getByRole('button', { name: 'Recharge the balance (50)' }).click();
    await page.getByRole('button', { name: 'Pay $50.00' }).click();
    await page.getByText('50.00 credits were added to your balance.').waitFor(patient);

    await page.goto('/balance');
    await page.getByRole('button', { name: 'Transfer credits' }).click();
    const dialog = page.getByRole('dialog', { name: 'Transfer credits' });
    const [email, credits] = [dialog.getByLabel('E-mail'), dialog.getByRole('textbox', { name: 'Credits' })];
    const send = dialog.getByRole('button', { name: 'Send' });
    await dialog.getByText('You have $50.00').waitFor(patient);
    expect(await send.isDisabled()).toBe(true);
    await email.fill('ben');
    await credits.fill('1e2');
    await send.click();
    await dialog.getByText('Enter a valid e-mail address.').first().waitFor();
    await dialog.getByText('Enter an amount above 0 with at most two decimals.').first().waitFor();
    await expectAccessible(page);
    await shot('transfer-wrong');
    await email.fill(ann.email);
    await credits.fill('5');
    await send.click();
    await dialog.getByText('This is your own address.').first().waitFor(patient);
    await email.fill(` ${ben.email} `);
    await credits.fill('60,5');
    await send.click();
    await dialog.getByText('You don’t have enough credits for this.').waitFor(patient);
    expect(await dialog.getByRole('link', { name: 'Buy credits' }).getAttribute('href')).toBe(
      // The link asks for what is missing alone, in a tab of its own: what was typed stays.
      '/buy-credits?amount=10.5&waiting=1',
    );
    await expectAccessible(page);
    await shot('transfer-funds');
    await credits.fill('12,5');
    await dialog.getByText(`$12.50 will be transferred to ${ben.email}.`).waitFor();
    await shot('transfer');
    await send.click();
    await page.getByText(`$12.50 transferred to ${ben.email}`).waitFor(patient);
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('$37.50').waitFor(patient);

    // The colleague's page learns of it by itself.
    await theirs.getByText('$12.50').waitFor(patient);
    await theirs.goto('/transactions');
    await theirs.getByText('Credits transferred').waitFor(patient);
    await theirs.getByText('Ann Test').waitFor();
    await expectAccessible(theirs);
    if (shots) await theirs.screenshot({ path: `${shots}/transfer-line-${width}.png`, fullPage: true });

    await page.goto(`/teams/${group}`);
    expect(await page.getByRole('button', { name: 'Transfer credits to Ann Test' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Transfer credits to Ben Test' }).click();
    const row = page.getByRole('dialog', { name: 'Transfer credits to Ben Test' });
    await row.getByRole('textbox', { name: 'Credits' }).fill('0.50');
    await expectAccessible(page);
    await shot('transfer-member');
    await row.getByRole('textbox', { name: 'Credits' }).press('Enter');
    await page.getByText(`$0.50 transferred to ${ben.email}`).waitFor(patient);
  });

  it('a friend signs up by the link, confirms, and brings minutes', { timeout: 240_000 }, async () => {
    const ann = await house.person('Ann');
    const page = await desk.seat(ann, { width, scheme });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto('/invite');
    await page.getByRole('heading', { name: 'Invite a friend' }).waitFor(patient);
    const link = await page.getByLabel('Your link').inputValue();
    await page.getByRole('button', { name: 'Copy link' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(link);
    await expectAccessible(page);
    if (shots) await page.screenshot({ path: `${shots}/invite-${width}.png`, fullPage: true });
    await page.goto('/transactions');
    await page.getByText('Free trial').waitFor(patient);

    const friend = new Person(house.origin);
    friend.email = `friend-${newId(8).toLowerCase()}@example.test`;
    const theirs = await desk.seat(friend, { width, scheme });
    const { pathname, search } = new URL(link);
    await theirs.goto(pathname + search);
    await theirs.getByLabel('E-mail').fill(friend.email);
    await theirs.getByLabel('Password', { exact: true }).fill(friend.password);
    await theirs.getByLabel('Retype password').fill(friend.password);
    await theirs.getByLabel('First name').fill('Fay');
    await theirs.getByLabel('Last name').fill('Test');
    await theirs.getByRole('checkbox').check();
    await theirs.getByRole('button', { name: 'Create an account' }).click();
    await theirs.getByText(friend.email).waitFor(patient);
    await theirs.goto(`/confirm/${await house.tokenFor(friend.email, '/confirm')}`);
    await theirs.getByRole('main').getByRole('button').first().click();
    await page.getByText('Referral reward').waitFor(patient);
    await page.getByText('+20 free').waitFor();
  });
});

it('who deletes their account is told what goes with it, and which team needs another payer', async () => {
  const [ann, ben] = [await house.person('Ann'), await house.person('Ben')];
  await giveCredits(house, ann, '12.5');
  const group = await makeTeam(ann, [[ben, 'admin']]);
  const page = await desk.seat(ann);
  await page.goto('/profile?delete=ask');
  const dialog = page.getByRole('dialog', { name: 'Delete account' });
  await dialog.getByText('You lose with it: $12.50 in credits, 90 minutes.').waitFor(patient);
  const link = dialog.getByRole('note').getByRole('link');
  expect(await link.getAttribute('href')).toBe(`/teams/${group}`);
  expect(await dialog.getByRole('button', { name: 'Delete account' }).isDisabled()).toBe(true);
  await expectAccessible(page);
  if (shots) await page.screenshot({ path: `${shots}/closing.png` });
  await ben.put(`/api/groups/${group}`, { payer: ben.id });
  await page.reload();
  await dialog.locator('form [type=submit]:enabled').waitFor(patient);
  expect(await dialog.getByRole('note').count()).toBe(0);
});

it('who deletes their account gives each recording that others use to one of them or deletes it knowingly, and they are told', async () => {
  const [ann, ben, cara] = [await house.person('Ann'), await house.person('Ben'), await house.person('Cara')];
  const recording = async (title: string, ...readers: Person[]) => {
    const id = await makeMeeting(house, ann);
    const { version } = (await ann.get(`/api/meetings/${id}`)).body;
    expect((await ann.put(`/api/meetings/${id}`, { meeting: { 'doc.title': title }, version })).status).toBe(200);
    for (const reader of readers) await share(house, id, reader, roles.canRead);
    return id;
  };
  const [plans, minutes] = [await recording('Plans', ben, cara), await recording('Minutes', ben)];
  await recording('Diary');
  const page = await desk.seat(ann, { width: 'phone', scheme: 'dark' });
  const asked: string[] = [];
  page.on('dialog', (native) => {
    asked.push(native.message());
    void native.accept();
  });
  await page.goto('/profile?delete=ask');
  const dialog = page.getByRole('dialog', { name: 'Delete account' });
  await dialog.getByText('Others have access to 2 of your recordings.').waitFor(patient);
  const fate = (title: string) => dialog.getByRole('combobox', { name: title });
  const give = ({ email }: Person, name: string) => `Give to ${name} Test (${email})`;
  const choices = (title: string) => fate(title).locator('option:not([disabled])').allInnerTexts();
  expect(await choices('Plans')).toEqual([give(ben, 'Ben'), give(cara, 'Cara'), 'Delete for everyone']);
  // Nobody who has no access may get it.
  expect(await choices('Minutes')).toEqual([give(ben, 'Ben'), 'Delete for everyone']);
  expect(await fate('Diary').count()).toBe(0);
  await dialog.getByText('2 people have access').waitFor();

  await dialog.getByLabel('Password', { exact: true }).fill(ann.password);
  await dialog.getByLabel('Reason').selectOption('It is too slow');
  await fate('Plans').selectOption(give(cara, 'Cara'));
  const remove = dialog.getByRole('button', { name: 'Delete account' });
  await remove.click();
  await dialog.getByText('Choose what happens to this recording.').waitFor();
  expect(await dialog.getByText('Choose what happens to this recording.').count()).toBe(1);
  // The keyboard is where something is missing.
  await expect.poll(() => fate('Minutes').evaluate((field) => field === document.activeElement)).toBe(true);
  expect(asked).toEqual([]);
  await expectAccessible(page);
  if (shots) await page.screenshot({ path: `${shots}/leaving.png` });

  // One that is shared meanwhile is listed before anything is deleted.
  await fate('Minutes').selectOption('Delete for everyone');
  const late = await recording('Late', cara);
  await remove.click();
  await dialog.getByText('Access to your recordings has changed.').waitFor(patient);
  expect(await fate('Plans').evaluate((field: HTMLSelectElement) => field.selectedOptions[0]?.text)).toBe(
    give(cara, 'Cara'),
  );
  expect((await ben.get(`/api/meetings/${minutes}`)).status).toBe(200);
  await fate('Late').selectOption('Delete for everyone');
  await remove.click();
  await page.getByText('Account deletion request submitted successfully').waitFor(patient);
  await page.waitForURL((url) => url.pathname === '/login', patient);

  const mails = async ({ email }: Person) => house.mails(email);
  const told = async (person: Person) => (await mails(person)).map(({ subject }) => subject).toSorted();
  expect(await told(ben)).toEqual(['Ann Test deleted recordings']);
  expect((await mails(ben))[0]?.text).toContain('Minutes');
  expect(await told(cara)).toEqual(['Ann Test deleted recordings', 'Ann Test gave you recordings']);
  for (const id of [minutes, late]) expect((await ben.get(`/api/meetings/${id}`)).status).toBe(403);
  const theirs = await desk.seat(cara);
  await theirs.goto('/');
  await theirs.getByRole('link', { name: 'Plans' }).first().waitFor(patient);
  expect((await cara.get(`/api/meetings/${plans}/about`)).body.permissions).toContain('own');
  expect((await ben.get(`/api/meetings/${plans}`)).status).toBe(200);
});

it('who has not confirmed their address is told so', { timeout: 120_000 }, async () => {
  const ann = new Person(house.origin);
  ann.email = `ann-${newId(8).toLowerCase()}@example.test`;
  await ann.register();
  const page = await desk.seat(ann, { locale: 'ru' });
  await page.goto('/invite');
  await page.getByText('Сначала подтвердите свой адрес электронной почты.').waitFor(patient);
  await expectAccessible(page);
});
