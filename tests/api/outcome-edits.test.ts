// Changes of many outcomes in one request: all of them or none, each as if it were changed alone.
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { newId } from '#shared/ids.ts';
import { roles } from '#shared/roles.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { share } from '#tests/support/meetings.ts';
import type { Person } from '#tests/support/people.ts';
import { makeRecording } from '#tests/support/recording.ts';

let house: TestHouse;
let ann: Person;
let ben: Person;
beforeAll(async () => {
  house = await openHouse();
  [ann, ben] = (await house.people(2)) as [Person, Person];
});
afterAll(() => house?.close());

type Edit = { id: string; field: string; value: unknown; rev?: number };
const outcome = { type: 'actionItems', start: 10, end: 12, text: 'Send the list' };
const edit = (person: Person, id: string, edits: Edit[], requestId = newId()) =>
  person.post(`/api/meetings/${id}/outcomes/update`, { edits, version: 0 }, { headers: { 'X-Request-ID': requestId } });
const read = async (person: Person, id: string) =>
  (await person.get(`/api/meetings/${id}`)).body.doc.outcomes as { id: string; text: string; rev: number }[];
async function tagged(more: object[] = [{ id: 'one' }, { id: 'two', start: 30, end: 31 }], by = ann) {
  const id = await makeRecording(house, ann, [ben]);
  for (const one of more)
    expect((await by.post(`/api/meetings/${id}/outcomes`, { outcome: { ...outcome, ...one } })).status).toBe(200);
  return id;
}

describe('several edits of outcomes', () => {
  test('all are written as one change, and asked again as nothing more', async () => {
    const id = await tagged();
    const again = newId();
    const edits = [
      { id: 'one', field: 'text', value: 'First' },
      { id: 'two', field: 'grade', value: -1 },
      { id: 'two', field: 'start', value: 40 },
      { id: 'two', field: 'end', value: 41 },
    ];
    const rows = async () =>
      Number((await house.database.sql`select seq from rooms where name = ${`${id}/outcomes`}`)[0]?.['seq']);
    const before = await rows();
    const first = await edit(ann, id, edits, again);
    expect(first.status, first.text).toBe(200);
    expect(await rows()).toBe(before + 1);
    expect(first.body.outcomes).toMatchObject([
      { id: 'one', text: 'First', rev: 2 },
      { id: 'two', grade: -1, start: 40, end: 41, rev: 2 },
    ]);
    expect((await edit(ann, id, edits, again)).body).toEqual(first.body);
    expect(await rows()).toBe(before + 1);
    expect(await read(ben, id)).toMatchObject([
      { id: 'one', text: 'First', rev: 2 },
      { id: 'two', start: 40, rev: 2 },
    ]);
  });

  test.each<[string, Edit, number, string]>([
    ['one of nothing', { id: 'three', field: 'text', value: 'x' }, 404, 'NOT_FOUND'],
    ['a type nobody picks', { id: 'two', field: 'type', value: 'vNotes' }, 422, 'INVALID'],
    ['a value that is none', { id: 'two', field: 'text', value: 7 }, 422, 'INVALID'],
    ['one that is another by now', { id: 'two', field: 'text', value: 'x', rev: 2 }, 409, 'CONFLICT'],
    ['one’s own beside one of all', { id: 'own', field: 'text', value: 'x' }, 422, 'INVALID'],
  ])('none is written with %s among them', async (_, wrong, status, code) => {
    const id = await tagged([{ id: 'one' }, { id: 'two', start: 30, end: 31 }, { id: 'own', private: true }]);
    const before = await read(ann, id);
    const answer = await edit(ann, id, [{ id: 'one', field: 'text', value: 'First' }, wrong]);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    expect(await read(ann, id)).toEqual(before);
  });

  test('one edit without permission refuses all; people may edit their own outcomes', async () => {
    const id = await tagged();
    const reader = await house.person();
    await share(house, id, reader, roles.canComment);
    for (const one of [{ id: 'mine' }, { id: 'mine2' }])
      await reader.post(`/api/meetings/${id}/outcomes`, { outcome: { ...outcome, ...one } });
    const both = await edit(reader, id, [
      { id: 'mine', field: 'text', value: 'x' },
      { id: 'one', field: 'text', value: 'x' },
    ]);
    expect([both.status, both.body.code]).toEqual([403, 'NO_PERM']);
    expect((await read(ann, id)).map(({ rev }) => rev)).toEqual([1, 1, 1, 1]);
    const own = await edit(
      reader,
      id,
      ['mine', 'mine2'].map((one) => ({ id: one, field: 'text', value: 'x' })),
    );
    expect(own.status, own.text).toBe(200);
  });

  test('fifty cost no more readings of the recording than two', async () => {
    const ids = Array.from({ length: 50 }, (_, i) => `o${i}`);
    const id = await tagged(ids.map((one, i) => ({ id: one, start: i, end: i + 1 })));
    const readings = async (some: readonly string[]) => {
      const edits = some.flatMap((one, i) => [
        { id: one, field: 'start', value: 100 + i },
        { id: one, field: 'end', value: 101 + i },
      ]);
      const { documents } = house.house;
      const inRoom = vi.spyOn(documents, 'inRoom');
      const answer = await edit(ann, id, edits);
      const calls = inRoom.mock.calls.length;
      inRoom.mockRestore();
      expect(answer.status, answer.text).toBe(200);
      expect(answer.body.outcomes).toMatchObject(some.map((one, i) => ({ id: one, start: 100 + i })));
      return calls;
    };
    const two = await readings(ids.slice(0, 2));
    expect(two).toBeGreaterThan(0);
    // The house itself reads a changed recording too, seconds later, to find its words.
    expect(await readings(ids)).toBeLessThan(two + 5);
  });

  test('private ones are changed together, too', async () => {
    const id = await tagged([
      { id: 'own', private: true },
      { id: 'own2', private: true },
    ]);
    const edits = ['own', 'own2'].map((one) => ({ id: one, field: 'text', value: one }));
    expect((await edit(ann, id, edits)).status).toBe(200);
    expect((await read(ann, id)).map(({ text }) => text).toSorted()).toEqual(['own', 'own2']);
    expect((await edit(ben, id, edits)).status).toBe(404);
  });
});
