// A person whose account was deleted has no name in any of their annotations; the annotations stay. In an assessment that
// people share, each author has a limit of their own.
import { eq } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { annotationAuthors } from '#db/schema/meetings.ts';
import { forgetAuthors } from '#server/annotations/authors.ts';
import { newId } from '#shared/ids.ts';
import { readAnnotations, writeAnnotation } from '#shared/meetings/annotations.ts';
import { roles } from '#shared/roles.ts';
import { closeEditors, Editor, synced, until } from '#tests/support/editors.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { share, ticketFor } from '#tests/support/meetings.ts';
import type { Person } from '#tests/support/people.ts';
import { makeRecording } from '#tests/support/recording.ts';
import { askFor, seenBy } from '#tests/support/reviews.ts';

let house: TestHouse;
beforeAll(async () => {
  house = await openHouse();
});
afterEach(closeEditors);
afterAll(() => house.close());

const leave = async (person: Person) => {
  const { status } = await person.post('/api/principals/me/delete', {
    password: person.password,
    reason: 'taskCompleted',
  });
  expect(status).toBeLessThan(300);
};
const say = async (by: Person, id: string, fields: object = {}): Promise<string> => {
  const at = { start: 10, end: 14, text: 'Is this so?' };
  const { status, body, text } = await by.post(`/api/meetings/${id}/comments`, { ...at, ...fields });
  expect(status, text).toBe(200);
  return body.comment.id;
};

test('a name goes with the account from every recording, also where access had ended, and others keep theirs', async () => {
  const ann = await house.person('Ann');
  const name = `Boniface${newId(6)}`;
  const ben = await house.person(name);
  const ids = [await makeRecording(house, ann), await makeRecording(house, ann)];
  for (const id of ids) await share(house, id, ben, roles.canComment);
  const [first = '', second = ''] = ids;
  const root = await say(ann, first);
  await say(ben, first, { parent: root });
  expect((await ann.post(`/api/meetings/${first}/comments/${root}/update`, { resolved: true })).status).toBe(200);
  const own = await say(ben, first);
  expect((await ben.post(`/api/meetings/${first}/comments/${own}/update`, { resolved: true })).status).toBe(200);
  const tagged = { outcome: { type: 'decisions', start: 10, end: 14, text: 'It is.' } };
  expect((await ben.post(`/api/meetings/${second}/outcomes`, tagged)).status).toBe(200);
  await house.database.sql`delete from meeting_access where meeting_id = ${second}`;
  const room = `${first}/comments`;
  const live = new Editor({ room, at: () => house.origin, ticket: await ticketFor(ann, room) });
  await synced([live]);
  expect(JSON.stringify(readAnnotations(live.doc, 'comment', 'shared'))).toContain(name);

  // The remaining person's annotations are unchanged.
  await forgetAuthors(house.house);
  expect((await ann.get(`/api/meetings/${first}`)).text).toContain(name);
  await leave(ben);
  await forgetAuthors(house.house);
  await until(() => !JSON.stringify(readAnnotations(live.doc, 'comment', 'shared')).includes(name));
  for (const id of ids) {
    const { text, body } = await ann.get(`/api/meetings/${id}`);
    expect(text).not.toContain(name);
    expect(body.doc.comments.length + body.doc.outcomes.length).toBeGreaterThan(0);
    for (const format of ['MARKDOWN', 'JSON']) {
      const options = { outcomes: true, comments: true };
      expect((await ann.post(`/api/export/${id}`, { format, options })).text).not.toContain(name);
    }
  }
  const { comments } = (await ann.get(`/api/meetings/${first}`)).body.doc;
  expect(comments.find((one: { id: string }) => one.id === root)).toMatchObject({
    author: { id: ann.id, name: 'Ann Test' },
    resolved: { by: { id: ann.id, name: 'Ann Test' } },
  });
  const left = await house.database.orm.select().from(annotationAuthors).where(eq(annotationAuthors.userId, ben.id));
  expect(left).toEqual([]);
});

test('a recording that cannot be read does not block the others, and is tried again', async () => {
  const ann = await house.person('Ann');
  const name = `Clothilde${newId(6)}`;
  const chen = await house.person(name);
  const ids = [await makeRecording(house, ann), await makeRecording(house, ann)].toSorted();
  for (const id of ids) {
    await share(house, id, chen, roles.canComment);
    await say(chen, id);
  }
  const [broken = '', whole = ''] = ids;
  await leave(chen);
  const { rooms } = house.house;
  const enter = rooms.change.bind(rooms);
  rooms.change = (id, ...rest) => (id === broken ? Promise.reject(new Error('not now')) : enter(id, ...rest));
  try {
    await forgetAuthors(house.house);
  } finally {
    rooms.change = enter;
  }
  expect((await ann.get(`/api/meetings/${broken}`)).text).toContain(name);
  expect((await ann.get(`/api/meetings/${whole}`)).text).not.toContain(name);
  await forgetAuthors(house.house);
  expect((await ann.get(`/api/meetings/${broken}`)).text).not.toContain(name);
});

test('a name goes from assessments, a person’s own and shared ones', async () => {
  const ann = await house.person('Ann');
  const name = `Dorothea${newId(6)}`;
  const [ben, cem] = [await house.person(name), await house.person('Cem')];
  const layers: string[] = [];
  for (const policy of ['strict', 'relaxed'] as const) {
    const roles = [[ben, 'required'] as const, [cem, 'supervisor'] as const];
    const review = await askFor(ann, await makeRecording(house, ann), { policy, roles });
    const layer = (await seenBy(ben, review)).cloneId ?? '';
    const tagged = { outcome: { type: 'decisions', start: 10, end: 14, text: 'It is.' } };
    expect((await ben.post(`/api/meetings/${layer}/outcomes`, tagged)).status).toBe(200);
    await say(ben, layer, { parent: await say(ben, layer) });
    layers.push(layer);
  }
  for (const layer of layers) expect((await cem.get(`/api/meetings/${layer}`)).text).toContain(name);
  await leave(ben);
  await forgetAuthors(house.house);
  for (const layer of layers) {
    const { text, body } = await cem.get(`/api/meetings/${layer}`);
    expect(text).not.toContain(name);
    expect([body.doc.comments.length, body.doc.outcomes.length]).toEqual([2, 1]);
    expect((await cem.get(`/api/compare?ids=${layer}`)).text).not.toContain(name);
    for (const format of ['MARKDOWN', 'JSON']) {
      const options = { outcomes: true, comments: true };
      expect((await cem.post(`/api/export/${layer}`, { format, options })).text).not.toContain(name);
    }
  }
});

test('each author of a shared assessment adds as many annotations as are allowed, and no more', async () => {
  const [ann, ben, cem] = (await house.people(3)) as [Person, Person, Person];
  const meeting = await makeRecording(house, ann);
  const roles = [[ben, 'required'] as const, [cem, 'required'] as const];
  const review = await askFor(ann, meeting, { policy: 'relaxed', roles });
  const layer = (await seenBy(ben, review)).cloneId ?? '';
  const add = async (by: Person) => {
    const { status, problem } = await by.post(`/api/meetings/${layer}/comments`, { start: 10, end: 14, text: 'One' });
    return [status, problem.info?.errors ?? null];
  };
  const added = [200, null];
  const full = [422, [{ field: 'comment', code: 'too_many' }]];
  expect(await add(ben)).toEqual(added);
  // All but the last one, a thousand at a time.
  const where = { userId: ben.id, origin: 'test', room: layer };
  for (let left = 4998; left > 0; left -= 1000)
    await house.house.rooms.change(meeting, 'layer', where, (doc) =>
      doc.transact(() => {
        const [one] = readAnnotations(doc, 'comment', 'shared');
        if (!one) throw new Error('no comment');
        for (let nth = 0; nth < Math.min(left, 1000); nth += 1)
          writeAnnotation(doc, 'comment', { ...one, id: newId() }, 'shared', 'test');
      }),
    );
  expect(await add(ben)).toEqual(added);
  expect(await add(ben)).toEqual(full);
  // Another author is not refused because of it.
  expect(await add(cem)).toEqual(added);
  expect(await add(ben)).toEqual(full);
});
