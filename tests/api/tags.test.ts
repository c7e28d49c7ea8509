// Tags of all recordings (server/library/tags.ts): counted among what a person reads, changed where they may write, and undone.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeTags } from '#shared/meetings/about.ts';
import { roles } from '#shared/roles.ts';
import { mostTagged, type TagsAnswer } from '#shared/tags.ts';
import { indexAll } from '#tests/support/finding.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { makeMeeting, share } from '#tests/support/meetings.ts';
import type { Person } from '#tests/support/people.ts';
import { tagged, tagsOf } from '#tests/support/tags.ts';

let house: TestHouse;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house?.close());

async function tagsFor(person: Person): Promise<[string, number, number][]> {
  await indexAll(house);
  const { tags, behind } = (await person.get('/api/tags')).body as TagsAnswer;
  expect(behind).toBe(0);
  return tags.map(({ tag, recordings, writes }) => [tag, recordings, writes]);
}

async function replace(person: Person, asked: object) {
  const { status, body, text } = await person.post('/api/tags/replace', asked);
  expect(status, text).toBe(200);
  return body;
}

test('a tag is renamed wherever its person may write, keeps its place there, and comes back with Undo', async () => {
  const [ann, ben] = [await house.person('Ann'), await house.person('Ben')];
  const own = await tagged(house, ben, ['first', 'idea', 'last']);
  const edited = await tagged(house, ann, ['idea']);
  const read = await tagged(house, ann, ['idea']);
  const closed = await tagged(house, ben, ['idea']);
  await tagged(house, ann, ['idea', 'hers alone']);
  // Found by its title alone, so that its tags are not listed.
  const open = await tagged(house, ann, ['idea', 'hers alone']);
  await share(house, open, 'anonymous', ['read', 'discover']);
  await share(house, edited, ben, roles.canEdit);
  await share(house, read, ben, roles.canRead);
  expect((await ben.post(`/api/meetings/${closed}/close`, { name: 'Final' })).status).toBeLessThan(300);
  expect(await tagsFor(ben)).toEqual([
    ['first', 1, 1],
    ['idea', 4, 3],
    ['last', 1, 1],
  ]);
  const { action, ...done } = await replace(ben, { tags: ['idea'], to: '  New   plan ' });
  expect(done).toEqual({ changed: 2, failed: [{ recording: closed, places: 1, code: 'CLOSED' }], next: null });
  expect(await tagsOf(ben, own)).toEqual(['first', 'New plan', 'last']);
  expect(await tagsOf(ben, read)).toEqual(['idea']);
  expect(await tagsFor(ben)).toEqual([
    ['first', 1, 1],
    ['idea', 2, 1],
    ['last', 1, 1],
    ['New plan', 2, 2],
  ]);
  const [noted] = (await ben.get('/api/actions')).body.actions;
  expect(noted).toMatchObject({ id: action, kind: 'tags', what: { tags: ['idea'], to: 'New plan', recordings: 2 } });
  // One of them was changed again, and the right to the other one ended: neither is touched.
  await replace(ann, { tags: ['New plan'], to: null });
  await share(house, edited, ben, roles.canRead);
  expect((await ben.post(`/api/actions/${action}/undo`)).body).toEqual({
    undone: 1,
    failed: [{ recording: edited, places: 1, code: 'NO_PERM' }],
    next: null,
  });
  expect(await tagsOf(ben, own)).toEqual(['first', 'idea', 'last']);
  await share(house, edited, ben, roles.canEdit);
  expect((await ben.post(`/api/actions/${action}/undo`)).problem.code).toBe('CONFLICT');
  expect(await tagsOf(ann, edited)).toEqual([]);
});

test('several tags become one, which a recording has once, and tags are taken away', async () => {
  const ann = await house.person('Ann');
  const all = await tagged(house, ann, ['sale', 'Sales', 'other', 'SALES']);
  const one = await tagged(house, ann, ['other', 'sale']);
  expect(await tagsFor(ann)).toEqual([
    ['other', 2, 2],
    ['sale', 2, 2],
    ['Sales', 1, 1],
  ]);
  const merged = await replace(ann, { tags: ['sale', 'Sales'], to: 'Sales' });
  expect(merged.changed).toBe(2);
  expect([await tagsOf(ann, all), await tagsOf(ann, one)]).toEqual([
    ['Sales', 'other'],
    ['other', 'Sales'],
  ]);
  const removed = await replace(ann, { tags: ['other'], to: null });
  expect(await tagsFor(ann)).toEqual([['Sales', 2, 2]]);
  // The index is behind: what has the tag no longer is not changed, and not counted.
  await replace(ann, { tags: ['Sales'], to: null });
  expect(await replace(ann, { tags: ['Sales'], to: 'again' })).toEqual({
    ...{ changed: 0, failed: [], next: null, action: null },
  });
  // A tag that became another one, which is gone by now, stays away.
  const undone = [];
  for (const { action } of [removed, merged]) undone.push((await ann.post(`/api/actions/${action}/undo`)).body.undone);
  expect(undone).toEqual([2, 1]);
  expect([await tagsOf(ann, all), await tagsOf(ann, one)]).toEqual([['sale', 'other'], ['other']]);
});

test('many recordings are changed request by request, and are one action of their person alone', async () => {
  const [ann, ben] = [await house.person('Ann'), await house.person('Ben')];
  const by = { userId: null, origin: 'test' };
  const ids: string[] = [];
  for (let n = 0; n <= mostTagged; n += 1) {
    const id = await makeMeeting(house, ann);
    await house.house.rooms.change(id, 'transcript', by, (doc) => writeTags(doc, ['idea'], 'test'));
    ids.push(id);
  }
  await indexAll(house);
  const asked = { tags: ['idea'], to: 'plan' };
  const first = await replace(ann, asked);
  expect(first).toMatchObject({ changed: mostTagged, failed: [], next: ids.toSorted()[mostTagged - 1] });
  const onward = { after: first.next, action: first.action };
  for (const [who, body] of [
    [ben, { ...asked, ...onward }],
    [ann, { ...asked, ...onward, to: 'other' }],
  ] as const)
    expect((await who.post('/api/tags/replace', body)).problem.code).toBe('NO_ACCESS');
  // The index still has what the first request changed.
  expect(await replace(ann, { ...asked, ...onward })).toMatchObject({ changed: 1, next: null, action: first.action });
  const { actions } = (await ann.get('/api/actions')).body;
  expect(actions).toMatchObject([{ what: { ...asked, recordings: mostTagged + 1 } }]);
  const sorted = ids.toSorted();
  const [changed = ''] = sorted;
  await house.house.rooms.change(changed, 'transcript', by, (doc) => writeTags(doc, [], 'test'));
  const undo = (body?: object) => ann.post(`/api/actions/${first.action}/undo`, body);
  expect((await undo()).body).toEqual({
    undone: mostTagged - 1,
    failed: [{ recording: changed, places: 1, code: 'CONFLICT' }],
    next: sorted[mostTagged - 1],
  });
  // A page that is closed between two turns leaves the rest to be undone.
  expect((await ann.get('/api/actions')).body.actions).toMatchObject([{ undoneAt: null, what: { recordings: 2 } }]);
  expect((await undo({ after: sorted[mostTagged - 1] })).body).toEqual({ undone: 1, failed: [], next: null });
  expect((await undo({ after: sorted[mostTagged] })).body).toEqual({ undone: 0, failed: [], next: null });
  expect((await undo()).problem.code).toBe('CONFLICT');
  await house.house.rooms.change(changed, 'transcript', by, (doc) => writeTags(doc, ['plan'], 'test'));
  expect((await undo()).body.undone).toBe(1);
  expect((await ann.get('/api/actions')).body.actions[0].undoneAt).not.toBeNull();
  expect(await tagsFor(ann)).toEqual([['idea', mostTagged + 1, mostTagged + 1]]);
});
