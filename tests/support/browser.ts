import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type Axe from 'axe-core';
import type { Browser, BrowserContext, Dialog, Download, Page } from 'playwright-core';
import { afterAll, afterEach, expect } from 'vitest';
import { openHouse, type HouseOptions, type TestHouse } from './house.ts';
import type { Person } from './people.ts';
import { worker } from './worker.ts';

/** Reason not to record here; undefined for none. */
export const noMicrophone = process.env['TEST_NO_MICROPHONE'];

/** Both widths at which every screen is tested. */
export const widths = { wide: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } } as const;
export type Width = keyof typeof widths;
export type Scheme = 'light' | 'dark';

export interface Look {
  width?: Width;
  scheme?: Scheme;
  /** Language the browser asks for; default: English. */
  locale?: string;
  /** Allows the service worker; off by default, because it fetches all files of the page behind every other test. */
  keepsScreens?: boolean;
}

/**
 * Opens pages for the people of a test file. After each test it closes the pages, then the houses of that test, and
 * fails the test on page errors, except those that match `expected`. Only a file that says so can record.
 */
export function openDesk(expected?: RegExp, { records = false, keeps = false } = {}): Desk {
  const desk = new Desk(keeps);
  if (records) worker.beforeAll(({ recordingBrowser }) => desk.use(recordingBrowser));
  else worker.beforeAll(({ browser }) => desk.use(browser));
  afterEach(async ({ task }) => {
    const complaints = await desk.clear({ keeps: task.result?.state !== 'fail' });
    expect(complaints.filter((line) => !expected?.test(line)).join('\n')).toBe('');
  });
  if (keeps) afterAll(() => desk.close());
  return desk;
}

/** One person's browser: its context, and whether its test is over. */
interface Seat {
  context: BrowserContext;
  page: Page;
  origin: string;
  /** Values of its person's cookies. */
  person: string[];
  look: Required<Look>;
  left: boolean;
  /** Whether the test did what no page forgets. */
  spoiled: boolean;
}

/**
 * Empty pages for anybody, by browser: they have forgotten their last person, but not how to compile the product, which
 * is half of what a new page costs.
 */
const emptied = new WeakMap<Browser, Seat[]>();
/** More would keep memory that nobody uses. */
const mostEmptied = 4;

export class Desk {
  #browser: Browser | undefined;
  readonly #seats: Seat[] = [];
  /** Pages of earlier tests that are shown something small, until the same person opens one again. */
  readonly #kept: Seat[] = [];
  readonly #keeps: boolean;
  readonly #houses: TestHouse[] = [];
  /** Page errors, each with the address of the page. */
  readonly complaints: string[] = [];

  constructor(keeps = false) {
    this.#keeps = keeps;
  }

  use(browser: Browser): void {
    this.#browser = browser;
  }

  /** Opens a browser context with a person's cookies, width and colour scheme, or one that an earlier test left. */
  async seat(
    person: Person,
    { width = 'wide', scheme = 'light', locale = 'en-US', keepsScreens = false }: Look = {},
  ): Promise<Page> {
    if (!this.#browser) throw new Error('the browser is there from the first beforeAll on');
    const look = { width, scheme, locale, keepsScreens };
    const cookies = [...person.cookies.values()];
    const isSame = (seat: Seat) => isDeepStrictEqual([seat.person, seat.look], [cookies, look]);
    const at = this.#kept.findIndex(isSame);
    const [kept] = at < 0 ? [] : this.#kept.splice(at, 1);
    if (kept) {
      this.#seats.push(kept);
      kept.left = false;
      return kept.page;
    }
    const seat = takeEmptied(this.#browser, person.origin, look) ?? (await newSeat(this.#browser, person.origin, look));
    const { context, page } = seat;
    Object.assign(seat, { person: cookies, left: false });
    this.#seats.push(seat);
    await context.addCookies([...person.cookies].map(([name, value]) => ({ name, value, url: person.origin })));
    const complain = (what: string) => {
      if (!seat.left) this.complaints.push(`${page.url()}: ${what}`);
    };
    page.on('pageerror', (error) => complain(error.message));
    page.on('console', (message) => {
      // A refused call is an answer that tests of refusals want, but the browser logs it. A page whose session has just
      // ended also asks for its news once more.
      const refused = /^Failed to load resource|\/sync\/news' failed: HTTP Authentication failed/;
      if (message.type() === 'error' && !refused.test(message.text())) complain(message.text());
    });
    return page;
  }

  /** A house for one test, closed after the pages of that test. */
  async openHouse(options: HouseOptions): Promise<TestHouse> {
    const house = await openHouse(options);
    this.#houses.push(house);
    return house;
  }

  /** Leaves every page, then closes the houses of the test; returns page errors since the last call. */
  async clear({ keeps = true, houses = true } = {}): Promise<string[]> {
    const over = this.#seats.splice(0);
    // A stranger has no cookies, so their page is nobody's.
    const keepable = over.filter((seat) => this.#keeps && keeps && seat.person.length > 0 && isWhole(seat));
    const stayed = await Promise.all(keepable.map(makeReady));
    this.#kept.push(...keepable.filter((_, at) => stayed[at]));
    const ofTest = new Set(houses ? this.#houses.map(({ origin }) => origin) : []);
    const mayStay = (seat: Seat) => keeps && !ofTest.has(seat.origin);
    await Promise.all(
      over.filter((seat) => !this.#kept.includes(seat)).map((seat) => this.#leave(seat, mayStay(seat))),
    );
    if (houses) await Promise.all(this.#houses.splice(0).map((house) => house.close()));
    return this.complaints.splice(0);
  }

  /** Leaves the pages that were kept for a further test. */
  async close(): Promise<void> {
    await Promise.all(this.#kept.splice(0).map((seat) => this.#leave(seat)));
  }

  /** Leaves a page, and closes it or empties it for anybody. */
  async #leave(seat: Seat, mayStay = true): Promise<void> {
    await hearLastWord(seat);
    if (!this.#browser || !mayStay || !(await empty(seat))) return closeSeat(seat);
    const all = emptied.get(this.#browser) ?? [];
    emptied.set(this.#browser, all);
    all.push(seat);
    // The oldest may be of a house that is closed.
    await Promise.all(all.splice(0, all.length - mostEmptied).map(closeSeat));
  }
}

/** Opens a browser of somebody who has not signed in. */
async function newSeat(browser: Browser, origin: string, look: Required<Look>): Promise<Seat> {
  const phone = look.width === 'phone';
  const context = await browser.newContext({
    baseURL: origin,
    viewport: widths[look.width],
    colorScheme: look.scheme,
    locale: look.locale,
    isMobile: phone,
    hasTouch: phone,
    serviceWorkers: look.keepsScreens ? 'allow' : 'block',
  });
  // Long enough that it ends only what hangs, not what is slow.
  context.setDefaultTimeout(60_000);
  const page = endingQuietly(await context.newPage());
  const seat: Seat = { context, page, origin, person: [], look, left: false, spoiled: false };
  watchForSpoiling(seat);
  return seat;
}

/** Takes an empty page of that house and look, if there is one. */
function takeEmptied(browser: Browser, origin: string, look: Required<Look>): Seat | undefined {
  const all = emptied.get(browser) ?? [];
  const at = all.findLastIndex((seat) => seat.origin === origin && isDeepStrictEqual(seat.look, look));
  return at < 0 ? undefined : all.splice(at, 1)[0];
}

/**
 * Notices what a page keeps for good: another clock, scripts that run before its own, routes of sockets, or what only the
 * debugger sets.
 */
function watchForSpoiling(seat: Seat): void {
  const { page, context } = seat;
  const watched: [holder: object, name: string][] = [
    ...[page, context].flatMap((holder) =>
      ['addInitScript', 'exposeFunction', 'exposeBinding', 'routeWebSocket', 'setDefaultTimeout'].map(
        (name): [object, string] => [holder, name],
      ),
    ),
    [context, 'newCDPSession'],
    ...['install', 'setFixedTime', 'setSystemTime'].map((name): [object, string] => [page.clock, name]),
  ];
  for (const [holder, name] of watched) {
    const original = (holder as Record<string, (...args: unknown[]) => unknown>)[name]?.bind(holder);
    const spoiling = (...args: unknown[]) => {
      seat.spoiled = true;
      return original?.(...args);
    };
    Object.assign(holder, { [name]: spoiling });
  }
}

/** Whether a page is alone in its browser, and shows something of its house. */
const isWhole = ({ context, page, origin, spoiled }: Seat) =>
  !spoiled && !page.isClosed() && context.pages().length === 1 && page.url().startsWith(`${origin}/`);

/** Presses of Escape until a pane is taken for one that cannot be closed. */
const mostEscapes = 50;

/** Page for waiting between tests: small, and the same for everybody. */
const waiting = '/help';

/** Undoes what a test set on its browser, whatever it shows. */
async function resetBrowser({ context, page }: Pick<Seat, 'context' | 'page'>): Promise<void> {
  for (const event of ['dialog', 'request', 'requestfinished', 'response', 'websocket', 'download'] as const)
    page.removeAllListeners(event);
  await Promise.all([
    context.setOffline(false),
    context.clearPermissions(),
    ...[context, page].map((holder) => holder.unrouteAll({ behavior: 'ignoreErrors' })),
    page.setExtraHTTPHeaders({}),
    page.mouse.move(0, 0),
  ]);
}

/** Closes the pane, which would stay open in the next recording; a dialog that is still closing may take the key. */
async function closePane(page: Page): Promise<void> {
  for (let tries = 1; tries <= mostEscapes; tries += 1) {
    await page.keyboard.press('Escape');
    if (!(await page.locator('[data-pane]:has([data-rail])').isVisible())) return;
    await page.waitForTimeout(100);
  }
}

/** Undoes what a test set on its page and leaves what it showed; returns whether the page may be used again. */
async function makeReady({ context, page, look, person }: Seat): Promise<boolean> {
  try {
    await resetBrowser({ context, page });
    // Somebody else may have signed in.
    const cookies = (await context.cookies()).map(({ value }) => value);
    if (!person.every((value) => cookies.includes(value))) return false;
    await closePane(page);
    await visit(page, waiting);
    await page.locator(pageHeading).waitFor();
    await page.locator('.ProseMirror').waitFor({ state: 'detached' });
    await page.setViewportSize(widths[look.width]);
    await page.emulateMedia({ colorScheme: look.scheme });
    await page.evaluate(() => {
      localStorage.clear();
      sessionStorage.clear();
    });
    return true;
  } catch {
    return false;
  }
}

/** Selector of the heading of a page that is drawn: its placeholder has one as well. */
export const pageHeading = 'h1:not([aria-busy] h1)';

/** Shows another page of the product as a link within it would, without loading it anew. */
export async function visit(page: Page, path: string): Promise<void> {
  await page.evaluate((to) => {
    history.pushState(null, '', to);
    dispatchEvent(new PopStateEvent('popstate', { state: null }));
  }, path);
}

/** Longest wait for a page's last errors; a page that hangs is closed all the same. */
const lastWord = 5_000;

/** Waits for the last errors of a browser; none is heard after that. */
async function hearLastWord(seat: Seat): Promise<void> {
  const pages = seat.context.pages();
  // A page's errors arrive before the answer to a question that is asked after them.
  const heard = Promise.allSettled(pages.map((page) => page.evaluate('0')));
  await Promise.race([heard, new Promise((resolve) => setTimeout(resolve, lastWord).unref())]);
  seat.left = true;
}

/** Makes a page forget its person and all that was set on it; returns whether anybody may use it. */
async function empty(seat: Seat): Promise<boolean> {
  const { context, page, origin, look } = seat;
  if (look.keepsScreens || !isWhole(seat)) return false;
  try {
    await resetBrowser(seat);
    page.removeAllListeners('pageerror').removeAllListeners('console');
    // A page that empties itself stays in its process.
    await page.evaluate("location.replace('about:blank')");
    await page.waitForURL('about:blank', { timeout: lastWord });
    await page.evaluate("localStorage.clear(); sessionStorage.clear(); name = ''");
    const session = await context.newCDPSession(page);
    await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
    await session.send('Page.resetNavigationHistory');
    await session.detach();
    seat.spoiled = false;
    await context.clearCookies();
    await page.setViewportSize(widths[look.width]);
    const media = { media: null, reducedMotion: null, forcedColors: null, contrast: null };
    await page.emulateMedia({ ...media, colorScheme: look.scheme });
    return true;
  } catch {
    return false;
  }
}

/** Closes one person's browser. Requests that tests still hold end with it, which is no error of the tests. */
async function closeSeat({ context }: Seat): Promise<void> {
  const pages = context.pages();
  // A test may have closed a page or the whole context by itself.
  await Promise.allSettled([...pages, context].map((holder) => holder.unrouteAll({ behavior: 'ignoreErrors' })));
  await Promise.allSettled(pages.map((page) => page.close()));
  await context.close();
}

/**
 * A test that fails between starting a wait and awaiting it leaves a promise that rejects when its page closes. That is
 * no error of the run; a test that awaits it still sees the rejection.
 */
function endingQuietly(page: Page): Page {
  for (const name of ['waitForEvent', 'waitForRequest', 'waitForResponse', 'waitForURL'] as const) {
    const wait = page[name].bind(page) as (...args: unknown[]) => Promise<unknown>;
    const quiet = (...args: unknown[]) => {
      const waited = wait(...args);
      waited.catch(() => {});
      return waited;
    };
    Object.assign(page, { [name]: quiet });
  }
  return page;
}

/**
 * Waits while the clock of a page runs ahead, so that what the page waits for by itself takes no time. `page.clock` has
 * to be installed before the page is opened.
 */
export async function hurried<Result>(page: Page, stepMs: number, waited: Promise<Result>): Promise<Result> {
  let over = false;
  const ended = waited.then(
    () => (over = true),
    () => (over = true),
  );
  while (!over) {
    await page.clock.fastForward(stepMs);
    await Promise.race([ended, sleep(50)]);
  }
  return waited;
}

/** Accepts every dialog of a page; a page that closes meanwhile needs no answer. */
export const agree = (dialog: Dialog): void => void dialog.accept().catch(() => {});

/** Path of the minified axe, which a page reads in two thirds of the time. */
const axePath = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** Violations that axe finds in a page, of some of its rules or of all. */
export async function faultsOf(page: Page, only?: string[]): Promise<string[]> {
  await stillness(page);
  // Frames would need an axe of their own.
  expect(page.frames().length, `frames of ${page.url()}`).toBe(1);
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(`${await readFile(axePath, 'utf8')}; 0`);
  // Reporting only violations takes an eighth of the time of a full report. Style sheets are read for one rule alone,
  // which is experimental and so does not run.
  const violations = await page.evaluate(async (rules) => {
    const { axe } = window as unknown as { axe: typeof Axe };
    const options: Axe.RunOptions = { resultTypes: ['violations'], preload: { assets: ['media'] } };
    return (await axe.run({ ...options, ...(rules ? { runOnly: rules } : {}) })).violations;
  }, only);
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.target.join(' ')} ${node.failureSummary}`).join('; ')}`,
  );
}

/**
 * Waits until everything is at its final position; the end of one motion may begin another. An element that is folded
 * away, as behind "Details", is not moved on, and its motion never ends.
 */
const stillness = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    const isDrawn = (effect: AnimationEffect | null) =>
      !(effect instanceof KeyframeEffect) || effect.target?.checkVisibility() !== false;
    const moving = () =>
      document
        .getAnimations()
        .filter(
          ({ effect, playState }) =>
            playState === 'running' && effect?.getComputedTiming().endTime !== Infinity && isDrawn(effect),
        );
    for (let motions = moving(); motions.length > 0; motions = moving())
      await Promise.allSettled(motions.map((motion) => motion.finished));
  });

/** Fails on violations that axe finds, and on content wider than the window. */
export async function expectAccessible(page: Page): Promise<void> {
  expect(await faultsOf(page), page.url()).toEqual([]);
  await expectFitting(page);
}

/** Fails on content wider than the window. */
export async function expectFitting(page: Page): Promise<void> {
  await stillness(page);
  expect(
    await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth),
    page.url(),
  ).toBeLessThanOrEqual(0);
}

/** Expects an accessible page whose colours can be read in both schemes: only these depend on the scheme. */
export async function expectReadable(page: Page): Promise<void> {
  await expectAccessible(page);
  const ground = () =>
    page.evaluate(() =>
      [document.documentElement, document.body].map((part) => getComputedStyle(part).backgroundColor).join(),
    );
  const light = await ground();
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect.poll(ground, { message: page.url() }).not.toBe(light);
  expect(await faultsOf(page, ['color-contrast', 'link-in-text-block']), `${page.url()}, dark`).toEqual([]);
  await page.emulateMedia({ colorScheme: 'light' });
  await expect.poll(ground, { message: page.url() }).toBe(light);
}

/** Bytes of a file the page offered as a download; the browser may run elsewhere, so the file has no path here. */
export async function bytesOf(file: Download): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of await file.createReadStream()) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** Draws a finger across a phone's screen. */
export async function swipe(page: Page, from: { x: number; y: number }, to: { x: number; y: number }): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', x: number, y: number) =>
    session.send('Input.dispatchTouchEvent', { type, touchPoints: type === 'touchEnd' ? [] : [{ x, y }] });
  await touch('touchStart', from.x, from.y);
  const steps = 8;
  for (let step = 1; step <= steps; step += 1) {
    const at = step / steps;
    await touch('touchMove', from.x + (to.x - from.x) * at, from.y + (to.y - from.y) * at);
  }
  // A finger that rests before it lifts adds no momentum: the page stays where it was scrolled.
  await page.waitForTimeout(120);
  await touch('touchMove', to.x, to.y);
  await touch('touchEnd', to.x, to.y);
  await session.detach();
}

/** Simulates an input method: the text it shows while composing, and the text it commits. */
export async function compose(page: Page): Promise<Record<'write' | 'commit', (text: string) => Promise<unknown>>> {
  const session = await page.context().newCDPSession(page);
  return {
    write: (text: string) =>
      session.send('Input.imeSetComposition', { text, selectionStart: text.length, selectionEnd: text.length }),
    commit: (text: string) => session.send('Input.insertText', { text }),
  };
}
