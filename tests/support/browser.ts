import { AxeBuilder } from '@axe-core/playwright';
import { chromium, type Browser, type BrowserContext, type Dialog, type Page } from 'playwright-core';
import { expect } from 'vitest';
import { browserArgs, findBrowser } from '../../scripts/browser.mjs';
import type { Person } from './people.ts';

const root = new URL('../..', import.meta.url).pathname;

/** Both widths every screen is looked at in. */
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

/** A real browser in which people of a house open pages; whatever a page complains about fails the test. */
export async function openBrowser(more: readonly string[] = []) {
  const path = process.env['PLAYWRIGHT_CHROMIUM'] ?? (await findBrowser(root, new AbortController().signal)).path;
  if (path === undefined) throw new Error('no browser on this machine; `npm test` finds or fetches one');
  const browser = await chromium.launch({ executablePath: path, args: [...browserArgs, ...more], timeout: 120_000 });
  return new Desk(browser);
}

export class Desk {
  readonly #browser: Browser;
  readonly #contexts: BrowserContext[] = [];
  /** What pages complained about, with their address. */
  readonly complaints: string[] = [];

  constructor(browser: Browser) {
    this.#browser = browser;
  }

  /** A browser of its own for somebody: their cookies, their width, their scheme. */
  async seat(
    person: Person,
    { width = 'wide', scheme = 'light', locale = 'en-US', keepsScreens = false }: Look = {},
  ): Promise<Page> {
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
    this.#contexts.push(context);
    // Ends what hangs, and not what is slow.
    context.setDefaultTimeout(60_000);
    await context.addCookies([...person.cookies].map(([name, value]) => ({ name, value, url: person.origin })));
    const page = await context.newPage();
    page.on('pageerror', (error) => this.complaints.push(`${page.url()}: ${error.message}`));
    page.on('console', (message) => {
      // A refused call is an answer, and tests of refusals want it; the browser logs it all the same.
      // So does a page whose session has just ended, and which asks once more for its news.
      const refused = /^Failed to load resource|\/sync\/news' failed: HTTP Authentication failed/;
      if (message.type() === 'error' && !refused.test(message.text())) {
        this.complaints.push(`${page.url()}: ${message.text()}`);
      }
    });
    return page;
  }

  /** Leaves every page, and says what they complained about since the last time. */
  async clear(): Promise<string[]> {
    await Promise.all(this.#contexts.splice(0).map(leave));
    return this.complaints.splice(0);
  }

  async close(): Promise<void> {
    await this.#browser.close();
  }
}

/** Closes a browser; what tests still hold of its requests goes with it, which is no error of theirs. */
async function leave(context: BrowserContext): Promise<void> {
  const holders = [context, ...context.pages()];
  // A test may have closed it by itself.
  await Promise.allSettled(holders.map((holder) => holder.unrouteAll({ behavior: 'ignoreErrors' })));
  await context.close();
}

/** Says yes to whatever a page asks; a page that is closed meanwhile wants no answer. */
export const agree = (dialog: Dialog): void => void dialog.accept().catch(() => {});

/** Nothing that axe finds, and nothing that makes the page wider than its window. */
export async function expectAccessible(page: Page): Promise<void> {
  // What is still moving is judged by where it will be.
  await page.evaluate(() =>
    Promise.allSettled(
      document
        .getAnimations()
        .filter((motion) => motion.effect?.getComputedTiming().endTime !== Infinity)
        .map((motion) => motion.finished),
    ),
  );
  const { violations } = await new AxeBuilder({ page }).analyze();
  const found = violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.target.join(' ')} ${node.failureSummary}`).join('; ')}`,
  );
  expect(found, page.url()).toEqual([]);
  expect(
    await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth),
    page.url(),
  ).toBeLessThanOrEqual(0);
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
