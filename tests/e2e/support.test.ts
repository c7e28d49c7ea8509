// Contacting support, and the report of an error that nobody caught.
import { desc } from 'drizzle-orm';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { feedback } from '#db/schema/accounts.ts';
import { expectAccessible, openDesk, visit } from '../support/browser.ts';
import { openDocument, openPane, sound, waits } from '../support/document-page.ts';
import { builtClient, type SharedHouse } from '../support/house.ts';
import type { Person } from '../support/people.ts';
import { makeRecording } from '../support/recording.ts';
import { askFor } from '../support/reviews.ts';
import { worker } from '../support/worker.ts';

const desk = openDesk();
let house: SharedHouse;
worker.beforeAll(({ house: shared }) => {
  house = shared;
});

const panel = (page: Page) => page.getByRole('dialog', { name: 'Ask support' });
const description = (page: Page) => panel(page).getByLabel('Description');
const opener = (page: Page) => page.getByRole('button', { name: 'Ask support' });
const account = (page: Page) => page.getByRole('button', { name: /^Account of/ });

/** In the account menu, or at the foot of the pages before sign-in. */
async function press(page: Page): Promise<void> {
  await account(page).or(opener(page)).first().waitFor();
  if ((await account(page).count()) > 0) await account(page).click();
  await opener(page).click();
}
const send = (page: Page) => panel(page).getByRole('button', { name: 'Send' }).click();

async function asking(page: Page, path: string): Promise<Page> {
  await page.goto(path);
  await press(page);
  await panel(page).waitFor();
  return page;
}
const asStranger = async () => asking(await desk.seat(house.stranger()), '/recover?email=ann@example.test');
const signedIn = async () => asking(await desk.seat(await house.person()), '/profile?from=menu');

/** Last message stored. */
async function kept() {
  const [row] = await house.database.orm.select().from(feedback).orderBy(desc(feedback.at)).limit(1);
  return row;
}

describe('contacting support', () => {
  it('a visitor leaves an address, or none', async () => {
    const page = await asStranger();
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('type'))).toBe('email');
    expect(await description(page).getAttribute('rows')).toBe('5');
    await panel(page).getByLabel('E-mail (optional)').fill('not an address');
    await description(page).fill('The mail did not arrive.');
    await send(page);
    await panel(page).getByText('Enter a valid e-mail address.').waitFor();
    await panel(page).getByLabel('E-mail (optional)').fill('ann@example.test');
    await send(page);
    await page.getByText('Thank you. Your message was sent.').waitFor();
    const row = await kept();
    expect(row?.contact).toBe('ann@example.test');
    expect(row?.text).toMatch(
      new RegExp(
        `^The mail did not arrive\\.\\n\\n---\\nPage: ${house.origin}/recover\\nBrowser: Mozilla/\\S.+\\nTime: \\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z$`,
      ),
    );
    await panel(page).waitFor({ state: 'detached' });
    await press(page);
    expect(await description(page).inputValue()).toBe('');
  });

  it('a signed-in person is not asked for an address', async () => {
    const ann = await house.person();
    const page = await asking(await desk.seat(ann), '/profile?from=menu');
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('TEXTAREA');
    expect(await panel(page).getByLabel('E-mail (optional)').count()).toBe(0);
    expect(await description(page).getAttribute('rows')).toBe('8');
    await page.keyboard.type('By keyboard alone.');
    for (let presses = 0; presses < 3; presses += 1) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('Thank you. Your message was sent.').waitFor();
    expect(await kept()).toMatchObject({ contact: ann.email, userId: ann.id });
    expect((await kept())?.text).toContain(`Page: ${house.origin}/profile\n`);
    await expect.poll(() => account(page).evaluate((button) => button === document.activeElement)).toBe(true);
  });

  it('from a recording, its time goes along', async () => {
    const ann = await house.person();
    const page = await openDocument(desk, ann, await makeRecording(house, ann));
    await page.getByRole('button', { name: 'Forward 10 seconds' }).click();
    await expect.poll(async () => (await sound(page)).ms, waits).toBe(10_000);
    await press(page);
    await panel(page).getByText('and your position in the recording are sent too').waitFor();
    await description(page).fill('This word is wrong.');
    await send(page);
    await page.getByText('Thank you. Your message was sent.').waitFor();
    expect((await kept())?.text).toMatch(/\nRecording time: 0:10$/);
  });

  it('where nobody would read it, the page says so instead of taking it', async () => {
    const deaf = await desk.openHouse({ client: builtClient, env: { SMTP_URL: 'smtp://127.0.0.1:9' } });
    const page = await desk.seat(deaf.stranger());
    await page.goto('/recover');
    await press(page);
    await panel(page).getByText('This site has no support address. Ask the person who runs it.').waitFor();
    expect(await panel(page).getByRole('textbox').count()).toBe(0);
    expect(await panel(page).getByRole('button', { name: 'Send' }).count()).toBe(0);
    await panel(page).getByRole('link', { name: 'Help center' }).waitFor();
    await expectAccessible(page);
  });

  it('an empty message is not sent', async () => {
    const page = await signedIn();
    const before = await house.database.orm.$count(feedback);
    await description(page).fill('   ');
    await send(page);
    await panel(page).getByText('Describe what you need.').waitFor();
    expect(await description(page).getAttribute('aria-invalid')).toBe('true');
    expect(await house.database.orm.$count(feedback)).toBe(before);
  });

  it('a message that could not be sent stays, to be sent again', async () => {
    const page = await signedIn();
    await page.route('**/api/feedback', (route) => route.fulfill({ status: 500, json: {} }));
    await description(page).fill('Please do not lose this.');
    await send(page);
    await page.getByText('Something went wrong...').waitFor();
    expect(await description(page).inputValue()).toBe('Please do not lose this.');
  });

  it('a press beside it closes it, and the typed text is kept', async () => {
    const page = await signedIn();
    await description(page).fill('Half a thought');
    await page.getByRole('heading', { name: 'Profile' }).click();
    await panel(page).waitFor({ state: 'detached' });
    await press(page);
    expect(await description(page).inputValue()).toBe('Half a thought');
    await page.keyboard.press('Escape');
    await panel(page).waitFor({ state: 'detached' });
    await press(page);
    await panel(page).getByRole('button', { name: 'Close' }).click();
    await panel(page).waitFor({ state: 'detached' });
  });

  it('selecting text does not close it, wherever the pointer ends', async () => {
    const page = await signedIn();
    const drag = async (from: { x: number; y: number }, to: { x: number; y: number }) => {
      await page.mouse.move(from.x, from.y);
      await page.mouse.down();
      await page.mouse.move(to.x, to.y, { steps: 5 });
      await page.mouse.up();
    };
    // Selects words of the page, to quote them.
    const words = (await page.locator('dd').first().boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    await drag({ x: words.x + 2, y: words.y + 18 }, { x: words.x + 120, y: words.y + 18 });
    expect(await page.evaluate(() => String(window.getSelection()))).not.toBe('');
    expect(await panel(page).isVisible()).toBe(true);
    // Selects words of the field, with a pointer that leaves it.
    await description(page).fill('These words are selected');
    const field = (await description(page).boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    await drag({ x: field.x + 120, y: field.y + 16 }, { x: field.x - 200, y: field.y + 16 });
    expect(await panel(page).isVisible()).toBe(true);
    await page.getByRole('heading', { name: 'Profile' }).click();
    await panel(page).waitFor({ state: 'detached' });
  });

  it('leads to the help center, where it stays open', async () => {
    const page = await asStranger();
    await description(page).fill('Half a thought');
    await panel(page).getByRole('link', { name: 'Help center' }).click();
    await page.getByRole('heading', { level: 1, name: 'Help center' }).waitFor();
    expect(await description(page).inputValue()).toBe('Half a thought');
    await page.getByRole('link', { name: 'Guide for mentors' }).click();
    await page.getByRole('heading', { level: 1, name: 'Assess with evidence: a guide for mentors' }).waitFor();
  });

  it('and to the guide, which is found by the words of its pages and names controls as they are', async () => {
    const page = await asStranger();
    await page.goto('/help');
    const search = page.getByLabel('Search the guide');
    const link = page.getByRole('link', { name: 'Share a recording', exact: true });
    await link.waitFor();
    await search.fill('nothing-like-this');
    await page.getByText('No page has these words.').waitFor();
    await search.fill('INVITATION mail');
    await link.click();
    await page.getByRole('heading', { level: 1, name: 'Share a recording' }).waitFor();
    await page.locator('strong', { hasText: 'Ask to edit' }).waitFor();
    await page.goto('/help/nothing-like-this');
    await page.getByRole('heading', { level: 1, name: 'Help center' }).waitFor();
  });

  it('a failure to load leaves the page as it is', async () => {
    const page = await desk.seat(await house.person());
    await page.route('**/assets/panel-*.js', (route) => route.abort());
    await page.goto('/profile');
    await press(page);
    await page.getByText('Couldn’t load a part of the page.').waitFor();
    await page.getByRole('heading', { level: 1, name: 'Profile' }).waitFor();
    expect(await panel(page).count()).toBe(0);
  });

  it('covers nothing until it is asked for, and opens on a phone, too', async () => {
    const page = await desk.seat(await house.person(), { width: 'phone' });
    await page.goto('/');
    await account(page).waitFor();
    expect(await opener(page).count()).toBe(0);
    await press(page);
    const box = await panel(page).boundingBox();
    expect(box?.x).toBeGreaterThanOrEqual(0);
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(390);
  });
});

describe('help', () => {
  const help = async (page: Page) => {
    await page.getByRole('button', { name: 'More actions', exact: true }).click();
    await page.getByRole('group', { name: 'More actions' }).getByRole('link', { name: 'Help center' }).click();
  };
  const title = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor(waits);

  it('opens at the page about the view, the pane or the dialog that is open', async () => {
    const ann = await house.person();
    const page = await openDocument(desk, ann, await makeRecording(house, ann));
    await page.getByRole('tab', { name: 'Tags & Speakers' }).click();
    await help(page);
    await title(page, 'Name the speakers');
    await page.goBack();
    await openPane(page, 'Outcomes');
    await help(page);
    await title(page, 'Outcomes and comments');
    await page.goBack();
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    const link = page.getByRole('dialog').getByRole('link', { name: 'Help center' });
    expect(await link.getAttribute('href')).toBe('/help/share');
    // Elsewhere it is the list of all pages again.
    await visit(page, '/');
    await title(page, 'Library');
    await account(page).click();
    await page.getByRole('link', { name: 'Help center' }).click();
    await title(page, 'Help center');
  });

  it('opens at the page about reviews, which has two names, and has a page about recording', async () => {
    const [ann, ben] = (await house.people(2)) as [Person, Person];
    const { meetingId, id } = await askFor(ann, await makeRecording(house, ann), { roles: [[ben, 'required']] });
    const page = await desk.seat(ben);
    await page.goto(`/meeting/${meetingId}/peer/${id}`);
    await page.locator('.ProseMirror > *').first().waitFor(waits);
    await help(page);
    await title(page, 'Assess a recording');
    await visit(page, '/help/review');
    await expect.poll(() => new URL(page.url()).pathname, waits).toBe('/help/assess');
    await title(page, 'Assess a recording');
    await visit(page, '/help/record');
    await title(page, 'Record or add a recording');
    await page.locator('strong', { hasText: 'Start recording' }).waitFor();
  });
});

describe('an uncaught error', () => {
  const told = (words: string) =>
    house
      .log()
      .split('\n')
      .filter((line) => line.includes(words));

  it('reaches the log, once, and without what it quotes', async () => {
    const page = await desk.seat(await house.person());
    await page.goto('/');
    await page.getByText('Good to see you, Ann').waitFor();
    for (let time = 0; time < 3; time += 1) {
      await page.evaluate(() => {
        setTimeout(() => {
          throw new RangeError('does not fit: <paragraph("what Ann keeps private")>');
        });
        void Promise.reject(new TypeError('nobody waited for this'));
      });
    }
    await expect.poll(() => told('nobody waited for this').length).toBe(1);
    await expect.poll(() => told('does not fit').length).toBe(1);
    expect(told('does not fit')[0]).toContain('from a page');
    expect(house.log()).not.toContain('what Ann keeps private');
    // Errors of the page are what this test is about.
    await expect.poll(() => desk.complaints.length).toBe(6);
    desk.complaints.splice(0);
  });

  it('is not reported again and again while reporting fails', async () => {
    const page = await desk.seat(await house.person());
    await page.goto('/');
    await page.getByText('Good to see you, Ann').waitFor();
    let sent = 0;
    await page.route('**/api/logs', async (route) => {
      sent += 1;
      await route.fulfill({ status: 500, json: {} });
    });
    await page.evaluate(async () => {
      for (let number = 0; number < 30; number += 1) {
        window.dispatchEvent(new ErrorEvent('error', { error: new Error(`number ${number}`) }));
        await new Promise((resolve) => setTimeout(resolve));
      }
    });
    await expect.poll(() => sent).toBe(5);
    // Earlier requests have been sent by now.
    await page.evaluate(() => fetch('/healthz'));
    expect(sent).toBe(5);
  });
});
