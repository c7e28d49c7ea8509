import type { Page } from 'playwright-core';

// What is measured in a page with a text in it, ours or a plain one.

export const keys = 60;

/** What the page itself keeps of its times; put there before anything of it runs. */
interface Kept {
  readable: number;
  editable: number;
  /** From a key's event to what is on the screen then, in ms. */
  painted: number[];
  /** When something in the text was on the screen, in ms since the epoch. */
  seen: number[];
  pressed: number[];
}

/** What tsx wraps functions in has to be there where they run. */
export const named = 'globalThis.__name = (work) => work;';

export function at(list: readonly number[], share: number): number {
  const sorted = list.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

export function mb(list: readonly number[]): string {
  return `${(at(list, 0.5) / 1e6).toFixed(1)} MB`;
}

export function kept(page: Page): Promise<Kept> {
  return page.evaluate(() => (window as unknown as { kept: Kept }).kept);
}

/** In the page: watches the text come, and each key on its way to the screen. */
export function keep(): void {
  const times: Kept = { readable: 0, editable: 0, painted: [], seen: [], pressed: [] };
  Object.assign(window, { kept: times });
  const afterPaint = (work: () => void) =>
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = work;
      port2.postMessage(null);
    });
  const watch = new MutationObserver(() => {
    // With each key nothing is looked at that costs more with a longer text.
    if (times.editable > 0) return afterPaint(() => times.seen.push(performance.timeOrigin + performance.now()));
    const text = document.querySelector('.ProseMirror');
    const enough = (element: Element | null) => (element?.textContent?.length ?? 0) >= 1000;
    // A long text is there to be read before its editor is.
    if (times.readable === 0 && (enough(text) || enough(document.querySelector('[role="document"][aria-busy]')))) {
      times.readable = -1;
      afterPaint(() => (times.readable = performance.now()));
    }
    if (times.editable === 0 && enough(text) && text?.getAttribute('contenteditable') === 'true') {
      times.editable = -1;
      afterPaint(() => (times.editable = performance.now()));
    }
  });
  watch.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
  document.addEventListener(
    'keydown',
    (event) => {
      times.pressed.push(performance.timeOrigin + event.timeStamp);
      afterPaint(() => times.painted.push(performance.now() - event.timeStamp));
    },
    true,
  );
}

/** Keys in a segment in the window, as somebody types who types fast. */
export async function type(page: Page): Promise<number[]> {
  const { painted: before } = await kept(page);
  await page.locator('.ProseMirror > *').nth(4).click();
  for (let i = 0; i < keys; i += 1) {
    await page.keyboard.press(i % 6 === 5 ? 'Space' : 'x');
    await page.waitForTimeout(60);
  }
  return (await kept(page)).painted.slice(before.length);
}

/** The time between frames while the text runs through the window. */
export function scroll(page: Page): Promise<number[]> {
  return page.evaluate(
    () =>
      new Promise<number[]>((resolve) => {
        let box = document.querySelector('.ProseMirror')?.parentElement ?? null;
        while (box && box.scrollHeight <= box.clientHeight + 1) box = box.parentElement;
        const element = box ?? document.scrollingElement;
        const frames: number[] = [];
        let last = performance.now();
        const step = () => {
          const now = performance.now();
          frames.push(now - last);
          last = now;
          element?.scrollBy(0, 300);
          if (frames.length < 90) requestAnimationFrame(step);
          else {
            element?.scrollTo(0, 0);
            resolve(frames.slice(5));
          }
        };
        requestAnimationFrame(step);
      }),
  );
}

export async function heap(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  return usedSize;
}

/** Loaded, and there to be written in. */
export async function untilEditable(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await page.waitForFunction(() => (window as unknown as { kept: Kept }).kept.editable > 0, null, { timeout: 120_000 });
}
