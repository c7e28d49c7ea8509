import type { Page } from 'playwright-core';

// Text that would run if it were ever taken for more than text.

/**
 * Payloads that run report themselves, and what the page’s policy blocked counts as well: it should not have been
 * tried.
 */
export async function watch(page: Page): Promise<string[]> {
  const heard: string[] = [];
  await page.exposeFunction('hit', () => void heard.push('ran'));
  page.on('dialog', (dialog) => {
    heard.push(`dialog: ${dialog.message()}`);
    dialog.dismiss().catch(() => {});
  });
  page.on('console', (message) => /Content Security Policy/.test(message.text()) && heard.push(message.text()));
  return heard;
}

/** Elements that a payload has become. */
export const made = (page: Page, within: string): Promise<string[]> =>
  page
    .locator(within)
    .evaluate(
      (place, hostile) => [...place.querySelectorAll(hostile)].map((one) => one.outerHTML.slice(0, 200)),
      'script, iframe, details, math, img, object, embed, form[action], marquee, base, [autofocus], a[href^="javascript" i]',
    );
