// Programs that change a live document by its version: POST …/edit, POST …/edits, PUT, and repeated requests.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import * as Y from 'yjs';
import { sweepAnswers } from '#server/http/once.ts';
import type { Running } from '#server/start.ts';
import { newId } from '#shared/ids.ts';
import type { MeetingView } from '#shared/meetings/meeting.ts';
import { merge, readSegments, replaceRanges, split, textOf } from '#shared/meetings/transcript.ts';
import { closeEditors, Editor, until } from '#tests/support/editors.ts';
import { openBeside, openHouse, type TestHouse } from '#tests/support/house.ts';
import { makeMeeting, ticketFor } from '#tests/support/meetings.ts';
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

const get = async (person: Person, id: string) => (await person.get(`/api/meetings/${id}`)).body as MeetingView;
const textsOf = ({ doc }: MeetingView) => doc.transcript.segments.map(({ text }) => text);
const change = (id: string, work: Parameters<typeof house.house.rooms.change>[3]) =>
  house.house.rooms.change(id, 'transcript', { userId: null, origin: 'test' }, work);
const conflict = (version: number) => ({ status: 409, code: 'CONFLICT', info: { code: 'CONFLICT', version } });

async function scene() {
  const ann = await house.person();
  const id = await makeRecording(house, ann);
  const seen = await get(ann, id);
  const segment = (i: number) => {
    const found = seen.doc.transcript.segments[i];
    if (!found) throw new Error(`no segment ${i}`);
    return found;
  };
  const edit = (body: object, options?: Parameters<Person['post']>[2]) =>
    ann.post(`/api/meetings/${id}/edit`, body, options);
  const put = (meeting: object, version = seen.version) => ann.put(`/api/meetings/${id}`, { meeting, version });
  return { ann, id, seen, segment, edit, put };
}

async function open(person: Person, id: string): Promise<Editor> {
  const ticket = await ticketFor(person, `${id}/transcript`);
  const editor = new Editor({ room: `${id}/transcript`, at: () => house.origin, ticket });
  await until(() => editor.provider.synced);
  return editor;
}

describe('an edit', () => {
  test('is seen by everybody who has the document open; words that stay keep their times', async () => {
    const { ann, id, seen, segment, edit } = await scene();
    const editor = await open(ann, id);
    const { text, words } = segment(3);
    const wanted = text.replace(words[1]?.w ?? '', 'entirely');
    const answer = await edit({ pos: 3, old: text, new: wanted, version: seen.version });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body).toEqual({ version: seen.version + 1 });
    await until(() => readSegments(editor.doc)[3]?.text === wanted);
    const read = await ann.get(`/api/meetings/${id}`, {
      headers: { 'If-None-Match': answer.headers.get('etag') ?? '' },
    });
    expect(read.status).toBe(304);
    const now = (await get(ann, id)).doc.transcript.segments[3];
    expect(now?.text).toBe(wanted);
    const times = (list: typeof words) => list.map(({ f, t }) => [f, t]);
    expect(times(now?.words ?? [])).toEqual(times(words));
    expect(now?.words.filter(({ confidence }) => confidence !== undefined)).toHaveLength(words.length - 1);
  });

  test('can be undone by nobody else, and takes nothing from what they can undo', async () => {
    const { ann, id, seen, segment, edit } = await scene();
    const editor = await open(ann, id);
    const undo = new Y.UndoManager(editor.text, { trackedOrigins: new Set(['hands']) });
    const caret = () => readSegments(editor.doc)[3]?.start ?? 0;
    replaceRanges(editor.doc, [{ at: caret(), remove: 0, insert: ['typed '] }], 'hands');
    await until(() => editor.provider.pending === 0);
    const { version } = await get(ann, id);
    const old = `typed ${segment(3).text}`;
    expect((await edit({ pos: 3, old, new: `${old} More.`, version })).status).toBe(200);
    expect((await edit({ pos: 2, old: segment(2).text, new: 'another', version: seen.version })).status).toBe(200);
    await until(() => readSegments(editor.doc)[2]?.text === 'another');
    undo.undo();
    await until(() => editor.provider.pending === 0);
    expect(textsOf(await get(ann, id)).slice(2, 4)).toEqual(['another', `${segment(3).text} More.`]);
    expect(undo.canUndo()).toBe(false);
    undo.redo();
    await until(() => editor.provider.pending === 0);
    expect(textsOf(await get(ann, id))[3]).toBe(`${old} More.`);
  });

  test('is made at the current place of its text, by the id of the segment or by its index at the version', async () => {
    const { id, ann, seen, segment, edit } = await scene();
    // Earlier segments were merged or split: indexes count in the version that was read.
    await change(id, (doc) => {
      split(doc, readSegments(doc)[0]?.start ?? 0, 'test');
      merge(doc, segment(2).id ?? '', 'test');
    });
    for (const pos of [5, segment(6).id]) {
      const { text } = segment(pos === 5 ? 5 : 6);
      const answer = await edit({ pos, old: text, new: `${text} So.`, version: seen.version });
      expect(answer.status, answer.text).toBe(200);
    }
    const texts = textsOf(await get(ann, id));
    expect(texts).toContain(`${segment(5).text} So.`);
    expect(texts).toContain(`${segment(6).text} So.`);
    expect(texts).toContain(segment(4).text);
  });

  test('is refused where that very text was changed, with the version there is now, and nothing happens', async () => {
    const { ann, id, seen, segment, edit } = await scene();
    await change(id, (doc) => textOf(doc).insert(readSegments(doc)[4]?.start ?? 0, 'Well: '));
    const before = await get(ann, id);
    for (const pos of [4, segment(4).id]) {
      const { problem } = await edit({ pos, old: segment(4).text, new: 'mine', version: seen.version });
      expect(problem).toMatchObject(conflict(before.version));
    }
    expect(await get(ann, id)).toEqual(before);
    const again = await edit({
      pos: 4,
      old: before.doc.transcript.segments[4]?.text,
      new: 'mine',
      version: before.version,
    });
    expect(again.body).toEqual({ version: before.version + 1 });
  });

  test('of a segment that was merged into another is a conflict; of one that never existed, a mistake', async () => {
    const { id, seen, segment, edit } = await scene();
    await change(id, (doc) => merge(doc, segment(4).id ?? '', 'test'));
    const stale = { old: segment(4).text, new: 'mine', version: seen.version };
    expect((await edit({ ...stale, pos: 4 })).problem).toMatchObject(conflict(seen.version + 1));
    expect((await edit({ ...stale, pos: segment(4).id })).problem).toMatchObject(conflict(seen.version + 1));
    for (const pos of [100, 'nobody'])
      expect((await edit({ ...stale, pos })).problem.info.errors).toEqual([{ field: 'pos', code: 'unknown' }]);
    for (const version of [seen.version + 2, 2 ** 31 - 1])
      expect((await edit({ ...stale, pos: 4, version })).problem.info.errors).toEqual([
        { field: 'version', code: 'unknown' },
      ]);
  });

  test('of a version before a restored one is made at the place its text has again', async () => {
    const { ann, id, seen, segment, edit } = await scene();
    await edit({ pos: 4, old: segment(4).text, new: 'changed', version: seen.version });
    const between = await get(ann, id);
    await ann.post(`/api/meetings/${id}/versions/${seen.version}/restore`);
    const stale = { pos: 4, old: 'changed', new: 'mine', version: between.version };
    expect((await edit(stale)).problem.code).toBe('CONFLICT');
    const still = await edit({ ...stale, pos: 5, old: segment(5).text });
    expect(still.status, still.text).toBe(200);
    const now = await get(ann, id);
    expect(now.version).toBe(still.body.version);
    expect(textsOf(now).slice(4, 6)).toEqual([segment(4).text, 'mine']);
  });

  test('G10: reaches text with U+0000, which is shown as U+FFFD', async () => {
    const ann = await house.person();
    const id = await makeMeeting(house, ann);
    await change(id, (doc) => textOf(doc).insert(0, 'old\0data and\0more'));
    const { version, ...seen } = await get(ann, id);
    expect(textsOf({ version, ...seen })).toEqual(['old\uFFFDdata and\uFFFDmore']);
    expect(seen.doc.transcript.segments[0]?.words.map(({ w }) => w)).toEqual(['old\uFFFDdata', 'and\uFFFDmore']);
    const past = (await ann.get(`/api/meetings/${id}/versions/${version}`)).body as MeetingView;
    expect(textsOf(past)).toEqual(['old\uFFFDdata and\uFFFDmore']);
    const edit = { pos: 0, old: 'old\uFFFDdata and\uFFFDmore', new: 'old data and\uFFFDmore', version };
    const answer = await ann.post(`/api/meetings/${id}/edit`, edit);
    expect(answer.status, answer.text).toBe(200);
    expect(textsOf(await get(ann, id))).toEqual(['old data and\uFFFDmore']);
    const put = { meeting: { 'transcript.segments[0].text': 'all new' }, version: answer.body.version };
    expect((await ann.put(`/api/meetings/${id}`, put)).status).toBe(200);
    expect(textsOf(await get(ann, id))).toEqual(['all new']);
  });

  test('goes with others of the same version, all of them or none', async () => {
    const { ann, id, seen, segment } = await scene();
    const edits = [1, 2, 3].map((pos) => ({ pos, old: segment(pos).text, new: `${segment(pos).text} All.` }));
    const many = (list: object[], version = seen.version) =>
      ann.post(`/api/meetings/${id}/edits`, { edits: list, version });
    const wrong = await many([...edits, { pos: 4, old: 'something else', new: 'mine' }]);
    expect(wrong.problem).toMatchObject(conflict(seen.version));
    expect(wrong.problem.info.errors).toEqual([{ field: 'edits.3.old', code: 'changed' }]);
    expect(await get(ann, id)).toEqual(seen);
    // One upon the other.
    const twice = { pos: segment(1).id, old: `${segment(1).text} All.`, new: `${segment(1).text} All of it.` };
    expect((await many([...edits, twice])).body).toEqual({ version: seen.version + 1 });
    const texts = textsOf(await get(ann, id));
    expect(texts.filter((text) => / All( of it)?\.$/.test(text))).toHaveLength(3);
    expect(texts[1]).toMatch(/ All of it\.$/);
  });

  test('is one of several at once: of many of the same text, one is made, at any process', async () => {
    const { ann, id, seen, segment } = await scene();
    const callers = [ann, ann.by(other.port)];
    for (let round = 0; round < 5; round += 1) {
      const old = (await get(ann, id)).doc.transcript.segments[7]?.text ?? '';
      const { version } = await get(ann.by(other.port), id);
      const answers = await Promise.all(
        [...callers, ...callers, ...callers].map((caller, i) =>
          caller.post(`/api/meetings/${id}/edit`, { pos: segment(7).id, old, new: `${old} ${round}.${i}`, version }),
        ),
      );
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409, 409, 409]);
      const [made] = answers.filter(({ status }) => status === 200);
      const now = await get(ann.by(other.port), id);
      expect(now.version).toBe(made?.body.version);
      expect(now.doc.transcript.segments[7]?.text.replace(old, '').trim()).toMatch(/^\d\.\d$/);
    }
    expect((await get(ann, id)).version).toBe(seen.version + 5);
  });
});

describe('a put', () => {
  test('of paths writes them all, by flat names or as objects in each other', async () => {
    const { ann, id, seen, segment, put } = await scene();
    const [first] = seen.doc.transcript.speakers;
    const answer = await put({
      'doc.title': 'Interview 5',
      'doc.tags': ['one', 'two'],
      'doc.highlights': [{ start: 1.5, end: 2, color: 'red' }],
      'doc.summary': [{ id: 's1', text: 'In short', order: 1, author: 'somebody else' }],
      'transcript.segments[3].speaker': seen.doc.transcript.speakers[2]?.id,
      'transcript.segments[3].text': `${segment(3).text} Indeed.`,
      'transcript.speakers[0].name': 'Maria',
    });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body).toEqual({ version: seen.version + 1 });
    const { doc } = await get(ann, id);
    expect(doc).toMatchObject({
      title: 'Interview 5',
      tags: ['one', 'two'],
      highlights: [{ id: expect.any(String), start: 1.5, end: 2, color: 'red' }],
      summary: [{ id: 's1', text: 'In short', order: 1 }],
    });
    expect(doc.summary[0]).not.toHaveProperty('author');
    expect(doc.transcript.segments[3]).toMatchObject({
      speaker: seen.doc.transcript.speakers[2]?.id,
      text: `${segment(3).text} Indeed.`,
    });
    expect(doc.transcript.speakers[0]).toEqual({ ...first, name: 'Maria' });
    expect((await ann.get('/api/meetings')).body.hits[0].title).toBe('Interview 5');

    const nested = await put(
      { doc: { title: 'Interview 6', transcript: { speakers: doc.transcript.speakers } } },
      answer.body.version,
    );
    expect(nested.body).toEqual({ version: seen.version + 2 });
    expect((await get(ann, id)).doc.title).toBe('Interview 6');
  });

  test('of an older version conflicts only if that very field was changed since', async () => {
    const { ann, id, seen, segment, edit, put } = await scene();
    await edit({ pos: 2, old: segment(2).text, new: 'changed', version: seen.version });
    await put({ 'doc.title': 'Theirs' });
    const now = seen.version + 2;
    expect((await put({ 'doc.title': 'Mine', 'doc.tags': ['mine'] })).problem).toMatchObject(conflict(now));
    expect((await put({ 'doc.title': 'Mine' })).problem.info.errors).toEqual([
      { field: 'meeting.title', code: 'changed' },
    ]);
    expect((await put({ 'transcript.segments[2].text': 'mine' })).problem).toMatchObject(conflict(now));
    expect((await get(ann, id)).version).toBe(now);
    // The same value as theirs, and a field that was not changed.
    expect((await put({ 'doc.title': 'Theirs', 'transcript.segments[3].text': 'mine' })).status).toBe(200);
    // A whole list is what it changes of what was read: the rest of it is as others have made it meanwhile.
    const segments = seen.doc.transcript.segments.map((one, i) => (i === 5 ? { ...one, text: 'from the list' } : one));
    expect((await put({ 'doc.transcript.segments': segments })).status).toBe(200);
    const texts = textsOf(await get(ann, id));
    expect([texts[2], texts[3], texts[5], texts[6]]).toEqual(['changed', 'mine', 'from the list', segment(6).text]);
    const clash = seen.doc.transcript.segments.map((one, i) => (i === 2 ? { ...one, text: 'from the list' } : one));
    expect((await put({ 'doc.transcript.segments': clash })).problem.info.errors).toEqual([
      { field: 'meeting.transcript.segments[2]', code: 'changed' },
    ]);
  });

  test('of a whole transcript merges and splits, and every word that stays keeps its time', async () => {
    const { ann, id, seen, segment, put } = await scene();
    const [, one, two, three] = seen.doc.transcript.segments;
    const cut = three?.text.indexOf(' ', 20) ?? 0;
    const said = three?.text ?? '';
    const segments = seen.doc.transcript.segments.flatMap(({ words: _words, ...rest }, i) => {
      if (i === 1) return [{ ...rest, text: `${one?.text} ${two?.text}` }];
      if (i === 2) return [];
      if (i === 3)
        return [
          { ...rest, text: said.slice(0, cut) },
          { speaker: rest.speaker, text: said.slice(cut + 1) },
        ];
      return [rest];
    });
    const answer = await put({ 'doc.transcript.segments': segments });
    expect(answer.status, answer.text).toBe(200);
    const now = await get(ann, id);
    expect(now.doc.transcript.segments).toHaveLength(seen.doc.transcript.segments.length);
    const words = ({ doc }: MeetingView) =>
      doc.transcript.segments.flatMap((each) => each.words.map(({ w, f, t, confidence }) => ({ w, f, t, confidence })));
    expect(words(now)).toEqual(words(seen));
    expect(segment(3).words.length).toBeGreaterThan(3);
  });

  test('of a transcript into an empty document keeps the given times', async () => {
    const { ann, seen } = await scene();
    const id = await makeMeeting(house, ann);
    const { speakers, segments } = seen.doc.transcript;
    const meeting = { 'doc.transcript.speakers': speakers, 'doc.transcript.segments': segments };
    const answer = await ann.put(`/api/meetings/${id}`, { meeting, version: 0 });
    expect(answer.status, answer.text).toBe(200);
    const now = await get(ann, id);
    expect(now.doc.transcript).toEqual(seen.doc.transcript);
    // The same again changes nothing.
    const again = await ann.put(`/api/meetings/${id}`, { meeting, version: now.version });
    expect(again.body).toEqual({ version: now.version });
    // Other times for one word are taken.
    const later = segments.map((one, i) =>
      i === 2
        ? {
            ...one,
            words: one.words.map((word, k) => (k === 1 ? { ...word, t: Math.round(word.t * 1000 + 10) / 1000 } : word)),
          }
        : one,
    );
    expect(
      (await ann.put(`/api/meetings/${id}`, { meeting: { 'doc.transcript.segments': later }, version: now.version }))
        .status,
    ).toBe(200);
    expect((await get(ann, id)).doc.transcript.segments).toEqual(later);
  });

  test('of 30,000 words with their times is accepted, and 8 MB is too much', async () => {
    const ann = await house.person();
    const id = await makeMeeting(house, ann);
    const segments = Array.from({ length: 1500 }, (_, i) => ({
      speaker: '',
      words: Array.from({ length: 20 }, (_word, k) => ({
        w: `word${(i * 20 + k) % 977}`,
        f: i * 8 + k * 0.4,
        t: i * 8 + k * 0.4 + 0.35,
        p: false,
        m: false,
        c: false,
        j: false,
        confidence: 0.9,
      })),
    }));
    const body = { meeting: { 'doc.transcript.segments': segments }, version: 0 };
    const answer = await ann.put(`/api/meetings/${id}`, body);
    expect(answer.status, answer.text).toBe(200);
    const { doc } = await get(ann, id);
    expect(doc.transcript.segments).toHaveLength(1500);
    expect(doc.transcript.segments[1499]?.words.at(-1)).toMatchObject({ f: 11_999.6, t: 11_999.95 });
    const raw = JSON.stringify({ ...body, more: 'x'.repeat(8 * 1024 * 1024) });
    const big = await ann.put(`/api/meetings/${id}`, undefined, {
      raw,
      headers: { 'Content-Type': 'application/json' },
    });
    expect(big.problem.code).toBe('BIG');
  });

  test('names what is wrong with it', async () => {
    const { put } = await scene();
    const wrong = async (meeting: object) => (await put(meeting)).problem.info.errors;
    expect(await wrong({})).toEqual([{ field: 'meeting', code: 'required' }]);
    expect(await wrong({ 'doc.owner': 'me' })).toEqual([{ field: 'meeting.owner', code: 'unknown' }]);
    expect(await wrong({ 'doc.title': '' })).toEqual([{ field: 'meeting.title', code: 'required' }]);
    expect(await wrong({ 'doc.title': 'a', title: 'b' })).toEqual([{ field: 'meeting.title', code: 'twice' }]);
    expect(await wrong({ 'doc.tags': [1] })).toEqual([{ field: 'meeting.tags.0', code: 'invalid' }]);
    expect(await wrong({ 'transcript.segments[3].speaker': 'nobody' })).toEqual([
      { field: 'meeting.transcript.segments[3].speaker', code: 'unknown' },
    ]);
    expect(await wrong({ 'transcript.segments[300].text': 'a' })).toEqual([
      { field: 'meeting.transcript.segments[300].text', code: 'unknown' },
    ]);
    const { problem } = await put({ 'doc.transcript.speakers': [] });
    expect(problem.message).toBe("An active speaker can't be deleted");
  });
});

describe('a request that is sent twice', () => {
  const as = (requestId: string) => ({ headers: { 'X-Request-ID': requestId } });

  test('is done once, and answered the same, at any process', async () => {
    const { ann, id, seen, segment } = await scene();
    const body = { pos: 1, old: segment(1).text, new: `${segment(1).text} Once.`, version: seen.version };
    const path = `/api/meetings/${id}/edit`;
    const requestId = newId();
    const answers = await Promise.all(
      [ann, ann.by(other.port), ann, ann.by(other.port)].map((person) => person.post(path, body, as(requestId))),
    );
    answers.push(await ann.by(other.port).post(path, body, as(requestId)));
    for (const answer of answers) expect([answer.status, answer.body]).toEqual([200, { version: seen.version + 1 }]);
    expect(new Set(answers.map(({ headers }) => headers.get('etag'))).size).toBe(1);
    expect((await get(ann, id)).version).toBe(seen.version + 1);
    // Without the same id it is another one, which comes too late.
    expect((await ann.post(path, body)).status).toBe(409);
  });

  test('is a mistake if it asks for something else under the same id', async () => {
    const { ann, id, seen, segment } = await scene();
    const requestId = newId();
    const body = { pos: 1, old: segment(1).text, new: 'a', version: seen.version };
    expect((await ann.post(`/api/meetings/${id}/edit`, body, as(requestId))).status).toBe(200);
    const others = [
      ann.post(`/api/meetings/${id}/edit`, { ...body, new: 'b' }, as(requestId)),
      ann.post(`/api/meetings/${id}/rename`, { title: 'b' }, as(requestId)),
      ann.call('DELETE', `/api/meetings/${id}`, undefined, as(requestId)),
    ];
    for (const answer of await Promise.all(others)) expect(answer.problem.code).toBe('IDEMP');
    // Request ids of other people are separate.
    const ben = await house.person('Ben');
    const theirs = await makeMeeting(house, ben);
    expect((await ben.post(`/api/meetings/${theirs}/rename`, { title: 'c' }, as(requestId))).status).toBe(200);
  });

  test('is refused again after a refusal, even if the document has changed since', async () => {
    const { ann, id, seen, segment } = await scene();
    const requestId = newId();
    const body = { pos: 1, old: 'something else', new: 'refused', version: seen.version };
    const path = `/api/meetings/${id}/edit`;
    expect((await ann.post(path, body, as(requestId))).status).toBe(409);
    await ann.post(path, { pos: 1, old: segment(1).text, new: 'something else', version: seen.version });
    expect((await ann.post(path, body, as(requestId))).problem).toMatchObject(conflict(seen.version));
    expect(textsOf(await get(ann, id))[1]).toBe('something else');
  });

  test('does not delete again a recording that was restored in between', async () => {
    const { ann, id } = await scene();
    const requestId = newId();
    expect((await ann.call('DELETE', `/api/meetings/${id}`, undefined, as(requestId))).status).toBe(204);
    expect((await ann.post(`/api/meetings/${id}/restore`)).status).toBe(204);
    expect((await ann.call('DELETE', `/api/meetings/${id}`, undefined, as(requestId))).status).toBe(204);
    expect((await ann.get(`/api/meetings/${id}`)).status).toBe(200);
  });

  test('does not undo, as a restore, edits made in between', async () => {
    const { ann, id, seen, segment, edit } = await scene();
    await edit({ pos: 1, old: segment(1).text, new: 'changed', version: seen.version });
    const path = `/api/meetings/${id}/versions/${seen.version}/restore`;
    const requestId = newId();
    const first = await ann.post(path, undefined, as(requestId));
    expect(first.status, first.text).toBe(200);
    const { version } = await get(ann, id);
    expect((await edit({ pos: 1, old: segment(1).text, new: 'since', version })).status).toBe(200);
    const again = await ann.post(path, undefined, as(requestId));
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect(textsOf(await get(ann, id))[1]).toBe('since');
  });

  test('restores a version once, even if sent five times at once', async () => {
    const { ann, id, seen, segment, edit } = await scene();
    await edit({ pos: 1, old: segment(1).text, new: 'changed', version: seen.version });
    const requestId = newId();
    const restore = () => ann.post(`/api/meetings/${id}/versions/${seen.version}/restore`, undefined, as(requestId));
    const all = await Promise.all(Array.from({ length: 5 }, restore));
    expect(all.map(({ status, text }) => [status, text])).toEqual(all.map(() => [200, all[0]?.text]));
    const rows = await house.database.sql`select generation from rooms where name = ${`${id}/transcript`}`;
    expect(rows).toEqual([{ generation: 2 }]);
    const { versions } = (await ann.get(`/api/meetings/${id}/versions`)).body;
    expect(all[0]?.body).toMatchObject({ version: versions[0].version, kept: versions[1].version });
  });

  test('restores nothing if its answer cannot be stored', async () => {
    const { ann, id, seen, segment, edit } = await scene();
    await edit({ pos: 1, old: segment(1).text, new: 'changed', version: seen.version });
    const path = `/api/meetings/${id}/versions/${seen.version}/restore`;
    const requestId = newId();
    await house.database.sql`alter table request_answers add constraint none_now check (at is null) not valid`;
    try {
      expect((await ann.post(path, undefined, as(requestId))).status).toBe(500);
    } finally {
      await house.database.sql`alter table request_answers drop constraint none_now`;
    }
    expect(textsOf(await get(ann, id))[1]).toBe('changed');
    expect((await ann.post(path, undefined, as(requestId))).status).toBe(200);
    expect(textsOf(await get(ann, id))[1]).toBe(segment(1).text);
  });

  test('is known for a day', async () => {
    const { ann, id } = await scene();
    const body = { title: 'Once' };
    const requestId = newId();
    const rename = () => ann.post(`/api/meetings/${id}/rename`, body, as(requestId));
    const kept = async () =>
      Number(
        (await house.database.sql`select count(*) from request_answers where request_id = ${requestId}`)[0]?.['count'],
      );
    expect((await rename()).body).toEqual({ version: 2 });
    house.clock.forward(86_000);
    await sweepAnswers(house.house);
    expect(await kept()).toBe(1);
    house.clock.forward(1000);
    await sweepAnswers(house.house);
    expect(await kept()).toBe(0);
  });
});
