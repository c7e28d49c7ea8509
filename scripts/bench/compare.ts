// npm run bench -- compare [reviewers] [passages] [--quick] [--rows overlaps] [--policy strict] [--page]: comparing the
// assessments of 20 reviewers with 1,000 passages each, as their layers and as one that they share: 50 calls each, with
// nothing changed since the one before and with a passage added, beside a bare route that answers with the same bytes; then
// the first paint of the comparison in a browser that has nothing of it yet, beside a plain page that draws a table of the
// same bytes. Rounds alternate. --page measures the page alone.
import { loadavg } from 'node:os';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { chromium, type Browser } from 'playwright-core';
import { newId } from '#shared/ids.ts';
import { writeAnnotation, type Outcome } from '#shared/meetings/annotations.ts';
import { outcomeModels } from '#shared/meetings/outcome-types.ts';
import type { CompareAnswer } from '#shared/compare.ts';
import setup from '#tests/support/cluster.ts';
import { builtClient, openHouse, type TestHouse } from '#tests/support/house.ts';
import { Person } from '#tests/support/people.ts';
import { makeRecording } from '#tests/support/recording.ts';
import { askFor, seenBy } from '#tests/support/reviews.ts';
import { browserArgs, findBrowser } from '../browser.mjs';
import { figures } from '../figures.ts';
import { root } from '../prepare.mjs';
import { named } from './page/measures.ts';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    rows: { type: 'string', default: 'outcomes' },
    policy: { type: 'string', default: 'strict,relaxed' },
    page: { type: 'boolean', default: false },
  },
});
const [reviewers = 20, passages = 1000] = positionals.map(Number);
const times = options.quick ? 10 : 50;
const pages = options.quick ? 3 : 10;
const aims = { milliseconds: 300, ratio: 3 };

const types = outcomeModels.coaching.types.filter(({ readOnly }) => !readOnly);

/** A passage of a few words somewhere in three minutes. */
const passage = ({ id }: Person, nth: number): Outcome => ({
  ...{ id: newId(), rev: 1, private: false, createdAt: new Date(nth).toISOString(), editTimestamp: null },
  ...{ start: (nth * 7.3) % 170, end: ((nth * 7.3) % 170) + 2 + (nth % 5), quote: 'what was said about it there' },
  ...{ anchor: null, author: { id, kind: 'user', name: `Reviewer ${id}` } },
  ...{ type: types[nth % types.length]?.id ?? 'notes', text: 'Because of how it was said.', grade: 1 + (nth % 4) },
  ...{ children: [], automatic: false, wasAutomatic: false, url: null },
});

const annotate = ({ house }: TestHouse, meeting: string, layer: string, person: Person, nths: readonly number[]) =>
  house.rooms.change(meeting, 'layer', { userId: person.id, origin: 'bench', room: layer }, (doc) => {
    for (const nth of nths) writeAnnotation(doc, 'outcome', passage(person, nth), 'shared', 'bench');
  });

interface Made {
  /** Person who reads all of it. */
  reader: Person;
  people: Person[];
  meeting: string;
  /** Layers that are compared, and that of a person. */
  layers: string[];
  layerOf: Map<Person, string>;
}

/** A running review whose reviewers have annotated; a supervisor reads all assessments. */
async function assessed(house: TestHouse, policy: 'strict' | 'relaxed'): Promise<Made> {
  const [leader, reader, ...people] = await house.people(reviewers + 2);
  if (!leader || !reader) throw new Error('nobody there');
  const meeting = await makeRecording(house, leader);
  const roles = [[reader, 'supervisor'] as const, ...people.map((one) => [one, 'required'] as const)];
  const review = await askFor(leader, meeting, { policy, roles, outcomeModel: 'coaching' });
  const layerOf = new Map<Person, string>();
  for (const person of people) {
    const { cloneId } = await seenBy(person, review);
    if (cloneId === null) throw new Error('no layer to annotate');
    layerOf.set(person, cloneId);
    await annotate(
      house,
      meeting,
      cloneId,
      person,
      Array.from({ length: passages }, (_, nth) => nth),
    );
  }
  return { reader, people, meeting, layers: [...new Set(layerOf.values())], layerOf };
}

/** Page that draws a table of the answer, and nothing else. */
const plainPage = `<!doctype html><meta charset="utf-8"><table></table><script type="module">
const { rows } = await (await fetch('/compare')).json();
const table = document.querySelector('table');
for (const { type, cells } of rows) {
  const row = table.insertRow();
  row.insertCell().textContent = type;
  for (const cell of cells) row.insertCell().textContent = cell ? [cell.grade, cell.count, ...cell.passages.map((one) => one.quote)].join(' ') : '';
}
</script>`;

/** A bare server with an answer that can be replaced. */
async function bare(): Promise<{ origin: string; answer: { text: string }; stop: () => void }> {
  const answer = { text: '' };
  const app = new Hono()
    .get('/compare', (c) => c.body(answer.text, 200, { 'Content-Type': 'application/json' }))
    .get('/', (c) => c.html(plainPage));
  return new Promise((resolve) => {
    const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) =>
      resolve({ origin: `http://127.0.0.1:${port}`, answer, stop: () => server.close() }),
    );
  });
}

async function timed<T>(into: number[], call: () => Promise<T>): Promise<T> {
  const at = performance.now();
  const answer = await call();
  into.push(performance.now() - at);
  return answer;
}

interface Painted {
  /** Milliseconds until anything is painted, and until the table is. */
  first: number;
  table: number;
}

/** Runs in the page: notes when the table of the comparison has been painted. */
function watchTable(): void {
  new MutationObserver((_, watch) => {
    if ((document.querySelector('table')?.textContent.length ?? 0) < 500) return;
    watch.disconnect();
    requestAnimationFrame(() => setTimeout(() => Object.assign(window, { painted: performance.now() })));
  }).observe(document, { subtree: true, childList: true, characterData: true });
}

/** Opens a page in a browser that has nothing of it yet. */
async function painted(browser: Browser, address: string, person: Person | null): Promise<Painted> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  try {
    const { origin } = new URL(address);
    if (person) await context.addCookies([...person.cookies].map(([name, value]) => ({ name, value, url: origin })));
    const page = await context.newPage();
    await page.addInitScript(named);
    await page.addInitScript(watchTable);
    await page.goto(address);
    await page.waitForFunction(
      () => 'painted' in window && performance.getEntriesByName('first-contentful-paint').length > 0,
      undefined,
      { timeout: 120_000 },
    );
    return await page.evaluate(() => ({
      first: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
      table: (window as unknown as { painted: number }).painted,
    }));
  } finally {
    await context.close();
  }
}

async function measurePage(address: string, person: Person, plain: string): Promise<void> {
  const { path } = await findBrowser(root, new AbortController().signal);
  if (path === undefined) throw new Error('no browser on this machine');
  const browser = await chromium.launch({ executablePath: path, args: browserArgs });
  try {
    const [ours, bare]: [Painted[], Painted[]] = [[], []];
    // The first round is not counted.
    for (let nth = 0; nth <= pages; nth += 1) {
      const round = [await painted(browser, address, person), await painted(browser, plain, null)] as const;
      if (nth === 0) continue;
      ours.push(round[0]);
      bare.push(round[1]);
    }
    for (const [what, of] of [
      ['first paint', ({ first }: Painted) => first],
      ['the table', ({ table }: Painted) => table],
    ] as const) {
      const [found, least] = [figures(ours.map(of)), figures(bare.map(of))];
      console.log(
        `page, ${what}: ${found.text}; plain ${least.text}; ${(found.median / least.median).toFixed(1)} times (median)`,
      );
    }
  } finally {
    await browser.close();
  }
}

async function measure(house: TestHouse, policy: 'strict' | 'relaxed'): Promise<void> {
  const made = await assessed(house, policy);
  const { reader, people, meeting, layers, layerOf } = made;
  const beside = await bare();
  const nobody = new Person(beside.origin);
  const path = `/api/compare?ids=${layers.join(',')}&rows=${options.rows}`;
  const ask = async () => {
    const answer = await reader.get(path);
    if (answer.status !== 200) throw new Error(answer.text);
    return { text: answer.text, columns: (answer.body as CompareAnswer).columns.length };
  };
  const first: number[] = [];
  const { text, columns } = await timed(first, ask);
  console.log(
    `${columns} columns of ${layers.length} layers (${policy}), ${passages} passages each, ${Math.round(text.length / 1024)} KB; the first call ${first[0]?.toFixed(0)} ms; load ${loadavg()[0]?.toFixed(1)}`,
  );
  try {
    for (const changes of options.page ? [] : [false, true]) {
      const [ours, plain]: [number[], number[]] = [[], []];
      for (let nth = -3; nth < times; nth += 1) {
        const one = people[(nth + 3) % people.length];
        if (changes && one) await annotate(house, meeting, layerOf.get(one) ?? '', one, [passages + nth]);
        const into = nth < 0 ? { ours: [], plain: [] } : { ours, plain };
        beside.answer.text = (await timed(into.ours, ask)).text;
        await timed(into.plain, () => nobody.get('/compare'));
      }
      const [found, least] = [figures(ours), figures(plain)];
      const ratio = found.high / least.high;
      console.log(
        `${changes ? 'a passage added before each call' : 'nothing changed'}: ${found.text}; bare ${least.text}; ` +
          `${(found.median / least.median).toFixed(1)} times (median), ${ratio.toFixed(1)} times (95 %); ` +
          `aims: ${aims.milliseconds} ms ${found.high < aims.milliseconds ? 'held' : 'missed'}, ` +
          `${aims.ratio} times ${ratio < aims.ratio ? 'held' : 'missed'}`,
      );
    }
    beside.answer.text = (await ask()).text;
    await measurePage(`${house.origin}/compare/${layers.join(',')}?rows=${options.rows}`, reader, `${beside.origin}/`);
  } finally {
    beside.stop();
  }
}

const stop = await setup();
const house = await openHouse({ client: builtClient, env: { REVIEW_STRICT: String(Math.max(10, reviewers)) } });
try {
  for (const policy of ['strict', 'relaxed'] as const)
    if (options.policy.includes(policy)) await measure(house, policy);
} finally {
  await house.close();
  await stop();
}
