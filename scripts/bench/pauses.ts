// npm run bench -- pauses [words ...] [--rounds 3] [--only part of a name]: CPU of the longest turn of the server's own thread
// during each call whose work grows with a transcript, of a recording that was not in memory, that was, and after an edit.
// Everybody's letters wait for such a turn. The caller is another thread, so that reading the answer does not count; what
// jobs do meanwhile does, so each figure is the shortest of some rounds.
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import * as Y from 'yjs';
import { aiAnalyses, aiSuggestions } from '#db/schema/ai.ts';
import { indexRoom } from '#server/finding/indexing.ts';
import { newId } from '#shared/ids.ts';
import { seedState } from '#shared/meetings/seed.ts';
import { readSegments, replaceRanges, textOf } from '#shared/meetings/transcript.ts';
import setup from '#tests/support/cluster.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { makeMeeting } from '#tests/support/meetings.ts';
import type { Person } from '#tests/support/people.ts';
import { askFor, seenBy, setStatus } from '#tests/support/reviews.ts';
import { longestTurn } from '#tests/support/turns.ts';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '3' }, only: { type: 'string', default: '' } },
});
const sizes = positionals.length > 0 ? positionals.map(Number) : [30_000, 300_000];
const rounds = Number(options.rounds);
const perSegment = 20;
/** Words that one stored change brings: a change has a limit. */
const part = 60_000;

// ---- A caller beside the server's thread --------------------------------------------------------

const caller = new Worker(
  `const { parentPort } = require('node:worker_threads');
  parentPort.on('message', async ({ id, url, init }) => {
    try {
      const answer = await fetch(url, init);
      const bytes = await answer.arrayBuffer();
      const text = answer.status < 300 && bytes.byteLength > 2000 ? '' : Buffer.from(bytes).toString();
      parentPort.postMessage({ id, status: answer.status, text });
    } catch (error) {
      parentPort.postMessage({ id, status: 0, text: String(error) });
    }
  });`,
  { eval: true },
);
const asked = new Map<string, (answer: { status: number; text: string }) => void>();
caller.on('message', ({ id, ...answer }: { id: string; status: number; text: string }) => {
  asked.get(id)?.(answer);
  asked.delete(id);
});

async function ask(person: Person, method: string, path: string, body?: object): Promise<string> {
  const id = newId();
  const init = {
    method,
    headers: {
      'X-Request-ID': id,
      'Sec-Fetch-Site': 'same-origin',
      Cookie: [...person.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      ...(method !== 'GET' && { Origin: person.origin }),
      ...(body && { 'Content-Type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  };
  const { status, text } = await new Promise<{ status: number; text: string }>((resolve) => {
    asked.set(id, resolve);
    caller.postMessage({ id, url: person.origin + path, init });
  });
  if (status !== 200 && status !== 204) throw new Error(`${method} ${path}: ${text}`);
  return text;
}

// ---- A recording that people assess -------------------------------------------------------------

const seedOf = (from: number, to: number): Uint8Array =>
  seedState({
    speakers: [0, 1, 2].map((i) => ({ id: `p${i}`, name: `Speaker ${i}`, color: i, sortId: i })),
    segments: Array.from({ length: Math.ceil((to - from) / perSegment) }, (_, i) => {
      const nth = from / perSegment + i;
      return {
        ...{ id: `s${nth}`, speaker: `p${nth % 3}` },
        words: Array.from({ length: perSegment }, (_word, k) => {
          const at = nth * 8 + k * 0.4;
          return { w: `word${(nth * perSegment + k) % 977}`, f: at, t: at + 0.35, confidence: 0.9 };
        }),
      };
    }),
  });

interface Made {
  house: TestHouse;
  id: string;
  ann: Person;
  ben: Person;
  /** A version of an earlier state, and the layer by whose id Ben reads suggestions. */
  earlier: number;
  layer: string;
  reviewed: string;
}

async function makeAssessed(house: TestHouse, words: number): Promise<Made> {
  const [ann, ben, cid] = (await house.people(3)) as [Person, Person, Person];
  const id = await makeMeeting(house, ann);
  const { rooms, versions } = house.house;
  const change = (work: (doc: Y.Doc) => void) =>
    rooms.change(id, 'transcript', { userId: ann.id, origin: 'bench' }, work);
  for (let from = 0; from < words; from += part)
    await change((doc) => Y.applyUpdate(doc, seedOf(from, Math.min(words, from + part))));
  const earlier = (await versions.count(id)).versionOf((await versions.count(id)).now);
  for (let i = 0; i < 30; i += 1) await change((doc) => editIn(doc, i));
  await (await rooms.enter(id, 'transcript', null)).room.compact();

  const roles = [[ben, 'required'] as const, [cid, 'required'] as const];
  const strict = await askFor(ann, id, { policy: 'strict', roles, outcomeModel: 'coaching' });
  const seconds = (words / perSegment) * 8;
  for (const one of [ben, cid]) {
    const { cloneId } = await seenBy(one, strict);
    for (let nth = 0; nth < 10; nth += 1) {
      const start = (seconds / 11) * (nth + 1);
      const outcome = { start, end: start + 6, type: 'trust', grade: 3, text: 'So it is' };
      const { status, text } = await one.post(`/api/meetings/${cloneId}/outcomes`, { outcome });
      if (status !== 200) throw new Error(text);
    }
    const { status, text } = await one.put(`/api/meetings/${cloneId}/grades/trust`, { grade: 3 });
    if (status !== 200) throw new Error(text);
  }
  for (const one of [ben, cid]) await setStatus(one, strict, 'complete');
  const relaxed = await askFor(ann, id, { policy: 'relaxed', roles, outcomeModel: 'coaching' });
  const { orm, sql } = house.database;
  const [machine] = await sql<{ id: string }[]>`
    select id from layers where review_id = ${relaxed.id} and kind = 'machine'`;
  await orm.insert(aiSuggestions).values(
    Array.from({ length: 50 }, (_, nth) => {
      const start = (seconds / 51) * (nth + 1);
      return {
        ...{ id: newId(), meetingId: id, layerId: machine?.id ?? null, type: 'trust', choices: [], text: 'It is so' },
        ...{ reason: 'It says so', quote: `word${nth} word${nth + 1}`, start, end: start + 5, model: 'bench' },
        createdAt: new Date(0),
      };
    }),
  );
  const parts = [{ text: 'A point', quotes: [{ text: 'word7', start: 4, end: 5 }], struck: 0 }];
  const counted = Array.from({ length: 1024 }, (_, i) => i);
  await orm
    .insert(aiAnalyses)
    .values({ meetingId: id, parts, model: 'm', host: 'h', words: counted, createdAt: new Date(0) });
  const layer = (await seenBy(ben, relaxed)).cloneId ?? '';
  return { house, id, ann, ben, earlier, layer, reviewed: strict.id };
}

function editIn(doc: Y.Doc, nth: number): void {
  const at = 3 + ((nth * 7919) % Math.max(1, textOf(doc).length - 20));
  const { start = 0 } = readSegments(doc).findLast((one) => one.start <= at) ?? {};
  replaceRanges(doc, [{ at: start + 3, remove: 0, insert: ['x'] }], 'bench');
}

// ---- Calls --------------------------------------------------------------------------------------

interface Call<Read = unknown> {
  what: string;
  /** Changes the recording, so that there is no figure of one that is in memory and unchanged. */
  writes?: boolean;
  /** Reads, unmeasured, what the caller needs to know before the call. */
  read?(made: Made): Promise<Read>;
  call(made: Made, read: Read): Promise<unknown>;
}

const reads = (what: string, path: (made: Made) => string, by: 'ann' | 'ben' = 'ann'): Call => ({
  what,
  call: (made) => ask(made[by], 'GET', path(made)),
});

const exported = (what: string, format: string, more: object): Call => ({
  what,
  call: ({ ann, id }) => ask(ann, 'POST', `/api/export/${id}`, { format, options: more }),
});

let number = 0;

interface Seen {
  version: number;
  doc: { transcript: { segments: { id: string; text: string }[] } };
}

/** Corrects a word in each of some paragraphs, as somebody does who has read the recording at this address. */
const corrected = (what: string, count: number, path: (made: Made) => string): Call<object> => ({
  what,
  writes: true,
  read: async (made) => {
    const { version, doc } = (await made.ann.get(path(made))).body as Seen;
    const { segments } = doc.transcript;
    const nth = (number += 1);
    const edits = Array.from({ length: count }, (_, i) => {
      const { id = '', text = '' } =
        segments[(Math.floor((segments.length / count) * i) + nth) % segments.length] ?? {};
      return { pos: id, old: text, new: text.replace(/\w+/, `corrected${nth}`) };
    });
    return { edits, version };
  },
  call: ({ ann, id }, edits) => ask(ann, 'POST', `/api/meetings/${id}/edits`, edits),
});

const presentPath = ({ id }: Made) => `/api/meetings/${id}`;
const earlierPath = ({ id, earlier }: Made) => `/api/meetings/${id}/versions/${earlier}`;

const outcome = { start: 8, end: 12, type: 'decisions', text: 'So it is' };
const changed: Call<object> = {
  what: 'outcomes are changed',
  read: async ({ house, ann, id }) => {
    const made = (await ann.post(`/api/meetings/${id}/outcomes`, { outcome })).body as { outcome: { id: string } };
    const count = await house.house.versions.count(id);
    const edits = [{ id: made.outcome.id, field: 'text', value: 'So it was' }];
    return { edits, version: count.versionOf(count.now) };
  },
  call: ({ ann, id }, edits) => ask(ann, 'POST', `/api/meetings/${id}/outcomes/update`, edits),
};

/** Calls of different kinds in one list: each is called with what it has read itself. */
const kind = <Read>(one: Call<Read>) => one as Call;

const calls: Call[] = [
  { what: 'nothing', call: () => new Promise((resolve) => setTimeout(resolve, 100)) },
  { what: 'a room is opened', call: ({ house, id }) => house.house.rooms.enter(id, 'transcript', null) },
  {
    what: 'a letter is written',
    writes: true,
    call: ({ house, ann, id }) =>
      house.house.rooms.change(id, 'transcript', { userId: ann.id, origin: 'bench' }, (doc) =>
        textOf(doc).insert(3, 'x'),
      ),
  },
  reads('GET', ({ id }) => `/api/meetings/${id}`),
  reads('GET of a version', ({ id, earlier }) => `/api/meetings/${id}/versions/${earlier}`),
  reads('authors of a version', ({ id, earlier }) => `/api/meetings/${id}/versions/${earlier + 20}/changes`),
  reads(
    'changes since a version',
    ({ id, earlier }) => `/api/meetings/${id}/versions/${earlier + 30}/changes?since=${earlier}`,
  ),
  reads('list of versions', ({ id }) => `/api/meetings/${id}/versions`),
  reads('subtitles', ({ id }) => `/api/meetings/${id}/vtt`),
  reads('a shown analysis', ({ id }) => `/api/meetings/${id}/analysis`),
  exported('exported text', 'MARKDOWN', { contents: true, outcomes: true }),
  exported('exported Word document', 'RAE', { fileType: 'docx' }),
  reads('original transcript', ({ id }) => `/api/meetings/${id}/original`),
  reads('agreement of reviewers', ({ id, reviewed }) => `/api/meetings/${id}/reviews/${reviewed}/agreement`),
  reads('suggestions in a review', ({ layer }) => `/api/meetings/${layer}/outcomes/autodetect`, 'ben'),
  reads('report of a review', ({ id, reviewed }) => `/api/meetings/${id}/reviews/${reviewed}/report`),
  reads('comparison', ({ id, layer }) => `/api/compare?ids=${id},${layer}&rows=outcomes`, 'ben'),
  {
    what: 'an outcome is added at a time',
    call: ({ ann, id }) => ask(ann, 'POST', `/api/meetings/${id}/outcomes`, { outcome }),
  },
  kind(changed),
  kind(corrected('an edit over REST', 1, presentPath)),
  kind(corrected('an edit of an earlier version', 1, earlierPath)),
  kind(corrected('200 edits in one call', 200, presentPath)),
  {
    what: 'renaming',
    writes: true,
    call: ({ ann, id }) => ask(ann, 'POST', `/api/meetings/${id}/rename`, { title: `Talk ${(number += 1)}` }),
  },
  {
    what: 'search reads it after an edit',
    writes: true,
    call: ({ house, id }) => indexRoom(house.house, { meetingId: id, part: 'transcript', of: null }),
  },
  { what: 'copying', call: ({ ann, id }) => ask(ann, 'POST', `/api/meetings/${id}/clone`, {}) },
  {
    what: 'restoring a version',
    writes: true,
    call: ({ ann, id, earlier }) => ask(ann, 'POST', `/api/meetings/${id}/versions/${earlier}/restore`),
  },
];

async function measure(made: Made, { what, writes = false, read, call }: Call): Promise<string> {
  const { house, id, ann } = made;
  const { rooms, versions } = house.house;
  const forget = async () => {
    (await rooms.enter(id, 'transcript', null)).room.drop('bench', 1012);
    versions['cache'].clear();
    versions['bytes'].clear();
  };
  const edit = () =>
    rooms.change(id, 'transcript', { userId: ann.id, origin: 'bench' }, (doc) => editIn(doc, (number += 1)));
  const shortest = async (before: () => Promise<unknown>): Promise<string> => {
    let least = Infinity;
    for (let nth = 0; nth < rounds; nth += 1) {
      const seen = await read?.(made);
      await before();
      least = Math.min(least, await longestTurn(async () => void (await call(made, seen)), 1));
    }
    return String(Math.round(least * 1000));
  };
  const figures = [await shortest(forget), writes ? '-' : await shortest(async () => {}), await shortest(edit)];
  return `| ${what} | ${figures.join(' / ')} |`;
}

const stop = await setup();
const house = await openHouse();
try {
  for (const words of sizes) {
    const made = await makeAssessed(house, words);
    console.log(`\n${words.toLocaleString('en')} words, load ${loadavg()[0]?.toFixed(0)}`);
    for (const call of calls.filter(({ what }) => what.includes(options.only)))
      console.log(await measure(made, call).catch((error: unknown) => `| ${call.what} | ${String(error)} |`));
  }
} finally {
  await caller.terminate();
  await house.close();
  await stop();
}
