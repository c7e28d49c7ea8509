import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, openBrowser, type Desk, type Look } from '../support/browser.ts';
import { openHouse, type TestHouse } from '../support/house.ts';
import { startSmtp } from '../support/smtp.ts';

const client = join(new URL('../..', import.meta.url).pathname, 'dist/client');

let house: TestHouse;
let desk: Desk;

beforeAll(async () => {
  [house, desk] = await Promise.all([openHouse({ client }), openBrowser()]);
});
afterEach(async () => {
  expect(await desk.clear()).toEqual([]);
});
afterAll(async () => {
  await desk?.close();
  await house?.close();
});

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
  it('says what will stand here, and shows a mail as soon as there is one', async () => {
    const page = await openOutbox();
    await page.getByRole('heading', { name: 'No mail yet' }).waitFor();
    await expectAccessible(page);
    const email = await register('Ann');
    await mails(page).getByText(email).waitFor();
    await page.getByRole('heading', { name: 'Confirm your e-mail address' }).waitFor();
    await page.getByText('Hello Ann,').waitFor();
  });

  it('is read from the newest on, and a link in a mail leads on in the house', async () => {
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

  it.each(['light', 'dark'] as const)('reads well at both widths in the %s scheme', async (scheme) => {
    await register(`Dana${scheme}`);
    const wide = await openOutbox({ scheme });
    await wide.getByText(`Hello Dana${scheme},`).waitFor();
    await expectAccessible(wide);

    const phone = await openOutbox({ scheme, width: 'phone' });
    await expectAccessible(phone);
    await mails(phone).getByText(`dana${scheme}@example.test`).click();
    await phone.getByText(`Hello Dana${scheme},`).waitFor();
    await expectAccessible(phone);
    await phone.getByRole('link', { name: 'All mails' }).click();
    await mails(phone).waitFor();
  });
});

it('where a mail server has the mail, the page says so', async () => {
  const smtp = await startSmtp();
  const served = await openHouse({ client, env: { SMTP_URL: smtp.url } });
  try {
    const page = await desk.seat(served.stranger());
    await page.goto('/outbox');
    await page.getByRole('heading', { name: 'There is no outbox here' }).waitFor();
    await expectAccessible(page);
  } finally {
    await served.close();
    await smtp.close();
  }
});
