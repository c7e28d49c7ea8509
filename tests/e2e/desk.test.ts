// The desk: it records every error of a page until the end of a test, none after it, and closes what a test opened
// or keeps it for the same person.
import type { Browser } from 'playwright-core';
import { beforeEach, expect, it } from 'vitest';
import { Desk, expectAccessible, expectReadable, faultsOf, visit, widths } from '../support/browser.ts';
import { cutLine } from '../support/document-page.ts';
import { builtClient } from '../support/house.ts';
import { Person } from '../support/people.ts';
import { worker } from '../support/worker.ts';

let browser: Browser;
let desk: Desk;
worker.beforeAll(({ browser: shared }) => {
  browser = shared;
});
beforeEach(() => {
  desk = new Desk();
  desk.use(browser);
});

const nowhere = new Person('http://127.0.0.1:9');

it('an error of a page in the last moment of a test is recorded, and none after it', async () => {
  const page = await desk.seat(nowhere);
  await page.setContent('<p>shown</p>');
  void page
    .evaluate(() => {
      console.error('said');
      setTimeout(() => {
        throw new Error('thrown');
      });
    })
    .catch(() => {});
  const heard = await desk.clear();
  expect(heard.some((line) => line.includes('said'))).toBe(true);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(await desk.clear()).toEqual([]);
});

it('the house of a test is closed after its pages, so that they lose no request', async () => {
  const house = await desk.openHouse({ client: builtClient });
  const page = await desk.seat(await house.person());
  const line = page.waitForEvent('websocket');
  await page.goto('/');
  await (await line).waitForEvent('framereceived');
  expect(await desk.clear()).toEqual([]);
  await expect(fetch(house.origin)).rejects.toThrow();
});

it('requests and waits that a test left open end with their page', async () => {
  const page = await desk.seat(nowhere);
  const held = page.waitForRequest('**/held');
  await page.route('**/held', async (route) => {
    await new Promise((later) => setTimeout(later, 200));
    await route.fulfill({ body: 'late' });
  });
  await page.route('**/start', (route) => route.fulfill({ body: '<p>shown</p>', contentType: 'text/html' }));
  await page.goto('/start');
  void page.waitForEvent('download', { timeout: 50 });
  void page.waitForResponse('**/never');
  void page.evaluate(() => fetch('/held')).catch(() => {});
  await held;
  await desk.clear();
  // An unhandled rejection would have failed the run by now.
  await new Promise((resolve) => setTimeout(resolve, 300));
  const shown = browser.contexts().flatMap((context) => context.pages().map((page) => page.url()));
  expect(shown.filter((url) => url !== 'about:blank')).toEqual([]);
});

it('a page whose sockets a test has routed is given to nobody', async () => {
  const house = await desk.openHouse({ client: builtClient });
  const page = await desk.seat(await house.person());
  await page.goto('/help');
  await page.context().routeWebSocket('**', (socket) => void socket.close());
  expect(await desk.clear({ houses: false })).toEqual([]);
  expect(page.isClosed()).toBe(true);
});

it('a page that is left is given to anybody, as new', async () => {
  const house = await desk.openHouse({ client: builtClient });
  const [ann, ben] = [await house.person(), await house.person()];
  const page = await desk.seat(ann);
  await page.goto('/help');
  await page.goto('/profile');
  await page.getByText('This device').waitFor();
  await page.route('**/api/**', (route) => route.abort());
  let heard = 0;
  page.on('request', () => (heard += 1));
  page.on('dialog', () => (heard += 1));
  await page.context().setOffline(true);
  await page.setViewportSize(widths.phone);
  await page.emulateMedia({ colorScheme: 'dark', contrast: 'more' });
  await page.setExtraHTTPHeaders({ 'X-Person': 'Ann' });
  await page.evaluate(async () => {
    for (const store of [localStorage, sessionStorage]) store.setItem('chosen', 'yes');
    window.name = 'ann';
    await cookieStore.set('chosen', 'yes');
    await caches.open('ann');
    await new Promise((done) => (indexedDB.open('ann').onsuccess = done));
    addEventListener('pagehide', () => sessionStorage.setItem('late', 'yes'));
    addEventListener('beforeunload', (event) => event.preventDefault());
  });
  await page.getByRole('heading', { level: 1, name: 'Profile' }).click();
  expect(await desk.clear({ houses: false })).toEqual([]);
  expect(page.isClosed()).toBe(false);

  heard = 0;
  expect(await desk.seat(ben, { scheme: 'dark' })).not.toBe(page);
  expect(await desk.seat(ben)).toBe(page);
  const sent = page.waitForRequest('**/profile');
  await page.goto('/profile');
  await page.getByText('This device').waitFor();
  expect(await page.locator('dl').innerText()).toContain(ben.email);
  expect(await (await sent).headerValue('X-Person')).toBeNull();
  const state = await page.evaluate(async () => ({
    stores: [localStorage.getItem('chosen'), sessionStorage.getItem('chosen'), sessionStorage.getItem('late')],
    named: [window.name, await cookieStore.get('chosen')],
    kept: [...(await caches.keys()), ...(await indexedDB.databases()).map((one) => one.name)].includes('ann'),
    // The empty page and the shown one.
    history: history.length,
    width: innerWidth,
    media: [matchMedia('(prefers-color-scheme: dark)').matches, matchMedia('(prefers-contrast: more)').matches],
  }));
  expect(state).toEqual({
    stores: [null, null, null],
    named: ['', null],
    kept: false,
    history: 2,
    width: widths.wide.width,
    media: [false, false],
  });
  expect(heard).toBe(0);

  // The page of a failed test is closed, and so is one that has another clock.
  await page.clock.setFixedTime(0);
  const next = await desk.seat(ann);
  await next.goto('/help');
  await desk.clear({ houses: false });
  expect([page.isClosed(), next.isClosed()]).toEqual([true, false]);
  expect(await desk.seat(ben)).toBe(next);
  await next.goto('/help');
  expect(await desk.clear({ keeps: false })).toEqual([]);
  expect(next.isClosed()).toBe(true);
});

it('a page that is kept is given to the same person again, as new, and to nobody else', async () => {
  const keeping = new Desk(true);
  keeping.use(browser);
  const house = await keeping.openHouse({ client: builtClient });
  const [ann, ben] = [await house.person(), await house.person()];
  const homeOf = async (who: Person, look = {}) => {
    const page = await keeping.seat(who, look);
    if (page.url() === 'about:blank') await page.goto('/');
    else await visit(page, '/');
    await page.getByRole('table').or(page.getByText('Add your first recording')).first().waitFor();
    return page;
  };
  const page = await homeOf(ann);
  await page.waitForLoadState('networkidle');
  await page.route('**/api/**', (route) => route.continue());
  await page.context().setOffline(true);
  await page.setViewportSize(widths.phone);
  await page.evaluate(() => localStorage.setItem('chosen', 'yes'));
  // The line for news may not have been there yet.
  const complaints = await keeping.clear({ houses: false });
  expect(complaints.filter((one) => !cutLine.test(one))).toEqual([]);
  expect(page.isClosed()).toBe(false);
  expect(await page.getByRole('heading', { level: 1, name: 'Help center' }).count()).toBe(1);

  expect(await homeOf(ben)).not.toBe(page);
  expect(await homeOf(ann, { scheme: 'dark' })).not.toBe(page);
  expect(await homeOf(ann)).toBe(page);
  const state = () => [innerWidth, navigator.onLine, localStorage.getItem('chosen')];
  expect(await page.evaluate(state)).toEqual([widths.wide.width, true, null]);

  // A page is not kept if somebody else signed in on it, and closed if its clock was changed, or if its test failed.
  await page.context().clearCookies();
  const ofBen = await homeOf(ben, { scheme: 'dark' });
  await ofBen.addInitScript(() => {});
  expect(await keeping.clear({ houses: false })).toEqual([]);
  expect([page.url(), ofBen.isClosed()]).toEqual(['about:blank', true]);
  const last = await homeOf(ann);
  await keeping.clear({ keeps: false });
  expect(last.isClosed()).toBe(true);
  await keeping.close();
});

it('a page with a violation for axe, one that is too wide and one with a frame are not accessible', async () => {
  const page = await desk.seat(nowhere);
  const show = (body: string) =>
    page.setContent(`<html lang="en"><title>Page</title><main><h1>Page</h1>${body}</main></html>`);
  await show('<img src="data:,">');
  expect(await faultsOf(page)).toEqual([expect.stringMatching(/^image-alt: img /)]);
  await expect(expectAccessible(page)).rejects.toThrow();
  await show('<p style="width: 3000px">wide</p>');
  await expect(expectAccessible(page)).rejects.toThrow();
  await show('<iframe title="frame" srcdoc="<p>inside</p>"></iframe>');
  await expect(expectAccessible(page)).rejects.toThrow(/frames of/);
  await show('<p>fine</p>');
  await expectAccessible(page);
  await desk.clear();
});

it('a page whose colours cannot be read in the dark is not readable', async () => {
  const page = await desk.seat(nowhere);
  const show = (dark: string) =>
    page.setContent(`<html lang="en"><title>Page</title><style>body { background: #fff; color: #000 }
      @media (prefers-color-scheme: dark) { ${dark} }</style><main><h1>Page</h1></main></html>`);
  await show('body { background: #111; color: #222 }');
  await expect(expectReadable(page)).rejects.toThrow(/dark/);
  await show('body { background: #111; color: #eee }');
  await page.emulateMedia({ colorScheme: 'light' });
  await expectReadable(page);
  expect(await page.evaluate(() => matchMedia('(prefers-color-scheme: light)').matches)).toBe(true);
  await desk.clear();
});
