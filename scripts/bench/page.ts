// npm run bench -- page [words] [--quick] [--profile <folder>]: a recording's page in a real browser, beside a plain page
// with the same text in it: until it can be read and written, from a key to the paint (alone, with two others typing, and
// on another's screen), scrolling, and memory. Rounds alternate, so that whatever else the machine does falls on both.
// --quick is one round; --profile writes where the processor is while it opens and while somebody types.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium, type Browser, type Page } from 'playwright-core';
import { meetingAccess, meetings } from '#db/schema/meetings.ts';
import { readConfig } from '#server/config.ts';
import { start } from '#server/start.ts';
import { newId } from '#shared/ids.ts';
import { seedState } from '#shared/meetings/seed.ts';
import { Person } from '#tests/support/people.ts';
import { browserArgs, findBrowser } from '../browser.mjs';
import { figures } from '../figures.ts';
import { root } from '../prepare.mjs';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false }, profile: { type: 'string' } },
});
const words = Number(positionals[0] ?? '30000');
const perSegment = 20;
const rounds = options.quick ? 1 : 3;
const keys = 60;
const line = 'so what would you like to work on today if we had the whole morning for it then my dear friend'.split(
  ' ',
);
const texts = Array.from({ length: Math.ceil(words / perSegment) }, (_, i) =>
  Array.from({ length: perSegment }, (_word, k) => line[(i * 7 + k * (1 + (i % 5))) % line.length]).join(' '),
);

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
const named = 'globalThis.__name = (work) => work;';

const folder = mkdtempSync(join(tmpdir(), 'colloquy-bench-'));
const config = readConfig({ PORT: '0', DATA_DIR: folder, DEMO: 'off', LOG_LEVEL: 'error' }, root);
const running = await start(config, () => {}, { quickPasswords: true });
const { path } = await findBrowser(root, new AbortController().signal);
if (path === undefined) throw new Error('no browser on this machine');
const browser = await chromium.launch({
  executablePath: path,
  // Three people at one machine: none of their pages is one in the background.
  args: [
    ...browserArgs,
    '--enable-precise-memory-info',
    '--disable-background-timer-throttling',
    '--disable-backgrounding-occluded-windows',
    '--disable-renderer-backgrounding',
  ],
});
try {
  await measure(browser);
} finally {
  await browser.close();
  await running.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function measure(chrome: Browser): Promise<void> {
  const origin = `http://127.0.0.1:${running.port}`;
  const people = await Promise.all(
    ['ann', 'ben', 'chen'].map(async (name) => {
      const person = new Person(origin);
      person.email = `${name}@example.test`;
      const { status, text } = await person.register();
      if (status !== 200) throw new Error(`registering failed: ${text}`);
      const { principal } = (await person.whoami()).body as { principal: { id: string } };
      person.id = principal.id;
      return person;
    }),
  );
  const [ann] = people;
  if (!ann) throw new Error('nobody there');
  const id = newId();
  const { db, rooms } = running.house;
  await db.orm.insert(meetings).values({ id, ownerId: ann.id });
  await db.orm
    .insert(meetingAccess)
    .values(
      people
        .slice(1)
        .map((person) => ({ meetingId: id, kind: 'user', principalId: person.id, permissions: ['read', 'write'] })),
    );
  const seed = seedState({
    speakers: [],
    segments: texts.map((text, k) => ({
      id: newId(),
      speaker: `p${k % 3}`,
      words: text.split(' ').map((w, i) => ({ w, f: k * 8 + i * 0.4, t: k * 8 + i * 0.4 + 0.35 })),
    })),
  });
  await rooms.renew(id, 'transcript', { userId: ann.id }, seed);

  const open = async (person: Person, profiled?: string) => {
    const context = await chrome.newContext({ baseURL: origin, viewport: { width: 1280, height: 800 } });
    await context.addCookies([...person.cookies].map(([name, value]) => ({ name, value, url: origin })));
    const page = await context.newPage();
    await page.addInitScript(named);
    await page.addInitScript(keep);
    await profile(page, profiled, async () => {
      await page.goto(`/meeting/${id}`);
      await page.waitForFunction(() => (window as unknown as { kept: Kept }).kept.editable > 0, null, {
        timeout: 120_000,
      });
    });
    return page;
  };
  const openPlain = async () => {
    const context = await chrome.newContext({ viewport: { width: 1280, height: 800 } });
    const page = await context.newPage();
    await page.addInitScript(named);
    await page.addInitScript(keep);
    await page.route('http://plain.test/', (route) =>
      route.fulfill({
        contentType: 'text/html',
        body: `<!doctype html><meta charset="utf-8"><style>div>p{font:18px/30px serif;max-width:72ch;margin:8px}</style><div class="ProseMirror" contenteditable="true">${texts.map((text) => `<p>${text}</p>`).join('')}</div>`,
      }),
    );
    await page.goto('http://plain.test/');
    await page.waitForFunction(() => (window as unknown as { kept: Kept }).kept.editable > 0);
    return page;
  };

  console.log(
    `${words.toLocaleString('en')} words in ${texts.length.toLocaleString('en')} segments, load ${loadavg()[0]?.toFixed(1)}`,
  );
  const readable = { ours: [] as number[], plain: [] as number[] };
  const editable: number[] = [];
  const typed = { plain: [] as number[], alone: [] as number[], three: [] as number[] };
  const remote: number[] = [];
  const scrolled = { ours: [] as number[], plain: [] as number[] };
  const memory = { ours: [] as number[], plain: [] as number[] };
  for (let round = 0; round <= rounds; round += 1) {
    // The first round only warms up.
    const note = (list: number[], more: number[]) => round > 0 && list.push(...more);
    const since = performance.now();
    const step = (name: string) =>
      console.log(`${round}/${rounds} ${name}: ${((performance.now() - since) / 1000).toFixed(1)} s`);
    const plain = await openPlain();
    note(readable.plain, [(await kept(plain)).readable]);
    note(typed.plain, await type(plain));
    note(scrolled.plain, await scroll(plain));
    note(memory.plain, [await heap(plain)]);
    await plain.context().close();
    step('plain page');

    const last = round === rounds;
    const mine = await open(ann, last ? 'open' : undefined);
    const { readable: read, editable: written } = await kept(mine);
    note(readable.ours, [read]);
    note(editable, [written]);
    step('opened');
    note(typed.alone, await profile(mine, last ? 'typed' : undefined, () => type(mine)));
    note(scrolled.ours, await scroll(mine));
    note(memory.ours, [await heap(mine)]);
    step('typed alone, scrolled');
    const others = await Promise.all(people.slice(1).map((person) => open(person)));
    step('two more opened');
    const [all, ...pressed] = await Promise.all([
      profile(mine, last ? 'typed-with-two' : undefined, () => type(mine)),
      ...others.map((page, i) => typeFar(page, 30 * (i + 1))),
    ]);
    note(typed.three, all);
    step('three typed');
    // Others are done: one of them types, and it is seen here.
    const { seen: before } = await kept(mine);
    const [ben] = others;
    if (ben && pressed.length > 0) {
      await typeFar(ben, 3, true);
      const { seen } = await kept(mine);
      const sent = (await kept(ben)).pressed;
      const after = seen.slice(before.length);
      note(
        remote,
        sent.slice(-keys).flatMap((at) => {
          const shown = after.find((when) => when >= at);
          return shown === undefined ? [] : [shown - at];
        }),
      );
    }
    for (const page of [mine, ...others]) await page.context().close();
    step('one typed for the others to see');
  }

  const tell = (name: string, list: number[], beside?: number[]) => {
    const ratio = beside ? `, ${(at(list, 0.95) / at(beside, 0.95)).toFixed(2)} times the plain page (95 %)` : '';
    console.log(`${name}: ${figures(list).text}${ratio}`);
  };
  tell('readable, plain', readable.plain);
  tell('readable, ours (a new browser, all of it loaded)', readable.ours);
  tell('writable, ours', editable);
  tell('key to paint, plain', typed.plain);
  tell('key to paint, ours alone', typed.alone, typed.plain);
  tell('key to paint, ours with two others typing', typed.three, typed.plain);
  tell('another’s key to paint here', remote);
  tell('frames while scrolling, plain', scrolled.plain);
  tell('frames while scrolling, ours', scrolled.ours, scrolled.plain);
  console.log(`heap of the page: plain ${mb(memory.plain)}, ours ${mb(memory.ours)}; load ${loadavg()[0]?.toFixed(1)}`);
}

function at(list: readonly number[], share: number): number {
  const sorted = list.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

function mb(list: readonly number[]): string {
  return `${(at(list, 0.5) / 1e6).toFixed(1)} MB`;
}

/** Where the processor is meanwhile, where that was asked for. */
async function profile<T>(page: Page, name: string | undefined, work: () => Promise<T>): Promise<T> {
  if (name === undefined || options.profile === undefined) return work();
  const session = await page.context().newCDPSession(page);
  await session.send('Profiler.enable');
  await session.send('Profiler.setSamplingInterval', { interval: 200 });
  await session.send('Profiler.start');
  const result = await work();
  const { profile: found } = await session.send('Profiler.stop');
  await session.detach();
  mkdirSync(options.profile, { recursive: true });
  writeFileSync(join(options.profile, `${name}.cpuprofile`), JSON.stringify(found));
  return result;
}

function kept(page: Page): Promise<Kept> {
  return page.evaluate(() => (window as unknown as { kept: Kept }).kept);
}

/** In the page: watches the text come, and each key on its way to the screen. */
function keep(): void {
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
async function type(page: Page): Promise<number[]> {
  const { painted: before } = await kept(page);
  await page.locator('.ProseMirror > *').nth(4).click();
  for (let i = 0; i < keys; i += 1) {
    await page.keyboard.press(i % 6 === 5 ? 'Space' : 'x');
    await page.waitForTimeout(60);
  }
  return (await kept(page)).painted.slice(before.length);
}

/** Five keys a second, in another segment. */
async function typeFar(page: Page, segment: number, near = false): Promise<void> {
  if (near) await page.locator('.ProseMirror > *').nth(segment).click();
  else
    await page.evaluate((index) => {
      const place = document.querySelectorAll('.ProseMirror > *')[index];
      place?.scrollIntoView({ block: 'center' });
    }, segment);
  if (!near) await page.locator('.ProseMirror > *').nth(segment).click();
  for (let i = 0; i < keys; i += 1) {
    await page.keyboard.press('y');
    await page.waitForTimeout(100);
  }
}

/** The time between frames while the text runs through the window. */
function scroll(page: Page): Promise<number[]> {
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

async function heap(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  return usedSize;
}
