// Voice notes and voice comments: who may hear them, how long they are stored, and when they are deleted.
import { randomInt } from 'node:crypto';
import { mkdir, readdir, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { eq } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { attachments } from '#db/schema/attachments.ts';
import { storeLeftovers } from '#db/schema/media.ts';
import { sweepAttachments } from '#server/attachments/attachments.ts';
import { findPrograms } from '#server/media/ffmpeg.ts';
import { sweepLeftovers } from '#server/meetings/leftovers.ts';
import { attachmentPath, longestVoiceMs, mostAttachments, mostOwnAttachments } from '#shared/attachments.ts';
import { newId } from '#shared/ids.ts';
import { readAnnotations, writeAnnotation, type Comment, type Outcome } from '#shared/meetings/annotations.ts';
import type { MeetingView } from '#shared/meetings/meeting.ts';
import { roles } from '#shared/roles.ts';
import { closeEditors, Editor, until } from '#tests/support/editors.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { fileForm, sendFile } from '#tests/support/files.ts';
import { multipart, tone } from '#tests/support/intake.ts';
import { makeLayers } from '#tests/support/layers.ts';
import { share, ticketFor } from '#tests/support/meetings.ts';
import type { Answer, Person } from '#tests/support/people.ts';
import { makeRecording } from '#tests/support/recording.ts';
import { askFor, seenBy } from '#tests/support/reviews.ts';
import { sendVoice, spoken, webm } from '#tests/support/voice.ts';

const path = process.env['PATH'] ?? '';
const without = (await findPrograms(path)) ? null : 'no ffmpeg and ffprobe on this machine';

/** Without ffmpeg; and with it, where there is one. */
let house: TestHouse;
let equipped: TestHouse;
beforeAll(async () => {
  house = await openHouse({ env: { PATH: '' } });
  equipped = await openHouse({ env: { PATH: path } });
});
afterEach(closeEditors);
afterAll(async () => {
  await house?.close();
  await equipped?.close();
});

const good = async (asked: Promise<Answer>): Promise<any> => {
  const { status, body, text } = await asked;
  expect(status, text).toBeLessThan(300);
  return body;
};
const at = { start: 10, end: 14 };

/** Ann's recording, which Ben may comment on, Cleo may read, and a stranger with the link, too. */
async function scene() {
  const [ann, ben, cleo] = [await house.person('Ann'), await house.person('Ben'), await house.person('Cleo')];
  const stranger = house.stranger();
  const id = await makeRecording(house, ann);
  await share(house, id, ben, roles.canComment);
  await share(house, id, cleo, ['read']);
  await share(house, id, 'anonymous', ['read']);
  const say = async (by: Person, fields: object = {}): Promise<Comment> =>
    (await good(by.post(`/api/meetings/${id}/comments`, { ...at, ...fields }))).comment;
  const note = async (by: Person, fields: object = {}): Promise<Outcome> =>
    (await good(by.post(`/api/meetings/${id}/outcomes`, { outcome: { ...at, type: 'vNotes', ...fields } }))).outcome;
  const all = { ann, ben, cleo, stranger };
  /** People who may hear it, by name. */
  const heard = async (url: string | null): Promise<string> => {
    const found: string[] = [];
    for (const [name, person] of Object.entries(all)) {
      const { status, problem } = await person.get(url ?? '');
      if (status === 200) found.push(name);
      else expect([status, problem.code]).toEqual([404, 'NOT_FOUND']);
    }
    return found.join(' ');
  };
  return { id, ...all, say, note, heard };
}
const meetingOf = async (person: Person, id: string) =>
  (await good(person.get(`/api/meetings/${id}`))) as MeetingView & {
    doc: { comments: Comment[]; outcomes: Outcome[] };
  };
const rowOf = async (url: string) =>
  (
    await house.database.orm
      .select()
      .from(attachments)
      .where(eq(attachments.id, url.split('/').at(-1) ?? ''))
  )[0];
const everyone = 'ann ben cleo stranger';

describe('a voice note is heard by', () => {
  test('its author before an annotation carries it; then everybody who may read that; after its deletion, nobody', async () => {
    const { id, ann, ben, say, heard } = await scene();
    const url = await sendVoice(ben, id);
    expect(await heard(url)).toBe('ben');
    const comment = await say(ben, { url });
    expect(comment).toMatchObject({ url, text: '', private: false });
    expect(await heard(url)).toBe(everyone);
    expect((await meetingOf(ann, id)).doc.comments.map((one) => one.url)).toEqual([url]);
    await good(ann.delete(`/api/meetings/${id}/comments/${comment.id}`));
    expect(await heard(url)).toBe('');
  });

  test('its author alone while it is private', async () => {
    const { id, ann, ben, cleo, say, note, heard } = await scene();
    const [first, second, third] = [await sendVoice(ben, id), await sendVoice(ben, id), await sendVoice(cleo, id)];
    const comment = await say(ben, { url: first, private: true });
    const outcome = await note(ben, { url: second, private: true });
    await note(cleo, { url: third, private: true });
    expect([await heard(first), await heard(second), await heard(third)]).toEqual(['ben', 'ben', 'cleo']);
    expect((await meetingOf(ben, id)).doc.outcomes.map(({ url }) => url)).toEqual([second]);
    expect((await meetingOf(ann, id)).doc.outcomes).toEqual([]);
    const shown = await good(ben.post(`/api/meetings/${id}/outcomes/${comment.id}/reveal/comment`));
    expect(shown.comment.url).toBe(first);
    await good(ben.post(`/api/meetings/${id}/outcomes/${outcome.id}/reveal/outcome`));
    expect([await heard(first), await heard(second)]).toEqual([everyone, everyone]);
    expect((await meetingOf(ann, id)).doc.outcomes.map(({ url, type }) => [url, type])).toEqual([[second, 'vNotes']]);
  });

  test('nobody after the comment with replies was emptied; its bytes are deleted with the next round', async () => {
    const { id, ann, ben, say, heard } = await scene();
    const url = await sendVoice(ben, id);
    const comment = await say(ben, { url });
    await say(ann, { text: 'I see', parent: comment.id });
    const key = (await rowOf(url))?.storeKey ?? '';
    expect(await house.house.store.size(key)).toBe(spoken().length);
    const left = await good(ben.delete(`/api/meetings/${id}/comments/${comment.id}`));
    expect(left.comment.url).toBeNull();
    expect(await heard(url)).toBe('');
    await sweepLeftovers(house.house);
    expect(await house.house.store.size(key)).toBeNull();
  });

  test('nobody whose permission has ended, from the next requested byte', async () => {
    const { id, ann, ben, cleo, stranger, say } = await scene();
    const url = await sendVoice(ann, id);
    await say(ann, { url });
    for (const one of [ben, cleo, stranger]) expect((await one.get(url)).status).toBe(200);
    const sharing = await good(ann.get(`/api/meetings/${id}/acl`));
    await good(ann.post(`/api/meetings/${id}/acl`, { entries: [], version: sharing.version }));
    const etag = (await ann.get(url)).headers.get('etag') ?? '';
    for (const one of [ben, cleo, stranger])
      for (const headers of [{}, { Range: 'bytes=0-1' }, { 'If-None-Match': etag }])
        expect((await one.get(url, { headers })).status).toBe(403);
    expect((await ann.get(url)).status).toBe(200);
  });

  test('nobody after the meeting was deleted; all of them again once it is restored', async () => {
    const { id, ann, say, heard } = await scene();
    const url = await sendVoice(ann, id);
    await say(ann, { url });
    await good(ann.delete(`/api/meetings/${id}`));
    expect((await ann.get(url)).status).toBe(403);
    await good(ann.post(`/api/meetings/${id}/restore`));
    expect(await heard(url)).toBe(everyone);
  });

  test("everybody still, after its author's account was deleted; private ones are deleted with the account", async () => {
    const { id, ben, say, note } = await scene();
    const [open, own, unused] = [await sendVoice(ben, id), await sendVoice(ben, id), await sendVoice(ben, id)];
    await say(ben, { url: open });
    await note(ben, { url: own, private: true });
    await house.database.sql`delete from users where id = ${ben.id}`;
    expect((await house.stranger().get(open)).status).toBe(200);
    expect((await house.stranger().get(own)).status).toBe(404);
    house.clock.forward(86_401);
    await sweepAttachments(house.house);
    house.clock.forward(-86_401);
    expect([await rowOf(own), await rowOf(unused)]).toEqual([undefined, undefined]);
    expect((await rowOf(open))?.userId).toBeNull();
  });
});

describe('an annotation carries', () => {
  const refused = async (asked: Promise<Answer>, field: string, code: string) => {
    const { status, problem, text } = await asked;
    expect(status, text).toBe(422);
    expect(problem.info.errors).toContainEqual({ field, code });
  };

  test('only what its author sent, for this meeting, and for no other item', async () => {
    const { id, ann, ben } = await scene();
    const elsewhere = await makeRecording(house, ben);
    const post = (url: unknown, more: object = {}) =>
      ben.post(`/api/meetings/${id}/comments`, { ...at, text: 'x', url, ...more });
    const own = await sendVoice(ben, id);
    for (const url of [
      await sendVoice(ann, id),
      await sendVoice(ben, elsewhere),
      attachmentPath(id, newId()),
      `https://elsewhere.example${own}`,
      `${own}?more`,
      `${own}/../../media/1`,
      `${own}#x`,
      'javascript:alert(1)',
    ])
      await refused(post(url), 'url', 'unknown');
    await refused(post('x'.repeat(201)), 'url', 'too_long');
    await refused(post(''), 'url', 'invalid');
    await refused(post(7), 'url', 'invalid');
    const itemId = newId();
    await good(post(own, { id: itemId }));
    await refused(post(own), 'url', 'unknown');
    await refused(post(own, { private: true }), 'url', 'unknown');
    await refused(
      ben.post(`/api/meetings/${id}/outcomes`, { outcome: { ...at, type: 'vNotes', url: own } }),
      'outcome.url',
      'unknown',
    );
  });

  test('a voice note in an outcome of that type only; no outcome becomes one later, or stops being one', async () => {
    const { id, ben, note } = await scene();
    const url = await sendVoice(ben, id, spoken(), 'vnote');
    const tag = (outcome: object) => ben.post(`/api/meetings/${id}/outcomes`, { outcome: { ...at, ...outcome } });
    await refused(tag({ type: 'notes', url }), 'outcome.url', 'invalid');
    await refused(tag({ type: 'vNotes' }), 'outcome.url', 'required');
    const outcome = await note(ben, { url, text: 'as I said' });
    const change = (itemId: string, fields: object) =>
      ben.post(`/api/meetings/${id}/outcomes/${itemId}/update`, { outcome: fields });
    await refused(change(outcome.id, { type: 'notes' }), 'outcome.type', 'read_only');
    expect((await good(change(outcome.id, { text: 'otherwise' }))).outcome).toMatchObject({ url, text: 'otherwise' });
    const { outcome: plain } = await good(tag({ type: 'notes' }));
    await refused(change(plain.id, { type: 'vNotes' }), 'outcome.type', 'read_only');
    // The recorded sound cannot be changed: there is no such field.
    expect((await change(outcome.id, { url: null })).status).toBe(422);
  });

  test('words, a voice note, or both', async () => {
    const { id, ben, say } = await scene();
    const url = await sendVoice(ben, id);
    expect(await say(ben, { url, text: 'and words' })).toMatchObject({
      url,
      text: expect.stringContaining('and words'),
    });
    await refused(ben.post(`/api/meetings/${id}/comments`, { ...at, text: ' ' }), 'text', 'required');
    await refused(ben.post(`/api/meetings/${id}/comments`, at), 'text', 'required');
  });

  test('words that can be removed, if it has a voice note and only then', async () => {
    const { id, ben, say } = await scene();
    const url = await sendVoice(ben, id);
    const spokenToo = await say(ben, { url, text: 'and words' });
    const written = await say(ben, { text: 'words alone' });
    const change = (itemId: string, text: string) =>
      ben.post(`/api/meetings/${id}/comments/${itemId}/update`, { text });
    const { comment } = await good(change(spokenToo.id, ''));
    expect(comment).toMatchObject({ url, text: '', editTimestamp: expect.any(String) });
    await refused(change(written.id, ' '), 'text', 'required');
    const { doc } = (await ben.get(`/api/meetings/${id}`)).body;
    const textOf = (wanted: string) => doc.comments.find((one: Comment) => one.id === wanted)?.text;
    expect(textOf(spokenToo.id)).toBe('');
    expect(textOf(written.id)).toContain('words alone');
  });

  test('the same one when its request is sent again; and after a refusal, another annotation may', async () => {
    const { id, ben, heard } = await scene();
    const url = await sendVoice(ben, id);
    const headers = { 'X-Request-ID': newId() };
    const ask = () => ben.post(`/api/meetings/${id}/comments`, { ...at, url }, { headers });
    const [first, second] = [await good(ask()), await good(ask())];
    expect(second).toEqual(first);
    const another = await sendVoice(ben, id);
    const taken = { ...at, url: another, id: first.comment.id };
    expect((await ben.post(`/api/meetings/${id}/comments`, taken)).status).toBe(409);
    expect((await good(ben.post(`/api/meetings/${id}/comments`, { ...at, url: another }))).comment.url).toBe(another);
    expect(await heard(another)).toBe(everyone);
  });
});

describe('a program that writes to its own private room', () => {
  test('gets no voice note of others, neither to hear nor to reveal nor to delete', async () => {
    const { id, ann, ben, cleo, say, heard } = await scene();
    const secret = await sendVoice(ann, id);
    const mine = await say(ann, { url: secret, private: true });
    const room = `${id}/notes`;
    const own = new Editor({ room, at: () => house.origin, ticket: await ticketFor(ben, room) });
    await until(() => own.provider.synced);
    const forged = { ...mine, author: { id: ben.id, kind: 'user' as const, name: 'Ben' }, text: 'x' };
    writeAnnotation(own.doc, 'comment', forged, 'private', 'forger');
    writeAnnotation(
      own.doc,
      'comment',
      { ...forged, id: 'other', url: 'https://elsewhere.example/x.mp3' },
      'private',
      'forger',
    );
    await until(async () => (await meetingOf(ben, id)).doc.comments.length === 2);
    expect(readAnnotations(own.doc, 'comment', 'private')).toHaveLength(2);
    expect(await heard(secret)).toBe('ann');
    for (const itemId of [mine.id, 'other']) {
      const { status, problem } = await ben.post(`/api/meetings/${id}/outcomes/${itemId}/reveal/comment`);
      expect([status, problem.info.errors]).toEqual([422, [{ field: 'url', code: 'unknown' }]]);
    }
    expect((await meetingOf(cleo, id)).doc.comments).toEqual([]);
    await good(ben.delete(`/api/meetings/${id}/comments/${mine.id}`));
    expect(await heard(secret)).toBe('ann');
  });
});

describe('a voice note without an annotation', () => {
  const later = async (seconds: number) => {
    house.clock.forward(seconds);
    await sweepAttachments(house.house);
    await sweepLeftovers(house.house);
    house.clock.forward(-seconds);
  };

  test('is stored for a day, and then neither its row nor its bytes', async () => {
    const { id, ben, say } = await scene();
    const [used, unused] = [await sendVoice(ben, id), await sendVoice(ben, id)];
    await say(ben, { url: used });
    const key = (await rowOf(unused))?.storeKey ?? '';
    await later(86_000);
    expect(await house.house.store.size(key)).toBe(spoken().length);
    await later(86_401);
    expect(await rowOf(unused)).toBeUndefined();
    expect(await house.house.store.size(key)).toBeNull();
    expect((await ben.get(used)).status).toBe(200);
  });

  test('is deleted with the folder of a process that was killed over it, but not that of one at work', async () => {
    const work = join(house.house.config.dataDir, 'work');
    const [old, fresh] = [join(work, `voice-${newId()}`), join(work, `voice-${newId()}`)];
    await mkdir(old, { recursive: true });
    await mkdir(fresh, { recursive: true });
    await utimes(old, 0, 0);
    await sweepAttachments(house.house);
    expect((await readdir(work)).map((name) => join(work, name))).toEqual([fresh]);
    await rm(fresh, { recursive: true });
  });

  test('is deleted also if the annotation was removed past the server, or was never made', async () => {
    const { id, ben, say } = await scene();
    const [dropped, refused, kept] = [await sendVoice(ben, id), await sendVoice(ben, id), await sendVoice(ben, id)];
    const own = await say(ben, { url: dropped, private: true });
    await say(ben, { url: kept, private: true });
    const taken = { ...at, text: 'x', url: refused, id: own.id };
    expect((await ben.post(`/api/meetings/${id}/comments`, { ...taken, private: true })).status).toBe(409);
    const room = `${id}/notes`;
    const editor = new Editor({ room, at: () => house.origin, ticket: await ticketFor(ben, room) });
    await until(() => editor.provider.synced);
    editor.doc.getMap('private').delete(`comment:${own.id}`);
    await until(async () => (await meetingOf(ben, id)).doc.comments.length === 1);
    expect((await ben.get(dropped)).status).toBe(404);
    await later(86_401);
    expect([await rowOf(dropped), await rowOf(refused)]).toEqual([undefined, undefined]);
    expect((await ben.get(kept)).status).toBe(200);
  });
});

describe('sent again because its answer got lost,', () => {
  const rows = async (id: string) =>
    (await house.database.orm.select().from(attachments).where(eq(attachments.meetingId, id))).length;

  test('it is stored once, one after the other and both at once; under another request id it is another', async () => {
    const { id, ben, cleo } = await scene();
    const requestId = newId();
    const send = async (by: Person, name: string): Promise<string> => {
      const form = multipart({ file: { fileName: 'a.mp3', content: spoken() }, type: 'vcomment' });
      const headers = { ...form.headers, 'X-Request-ID': name };
      return (await good(by.call('POST', `/api/meetings/${id}/attachment`, undefined, { ...form, headers }))).url;
    };
    const first = await send(ben, requestId);
    expect(await send(ben, requestId)).toBe(first);
    const another = newId();
    const both = await Promise.all([send(ben, another), send(ben, another)]);
    expect(both[0]).toBe(both[1]);
    expect(both[0]).not.toBe(first);
    expect(await rows(id)).toBe(2);
    // The owner counts, too, not just the request id.
    expect(await send(cleo, requestId)).not.toBe(first);
    // Deletes the bytes of the slower of the two requests, and nothing else.
    await sweepLeftovers(house.house);
    expect(await house.database.sql`select key from store_leftovers`).toEqual([]);
    for (const url of [first, ...both]) expect((await ben.get(url)).status).toBe(200);
  });

  test('it is stored also when the answer was lost within the server', async () => {
    const { id, ben, note } = await scene();
    const { orm } = house.house.db;
    const { transaction } = orm;
    let lost = 0;
    orm.transaction = (async (...given: Parameters<typeof transaction>) => {
      const result = await transaction.apply(orm, given);
      if ((await rows(id)) === 0) return result;
      lost += 1;
      throw new Error('the connection broke');
    }) as typeof transaction;
    let url = '';
    try {
      url = await sendVoice(ben, id);
    } finally {
      orm.transaction = transaction;
    }
    expect([lost, await rows(id)]).toEqual([1, 1]);
    await note(ben, { url });
    expect((await ben.get(url)).status).toBe(200);
    await sweepLeftovers(house.house);
    expect((await ben.get(url)).status).toBe(200);
  });

  test('it is kept while the server deletes other leftovers', async () => {
    const { id, ben } = await scene();
    const { store, db } = house.house;
    const { put, remove } = store;
    // These keys sort before it, so they are deleted first.
    const others = [1, 2, 3].map((nth) => String(nth).padStart(22, '0'));
    await db.orm.insert(storeLeftovers).values(others.map((key) => ({ key })));
    let [written, goOn, clearing, clear] = [false, () => {}, false, () => {}];
    const mayGoOn = new Promise<void>((resolve) => (goOn = resolve));
    const mayClear = new Promise<void>((resolve) => (clear = resolve));
    store.put = async (...given) => {
      const done = await put.apply(store, given);
      written = true;
      await mayGoOn;
      return done;
    };
    store.remove = async (key) => {
      clearing = true;
      await mayClear;
      return remove.call(store, key);
    };
    try {
      const sent = sendVoice(ben, id);
      await until(() => written);
      const swept = sweepLeftovers(house.house);
      await until(() => clearing);
      goOn();
      const url = await sent;
      clear();
      await swept;
      expect((await ben.get(url)).status).toBe(200);
      expect(await house.database.sql`select key from store_leftovers`).toEqual([]);
    } finally {
      Object.assign(store, { put, remove });
    }
  });

  test('a file whose server died before storing its row is deleted', async () => {
    const { id, ben } = await scene();
    const { store } = house.house;
    const { put } = store;
    const keys: string[] = [];
    store.put = async (key, ...rest) => {
      await put.call(store, key, ...rest);
      keys.push(key);
      // Nothing of what would come now is done.
      return new Promise<never>(() => {});
    };
    try {
      void sendVoice(ben, id).catch(() => {});
      await until(() => keys.length === 1);
    } finally {
      store.put = put;
    }
    const [key = ''] = keys;
    expect(await store.size(key)).not.toBeNull();
    await sweepLeftovers(house.house);
    expect(await store.size(key)).toBeNull();
    expect(await rows(id)).toBe(0);
  });
});

const fill = (person: Person, count: number, place: { meetingId: string; layerId: string | null }) =>
  house.database.orm.insert(attachments).values(
    Array.from({ length: count }, () => ({
      ...place,
      id: newId(),
      userId: person.id,
      type: 'audio/mpeg',
      bytes: 1,
      storeKey: newId(),
      createdAt: house.clock.now(),
      lookedAt: house.clock.now(),
    })),
  );

test('a meeting, and a person in it, has room for a limited number', async () => {
  const { id, ann, ben, cleo } = await scene();
  const form = multipart({ file: { fileName: 'a.mp3', content: spoken() } });
  const send = async (person: Person) => {
    const { status, problem } = await person.post(`/api/meetings/${id}/attachment`, undefined, form);
    return status === 200 ? 200 : [status, problem.info.errors];
  };
  const full = [422, [{ field: 'file', code: 'too_many' }]];
  await fill(ben, mostOwnAttachments - 1, { meetingId: id, layerId: null });
  const both = await Promise.all([send(ben), send(ben)]);
  expect(both).toHaveLength(2);
  expect(both).toContainEqual(200);
  expect(both).toContainEqual(full);
  expect(await send(cleo)).toBe(200);
  await fill(ann, mostAttachments - mostOwnAttachments - 1, { meetingId: id, layerId: null });
  expect(await send(cleo)).toEqual(full);
});

describe('in a layer', () => {
  /** Ann's recording; Ben and Cleo each annotate a layer of their own, and Ann reads Ben's. */
  async function inLayers() {
    const { id, ann, ben, cleo } = await scene();
    const [bens = '', cleos = '', words = ''] = await makeLayers(house, id, ann, [
      {
        held: [
          [ben, ['read', 'comment']],
          [ann, ['read']],
        ],
      },
      { held: [[cleo, ['read', 'comment']]] },
      { kind: 'words', held: [ann, ben, cleo].map((one) => [one, ['read', 'write']] as const) },
    ]);
    const say = async (by: Person, layer: string, fields: object): Promise<Comment> =>
      (await good(by.post(`/api/meetings/${layer}/comments`, { ...at, ...fields }))).comment;
    return { id, ann, ben, cleo, bens, cleos, words, say };
  }
  const codes = (people: readonly Person[], url: string) =>
    Promise.all(people.map(async (one) => (await one.get(url)).problem?.code ?? 'heard'));

  test('a voice note is heard by those who read it, once an annotation there carries it, by its own address alone', async () => {
    const { id, ann, ben, cleo, bens, cleos, words, say } = await inLayers();
    const url = await sendVoice(ben, bens);
    expect(url.startsWith(`/api/meetings/${bens}/`)).toBe(true);
    expect(await codes([ben, ann, cleo], url)).toEqual(['heard', 'NOT_FOUND', 'NO_ACCESS']);
    const comment = await say(ben, bens, { url });
    expect(await codes([ben, ann, cleo], url)).toEqual(['heard', 'heard', 'NO_ACCESS']);
    // By other ids it is what is not there.
    const attachmentId = url.split('/').at(-1) ?? '';
    for (const one of [id, words])
      expect(await codes([ben, ann, cleo], attachmentPath(one, attachmentId))).toEqual(Array(3).fill('NOT_FOUND'));
    expect(await codes([cleo], attachmentPath(cleos, attachmentId))).toEqual(['NOT_FOUND']);
    // Nothing else carries it.
    for (const [layer, address] of [
      [bens, attachmentPath(id, attachmentId)],
      [id, url],
      [id, attachmentPath(id, attachmentId)],
    ] as const)
      expect((await ben.post(`/api/meetings/${layer}/comments`, { ...at, url: address })).status).toBe(422);
    expect((await ben.post(`/api/meetings/${bens}/delete-attachment`, { url })).problem.code).toBe('CONFLICT');
    await good(ben.delete(`/api/meetings/${bens}/comments/${comment.id}`));
    expect(await codes([ben, ann, cleo], url)).toEqual(['NOT_FOUND', 'NOT_FOUND', 'NO_ACCESS']);
    expect(await rowOf(url)).toBeUndefined();
  });

  test('a private one is its author’s alone, also where others read the layer, until it is published there', async () => {
    const { ann, ben, bens, say } = await inLayers();
    const url = await sendVoice(ben, bens);
    const { id: comment } = await say(ben, bens, { url, private: true });
    expect(await codes([ben, ann], url)).toEqual(['heard', 'NOT_FOUND']);
    await good(ben.post(`/api/meetings/${bens}/outcomes/${comment}/reveal/comment`));
    expect(await codes([ben, ann], url)).toEqual(['heard', 'heard']);
  });

  test('files hang on comments of their sender, and are listed there alone; none lies beside it', async () => {
    const { id, ann, ben, cleo, bens, cleos, say } = await inLayers();
    const comment = await say(ben, bens, { text: 'See this' });
    // Somebody may choose the same id elsewhere.
    for (const [by, place] of [
      [cleo, cleos],
      [ann, id],
    ] as const)
      await say(by, place, { id: comment.id, text: 'Mine' });
    await sendFile(ben, bens, { name: 'Plan.txt', comment: comment.id });
    const listed = async (by: Person, place: string) =>
      (await good(by.get(`/api/meetings/${place}/attachments`))).files.map(({ name }: { name: string }) => name);
    expect([await listed(ben, bens), await listed(ann, bens)]).toEqual([['Plan.txt'], ['Plan.txt']]);
    expect([await listed(ann, id), await listed(ben, id), await listed(cleo, cleos)]).toEqual([[], [], []]);
    expect((await ben.post(`/api/meetings/${bens}/attachment`, undefined, fileForm({}))).problem.code).toBe('NO_PERM');
    const [{ url }] = (await good(ben.get(`/api/meetings/${bens}/attachments`))).files;
    expect((await ann.post(`/api/meetings/${bens}/delete-attachment`, { url })).status).toBe(404);
    await good(ben.post(`/api/meetings/${bens}/delete-attachment`, { url }));
    expect(await listed(ann, bens)).toEqual([]);
    await good(ben.post(`${url}/restore`));
    expect(await listed(ann, bens)).toEqual(['Plan.txt']);
  });

  test('in an anonymous review files tell no sender, and stay when their sender is removed', async () => {
    const { id, ann, ben, cleo } = await scene();
    const roles = [[ben, 'required'] as const, [cleo, 'required'] as const];
    const review = await askFor(ann, id, { policy: 'relaxed', anonymous: true, roles });
    const { cloneId, mine } = await seenBy(ben, review);
    const said = await good(ben.post(`/api/meetings/${cloneId}/comments`, { ...at, text: 'See this' }));
    await sendFile(ben, cloneId ?? '', { name: 'Plan.txt', comment: said.comment.id });
    const listed = async () => (await good(cleo.get(`/api/meetings/${cloneId}/attachments`))).files;
    expect(await listed()).toMatchObject([{ name: 'Plan.txt', by: null }]);
    const { rev } = await seenBy(ann, review);
    await good(ann.post(`/api/meetings/${id}/reviews/${review.id}`, { rev, remove: [mine?.id] }));
    expect((await ben.get(`/api/meetings/${cloneId}/attachments`)).status).toBe(403);
    await sweepAttachments(house.house);
    const [{ url }] = await listed();
    expect((await cleo.get(url)).status).toBe(200);
  });

  test('each person has a limit of their own, towards which nothing elsewhere counts', async () => {
    const { id, ann, ben, cleo, bens, cleos } = await inLayers();
    const send = async (person: Person, place: string) =>
      (
        await person.post(
          `/api/meetings/${place}/attachment`,
          undefined,
          multipart({ file: { fileName: 'a.mp3', content: spoken() } }),
        )
      ).status;
    await fill(ben, mostOwnAttachments - 1, { meetingId: id, layerId: bens });
    expect((await Promise.all([send(ben, bens), send(ben, bens)])).toSorted()).toEqual([200, 422]);
    // A full layer is told to nobody: not to its other readers, nor in the recording and other layers.
    await fill(cleo, mostOwnAttachments, { meetingId: id, layerId: bens });
    for (const [person, place] of [
      [ann, bens],
      [ben, id],
      [ann, id],
      [cleo, cleos],
    ] as const)
      expect(await send(person, place)).toBe(200);
    // And a full recording refuses nothing in a layer.
    await fill(ann, mostAttachments, { meetingId: id, layerId: null });
    expect([await send(ben, id), await send(cleo, cleos)]).toEqual([422, 200]);
  });

  test('it stays for its readers when the account of its author is deleted', async () => {
    const { ann, ben, bens, say } = await inLayers();
    const [carried, unused] = [await sendVoice(ben, bens), await sendVoice(ben, bens)];
    await say(ben, bens, { url: carried });
    await good(ben.post('/api/principals/me/delete', { password: ben.password, reason: 'taskCompleted' }));
    await sweepAttachments(house.house);
    expect(await codes([ann], carried)).toEqual(['heard']);
    expect([await rowOf(carried), await rowOf(unused)]).toEqual([expect.objectContaining({ userId: null }), undefined]);
  });
});

describe('accepted files', () => {
  const send = async (where: TestHouse, content: Buffer) => {
    const person = await where.person();
    const id = await makeRecording(where, person);
    const form = multipart({ file: { fileName: 'voice.mp3', content }, type: 'vnote' });
    const answer = await person.post(`/api/meetings/${id}/attachment`, undefined, form);
    return { answer, got: answer.status === 200 ? await person.get((answer.body as { url: string }).url) : null };
  };

  test('an mp3 is reduced to its frames, without anything around them', async () => {
    const tag = Buffer.concat([Buffer.from('ID3\x04\0\0\0\0\0\x14', 'latin1'), Buffer.from('<script>alert(1)</sc')]);
    const sound = spoken(randomInt(1, 5));
    const { got } = await send(house, Buffer.concat([tag, sound]));
    expect(Buffer.from(got?.bytes ?? []).equals(sound)).toBe(true);
  });

  test('without ffmpeg: sounds recorded by browsers, unchanged, and nothing that most browsers do not play', async () => {
    const recorded = webm();
    const { got } = await send(house, recorded);
    expect(got?.headers.get('content-type')).toBe('audio/webm');
    expect(Buffer.from(got?.bytes ?? []).equals(recorded)).toBe(true);
    for (const content of [
      tone(),
      webm({ type: 1 }),
      Buffer.concat([webm(), Buffer.from('<script>alert(1)</script>')]),
    ])
      expect((await send(house, content)).answer).toMatchObject({ status: 415, problem: { code: 'TYPE' } });
  });

  test.skipIf(without)(`with ffmpeg: an mp3 of any sound${without ? ` (${without})` : ''}`, async () => {
    const { got } = await send(equipped, tone(3));
    expect(got?.headers.get('content-type')).toBe('audio/mpeg');
    const [row] = await equipped.database.orm.select().from(attachments);
    expect(Math.abs((row?.durationMs ?? 0) - 3000)).toBeLessThan(200);
    expect(row?.bytes).toBe(got?.bytes.length);
    expect((await send(equipped, tone(longestVoiceMs / 1000 + 2))).answer).toMatchObject({
      status: 422,
      problem: { info: { errors: [{ field: 'file', code: 'too_long_voice' }] } },
    });
    const broken = Buffer.concat([tone().subarray(0, 44), Buffer.from('#EXTM3U\nhttp://127.0.0.1:1/x.mp3\n')]);
    broken.write('JUNK', 36, 'latin1');
    for (const content of [broken, Buffer.from('#EXTM3U\n#EXTINF:1,\nhttp://127.0.0.1:1/x.mp3\n')])
      expect((await send(equipped, content)).answer.status).toBe(415);
  });
});
