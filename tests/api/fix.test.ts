// Replacing words at many places (server/library/fix.ts): what was shown is changed, and nothing else, and is undone together.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { FindsAnswer, FixAnswer } from '#shared/finds.ts';
import { roles } from '#shared/roles.ts';
import { undoableActions } from '#db/schema/finding.ts';
import { actionDays } from '#shared/actions.ts';
import { sweepActions } from '#server/library/actions.ts';
import { indexAll, makeSaid } from '#tests/support/finding.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { share } from '#tests/support/meetings.ts';
import type { Person } from '#tests/support/people.ts';
import { makeRecording } from '#tests/support/recording.ts';

let house: TestHouse;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house?.close());

async function placesFor(person: Person, query: string) {
  await indexAll(house);
  const { status, body, text } = await person.get(`/api/finds?${new URLSearchParams({ query })}`);
  expect(status, text).toBe(200);
  const { places, recordings } = body as FindsAnswer;
  return {
    recordings,
    places: places
      .filter(({ kind, segment }) => kind === 'words' && segment !== null)
      .map(({ recording, segment, start, before, words, after }) => ({
        recording,
        segment,
        start,
        before,
        words,
        after,
      })),
  };
}

async function fix(person: Person, input: object): Promise<FixAnswer> {
  const { status, body, text } = await person.post('/api/finds/fix', input);
  expect(status, text).toBe(200);
  return body as FixAnswer;
}

const said = async (person: Person, id: string): Promise<string[]> =>
  (await person.get(`/api/meetings/${id}`)).body.doc.transcript.segments.map(({ text }: { text: string }) => text);

test('words are replaced at the places that were shown, and all of it is undone together', async () => {
  const [ann, ben] = [await house.person('Ann'), await house.person('Ben')];
  const one = await makeSaid(house, ann, ['Jon met Jon, and Jonas', 'nothing', 'for Jon']);
  const two = await makeSaid(house, ann, ['ask Jon again']);
  await share(house, two, ben, roles.canRead);
  const { places, recordings } = await placesFor(ann, '"Jon"');
  expect(places).toHaveLength(4);
  expect(recordings.every(({ writes }) => writes)).toBe(true);
  expect((await placesFor(ben, '"Jon"')).recordings.map(({ writes }) => writes)).toEqual([false]);
  // One of the places is left out.
  const chosen = places.filter(({ recording, segment }) => recording === two || segment !== 's2');
  const answer = await fix(ann, { query: '"Jon"', replacement: 'John', places: chosen });
  expect(answer).toMatchObject({ fixed: 3, recordings: 2, failed: [] });
  expect(await said(ann, one)).toEqual(['John met John, and Jonas', 'nothing', 'for Jon']);
  expect(await said(ann, two)).toEqual(['ask John again']);

  // Another person's action answers like none.
  const undo = `/api/actions/${answer.action}/undo`;
  const [others, missing] = [await ben.post(undo), await ben.post('/api/actions/none/undo')];
  expect([others.status, others.problem.code]).toEqual([403, 'NO_ACCESS']);
  expect([missing.status, missing.problem.code, missing.problem.message]).toEqual([
    others.status,
    others.problem.code,
    others.problem.message,
  ]);
  // A later change elsewhere in the paragraph stays.
  const { version } = (await ann.get(`/api/meetings/${two}`)).body;
  const edit = { pos: 0, old: 'ask John again', new: 'Please ask John again' };
  expect((await ann.post(`/api/meetings/${two}/edit`, { ...edit, version })).status).toBe(200);
  const undone = await ann.post(undo);
  expect([undone.status, undone.body]).toEqual([200, { undone: 3, failed: [], next: null }]);
  expect(await said(ann, one)).toEqual(['Jon met Jon, and Jonas', 'nothing', 'for Jon']);
  expect(await said(ann, two)).toEqual(['Please ask Jon again']);
  const twice = await ann.post(undo);
  expect([twice.status, twice.problem.code]).toEqual([409, 'CONFLICT']);
});

test('places are replaced request by request, as one action', async () => {
  const [ann, ben] = [await house.person('Ann'), await house.person('Ben')];
  const ids = [await makeSaid(house, ann, ['a quince, a quince']), await makeSaid(house, ann, ['a quince'])];
  const { places } = await placesFor(ann, 'quince');
  const input = { query: 'quince', replacement: 'plum' };
  const [one = '', two = ''] = ids;
  const of = (id: string) => places.filter(({ recording }) => recording === id);
  const { action } = await fix(ann, { ...input, places: of(one).slice(0, 1) });
  expect(await fix(ann, { ...input, places: of(two), action })).toMatchObject({ fixed: 1, failed: [], action });
  // A second change of a recording would hide the first.
  const again = await fix(ann, { ...input, places: of(one), action });
  expect(again).toMatchObject({ fixed: 0, failed: [{ recording: one, places: 2, code: 'CONFLICT' }] });
  for (const [person, other] of [
    [ben, {}],
    [ann, { replacement: 'fig' }],
  ] as const) {
    const refused = await person.post('/api/finds/fix', { ...input, places: of(one), action, ...other });
    expect([refused.status, refused.problem.code]).toEqual([403, 'NO_ACCESS']);
  }
  const undone = await ann.post(`/api/actions/${action}/undo`);
  expect(undone.body).toEqual({ undone: 2, failed: [], next: null });
  expect([await said(ann, one), await said(ann, two)]).toEqual([['a quince, a quince'], ['a quince']]);
});

test('two requests that change a recording at once are undone together', async () => {
  const ann = await house.person('Ann');
  const texts = ['a quince', 'one more quince'];
  const [one, two] = [await makeSaid(house, ann, texts), await makeSaid(house, ann, ['a quince'])];
  const { places } = await placesFor(ann, 'quince');
  const of = (id: string) => places.filter(({ recording }) => recording === id);
  const input = { query: 'quince', replacement: 'plum' };
  const { action } = await fix(ann, { ...input, places: of(two) });
  const { sql } = house.database;
  let both: Promise<FixAnswer[]> = Promise.resolve([]);
  await sql.begin(async (tx) => {
    await tx`lock table action_parts in access exclusive mode`;
    both = Promise.all(of(one).map((place) => fix(ann, { ...input, places: [place], action })));
    // Neither finds the part that the other makes.
    const waiting = () => sql`
      select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%action_parts%'`;
    await expect.poll(waiting).toHaveLength(2);
  });
  expect((await both).map(({ fixed, failed }) => [fixed, failed])).toEqual([
    [1, []],
    [1, []],
  ]);
  expect(await said(ann, one)).toEqual(['a plum', 'one more plum']);
  expect((await ann.post(`/api/actions/${action}/undo`)).body).toEqual({ undone: 3, failed: [], next: null });
  expect([await said(ann, one), await said(ann, two)]).toEqual([texts, ['a quince']]);
});

test('what was changed, closed or taken away meanwhile is left as it is, and named', async () => {
  const [ann, ben] = [await house.person('Ann'), await house.person('Ben')];
  const ids: string[] = [];
  for (const text of ['a pear here', 'a pear there', 'a pear closed', 'a pear gone'])
    ids.push(await makeSaid(house, ann, [text]));
  const [kept = '', edited = '', closed = '', gone = ''] = ids;
  for (const id of ids) await share(house, id, ben, roles.canEdit);
  const { places } = await placesFor(ben, 'pear');
  const { version } = (await ann.get(`/api/meetings/${edited}`)).body;
  const edit = { pos: 0, old: 'a pear there', new: 'an apple there', version };
  expect((await ann.post(`/api/meetings/${edited}/edit`, edit)).status).toBe(200);
  expect((await ann.post(`/api/meetings/${closed}/close`, { name: 'Final' })).status).toBeLessThan(300);
  await house.database.sql`delete from meeting_access where meeting_id = ${gone}`;
  const answer = await fix(ben, { query: 'pear', replacement: 'plum', places });
  expect(answer).toMatchObject({ fixed: 1, recordings: 1 });
  expect(new Map(answer.failed.map(({ recording, code }) => [recording, code]))).toEqual(
    new Map([
      [edited, 'CONFLICT'],
      [closed, 'CLOSED'],
      [gone, 'NO_ACCESS'],
    ]),
  );
  expect(await said(ann, kept)).toEqual(['a plum here']);
  expect(await said(ann, gone)).toEqual(['a pear gone']);
  // Nothing is undone without the right to change it, and nothing that was changed since.
  await share(house, kept, ben, roles.canRead);
  const refused = await ben.post(`/api/actions/${answer.action}/undo`);
  expect([refused.status, refused.problem.code]).toEqual([403, 'NO_PERM']);
  await share(house, kept, ben, roles.canEdit);
  const now = (await ann.get(`/api/meetings/${kept}`)).body.version;
  const again = { pos: 0, old: 'a plum here', new: 'a fig here', version: now };
  expect((await ann.post(`/api/meetings/${kept}/edit`, again)).status).toBe(200);
  const changed = await ben.post(`/api/actions/${answer.action}/undo`);
  expect([changed.status, changed.problem.code]).toEqual([409, 'CONFLICT']);
});

test('word times and annotations stay, also of equal words beside each other', async () => {
  const ann = await house.person('Ann');
  const id = await makeRecording(house, ann);
  const { body: before } = await ann.get(`/api/meetings/${id}`);
  const segment = before.doc.transcript.segments[2];
  const word = segment.words[1];
  const outcome = { start: word.f, end: word.t, type: 'presence', grade: 1, text: 'here' };
  expect((await ann.post(`/api/meetings/${id}/outcomes`, { outcome })).status).toBe(200);
  const query = String(word.w).replaceAll(/[^\p{L}\p{N}]/gu, '');
  const { places } = await placesFor(ann, `"${query}"`);
  const chosen = places.filter((place) => place.segment === segment.id && Math.abs((place.start ?? 0) - word.f) < 0.01);
  expect(chosen).toHaveLength(1);
  expect(await fix(ann, { query, replacement: 'Zanzibar', places: chosen })).toMatchObject({ fixed: 1, failed: [] });
  const { body: after } = await ann.get(`/api/meetings/${id}`);
  const changed = after.doc.transcript.segments[2].words;
  expect(changed.map(({ f, t }: { f: number; t: number }) => [f, t])).toEqual(
    segment.words.map(({ f, t }: { f: number; t: number }) => [f, t]),
  );
  expect(changed[1].w).toContain('Zanzibar');
  expect(after.doc.outcomes).toHaveLength(1);
  expect(after.doc.outcomes[0]).toMatchObject({ start: word.f, end: word.t });
});

test.each([
  ['here', Infinity],
  ['in a thread', 0],
])('of equal words between equal words the one that was shown is replaced, with times read %s', async (_, long) => {
  const ann = await house.person('Ann');
  const id = await makeSaid(house, ann, [Array.from({ length: 90 }, () => 'no').join(' ')]);
  const timed = async () =>
    (await ann.get(`/api/meetings/${id}`)).body.doc.transcript.segments[0].words as { w: string; f: number }[];
  const shown = (await timed())[45]?.f ?? 0;
  const { places } = await placesFor(ann, 'no');
  const chosen = places.filter(({ start }) => start !== null && Math.abs(start - shown) < 0.01);
  expect(chosen).toHaveLength(1);
  const { wholes } = house.house;
  const usual = wholes.long;
  const read = () => wholes.answered.get('begins') ?? 0;
  const before = read();
  wholes.long = long;
  try {
    expect(await fix(ann, { query: 'no', replacement: 'yes', places: chosen })).toMatchObject({ fixed: 1, failed: [] });
  } finally {
    wholes.long = usual;
  }
  expect(read() - before).toBe(long === 0 ? 1 : 0);
  const now = await timed();
  expect(now.flatMap(({ w }, nth) => (w.includes('yes') ? [nth] : []))).toEqual([45]);
});

test('a request that is sent again changes nothing more, and actions go after their days', async () => {
  const ann = await house.person('Ann');
  await makeSaid(house, ann, ['one fig', 'two fig']);
  const { places } = await placesFor(ann, 'fig');
  const headers = { 'X-Request-ID': `fix-${ann.id}` };
  const input = { query: 'fig', replacement: 'fig fig', places };
  const [first, second] = [
    await ann.post('/api/finds/fix', input, { headers }),
    await ann.post('/api/finds/fix', input, { headers }),
  ];
  expect(first.body).toMatchObject({ fixed: 2 });
  expect(second.body).toEqual(first.body);
  const mine = async () =>
    (await house.house.db.orm.select().from(undoableActions)).filter(({ userId }) => userId === ann.id);
  expect(await mine()).toHaveLength(1);
  await house.database.sql`
    update undoable_actions set at = at - ${actionDays + 1} * interval '1 day' where user_id = ${ann.id}`;
  const late = await ann.post(`/api/actions/${first.body.action}/undo`);
  expect([late.status, late.problem.code]).toEqual([403, 'NO_ACCESS']);
  await sweepActions(house.house);
  expect(await mine()).toEqual([]);
});
