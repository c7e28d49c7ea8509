// The frame around every screen: its blocks, how the app opens, and notices.
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import {
  expectAccessible,
  expectReadable,
  openDesk,
  swipe,
  visit,
  type Scheme,
  type Width,
} from '../support/browser.ts';
import type { SharedHouse } from '../support/house.ts';
import { chip, openDocument, waits } from '../support/document-page.ts';
import { makeRecording } from '../support/recording.ts';
import { worker } from '../support/worker.ts';

const desk = openDesk();
let house: SharedHouse;
worker.beforeAll(({ house: shared }) => {
  house = shared;
});

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });
const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true }).click();
const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent ?? '');

async function blocks(look: { width?: Width; scheme?: Scheme } = {}): Promise<Page> {
  const page = await desk.seat(await house.person(), look);
  await page.goto('/dev/blocks');
  await heading(page, 'Building blocks').waitFor();
  return page;
}

it.each([
  ['wide', 'light', expectReadable],
  ['phone', 'dark', expectAccessible],
] as const)('every block and the library read well on a %s screen, %s', async (width, scheme, readsWell) => {
  const page = await blocks({ width, scheme });
  await readsWell(page);

  await page.getByRole('button', { name: 'Account of Ann Test' }).click();
  await page.getByRole('link', { name: 'Logout' }).waitFor();
  await readsWell(page);
  await page.keyboard.press('Escape');

  await press(page, 'With parts');
  // A notice under the pointer stays.
  await page.getByText('Merged. Chen also changed').hover();
  await readsWell(page);

  await press(page, 'Confirm with a word');
  await page.getByRole('dialog').waitFor();
  await readsWell(page);
  await page.keyboard.press('Escape');

  await press(page, 'Save');
  await page.getByText('Check 2 fields').waitFor();
  await readsWell(page);

  await visit(page, '/');
  await heading(page, 'Library').waitFor();
  await readsWell(page);
});

describe('the shell', () => {
  it('names the document after the page, and gives its heading the focus after a change of page', async () => {
    const page = await blocks();
    expect(await page.title()).toBe('Building blocks · Colloquy');
    await page.getByRole('link', { name: 'Colloquy', exact: true }).click();
    await heading(page, 'Library').waitFor();
    await expect.poll(() => page.title()).toBe('Library · Colloquy');
    await expect.poll(() => focused(page)).toBe('Library');
  });

  it('lets the keyboard skip to the content', async () => {
    const page = await blocks();
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('Skip to the content');
    await page.keyboard.press('Enter');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('main');
  });

  it('keeps the chosen scheme, from before the first paint', async () => {
    const page = await blocks({ scheme: 'light' });
    const scheme = () => page.evaluate(() => document.documentElement.dataset['mantineColorScheme']);
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    expect([await scheme(), await ground()]).toEqual(['light', 'rgb(251, 250, 247)']);
    await press(page, 'Dark theme');
    await expect.poll(async () => [await scheme(), await ground()]).toEqual(['dark', 'rgb(22, 25, 28)']);
    // Scripts of the application are blocked, so only the small one in the head can have done it.
    await page.route('**/assets/*.js', (route) => route.abort());
    await page.reload();
    expect(await scheme()).toBe('dark');
  });

  it('uses the chosen language, here and in the profile', async () => {
    const ann = await house.person();
    const page = await desk.seat(ann);
    await page.goto('/');
    await heading(page, 'Library').waitFor();
    await page.getByLabel('Language').selectOption('ru');
    await heading(page, 'Библиотека').waitFor();
    expect(await page.evaluate(() => document.documentElement.lang)).toBe('ru');
    await expect.poll(async () => (await ann.call('GET', '/api/principals/whoami')).body.principal.language).toBe('ru');
    await page.goto('/terms');
    await page.getByRole('link', { name: 'Colloquy', exact: true }).click();
    await heading(page, 'Библиотека').waitFor();
    const elsewhere = await desk.seat(ann);
    await elsewhere.goto('/');
    await heading(elsewhere, 'Библиотека').waitFor();
  });

  it('uses the language chosen in the menu of a recording, also on a phone', async () => {
    const ann = await house.person();
    const page = await openDocument(desk, ann, await makeRecording(house, ann), { width: 'phone' });
    await press(page, 'More actions');
    await page.getByRole('group', { name: 'More actions' }).getByLabel('Language').selectOption('ru');
    await page.getByRole('tab', { name: 'Расшифровка' }).waitFor();
    await expectAccessible(page);
    await expect.poll(async () => (await ann.call('GET', '/api/principals/whoami')).body.principal.language).toBe('ru');
  });

  it.each([
    ['es-MX', 'Biblioteca'],
    ['zh-CN', 'Library'],
    ['de-DE', 'Library'],
  ])('greets a %s browser with %s', async (locale, title) => {
    const page = await desk.seat(await house.person(), { locale });
    await page.goto('/');
    await heading(page, title).waitFor();
  });

  it('leads an unknown path home, and says so once', async () => {
    const page = await desk.seat(await house.person());
    await page.goto('/no/such/page');
    await heading(page, 'Library').waitFor();
    expect(new URL(page.url()).pathname).toBe('/');
    await page.getByText("That page doesn't exist").waitFor();
    expect(await page.getByText("That page doesn't exist").count()).toBe(1);
  });
});

describe('opening the app', () => {
  it('sends a visitor to the sign-in page, and remembers the way back', async () => {
    const page = await desk.seat(house.stranger());
    await page.goto('/confirm-email-change?token=abc#x');
    await heading(page, 'Log in').waitFor();
    const { pathname, searchParams } = new URL(page.url());
    expect([pathname, searchParams.get('redirectTo')]).toEqual(['/login', '/confirm-email-change?token=abc#x']);
    expect(await page.evaluate(() => document.activeElement === document.body)).toBe(true);
  });

  it('shows a placeholder, and says in words after three seconds that it is loading', async () => {
    const page = await desk.seat(await house.person());
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 60_000);
    let answer: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/api/principals/whoami', async (route) => {
      await asked;
      await route.continue();
    });
    await page.goto('/');
    const slow = page.getByText('This is taking longer than usual.');
    await page.getByText('Loading…').waitFor({ state: 'attached' });
    await page.clock.runFor(2_900);
    expect(await slow.count()).toBe(0);
    await page.clock.runFor(200);
    await expect.poll(() => slow.isVisible()).toBe(true);
    answer();
    await page.clock.resume();
    await heading(page, 'Library').waitFor();
  });

  it('says when it cannot check the session, with the id of the request among the details, and tries again on request', async () => {
    const page = await desk.seat(await house.person());
    let broken = true;
    await page.route('**/api/principals/whoami', (route) =>
      broken ? route.fulfill({ status: 500, headers: { 'x-request-id': 'shown-to-support' } }) : route.continue(),
    );
    await page.goto('/');
    const details = page.getByText('Details', { exact: true });
    await details.waitFor();
    await expectAccessible(page);
    expect(await page.getByText('shown-to-support').isVisible()).toBe(false);
    await details.click();
    await page.getByText('Request shown-to-support').waitFor();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await press(page, 'Copy request ID');
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe('shown-to-support');
    await expectAccessible(page);
    broken = false;
    await press(page, 'Try again');
    await heading(page, 'Library').waitFor();
  });

  it('offers a reload when a part of the application does not load', async () => {
    const page = await desk.seat(await house.person());
    await page.route('**/assets/home-*.js', (route) => route.abort());
    await page.goto('/');
    await page.getByText('Couldn’t load a part of the page.').waitFor();
    await expectAccessible(page);
    await page.unroute('**/assets/home-*.js');
    await press(page, 'Reload');
    await heading(page, 'Library').waitFor();
    // The router logs the error that it hands to the error screen.
    expect((await desk.clear()).every((complaint) => complaint.includes('Couldn’t load a part'))).toBe(true);
  });
});

describe('a notice', () => {
  const notice = (page: Page) => page.getByText('Changes applied!');
  // The page of blocks also shows an error screen, further up.
  const error = (page: Page) => page.getByRole('alert').last().getByText('Something went wrong...');

  async function noticed(): Promise<Page> {
    const page = await desk.seat(await house.person());
    await page.clock.install();
    await page.goto('/dev/blocks');
    await heading(page, 'Building blocks').waitFor();
    // Time passes only when the test says so from here on.
    await page.clock.pauseAt(Date.now() + 600_000);
    await press(page, 'Info');
    await notice(page).waitFor();
    return page;
  }

  it('closes after five seconds, an error after six', async () => {
    const page = await noticed();
    await page.clock.runFor(4_900);
    expect(await notice(page).isVisible()).toBe(true);
    await page.clock.runFor(200);
    await expect.poll(() => notice(page).isVisible()).toBe(false);
    await press(page, 'Error');
    await error(page).waitFor();
    await page.clock.runFor(5_900);
    expect(await error(page).isVisible()).toBe(true);
    await page.clock.runFor(200);
    await expect.poll(() => error(page).isVisible()).toBe(false);
  });

  it('stays while the pointer or the focus is on it, but not because of a press elsewhere', async () => {
    const page = await noticed();
    await notice(page).hover();
    await page.clock.runFor(30_000);
    expect(await notice(page).isVisible()).toBe(true);
    // The middle of the heading is below the notice.
    await page.getByRole('heading', { level: 1 }).click({ position: { x: 4, y: 4 } });
    await page.clock.runFor(1_000);
    expect(await notice(page).isVisible()).toBe(true);
    await page.getByRole('button', { name: 'Close' }).focus();
    await page.clock.runFor(30_000);
    expect(await notice(page).isVisible()).toBe(true);
    await page.keyboard.press('Escape');
    await expect.poll(() => notice(page).isVisible()).toBe(false);
  });

  it('is replaced by the next one', async () => {
    const page = await noticed();
    await press(page, 'Error');
    await expect.poll(() => error(page).isVisible()).toBe(true);
    await expect.poll(() => notice(page).count()).toBe(0);
  });
});

/** Whether a press in the middle of a control reaches it. */
const isReached = (control: Locator) =>
  control.evaluate((element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    return element.contains(document.elementFromPoint(left + width / 2, top + height / 2));
  });

it.each([390, 800, 1099, 1280])('a notice covers no button of a header or a dialog, %i px wide', async (width) => {
  const ann = await house.person();
  // The link leads to nothing, which a notice says.
  const meeting = `${await makeRecording(house, ann)}?outcome=nothing`;
  const page = await openDocument(desk, ann, meeting, { width: width === 390 ? 'phone' : 'wide' });
  await page.setViewportSize({ width, height: 844 });
  const notice = page.getByText('The outcome this link leads to was deleted.');
  // A notice stays under the pointer.
  await notice.hover(waits);
  const share = page.getByRole('button', { name: 'Share', exact: true });
  for (const control of [chip(page), page.getByRole('link', { name: 'Library', exact: true }), share])
    expect(await isReached(control)).toBe(true);
  // The pointer is needed where it is.
  await share.dispatchEvent('click');
  const close = page.getByRole('dialog').getByRole('button', { name: 'Close' });
  await close.waitFor(waits);
  await notice.hover(waits);
  await expect.poll(() => isReached(close), waits).toBe(true);
  expect(await notice.isVisible()).toBe(true);
});

describe('dialogs, menus and the drawer', () => {
  it('a dialog holds the focus and gives it back', async () => {
    const page = await blocks();
    await press(page, 'Dialog');
    const dialog = page.getByRole('dialog', { name: 'Change e-mail' });
    await dialog.waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('type'))).toBe('email');
    for (let tab = 0; tab < 6; tab += 1) {
      await page.keyboard.press('Tab');
      expect(await dialog.evaluate((element) => element.contains(document.activeElement))).toBe(true);
    }
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await expect.poll(() => focused(page)).toBe('Dialog');
  });

  it('a dialog over another takes the focus, closes alone, and gives the focus back', async () => {
    const page = await blocks();
    await press(page, 'Dialog');
    const below = page.getByRole('dialog', { name: 'Change e-mail' });
    await below.getByRole('button', { name: 'Ask first' }).click();
    const over = page.getByRole('dialog').last();
    await over.getByRole('button', { name: 'Delete' }).waitFor();
    await expect.poll(() => over.evaluate((one) => one.contains(document.activeElement))).toBe(true);
    for (let tab = 0; tab < 4; tab += 1) {
      await page.keyboard.press('Tab');
      expect(await over.evaluate((one) => one.contains(document.activeElement))).toBe(true);
    }
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(1);
    await expect.poll(() => focused(page)).toBe('Ask first');
    expect(await below.isVisible()).toBe(true);
    // Both close with the answer.
    await below.getByRole('button', { name: 'Ask first' }).click();
    await over.getByRole('button', { name: 'Delete' }).click();
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    await expect.poll(() => focused(page)).toBe('Dialog');
  });

  it('a notice beside a dialog belongs to it, is reached by keys, and closes alone', async () => {
    const page = await blocks();
    await press(page, 'Dialog');
    const dialog = page.getByRole('dialog', { name: 'Change e-mail' });
    await dialog.getByLabel('New e-mail').waitFor();
    // Said while the dialog is open.
    await page.getByRole('button', { name: 'Info', exact: true, includeHidden: true }).dispatchEvent('click');
    const notice = page.getByRole('status').filter({ hasText: 'Changes applied!' });
    await notice.hover();
    const owned = (await dialog.getAttribute('aria-owns')) ?? '';
    expect(await notice.evaluate((one, id) => one.closest(`#${id}`) !== null, owned)).toBe(true);
    const close = notice.getByRole('button', { name: 'Close' });
    const isFocused = () => close.evaluate((one) => one === document.activeElement);
    await dialog.getByRole('button', { name: 'Change', exact: true }).focus();
    await page.keyboard.press('Tab');
    expect(await isFocused()).toBe(true);
    await page.keyboard.press('Tab');
    expect(await dialog.evaluate((one) => one.contains(document.activeElement))).toBe(true);
    await page.keyboard.press('Shift+Tab');
    expect(await isFocused()).toBe(true);
    await page.keyboard.press('Escape');
    await notice.waitFor({ state: 'detached' });
    expect(await dialog.evaluate((one) => one.contains(document.activeElement))).toBe(true);
    expect(await dialog.isVisible()).toBe(true);
  });

  it('a dialog on a phone keeps its buttons above the keyboard', async () => {
    const ann = await house.person();
    const page = await openDocument(desk, ann, await makeRecording(house, ann), { width: 'phone' });
    // No keyboard opens here, so the page gets the event that a browser would send.
    const seen = 480;
    await page.evaluate((height) => {
      Object.defineProperty(visualViewport, 'height', { value: height, configurable: true });
      visualViewport?.dispatchEvent(new Event('resize'));
    }, seen);
    const isSeen = async (control: Locator) => {
      await control.waitFor(waits);
      await expect
        .poll(async () => {
          const box = await control.boundingBox();
          return (box?.y ?? Infinity) + (box?.height ?? 0);
        }, waits)
        .toBeLessThanOrEqual(seen);
    };
    const close = async () => {
      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    };

    await press(page, 'Share');
    await page.locator('input[role=combobox]').fill('somebody.new@example.test');
    await isSeen(page.getByRole('option').first());
    await close();
    const submit = page.getByRole('dialog').locator('button[type=submit]');
    for (const action of ['Ask for a review', 'Copy']) {
      await press(page, 'More actions');
      await page.getByRole('group', { name: 'More actions' }).getByRole('button', { name: action }).click();
      await isSeen(submit);
      await close();
    }
    await visit(page, '/');
    await press(page, /^Actions for/);
    await press(page, 'Rename');
    await isSeen(submit);
  });

  it('a question is confirmed only by its button', async () => {
    const page = await blocks();
    await press(page, 'Confirm');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('You said no.').waitFor();
    await press(page, 'Confirm with a word');
    const yes = page.getByRole('dialog').getByRole('button', { name: 'Delete' });
    expect(await yes.isDisabled()).toBe(true);
    await page.getByLabel('Type “yes” to confirm').fill('Yes ');
    await yes.click();
    await page.getByText('You said yes.').waitFor();
  });

  it('the account menu works by arrow keys and closes by Escape', async () => {
    const page = await blocks();
    await page.getByRole('button', { name: 'Account of Ann Test' }).focus();
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => focused(page)).toBe('Home');
    await page.keyboard.press('ArrowUp');
    await expect.poll(() => focused(page)).toBe('Logout');
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Logout' }).waitFor({ state: 'hidden' });
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')))
      .toBe('Account of Ann Test');
  });

  it('the drawer follows a finger in and out, and opens by button and closes by Escape', async () => {
    const page = await blocks({ width: 'phone' });
    const drawer = page.getByRole('dialog', { name: 'Example' });
    await swipe(page, { x: 6, y: 400 }, { x: 260, y: 410 });
    await drawer.waitFor();
    await swipe(page, { x: 240, y: 400 }, { x: 10, y: 400 });
    await drawer.waitFor({ state: 'hidden' });
    // A finger that moves up from the edge scrolls.
    await swipe(page, { x: 6, y: 600 }, { x: 30, y: 200 });
    expect(await drawer.isVisible()).toBe(false);
    await press(page, 'Open the drawer');
    await drawer.waitFor();
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'hidden' });
  });
});

describe('a newer version on the server', () => {
  async function deployed(page: Page): Promise<{ loads: () => number }> {
    let loads = 0;
    // Counts navigation requests, because a page that reloads at once never finishes loading.
    page.on('request', (request) => (loads += request.isNavigationRequest() ? 1 : 0));
    await page.route('**/api/**', async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, headers: { ...answer.headers(), 'x-version': 'newer' } });
    });
    return { loads: () => loads };
  }
  const offer = (page: Page) => page.getByText('A new version of Colloquy is available.');

  it('reloads an idle page five times at most, then offers it', async () => {
    const page = await desk.seat(await house.person());
    const { loads } = await deployed(page);
    await page.goto('/');
    await offer(page).waitFor();
    expect(loads()).toBe(6);
  });

  it('never discards text that is being typed', async () => {
    const page = await blocks();
    await page.getByLabel('Comment').fill('half a sentence');
    const { loads } = await deployed(page);
    await page.getByLabel('Language').selectOption('es');
    await page.getByText('Hay una versión nueva de Colloquy.').waitFor();
    expect(await page.locator('textarea:not([readonly])').inputValue()).toBe('half a sentence');
    expect(loads()).toBe(0);
  });
});
