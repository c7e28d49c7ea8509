// npm run bench -- page [words] [--quick] [--open] [--profile <folder>]: a recording's page in a real browser, beside a plain
// page with the same text: time until it can be read and edited, from a key to the paint (alone, with two others
// typing, and on another screen), scrolling, and memory. Rounds alternate, so that other load affects both alike.
// Each round also opens the page without the first text that the server puts into it. --quick is one round, --open measures
// opening alone; --profile writes CPU profiles of opening and typing.
import { mkdirSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import type { Person } from '#tests/support/people.ts';
import { figures } from '../figures.ts';
import { at, heap, kept, keys, mb, scroll, type, untilEditable } from './page/measures.ts';
import { openStage, talk } from './page/stage.ts';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    open: { type: 'boolean', default: false },
    profile: { type: 'string' },
  },
});
const words = Number(positionals[0] ?? '30000');
const rounds = options.quick ? 1 : 3;
const texts = talk(words);

const stage = await openStage();
try {
  await measure();
} finally {
  await stage.close();
}

async function measure(): Promise<void> {
  const people = await stage.people('ann', 'ben', 'chen');
  const [ann] = people;
  if (!ann) throw new Error('nobody there');
  const id = await stage.recording(texts, people);

  const open = async (person: Person, profiled?: string, query = '') => {
    const page = await stage.seat(person);
    await profile(page, profiled, () => untilEditable(page, `/meeting/${id}${query}`));
    return page;
  };
  const openPlain = async () => {
    const page = await stage.seat(null);
    await page.route('http://plain.test/', (route) =>
      route.fulfill({
        contentType: 'text/html',
        body: `<!doctype html><meta charset="utf-8"><style>div>p{font:18px/30px serif;max-width:72ch;margin:8px}</style><div class="ProseMirror" contenteditable="true">${texts.map((text) => `<p>${text}</p>`).join('')}</div>`,
      }),
    );
    await untilEditable(page, 'http://plain.test/');
    return page;
  };

  console.log(
    `${words.toLocaleString('en')} words in ${texts.length.toLocaleString('en')} segments, load ${loadavg()[0]?.toFixed(1)}`,
  );
  const readable = { ours: [] as number[], without: [] as number[], plain: [] as number[] };
  const editable = { ours: [] as number[], without: [] as number[] };
  const typed = { plain: [] as number[], alone: [] as number[], three: [] as number[] };
  const remote: number[] = [];
  const scrolled = { ours: [] as number[], plain: [] as number[] };
  const memory = { ours: [] as number[], plain: [] as number[] };
  for (let round = 0; round <= rounds; round += 1) {
    // The first round is a warm-up.
    const note = (list: number[], more: number[]) => round > 0 && list.push(...more);
    const since = performance.now();
    const step = (name: string) =>
      console.log(`${round}/${rounds} ${name}: ${((performance.now() - since) / 1000).toFixed(1)} s`);
    const plain = await openPlain();
    note(readable.plain, [(await kept(plain)).readable]);
    // An address with a query has no first text.
    const without = await open(ann, undefined, '?from=bench');
    const late = await kept(without);
    note(readable.without, [late.readable]);
    note(editable.without, [late.editable]);
    await without.context().close();
    if (!options.open) {
      note(typed.plain, await type(plain));
      note(scrolled.plain, await scroll(plain));
      note(memory.plain, [await heap(plain)]);
    }
    await plain.context().close();
    step('plain page');

    const last = round === rounds;
    const mine = await open(ann, last ? 'open' : undefined);
    const { readable: read, editable: written } = await kept(mine);
    note(readable.ours, [read]);
    note(editable.ours, [written]);
    step('opened');
    if (options.open) {
      await mine.context().close();
      continue;
    }
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
    // Another person types, and the change is measured on this screen.
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
  tell('readable, ours (a new browser, all of it loaded)', readable.ours, readable.plain);
  tell('readable, ours without the first text', readable.without, readable.plain);
  tell('writable, ours', editable.ours);
  tell('writable, ours without the first text', editable.without);
  if (options.open) return;
  tell('key to paint, plain', typed.plain);
  tell('key to paint, ours alone', typed.alone, typed.plain);
  tell('key to paint, ours with two others typing', typed.three, typed.plain);
  tell('another’s key to paint here', remote);
  tell('frames while scrolling, plain', scrolled.plain);
  tell('frames while scrolling, ours', scrolled.ours, scrolled.plain);
  console.log(`heap of the page: plain ${mb(memory.plain)}, ours ${mb(memory.ours)}; load ${loadavg()[0]?.toFixed(1)}`);
}

/** CPU profile during the work, if requested. */
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
