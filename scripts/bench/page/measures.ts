import type { Page } from 'playwright-core';

// Measurements in a page with a text, ours or a plain one.

export const keys = 60;

/** Times recorded in the page; installed before any of its scripts run. */
interface Kept {
  readable: number;
  editable: number;
  /** Milliseconds from each key event to the next paint. */
  painted: number[];
  /** Times of paints after a change of the text, in ms since the epoch. */
  seen: number[];
  pressed: number[];
}

/** Helper that tsx refers to in functions; the page needs it too. */
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

/** Runs in the page: records when the text appears, and when each key is painted. */
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
    // Nothing here depends on the length of the text once keys are measured.
    if (times.editable > 0) return afterPaint(() => times.seen.push(performance.timeOrigin + performance.now()));
    const text = document.querySelector('.ProseMirror');
    const enough = (element: Element | null) => (element?.textContent?.length ?? 0) >= 1000;
    // A long text can be read before its editor is ready.
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

/** Types keys in a visible segment at the pace of a fast typist. */
export async function type(page: Page, segment = 4): Promise<number[]> {
  const { painted: before } = await kept(page);
  await page.locator('.ProseMirror > *').nth(segment).click();
  for (let i = 0; i < keys; i += 1) {
    await page.keyboard.press(i % 6 === 5 ? 'Space' : 'x');
    await page.waitForTimeout(60);
  }
  return (await kept(page)).painted.slice(before.length);
}

/** Times between frames while the text scrolls through the window. */
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

/** Milliseconds of CPU that the page's main thread has spent; on a busy machine they tell more than frames. */
export async function spentBy(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  return async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1000;
  };
}

export async function heap(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  return usedSize;
}

/** Waits until the page is loaded and can be edited. */
export async function untilEditable(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await page.waitForFunction(() => (window as unknown as { kept: Kept }).kept.editable > 0, null, { timeout: 120_000 });
}
