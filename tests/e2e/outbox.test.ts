// The outbox, where mails are read on a house without a mail server.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { expectAccessible, expectReadable, openDesk, type Look } from '../support/browser.ts';
import { builtClient, openHouse, type TestHouse } from '../support/house.ts';
import { startSmtp } from '../support/smtp.ts';

const desk = openDesk();
let house: TestHouse;
beforeAll(async () => {
  house = await openHouse({ client: builtClient });
});
afterAll(() => house?.close());

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });
const mails = (page: Page) => page.getByRole('navigation', { name: 'Mails' });

async function openOutbox(look: Look = {}): Promise<Page> {
  const page = await desk.seat(house.stranger(), look);
  await page.goto('/outbox');
  await heading(page, 'Outbox').waitFor();
  return page;
}

async function register(name: string): Promise<string> {
  const person = house.stranger();
  person.email = `${name.toLowerCase()}@example.test`;
  expect((await person.register({ firstName: name })).status).toBe(200);
  house.clock.forward(60);
  return person.email;
}

describe('the outbox', () => {
  it('says that there is no mail yet, and shows one as soon as it is there', async () => {
    const page = await openOutbox();
    await page.getByRole('heading', { name: 'No mail yet' }).waitFor();
    await expectAccessible(page);
    const email = await register('Ann');
    await mails(page).getByText(email).waitFor();
    await page.getByRole('heading', { name: 'Confirm your e-mail address' }).waitFor();
    await page.getByText('Hello Ann,').waitFor();
  });

  it('lists the newest mail first, and a link in a mail opens the app', async () => {
    await register('Ben');
    await register('Chen');
    const page = await openOutbox();
    await page.getByText('Hello Chen,').waitFor();
    await mails(page).getByText('ben@example.test').click();
    await page.getByText('Hello Ben,').waitFor();
    await page.getByRole('article').getByRole('link', { name: '/confirm/' }).click();
    await heading(page, 'Confirm your e-mail address').waitFor();
    await page.goBack();
    await page.getByText('Hello Ben,').waitFor();
  });

  it('reads well at both widths', async () => {
    await register('Dana');
    const wide = await openOutbox();
    await wide.getByText('Hello Dana,').waitFor();
    await expectReadable(wide);

    const phone = await openOutbox({ width: 'phone' });
    await expectReadable(phone);
    await mails(phone).getByText('dana@example.test').click();
    await phone.getByText('Hello Dana,').waitFor();
    await expectReadable(phone);
    await phone.getByRole('link', { name: 'All mails' }).click();
    await mails(phone).waitFor();
  });
});

it('with a mail server the page says that there is no outbox', async () => {
  const smtp = await startSmtp();
  onTestFinished(() => smtp.close());
  const served = await desk.openHouse({ client: builtClient, env: { SMTP_URL: smtp.url } });
  const page = await desk.seat(served.stranger());
  await page.goto('/outbox');
  await page.getByRole('heading', { name: 'No outbox here' }).waitFor();
  await expectAccessible(page);
});
