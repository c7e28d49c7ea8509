// Search finds every word that was said, and nothing of what a person may not read: no hit, no count, no order.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addTag } from '#shared/meetings/about.ts';
import type { MeetingsAnswer } from '#shared/meetings/meeting.ts';
import { roles } from '#shared/roles.ts';
import { indexAll, makeSaid, whileHanging } from '#tests/support/finding.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { makeLayers } from '#tests/support/layers.ts';
import { share } from '#tests/support/meetings.ts';
import type { Person } from '#tests/support/people.ts';
import { makeRecording } from '#tests/support/recording.ts';

let house: TestHouse;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house?.close());

async function search(person: Person, query: string, more = ''): Promise<MeetingsAnswer> {
  const { status, body, text } = await person.get(`/api/meetings?query=${encodeURIComponent(query)}${more}`);
  expect(status, text).toBe(200);
  return body as MeetingsAnswer;
}
const ids = async (person: Person, query: string, more = '') =>
  (await search(person, query, more)).hits.map(({ id }) => id);
const shown = ({ hits }: MeetingsAnswer) =>
  hits.map(({ found }) => found?.hits.map(({ before, words, after }) => `${before}[${words}]${after}`));

describe('a sentence that somebody remembers', () => {
  test.each([
    { lang: 'en-US', said: 'Then we decided to postpone the budgets.', query: 'deciding budget', words: '[decided]' },
    {
      lang: 'ru-RU',
      said: 'Потом мы решили перенести бюджеты на осень.',
      query: 'решил бюджета',
      words: '[решили]',
    },
    { lang: 'es-ES', said: 'Decidimos posponer las reuniones.', query: 'reunion pospone', words: '[posponer]' },
    { lang: 'zh-CN', said: '然后我们决定推迟预算。', query: '预算', words: '[预算]' },
    { lang: 'zh-CN', said: '然后我们用 Kubernetes 部署服务', query: 'kubernetes部署', words: '' },
    { lang: 'ru-RU', said: 'Мы запустили новый Dashboards вчера.', query: 'dashboard вчера', words: '[Dashboards]' },
  ])('in $lang, asked for as “$query”', async ({ lang, said, query, words }) => {
    const ann = await house.person();
    const [id] = [await makeSaid(house, ann, ['…', said], { lang }), await makeSaid(house, ann, ['Something else.'])];
    await indexAll(house);
    const answer = await search(ann, query.replace('kubernetes部署', 'kubernetes 部署'));
    expect(answer.hits.map((hit) => hit.id)).toEqual([id]);
    expect(shown(answer)[0]?.join(' ')).toContain(words);
    expect(answer.hits[0]?.found?.hits[0]).toMatchObject({ kind: 'words', segment: 's1' });
    expect(answer).toMatchObject({ total: 1, behind: 0 });
  });

  test('opens at its time', async () => {
    const ann = await house.person();
    await makeRecording(house, ann);
    await indexAll(house);
    const [hit] = (await search(ann, '"practice session"')).hits;
    const { body } = await ann.get(`/api/meetings/${hit?.id ?? ''}`);
    const first = hit?.found?.hits.find(({ kind }) => kind === 'words');
    const { words } = body.doc.transcript.segments.find(({ id }: { id: string }) => id === first?.segment);
    expect(words.find(({ w }: { w: string }) => w === 'practice').f).toBe(first?.start);
  });
});

test('words may lie anywhere in the recording, a phrase in one paragraph; a minus leaves recordings out', async () => {
  const ann = await house.person();
  const one = await makeSaid(house, ann, [
    'red apples',
    ...Array.from({ length: 900 }, (_, n) => `word${n}`),
    'green pears',
  ]);
  const two = await makeSaid(house, ann, ['red pears'], { title: 'Harvest' });
  await indexAll(house);
  expect((await ids(ann, 'apple pear')).sort()).toEqual([one]);
  expect((await ids(ann, 'red pears')).sort()).toEqual([one, two].sort());
  expect(await ids(ann, '"red pears"')).toEqual([two]);
  expect(await ids(ann, 'pears -apples')).toEqual([two]);
  expect(await ids(ann, 'harvest pear')).toEqual([two]);
  expect(await ids(ann, '"red pear"')).toEqual([]);
  for (const odd of ["' | 'red':*", 'a & !b', '\\', '"', '-', ':*', '(', '-red']) await search(ann, odd);
});

test('words in a row that cannot be looked up in time are said to be too common', { timeout: 120_000 }, async () => {
  const ann = await house.person();
  await makeSaid(house, ann, ['red pears']);
  // In half of the recordings: more would be read one after the other.
  await makeSaid(house, ann, ['nothing']);
  await indexAll(house);
  await whileHanging(house, 'meetings_saying_in_a_row', async () => {
    const query = encodeURIComponent('"red pears"');
    const calls = ['meetings', 'aggs', 'finds'].map((call) => ann.get(`/api/${call}?query=${query}`));
    for (const { status, body } of await Promise.all(calls))
      expect([status, body.info.errors]).toEqual([422, [{ field: 'query', code: 'too_common' }]]);
    expect((await ann.get('/api/meetings?query=pears')).status).toBe(200);
  });
});

test('the title comes before what names something or is said often, then what was last worked on', async () => {
  const ann = await house.person();
  const said = await makeSaid(house, ann, ['a harvest']);
  const titled = await makeSaid(house, ann, ['nothing'], { title: 'Harvest' });
  const often = await makeSaid(house, ann, ['harvest '.repeat(10)]);
  const last = await makeSaid(house, ann, ['the harvest']);
  await indexAll(house);
  await house.database.sql`
    update meeting_projections set updated_at = updated_at + interval '1 hour' where meeting_id = ${last}`;
  expect(await ids(ann, 'harvest', '&sort=relevance')).toEqual([titled, often, last, said]);
  expect(await ids(ann, 'harvest', '&sort=-relevance')).toEqual([said, last, often, titled]);
  const paged = [
    await ids(ann, 'harvest', '&sort=relevance&size=2'),
    await ids(ann, 'harvest', '&sort=relevance&size=2&start=2'),
  ];
  expect(paged.flat()).toEqual([titled, often, last, said]);
  const { hits } = await search(ann, 'harvest', '&sort=relevance');
  expect(hits[0]?.found).toBeNull();
  expect(hits[1]?.found).toMatchObject({ more: 0, hits: [{}, {}, {}] });
  expect(hits.map(({ why }) => why)).toEqual(['title', 'often', 'said', 'said']);
  // In another order, too, and nothing is said of a list without a query.
  const reasons = async (query: string) =>
    Object.fromEntries((await search(ann, query, '&sort=title')).hits.map(({ id, why }) => [id, why]));
  expect(await reasons('harvest')).toEqual({ [titled]: 'title', [often]: 'often', [last]: 'said', [said]: 'said' });
  expect(Object.values(await reasons(''))).toEqual([undefined, undefined, undefined, undefined]);
});

test('a row says that words name something in it, to those who read where', async () => {
  const [ann, ben] = [await house.person('Ann'), await house.person('Ben')];
  const id = await makeSaid(house, ann, ['a harvest of pears in autumn', 'pears '.repeat(10)]);
  await house.house.rooms.change(id, 'transcript', { userId: null, origin: 'test' }, (doc) =>
    addTag(doc, 'harvest', 'test'),
  );
  const outcome = { start: 0, end: 1, type: 'notes', text: 'an orchard of pears in autumn', private: true };
  expect((await ann.post(`/api/meetings/${id}/outcomes`, { outcome })).status).toBe(200);
  await share(house, id, ben, roles.canRead);
  await indexAll(house);
  const why = async (person: Person, query: string) => (await search(person, query)).hits.map((hit) => hit.why);
  for (const [query, hers, his] of [
    ['harvest', 'named', 'named'],
    ['harvest pears', 'named', 'named'],
    ['pears', 'named', 'often'],
    ['orchard', 'named', undefined],
    ['autumn', 'named', 'said'],
    ['"a harvest"', 'said', 'said'],
  ] as const) {
    expect([query, await why(ann, query)]).toEqual([query, [hers]]);
    expect([query, await why(ben, query)]).toEqual([query, his ? [his] : []]);
  }
});

test('the order of the dates on which recordings were added', async () => {
  const ann = await house.person();
  const [newer, older] = [await makeSaid(house, ann, ['harvest']), await makeSaid(house, ann, ['harvest'])];
  await indexAll(house);
  await house.database.sql`update meetings set created_at = timestamptz '2020-01-01' where id = ${older}`;
  await house.database
    .sql`update meeting_projections set updated_at = now() + interval '1 hour' where meeting_id = ${older}`;
  expect(await ids(ann, 'harvest', '&sort=date')).toEqual([older, newer]);
  expect(await ids(ann, 'harvest', '&sort=-date')).toEqual([newer, older]);
  expect(await ids(ann, 'harvest', '&sort=-updatedAt')).toEqual([older, newer]);
});

test('the name of the person who added a recording finds it, for those who see it in their list', async () => {
  const [ann, berta] = [await house.person('Ann'), await house.person('Berta')];
  const [hers, own] = [await makeSaid(house, berta, ['a harvest']), await makeSaid(house, ann, ['a harvest'])];
  await share(house, hers, ann, roles.canRead);
  const open = await makeSaid(house, berta, ['nothing'], { title: 'Lecture' });
  await share(house, open, 'anonymous', ['read', 'discover']);
  await indexAll(house);
  for (const query of ['berta', 'BERT', 'berta harvest', '"berta test"', 'test berta', '-ann test', 'test harvest'])
    expect([query, await ids(ann, query)]).toEqual([query, [hers]]);
  for (const query of ['erta', 'ber harvest', 'berta pears', 'ann', 'ann harvest', 'berta lecture'])
    expect([query, await ids(ann, query)]).toEqual([query, []]);
  // One’s own name is in no list, and finds nothing of one’s own.
  for (const query of ['harvest -berta', 'harvest -test'])
    expect([query, await ids(ann, query)]).toEqual([query, [own]]);
  expect((await search(ann, 'berta')).hits).toMatchObject([{ found: null, why: 'named' }]);
  expect((await search(ann, 'berta harvest')).hits).toMatchObject([{ found: { hits: [{}] }, why: 'said' }]);
  // Places are those of words: of a name alone there is none.
  const places = async (query: string) =>
    (await ann.get(`/api/finds?${new URLSearchParams({ query })}`)).body as { places: unknown[]; total: number };
  expect(await places('berta')).toMatchObject({ places: [], total: 0 });
  expect(await places('berta harvest')).toMatchObject({ places: [{ recording: hers }], total: 1 });
  expect(
    (await ann.get('/api/aggs?query=berta')).body.facets.find((one: { name: string }) => one.name === 'owner'),
  ).toEqual({ name: 'owner', values: [{ value: berta.id, label: 'Berta Test', count: 1 }], more: 0 });
  // Names come before what is said, and behind titles.
  const named = await makeSaid(house, ann, ['nothing'], { title: 'With Berta' });
  const said = await makeSaid(house, ann, ['berta']);
  await indexAll(house);
  expect(await ids(ann, 'berta', '&sort=relevance')).toEqual([named, hers, said]);
  await house.database.sql`delete from meeting_access where meeting_id = ${hers}`;
  expect((await ids(ann, 'berta')).toSorted()).toEqual([named, said].toSorted());
});

test('a right counts at once, and so does its end', async () => {
  const [ann, ben] = [await house.person('Ann'), await house.person('Ben')];
  const id = await makeSaid(house, ann, ['a harvest']);
  await indexAll(house);
  expect(await ids(ben, 'harvest')).toEqual([]);
  await share(house, id, ben, roles.canRead);
  expect(await ids(ben, 'harvest')).toEqual([id]);
  await share(house, id, ben, ['discover']);
  expect(await search(ben, 'harvest')).toMatchObject({ total: 0, behind: 0 });
  await house.database.sql`delete from meeting_access where meeting_id = ${id}`;
  expect(await ids(ben, 'harvest')).toEqual([]);
  await ann.delete(`/api/meetings/${id}`);
  expect(await ids(ann, 'harvest')).toEqual([]);
  // Shared with everyone, it is found by its title alone.
  const open = await makeSaid(house, ann, ['an open sentence'], { title: 'Lecture' });
  await share(house, open, 'anonymous', ['read', 'discover']);
  await indexAll(house);
  expect(await ids(ben, 'lecture')).toContain(open);
  expect(await ids(ben, 'sentence')).not.toContain(open);
  expect((await search(ben, 'lecture')).hits.find((hit) => hit.id === open)?.found).toBeNull();
});

test('annotations and grades of a layer are found by its readers, and lead there; an owner without it learns nothing of them', async () => {
  const [ann, ben, chen] = [await house.person('Ann'), await house.person('Ben'), await house.person('Chen')];
  const id = await makeRecording(house, ann);
  const [his, hers] = await makeLayers(house, id, ann, [
    { held: [[ben, ['read', 'comment']]] },
    { held: [[chen, ['read', 'comment']]] },
  ]);
  const annotate = async (who: Person, layer: string | undefined, word: string) => {
    const at = { start: 10, end: 12 };
    const outcome = { ...at, type: 'presence', grade: 1, text: `${word}outcome` };
    for (const { status, text } of [
      await who.post(`/api/meetings/${layer}/comments`, { ...at, text: `A ${word} of layercanary` }),
      await who.post(`/api/meetings/${layer}/outcomes`, { outcome }),
      // Words without a grade, and a grade whose words are longer than a passage.
      await who.put(`/api/meetings/${layer}/grades/trust`, { words: `sheetcanary ${word}words` }),
      await who.put(`/api/meetings/${layer}/grades/presence`, { grade: -1, words: `sheetcanary ${'a '.repeat(500)}` }),
    ])
      expect(status, text).toBe(200);
  };
  const reads = async (who: Person) => {
    const [found, finds, facets] = [
      await search(who, 'layercanary'),
      (await who.get(`/api/finds?filters=${encodeURIComponent('{"outcome":{"type":"presence","below":2}}')}`)).body,
      (await who.get('/api/aggs?query=layercanary')).body.facets as { name: string; values: { count: number }[] }[],
    ];
    const texts = finds.places.map(({ outcome }: { outcome: { text: string } }) => outcome.text.split(' ')[0]);
    const sheet = await search(who, 'sheetcanary');
    return {
      ids: found.hits.map((hit) => hit.id),
      places: found.hits.flatMap((hit) => (hit.found?.hits ?? []).map(({ before, layer }) => [before, layer?.id])),
      behind: found.behind,
      outcomes: texts,
      sheet: sheet.hits.flatMap((hit) =>
        (hit.found?.hits ?? []).map(({ kind, item, layer }) => [kind, item, layer?.id]),
      ),
      types: facets.flatMap(({ name, values }) => (name === 'outcomeType' ? values.map(({ count }) => count) : [])),
    };
  };
  await annotate(ben, his, 'benword');
  await indexAll(house);
  const nothing = { ids: [], places: [], behind: 0, outcomes: [], sheet: [], types: [] };
  // Those who read no layer learn not even that something is there to be indexed.
  await house.database.sql`update search_rooms set tokens = 0 where audience = ${`l:${his}`}`;
  const [found, behind] = [await reads(ann), (await search(ben, 'layercanary')).behind];
  expect(found).toEqual(nothing);
  expect(behind).toBe(1);
  await annotate(chen, hers, 'chenword');
  await indexAll(house);
  expect(await reads(ann)).toEqual(nothing);
  for (const [who, layer, word] of [
    [ben, his, 'benword'],
    [chen, hers, 'chenword'],
  ] as const)
    expect(await reads(who)).toEqual({
      ...{ ids: [id], places: [[`A ${word} of `, layer]], behind: 0 },
      ...{ outcomes: [`${word}outcome`, 'sheetcanary'], types: [1] },
      sheet: ['presence', 'trust'].map((type) => ['grade', type, layer]),
    });
  // By a review alone, the recording's own annotations are not found, and its words are.
  const own = await ann.post(`/api/meetings/${id}/comments`, { start: 10, end: 12, text: 'meetingcanary' });
  expect(own.status, own.text).toBe(200);
  await indexAll(house);
  for (const [query, found] of [
    ['meetingcanary', []],
    ['practice', [id]],
  ] as const)
    expect([query, await ids(ben, query)]).toEqual([query, found]);
  expect(await ids(ann, 'meetingcanary')).toEqual([id]);
  expect([await ids(ben, 'benwordwords'), await ids(ann, 'benwordwords')]).toEqual([[id], []]);
  const [hit] = (await search(ben, 'benword layercanary')).hits;
  const [{ of } = { of: '' }] = await house.database.sql<{ of: string }[]>`
    select review_id as of from layers where id = ${his ?? ''}`;
  expect(hit?.found?.hits[0]?.layer).toEqual({ id: his, reviewId: of });
  // A right counts at once, and so does its end.
  await house.database.sql`
    insert into layer_access (layer_id, meeting_id, kind, principal_id, permissions)
    values (${his ?? ''}, ${id}, 'user', ${ann.id}, array['read'])`;
  expect((await reads(ann)).outcomes).toEqual(['benwordoutcome', 'sheetcanary']);
  await house.database.sql`delete from layer_access where layer_id = ${his ?? ''} and principal_id = ${ben.id}`;
  expect(await reads(ben)).toEqual(nothing);
  await house.database.sql`update layers set deleted_at = now() where id = ${his ?? ''}`;
  expect(await reads(ann)).toEqual(nothing);
});

test('words in braces are found by people who may write, and shown to nobody else', async () => {
  const [ann, ben] = [await house.person('Ann'), await house.person('Ben')];
  const id = await makeSaid(house, ann, ['Her name is {Mariacanary Lopez} here.']);
  await share(house, id, ben, roles.canComment);
  await indexAll(house);
  expect(shown(await search(ann, 'mariacanary'))).toEqual([['Her name is {[Mariacanary] Lopez} here.']]);
  expect(await search(ben, 'mariacanary')).toMatchObject({ hits: [], total: 0 });
  expect(shown(await search(ben, 'name'))).toEqual([['Her [name] is [redacted] here.']]);
  expect(JSON.stringify(await search(ben, 'her here'))).not.toContain('canary');
});

test('the index that is behind is counted over what the asker may read', async () => {
  const [ann, ben] = [await house.person('Ann'), await house.person('Ben')];
  const id = await makeSaid(house, ann, ['a harvest']);
  await indexAll(house);
  await house.database.sql`update search_rooms set version = version - 1 where room = ${`${id}/transcript`}`;
  expect((await search(ann, 'harvest')).behind).toBe(1);
  expect((await search(ben, 'harvest')).behind).toBe(0);
});

test('nothing private, of another layer, or of the recording’s own annotations comes by any call of finding', async () => {
  const [ann, ben, chen] = [await house.person('Ann'), await house.person('Ben'), await house.person('Chen')];
  const id = await makeRecording(house, ann);
  const [, hers] = await makeLayers(house, id, ann, [
    { held: [[ben, ['read', 'comment']]] },
    { held: [[chen, ['read', 'comment']]] },
  ]);
  const at = { start: 10, end: 12 };
  const note = { type: 'doc', content: [{ type: 'paragraph', content: [{ type: 'text', text: 'canary note' }] }] };
  const outcome = { ...at, type: 'presence', grade: 1, text: 'canary of an outcome' };
  for (const { status, text } of [
    await ann.post(`/api/meetings/${id}/comments`, { ...at, text: 'canary of a comment', private: true }),
    await ann.post(`/api/meetings/${id}/outcomes`, { outcome: { ...outcome, private: true } }),
    await ann.put(`/api/meetings/${id}/notes`, { text: JSON.stringify(note) }),
    await ann.put(`/api/meetings/${id}/summary/own`, { summary: [{ text: 'canary of a summary' }] }),
    await ann.post(`/api/meetings/${id}/comments`, { ...at, text: 'canary of the recording' }),
    await ann.post(`/api/meetings/${id}/outcomes`, { outcome }),
    await chen.post(`/api/meetings/${hers}/comments`, { ...at, text: 'canary of a layer' }),
    await chen.put(`/api/meetings/${hers}/grades/presence`, { grade: -1, words: 'canary of a sheet' }),
  ])
    expect(status, text).toBeLessThan(300);
  await indexAll(house);
  const below = `filters=${encodeURIComponent('{"outcome":{"type":"presence","below":2}}')}`;
  const calls = [
    ...['canary', 'can', '"canary of"', 'note canary', 'practice -canary'].flatMap((query) =>
      ['meetings', 'aggs', 'finds', 'finds.csv'].map((call) => `${call}?query=${encodeURIComponent(query)}`),
    ),
    ...['meetings', 'aggs', 'finds', 'finds.csv'].map((call) => `${call}?${below}`),
    ...['tag', 'speaker', 'owner', 'outcomeType'].map((of) => `aggs?of=${of}&like=can`),
    ...['tags', 'searches', 'searches/counts', 'actions', 'meetings', 'aggs'],
  ];
  const heardBy = async (who: Person) => {
    const heard = [];
    for (const call of calls) {
      await house.database.sql`delete from rate_limits`;
      const { status, text } = await who.get(`/api/${call}`);
      expect(status, `${call}: ${text}`).toBe(200);
      heard.push({ call, text });
    }
    return heard;
  };
  // Ben reads the words by a layer of his own, and none of these.
  const his = await heardBy(ben);
  expect(his.filter(({ text }) => /canary|presence/.test(text)).map(({ call }) => call)).toEqual([]);
  expect(his.find(({ call }) => call === 'meetings?query=practice%20-canary')?.text).toContain(id);
  expect((await heardBy(ann)).filter(({ text }) => text.includes('canary')).length).toBeGreaterThan(3);
  // The words that were asked for stand apart from what follows them.
  expect((await heardBy(chen)).filter(({ text }) => text.includes(' a layer')).length).toBeGreaterThan(1);
});

test('two houses that differ in what one person may not read answer that person alike', async () => {
  const other = await openHouse();
  try {
    const answers: unknown[] = [];
    for (const [nth, here] of [house, other].entries()) {
      const [ann, ben] = [await here.person('Ann'), await here.person('Ben')];
      const id = await makeSaid(here, ann, ['A harvest of {apples}.', 'and pears'], { title: 'Shared' });
      await share(here, id, ben, roles.canRead);
      const comment = { start: 0, end: 1, text: 'A canary in the harvest', private: true };
      if (nth === 0) {
        // Ann's alone: a recording, a private comment, her notes, and what stands in braces.
        await makeSaid(here, ann, ['harvest '.repeat(20), 'canary'], { title: 'Harvest canary' });
        expect((await ann.post(`/api/meetings/${id}/comments`, comment)).status).toBe(200);
        const deleted = await makeSaid(here, ben, ['harvest canary']);
        await ben.delete(`/api/meetings/${deleted}`);
        // Somebody whose name is one of the words shares with everyone, and with others.
        const canary = await here.person('Canary');
        const open = await makeSaid(here, canary, ['a harvest'], { title: 'A lecture' });
        await share(here, open, 'anonymous', ['read', 'discover']);
        await share(here, await makeSaid(here, canary, ['a harvest']), ann, roles.canRead);
      }
      await indexAll(here);
      const heard = [];
      for (const query of [
        'ann',
        'test -canary',
        'harvest',
        'canary',
        'apples',
        '"a harvest"',
        '"of apples"',
        '"harvest canary"',
        'pears -"a harvest"',
        '-canary harvest',
        'h',
        'harvest pears',
        'shared',
      ])
        for (const sort of ['relevance', '-updatedAt', 'words'])
          heard.push(
            JSON.stringify(await search(ben, query, `&sort=${sort}`))
              .replaceAll(id, 'ID')
              .replaceAll(ann.id, 'ANN'),
          );
      answers.push(heard.map((text) => text.replaceAll(/"(date|updatedAt)":"[^"]+"/g, '')));
      expect(heard.join('')).not.toContain('canary');
      expect(heard.join('')).not.toContain('apples');
    }
    expect(answers[0]).toEqual(answers[1]);
  } finally {
    await other.close();
  }
});

test('who has most of a house reads the same there as who has a small part of it', async () => {
  const [ann, ben] = [await house.person('Ann'), await house.person('Ben')];
  const { sql } = house.database;
  await makeSaid(house, ann, ['a harvest']);
  await makeSaid(house, ann, ['nothing'], { title: 'Harvest' });
  const given = await makeSaid(house, ben, ['harvest harvest']);
  await share(house, given, ann, roles.canRead);
  const deleted = await makeSaid(house, ann, ['a harvest']);
  expect((await ann.delete(`/api/meetings/${deleted}`)).status).toBeLessThan(300);
  await indexAll(house);
  // The house indexes it seconds later, unless it cannot write to the index.
  const held = await sql.reserve();
  await held`begin`;
  await held`lock table search_rooms in share row exclusive mode`;
  await makeSaid(house, ann, ['not indexed']);
  const own = (owner: Person, count: number) => sql`
    insert into meetings (id, owner_id, created_at)
    select ${owner.id} || n, ${owner.id}, timestamptz '2020-01-01' from generate_series(1, ${count}::int) n`;
  await own(ann, 600);
  const paths = [
    'meetings?query=harvest',
    'meetings?query=no%20-harvest',
    'meetings?sort=title&size=5',
    'finds?query=harvest',
  ];
  const answers = async () => {
    await sql`analyze meetings`;
    const all = [];
    for (const path of [...paths, 'aggs', 'aggs?query=harvest', 'tags']) {
      const { status, text } = await ann.get(`/api/${path}`);
      expect(status, text).toBe(200);
      all.push(JSON.parse(text));
    }
    return all;
  };
  const most = await answers();
  expect(most[0]).toMatchObject({ total: 3, behind: 1 });
  expect(most[2].total).toBe(604);
  await own(ben, 5000);
  expect(await answers()).toEqual(most);
  await held`rollback`;
  held.release();
  await sql`delete from meetings where owner_id in (${ann.id}, ${ben.id})`;
});
