import type { Page } from 'playwright-core';

/** Announcements from now on: each text that a live region gets, and each addition to a log. */
export async function announcements(page: Page): Promise<() => Promise<string[]>> {
  await page.evaluate(() => {
    const said: string[] = [];
    Object.assign(window, { announced: said });
    const live = '[role=status], [role=alert], [aria-live]:not([aria-live=off])';
    const say = (text: string | null) => {
      if (text !== null && text.trim() !== '') said.push(text.trim());
    };
    new MutationObserver((changes) => {
      const regions = new Set<Element>();
      for (const { type, target, addedNodes } of changes) {
        const place = target instanceof Element ? target : target.parentElement;
        const region = place?.closest(live);
        if (region) regions.add(region);
        // A log announces only what comes.
        else if (place?.closest('[role=log]'))
          for (const node of type === 'childList' ? addedNodes : [target]) say(node.textContent);
      }
      for (const region of regions) say(region.textContent);
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
  });
  return () => page.evaluate(() => (window as unknown as { announced: string[] }).announced);
}
