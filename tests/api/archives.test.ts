// Archives (server/archive/): everything that their maker may read, and nothing else; made one at a time, for a week.
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sweepArchives } from '#server/archive/archives.ts';
import { differencesIn, readManifest } from '#server/archive/check.ts';
import type { ZipReader } from '#server/archive/read-zip.ts';
import { sweepLeftovers } from '#server/meetings/leftovers.ts';
import { annotationsContent, recordingContent } from '#shared/archive-content.ts';
import { archiveDays, type ArchiveView } from '#shared/archives.ts';
import { newId } from '#shared/ids.ts';
import { roles } from '#shared/roles.ts';
import { archived, ended, inArchive } from '#tests/support/archives.ts';
import { sendFile } from '#tests/support/files.ts';
import { makeSaid } from '#tests/support/finding.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { makeLayers } from '#tests/support/layers.ts';
import { makeMeeting, share } from '#tests/support/meetings.ts';
import { makeSet } from '#tests/support/outcome-models.ts';
import type { Answer, Person } from '#tests/support/people.ts';
import { makeRecording } from '#tests/support/recording.ts';
import { askFor, seenBy, setStatus } from '#tests/support/reviews.ts';
import { sendVoice, spoken } from '#tests/support/voice.ts';

let house: TestHouse;
let free: number | null = null;
/** An archive is not read before. */
let mayWrite = Promise.resolve();
beforeAll(async () => {
  house = await openHouse();
  const { store } = house.house;
  store.free = () => Promise.resolve(free);
  const put = store.put.bind(store);
  store.put = async (...given) => {
    await mayWrite;
    return put(...given);
  };
});
afterAll(() => house.close());

const good = async (asked: Promise<Answer>): Promise<any> => {
  const { status, body, text } = await asked;
  expect(status, text).toBeLessThan(300);
  return body;
};
const at = { start: 10, end: 14 };
const say = async (by: Person, id: string, fields: object = {}) =>
  (await good(by.post(`/api/meetings/${id}/comments`, { ...at, text: 'Is this so?', ...fields }))).comment;
const secret = () => `secret${newId(8)}`;

async function download(person: Person, { id, bytes }: ArchiveView): Promise<Uint8Array> {
  const answer = await person.get(`/api/archives/${id}`);
  expect([answer.status, answer.bytes.length]).toEqual([200, bytes]);
  return answer.bytes;
}
/** All files of an archive, unpacked and as one text of Latin letters. */
async function everything(zip: ZipReader): Promise<string> {
  let text = '';
  for (const [name, { bytes }] of zip.entries) {
    const content = await zip.readWhole(name, bytes);
    text += content.toString('latin1') + content.toString('utf8');
    if (name.endsWith('.jsonl'))
      for (const line of content.toString().split('\n').filter(Boolean))
        text += Buffer.from((JSON.parse(line) as { bytes: string }).bytes, 'base64').toString('latin1');
  }
  return text;
}
const jsonIn = async (zip: ZipReader, name: string): Promise<unknown> =>
  JSON.parse((await zip.readWhole(name, 1e8)).toString());

test('an archive has all of a recording, with the sums of its files', async () => {
  const [ann, ben] = [await house.person('Ann'), await house.person('Ben')];
  const id = await makeRecording(house, ann);
  await share(house, id, ben, roles.canEdit);
  const root = await say(ben, id, { url: await sendVoice(ben, id) });
  await say(ann, id, { parent: root.id, text: 'It is.' });
  await say(ann, id, { text: 'Only for me', private: true });
  await good(ann.post(`/api/meetings/${id}/outcomes`, { outcome: { ...at, type: 'decisions', text: 'We go.' } }));
  await sendFile(ann, id, { name: 'plan.txt' });
  const view = await archived(ann, { all: true });
  expect(view).toMatchObject({ state: 'ready', recordings: 1, done: 1, missing: 0, failure: null });
  expect(Date.parse(view.until ?? '') - house.clock.now().getTime()).toBeGreaterThan((archiveDays - 1) * 86_400_000);
  const original = await good(ann.get(`/api/meetings/${id}`));

  await inArchive(await download(ann, view), async (zip) => {
    const manifest = await readManifest(zip);
    expect(await differencesIn(zip, manifest)).toEqual([]);
    expect(manifest).toMatchObject({ by: { id: ann.id, email: ann.email }, missing: [] });
    expect(manifest.recordings).toEqual([{ id, title: original.doc.title }]);
    const folder = `recordings/${id}`;
    const about = recordingContent.parse(await jsonIn(zip, `${folder}/recording.json`));
    expect(about.people).toEqual(
      expect.arrayContaining([
        { id: ann.id, name: 'Ann Test', email: ann.email },
        { id: ben.id, name: 'Ben Test', email: ben.email },
      ]),
    );
    expect(about.sharing).toMatchObject([{ principal: { id: ben.id }, permissions: roles.canEdit }]);
    expect(about.history?.seq).toBeGreaterThan(0);
    const { comments, outcomes } = annotationsContent.parse(await jsonIn(zip, `${folder}/annotations.json`));
    expect(comments.map(({ private: mine, parent }) => [mine, parent !== null])).toEqual(
      expect.arrayContaining([
        [false, false],
        [false, true],
        [true, false],
      ]),
    );
    expect(outcomes).toMatchObject([{ type: 'decisions', text: 'We go.' }]);
    const words = await jsonIn(zip, `${folder}/transcript.json`);
    expect(words).toMatchObject({ title: original.doc.title });
    // Media and attachments are what the pages get.
    for (const medium of original.doc.media ?? original.media ?? []) {
      const { path } = about.media.find((one) => one.id === medium.id) ?? { path: null };
      const found = createHash('sha256')
        .update(await zip.readWhole(`${folder}/${path}`, 1e8))
        .digest('hex');
      expect(found).toBe(
        createHash('sha256')
          .update((await ann.get(medium.src)).bytes)
          .digest('hex'),
      );
    }
    expect(about.media.length).toBeGreaterThan(0);
    expect(about.attachments.map(({ name }) => name).toSorted()).toEqual(['', 'plan.txt']);
    expect((await zip.readWhole(`${folder}/transcript.docx`, 1e7)).toString('latin1', 0, 2)).toBe('PK');
  });
});

test('nothing is in an archive that its maker may not read', async () => {
  const [ann, ben, cara] = [await house.person('Ann'), await house.person('Ben'), await house.person('Cara')];
  const id = await makeSaid(house, ann, ['one pear and two plums']);
  await share(house, id, ben, roles.canRead);
  const hidden = {
    privateComment: secret(),
    privateNote: secret(),
    fileOnPrivate: secret(),
    deletedWords: secret(),
    otherLayer: secret(),
    otherVoice: secret(),
  };
  const alone = await say(ann, id, { text: hidden.privateComment, private: true });
  await sendFile(ann, id, { name: `${hidden.fileOnPrivate}.txt`, comment: alone.id });
  const note = { type: 'doc', content: [{ type: 'paragraph', content: [{ type: 'text', text: hidden.privateNote }] }] };
  await good(ann.put(`/api/meetings/${id}/notes`, { text: JSON.stringify(note) }));
  const said = 'one pear and two plums';
  const other = `${hidden.deletedWords} pear and two plums`;
  const { version } = await good(ann.get(`/api/meetings/${id}`));
  const edited = await good(ann.post(`/api/meetings/${id}/edit`, { pos: 0, old: said, new: other, version }));
  await good(ann.post(`/api/meetings/${id}/edit`, { pos: 0, old: other, new: said, version: edited.version }));
  const [bens = '', caras = ''] = await makeLayers(house, id, ann, [
    { held: [[ben, ['read', 'comment']]] },
    { held: [[cara, ['read', 'comment']]] },
  ]);
  const openly = { ofMeeting: secret(), ofLayer: secret(), voiceOfLayer: secret() };
  await say(ann, id, { text: openly.ofMeeting });
  await say(ben, bens, { text: openly.ofLayer });
  await say(cara, caras, { text: hidden.otherLayer });
  await say(ben, bens, { url: await sendVoice(ben, bens, spoken(1, openly.voiceOfLayer)) });
  await say(cara, caras, { url: await sendVoice(cara, caras, spoken(1, hidden.otherVoice)) });

  const view = await archived(ben, { all: true });
  await inArchive(await download(ben, view), async (zip) => {
    const text = await everything(zip);
    for (const [name, value] of Object.entries(openly)) expect(text, name).toContain(value);
    for (const [name, value] of Object.entries(hidden)) expect(text, name).not.toContain(value);
    // Nor what readers are not told: addresses, the sharing, the history.
    expect(text).not.toContain(ann.email);
    expect([...zip.entries.keys()].filter((name) => name.endsWith('history.jsonl'))).toEqual([]);
    expect(recordingContent.parse(await jsonIn(zip, `recordings/${id}/recording.json`))).toMatchObject({
      sharing: null,
      history: null,
      generation: 1,
      attachments: [{ layer: bens, kind: 'comment' }],
    });
  });
  // The author has what was deleted, in the history.
  await inArchive(await download(ann, await archived(ann, { ids: [id] })), async (zip) => {
    const text = await everything(zip);
    for (const name of ['privateComment', 'privateNote', 'fileOnPrivate', 'deletedWords'] as const)
      expect(text, name).toContain(hidden[name]);
    for (const name of ['otherLayer', 'otherVoice'] as const) expect(text, name).not.toContain(hidden[name]);
    expect(text).not.toContain(openly.voiceOfLayer);
    expect(text).toContain(openly.ofMeeting);
  });
  // By a review alone it is no recording of an archive, by any way.
  expect((await cara.post('/api/archives', { ids: [id] })).problem.code).toBe('NO_ACCESS');
  expect((await cara.post('/api/archives', { ids: [caras] })).problem.code).toBe('NO_ACCESS');
  expect((await cara.post('/api/archives', { all: true })).problem.code).toBe('INVALID');
});

test('an archive has no history while a review is blind that its maker is not told the authors in', async () => {
  const [ann, ben, sara] = [await house.person('Ann'), await house.person('Ben'), await house.person('Sara')];
  const id = await makeSaid(house, ann, ['one pear and two plums']);
  await share(house, id, sara, roles.canEditShare);
  const review = await askFor(ann, id, {
    roles: [
      [ben, 'required'],
      [sara, 'supervisor'],
    ],
  });
  const { cloneId } = await seenBy(ben, review);
  const { version, doc } = await good(ben.get(`/api/meetings/${cloneId}`));
  const [{ id: pos, text: old }] = doc.transcript.segments;
  await good(ben.post(`/api/meetings/${cloneId}/edit`, { pos, old, new: `${old} indeed`, version }));
  const history = async (maker: Person) => {
    let found: { files: string[]; isNamed: boolean } | undefined;
    await inArchive(await download(maker, await archived(maker, { ids: [id] })), async (zip) => {
      const files = [...zip.entries.keys()].filter((name) => name.endsWith('history.jsonl'));
      found = { files, isNamed: (await everything(zip)).includes(ben.id) };
      const about = recordingContent.parse(await jsonIn(zip, `recordings/${id}/recording.json`));
      expect(about.history === null).toBe(files.length === 0);
    });
    return found;
  };
  expect(await history(ann)).toEqual({ files: [], isNamed: false });
  // The supervisor of the review is told.
  expect(await history(sara)).toEqual({ files: [`recordings/${id}/history.jsonl`], isNamed: true });
  for (const one of [ben, sara]) await setStatus(one, review, 'complete');
  expect(await history(ann)).toEqual({ files: [`recordings/${id}/history.jsonl`], isNamed: true });
});

test('sets of outcome types are in the archives of those who read outcomes of them', async () => {
  const [ann, ben, cara] = [await house.person('Ann'), await house.person('Ben'), await house.person('Cara')];
  const [named, asked] = [secret(), secret()];
  const own = await makeSet(ann, { types: [{ name: named }] });
  const ofReview = await makeSet(ann, { types: [{ name: asked }] });
  const id = await makeMeeting(house, ann);
  for (const one of [ben, cara]) await share(house, id, one, roles.canComment);
  await good(ann.post(`/api/meetings/${id}/outcome-models`, { id: own.id }));
  const roleOf = [[ben, 'required']] as const;
  await seenBy(ben, await askFor(ann, id, { policy: 'strict', roles: roleOf, outcomeModel: ofReview.id }));

  await inArchive(await download(ben, await archived(ben, { ids: [id] })), async (zip) => {
    const { sets, layers } = annotationsContent.parse(await jsonIn(zip, `recordings/${id}/annotations.json`));
    expect(sets).toEqual([{ id: own.id, name: own.name, language: own.language, types: own.types }]);
    expect(layers.map((layer) => layer.sets.map((set) => set.id))).toContainEqual([ofReview.id]);
  });
  await inArchive(await download(cara, await archived(cara, { ids: [id] })), async (zip) => {
    const text = await everything(zip);
    expect([text.includes(named), text.includes(asked)]).toEqual([true, false]);
  });
});

test('a folder is archived with all below it', async () => {
  const ann = await house.person('Ann');
  for (const path of ['/Work', '/Work/May', '/Home']) await good(ann.post('/api/folders', { path }));
  const ids: string[] = [];
  for (const path of ['/Work', '/Work/May', '/Home']) {
    const id = await makeMeeting(house, ann);
    await good(ann.put(`/api/meetings/${id}/move`, { path }));
    ids.push(id);
  }
  const view = await archived(ann, { folder: '/Work' });
  expect(view).toMatchObject({ folder: 'Work', recordings: 2 });
  await inArchive(await download(ann, view), async (zip) => {
    const { recordings } = await readManifest(zip);
    expect(recordings.map(({ id }) => id).toSorted()).toEqual(ids.slice(0, 2).toSorted());
  });
});

test('a folder that somebody shares is archived by its id, by those who may read it', async () => {
  const [ann, ben] = [await house.person('Ann'), await house.person('Ben')];
  const { id: sid } = await good(ann.post('/api/folders', { path: '/Team' }));
  await good(ann.put(`/api/meetings/${await makeMeeting(house, ann)}/move`, { path: '/Team' }));
  const ask = () => ben.post('/api/archives', { folder: '/', sid });
  expect((await ask()).problem.code).toBe('NO_ACCESS');
  const entries = [{ principal: { kind: 'pending', email: ben.email }, permissions: ['read'] }];
  await good(ann.post('/api/folders/share', { path: '/Team', entries, version: 0 }));
  expect(await archived(ben, { folder: '/', sid })).toMatchObject({ folder: 'Team', recordings: 1 });
});

test('a permission that ended while it waits leaves a recording out', async () => {
  const [ann, ben] = [await house.person('Ann'), await house.person('Ben')];
  const [one, other] = [await makeMeeting(house, ann), await makeMeeting(house, ben)];
  await share(house, one, ben, roles.canRead);
  let write = () => {};
  mayWrite = new Promise((resolve) => (write = resolve));
  const { id } = await good(ben.post('/api/archives', { ids: [one, other] }));
  expect((await ben.post('/api/archives', { ids: [other] })).problem).toMatchObject({ status: 409, code: 'CONFLICT' });
  await house.database.sql`delete from meeting_access where meeting_id = ${one}`;
  write();
  const view = await ended(ben, id);
  expect(view).toMatchObject({ state: 'ready', recordings: 2, done: 2, missing: 1 });
  await inArchive(await download(ben, view), async (zip) => {
    const { missing, recordings } = await readManifest(zip);
    expect(missing).toEqual([{ id: one, why: 'no_access' }]);
    expect(recordings.map((each) => each.id)).toEqual([other]);
  });
});

test('it is refused where the disk has no room, and its file goes with it', async () => {
  const ann = await house.person('Ann');
  const id = await makeRecording(house, ann);
  free = 1000;
  const refused = await ann.post('/api/archives', { ids: [id] });
  expect(refused.problem).toMatchObject({ status: 507, code: 'UNSAVED', info: { reason: 'SPACE' } });
  free = null;
  const keyOf = async (archive: string) =>
    (await house.database.sql<{ key: string }[]>`select store_key as key from archives where id = ${archive}`)[0]
      ?.key ?? '';
  const [first, second] = [await archived(ann, { ids: [id] }), await archived(ann, { ids: [id] })];
  const [one, other] = [await keyOf(first.id), await keyOf(second.id)];
  await good(ann.delete(`/api/archives/${first.id}`));
  await sweepLeftovers(house.house);
  expect([await house.house.store.size(one), await house.house.store.size(other)]).toEqual([null, second.bytes]);
  house.clock.forward(archiveDays * 86_400 + 1);
  await ann.login();
  expect((await ann.get('/api/archives')).body).toEqual({ archives: [] });
  expect((await ann.get(`/api/archives/${second.id}`)).problem.code).toBe('NO_ACCESS');
  await sweepArchives(house.house);
  await sweepLeftovers(house.house);
  expect(await house.house.store.size(other)).toBeNull();
});
