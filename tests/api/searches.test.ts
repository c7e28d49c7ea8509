// Saved searches (server/library/saved.ts): their new results are those of the list, and nothing else.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rules } from '#server/limits.ts';
import { roles } from '#shared/roles.ts';
import { indexAll, makeSaid } from '#tests/support/finding.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { share } from '#tests/support/meetings.ts';
import type { Person } from '#tests/support/people.ts';

let house: TestHouse;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house?.close());

async function good(answer: ReturnType<Person['post']>) {
  const { status, text, body } = await answer;
  expect(status, text).toBeLessThan(300);
  return body;
}
const save = async (person: Person, body: object): Promise<string> =>
  (await good(person.post('/api/searches', body))).id;
const fresh = async (person: Person): Promise<Record<string, number>> =>
  Object.fromEntries(
    (await good(person.get('/api/searches/counts'))).counts.map((one: { id: string; fresh: number }) => [
      one.id,
      one.fresh,
    ]),
  );

test('results are new from when they are found until the person looks, whatever made them results', async () => {
  const [ann, ben] = [await house.person('Ann'), await house.person('Ben')];
  await makeSaid(house, ann, ['Our plans for spring.']);
  await indexAll(house);
  const plans = await save(ann, { name: 'Plans', query: 'plan' });
  const long = await save(ann, { name: 'Long', filters: { length: ['60-'] } });
  expect(await fresh(ann)).toEqual({ [plans]: 0, [long]: 0 });

  // Said in another form, shared by somebody, and said by somebody alone.
  await makeSaid(house, ann, ['She planned it.']);
  const theirs = await makeSaid(house, ben, ['No plans.']);
  await makeSaid(house, ben, ['More plans.']);
  await indexAll(house);
  expect(await fresh(ann)).toEqual({ [plans]: 1, [long]: 0 });
  await share(house, theirs, ann, roles.canRead);
  expect(await fresh(ann)).toEqual({ [plans]: 2, [long]: 0 });

  await good(ann.post(`/api/searches/${plans}/look`));
  expect(await fresh(ann)).toEqual({ [plans]: 0, [long]: 0 });
  // A right that ended and began again makes nothing new.
  const gone = await house.database.sql`delete from meeting_access where meeting_id = ${theirs} returning 1`;
  expect(gone).toHaveLength(1);
  expect(await fresh(ann)).toEqual({ [plans]: 0, [long]: 0 });
  await share(house, theirs, ann, roles.canRead);
  expect(await fresh(ann)).toEqual({ [plans]: 0, [long]: 0 });
});

test('a search follows its folder, and without it finds nothing rather than everything', async () => {
  const [ann, ben] = [await house.person('Ann'), await house.person('Ben')];
  await good(ann.post('/api/folders', { path: '/Work' }));
  await makeSaid(house, ann, ['A pear.']);
  await indexAll(house);
  const id = await save(ann, { name: 'Pears', query: 'pear', folder: '/Work' });
  const inside = await makeSaid(house, ann, ['Two pears.']);
  await indexAll(house);
  expect(await fresh(ann)).toEqual({ [id]: 0 });
  await good(ann.put(`/api/meetings/${inside}/move`, { path: '/Work' }));
  await good(ann.post('/api/folders/rename', { path: '/Work', name: 'Fruit' }));
  expect(await fresh(ann)).toEqual({ [id]: 1 });
  const { searches } = await good(ann.get('/api/searches'));
  expect(searches[0].place).toEqual({ folder: '/Fruit', sid: null, name: 'Fruit' });

  await good(ann.post('/api/folders/delete', { path: '/Fruit' }));
  expect(await fresh(ann)).toEqual({});
  expect((await good(ann.get('/api/searches'))).searches[0].place).toBeNull();
  await good(ann.post(`/api/searches/${id}/look`));

  // A shared folder is known by its id, and only as long as it is shared.
  await good(ann.post('/api/folders', { path: '/Team' }));
  const folder = (await good(ann.get('/api/folders'))).folders[0].id;
  await house.database.sql`
    insert into folder_access (folder_id, kind, principal_id, permissions) values (${folder}, 'user', ${ben.id}, '{read}')`;
  await save(ben, { name: 'Theirs', query: 'pear', folder: '/', sid: folder });
  expect((await good(ben.get('/api/searches'))).searches[0].place).toEqual({ folder: '/', sid: folder, name: 'Team' });
  await house.database.sql`delete from folder_access where folder_id = ${folder}`;
  expect((await good(ben.get('/api/searches'))).searches[0].place).toBeNull();
});

test('one request takes one of the limit, and a search that fails is left out of it', async () => {
  const ann = await house.person('Ann');
  const { sql } = house.database;
  await sql`
    insert into saved_searches (id, user_id, name, name_key, query, filters, sort, shared, looked_at, created_at)
    select 's' || n || ${ann.id}, ${ann.id}, n, n, 'x', '{}', 'title', false, now(), now()
    from generate_series(1, ${rules.savedSearches.most + 5}::int) n`;
  // The database cannot read this date.
  const broken = `s1${ann.id}`;
  await sql`update saved_searches set filters = '{"from": "2026-99-99"}' where id = ${broken}`;
  const counts = await fresh(ann);
  expect(Object.keys(counts)).toHaveLength(rules.savedSearches.most + 4);
  expect(counts).not.toHaveProperty(broken);
  expect(house.lastLine('could not be counted', broken)).toBeDefined();
  expect((await ann.post(`/api/searches/${broken}/look`)).status).toBe(500);
});

test('a search that is saved is answered, whatever fails after it', async () => {
  const ann = await house.person('Ann');
  await makeSaid(house, ann, ['A plum.']);
  await indexAll(house);
  const { sql } = house.database;
  await sql`create function refuse_seen() returns trigger language plpgsql as 'begin raise exception ''no''; end'`;
  await sql`create trigger refuse_seen before update on saved_searches for each row execute function refuse_seen()`;
  const headers = { 'X-Request-ID': `plums-${ann.id}` };
  const send = () => ann.post('/api/searches', { name: 'Plums', query: 'plum' }, { headers });
  const { id } = await good(send());
  await sql`drop trigger refuse_seen on saved_searches`;
  expect((await good(send())).id).toBe(id);
  expect(await fresh(ann)).toEqual({ [id]: 1 });
  await good(ann.post(`/api/searches/${id}/look`));
  expect(await fresh(ann)).toEqual({ [id]: 0 });
});
