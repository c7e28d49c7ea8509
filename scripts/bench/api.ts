// npm run bench -- api [words ...] [--quick]: time to read a recording as JSON and to edit it by its version, alone and
// with 20 people typing in it, beside a Hono route that returns the same bytes. The document grows from row to row.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { meetings } from '#db/schema/meetings.ts';
import { readConfig } from '#server/config.ts';
import { start } from '#server/start.ts';
import { newId } from '#shared/ids.ts';
import type { MeetingView } from '#shared/meetings/meeting.ts';
import { seedState } from '#shared/meetings/seed.ts';
import { readSegments, replaceRanges } from '#shared/meetings/transcript.ts';
import * as Y from 'yjs';
import { Editor, until } from '#tests/support/editors.ts';
import { ticketFor } from '#tests/support/meetings.ts';
import { Person, type Answer } from '#tests/support/people.ts';
import { figures } from '../figures.ts';
import { root } from '../prepare.mjs';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false } },
});
const perSegment = 20;
const typists = 20;
const keysASecond = 5;
const [kind] = positionals;

if (kind === 'house') await serveHouse(positionals.slice(1).map(Number));
else if (kind === 'bare') serveBare(positionals[1] ?? '');
else
  await measure(
    positionals.length > 0 ? positionals.map(Number) : options.quick ? [3000, 30_000] : [3000, 30_000, 300_000],
  );

// ---- Servers, each a process of its own ---------------------------------------------------------

function tell(what: object): void {
  console.log(JSON.stringify(what));
}

/** Server with one person and a recording of each size. */
async function serveHouse(sizes: readonly number[]): Promise<void> {
  const dataDir = process.env['DATA_DIR'] ?? '';
  const config = readConfig({ PORT: '0', DATA_DIR: dataDir, DEMO: 'off', LOG_LEVEL: 'error' }, root);
  const running = await start(config, () => {}, { quickPasswords: true, client: null });
  const origin = `http://127.0.0.1:${running.port}`;
  const ann = new Person(origin);
  ann.email = 'ann@example.test';
  await ann.register();
  const { principal } = (await ann.whoami()).body as { principal: { id: string } };
  const ids: string[] = [];
  const { db, rooms } = running.house;
  for (const words of sizes) {
    const id = newId();
    await db.orm.insert(meetings).values({ id, ownerId: principal.id });
    // Written in parts, because an update has a size limit.
    const part = 60_000;
    for (let from = 0; from < words; from += part) {
      const seed = seedOf(from, Math.min(words, from + part));
      await rooms.change(id, 'transcript', { userId: null, origin: 'bench' }, (doc) => Y.applyUpdate(doc, seed));
    }
    ids.push(id);
  }
  tell({ origin, ids, cookies: [...ann.cookies] });
  process.once('SIGTERM', () => void running.stop());
}

function seedOf(from: number, to: number): Uint8Array {
  return seedState({
    speakers: [],
    segments: Array.from({ length: Math.ceil((to - from) / perSegment) }, (_, i) => {
      const nth = from / perSegment + i;
      return {
        id: `s${nth}`,
        speaker: `p${nth % 3}`,
        words: Array.from({ length: perSegment }, (_word, k) => {
          const at = nth * 8 + k * 0.4;
          return { w: `word${(nth * perSegment + k) % 977}`, f: at, t: at + 0.35, confidence: 0.9 };
        }),
      };
    }),
  });
}

/** Baseline routes that only return the same bytes, and a version for each request. */
function serveBare(file: string): void {
  const bytes = new Uint8Array(readFileSync(file));
  let version = 0;
  const app = new Hono()
    .get('/meeting', (c) => c.body(bytes, 200, { 'Content-Type': 'application/json' }))
    .post('/edit', async (c) => {
      await c.req.json();
      return c.json({ version: (version += 1) });
    });
  serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) =>
    tell({ origin: `http://127.0.0.1:${port}` }),
  );
}

interface Told {
  origin: string;
  ids: string[];
  cookies: [string, string][];
}

async function run(args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, ['--import', 'tsx', fileURLToPath(import.meta.url), ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const told = await new Promise<Told>((resolve, reject) => {
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (output.includes('\n')) resolve(JSON.parse(output) as Told);
    });
    void exited.then(() => reject(new Error(`${args.join(' ')} ended: ${output}`)));
  });
  const stop = async () => {
    child.kill();
    await exited;
  };
  return { ...told, stop };
}

// ---- Clients -----------------------------------------------------------------------------------

async function measure(sizes: readonly number[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'colloquy-bench-'));
  const house = await run(['house', ...sizes.map(String)], { DATA_DIR: folder });
  try {
    const ann = new Person(house.origin);
    for (const [name, value] of house.cookies) ann.cookies.set(name, value);
    for (const [i, words] of sizes.entries()) await row(ann, house.ids[i] ?? '', words, folder);
  } finally {
    await house.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function row(ann: Person, id: string, words: number, folder: string): Promise<void> {
  const path = `/api/meetings/${id}`;
  const first = ok(await ann.get(path));
  const file = join(folder, 'meeting.json');
  writeFileSync(file, first.text);
  const bare = await run(['bare', file]);
  try {
    console.log(`\n${words.toLocaleString('en')} words, ${(first.text.length / 1e6).toFixed(2)} MB of JSON`);
    const nothing = new Person(bare.origin);
    for (const people of [0, typists]) {
      const crowd = await openCrowd(ann, id, people);
      try {
        await times(ann, nothing, id, people);
      } finally {
        await crowd.leave();
      }
    }
  } finally {
    await bare.stop();
  }
}

async function times(ann: Person, nothing: Person, id: string, people: number): Promise<void> {
  const path = `/api/meetings/${id}`;
  let seen = ok(await ann.get(path)).body as MeetingView;
  let etag = '';
  let edits = 0;
  // Edits at the beginning, where nobody types: the call is measured, not conflicts.
  const edit = (pos: number | string, nth: number) => {
    const segment = seen.doc.transcript.segments[nth];
    if (!segment) throw new Error('no such segment');
    const old = segment.text;
    segment.text = old.replace(/^\S+/, `edit${(edits += 1)}`);
    return { pos, old, new: segment.text, version: seen.version };
  };
  const byId = async () => {
    const nth = edits % 10;
    const answer = ok(await ann.post(`${path}/edit`, edit(seen.doc.transcript.segments[nth]?.id ?? '', nth)));
    etag = answer.headers.get('etag') ?? '';
  };
  const byPlace = async () => {
    const nth = edits % 10;
    const answer = ok(await ann.post(`${path}/edit`, edit(nth, nth)));
    // No other edits come before the first ten segments, so their text is still as it was read.
    seen.version = (answer.body as { version: number }).version;
  };
  const calls: [string, (() => Promise<void>) | null, () => Promise<unknown>][] = [
    ['bare: the same bytes', null, () => nothing.get('/meeting')],
    ['GET, as it was read before', null, async () => ok(await ann.get(path))],
    ['GET, after an edit', byId, async () => ok(await ann.get(path))],
    [
      'GET, with the mark of what was read last',
      async () => void (etag = ok(await ann.get(path)).headers.get('etag') ?? ''),
      () => ann.get(path, { headers: { 'If-None-Match': etag } }),
    ],
    ['bare: an edit', null, () => nothing.post('/edit', edit('s0', 0))],
    ['edit by id, of what was read long ago', null, byId],
    ['edit by place, of what was there last', null, byPlace],
  ];
  const [rounds, each] = options.quick ? [2, 5] : [6, 20];
  const taken = new Map<string, number[]>(calls.map(([name]) => [name, []]));
  // Alternating rounds, so that other load affects all alike; the first round is a warm-up.
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, before, call] of calls) {
      seen = ok(await ann.get(path)).body as MeetingView;
      for (let i = 0; i < each; i += 1) {
        await before?.();
        const started = performance.now();
        await call();
        if (round > 0) taken.get(name)?.push(performance.now() - started);
      }
    }
  }
  console.log(
    `  ${people === 0 ? 'nobody else there' : `${people} people typing`} (load ${loadavg()[0]?.toFixed(1)}):`,
  );
  let beside = 1;
  for (const [name, list] of taken) {
    const { median, text } = figures(list);
    if (name.startsWith('bare')) beside = median;
    console.log(`    ${name}: ${text}, ${(median / beside).toFixed(1)} times the bare route`);
  }
}

/** People with the document open, who type after its first segments. */
async function openCrowd(ann: Person, id: string, people: number): Promise<{ leave(): Promise<void> }> {
  const room = `${id}/transcript`;
  const ticket = await ticketFor(ann, room);
  const editors = Array.from({ length: people }, () => new Editor({ room, at: () => ann.origin, ticket }));
  await until(() => editors.every(({ provider }) => provider.synced));
  const hands = editors.map((editor, nth) => {
    // Computed once: reading the whole text for each key would dominate the measurement.
    const places = readSegments(editor.doc).slice(20);
    const at = places[(nth * 37) % places.length]?.start ?? editor.text.length;
    const caret = Y.createRelativePositionFromTypeIndex(editor.text, at, -1);
    return setInterval(() => {
      const { index = 0 } = Y.createAbsolutePositionFromRelativePosition(caret, editor.doc) ?? {};
      replaceRanges(editor.doc, [{ at: index, remove: 0, insert: ['x'] }], 'hands');
    }, 1000 / keysASecond);
  });
  return {
    leave: async () => {
      for (const hand of hands) clearInterval(hand);
      await until(() => editors.every(({ provider }) => provider.pending === 0));
      for (const editor of editors) editor.close();
    },
  };
}

function ok(answer: Answer): Answer {
  if (answer.status !== 200) throw new Error(`answered ${answer.status}: ${answer.text.slice(0, 300)}`);
  return answer;
}
