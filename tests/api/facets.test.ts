// Filters and facets of the list: OR within one, AND between them, and counts of nothing that a person may not read.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { updateProjection } from '#server/rooms/projection.ts';
import type { Facet, Filters } from '#shared/filters.ts';
import type { MeetingsAnswer } from '#shared/meetings/meeting.ts';
import { addTag } from '#shared/meetings/about.ts';
import { addSpeaker } from '#shared/meetings/speakers.ts';
import { newId } from '#shared/ids.ts';
import { roles } from '#shared/roles.ts';
import { indexAll, makeSaid } from '#tests/support/finding.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { share } from '#tests/support/meetings.ts';
import { makeSet } from '#tests/support/outcome-models.ts';
import type { Person } from '#tests/support/people.ts';
import { askFor, seenBy, setStatus } from '#tests/support/reviews.ts';

let house: TestHouse;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house?.close());

interface Of {
  speaker?: string;
  tags?: readonly string[];
  lang?: string;
  said?: string;
  /** Days ago. */
  ago?: number;
  minutes?: number;
}

async function make(owner: Person, title: string, about: Of = {}, here = house): Promise<string> {
  const { speaker = 'Ann', tags = [], lang = 'en-US', said = 'A sentence.', ago = 0, minutes = 10 } = about;
  const id = await makeSaid(here, owner, [said], { title, lang });
  await here.house.rooms.change(id, 'transcript', { userId: null, origin: 'test' }, (doc) => {
    addSpeaker(doc, 'a', speaker, 'test');
    for (const tag of tags) addTag(doc, tag, 'test');
  });
  // Brought up to date here, so that the background writes nothing over the length.
  await updateProjection(here.house, id);
  await here.database.sql`
    update meetings set created_at = timestamptz '2026-11-15 12:00Z' - ${ago} * interval '1 day' where id = ${id}`;
  await here.database.sql`update meeting_projections set spoken_ms = ${minutes * 60_000} where meeting_id = ${id}`;
  return id;
}

const parameters = (filters: Filters, more: string) => `filters=${encodeURIComponent(JSON.stringify(filters))}${more}`;
const list = async (person: Person, filters: Filters, more = ''): Promise<MeetingsAnswer> => {
  const { status, body, text } = await person.get(`/api/meetings?sort=title&${parameters(filters, more)}`);
  expect(status, text).toBe(200);
  return body as MeetingsAnswer;
};
const titles = async (person: Person, filters: Filters, more = '') =>
  (await list(person, filters, more)).hits.map(({ title }) => title);
const facets = async (person: Person, filters: Filters = {}, more = ''): Promise<Facet[]> => {
  const { status, body, text } = await person.get(`/api/aggs?${parameters(filters, more)}`);
  expect(status, text).toBe(200);
  return body.facets as Facet[];
};
const counts = (all: readonly Facet[], wanted: string) =>
  Object.fromEntries(all.find(({ name }) => name === wanted)?.values.map(({ value, count }) => [value, count]) ?? []);

async function threeOf(owner: Person): Promise<void> {
  await make(owner, 'One', { speaker: 'Maria', tags: ['budget', 'plan'], minutes: 3 });
  await make(owner, 'Three', { speaker: 'Li', tags: ['plan'], lang: 'zh-CN', ago: 20, minutes: 45 });
  await make(owner, 'Two', { speaker: 'Maria', tags: ['budget'], lang: 'ru-RU', said: 'Другое.', minutes: 90 });
  await indexAll(house);
}

test('any value of a filter fits, and every filter; a count leaves out the choice in its own facet', async () => {
  const ann = await house.person('Ann');
  await threeOf(ann);
  expect(await titles(ann, { tag: ['budget'] })).toEqual(['One', 'Two']);
  expect(await titles(ann, { tag: ['budget', 'plan'] })).toEqual(['One', 'Three', 'Two']);
  expect(await titles(ann, { tag: ['budget'], language: ['ru-RU'] })).toEqual(['Two']);
  expect(await titles(ann, { speaker: ['Li'] })).toEqual(['Three']);
  expect(await titles(ann, { length: ['0-5', '60-'] })).toEqual(['One', 'Two']);
  expect(await titles(ann, { date: ['2026-10'] })).toEqual(['Three']);
  expect(await titles(ann, { from: '2026-10-26', to: '2026-10-26' })).toEqual(['Three']);
  expect(await titles(ann, { owner: [ann.id] }, '&query=sentence')).toEqual(['One', 'Three']);
  expect((await list(ann, { tag: ['budget'] })).hits[0]?.tags).toEqual(['budget', 'plan']);

  const all = await facets(ann);
  expect(counts(all, 'tag')).toEqual({ budget: 2, plan: 2 });
  expect(counts(all, 'speaker')).toEqual({ Maria: 2, Li: 1 });
  expect(counts(all, 'language')).toEqual({ 'en-US': 1, 'zh-CN': 1, 'ru-RU': 1 });
  expect(counts(all, 'date')).toEqual({ '2026-11': 2, '2026-10': 1 });
  expect(counts(all, 'length')).toEqual({ '0-5': 1, '30-60': 1, '60-': 1 });
  expect(all.find(({ name }) => name === 'owner')?.values).toEqual([{ value: ann.id, label: 'Ann Test', count: 3 }]);
  const some = await facets(ann, { tag: ['plan'], speaker: ['Maria'] });
  expect(counts(some, 'tag')).toEqual({ budget: 2, plan: 1 });
  expect(counts(some, 'speaker')).toEqual({ Maria: 1, Li: 1 });
  expect(counts(some, 'language')).toEqual({ 'en-US': 1 });
  expect(counts(await facets(ann, {}, '&query=sentence'), 'tag')).toEqual({ budget: 1, plan: 2 });
  // A chosen value stays, so that it can be taken back.
  expect(counts(await facets(ann, { tag: ['gone'] }), 'tag')).toEqual({ budget: 2, plan: 2, gone: 0 });
});

test('a facet has its most frequent values, and finds the others by their text', async () => {
  const ann = await house.person();
  await make(ann, 'Many', { tags: Array.from({ length: 60 }, (_, n) => `tag ${n}`) });
  await make(ann, 'One', { tags: ['tag 59', 'Бюджет'] });
  await indexAll(house);
  const tag = (await facets(ann)).find(({ name }) => name === 'tag');
  expect([tag?.values.length, tag?.more, tag?.values[0]]).toEqual([50, 11, { value: 'tag 59', label: null, count: 2 }]);
  expect(await facets(ann, {}, `&of=tag&like=${encodeURIComponent('бюд')}`)).toEqual([
    { name: 'tag', values: [{ value: 'Бюджет', label: null, count: 1 }], more: 0 },
  ]);
});

test('capitals of any script are small letters to a search, also in a database that knows those of ASCII alone', async () => {
  const own = await openHouse({ locale: 'C' });
  try {
    const { sql } = own.database;
    const ann = await own.person('Ann');
    const [tagged, draft] = [newId(), newId()];
    await sql`insert into meetings (id, owner_id, created_at) select unnest(${[tagged, draft]}::text[]), ${ann.id}, now()`;
    await own.house.rooms.change(tagged, 'transcript', { userId: null, origin: 'test' }, (doc) => {
      for (const tag of ['Бюджет', '[Ёлка]^', 'ΣΑΜΟΣ']) addTag(doc, tag, 'test');
    });
    await sql`
      insert into intakes (meeting_id, owner_id, request_id, request_digest, state, title, model, lang, speakers, vocabulary, created_at)
      values (${draft}, ${ann.id}, 'r', ''::bytea, 'processing', 'Ёжик ПРОДАЖИ Ήλιος', 'external', 'ru-RU', 2, '', now())`;
    await indexAll(own);
    const tags = async (like: string) =>
      (await facets(ann, {}, `&of=tag&like=${encodeURIComponent(like)}`))[0]?.values.map(({ value }) => value);
    for (const like of ['бюдж', 'БЮДЖ']) expect(await tags(like)).toEqual(['Бюджет']);
    expect(await tags('[ёлка]^')).toEqual(['[Ёлка]^']);
    expect(await tags('σαμο')).toEqual(['ΣΑΜΟΣ']);
    expect(await tags('.')).toEqual([]);
    for (const word of ['продажи', 'ёжик', 'ήλιος'])
      expect(
        (await list(ann, {}, `&query=${encodeURIComponent(word)}`)).hits.map(({ id }) => id),
        word,
      ).toEqual([draft]);
    await sql`update users set first_name = 'ЖАННА', last_name = 'Ёлкина-Πάππας ŁUKASZ' where id = ${ann.id}`;
    const ben = await own.person('Ben');
    await share(own, draft, ben, roles.canRead);
    for (const name of ['жанна', 'ёлкина', 'елки', 'παππας', 'łukasz', 'Елкина жанн'])
      expect(
        (await list(ben, {}, `&query=${encodeURIComponent(name)}`)).hits.map(({ id }) => id),
        name,
      ).toEqual([draft]);
    expect((await list(ben, {}, `&query=${encodeURIComponent('лкина')}`)).total).toBe(0);
  } finally {
    await own.close();
  }
});

test('types that people made have names, where the person reads an outcome of them', async () => {
  const [ann, ben, cem] = [await house.person('Ann'), await house.person('Ben'), await house.person('Cem')];
  const { id: set, types } = await makeSet(ann);
  const [greeting = '', followUp = ''] = types.map((type) => type.id);
  const child = types[0]?.children[0]?.id ?? '';
  const id = await make(ann, 'Greeted');
  expect((await ann.post(`/api/meetings/${id}/outcome-models`, { id: set })).status).toBe(200);
  for (const outcome of [
    { type: greeting, grade: 3, children: [{ type: child, grade: null }] },
    { type: followUp, private: true },
  ]) {
    const given = { start: 0, end: 1, text: 'Here', ...outcome };
    const { status, text } = await ann.post(`/api/meetings/${id}/outcomes`, { outcome: given });
    expect(status, text).toBe(200);
  }
  await share(house, id, ben, roles.canRead);
  await indexAll(house);
  const labels = async (person: Person, filters?: Filters, more?: string) =>
    Object.fromEntries(
      (await facets(person, filters, more))
        .find(({ name }) => name === 'outcomeType')
        ?.values.map(({ value, label }) => [value, label]) ?? [],
    );
  const shared = { [greeting]: 'Greeting', [child]: 'Says the name' };
  expect(await labels(ann)).toEqual({ ...shared, [followUp]: 'Follow-up' });
  expect(await labels(ben)).toEqual(shared);
  expect(await labels(ben, {}, '&of=outcomeType&like=GREET')).toEqual({ [greeting]: 'Greeting' });
  // A chosen type has its name also where other filters leave nothing, and none for those who read no outcome of it.
  const all = { outcomeType: [greeting, followUp] };
  expect(await labels(ben, { ...all, tag: ['none'] })).toEqual({ [greeting]: 'Greeting', [followUp]: null });
  expect(await labels(cem, all)).toEqual({ [greeting]: null, [followUp]: null });
});

test('types that people made are graded in the filter of those who read an outcome of them, also in a layer alone', async () => {
  const [ann, ben, cem] = [await house.person('Ann'), await house.person('Ben'), await house.person('Cem')];
  const { id: set, types } = await makeSet(ann);
  const [greeting, followUp] = types;
  const child = greeting?.children[0]?.id ?? '';
  const id = await make(ann, 'Assessed');
  await share(house, id, cem, roles.canRead);
  const review = await askFor(ann, id, { outcomeModel: set, roles: [[ben, 'required']] });
  const { cloneId } = await seenBy(ben, review);
  for (const outcome of [
    { type: greeting?.id, grade: 1, children: [{ type: child, grade: 3 }] },
    { type: followUp?.id },
  ]) {
    const given = { start: 0, end: 1, text: 'Here', ...outcome };
    const { status, text } = await ben.post(`/api/meetings/${cloneId}/outcomes`, { outcome: given });
    expect(status, text).toBe(200);
  }
  await indexAll(house);
  const told = async (person: Person, filters: Filters = {}) => {
    const { body, text } = await person.get(`/api/aggs?filters=${encodeURIComponent(JSON.stringify(filters))}`);
    return { types: body.types as unknown[], all: text };
  };
  // Follow-up has no grades.
  const mine = {
    ...{ id: greeting?.id, name: 'Greeting' },
    grades: [
      { value: 1, name: 'Not yet' },
      { value: 3, name: 'Warm' },
    ],
    children: greeting?.children.map((one) => ({ id: one.id, name: one.name })),
  };
  expect((await told(ben)).types).toEqual([mine]);
  const below = { outcome: { type: greeting?.id ?? '', below: 2 } };
  expect(await titles(ben, below)).toEqual(['Assessed']);
  // The chosen one has its name and its grades, also where nothing is left.
  for (const outcome of [
    { type: greeting?.id ?? '', above: 3 },
    { type: greeting?.id ?? '', child, is: 1 },
  ]) {
    expect(await titles(ben, { outcome })).toEqual([]);
    expect((await told(ben, { outcome })).types).toEqual([mine]);
  }
  // Its owner reads no layer while the review is blind, and another reader none at all.
  for (const person of [ann, cem]) {
    expect(await titles(person, below)).toEqual([]);
    for (const filters of [{}, below, { outcomeType: [greeting?.id ?? ''] }]) {
      const { types: known, all } = await told(person, filters);
      expect(known).toEqual([]);
      expect(all).not.toMatch(/Greeting|Warm/);
    }
  }
  await setStatus(ben, review, 'complete');
  expect((await told(ann)).types).toEqual([mine]);
  expect(await titles(ann, below)).toEqual(['Assessed']);
  expect((await told(cem)).types).toEqual([]);
});

test('a folder counts what lies in it as the person sees it', async () => {
  const [ann, ben] = [await house.person('Ann'), await house.person('Ben')];
  const id = await make(ann, 'Filed');
  await make(ann, 'Loose');
  const { body: folder } = await ann.post('/api/folders', { path: '/Term' });
  await ann.put(`/api/meetings/${id}/move`, { path: '/Term' });
  await share(house, id, ben, roles.canRead);
  await indexAll(house);
  const folders = (all: Facet[]) => all.find(({ name }) => name === 'folder')?.values;
  expect(folders(await facets(ann))).toEqual([
    { value: folder.id, label: 'Term', count: 1 },
    { value: 'none', label: null, count: 1 },
  ]);
  expect(folders(await facets(ben))).toEqual([{ value: 'none', label: null, count: 1 }]);
  expect(await titles(ann, { folder: [folder.id] })).toEqual(['Filed']);
  expect(await titles(ben, { folder: [folder.id] })).toEqual([]);
});

test('outcomes are found by type and grade, by those who see them', async () => {
  const [ann, ben] = [await house.person('Ann'), await house.person('Ben')];
  const id = await make(ann, 'Session');
  await share(house, id, ben, roles.canComment);
  const set = async (who: Person, outcome: object) => {
    const { status, text } = await who.post(`/api/meetings/${id}/outcomes`, { outcome });
    expect(status, text).toBe(200);
  };
  const at = { start: 0, end: 1, text: '' };
  await set(ann, { ...at, type: 'presence', grade: 1, children: [{ type: 'presenceSilence', grade: 3 }] });
  await set(ben, { ...at, type: 'listening', grade: 4, text: 'Mine', private: true });
  await indexAll(house);
  expect(await titles(ann, { outcome: { type: 'presence', below: 2 } })).toEqual(['Session']);
  expect(await titles(ben, { outcome: { type: 'presence', is: 1 } })).toEqual(['Session']);
  expect(await titles(ann, { outcome: { type: 'presence', above: 1 } })).toEqual([]);
  expect(await titles(ann, { outcome: { type: 'presence', child: 'presenceSilence', above: 2 } })).toEqual(['Session']);
  expect(await titles(ann, { outcome: { type: 'listening' } })).toEqual([]);
  expect(await titles(ben, { outcome: { type: 'listening', above: 3 } })).toEqual(['Session']);
  expect(counts(await facets(ann), 'outcomeType')).toEqual({ presence: 1, presenceSilence: 1 });
  expect(counts(await facets(ben), 'outcomeType')).toEqual({ listening: 1, presence: 1, presenceSilence: 1 });
});

test('a filter of a name that nobody knows, or a value that is none, is refused', async () => {
  const ann = await house.person();
  for (const [filters, errors] of [
    ['{"colour":["red"]}', [{ field: 'colour', code: 'unknown' }]],
    ['{"tag":"budget"}', [{ field: 'filters.tag', code: 'invalid' }]],
    ['{"tag":[]}', [{ field: 'filters.tag', code: 'required' }]],
    ['{"date":["2026-13"]}', [{ field: 'filters.date.0', code: 'date' }]],
    ['{"outcome":{"type":"presence","below":2,"above":3}}', [{ field: 'filters.outcome', code: 'invalid' }]],
    ['{"tag":', [{ field: 'filters', code: 'json' }]],
    ['[]', [{ field: 'filters', code: 'invalid' }]],
  ] as const)
    for (const path of ['/api/meetings', '/api/aggs']) {
      const { status, problem } = await ann.get(`${path}?filters=${encodeURIComponent(filters)}`);
      expect([filters, status, problem.info?.errors]).toEqual([filters, 422, errors]);
    }
});

test('nothing of what a person may not read is counted or named, whatever is chosen', async () => {
  const other = await openHouse();
  try {
    const answers: string[][] = [];
    for (const [nth, here] of [house, other].entries()) {
      const [ann, ben] = [await here.person('Ann'), await here.person('Ben')];
      const id = await make(ann, 'Shared', { tags: ['plan', '{canary tag}'] }, here);
      await share(here, id, ben, roles.canRead);
      if (nth === 0) {
        await make(ann, 'Secret', { speaker: 'Canary', tags: ['canary', 'plan'] }, here);
        const open = await make(ann, 'Lecture', { tags: ['canary'] }, here);
        await share(here, open, 'anonymous', ['read', 'discover']);
        const deleted = await make(ben, 'Old', { tags: ['canary'] }, here);
        await ben.delete(`/api/meetings/${deleted}`);
        const hers = { start: 0, end: 1, type: 'presence', grade: 1, text: 'canary', private: true };
        expect((await ann.post(`/api/meetings/${id}/outcomes`, { outcome: hers })).status).toBe(200);
      }
      await indexAll(here);
      const heard = [];
      for (const filters of [
        {},
        { tag: ['plan'] },
        { owner: [ann.id] },
        { speaker: ['Ann'] },
        { outcome: { type: 'presence' } },
        { date: ['2026-11'] },
      ])
        for (const more of ['', '&query=sentence', '&of=tag&like=c', '&of=speaker&like=c', '&of=owner&like=n'])
          heard.push(
            JSON.stringify([
              await facets(ben, filters, more),
              (await list(ben, filters, more.startsWith('&of') ? '' : more)).total,
            ]).replaceAll(ann.id, 'ANN'),
          );
      expect(heard.join('').toLowerCase()).not.toContain('canary');
      answers.push(heard);
    }
    expect(answers[0]).toEqual(answers[1]);
  } finally {
    await other.close();
  }
});
