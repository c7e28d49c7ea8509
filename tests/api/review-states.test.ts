// Reviews in the library: the state of one's review beside each recording, as a filter with counts, and recordings that a
// person has by a review alone, of which nothing is found or counted that they may not read.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Facet } from '#shared/filters.ts';
import type { FindsAnswer } from '#shared/finds.ts';
import type { AgreementView } from '#shared/reviews/agreement-view.ts';
import type { MeetingsAnswer } from '#shared/meetings/meeting.ts';
import { addSpeaker } from '#shared/meetings/speakers.ts';
import { roles } from '#shared/roles.ts';
import { indexAll, makeSaid } from '#tests/support/finding.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { share } from '#tests/support/meetings.ts';
import type { Person } from '#tests/support/people.ts';
import { askFor, seenBy, setStatus } from '#tests/support/reviews.ts';

let house: TestHouse;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house?.close());

const of = (filters: object, more = '') => `filters=${encodeURIComponent(JSON.stringify(filters))}${more}`;
async function ask<T>(person: Person, path: string): Promise<T> {
  const { status, body, text } = await person.get(path);
  expect(status, text).toBe(200);
  return body as T;
}
const list = (person: Person, filters: object = {}, more = '') =>
  ask<MeetingsAnswer>(person, `/api/meetings?sort=title&${of(filters, more)}`);
const states = async (person: Person, filters: object = {}) =>
  (await list(person, filters)).hits.map(({ title, review }) => [title, review?.state ?? null]);
async function counts(person: Person, name: string, filters: object = {}): Promise<Record<string, number>> {
  const { facets } = await ask<{ facets: Facet[] }>(person, `/api/aggs?${of(filters)}`);
  const found = facets.find((one) => one.name === name)?.values ?? [];
  return Object.fromEntries(found.map(({ value, count }) => [value, count]));
}

async function make(owner: Person, title: string, said = 'A sentence about whales.'): Promise<string> {
  const id = await makeSaid(house, owner, [said], { title });
  await house.house.rooms.change(id, 'transcript', { userId: null, origin: 'test' }, (doc) => {
    addSpeaker(doc, 'a', 'Speakername', 'test');
  });
  return id;
}

test('each sees the state of their own review, which filters and is counted as it is shown', async () => {
  const [ann, ben, cara, dan] = await Promise.all(['Ann', 'Ben', 'Cara', 'Dan'].map((name) => house.person(name)));
  if (!ann || !ben || !cara || !dan) throw new Error('nobody');
  const [one, two] = [await make(ann, 'One'), await make(ann, 'Two')];
  await make(ben, 'Of Ben');
  await share(house, two, dan, roles.canEdit);
  const roleOf = [[ben, 'required'] as const, [cara, 'supervisor'] as const];
  const review = await askFor(ann, one, { roles: roleOf });
  expect(await states(ann)).toEqual([
    ['One', 'pending'],
    ['Two', null],
  ]);
  expect(await states(ben)).toEqual([
    ['Of Ben', null],
    ['One', 'button'],
  ]);
  expect(await states(cara)).toEqual([['One', 'pending']]);
  expect(await states(dan)).toEqual([['Two', null]]);
  expect(await states(ben, { review: ['button'] })).toEqual([['One', 'button']]);
  expect(await counts(ben, 'review')).toEqual({ button: 1 });
  // A count leaves out the choice in its own facet, and follows the others.
  expect(await counts(ben, 'review', { review: ['completed'] })).toEqual({ button: 1, completed: 0 });
  expect(await counts(ben, 'review', { owner: [ben.id] })).toEqual({});

  await setStatus(ben, review, 'complete');
  expect(await states(ben, { review: ['button'] })).toEqual([]);
  expect(await states(ben, { review: ['completed'] })).toEqual([['One', 'completed']]);
  expect(await states(cara)).toEqual([['One', 'button']]);
  await setStatus(cara, review, 'complete');
  for (const person of [ann, ben, cara])
    expect(await states(person, { review: ['completed_review'] })).toEqual([['One', 'completed_review']]);
  expect(await counts(cara, 'review')).toEqual({ completed_review: 1 });
  // Several reviews of a recording show the state that waits most.
  await askFor(ann, one, { roles: [[cara, 'required']] });
  expect(await states(cara)).toEqual([['One', 'button']]);
  expect(await counts(cara, 'review')).toEqual({ button: 1 });
});

test('a recording one has by a review alone is in the list with its title and length, and no permission', async () => {
  const [ann, ben] = [await house.person('Ann'), await house.person('Ben')];
  const id = await make(ann, 'By a review');
  await ann.post(`/api/meetings/${id}/comments`, { start: 0, end: 1, text: 'ownremark' });
  const review = await askFor(ann, id, { roles: [[ben, 'required']] });
  await indexAll(house);
  const { hits } = await list(ben);
  expect(hits).toMatchObject([
    { id, title: 'By a review', permissions: [], review: { id: review.id, state: 'button' } },
  ]);
  expect(hits[0]?.duration).toBeGreaterThan(0);
  expect(hits[0]?.words).toBeGreaterThan(0);
  expect(await list(ben, {}, '&folder=/')).toMatchObject({ total: 1 });
  // Ben reads the transcript, and so finds its words and what it is about, but not the recording's own annotations.
  expect(await list(ben, {}, '&query=whales')).toMatchObject({
    total: 1,
    hits: [{ found: { hits: [{ words: 'whales' }] } }],
  });
  expect(await list(ben, {}, '&query=ownremark')).toMatchObject({ total: 0 });
  expect(await counts(ben, 'speaker')).toEqual({ Speakername: 1 });
  const { places, recordings } = await ask<FindsAnswer>(ben, '/api/finds?query=whales');
  expect(places).toHaveLength(1);
  expect(recordings).toMatchObject([{ id, review: { id: review.id } }]);
  const { recordings: own } = await ask<FindsAnswer>(ann, '/api/finds?query=whales');
  expect(own.find((found) => found.id === id)?.review).toBeNull();

  // The recording leaves the list with the review.
  expect((await ann.delete(`/api/meetings/${id}/reviews/${review.id}`)).status).toBe(204);
  expect(await list(ben)).toMatchObject({ total: 0, hits: [] });
  expect(await list(ben, {}, '&query=whales')).toMatchObject({ total: 0 });
  expect(await counts(ben, 'review')).toEqual({});
});

test('a mentor who waits for the student sees the title, and finds and counts nothing of the transcript', async () => {
  const [ann, mia, sam] = await Promise.all(['Ann', 'Mia', 'Sam'].map((name) => house.person(name)));
  if (!ann || !mia || !sam) throw new Error('nobody');
  const id = await make(ann, 'Practice talk');
  const review = await askFor(ann, id, { policy: 'student', roles: [[mia, 'required']], student: sam });
  await indexAll(house);
  expect(await states(sam)).toEqual([['Practice talk', 'button']]);
  const waiting = await list(mia);
  expect(waiting.hits).toMatchObject([
    {
      title: 'Practice talk',
      permissions: [],
      words: 0,
      speakers: 0,
      glance: null,
      tags: [],
      review: { state: 'pending' },
    },
  ]);
  expect(waiting.hits[0]?.updatedAt).toBe(waiting.hits[0]?.date);
  expect(await counts(mia, 'review')).toEqual({ pending: 1 });
  for (const facet of ['speaker', 'language', 'tag']) expect(await counts(mia, facet), facet).toEqual({});
  expect(await list(mia, { speaker: ['Speakername'] })).toMatchObject({ total: 0 });
  expect(await list(mia, {}, '&query=whales')).toMatchObject({ total: 0 });
  // A word that is left out tells nothing either.
  for (const word of ['whales', 'nothing'])
    expect(await list(mia, {}, `&query=practice+-${word}`)).toMatchObject({ total: 1 });
  expect((await ask<FindsAnswer>(mia, '/api/finds?query=whales')).places).toEqual([]);

  await setStatus(sam, await seenBy(sam, review), 'complete');
  expect(await states(mia)).toEqual([['Practice talk', 'button']]);
  expect(await list(mia, {}, '&query=whales')).toMatchObject({ total: 1 });
  expect(await counts(mia, 'speaker')).toEqual({ Speakername: 1 });
});

test('a review opens, though what people share in it is changed each time it was read', async () => {
  const [ann, ben, cara] = await house.people(3);
  if (!ann || !ben || !cara) throw new Error('nobody');
  const roleOf = [[ben, 'required'] as const, [cara, 'required'] as const];
  const review = await askFor(ann, await make(ann, 'Busy'), { policy: 'relaxed', roles: roleOf });
  const sheet = `/api/meetings/${(await seenBy(cara, review)).cloneId}/grades/trust`;
  for (const [person, grade] of [
    [ben, 1],
    [cara, 2],
  ] as const)
    expect((await person.put(sheet, { grade })).status).toBe(200);
  await setStatus(cara, review, 'complete');
  const { documents } = house.house;
  const read = documents.read.bind(documents);
  let changes = 0;
  documents.read = async (id, work, room) => {
    const found = await read(id, work, room);
    if (room?.part === 'layer') {
      changes += 1;
      expect((await cara.put(sheet, { grade: 2 + (changes % 2) })).status).toBe(200);
    }
    return found;
  };
  try {
    expect(await setStatus(ben, review, 'complete')).toMatchObject({ phase: 'open' });
  } finally {
    documents.read = read;
  }
  expect(changes).toBeGreaterThan(2);
  const { agreement } = await ask<{ agreement: AgreementView }>(
    ann,
    `/api/meetings/${review.meetingId}/reviews/${review.id}/agreement`,
  );
  // Both had graded before: it is of a moment at which nobody's assessment was missing.
  expect(agreement.blind?.people).toHaveLength(2);
  expect(agreement.blind?.grades.units).toBe(1);
});
