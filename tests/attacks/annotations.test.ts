// G23, G24, G26, C03, C06 and H04: commands about outcomes, comments and notes by those who should not give them.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import * as Y from 'yjs';
import { newId } from '#shared/ids.ts';
import { readAnnotations } from '#shared/meetings/annotations.ts';
import { roles } from '#shared/roles.ts';
import { closeEditors, Editor, until } from '#tests/support/editors.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { share, ticketFor } from '#tests/support/meetings.ts';
import type { Person } from '#tests/support/people.ts';
import { makeRecording } from '#tests/support/recording.ts';

let house: TestHouse;
beforeAll(async () => {
  house = await openHouse();
});
afterEach(closeEditors);
afterAll(() => house.close());

/** Ann's recording, on which Ben may comment and Cleo write. */
async function scene() {
  const [ann, ben, cleo] = [await house.person('Ann'), await house.person('Ben'), await house.person('Cleo')];
  const id = await makeRecording(house, ann);
  await share(house, id, ben, roles.canComment);
  await share(house, id, cleo, roles.canEdit);
  const at = `/api/meetings/${id}`;
  const comment = (by: Person, fields: object = {}, requestId = newId()) =>
    by.post(
      `${at}/comments`,
      { start: 1, end: 2, text: 'So it is', ...fields },
      { headers: { 'X-Request-ID': requestId } },
    );
  const all = async (by: Person) => (await by.get(at)).body.doc as { comments: { id: string }[]; outcomes: object[] };
  return { id, at, ann, ben, cleo, comment, all };
}

describe('G23 only the server says who made an annotation, and when', () => {
  test('also if the command claims otherwise', async () => {
    const { at, ann, ben, comment } = await scene();
    const lies = {
      author: { id: ann.id, kind: 'user', name: 'Ann' },
      createdAt: '1999-01-01T00:00:00.000Z',
      editTimestamp: '1999-01-01T00:00:00.000Z',
      rev: 99,
      automatic: true,
      resolved: { at: '1999', by: { id: ann.id, kind: 'user', name: 'Ann' } },
    };
    const { id: ownId } = (await ben.whoami()).body.principal;
    const stamped = { author: { id: ownId, kind: 'user' }, rev: 1, editTimestamp: null };
    const made = (await comment(ben, lies)).body.comment;
    expect(made).toMatchObject({ ...stamped, resolved: null });
    expect(made.createdAt).not.toContain('1999');
    const outcome = { type: 'notes', start: 1, end: 2, ...lies };
    expect((await ben.post(`${at}/outcomes`, { outcome })).body.outcome).toMatchObject({
      ...stamped,
      automatic: false,
    });
    const changed = await ben.post(`${at}/comments/${made.id}/update`, {
      text: 'Otherwise',
      ...lies,
      resolved: undefined,
    });
    expect(changed.body.comment).toMatchObject({ author: { id: ownId }, rev: 2, createdAt: made.createdAt });
  });
});

describe('G24 commands', () => {
  test('given again are done once; the same id for something else is refused', async () => {
    const { ben, comment, all } = await scene();
    const requestId = newId();
    const first = await comment(ben, {}, requestId);
    expect((await comment(ben, {}, requestId)).text).toBe(first.text);
    expect(await comment(ben, { text: 'Else' }, requestId)).toMatchObject({ status: 422, problem: { code: 'IDEMP' } });
    expect((await all(ben)).comments).toHaveLength(1);
  });

  test('that come before their target, or after it was deleted, change nothing', async () => {
    const { at, ben, comment, all } = await scene();
    const id = newId();
    const change = () => ben.post(`${at}/comments/${id}/update`, { text: 'Otherwise' });
    expect((await change()).status).toBe(404);
    expect((await ben.delete(`${at}/comments/${id}`)).status).toBe(404);
    expect((await comment(ben, { parent: id })).status).toBe(422);
    await comment(ben, { id });
    expect((await ben.delete(`${at}/comments/${id}`)).status).toBe(204);
    expect([(await change()).status, (await ben.delete(`${at}/comments/${id}`)).status]).toEqual([404, 404]);
    expect((await all(ben)).comments).toEqual([]);
  });

  test('on what others said are refused; what has been answered is blanked; what is revealed is revealed once', async () => {
    const { at, ann, ben, cleo, comment, all } = await scene();
    const { id } = (await comment(ben)).body.comment;
    for (const by of [ann, cleo])
      expect(await by.post(`${at}/comments/${id}/update`, { text: 'Mine' })).toMatchObject({ status: 403 });
    expect((await cleo.delete(`${at}/comments/${id}`)).status).toBe(403);
    await comment(cleo, { parent: id });
    expect((await ben.delete(`${at}/comments/${id}`)).body.comment).toMatchObject({
      text: '',
      author: { kind: 'deleted' },
    });
    const own = (await comment(ben, { private: true })).body.comment;
    const reveal = () => ben.post(`${at}/outcomes/${own.id}/reveal/comment`);
    const [shown, again] = [await reveal(), await reveal()];
    expect([shown.status, again.status, again.text]).toEqual([200, 200, shown.text]);
    expect((await all(ann)).comments).toHaveLength(3);
  });
});

test('G26 undo over a socket takes back nothing that others said', async () => {
  const { id, ann, cleo, comment, all } = await scene();
  const ticket = await ticketFor(cleo, `${id}/comments`);
  const editor = new Editor({ room: `${id}/comments`, at: () => house.origin, ticket });
  await until(() => editor.provider.synced);
  const map = editor.doc.getMap('comments');
  // A hostile client counts changes of the server as its own, and undoes them.
  const undo = new Y.UndoManager(map, { trackedOrigins: new Set([editor.provider, null]), captureTimeout: 0 });
  const { id: itemId } = (await comment(ann)).body.comment;
  await until(() => map.has(itemId));
  map.delete(itemId);
  undo.undo();
  undo.undo();
  const { id: told } = (await comment(ann)).body.comment;
  const reader = new Editor({ room: `${id}/comments`, at: () => house.origin, ticket });
  await until(() => readAnnotations(reader.doc, 'comment', 'shared').some((one) => one.id === told));
  expect((await all(ann)).comments.map((one) => one.id).toSorted()).toEqual([itemId, told].toSorted());
  expect(readAnnotations(reader.doc, 'comment', 'shared')).toHaveLength(2);
});

test('C03 nobody reveals an annotation of another person, or as another kind', async () => {
  const { at, ann, ben, cleo, comment } = await scene();
  const own = (await comment(ben, { private: true })).body.comment;
  const reveal = (by: Person, type: string) => by.post(`${at}/outcomes/${own.id}/reveal/${type}`);
  for (const by of [ann, cleo])
    expect(await reveal(by, 'comment')).toMatchObject({
      status: 403,
      problem: { code: 'NO_PERM', message: 'No permissions to publish comment' },
    });
  // The same for an id that does not exist.
  const nothing = await ann.post(`${at}/outcomes/${newId()}/reveal/comment`);
  expect(nothing.problem.message).toBe('No permissions to publish comment');
  expect((await reveal(ben, 'outcome')).status).toBe(403);
  expect((await reveal(ben, 'everything')).status).toBe(422);
});

test('C06 nobody reads or writes the notes of another person, by any id', async () => {
  const { id, at, ann, ben } = await scene();
  const notes = (text: string) =>
    JSON.stringify({ type: 'doc', content: [{ type: 'paragraph', content: [{ type: 'text', text }] }] });
  const secret = `secret${newId()}`;
  expect((await ben.put(`${at}/notes`, { text: notes(secret) })).status).toBe(200);
  const theirs = (await ben.whoami()).body.principal.id as string;
  for (const path of [`${at}/notes`, `${at}/notes?userId=${theirs}`, `${at}/notes/${theirs}`])
    expect((await ann.get(path)).text).not.toContain(secret);
  await ann.put(`${at}/notes`, { text: notes('mine'), userId: theirs, notesId: theirs });
  expect((await ben.get(`${at}/notes`)).body.text).toContain(secret);
  expect((await ann.post('/api/sync/tickets', { room: `${id}/notes/${theirs}` })).status).toBe(403);
});

describe('H04 the text of a comment', () => {
  const nested = (depth: number) =>
    `{"type":"doc","content":[${'{"type":"blockquote","content":['.repeat(depth)}${']}'.repeat(depth)}]}`;
  test.each<[string, string, number]>([
    ['a document of what nobody knows', '{"type":"doc","content":[{"type":"script","text":"alert(1)"}]}', 422],
    ['nested hundreds deep', nested(400), 422],
    ['longer than any comment', 'x'.repeat(20_000), 422],
  ])('is not %s', async (_, text, status) => {
    const { ben, comment, all } = await scene();
    expect((await comment(ben, { text })).status).toBe(status);
    expect((await all(ben)).comments).toEqual([]);
  });

  test('is not ten million letters, and where its JSON ends too early, it is plain words', async () => {
    const { ben, comment, all } = await scene();
    expect((await comment(ben, { text: 'x'.repeat(10_000_000) })).status).toBe(413);
    const { text } = (await comment(ben, { text: '{"type":"doc","content":[{"type":"script"' })).body.comment;
    expect(JSON.parse(text).content[0].content).toEqual([
      { type: 'text', text: '{"type":"doc","content":[{"type":"script"' },
    ]);
    expect((await all(ben)).comments).toHaveLength(1);
  });
});
