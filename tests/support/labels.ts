import type { Page } from 'playwright-core';
import { widths } from './browser.ts';

/** Faults of the labels that can be seen now. */
async function cutLabels(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const faults: string[] = [];
    const root = document.documentElement;
    if (root.scrollWidth > window.innerWidth + 1) faults.push(`the page is ${root.scrollWidth} px wide`);
    const controls = 'button, a[class], summary, label, legend, th, h1, h2, h3, [role=tab], [role=option]';
    for (const one of document.querySelectorAll<HTMLElement>(controls)) {
      const text = one.innerText.trim();
      // People's own words may be shortened: titles of recordings, quotes and notes.
      if (text === '' || one.closest('[data-own], td, .ProseMirror, [data-card], blockquote')) continue;
      if (!one.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
      for (const part of [one, ...one.querySelectorAll<HTMLElement>('*')]) {
        const { width, height } = part.getBoundingClientRect();
        // Hidden but for screen readers.
        if (width <= 1 || height <= 1 || getComputedStyle(part).display === 'inline') continue;
        if (part.scrollWidth > part.clientWidth + 1)
          faults.push(`cut: “${text}” (${part.scrollWidth} in ${part.clientWidth})`);
      }
    }
    const said = document.body.innerText;
    for (const [missing] of said.matchAll(/\{\{\w+\}\}|(?<![\w./@-])[a-z]\w*(?:\.[a-z]\w*){2,}(?![\w.@-])/g))
      faults.push(`no text: ${missing}`);
    return [...new Set(faults)];
  });
}

/** The faults at both widths, each with its place. */
export async function lookAtLabels(page: Page, place: string): Promise<string[]> {
  const found: string[] = [];
  for (const [name, size] of Object.entries(widths)) {
    await page.setViewportSize(size);
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    found.push(...(await cutLabels(page)).map((fault) => `${place}, ${name}: ${fault}`));
  }
  await page.setViewportSize(widths.wide);
  return found;
}
