// The live document as programs read it: always the stored state, from any process, and made into JSON once.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import * as Y from 'yjs';
import { setAside } from '#db/updates.ts';
import type { Ctx } from '#server/context.ts';
import { accessById } from '#server/rooms/access.ts';
import { Documents } from '#server/rooms/documents.ts';
import { listMeetings } from '#server/library/list.ts';
import { issueTicket } from '#server/meetings/tickets.ts';
import { restoreMeeting } from '#server/library/trash.ts';
import type { Running } from '#server/start.ts';
import { unpackUpdates } from '#sync/protocol.ts';
import { writeAbout } from '#shared/meetings/about.ts';
import { readSegments, textOf } from '#shared/meetings/transcript.ts';
import { closeEditors, Editor, until } from '#tests/support/editors.ts';
import { openBeside, openHouse, type TestHouse } from '#tests/support/house.ts';
import { makeMeeting, share, ticketFor } from '#tests/support/meetings.ts';
import type { Person } from '#tests/support/people.ts';
import { makeRecording } from '#tests/support/recording.ts';

let house: TestHouse;
let other: Running;
beforeAll(async () => {
  house = await openHouse();
  other = await openBeside(house);
});
afterEach(closeEditors);
afterAll(async () => {
  await other?.stop();
  await house?.close();
});

const by = { userId: null, origin: 'test' };
const write = (id: string, text: string) =>
  house.house.rooms.change(id, 'transcript', by, (doc) => textOf(doc).insert(0, text));
const get = async (person: Person, id: string) => (await person.get(`/api/meetings/${id}`)).body;

describe('segments', () => {
  test('say who may not change them, and where somebody types, and are taken back as they were told', async () => {
    const [ann, ben] = [await house.person(), await house.person()];
    const id = await makeRecording(house, ann);
    await share(house, id, ben, ['read']);
    const flags = async (person: Person) =>
      ((await get(person, id)).doc.transcript.segments as { editing: boolean; isBlocked: boolean }[]).map(
        ({ editing, isBlocked }) => [editing, isBlocked],
      );
    expect(new Set((await flags(ann)).flat())).toEqual(new Set([false]));
    expect((await flags(ben)).every(([editing, isBlocked]) => !editing && isBlocked)).toBe(true);
    // A quote within a text is not taken for a field.
    await write(id, '"isBlocked":false,');
    expect((await get(ben, id)).doc.transcript.segments[0].text).toContain('"isBlocked":false,');

    const etag = (await ben.get(`/api/meetings/${id}`)).headers.get('etag') ?? '';
    const room = `${id}/transcript`;
    const editor = new Editor({ room, at: () => house.origin, ticket: await ticketFor(ann, room) });
    await until(() => editor.provider.synced);
    const third = readSegments(editor.doc)[2];
    const position = Y.createRelativePositionFromTypeIndex(textOf(editor.doc), (third?.start ?? 0) + 3);
    const head = Y.relativePositionToJSON(position);
    editor.provider.awareness.setLocalState({ typing: true, cursor: { anchor: head, head } });
    await until(async () => (await flags(ann)).some(([editing]) => editing));
    expect((await flags(ann)).findIndex(([editing]) => editing)).toBe(2);
    expect((await flags(ben)).filter(([editing]) => editing)).toHaveLength(1);
    expect((await ben.get(`/api/meetings/${id}`, { headers: { 'If-None-Match': etag } })).status).toBe(200);
    editor.provider.awareness.setLocalState({ typing: false, cursor: null });
    await until(async () => (await flags(ann)).every(([editing]) => !editing));

    const { doc, version } = await get(ann, id);
    const meeting = { 'transcript.segments': doc.transcript.segments };
    expect((await ann.call('PUT', `/api/meetings/${id}`, { meeting, version })).status).toBe(200);
  });
});

describe('the version', () => {
  test('rises with every stored change, and is the same at every process at once', async () => {
    const ann = await house.person();
    const there = ann.by(other.port);
    const id = await makeMeeting(house, ann);
    const versions: number[] = [];
    const expectBoth = async (text: string) => {
      const [here, far] = [await get(ann, id), await get(there, id)];
      expect(far).toEqual(here);
      const segments = here.doc.transcript.segments as { text: string }[];
      expect(segments.map((segment) => segment.text).join('')).toBe(text);
      versions.push(here.version as number);
    };
    await expectBoth('');
    await write(id, 'two ');
    await expectBoth('two ');
    await write(id, 'one ');
    await expectBoth('one two ');

    // A new generation counts from one again: the version does not.
    const doc = new Y.Doc();
    textOf(doc).insert(0, 'another');
    await house.house.rooms.renew(id, 'transcript', by, Y.encodeStateAsUpdate(doc));
    await expectBoth('another');
    await write(id, 'yet ');
    await expectBoth('yet another');

    // Setting rows aside removes something and appends nothing.
    const room = `${id}/transcript`;
    await setAside(house.database.sql, room, 2, [{ kind: 'row', seq: 2, why: 'test' }], new Date());
    await expectBoth('another');
    expect(versions).toEqual(versions.toSorted((a, b) => a - b));
    expect(new Set(versions).size).toBe(versions.length);
    expect(versions.slice(0, 3)).toEqual([0, 1, 2]);
  });

  test('is the version of the very text it comes with, while everybody types', async () => {
    const ann = await house.person();
    const id = await makeMeeting(house, ann);
    const readers = [ann, ann.by(other.port)];
    // Each row adds one letter.
    const writing = (async () => {
      for (let i = 0; i < 40; i += 1) await write(id, 'a');
    })();
    const seen: [version: number, letters: number][] = [];
    let over = false;
    const reading = readers.map(async (reader) => {
      while (!over) {
        const { version, doc } = await get(reader, id);
        seen.push([version, doc.transcript.segments[0]?.text.length ?? 0]);
      }
    });
    await writing;
    over = true;
    await Promise.all(reading);
    expect(seen.length).toBeGreaterThan(3);
    expect(seen.filter(([version, letters]) => version !== letters)).toEqual([]);
  });
});

describe('a text', () => {
  test('is made into JSON once for each state, for any number of requests', async () => {
    const ann = await house.person();
    const id = await makeRecording(house, ann);
    const { documents } = house.house;
    const before = documents.made;
    const answers = await Promise.all(Array.from({ length: 8 }, () => ann.get(`/api/meetings/${id}`)));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(documents.made - before).toBe(1);
    await write(id, 'Well. ');
    await get(ann, id);
    await get(ann, id);
    expect(documents.made - before).toBe(2);
    const [{ headers }] = [await ann.get(`/api/meetings/${id}`)];
    await write(id, 'Well. ');
    // A client with an older state makes the server render the new one; a client with the current state does not.
    const etag = headers.get('etag') ?? '';
    const now = await ann.get(`/api/meetings/${id}`, { headers: { 'If-None-Match': etag } });
    expect([now.status, documents.made - before]).toEqual([200, 3]);
  });

  test('is cached only while there is room for it, the one requested last the longest', async () => {
    const ann = await house.person();
    const ids = await Promise.all([1, 2, 3].map(() => makeRecording(house, ann)));
    const [first = '', second = '', third = ''] = ids;
    const size = ((await house.house.documents.plain(first)) as { fields: Buffer }).fields.byteLength;
    const documents = new Documents(house.house.rooms, house.database.ask, house.house.wholes, size * 2.5);
    const asked = async (id: string) => {
      const before = documents.made;
      await documents.plain(id);
      return documents.made > before ? 'made' : 'kept';
    };
    expect(await asked(first)).toBe('made');
    expect(await asked(second)).toBe('made');
    expect(await asked(first)).toBe('kept');
    // The second makes room for the third.
    expect(await asked(third)).toBe('made');
    expect(await asked(first)).toBe('kept');
    expect(await asked(second)).toBe('made');
  });

  test('says no more than the caller may know, though it is the same one', async () => {
    const [ann, ben] = await house.people(2);
    const id = await makeRecording(house, ann as Person);
    await share(house, id, ben as Person, ['read']);
    const [mine, theirs] = [await get(ann as Person, id), await get(ben as Person, id)];
    // A reader may not change any segment.
    const readable = mine.doc.transcript.segments.map((segment: object) => ({ ...segment, isBlocked: true }));
    expect(theirs.doc.transcript).toEqual({ ...mine.doc.transcript, segments: readable });
    expect(mine.doc.acl.entries).toHaveLength(1);
    expect(theirs.doc.acl).toBeNull();
    const mark = async (person: Person) => (await person.get(`/api/meetings/${id}`)).headers.get('etag');
    expect(await mark(ann as Person)).not.toBe(await mark(ben as Person));
  });
});

describe('a person who has the document open', () => {
  const open = async (person: Person, id: string) => {
    const ticket = await ticketFor(person, `${id}/transcript`);
    const editor = new Editor({ room: `${id}/transcript`, at: () => house.origin, ticket });
    await until(() => editor.provider.synced);
    return editor;
  };

  test('sees a new title at once, and is sent away when the meeting is deleted (A1)', async () => {
    const ann = await house.person();
    const id = await makeRecording(house, ann);
    const editor = await open(ann, id);
    await ann.post(`/api/meetings/${id}/rename`, { title: 'Interview 4' });
    await until(() => editor.doc.getMap('about').get('title') === 'Interview 4');
    await ann.delete(`/api/meetings/${id}`);
    await until(() => editor.closes.includes(4403));
    expect((await ann.get(`/api/meetings/${id}`)).status).toBe(403);
    await ann.post(`/api/meetings/${id}/restore`);
    expect((await get(ann, id)).doc.title).toBe('Interview 4');
  });

  test('cannot use the client id of the import (G3)', async () => {
    const ann = await house.person();
    const id = await makeRecording(house, ann);
    const clients = await house.house.rooms.read(id, 'transcript', by, (doc) => [...doc.store.clients.keys()]);
    expect(clients).toHaveLength(1);
    const honest = await open(ann, id);
    honest.doc.clientID = 4711;
    honest.text.insert(0, 'mine ');
    await until(() => honest.provider.pending === 0);
    const forger = await open(ann, id);
    forger.doc.clientID = clients[0] ?? 0;
    forger.text.insert(0, 'as the machine ');
    await until(() => forger.closes.includes(4403));
    expect(await house.house.rooms.read(id, 'transcript', by, (doc) => textOf(doc).toString())).toMatch(/^mine /);
  });
});

test('the first row of a recording’s log is the original transcript, and nobody’s work', async () => {
  const ann = await house.person();
  const id = await makeRecording(house, ann);
  const whole = await house.house.rooms.read(id, 'transcript', by, readSegments);
  await house.house.rooms.change(id, 'transcript', { ...by, userId: ann.id }, (doc) => {
    writeAbout(doc, { title: 'Interview 4' }, 'test');
    textOf(doc).delete(0, 200);
  });
  const rows = await house.database.sql<{ user_id: string | null; bytes: Buffer }[]>`
    select user_id, bytes from room_updates where room = ${`${id}/transcript`} order by seq`;
  expect(rows.map(({ user_id }) => user_id)).toEqual([null, ann.id]);
  const doc = new Y.Doc();
  for (const update of unpackUpdates(rows[0]?.bytes ?? new Uint8Array())) Y.applyUpdate(doc, update);
  expect(readSegments(doc)).toEqual(whole);
});

test('a reader is refused soon while the database is busy, and does not wait for it', async () => {
  const { db, documents } = house.house;
  const ann = await house.person();
  const id = await makeMeeting(house, ann);
  await get(ann, id);
  const ctx = { ...house.house, person: { id: ann.id }, proof: { kind: 'session' } } as unknown as Ctx;
  let free = () => {};
  const busy = new Promise<void>((resolve) => (free = resolve));
  const held = Array.from({ length: 10 }, () => db.ask(() => busy));
  try {
    const asked = {
      access: accessById(ctx, 'GET /api/meetings/:id', id),
      list: listMeetings(ctx, { query: '', sort: 'title', start: 0, filters: {}, size: 10 }),
      restore: restoreMeeting(ctx, { id }),
      ticket: issueTicket(ctx, { room: `${id}/transcript` }),
      document: documents.read(id, () => 'read'),
    };
    const refused = Object.entries(asked).map(async ([what, answer]) => [
      what,
      await answer.then(
        () => 'answered',
        // drizzle says with which query it was.
        ({ code, cause }: { code?: string; cause?: { code: string } }) => code ?? cause?.code,
      ),
    ]);
    expect(Object.fromEntries(await Promise.all(refused))).toEqual(
      Object.fromEntries(Object.keys(asked).map((what) => [what, 'NO_CONNECTION'])),
    );
  } finally {
    free();
    await Promise.all(held);
  }
  expect((await ann.get(`/api/meetings/${id}`)).status).toBe(200);
});
