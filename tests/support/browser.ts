import axe from 'axe-core';
import type Axe from 'axe-core';
import type { Browser, BrowserContext, Dialog, Download, Page } from 'playwright-core';
import { afterEach, expect } from 'vitest';
import { openHouse, type HouseOptions, type TestHouse } from './house.ts';
import type { Person } from './people.ts';
import { worker } from './worker.ts';

/** Both widths every screen is looked at in. */
/** Why this browser cannot record; undefined where it can. */
export const noMicrophone = process.env['TEST_NO_MICROPHONE'];

export const widths = { wide: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } } as const;
export type Width = keyof typeof widths;
export type Scheme = 'light' | 'dark';

export interface Look {
  width?: Width;
  scheme?: Scheme;
  /** What the browser asks for; English otherwise. */
  locale?: string;
  /** Keeps the page itself as browsers do; off, as it fetches all files of the page behind every other test. */
  keepsScreens?: boolean;
}

/**
 * The desk of a test file, at which people open pages. After each test its pages are closed, then the houses of that
 * test; what a page complained about until then fails the test, except complaints that are `expected` in this file.
 */
export function openDesk(expected?: RegExp): Desk {
  const desk = new Desk();
  worker.beforeAll(({ browser }) => desk.use(browser));
  afterEach(async () => {
    const complaints = await desk.clear();
    expect(complaints.filter((line) => !expected?.test(line))).toEqual([]);
  });
  return desk;
}

/** One person's browser: its context, and whether its test is over. */
interface Seat {
  context: BrowserContext;
  left: boolean;
}

export class Desk {
  #browser: Browser | undefined;
  readonly #seats: Seat[] = [];
  readonly #houses: TestHouse[] = [];
  /** What pages complained about, with their address. */
  readonly complaints: string[] = [];

  use(browser: Browser): void {
    this.#browser = browser;
  }

  /** A browser of its own for somebody: their cookies, their width, their scheme. */
  async seat(
    person: Person,
    { width = 'wide', scheme = 'light', locale = 'en-US', keepsScreens = false }: Look = {},
  ): Promise<Page> {
    if (!this.#browser) throw new Error('the browser is there from the first beforeAll on');
    const phone = width === 'phone';
    const context = await this.#browser.newContext({
      baseURL: person.origin,
      viewport: widths[width],
      colorScheme: scheme,
      locale,
      isMobile: phone,
      hasTouch: phone,
      serviceWorkers: keepsScreens ? 'allow' : 'block',
    });
    const seat: Seat = { context, left: false };
    this.#seats.push(seat);
    // Ends what hangs, and not what is slow.
    context.setDefaultTimeout(60_000);
    await context.addCookies([...person.cookies].map(([name, value]) => ({ name, value, url: person.origin })));
    const page = endingQuietly(await context.newPage());
    const complain = (what: string) => {
      if (!seat.left) this.complaints.push(`${page.url()}: ${what}`);
    };
    page.on('pageerror', (error) => complain(error.message));
    page.on('console', (message) => {
      // A refused call is an answer, and tests of refusals want it; the browser logs it all the same.
      // So does a page whose session has just ended, and which asks once more for its news.
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

  /** Leaves every page, then closes the houses of the test; answers what pages complained about since the last time. */
  async clear(): Promise<string[]> {
    await Promise.all(this.#seats.splice(0).map(leave));
    await Promise.all(this.#houses.splice(0).map((house) => house.close()));
    return this.complaints.splice(0);
  }
}

/** Longest wait for what a page still has to say: a page that hangs is closed all the same. */
const lastWord = 5_000;

/** Closes one person's browser. Their requests that tests still hold end with it, which is no error of the tests. */
async function leave(seat: Seat): Promise<void> {
  const { context } = seat;
  const pages = context.pages();
  // Complaints arrive before the answer to a question that is asked after them.
  const heard = Promise.allSettled(pages.map((page) => page.evaluate('0')));
  await Promise.race([heard, new Promise((resolve) => setTimeout(resolve, lastWord).unref())]);
  seat.left = true;
  // A test may have closed a page or the whole context by itself.
  await Promise.allSettled([...pages, context].map((holder) => holder.unrouteAll({ behavior: 'ignoreErrors' })));
  await Promise.allSettled(pages.map((page) => page.close()));
  await context.close();
}

/**
 * A test that fails between beginning to wait and awaiting it leaves a promise that is rejected when its page is closed.
 * That is no error of the run; a test that awaits it still sees it.
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

/** Says yes to whatever a page asks; a page that is closed meanwhile wants no answer. */
export const agree = (dialog: Dialog): void => void dialog.accept().catch(() => {});

/** What axe finds in a page. */
export async function faultsOf(page: Page): Promise<string[]> {
  // What is still moving is judged by where it will be.
  await page.evaluate(() =>
    Promise.allSettled(
      document
        .getAnimations()
        .filter((motion) => motion.effect?.getComputedTiming().endTime !== Infinity)
        .map((motion) => motion.finished),
    ),
  );
  // A frame would need axe of its own.
  expect(page.frames().length, `frames of ${page.url()}`).toBe(1);
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(`${axe.source}; 0`);
  // Naming only violations costs an eighth of naming everything that was looked at.
  const violations = await page.evaluate(async () => {
    const { axe } = window as unknown as { axe: typeof Axe };
    return (await axe.run({ resultTypes: ['violations'] })).violations;
  });
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.target.join(' ')} ${node.failureSummary}`).join('; ')}`,
  );
}

/** Nothing that axe finds, and nothing that makes the page wider than its window. */
export async function expectAccessible(page: Page): Promise<void> {
  expect(await faultsOf(page), page.url()).toEqual([]);
  expect(
    await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth),
    page.url(),
  ).toBeLessThanOrEqual(0);
}

/** What a page gave as a file; the browser may run elsewhere, so it has no path here. */
export async function bytesOf(file: Download): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of await file.createReadStream()) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** A finger drawn across a phone's screen. */
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
  // A finger that rests before it leaves throws nothing: what it scrolled stays where it is.
  await page.waitForTimeout(120);
  await touch('touchMove', to.x, to.y);
  await touch('touchEnd', to.x, to.y);
  await session.detach();
}

/** An input method at work: what it shows as it goes on, and what it puts there in the end. */
export async function compose(page: Page) {
  const session = await page.context().newCDPSession(page);
  return {
    write: (text: string) =>
      session.send('Input.imeSetComposition', { text, selectionStart: text.length, selectionEnd: text.length }),
    commit: (text: string) => session.send('Input.insertText', { text }),
  };
}
