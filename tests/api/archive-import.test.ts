// Archives in another house (server/archive/import.ts): the same words, times, annotations, media and history, people by
// their confirmed address, and nothing shared by it.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readManifest } from '#server/archive/check.ts';
import { importArchive } from '#server/archive/import.ts';
import { annotationsContent, historyLine } from '#shared/archive-content.ts';
import { newId } from '#shared/ids.ts';
import { roles } from '#shared/roles.ts';
import { archived, inArchive } from '#tests/support/archives.ts';
import { sendFile } from '#tests/support/files.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { makeMeeting, share } from '#tests/support/meetings.ts';
import { greeting, makeSet } from '#tests/support/outcome-models.ts';
import type { Answer, Person } from '#tests/support/people.ts';
import { makeRecording } from '#tests/support/recording.ts';
import { sendVoice } from '#tests/support/voice.ts';

let house: TestHouse;
let other: TestHouse;
beforeAll(async () => {
  [house, other] = [await openHouse(), await openHouse()];
});
afterAll(async () => {
  await house.close();
  await other.close();
});

const good = async (asked: Promise<Answer>): Promise<any> => {
  const { status, body, text } = await asked;
  expect(status, text).toBeLessThan(300);
  return body;
};
const at = { start: 10, end: 14 };
const bytesOf = async (person: Person, archive: string) => (await person.get(`/api/archives/${archive}`)).bytes;
const importFor = (zipped: Uint8Array, owner: string, into = other) =>
  inArchive(zipped, async (zip) => importArchive(into.house, zip, await readManifest(zip), owner));
/** Words, annotations, notes, files and history of the one recording in an archive. */
const saidIn = (zipped: Uint8Array) =>
  inArchive(zipped, async (zip) => {
    const { recordings, files } = await readManifest(zip);
    const folder = `recordings/${recordings[0]?.id}`;
    const text = async (name: string) => (await zip.readWhole(`${folder}/${name}`, 1e8)).toString('utf8');
    const { outcomes, comments } = annotationsContent.parse(JSON.parse(await text('annotations.json')));
    const history = files.some(({ path }) => path.endsWith('history.jsonl')) ? await text('history.jsonl') : '';
    return {
      words: JSON.parse(await text('transcript.json')),
      notes: await text('notes.json'),
      annotations: [...outcomes, ...comments].map(({ author, url, ...one }) => ({
        ...{ ...one, by: author.name, hasUrl: url !== null, resolved: null },
      })),
      authors: new Map(comments.map(({ id, author }) => [id, author])),
      media: files
        .filter(({ path }) => path.includes('/media/'))
        .map(({ sha256 }) => sha256)
        .toSorted(),
      attached: files
        .filter(({ path }) => path.includes('/attachments/'))
        .map(({ sha256 }) => sha256)
        .toSorted(),
      log: history.split('\n').flatMap((line) => {
        if (line === '') return [];
        const { by: _, ...rest } = historyLine.parse(JSON.parse(line));
        return [rest];
      }),
    };
  });

test('a recording is in another house what it was, for one person alone', async () => {
  const [ann, ben] = [await house.person('Ann'), await house.person('Ben')];
  const id = await makeRecording(house, ann);
  await share(house, id, ben, roles.canEdit);
  const url = await sendVoice(ben, id);
  const root = (await good(ben.post(`/api/meetings/${id}/comments`, { ...at, text: 'Is this so?', url }))).comment;
  const mine = (await good(ann.post(`/api/meetings/${id}/comments`, { ...at, text: 'Mine', private: true }))).comment;
  await sendFile(ann, id, { name: 'plan.txt', comment: mine.id });
  await sendFile(ann, id, { name: 'beside.txt' });
  await good(ann.post(`/api/meetings/${id}/outcomes`, { outcome: { ...at, type: 'decisions', text: 'We go.' } }));
  const note = { type: 'doc', content: [{ type: 'paragraph', content: [{ type: 'text', text: 'A note' }] }] };
  await good(ann.put(`/api/meetings/${id}/notes`, { text: JSON.stringify(note) }));
  // Two generations: a version is restored.
  const { version } = await good(ann.get(`/api/meetings/${id}`));
  await good(ben.put(`/api/meetings/${id}`, { version, meeting: { 'doc.title': 'Another title' } }));
  await good(ann.put(`/api/meetings/${id}/versions/${version}/name`, { name: 'As it was' }));
  await good(ann.post(`/api/meetings/${id}/versions/${version}/restore`));
  const zipped = await bytesOf(ann, (await archived(ann, { ids: [id] })).id);

  expect(await importFor(zipped, 'nobody@example.test')).toBeNull();
  const there = await other.person('Ann', { email: ann.email.toUpperCase() });
  const made = await importFor(zipped, ann.email);
  expect(made).toMatchObject({ there: 0, withPrivate: true });
  const copy = made?.made[0] ?? '';
  // A second import finds what the first one made.
  expect(await importFor(zipped, ann.email)).toEqual({ made: [], there: 1, withPrivate: true });

  const [was, is] = [
    await saidIn(zipped),
    await saidIn(await bytesOf(there, (await archived(there, { all: true })).id)),
  ];
  for (const part of ['words', 'notes', 'annotations', 'media', 'attached', 'log'] as const)
    expect(is[part], part).toEqual(was[part]);
  // Ann is matched by her address; Ben, who has no account here, stays as a name.
  expect(is.authors.get(mine.id)).toMatchObject({ id: there.id, kind: 'user' });
  expect(is.authors.get(root.id)).toEqual({ id: '', kind: 'deleted', name: 'Ben Test' });
  const [before, now] = [
    (await good(ann.get(`/api/meetings/${id}/versions`))).versions,
    (await good(there.get(`/api/meetings/${copy}/versions`))).versions,
  ];
  const told = ({ version: number, at: time, name, kind }: any) => [number, time, name?.text, kind];
  expect(now.map(told)).toEqual(before.map(told));
  // The imported recording can be edited by its owner, and nobody else reads it.
  const opened = await good(there.get(`/api/meetings/${copy}`));
  await good(there.put(`/api/meetings/${copy}`, { version: opened.version, meeting: { 'doc.title': 'Here' } }));
  expect((await good(there.get(`/api/meetings/${copy}/acl`))).acl.entries).toEqual([]);
  const stranger = await other.person('Ben');
  expect((await stranger.get(`/api/meetings/${copy}`)).problem.code).toBe('NO_ACCESS');
});

test('what only its maker could see is not imported for somebody else, nor what was deleted for a reader', async () => {
  const [ann, ben] = [await house.person('Ann'), await house.person('Ben')];
  const id = await makeRecording(house, ann);
  await share(house, id, ben, roles.canComment);
  const secret = `secret${newId(8)}`;
  const comment = (await good(ben.post(`/api/meetings/${id}/comments`, { ...at, text: secret, private: true })))
    .comment;
  await sendFile(ben, id, { name: `${secret}.txt`, comment: comment.id });
  const open = (await good(ann.post(`/api/meetings/${id}/comments`, { ...at, text: 'Open' }))).comment;
  const zipped = await bytesOf(ben, (await archived(ben, { ids: [id] })).id);
  const cara = await other.person('Cara');
  const made = await importFor(zipped, cara.email);
  expect(made).toMatchObject({ there: 0, withPrivate: false });
  const copy = made?.made[0] ?? '';
  const { version, doc } = await good(cara.get(`/api/meetings/${copy}`));
  expect(version).toBe(1);
  expect(doc.comments.map((one: any) => [one.id, one.text, one.start])).toEqual([[open.id, open.text, open.start]]);
  expect(doc.transcript.segments.map((one: any) => one.words.map(({ w, f, t }: any) => [w, f, t]))).toEqual(
    (await good(ann.get(`/api/meetings/${id}`))).doc.transcript.segments.map((one: any) =>
      one.words.map(({ w, f, t }: any) => [w, f, t]),
    ),
  );
  expect((await good(cara.get(`/api/meetings/${copy}/attachments`))).files).toEqual([]);
  const [stored] = await other.database.sql<{ count: number }[]>`
    select count(*)::int as count from attachments where meeting_id = ${copy}`;
  expect(stored?.count).toBe(0);
});

test('a file that was changed in the archive is not imported', async () => {
  const ann = await house.person('Ann');
  const id = await makeRecording(house, ann);
  const zipped = Buffer.from(await bytesOf(ann, (await archived(ann, { ids: [id] })).id));
  const dan = await other.person('Dan');
  // A byte in the middle of the sound, which is stored as it is.
  const middle = Math.floor(zipped.length / 2);
  zipped[middle] = (zipped[middle] ?? 0) ^ 1;
  await expect(importFor(zipped, dan.email)).rejects.toThrow('is damaged');
  expect((await good(dan.get('/api/meetings'))).total).toBe(0);
});

/** A recording with an outcome of a set that its owner made, and the archive of it. */
async function withOwnSet() {
  const ann = await house.person('Ann');
  const set = await makeSet(ann);
  const id = await makeMeeting(house, ann);
  const { version } = await good(ann.get(`/api/meetings/${id}`));
  await good(ann.put(`/api/meetings/${id}`, { version, meeting: { 'doc.preferredOutcomesModel': set.id } }));
  const [type] = set.types;
  const given = { type: type?.id, grade: 3, children: [{ type: type?.children[1]?.id, grade: null }] };
  await good(ann.post(`/api/meetings/${id}/outcomes`, { outcome: { start: 0, end: 1, text: 'Here', ...given } }));
  const zipped = await bytesOf(ann, (await archived(ann, { ids: [id] })).id);
  return { ann, set, given, zipped };
}
const setsAt = async (person: Person, id: string) =>
  (await good(person.get(`/api/meetings/${id}/outcome-models`))).models;
const outcomesAt = async (person: Person, id: string) => (await good(person.get(`/api/meetings/${id}`))).doc;

test('outcome types that people made come along with their words, and belong to nobody', async () => {
  const { ann, set, given, zipped } = await withOwnSet();
  const dan = await other.person('Dan');
  const copy = (await importFor(zipped, dan.email))?.made[0] ?? '';
  const { id, name, language, types } = set;
  expect(await setsAt(dan, copy)).toEqual([{ id, name, language, types }]);
  expect((await good(dan.get('/api/outcome-models'))).models).toEqual([]);
  const { outcomes, outcomesSchema } = await outcomesAt(dan, copy);
  expect(outcomes).toMatchObject([given]);
  expect(outcomesSchema[0]).toMatchObject({ id: given.type, label: 'Greeting', grades: [{}, { label: 'Warm' }, {}] });
  // The sets can be chosen in it, and by another import they are the same.
  await good(dan.post(`/api/meetings/${copy}/outcomes`, { outcome: { start: 0, end: 1, text: 'Too', ...given } }));
  const eve = await other.person('Eve');
  const second = (await importFor(zipped, eve.email))?.made[0] ?? '';
  expect((await setsAt(eve, second)).map((one: { id: string }) => one.id)).toEqual([id]);

  // In the house that has the set, it is that one as long as it has these words.
  const ben = await house.person('Ben');
  const here = (await importFor(zipped, ben.email, house))?.made[0] ?? '';
  expect((await setsAt(ben, here)).map((one: { id: string }) => one.id)).toEqual([id]);
  expect((await good(ann.get('/api/outcome-models'))).models).toMatchObject([{ id, mayChange: true }]);
});

test('an archive with the id of a set shows no other words than it has', async () => {
  const { ann, set, zipped } = await withOwnSet();
  const secret = `Secret ${newId(8)}`;
  const types = [{ id: set.types[0]?.id, name: secret }, { name: 'Follow-up' }];
  await good(ann.put(`/api/outcome-models/${set.id}`, { ...greeting, types, rev: set.rev }));
  const ben = await house.person('Ben');
  const copy = (await importFor(zipped, ben.email, house))?.made[0] ?? '';
  const [own] = await setsAt(ben, copy);
  expect(own.id).not.toBe(set.id);
  expect(own.types.map((one: { name: string }) => one.name)).toEqual(['Greeting', 'Follow-up']);
  const { outcomes, outcomesSchema } = await outcomesAt(ben, copy);
  expect(outcomes).toMatchObject([
    { type: own.types[0].id, grade: 3, children: [{ type: own.types[0].children[1].id }] },
  ]);
  expect(JSON.stringify(outcomesSchema)).toContain('Greeting');
  for (const path of ['', '/about', '/outcome-models'])
    expect((await ben.get(`/api/meetings/${copy}${path}`)).text, path).not.toContain(secret);
});
