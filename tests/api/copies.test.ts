// Copies of recordings: what comes along, what stays behind, and that neither takes the files of the other with it.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { sweepLeftovers } from '#server/meetings/leftovers.ts';
import { newId } from '#shared/ids.ts';
import { roles } from '#shared/roles.ts';
import { closeEditors, Editor, settled, synced } from '#tests/support/editors.ts';
import { sendFile } from '#tests/support/files.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { beginProcessing, createMeeting, external, processed } from '#tests/support/intake.ts';
import { share, ticketFor } from '#tests/support/meetings.ts';
import type { Answer, Person } from '#tests/support/people.ts';
import { makeRecording } from '#tests/support/recording.ts';
import { askFor, seenBy, setStatus } from '#tests/support/reviews.ts';
import { sendVoice } from '#tests/support/voice.ts';

let house: TestHouse;
beforeAll(async () => {
  house = await openHouse();
});
afterEach(closeEditors);
afterAll(() => house.close());

const good = async (asked: Promise<Answer>): Promise<any> => {
  const { status, body, text } = await asked;
  expect(status, text).toBeLessThan(300);
  return body;
};
const read = (person: Person, id: string) => good(person.get(`/api/meetings/${id}`));
const copy = async (person: Person, id: string, json: object = {}): Promise<string> =>
  (await good(person.post(`/api/meetings/${id}/clone`, json))).id;
const at = { start: 10, end: 14 };
const say = async (by: Person, id: string, fields: object = {}) =>
  (await good(by.post(`/api/meetings/${id}/comments`, { ...at, text: 'Is this so?', ...fields }))).comment;
const hear = async (person: Person, path: string) => (await person.get(path)).status;

/** Opens the transcript as a page does. */
async function typist(person: Person, id: string): Promise<Editor> {
  const room = `${id}/transcript`;
  const editor = new Editor({ room, at: () => house.origin, ticket: await ticketFor(person, room) });
  await synced([editor]);
  return editor;
}
/** Everything that is stored of a meeting's rooms, as one text of Latin letters. */
async function bytesOf(id: string): Promise<string> {
  const rows = await house.database.sql<{ bytes: Buffer }[]>`
    select u.bytes from room_updates u join rooms r on r.name = u.room where r.meeting_id = ${id}
    union all select s.bytes from room_snapshots s join rooms r on r.name = s.room where r.meeting_id = ${id}`;
  return rows.map(({ bytes }) => bytes.toString('latin1')).join('\n');
}

test('a copy has the same words at the same times, and nothing that was deleted', async () => {
  const ann = await house.person('Ann');
  const id = await makeRecording(house, ann);
  const editor = await typist(ann, id);
  const secret = `secret${newId(6)}`;
  editor.text.insert(5, secret);
  await settled([editor]);
  editor.text.delete(5, secret.length);
  editor.text.insert(40, 'corrected ');
  await settled([editor]);
  expect(await bytesOf(id)).toContain(secret);

  const made = await copy(ann, id);
  const [original, copied] = [await read(ann, id), await read(ann, made)];
  const timed = ({ doc }: typeof original) =>
    doc.transcript.segments.map(({ speaker, words }: any) => [
      speaker,
      words.map(({ w, f, t, p, c }: any) => [w, f, t, p, c]),
    ]);
  expect(timed(copied)).toEqual(timed(original));
  expect(copied.doc.transcript.speakers).toEqual(original.doc.transcript.speakers);
  expect(JSON.stringify(timed(copied))).toContain('corrected');
  expect(copied.version).toBe(1);
  expect(await bytesOf(made)).not.toContain(secret);

  // The history begins anew, and what is typed in one of both is not in the other.
  expect((await good(ann.get(`/api/meetings/${made}/versions`))).versions).toHaveLength(1);
  const [one, other] = [editor, await typist(ann, made)];
  one.text.insert(1, 'First. ');
  other.text.insert(1, 'Second. ');
  await settled([one]);
  await settled([other]);
  expect([one.text.toString(), other.text.toString()].map((text) => /First|Second/.exec(text)?.[0])).toEqual([
    'First',
    'Second',
  ]);
});

test('shared annotations come along with their places and files; private ones, notes and sharing stay behind', async () => {
  const [ann, ben] = [await house.person('Ann'), await house.person('Ben')];
  const id = await makeRecording(house, ann);
  await share(house, id, ben, roles.canEdit);
  const root = await say(ben, id, { url: await sendVoice(ben, id) });
  await say(ann, id, { parent: root.id, text: 'It is.' });
  await good(ann.post(`/api/meetings/${id}/comments/${root.id}/update`, { resolved: true }));
  await good(ben.post(`/api/meetings/${id}/outcomes`, { outcome: { ...at, type: 'decisions', text: 'We go.' } }));
  const hidden = `hidden${newId(6)}`;
  const alone = await say(ben, id, { text: hidden, private: true });
  await sendFile(ben, id, { name: 'mine.txt', comment: alone.id });
  await sendFile(ben, id, { name: 'plan.txt', comment: root.id });
  await sendFile(ann, id, { name: 'beside.txt' });
  await good(ben.put(`/api/meetings/${id}/summary/own`, { summary: [{ text: hidden }] }));

  const made = await copy(ben, id);
  const [original, copied] = [await read(ann, id), await read(ben, made)];
  const placed = (list: any[]) => list.map((one) => ({ ...one, url: null, anchor: null }));
  expect(placed(copied.doc.comments)).toEqual(placed(original.doc.comments));
  expect(placed(copied.doc.outcomes)).toEqual(placed(original.doc.outcomes));
  expect(copied.doc.comments).toHaveLength(2);
  const [{ url }] = copied.doc.comments.filter((one: any) => one.url !== null);
  expect(url).toContain(made);
  expect(await hear(ben, url)).toBe(200);
  const { files } = await good(ben.get(`/api/meetings/${made}/attachments`));
  expect(files.map(({ name }: any) => name).toSorted()).toEqual(['beside.txt', 'plan.txt']);
  expect(await bytesOf(made)).not.toContain(hidden);
  expect((await good(ben.get(`/api/meetings/${made}/summary/own`))).summary).toEqual([]);
  expect((await ann.get(`/api/meetings/${made}`)).problem.code).toBe('NO_ACCESS');

  // Ann may not read the copy, and Ben is told no more of the original once he may not read that.
  expect(original.clones).toEqual([]);
  expect((await read(ben, id)).clones).toMatchObject([{ id: made }]);
  await house.database.sql`delete from meeting_access where meeting_id = ${id}`;
  expect((await read(ben, made)).doc).toMatchObject({ cloned_from: null, cloned_private: true });

  const bare = await read(ann, await copy(ann, id, { removeMarkup: true }));
  expect(bare.doc).toMatchObject({ comments: [], outcomes: [], bookmarks: [], highlights: [], tags: [] });
  expect(bare.doc.transcript.segments.length).toBeGreaterThan(3);
  const nameless = await copy(ann, id, { clearCommentAuthors: true });
  const { doc } = await read(ann, nameless);
  const nobody = { id: '', kind: 'deleted', name: '' };
  expect(doc.comments.map(({ author }: any) => author)).toEqual([nobody, nobody]);
  expect(doc.comments.find((one: any) => one.resolved !== null).resolved.by).toEqual(nobody);
  const spoken = doc.comments.find((one: any) => one.url !== null);
  expect(await hear(ann, spoken.url)).toBe(200);
  const left = await good(ann.get(`/api/meetings/${nameless}/attachments`));
  expect(left.files.map(({ name }: any) => name)).toEqual(['beside.txt']);
});

test('reviews stay behind with their layers, also for people who read them', async () => {
  const [ann, ben] = [await house.person('Ann'), await house.person('Ben')];
  const id = await makeRecording(house, ann);
  const review = await askFor(ann, id, { roles: [[ben, 'required']] });
  const layer = (await seenBy(ben, review)).cloneId ?? '';
  const judged = `judged${newId(6)}`;
  await say(ben, layer, { text: judged });
  const comment = newId();
  await say(ben, layer, { id: comment, url: await sendVoice(ben, layer) });
  await sendFile(ben, layer, { comment });
  // A comment of the recording with the same id takes nothing of a layer along.
  await say(ann, id, { id: comment, text: 'mine' });
  await good(ben.post(`/api/meetings/${layer}/outcomes`, { outcome: { ...at, type: 'decisions', text: judged } }));
  await good(ben.put(`/api/meetings/${layer}/grades/trust`, { grade: 2, words: judged }));
  await setStatus(ben, review, 'complete');
  expect(JSON.stringify((await read(ann, layer)).doc.comments)).toContain(judged);
  expect(await bytesOf(id)).toContain(judged);

  const made = await copy(ann, id);
  expect(await bytesOf(made)).not.toContain(judged);
  expect((await read(ann, made)).doc).toMatchObject({ comments: [{ url: null }], outcomes: [] });
  expect(await house.database.sql`select 1 from attachments where meeting_id = ${made}`).toEqual([]);
  expect((await good(ann.get(`/api/meetings/${made}/reviews`))).reviews).toEqual([]);
  const rows = await house.database.sql`
    select id from reviews where meeting_id = ${made} union all select id from layers where meeting_id = ${made}
    union all select name from rooms where meeting_id = ${made} and part = 'layer'`;
  expect(rows).toEqual([]);
  // Reviewers have no right on the copy, and a layer is not copied by itself.
  expect((await ben.get(`/api/meetings/${made}`)).problem.code).toBe('NO_ACCESS');
  expect((await ben.post(`/api/meetings/${layer}/clone`, {})).problem.code).toBe('NO_ACCESS');
});

test.for(['original', 'copy'] as const)(
  'the files stay when the %s is deleted for ever, and go with the last',
  async (first) => {
    const ann = await house.person('Ann');
    const id = await makeRecording(house, ann);
    await sendFile(ann, id, { name: 'beside.txt' });
    const made = await copy(ann, id);
    const [gone, stays] = first === 'original' ? [id, made] : [made, id];
    const keys = await house.database.sql<{ key: string }[]>`
    select store_key as key from media where meeting_id = ${id} union select store_key from attachments where meeting_id = ${id}`;
    expect(keys.length).toBeGreaterThan(1);
    await house.database.sql`delete from meetings where id = ${gone}`;
    await sweepLeftovers(house.house);
    const { media } = await read(ann, stays);
    expect(media.length).toBeGreaterThan(0);
    for (const { src } of media) expect(await hear(ann, src)).toBe(200);
    const { files } = await good(ann.get(`/api/meetings/${stays}/attachments`));
    expect(await hear(ann, files[0].url)).toBe(200);
    if (first === 'original')
      expect((await read(ann, made)).doc).toMatchObject({ cloned_from: null, cloned_private: true });
    await house.database.sql`delete from meetings where id = ${stays}`;
    await sweepLeftovers(house.house);
    for (const { key } of keys) await expect(house.house.store.read(key)).rejects.toThrow();
  },
);

test('the same request sent again makes no other copy; a backup lies beside the original', async () => {
  const [ann, ben] = [await house.person('Ann'), await house.person('Ben')];
  const id = await makeRecording(house, ann);
  await share(house, id, ben, roles.canEdit);
  await good(ann.post('/api/folders', { path: '/Mine' }));
  await good(ann.put(`/api/meetings/${id}/move`, { path: '/Mine' }));
  const headers = { 'X-Request-ID': newId() };
  const made = await Promise.all(
    [1, 2, 3].map(() => ann.post(`/api/meetings/${id}/clone`, { isBackup: true }, { headers })),
  );
  const ids = new Set(made.flatMap(({ status, body }) => (status === 200 ? [body.id] : [])));
  expect(ids.size).toBe(1);
  expect((await good(ann.post(`/api/meetings/${id}/clone`, { isBackup: true }, { headers }))).id).toBe([...ids][0]);
  expect((await read(ann, id)).clones).toHaveLength(1);
  await copy(ann, id);
  await copy(ben, id, { isBackup: true });
  const listed = async (person: Person, folder: string) =>
    (await good(person.get(`/api/meetings?folder=${encodeURIComponent(folder)}`))).hits.length;
  expect([await listed(ann, '/Mine'), await listed(ann, '/')]).toEqual([2, 1]);
  // Ben's copy, and what Ann shares with him.
  expect(await listed(ben, '/')).toBe(2);
});

test('a backup is closed from its first version on, and of a closed recording there are copies', async () => {
  const [ann, ben, dana] = [await house.person('Ann'), await house.person('Ben'), await house.person('Dana')];
  const id = await makeRecording(house, ann);
  await share(house, id, ben, roles.canEdit);
  await share(house, id, dana, roles.canComment);
  await good(ann.post(`/api/meetings/${id}/close`, { name: 'Final' }));

  const backup = await copy(ben, id, { isBackup: true, title: 'Before the review' });
  const closed = await read(ben, backup);
  expect(closed.closed).toMatchObject({ by: { id: ben.id }, version: 1 });
  expect(closed.permissions).not.toContain('write');
  expect((await good(ben.get(`/api/meetings/${backup}/versions`))).versions).toMatchObject([
    { version: 1, name: { text: 'Before the review', by: ben.id } },
  ]);
  const edit = { pos: 0, old: closed.doc.transcript.segments[0].text, new: 'Another', version: closed.version };
  expect((await ben.post(`/api/meetings/${backup}/edit`, edit)).problem.code).toBe('CLOSED');
  await good(ben.post(`/api/meetings/${backup}/reopen`));
  await good(ben.post(`/api/meetings/${backup}/edit`, { ...edit, version: (await read(ben, backup)).version }));

  const open = await read(ann, await copy(ann, id));
  expect(open.closed).toBeNull();
  expect(open.permissions).toContain('write');
  const { problem } = await dana.post(`/api/meetings/${id}/clone`, {});
  expect(problem).toMatchObject({ code: 'NO_PERM', message: 'No permissions to clone' });
});

test('names of people who delete their account leave the copies, too', async () => {
  const [ann, ben] = [await house.person('Ann'), await house.person(`Boniface${newId(6)}`)];
  const id = await makeRecording(house, ann);
  await share(house, id, ben, roles.canComment);
  await say(ben, id);
  const made = await copy(ann, id);
  const authors = await house.database.sql`select user_id from item_authors where meeting_id = ${made}`;
  expect(authors.map(({ user_id }) => user_id)).toEqual([ben.id]);
});

test('a long transcript is copied in a thread', async () => {
  const ann = await house.person('Ann');
  const words = Array.from({ length: 30_000 }, (_, i) => `word${i}`).join(' ');
  const content = `Ann  0:01  \n${words}\n\n`;
  const transcript = { transcript: { fileName: 'long.txt', content }, transcriptType: 'OTTERAI' as const };
  const { id } = await createMeeting(ann, external(transcript));
  expect((await beginProcessing(ann, id)).status).toBe(200);
  await processed(ann, id);
  const { given } = house.house.wholes;
  const made = await copy(ann, id);
  // Once to copy it, and once to count its words for lists.
  expect(house.house.wholes.given - given).toBe(2);
  expect((await read(ann, made)).doc.transcript).toEqual((await read(ann, id)).doc.transcript);
}, 120_000);
