// Section 3.7 of the catalogue, what a program can try of it: text that would become code, lines of a log, or a question of
// its own. What a browser would have to run is tried in tests/e2e/payloads.test.ts.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { searchSegments } from '#shared/meetings/search.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import type { Person } from '#tests/support/people.ts';
import { makeRecording } from '#tests/support/recording.ts';

let house: TestHouse;
let ann: Person;
let meeting: string;
beforeAll(async () => {
  house = await openHouse();
  ann = await house.person();
  meeting = await makeRecording(house, ann);
});
afterAll(() => house.close());

const change = async (changes: Record<string, unknown>) => {
  const { version } = (await ann.get(`/api/meetings/${meeting}`)).body;
  return ann.put(`/api/meetings/${meeting}`, { meeting: changes, version });
};

it('H07 subtitles are built from the words: none of them becomes markup, a style or a cue of its own', async () => {
  const { segments } = (await ann.get(`/api/meetings/${meeting}`)).body.doc.transcript;
  const hostile = 'Hello <v onclick=hit()>you --> 00:00:09.000 & STYLE ::cue { color: red } </v> <b>all';
  const { status, text: said } = await ann.post(`/api/meetings/${meeting}/edit`, {
    pos: 0,
    old: segments[0].text,
    new: hostile,
    version: (await ann.get(`/api/meetings/${meeting}`)).body.version,
  });
  expect(status, said).toBe(200);
  const { headers, text } = await ann.get(`/api/meetings/${meeting}/vtt`);
  expect(headers.get('content-type')).toBe('text/vtt; charset=utf-8');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(text).toContain('&lt;v');
  const cues = text.split('\n').filter((line) => line.includes('-->'));
  for (const line of cues) expect(line).toMatch(/^[\d:.]+ --> [\d:.]+$/);
  // Voices are the only marks, and those are ours.
  expect(text.replaceAll(/<\/?v[^<>=]*>/g, '')).not.toMatch(/<|onclick=hit\(\)>|^STYLE/m);
  expect(text).toContain('all');
});

describe('H08 a colour', () => {
  const hostile = 'red;background:url(https://evil.example)';

  it('of a speaker is one of five', async () => {
    const { speakers } = (await ann.get(`/api/meetings/${meeting}`)).body.doc.transcript;
    const before = JSON.stringify(speakers);
    for (const color of [hostile, '#ff0000', -1, 1e9, { toString: hostile }]) {
      const path = 'doc.transcript.speakers';
      const { status } = await change({ [path]: [{ ...speakers[0], color }, ...speakers.slice(1)] });
      const after = (await ann.get(`/api/meetings/${meeting}`)).body.doc.transcript.speakers as { color: unknown }[];
      if (status !== 200) expect([status, JSON.stringify(after)]).toEqual([422, before]);
      for (const one of after) expect([0, 1, 2, 3, 4]).toContain(one.color);
    }
  });
});

describe('H16 what is looked for is words, and never a question of its own', () => {
  const queries = [
    "'",
    "' or 1=1 --",
    '%',
    '_',
    '\\',
    '&',
    '|',
    '!',
    ':*',
    '<->',
    // Nobody says z; a is said.
    '(a+)+z$',
    '.*',
    '[',
    '*'.repeat(1000),
    'word '.repeat(10_000),
    'x'.repeat(10_240),
    '\u0000',
  ];

  it.each(queries.map((query) => ({ query, name: JSON.stringify(query.slice(0, 20)) })))('$name', async ({ query }) => {
    const found = await ann.get(`/api/meetings?query=${encodeURIComponent(query)}`);
    expect([200, 400, 414, 422, 431], found.problem?.code).toContain(found.status);
    // The title contains none of them: a search that finds it took the query for more than letters.
    expect((await ann.get(`/api/meetings/${meeting}`)).body.doc.title.includes(query)).toBe(false);
    if (found.status === 200) expect(found.body.total).toBe(0);
    const wanted = query.slice(0, 50);
    const text = `aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa! and ${wanted}`;
    const hits = searchSegments([{ id: 'a', speaker: '', text, start: 0 }], wanted);
    expect(hits.length).toBeGreaterThan(0);
    for (const hit of hits) expect(hit.text.toLowerCase()).toBe(wanted.trim().toLowerCase());
  });

  it('is found where it is written, also if it could mean something else', async () => {
    const bob = await house.person('Bob');
    const odd = await makeRecording(house, bob);
    const signs = queries.filter((query) => query.length < 20 && query !== '\u0000');
    expect((await bob.post(`/api/meetings/${odd}/rename`, { title: signs.join(' x ') })).status).toBe(200);
    const total = async (query: string) =>
      (await bob.get(`/api/meetings?query=${encodeURIComponent(query)}`)).body.total as number;
    await expect.poll(() => total('or 1=1'), { timeout: 60_000 }).toBe(1);
    for (const sign of signs) expect([sign, await total(sign)]).toEqual([sign, 1]);
    expect(await total('100%')).toBe(0);
  });
});

// Further than ten thousand one may leaf: what is listed is one's own, and all of it can be come to.
describe('H17 a page that is not there', () => {
  const wrong = [
    'start=-1',
    'start=1e9',
    'start=NaN',
    'start=1.5',
    'start=1000001',
    'start=99999999',
    'start=',
    'size=0',
  ];
  const sizes = ['size=-1', 'size=101', 'size=100000', 'size=ten', 'size=Infinity'];
  it.each(['/api/meetings', '/api/deleted'].flatMap((path) => [...wrong, ...sizes].map((one) => `${path}?${one}`)))(
    '%s',
    async (path) => {
      const { status, problem } = await ann.get(path);
      expect([status, problem.code]).toEqual([422, 'INVALID']);
      expect(Object.keys(problem.info)).toContain('errors');
    },
  );
});

describe('H14 the name of a folder', () => {
  it.each(['safe\u202Etxt.exe', 'a\u2066b', 'a\u200Bb', 'a\u2060b', 'a\uFEFFb', 'a\u0007b', '..', ' '])(
    '%j is none',
    async (name) => {
      const { status } = await ann.post('/api/folders', { path: `/${name}` });
      expect(status).toBe(422);
    },
  );

  it('is stored in one normal form, and looks like no other existing name', async () => {
    const made = await ann.post('/api/folders', { path: '/Cafe\u0301' });
    expect([made.status, made.body.name]).toEqual([200, 'Caf\u00E9']);
    for (const alike of ['/Caf\u00E9', '/caf\u00E9', '/\uFF23af\u00E9', '/Caf\u00E9 '])
      expect((await ann.post('/api/folders', { path: alike })).status).toBe(422);
  });
});
