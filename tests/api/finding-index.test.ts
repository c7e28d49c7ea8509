// The index of words follows the documents: behind their edits, in whatever way they change.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { differenceIn, indexRoom, roomsBehind } from '#server/finding/indexing.ts';
import { termsOf, tsqueryOf } from '#shared/finding/query.ts';
import { stemmersOf, tokensOf } from '#shared/finding/tokens.ts';
import { textOf } from '#shared/meetings/transcript.ts';
import { writeAnnotation, type Outcome } from '#shared/meetings/annotations.ts';
import { indexAll, makeSaid } from '#tests/support/finding.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import type { Person } from '#tests/support/people.ts';
import { makeRecording } from '#tests/support/recording.ts';

let house: TestHouse;
let ann: Person;
beforeAll(async () => {
  house = await openHouse();
  ann = await house.person();
});
afterAll(() => house?.close());

const by = { userId: null, origin: 'test' };
const patient = { timeout: 60_000, interval: 100 };
const words = async (id: string, part = 'transcript'): Promise<string[]> =>
  (
    await house.database.sql<{ lexeme: string }[]>`
      select distinct l.lexeme from search_words w cross join unnest(w.lexemes) l where w.room like ${`${id}/${part}%`} order by 1`
  ).map(({ lexeme }) => lexeme);
const room = (meetingId: string) => ({ meetingId, part: 'transcript' as const, of: null });

/** Stems of these words by the database's dictionaries. */
async function stemsOf(list: readonly string[]): Promise<(word: string) => string[]> {
  const pairs = list.flatMap((word) => stemmersOf(word).map((lang) => [word, lang] as const));
  const rows = await house.database.sql<{ word: string; stem: string }[]>`
    select word, said_stem(word, lang) as stem
    from unnest(${pairs.map(([word]) => word)}::text[], ${pairs.map(([, lang]) => lang)}::text[]) as p(word, lang)`;
  return (word) => rows.filter((row) => row.word === word).map(({ stem }) => stem);
}

async function says(id: string, query: string): Promise<boolean> {
  const [term] = termsOf(query) ?? [];
  if (!term) throw new Error(`no word in ${query}`);
  const asked = tsqueryOf(term, await stemsOf(tokensOf(query).map(({ word }) => word)));
  const inARow = term.words.length > 1;
  const rows = inARow
    ? await house.database
        .sql`select * from meetings_saying_in_a_row(${asked}::tsquery, '{t}') where meeting_id = ${id}`
    : await house.database.sql`select * from meetings_saying(${asked}::tsquery, '{t}') where meeting_id = ${id}`;
  return rows.length > 0;
}

test('words are indexed soon after a room is quiet, and again after an edit', async () => {
  const id = await makeSaid(house, ann, ['Shall we start?']);
  await expect.poll(() => words(id), patient).toContain('shall');
  await house.house.rooms.change(id, 'transcript', by, (doc) => textOf(doc).delete(1, 5));
  await expect.poll(() => words(id), patient).not.toContain('shall');
  expect(await differenceIn(house.house, room(id))).toBeNull();
});

test.each([
  ['en-US', 'They decided on their budgets.', ['decides', 'budget', 'decid', '"their budgets"'], ['deck', '"budget"']],
  ['ru-RU', 'Мы приняли решения о бюджете ещё вчера.', ['решение', 'бюджетом', 'еще', 'вчер'], ['решка']],
  ['es-ES', 'Las decisiones de la reunión.', ['decisión', 'reuniones'], ['decir']],
  ['zh-CN', '我们讨论了明年的预算。', ['预算', '讨论了明年', '年'], ['预年', '算预']],
  ['ja-JP', 'コーヒーを飲みました。', ['コーヒー', '飲み'], ['ヒコ']],
  ['zh-CN', '用 Kubernetes 部署服务', ['kubernetes', '部署'], ['署部']],
])('in %s, “%s” has the words that people ask for, in other forms too', async (lang, text, found, missed) => {
  const id = await makeSaid(house, ann, [text], { lang });
  await indexAll(house);
  for (const query of found) expect(await says(id, query), query).toBe(true);
  for (const query of missed) expect(await says(id, query), query).toBe(false);
});

test('a word is indexed with what is said often, and a corrected one is the only part that is written', async () => {
  const id = await makeSaid(house, ann, ['budget '.repeat(9), 'one', 'two']);
  await indexAll(house);
  expect(await words(id)).toEqual(['budget', 'budget+', 'one', 'two']);
  const versions = () => house.database.sql<{ part: number; at: string }[]>`
    select part, xmin::text as at from search_words where room = ${`${id}/transcript`} order by part`;
  const before = new Set((await versions()).map(({ part, at }) => `${part} ${at}`));
  await house.house.rooms.change(id, 'transcript', by, (doc) => textOf(doc).insert(textOf(doc).length, ' three'));
  await indexAll(house);
  expect(await words(id)).toContain('three');
  expect((await versions()).filter(({ part, at }) => !before.has(`${part} ${at}`))).toHaveLength(1);
});

test('words in curly braces are in rows apart', async () => {
  const id = await makeSaid(house, ann, ['My name is {Maria Lopez}.']);
  await indexAll(house);
  const of = async (braces: boolean) =>
    (
      await house.database.sql<{ word: string }[]>`
        select l.lexeme as word from search_words w cross join unnest(w.lexemes) l
        where w.meeting_id = ${id} and w.braces = ${braces} order by 1`
    ).map(({ word }) => word);
  expect(await of(false)).toEqual(['is', 'my', 'name']);
  expect(await of(true)).toEqual(['is', 'lopez', 'maria', 'my', 'name']);
});

test('annotations and private rooms are indexed for their readers', async () => {
  const id = await makeRecording(house, ann);
  const call = async (path: string, body: object) =>
    expect((await ann.post(`/api/meetings/${id}${path}`, body)).status).toBe(200);
  await call('/comments', { start: 10, end: 14, text: 'Sharedcanary' });
  await call('/comments', { start: 10, end: 14, text: 'Privatecanary', private: true });
  await call('/outcomes', { outcome: { type: 'actionItems', start: 10, end: 14, text: 'Outcomecanary' } });
  await indexAll(house);
  const rows = await house.database.sql`
    select audience, kind, from_ms from search_passages where meeting_id = ${id} and body like '%canary%' order by body`;
  expect([...rows]).toEqual([
    { audience: 'm', kind: 'outcome', from_ms: 10_000 },
    { audience: `u:${ann.id}`, kind: 'comment', from_ms: 10_000 },
    { audience: 'm', kind: 'comment', from_ms: 10_000 },
  ]);
});

test('another generation takes the words of the old one away at once, and is indexed anew', async () => {
  const id = await makeSaid(house, ann, ['before the replacement']);
  await indexAll(house);
  await house.database.sql`update rooms set generation = generation + 1 where name = ${`${id}/transcript`}`;
  expect(await words(id)).toEqual([]);
  await house.database.sql`update rooms set generation = generation - 1 where name = ${`${id}/transcript`}`;
  expect((await roomsBehind(house.database.sql, [`${id}/transcript`], null)).map(({ meetingId }) => meetingId)).toEqual(
    [id],
  );
  await indexAll(house);
  expect(await words(id)).toContain('replacement');
});

test('an edit does not wait for the index', async () => {
  const id = await makeSaid(house, ann, ['first']);
  await indexAll(house);
  const type = (text: string) =>
    house.house.rooms.change(id, 'transcript', by, (doc) => textOf(doc).insert(textOf(doc).length, text));
  await type(' second');
  await house.database.sql.begin(async (tx) => {
    await tx`lock table search_passages, search_words in access exclusive mode`;
    void indexAll(house).catch(() => {});
    const waits = async () =>
      (await tx`select 1 from pg_locks l where not l.granted and l.database is not null`).length > 0;
    await expect.poll(waits, patient).toBe(true);
    await type(' third');
  });
  await expect.poll(() => words(id), patient).toContain('third');
});

const outcome = (id: string, text: string, start: number): Outcome => ({
  ...{ id, text, start, end: start + 1, rev: 1, type: 'actionItems', grade: null, children: [], url: null },
  ...{ anchor: null, quote: '', private: false, automatic: false, wasAutomatic: false, editTimestamp: null },
  ...{ createdAt: '2026-11-29T12:00:00.000Z', author: { id: ann.id, kind: 'user', name: 'Ann' } },
});
const outcomes = (meetingId: string) => ({ meetingId, part: 'outcomes' as const, of: null });
/** Rows of outcomes with the transaction that wrote them. */
const written = async (id: string) =>
  (
    await house.database.sql<{ row: string }[]>`
      select key || ' ' || xmin::text as row from search_passages where meeting_id = ${id} and kind = 'outcome' order by key`
  ).map(({ row }) => row);

test('of thousands of annotations the one that changed is written, at a small part of what reading them all takes', async () => {
  const id = await makeRecording(house, ann);
  const many = 1500;
  const change = (nth: number, text: string) =>
    house.house.rooms.change(id, 'outcomes', by, (doc) =>
      writeAnnotation(doc, 'outcome', outcome(`o${nth}`, text, nth), 'shared', 'test'),
    );
  await house.house.rooms.change(id, 'outcomes', by, (doc) =>
    doc.transact(() => {
      for (let nth = 0; nth < many; nth += 1)
        writeAnnotation(doc, 'outcome', outcome(`o${nth}`, `task ${nth} of the budget`, nth), 'shared', 'test');
    }),
  );
  const cpu = async (work: () => Promise<void>) => {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  const whole = await cpu(() => indexRoom(house.house, outcomes(id)));
  const before = new Set(await written(id));
  expect(before.size).toBe(many);
  const parts: number[] = [];
  for (let nth = 0; nth < 5; nth += 1) {
    await change(7, `changed ${nth}`);
    parts.push(await cpu(() => indexRoom(house.house, outcomes(id))));
  }
  expect((await written(id)).filter((row) => !before.has(row)).map((row) => row.split(' ')[0])).toEqual(['o7']);
  expect(await differenceIn(house.house, outcomes(id))).toBeNull();
  expect(Math.min(...parts)).toBeLessThan(whole / 5);
});

test('random edits of a transcript and of annotations leave the index as one that is made anew', async () => {
  const id = await makeRecording(house, ann);
  const seed = Math.floor(Math.random() * 2 ** 31);
  let state = seed;
  const random = (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >> 8) % below;
  };
  const said = (words: number) =>
    Array.from({ length: words }, () => ['{', '}', 'budget', 'Решения', '预算会议', ...'abcdefghij'][random(15)]).join(
      ' ',
    );
  await house.house.rooms.change(id, 'transcript', by, (doc) => textOf(doc).insert(1, `${said(3000)} `));
  for (let round = 0; round < 12; round += 1) {
    await house.house.rooms.change(id, 'transcript', by, (doc) => {
      const text = textOf(doc);
      const at = 1 + random(text.length - 1);
      if (round % 3 === 0) text.delete(at, Math.min(text.length - at, 1 + random(1500)));
      else text.insert(at, ` ${said(1 + random(round === 7 ? 900 : 6))} `);
    });
    await house.house.rooms.change(id, 'outcomes', by, (doc) => {
      const nth = random(9);
      const map = doc.getMap('outcomes');
      if (round % 4 === 3) map.delete(`o${nth}`);
      else writeAnnotation(doc, 'outcome', outcome(`o${nth}`, said(random(8)), nth), 'shared', 'test');
    });
    for (const one of [room(id), outcomes(id)]) {
      await indexRoom(house.house, one);
      expect(await differenceIn(house.house, one), `seed ${seed}, round ${round}`).toBeNull();
    }
  }
});

test('rows that another process wrote meanwhile are not taken for those of this one', async () => {
  const id = await makeSaid(house, ann, ['one two three']);
  await indexAll(house);
  const type = (text: string) =>
    house.house.rooms.change(id, 'transcript', by, (doc) => textOf(doc).insert(textOf(doc).length, text));
  await type(' four');
  // The rows are now as a process that knows an older state would leave them.
  await house.database.sql`delete from search_words where meeting_id = ${id}`;
  await house.database.sql`delete from search_passages where meeting_id = ${id}`;
  await house.database.sql`update search_rooms set version = version - 1 where meeting_id = ${id}`;
  await indexRoom(house.house, room(id));
  expect(await words(id)).toEqual(['four', 'one', 'three', 'two']);
  expect(await differenceIn(house.house, room(id))).toBeNull();
});
