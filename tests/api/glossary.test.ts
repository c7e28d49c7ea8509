// The glossary (server/glossary/): who reads terms, what a transcription gets of them, and what ends with a folder, a
// group or an account.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { vocabularyOf } from '#server/glossary/vocabulary.ts';
import type { GlossaryAnswer, GlossaryView } from '#shared/glossary.ts';
import { longestVocabulary } from '#shared/intake.ts';
import { roles } from '#shared/roles.ts';
import { giveFolder, makeFolders, meetingIn } from '#tests/support/folders.ts';
import { indexAll, makeSaid } from '#tests/support/finding.ts';
import { makeGroup } from '#tests/support/groups.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { makeMeeting } from '#tests/support/meetings.ts';
import type { Person } from '#tests/support/people.ts';

let house: TestHouse;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

async function change(person: Person, body: object, kind = 'person', id = person.id): Promise<GlossaryAnswer> {
  const answer = await person.put(`/api/glossaries/${kind}/${id}`, body);
  expect(answer.status, answer.text).toBe(200);
  return answer.body as GlossaryAnswer;
}
const add = (person: Person, term: string, kind?: string, id?: string) => change(person, { add: [{ term }] }, kind, id);
const glossariesOf = async (person: Person): Promise<GlossaryView[]> =>
  (await person.get('/api/glossaries')).body.glossaries;
const termsOf = async (person: Person) =>
  (await glossariesOf(person)).flatMap(({ terms }) => terms.map(({ term }) => term));
const heardBy = async (id: string, typed = '') =>
  (await vocabularyOf(house.database.orm, id, typed)).split('\n').filter(Boolean);

test('a transcription gets what was typed, then the terms of its owner, folders and groups, and of nobody else', async () => {
  const [ann, ben, cara] = (await house.people(3)) as [Person, Person, Person];
  const [outer = '', inner = ''] = await makeFolders(ben, '/Work', '/Work/Board');
  await giveFolder(house, outer, ann, roles.canEdit);
  const group = await makeGroup(cara, [ann]);
  await add(ann, 'Own');
  await add(ben, 'Outer', 'folder', outer);
  await add(ben, 'Inner', 'folder', inner);
  await add(ben, 'Of Ben');
  await add(cara, 'Team', 'group', group);
  await add(cara, 'Own', 'group', group);
  const id = await meetingIn(house, inner, ann);
  expect(await heardBy(id, 'Typed')).toEqual(['Typed', 'Own', 'Inner', 'Outer', 'Team']);
  expect(await heardBy(await makeMeeting(house, ann))).toEqual(['Own', 'Team']);

  // Rights are those of the moment: without the folder and the group only one's own words remain.
  await house.database.sql`delete from folder_access where folder_id = ${outer}`;
  expect((await ann.post(`/api/groups/${group}/leave`)).status).toBe(204);
  expect(await heardBy(id, 'Typed')).toEqual(['Typed', 'Own']);
  expect(await termsOf(ann)).toEqual(['Own']);
});

test('a vocabulary ends at its limit with a whole term', async () => {
  const ann = await house.person();
  const id = await makeMeeting(house, ann);
  await add(ann, 'Colloquy');
  const typed = 'x'.repeat(longestVocabulary - 8);
  expect(await vocabularyOf(house.database.orm, id, typed)).toBe(typed);
  expect(await vocabularyOf(house.database.orm, id, typed.slice(1))).toBe(`${typed.slice(1)}\nColloquy`);
});

const undo = async (person: Person, { action }: GlossaryAnswer) => person.post(`/api/actions/${action}/undo`);
const groupOf = async (person: Person) => (await glossariesOf(person)).find(({ kind }) => kind === 'group')?.terms;

test('an undo leaves what was removed with the person who had added it, and what others added since', async () => {
  const [ann, ben] = [await house.person('Ann'), await house.person('Ben')];
  const group = await makeGroup(ann, [ben]);
  await add(ben, 'Colloquy', 'group', group);
  await change(ann, { add: [{ term: 'Colloquy', heard: ['colic key'] }] }, 'group', group);
  const before = await groupOf(ben);
  expect(before).toMatchObject([{ by: 'Ben Test', mayRemove: true, heard: [{ mayRemove: false }] }]);
  const removed = await change(ann, { remove: [{ term: 'Colloquy' }] }, 'group', group);
  expect((await ann.get('/api/actions')).body.actions[0]).toMatchObject({
    kind: 'glossary',
    what: { terms: ['Colloquy'], removed: true },
  });
  // Another person's action answers like none.
  expect((await undo(ben, removed)).problem.code).toBe('NO_ACCESS');
  expect((await undo(ann, removed)).body).toEqual({ undone: 1, failed: [], next: null });
  expect(await groupOf(ben)).toEqual(before);
  expect((await undo(ann, removed)).problem.code).toBe('CONFLICT');

  // A term of one's own, to which another person added a form.
  const added = await change(ann, { add: [{ term: 'Ann-Lee', heard: ['only'] }] }, 'group', group);
  await change(ben, { add: [{ term: 'Ann-Lee', heard: ['and Lee'] }] }, 'group', group);
  expect((await undo(ann, added)).status).toBe(200);
  expect(await groupOf(ann)).toMatchObject([{ term: 'Ann-Lee', heard: [{ text: 'and Lee' }] }, { term: 'Colloquy' }]);

  // Rights are those of today.
  const last = await change(ben, { remove: [{ term: 'Ann-Lee', heard: 'and Lee' }] }, 'group', group);
  expect((await ben.post(`/api/groups/${group}/leave`)).status).toBe(204);
  expect((await undo(ben, last)).problem.code).toBe('NO_ACCESS');
});

test('a change is undone by its action, and no more than that', async () => {
  const ann = await house.person();
  await change(ann, { add: [{ term: 'Colloquy', heard: ['colic key'] }] });
  const before = await glossariesOf(ann);
  const added = await change(ann, {
    add: [
      { term: 'Colloquy', heard: ['colic key', 'call a key'] },
      { term: 'Ann-Lee', heard: ['only'] },
    ],
  });
  expect((await undo(ann, added)).status).toBe(200);
  expect(await glossariesOf(ann)).toEqual(before);
  const removed = await change(ann, { remove: [{ term: 'Colloquy' }] });
  expect(await termsOf(ann)).toEqual([]);
  expect((await undo(ann, removed)).status).toBe(200);
  expect(await glossariesOf(ann)).toEqual(before);
});

test('an undo takes what its own action added, and counts that alone', async () => {
  const [ann, ben] = (await house.people(2)) as [Person, Person];
  const group = await makeGroup(ann, [ben]);
  const terms = Array.from({ length: 100 }, (_, nth) => ({ term: `Term ${nth}`, heard: ['form', 'other form'] }));
  const added = await change(ann, { add: terms }, 'group', group);
  await change(ann, { remove: [{ term: 'Term 0' }, { term: 'Term 1', heard: 'form' }] }, 'group', group);
  house.clock.forward(1);
  await change(ann, { add: [{ term: 'Term 0', heard: ['form'] }] }, 'group', group);
  await change(ben, { add: [{ term: 'Term 2', heard: ['Bens form'] }] }, 'group', group);
  // All but the first, which was added again; the third stays with the form of another person.
  expect((await undo(ann, added)).body).toEqual({ undone: 99, failed: [], next: null });
  expect(await groupOf(ann)).toMatchObject([
    { term: 'Term 0', heard: [{ text: 'form' }] },
    { term: 'Term 2', heard: [{ text: 'Bens form' }] },
  ]);
});

test('terms outlive the account that added them to a group, and one’s own end with it', async () => {
  const [ann, ben] = (await house.people(2)) as [Person, Person];
  const group = await makeGroup(ann, [[ben, 'admin']]);
  await add(ben, 'Colloquy', 'group', group);
  await add(ben, 'Own');
  await house.database.sql`delete from users where id = ${ben.id}`;
  const all = await glossariesOf(ann);
  expect(all.find(({ kind }) => kind === 'group')?.terms).toEqual([
    { term: 'Colloquy', by: null, mayRemove: true, heard: [] },
  ]);
  expect(await house.database.sql`select 1 from glossary_terms where term = 'Own' and added_by is null`).toEqual([]);
});

test('ten people who add a first term at once share one glossary', async () => {
  const people = await house.people(10);
  const [ann, ...others] = people as [Person, ...Person[]];
  const group = await makeGroup(ann, others);
  await Promise.all(people.map((person, nth) => add(person, `Term ${nth}`, 'group', group)));
  const all = await glossariesOf(ann);
  expect(all.find(({ kind }) => kind === 'group')?.terms).toHaveLength(10);
});

test('search finds a name as it was misheard, and the other way round, by what the person who searches can read', async () => {
  const [ann, ben] = (await house.people(2)) as [Person, Person];
  const right = await makeSaid(house, ann, ['We spoke with Kowalczyk.'], { title: 'Right' });
  const wrong = await makeSaid(house, ann, ['We spoke with cold chick today.'], { title: 'Wrong' });
  const other = await makeSaid(house, ann, ['A chick was cold.'], { title: 'Other' });
  await house.database.sql`
    insert into meeting_access (meeting_id, kind, principal_id, permissions)
    select id, 'user', ${ben.id}, '{read}' from meetings where id in (${right}, ${wrong}, ${other})`;
  await indexAll(house);
  const found = async (person: Person, query: string): Promise<string[]> =>
    (await person.get(`/api/meetings?query=${encodeURIComponent(query)}`)).body.hits
      .map(({ title }: { title: string }) => title)
      .toSorted();
  expect(await found(ann, 'kowalczyk')).toEqual(['Right']);
  await change(ann, { add: [{ term: 'Kowalczyk', heard: ['cold chick', 'we'] }] });
  expect(await found(ann, 'kowalczyk')).toEqual(['Right', 'Wrong']);
  expect(await found(ann, 'spoke kowalczyk')).toEqual(['Right', 'Wrong']);
  // Both words apart are found as before.
  expect(await found(ann, 'cold chick')).toEqual(['Other', 'Right', 'Wrong']);
  // Quotation marks ask for these words alone.
  expect(await found(ann, '"kowalczyk"')).toEqual(['Right']);
  expect(await found(ben, 'kowalczyk')).toEqual(['Right']);
  const { body } = await ann.get('/api/finds?query=kowalczyk');
  expect(body.places.map(({ words }: { words: string }) => words).toSorted()).toEqual(['Kowalczyk', 'cold chick']);
});
