// Places across recordings (server/library/finds.ts): each once, page by page, and of nothing that a person may not read.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Filters } from '#shared/filters.ts';
import { placesAtOnce, type FindsAnswer, type FoundPlace } from '#shared/finds.ts';
import { roles } from '#shared/roles.ts';
import { indexAll, makeSaid } from '#tests/support/finding.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { readCsv } from '#tests/support/csv.ts';
import { share } from '#tests/support/meetings.ts';
import { makeSet } from '#tests/support/outcome-models.ts';
import type { Person } from '#tests/support/people.ts';
import { makeRecording } from '#tests/support/recording.ts';

let house: TestHouse;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house?.close());

interface Asked {
  query?: string;
  filters?: Filters;
  after?: string;
}

async function finds(person: Person, { filters, ...rest }: Asked): Promise<FindsAnswer> {
  const parameters = new URLSearchParams({ ...rest, ...(filters && { filters: JSON.stringify(filters) }) });
  const { status, body, text } = await person.get(`/api/finds?${parameters}`);
  expect(status, text).toBe(200);
  return body as FindsAnswer;
}

/** All pages, one after another. */
async function allPlaces(person: Person, asked: Asked): Promise<FoundPlace[]> {
  const places: FoundPlace[] = [];
  for (let after: string | null | undefined; after !== null;) {
    const page = await finds(person, { ...asked, ...(after && { after }) });
    expect(page.places.length).toBeLessThanOrEqual(placesAtOnce);
    places.push(...page.places);
    after = page.next;
  }
  return places;
}

test('each place of a word is listed once, page by page, in the order of the recording', async () => {
  const ann = await house.person();
  // One paragraph that is longer than a passage, and several passages.
  const long = Array.from({ length: 900 }, (_, n) => (n % 15 === 0 ? `harvest a${n}` : `word${n}`)).join(' ');
  const one = await makeSaid(house, ann, [long, 'a harvest', 'nothing', 'the harvests of pears']);
  const two = await makeSaid(house, ann, ['pears and harvest']);
  await makeSaid(house, ann, ['nothing'], { title: 'Harvest' });
  await indexAll(house);
  const places = await allPlaces(ann, { query: 'harvest' });
  expect(places.map(({ recording }) => recording)).toEqual([two, ...Array.from({ length: 62 }, () => one)]);
  const after = places.slice(1, 61).map((place) => place.after.trim().split(' ')[0]);
  expect(after).toEqual(Array.from({ length: 60 }, (_, n) => `a${n * 15}`));
  expect(places.slice(-2)).toMatchObject([
    { before: 'a ', words: 'harvest', after: '', segment: 's1', kind: 'words', outcome: null },
    { before: 'the ', words: 'harvests', after: ' of pears', segment: 's3' },
  ]);
  expect(await finds(ann, { query: 'harvest pears' })).toMatchObject({ total: 2, behind: 0 });
});

test('a file has the same places, one line each, in which a formula is text', async () => {
  const ann = await house.person();
  const said = Array.from({ length: 60 }, (_, n) => `harvest a${n}.`).join(' ');
  const one = await makeSaid(house, ann, ['=SUM(1) + harvest "pears"', said], { title: '=HYPERLINK("x")' });
  const outcome = { start: 0, end: 1, type: 'presence', grade: 1, text: 'Too quick, the harvest' };
  expect((await ann.post(`/api/meetings/${one}/outcomes`, { outcome })).status).toBe(200);
  await indexAll(house);
  const table = async (asked: Asked) => {
    const { filters, ...rest } = asked;
    const parameters = new URLSearchParams({ ...rest, ...(filters && { filters: JSON.stringify(filters) }) });
    const { status, text } = await ann.get(`/api/finds.csv?${parameters}`);
    expect(status, text).toBe(200);
    return readCsv(text).slice(1);
  };
  const [places, lines] = [await allPlaces(ann, { query: 'harvest' }), await table({ query: 'harvest' })];
  expect(lines.map((line) => line.slice(4, 8).map((cell) => cell.replace(/^'/, '')))).toEqual(
    places.map(({ kind, before, words, after }) => [kind, before, words, after]),
  );
  expect(lines).toHaveLength(62);
  expect(lines[0]?.[0]).toBe(`'=HYPERLINK("x")`);
  expect(lines[0]?.[5]).toBe(`'=SUM(1) + `);
  expect(new URL(lines[0]?.at(-1) ?? '').pathname).toBe(`/meeting/${one}`);
  const [graded, ...others] = await table({ filters: { outcome: { type: 'presence', below: 2 } } });
  expect([graded?.slice(8, 11), others]).toEqual([['Presence', '1', 'Too quick, the harvest'], []]);
});

test('an edit between two pages hides no place of it', async () => {
  const ann = await house.person();
  const said = Array.from({ length: 60 }, (_, n) => `harvest a${n}.`).join(' ');
  const one = await makeSaid(house, ann, ['the last harvest']);
  const two = await makeSaid(house, ann, [said]);
  await indexAll(house);
  const first = await finds(ann, { query: 'harvest' });
  expect(first.places.map(({ recording }) => recording)).toEqual(Array.from({ length: placesAtOnce }, () => two));
  // The recording of the next page is worked on, and places of this page are no longer there.
  const title = { version: (await ann.get(`/api/meetings/${one}`)).body.version, meeting: { 'doc.title': 'Later' } };
  expect((await ann.put(`/api/meetings/${one}`, title)).status).toBe(200);
  const fix = { query: 'harvest', replacement: 'crop', places: first.places.slice(0, 20) };
  expect((await ann.post('/api/finds/fix', fix)).body).toMatchObject({ fixed: 20 });
  await indexAll(house);
  const second = await finds(ann, { query: 'harvest', ...(first.next && { after: first.next }) });
  expect(second.places.map(({ recording, after }) => [recording, after.trim().split('.')[0]])).toEqual([
    ...Array.from({ length: 10 }, (_, n) => [two, `a${50 + n}`]),
    [one, ''],
  ]);
  expect(second.next).toBeNull();
});

test('many recordings whose title alone has the words hide none of those where they are said', async () => {
  const ann = await house.person();
  const said = await makeSaid(house, ann, ['a harvest']);
  for (let n = 0; n < 55; n += 1) await makeSaid(house, ann, ['nothing'], { title: 'Harvest' });
  await indexAll(house);
  expect((await allPlaces(ann, { query: 'harvest' })).map(({ recording }) => recording)).toEqual([said]);
});

test('graded outcomes are found with what is said there, to be played, by those who see them', async () => {
  const [ann, ben] = [await house.person('Ann'), await house.person('Ben')];
  const id = await makeRecording(house, ann);
  const { body: meeting } = await ann.get(`/api/meetings/${id}`);
  const word = meeting.doc.transcript.segments[2].words[1];
  const give = async (who: Person, outcome: object) => {
    const { status, text, body } = await who.post(`/api/meetings/${id}/outcomes`, { outcome });
    expect(status, text).toBe(200);
    return body.outcome?.id as string;
  };
  const at = { start: word.f, end: word.t };
  await give(ann, { ...at, type: 'presence', grade: 1, text: 'Too quick' });
  await give(ann, { ...at, type: 'presence', grade: 3, text: 'Better' });
  await give(ann, { ...at, type: 'presence', grade: -1, text: 'Mine alone', private: true });
  await share(house, id, ben, roles.canRead);
  await indexAll(house);
  const below: Asked = { filters: { outcome: { type: 'presence', below: 2 } } };
  const hers = await finds(ann, below);
  expect(hers.places.map(({ outcome }) => outcome)).toEqual(
    expect.arrayContaining([
      { type: 'presence', label: null, grade: 1, text: 'Too quick' },
      { type: 'presence', label: null, grade: -1, text: 'Mine alone' },
    ]),
  );
  expect(hers).toMatchObject({ total: 1, next: null });
  const his = await finds(ben, below);
  expect(his.places).toHaveLength(1);
  const [place] = his.places;
  expect(place).toMatchObject({
    kind: 'outcome',
    start: word.f,
    segment: meeting.doc.transcript.segments[2].id,
    recording: id,
  });
  expect(place?.words.startsWith(word.w.trim().replaceAll(/[^\p{L}\p{N}]/gu, ''))).toBe(true);
  const [recording] = his.recordings;
  expect(recording).toMatchObject({ id, title: meeting.doc.title, owner: { id: ann.id, name: 'Ann Test' } });
  if (recording?.src) expect((await ben.get(recording.src)).status).toBe(200);
  expect(
    (await finds(ben, { filters: { outcome: { type: 'presence', below: 2 }, from: '2999-01-01' } })).places,
  ).toEqual([]);
  await house.database.sql`delete from meeting_access where meeting_id = ${id}`;
  expect(await finds(ben, below)).toMatchObject({ places: [], recordings: [], total: 0 });
});

test('outcomes of types that people made have their names, types below one too', async () => {
  const [ann, ben] = [await house.person('Ann'), await house.person('Ben')];
  const { id: set, types } = await makeSet(ann);
  const [type] = types;
  const child = type?.children[0];
  const id = await makeSaid(house, ann, ['a harvest']);
  expect((await ann.post(`/api/meetings/${id}/outcome-models`, { id: set })).status).toBe(200);
  const children = [{ type: child?.id, grade: -1 }];
  const outcome = { start: 0, end: 1, type: type?.id, grade: 3, children, text: 'At once' };
  const given = await ann.post(`/api/meetings/${id}/outcomes`, { outcome });
  expect(given.status, given.text).toBe(200);
  await share(house, id, ben, roles.canRead);
  await indexAll(house);
  const read = async (filter: Filters['outcome']) =>
    (await finds(ben, { filters: { outcome: filter } })).places.map((place) => place.outcome);
  expect(await read({ type: type?.id ?? '', above: 1 })).toEqual([
    { type: type?.id, label: 'Greeting', grade: 3, text: 'At once' },
  ]);
  expect(await read({ type: type?.id ?? '', child: child?.id ?? '' })).toMatchObject([
    { type: child?.id, label: 'Says the name', grade: -1 },
  ]);
});

test('two houses that differ in what one person may not read answer that person alike', async () => {
  const other = await openHouse();
  try {
    const answers: string[] = [];
    for (const [nth, here] of [house, other].entries()) {
      const [ann, ben] = [await here.person('Ann'), await here.person('Ben')];
      const id = await makeSaid(here, ann, ['A harvest of {apples}.', 'and pears'], { title: 'Shared' });
      const outcome = { start: 0, end: 1, type: 'presence', grade: 1, text: 'harvest' };
      expect((await ann.post(`/api/meetings/${id}/outcomes`, { outcome })).status).toBe(200);
      await share(here, id, ben, roles.canRead);
      if (nth === 0) {
        const secret = await makeSaid(here, ann, ['harvest canary'], { title: 'Canary' });
        const open = await makeSaid(here, ann, ['harvest canary'], { title: 'Canary harvest' });
        await share(here, open, 'anonymous', ['read', 'discover']);
        const hers = { outcome: { ...outcome, text: 'harvest canary', private: true } };
        for (const to of [id, secret]) expect((await ann.post(`/api/meetings/${to}/outcomes`, hers)).status).toBe(200);
        const deleted = await makeSaid(here, ben, ['harvest canary']);
        await ben.delete(`/api/meetings/${deleted}`);
      }
      await indexAll(here);
      const heard = [];
      for (const asked of [
        { query: 'harvest' },
        { query: 'canary' },
        { query: 'apples' },
        { query: '"a harvest"' },
        { query: '"of apples"' },
        { query: '"harvest canary"' },
        { query: 'pears "a harvest"' },
        { query: 'pears -canary' },
        { filters: { outcome: { type: 'presence', below: 2 } } },
        { query: 'harvest', filters: { outcome: { type: 'presence', below: 2 } } },
      ])
        heard.push(JSON.stringify(await finds(ben, asked)));
      const all = heard.join('\n').replaceAll(id, 'ID').replaceAll(ann.id, 'ANN');
      expect(all).not.toMatch(/canary|apples/i);
      answers.push(all.replaceAll(/"(date|item)":"[^"]+"/g, ''));
    }
    expect(answers[0]).toBe(answers[1]);
  } finally {
    await other.close();
  }
});
