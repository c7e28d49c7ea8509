// Annotations of people: outcomes and comments, shared and private.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import * as Y from 'yjs';
import { sweepAnswers } from '#server/http/once.ts';
import type { Running } from '#server/start.ts';
import { newId } from '#shared/ids.ts';
import { readAnnotations, writeAnnotation, type Comment, type Outcome } from '#shared/meetings/annotations.ts';
import type { MeetingView } from '#shared/meetings/meeting.ts';
import { readPreferred } from '#shared/meetings/outcome-schema.ts';
import { typeOf } from '#shared/meetings/outcome-types.ts';
import { plainOf } from '#shared/meetings/rich-text.ts';
import { addSummary, readSummary, summaryText } from '#shared/meetings/summary.ts';
import { textOf } from '#shared/meetings/transcript.ts';
import { roles } from '#shared/roles.ts';
import { closeEditors, Editor, until } from '#tests/support/editors.ts';
import { makeGroup } from '#tests/support/groups.ts';
import { openBeside, openHouse, type TestHouse } from '#tests/support/house.ts';
import { share, ticketFor } from '#tests/support/meetings.ts';
import { readPdf } from '#tests/support/pdf.ts';
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

const get = async (person: Person, id: string) => {
  const { body, status, text } = await person.get(`/api/meetings/${id}`);
  expect(status, text).toBe(200);
  return body as MeetingView & { doc: { comments: Comment[]; outcomes: Outcome[] } };
};

/** Ann's recording, on which Ben may comment and Cleo read. */
async function scene() {
  const [ann, ben, cleo] = [await house.person('Ann'), await house.person('Ben'), await house.person('Cleo')];
  const id = await makeRecording(house, ann);
  await share(house, id, ben, roles.canComment);
  await share(house, id, cleo, ['read']);
  const ok = async <T>(asked: Promise<{ status: number; body: T; text: string }>): Promise<T> => {
    const { status, body, text } = await asked;
    expect(status, text).toBe(200);
    return body;
  };
  const tag = async (by: Person, fields: object = {}): Promise<Outcome> => {
    const outcome = { type: 'actionItems', start: 10, end: 14, ...fields };
    return (await ok(by.post(`/api/meetings/${id}/outcomes`, { outcome }))).outcome;
  };
  const say = async (by: Person, fields: object = {}): Promise<Comment> =>
    (await ok(by.post(`/api/meetings/${id}/comments`, { start: 10, end: 14, text: 'Is this so?', ...fields }))).comment;
  const change = async (by: Person, { id: itemId }: Outcome, outcome: object): Promise<Outcome> =>
    (await ok(by.post(`/api/meetings/${id}/outcomes/${itemId}/update`, { outcome }))).outcome;
  const reveal = (by: Person, { id: itemId }: { id: string }, type: string, options?: Parameters<Person['post']>[2]) =>
    by.post(`/api/meetings/${id}/outcomes/${itemId}/reveal/${type}`, undefined, options);
  const remove = (by: Person, { id: itemId }: { id: string }, what: 'outcomes' | 'comments') =>
    by.delete(`/api/meetings/${id}/${what}/${itemId}`);
  return { id, ann, ben, cleo, tag, say, change, reveal, remove };
}

async function open(person: Person, room: string): Promise<Editor> {
  const editor = new Editor({ room, at: () => house.origin, ticket: await ticketFor(person, room) });
  await until(() => editor.provider.synced);
  return editor;
}
/** The outcome as its room stores it, without fields that only answers have. */
function stored(answered: Outcome & { color?: number; sortId?: number }): Outcome {
  const { color: _, sortId: __, ...outcome } = answered;
  return outcome;
}
const idsIn = (items: readonly { id: string }[]) => items.map(({ id }) => id);

describe('a shared annotation', () => {
  test('is made by two people at once, and neither overwrites the other', async () => {
    const { id, ann, ben, tag, change } = await scene();
    await share(house, id, ben, roles.canEdit);
    const made = await tag(ann, { type: 'trust', text: 'They want a plan' });
    const [first, second] = ['trustRespect', 'trustSupport'];
    // Both changes start from the first state.
    await Promise.all([
      change(ann, made, { mark: { type: first } }),
      change(ben, made, { mark: { type: second, grade: -1 } }),
    ]);
    const marks = async () => {
      const { children } = (await get(ann, id)).doc.outcomes[0] ?? { children: [] };
      return Object.fromEntries(children.map(({ type, grade }) => [type, grade]));
    };
    expect(await marks()).toEqual({ [first]: null, [second]: -1 });
    await change(ann, made, { mark: { type: first, grade: -1 } });
    await change(ben, made, { mark: { type: second, on: false } });
    expect(await marks()).toEqual({ [first]: -1 });

    const textWas = 'They want a plan';
    await change(ann, made, { text: 'Today they want a plan', textWas });
    const { text } = await change(ben, made, { text: 'They want a plan for spring', textWas });
    expect(text).toBe('Today they want a plan for spring');
    // Without what was read it is written as it came.
    expect((await change(ben, made, { text: 'A plan' })).text).toBe('A plan');
    const long = await ben.post(`/api/meetings/${id}/outcomes/${made.id}/update`, {
      outcome: { text: `${'a'.repeat(1998)}`, textWas: '' },
    });
    expect([long.status, long.problem.info.errors]).toEqual([422, [{ field: 'outcome.text', code: 'too_long' }]]);
    const unknown = await ben.post(`/api/meetings/${id}/outcomes/${made.id}/update`, {
      outcome: { mark: { type: 'nothingOfThatName' } },
    });
    expect([unknown.status, unknown.problem.info.errors]).toEqual([
      422,
      [{ field: 'outcome.children', code: 'unknown' }],
    ]);
  });

  test('is seen at once by everybody who has the room open, at any process, and is in the meeting', async () => {
    const { id, ann, ben, cleo, tag, say } = await scene();
    const [outcomes, comments] = [await open(cleo, `${id}/outcomes`), await open(ann, `${id}/comments`)];
    const outcome = await tag(ben);
    const comment = await say(ben.by(other.port));
    await until(() => readAnnotations(outcomes.doc, 'outcome', 'shared').length === 1);
    await until(() => readAnnotations(comments.doc, 'comment', 'shared').length === 1);
    expect(readAnnotations(outcomes.doc, 'outcome', 'shared')).toEqual([stored(outcome)]);
    // Color and code come from its type.
    const { color, code } = typeOf(outcome.type) ?? {};
    expect(outcome).toMatchObject({ color, sortId: code });
    expect(readAnnotations(comments.doc, 'comment', 'shared')).toEqual([comment]);
    const { doc } = await get(cleo, id);
    expect(doc).toMatchObject({ outcomes: [outcome], comments: [comment] });
    expect(outcome.author).toEqual({
      id: (await ben.whoami()).body.principal.id,
      kind: 'user',
      name: expect.stringContaining('Ben'),
    });
  });

  test('belongs to the words said at its time, and is sent with them', async () => {
    const { id, ann, tag } = await scene();
    const { doc } = await get(ann, id);
    const { words, start } = doc.transcript.segments[3] ?? { words: [], start: 0 };
    const outcome = await tag(ann, { start, end: words[2]?.t });
    expect(outcome.quote).toBe(
      words
        .slice(0, 3)
        .map(({ w }) => w)
        .join(' '),
    );
    expect(outcome.anchor).toMatchObject({ g: expect.any(Number), first: [expect.any(Number), expect.any(Number)] });
  });

  test('is made once, for any number of requests, also at the same time', async () => {
    const { id, ann } = await scene();
    const headers = { 'X-Request-ID': newId() };
    const outcome = { type: 'decisions', start: 1, end: 2, text: 'We meet on Friday' };
    const answers = await Promise.all(
      Array.from({ length: 5 }, (_, i) => {
        const by = i % 2 === 0 ? ann : ann.by(other.port);
        return by.post(`/api/meetings/${id}/outcomes`, { outcome }, { headers });
      }),
    );
    expect(answers.map(({ status }) => status).filter((status) => status !== 200 && status !== 503)).toEqual([]);
    const told = new Set(answers.filter(({ status }) => status === 200).map(({ text }) => text));
    expect(told.size).toBe(1);
    const again = await ann.post(`/api/meetings/${id}/outcomes`, { outcome }, { headers });
    expect(again.text).toBe([...told][0]);
    expect((await get(ann, id)).doc.outcomes).toHaveLength(1);
  });

  test('is not made again under its id after its deletion, at any time and by any request', async () => {
    const { id, ann, ben, remove } = await scene();
    for (const own of [false, true]) {
      const outcome = { id: newId(), type: 'decisions', start: 1, end: 2, private: own };
      const comment = { id: newId(), start: 1, end: 2, text: 'Is this so?', private: own };
      const asks: [string, object, string][] = [
        ['outcomes', { outcome }, outcome.id],
        ['comments', comment, comment.id],
      ];
      for (const [what, body, itemId] of asks) {
        const ask = (by: Person) => by.post(`/api/meetings/${id}/${what}`, body);
        expect((await ask(ben)).status).toBe(200);
        expect((await remove(ben, { id: itemId }, what as 'outcomes' | 'comments')).status).toBe(204);
        const taken = { status: 409, problem: { info: { errors: [{ field: 'id', code: 'taken' }] } } };
        expect(await ask(ben)).toMatchObject(taken);
        expect(await ask(ben.by(other.port))).toMatchObject(taken);
      }
    }
    expect((await get(ann, id)).doc).toMatchObject({ outcomes: [], comments: [] });
  });

  test('is not made twice if its request was answered a day ago', async () => {
    const { id, ann, ben } = await scene();
    const headers = { 'X-Request-ID': newId() };
    const comment = { id: newId(), start: 1, end: 2, text: 'Is this so?' };
    const ask = () => ben.post(`/api/meetings/${id}/comments`, comment, { headers });
    expect((await ask()).status).toBe(200);
    house.clock.forward(25 * 3600);
    await sweepAnswers(house.house);
    house.clock.forward(-25 * 3600);
    expect(await ask()).toMatchObject({ status: 409, problem: { info: { errors: [{ field: 'id', code: 'taken' }] } } });
    expect((await get(ann, id)).doc.comments).toHaveLength(1);
  });

  test('stays whole when many people annotate at the same time, at two processes', async () => {
    const { id, ann, ben, say, tag } = await scene();
    const made = await Promise.all(
      Array.from({ length: 20 }, (_, i) => {
        const by = (i % 3 === 0 ? ann : ben).by(i % 2 === 0 ? house.port : other.port);
        return i % 4 === 0 ? tag(by, { start: i, end: i + 1 }) : say(by, { start: 0, text: `The ${i}th` });
      }),
    );
    const { doc } = await get(ann, id);
    expect(idsIn([...doc.outcomes, ...doc.comments]).toSorted()).toEqual(idsIn(made).toSorted());
  });

  test('raises annotationsVersion for everybody, and a private one for nobody', async () => {
    const { id, ann, ben, tag, say, change, reveal, remove } = await scene();
    const seen = [(await get(ann, id)).annotationsVersion];
    const rises = async () => {
      const [{ annotationsVersion, version }, other] = [await get(ann, id), await get(ben, id)];
      expect(other.annotationsVersion).toBe(annotationsVersion);
      expect(version).toBe(1);
      seen.push(annotationsVersion);
      return annotationsVersion > (seen.at(-2) ?? 0);
    };
    const outcome = await tag(ben);
    expect(await rises()).toBe(true);
    const comment = await say(ben);
    expect(await rises()).toBe(true);
    await change(ben, outcome, { text: 'A plan' });
    expect(await rises()).toBe(true);
    const secret = await say(ben, { private: true });
    expect(await rises()).toBe(false);
    expect((await reveal(ben, secret, 'comment')).status).toBe(200);
    expect(await rises()).toBe(true);
    expect((await remove(ben, comment, 'comments')).status).toBe(204);
    expect(await rises()).toBe(true);
  });

  test('changes the ETag of the meeting, so that no client uses its old copy', async () => {
    const { id, ann, ben, say } = await scene();
    const first = (await ann.get(`/api/meetings/${id}`)).headers.get('etag') ?? '';
    const ask = () => ann.get(`/api/meetings/${id}`, { headers: { 'If-None-Match': first } });
    expect((await ask()).status).toBe(304);
    await say(ben, { private: true });
    expect((await ask()).status).toBe(304);
    await say(ben);
    expect((await ask()).status).toBe(200);
  });

  test('does not tell readers about each other', async () => {
    const { id, ben, cleo } = await scene();
    const dan = await house.person('Dan');
    await share(house, id, dan, ['read']);
    const [commenter, reader] = [await open(ben, `${id}/comments`), await open(dan, `${id}/comments`)];
    for (const one of [commenter, reader]) one.provider.awareness.setLocalStateField('typing', true);
    await until(async () => (await get(cleo, id)).doc.activeCommenters.length > 0);
    await until(() => commenter.provider.awareness.getStates().size === 2);
    expect(idsIn((await get(cleo, id)).doc.activeCommenters)).toEqual([ben.id]);
  });

  test('is made by the intended person, or not at all', async () => {
    const { id, ann, ben } = await scene();
    const [own, other] = await Promise.all([ann, ben].map(async (person) => (await person.whoami()).body.principal.id));
    const say = (as: string) =>
      ben.post(`/api/meetings/${id}/comments`, { start: 1, end: 2, text: 'So' }, { headers: { 'X-Acting-As': as } });
    expect(await say(own)).toMatchObject({ status: 401, problem: { code: 'UNAUTH' } });
    expect((await get(ann, id)).doc.comments).toEqual([]);
    expect((await say(other)).status).toBe(200);
  });

  test('is not written into its room by clients', async () => {
    const { id, ann, tag } = await scene();
    const [editor, reader] = [await open(ann, `${id}/outcomes`), await open(ann, `${id}/outcomes`)];
    editor.doc.getMap('outcomes').set('forged', { id: 'forged' });
    const { id: told } = await tag(ann);
    await until(() => reader.doc.getMap('outcomes').has(told));
    expect([...reader.doc.getMap('outcomes').keys()]).toEqual([told]);
    expect(idsIn((await get(ann, id)).doc.outcomes)).toEqual([told]);
  });
});

test('the meeting names people who have the comments open, and those who are writing one', async () => {
  const { id, ann, ben } = await scene();
  expect((await get(ann, id)).doc.activeCommenters).toEqual([]);
  const [one, two] = [await open(ben, `${id}/comments`), await open(ben, `${id}/comments`)];
  const told = async () => (await get(ann, id)).doc.activeCommenters;
  // Every page is in that room; at the comments is who has them beside the text.
  one.provider.awareness.setLocalState({});
  two.provider.awareness.setLocalState({ pane: 'outcomes', typing: false });
  const watcher = await open(ann, `${id}/comments`);
  await until(() => watcher.provider.awareness.getStates().size >= 2);
  expect(await told()).toEqual([]);
  one.provider.awareness.setLocalState({ pane: 'comments', typing: false });
  await until(async () => (await told()).length === 1);
  two.provider.awareness.setLocalState({ typing: true });
  await until(async () => (await told())[0]?.['typing'] === true);
  const { id: userId } = (await ben.whoami()).body.principal;
  expect(await told()).toEqual([{ id: userId, name: expect.stringContaining('Ben'), typing: true }]);
  closeEditors();
  await until(async () => (await told()).length === 0);
});

describe('an outcome', () => {
  test('of another type loses the children of the old one; one that was automatic gets the person as its author', async () => {
    const { id, ann, ben, tag, change } = await scene();
    const outcome = await tag(ben, { type: 'trust', grade: 3, children: [{ type: 'trustRespect', grade: -1 }] });
    await house.house.rooms.change(id, 'outcomes', { userId: null, origin: 'test' }, (doc) =>
      writeAnnotation(
        doc,
        'outcome',
        { ...outcome, automatic: true, author: { id: 'ai', kind: 'user', name: 'AI' } },
        'shared',
        'test',
      ),
    );
    const changed = await change(ann, outcome, { type: 'listening' });
    expect(changed).toMatchObject({
      type: 'listening',
      children: [],
      grade: null,
      automatic: false,
      wasAutomatic: true,
    });
    expect(changed.author.name).toContain('Ann');
    expect(
      await change(ann, outcome, { type: 'trust', children: [{ type: 'trustSupport', grade: 2 }], grade: 1 }),
    ).toMatchObject({
      type: 'trust',
      grade: 1,
      children: [{ type: 'trustSupport', grade: 2 }],
    });
  });

  test('is moved to other words only together with their time', async () => {
    const { id, ann, tag } = await scene();
    const tagged = await tag(ann, {});
    for (const alone of [{ quote: 'Other words' }, { quote: 'Other words', text: 'Other' }]) {
      const answer = await ann.post(`/api/meetings/${id}/outcomes/${tagged.id}/update`, { outcome: alone });
      expect([answer.status, answer.problem.info.errors], answer.text).toEqual([
        422,
        [{ field: 'outcome.start', code: 'required' }],
      ]);
    }
    const many = { edits: [{ id: tagged.id, field: 'quote', value: 'Other words' }], version: 0 };
    expect((await ann.post(`/api/meetings/${id}/outcomes/update`, many)).status).toBe(422);
    expect((await get(ann, id)).doc.outcomes[0]).toMatchObject({ quote: tagged.quote, rev: 1 });
  });

  test('keeps changes of different fields that two people make at once', async () => {
    const { id, ann, tag, change } = await scene();
    const outcome = await tag(ann);
    await Promise.all([
      change(ann, outcome, { text: 'Send the list' }),
      change(ann.by(other.port), outcome, { grade: -1 }),
      change(ann, outcome, { start: 20, end: 22 }),
    ]);
    expect((await get(ann, id)).doc.outcomes).toMatchObject([{ text: 'Send the list', grade: -1, start: 20, rev: 4 }]);
  });
});

test('an outcome with links to it is not deleted, and people who may delete it see the links', async () => {
  const { id, ann, ben, cleo, tag, say, remove } = await scene();
  const outcome = await tag(ann);
  const mine = await tag(ben, { private: true });
  const comment = await say(ben, { text: `see /meeting/${id}?outcome=${outcome.id}, and ?outcome=${mine.id}` });
  const version = (await get(ann, id)).version;
  const point = { id: 'p', order: 1, text: `Agreed: /meeting/${id}?outcome=${outcome.id}` };
  expect((await ann.put(`/api/meetings/${id}`, { meeting: { 'doc.summary': [point] }, version })).status).toBe(200);

  const refused = await remove(ann, outcome, 'outcomes');
  expect([refused.status, refused.problem.code, refused.problem.message]).toEqual([
    409,
    'CONFLICT',
    "An outcome in use can't be deleted",
  ]);
  expect(refused.problem.info).toMatchObject({
    places: [
      { kind: 'comment', id: comment.id, start: 10 },
      { kind: 'summary', start: null },
    ],
  });
  expect(idsIn((await get(ann, id)).doc.outcomes)).toContain(outcome.id);
  // A person who may not delete it sees that, and no more.
  expect((await remove(cleo, outcome, 'outcomes')).problem.code).toBe('NO_PERM');
  // Nobody sees the place of a link to a private one.
  expect((await remove(ben, mine, 'outcomes')).status).toBe(204);
  expect((await remove(ben, comment, 'comments')).status).toBe(204);
  const later = (await get(ann, id)).version;
  expect((await ann.put(`/api/meetings/${id}`, { meeting: { 'doc.summary': [] }, version: later })).status).toBe(200);
  expect((await remove(ann, outcome, 'outcomes')).status).toBe(204);
});

describe('a comment', () => {
  test('with replies is emptied, and deleted with its last reply', async () => {
    const { id, ann, ben, say, remove } = await scene();
    const began = await say(ben);
    const answer = await say(ann, { parent: began.id, text: 'It is' });
    const more = await say(ben, { parent: answer.id, start: 99, end: 100, text: 'Well' });
    expect([answer, more]).toMatchObject([
      { parent: began.id, start: began.start },
      { parent: began.id, start: began.start, quote: began.quote },
    ]);
    const blanked = await remove(ben, began, 'comments');
    expect(blanked.body.comment).toMatchObject({
      text: '',
      author: { kind: 'deleted', id: '', name: '' },
      quote: began.quote,
    });
    expect((await get(ann, id)).doc.comments).toHaveLength(3);
    expect((await remove(ann, answer, 'comments')).status).toBe(204);
    expect(idsIn((await get(ann, id)).doc.comments).toSorted()).toEqual([began.id, more.id].toSorted());
    expect((await remove(ben, more, 'comments')).status).toBe(204);
    expect((await get(ann, id)).doc.comments).toEqual([]);
  });

  test('mails the people it mentions, once: those who may read it, and nothing private', async () => {
    const { id, ann, ben, cleo, say } = await scene();
    const dora = await house.person('Dora');
    const idOf = async (person: Person) => (await person.whoami()).body.principal.id as string;
    const to = async (...people: Person[]) =>
      JSON.stringify({
        type: 'doc',
        content: [
          {
            type: 'paragraph',
            content: await Promise.all(
              people.map(async (person) => ({ type: 'mention', attrs: { id: await idOf(person), label: 'you' } })),
            ),
          },
        ],
      });
    const mails = async ({ email }: Person) =>
      (
        (await ann.get(`/api/outbox?to=${encodeURIComponent(email)}`)).body as { subject: string; text: string }[]
      ).filter(({ subject }) => subject.includes('mentioned you'));
    const own = await say(ben, { private: true, text: await to(ann) });
    const { id: itemId } = await say(ben, { text: await to(ann, ben, dora) });
    const [mail, ...more] = await mails(ann);
    expect(more).toEqual([]);
    expect(mail?.text).toContain(`/meeting/${id}?comment=${itemId}`);
    expect([await mails(ben), await mails(dora), await mails(cleo)]).toEqual([[], [], []]);
    // Put otherwise, it speaks to one more; shown to all, what was private does.
    await ben.post(`/api/meetings/${id}/comments/${itemId}/update`, { text: await to(ann, cleo) });
    expect([(await mails(ann)).length, (await mails(cleo)).length]).toEqual([1, 1]);
    await ben.post(`/api/meetings/${id}/outcomes/${own.id}/reveal/comment`);
    expect(await mails(ann)).toHaveLength(2);
  });

  test('mails those whose thread it answers once an hour, and the owner once a day; not for what is private, nor who may not read', async () => {
    const { id, ann, ben, cleo, say } = await scene();
    const mails = async ({ email }: Person, subject: string) =>
      (await house.mails(email)).filter((mail) => mail.subject.includes(subject)).length;
    const counts = async () => [
      await mails(ann, 'commented on your recording'),
      await mails(ann, 'replied to a comment'),
      await mails(ben, 'replied to a comment'),
      await mails(cleo, 'replied to a comment'),
    ];
    await share(house, id, cleo, roles.canComment);
    await say(ben, { private: true });
    expect(await counts()).toEqual([0, 0, 0, 0]);
    const began = await say(ben);
    await say(ben);
    await say(ann);
    expect(await counts()).toEqual([1, 0, 0, 0]);
    await say(ben, { parent: began.id });
    await say(ann, { parent: began.id });
    const answer = await say(cleo, { parent: began.id });
    expect(await counts()).toEqual([1, 1, 1, 0]);
    await say(ann, { parent: answer.id });
    expect(await counts()).toEqual([1, 1, 1, 1]);
    house.clock.forward(3601);
    await ben.post(`/api/meetings/${id}/comments/${answer.id}/update`, { text: 'Not so' });
    expect(await counts()).toEqual([1, 1, 1, 1]);
    await say(ann, { parent: began.id });
    expect(await counts()).toEqual([1, 1, 2, 2]);
    const { sql } = house.database;
    await sql`delete from meeting_access where meeting_id = ${id} and principal_id = ${cleo.id}`;
    house.clock.forward(3601);
    await say(ann, { parent: began.id });
    expect(await counts()).toEqual([1, 1, 3, 2]);
    house.clock.forward(24 * 3600);
    expect((await ben.login()).status).toBe(200);
    await say(ben, { parent: began.id });
    expect(await counts()).toEqual([1, 2, 3, 2]);
    await say(ben);
    expect(await counts()).toEqual([2, 2, 3, 2]);
  });

  test('can mention who may read it: named people who have come, and teams that one is in; nobody else', async () => {
    const { id, ann, ben, cleo } = await scene();
    const [dora, eve, fay, gus] = await Promise.all(['Dora', 'Eve', 'Fay', 'Gus'].map((name) => house.person(name)));
    if (!dora || !eve || !fay || !gus) throw new Error('nobody');
    const offered = async (to: Person): Promise<string[]> => {
      const answer = await to.get(`/api/meetings/${id}/mentionable`);
      expect(answer.status, answer.text).toBe(200);
      expect(answer.text).not.toContain('@');
      return answer.body.people.map(({ name }: { name: string }) => name.split(' ')[0]);
    };
    expect(await offered(ann)).toEqual(['Ben', 'Cleo']);
    expect(await offered(ben)).toEqual(['Ann', 'Cleo']);
    // Named, and not here yet.
    await share(house, id, dora, ['read']);
    const { sql } = house.database;
    await sql`update meeting_access set seen_at = null where meeting_id = ${id} and principal_id = ${dora.id}`;
    expect(await offered(ann)).toEqual(['Ben', 'Cleo']);
    expect((await dora.get(`/api/meetings/${id}/about`)).status).toBe(200);
    expect(await offered(ann)).toEqual(['Ben', 'Cleo', 'Dora']);
    // By a team: only to its members, and while it gives access.
    const team = await makeGroup(ben, [eve]);
    await sql`insert into meeting_access (meeting_id, kind, principal_id, permissions) values (${id}, 'group', ${team}, '{read,comment}')`;
    expect(await offered(ben)).toEqual(['Ann', 'Cleo', 'Dora', 'Eve']);
    expect(await offered(eve)).toEqual(['Ann', 'Ben', 'Cleo', 'Dora']);
    expect(await offered(ann)).toEqual(['Ben', 'Cleo', 'Dora']);
    // By a link alone nobody of the list is named.
    await share(house, id, 'anonymous', ['read', 'comment']);
    expect((await fay.post('/api/folders', { path: '/Hers' })).status).toBe(200);
    await sql`update meetings set folder_id = (select id from folders where owner_id = ${fay.id} and name = 'Hers') where id = ${id}`;
    expect(await offered(gus)).toEqual(['Ann']);
    expect(await offered(ben)).toContain('Fay');
    await sql`update meetings set folder_id = null where id = ${id}`;
    await sql`delete from meeting_access where meeting_id = ${id} and kind = 'anonymous'`;
    // By a folder, as by the list of the recording; a person who only finds it is not offered.
    const folder = await ann.post('/api/folders', { path: '/Talks' });
    expect(folder.status, folder.text).toBe(200);
    await sql`update meetings set folder_id = (select id from folders where owner_id = ${ann.id} and name = 'Talks') where id = ${id}`;
    await sql`
      insert into folder_access (folder_id, kind, principal_id, permissions, seen_at)
      select folder_id, 'user', who, '{read}', now() from meetings, unnest(${[fay.id, gus.id]}::text[]) who where id = ${id}`;
    await sql`update folder_access set permissions = '{discover}' where principal_id = ${gus.id}`;
    expect(await offered(ben)).toEqual(['Ann', 'Cleo', 'Dora', 'Eve', 'Fay']);
    expect((await ben.post(`/api/groups/${team}/deactivate`)).status).toBeLessThan(300);
    await sql`delete from meeting_access where meeting_id = ${id} and principal_id = ${cleo.id}`;
    expect(await offered(ben)).toEqual(['Ann', 'Dora', 'Fay']);
  });

  test('is stored with the mails of its mentions or not at all, and once', async () => {
    const { id, ann, ben, say } = await scene();
    const { id: annId } = (await ann.whoami()).body.principal;
    const text = (words: string) => {
      const content = [
        { type: 'mention', attrs: { id: annId, label: 'Ann' } },
        { type: 'text', text: words },
      ];
      return JSON.stringify({ type: 'doc', content: [{ type: 'paragraph', content }] });
    };
    const mails = async () =>
      (await house.mails(ann.email)).filter(({ subject }) => subject.includes('mentioned you')).length;
    const [plain, own] = [await say(ben), await say(ben, { private: true, text: text('own') })];
    const { sql } = house.database;
    const ways: (readonly [string, object | undefined])[] = [
      ['comments', { start: 1, end: 2, text: text('is this so?') }],
      [`comments/${plain.id}/update`, { text: text('and this?') }],
      [`outcomes/${own.id}/reveal/comment`, undefined],
    ];
    // The first mail is refused. A sequence counts it, because a rollback leaves sequences as they are.
    await sql`create sequence mail_tries`;
    await sql`
      create function refuse_first_mail() returns trigger language plpgsql as
      'begin if nextval(''mail_tries'') = 1 then raise exception ''refused''; end if; return new; end'`;
    await sql`
      create trigger refuse_first_mail before insert on mail_outbox for each row execute function refuse_first_mail()`;
    for (const [i, [way, body]] of ways.entries()) {
      await sql`alter sequence mail_tries restart`;
      const headers = { 'X-Request-ID': newId() };
      const ask = () => ben.post(`/api/meetings/${id}/${way}`, body, { headers });
      // A second try succeeds only where the first one stored neither the comment nor the answer.
      const first = await ask();
      const [tries] = await sql<{ last_value: string }[]>`select last_value from mail_tries`;
      expect([first.status, await mails(), Number(tries?.last_value)]).toEqual([200, i + 1, 2]);
      const second = await ask();
      expect([second.status, second.body, await mails()]).toEqual([200, first.body, i + 1]);
    }
    await sql`drop trigger refuse_first_mail on mail_outbox`;
    expect((await get(ann, id)).doc.comments).toHaveLength(3);
  });

  test('is stored in our format, and never as anything that runs', async () => {
    const { id, ann } = await scene();
    const text = (href: string) =>
      JSON.stringify({
        type: 'doc',
        content: [
          {
            type: 'paragraph',
            onclick: 'alert(1)',
            content: [{ type: 'text', text: 'Look', marks: [{ type: 'link', attrs: { href, onclick: 'x' } }] }],
          },
        ],
      });
    const post = (href: string) => ann.post(`/api/meetings/${id}/comments`, { start: 1, end: 2, text: text(href) });
    expect((await post('javascript:alert(1)')).status).toBe(422);
    const { comment } = (await post('https://example.org/a')).body;
    expect(JSON.parse(comment.text)).toEqual({
      type: 'doc',
      content: [
        {
          type: 'paragraph',
          content: [
            { type: 'text', text: 'Look', marks: [{ type: 'link', attrs: { href: 'https://example.org/a' } }] },
          ],
        },
      ],
    });
    expect(plainOf(comment.text)).toBe('Look');
  });
});

describe('a private annotation', () => {
  test('reaches nobody else: not by the meeting, not by a socket, not by its id', async () => {
    const { id, ann, ben, tag, say } = await scene();
    const secret = `secret${newId()}`;
    const watching = await Promise.all(
      ['transcript', 'outcomes', 'comments', 'notes'].map((part) => open(ann, `${id}/${part}`)),
    );
    const outcome = await tag(ben, { private: true, text: secret });
    const comment = await say(ben, { private: true, text: secret });
    const own = await open(ben, `${id}/notes`);
    await until(() => readAnnotations(own.doc, 'comment', 'private').length === 1);
    expect(readAnnotations(own.doc, 'outcome', 'private')).toEqual([stored(outcome)]);
    expect((await get(ben, id)).doc).toMatchObject({ outcomes: [outcome], comments: [comment] });

    expect((await ann.get(`/api/meetings/${id}`)).text).not.toContain(secret);
    // The later outcome has arrived, and no private one before it.
    const [told] = [await tag(ben, { text: 'for all' })];
    const seen = watching[1];
    if (!seen) throw new Error('nobody watches');
    await until(() => readAnnotations(seen.doc, 'outcome', 'shared').length === 1);
    expect(idsIn(readAnnotations(seen.doc, 'outcome', 'shared'))).toEqual([told.id]);
    for (const { doc } of watching) expect(Buffer.from(Y.encodeStateAsUpdate(doc)).includes(secret)).toBe(false);
    for (const what of [outcome, comment]) {
      const kind = what === outcome ? 'outcomes' : 'comments';
      const body = kind === 'outcomes' ? { outcome: { text: 'mine' } } : { text: 'mine' };
      expect((await ann.post(`/api/meetings/${id}/${kind}/${what.id}/update`, body)).status).toBe(404);
      expect((await ann.delete(`/api/meetings/${id}/${kind}/${what.id}`)).status).toBe(404);
      expect((await ann.post(`/api/meetings/${id}/outcomes/${what.id}/reveal/${kind.slice(0, -1)}`)).status).toBe(403);
    }
    expect(house.log()).not.toContain(secret);
  });

  test('is revealed when its author says so, once, and only by the server', async () => {
    const { id, ann, ben, say, reveal } = await scene();
    const began = await say(ann);
    const comment = await say(ben, { private: true, parent: began.id, text: 'I doubt it' });
    const headers = { 'X-Request-ID': newId() };
    const shown = await reveal(ben, comment, 'comment', { headers });
    expect(shown.body.comment).toMatchObject({
      id: comment.id,
      private: false,
      parent: began.id,
      rev: 2,
      text: comment.text,
    });
    expect((await reveal(ben, comment, 'comment', { headers })).text).toBe(shown.text);
    expect((await reveal(ben, comment, 'comment')).body).toEqual(shown.body);
    expect(idsIn((await get(ben, id)).doc.comments).toSorted()).toEqual([began.id, comment.id].toSorted());
    expect(idsIn((await get(ann, id)).doc.comments).toSorted()).toEqual([began.id, comment.id].toSorted());
  });

  test('loses no change that its author makes while it is revealed', async () => {
    const { id, ben, say } = await scene();
    let both = 0;
    // Repeated until reveal and change meet often enough; each acknowledged change must be in the result.
    for (let round = 0; round < 200 && both < 10; round += 1) {
      const name = `shown${round}`;
      await say(ben, { id: name, private: true });
      const [shown, changed] = await Promise.all([
        ben.post(`/api/meetings/${id}/outcomes/${name}/reveal/comment`),
        ben.post(`/api/meetings/${id}/comments/${name}/update`, { text: `New words ${round}` }),
      ]);
      expect(shown.status, shown.text).toBe(200);
      if (changed.status !== 200) continue;
      both += 1;
      const comment = (await get(ben, id)).doc.comments.find((one: { id: string }) => one.id === name);
      expect(comment).toMatchObject({
        private: false,
        text: expect.stringMatching(new RegExp(`New words ${round}\\b`)),
      });
    }
    expect(both).toBeGreaterThan(0);
  });

  test('is checked again when it is revealed: author and times written by a program are ignored', async () => {
    const { id, ben, reveal, tag } = await scene();
    const outcome = await tag(ben, { private: true });
    const own = await open(ben, `${id}/notes`);
    await until(() => readAnnotations(own.doc, 'outcome', 'private').length === 1);
    const forged = {
      ...outcome,
      author: { id: 'boss', kind: 'user' as const, name: 'The boss' },
      createdAt: '1999-01-01T00:00:00Z',
      automatic: true,
    };
    writeAnnotation(own.doc, 'outcome', forged, 'private', 'forger');
    writeAnnotation(own.doc, 'outcome', { ...forged, id: 'wild', type: 'wishes' }, 'private', 'forger');
    await until(async () => (await get(ben, id)).doc.outcomes.length === 2);
    const shown = (await reveal(ben, outcome, 'outcome')).body.outcome;
    expect(shown).toMatchObject({ automatic: false, author: { name: expect.stringContaining('Ben') } });
    expect(shown.createdAt).not.toContain('1999');
    expect(await reveal(ben, { id: 'wild' }, 'outcome')).toMatchObject({ status: 422, problem: { code: 'INVALID' } });
  });
});

test('annotations stay at their words through edits, and when the document is replaced', async () => {
  const { id, ann, tag } = await scene();
  const before = await get(ann, id);
  const segment = before.doc.transcript.segments[3];
  if (!segment) throw new Error('no segment');
  const outcome = await tag(ann, { start: segment.start, end: segment.words[2]?.t });
  await house.house.rooms.change(id, 'transcript', { userId: null, origin: 'test' }, (doc) =>
    textOf(doc).insert(1, 'Well, and so on. '),
  );
  const restored = await ann.post(`/api/meetings/${id}/versions/${before.version}/restore`);
  expect(restored.status, restored.text).toBe(200);
  expect((await get(ann, id)).doc.outcomes).toMatchObject([
    { id: outcome.id, quote: outcome.quote, start: outcome.start },
  ]);
});

test('G06: a text that a writer deleted as a whole is back in one step, with what stands on its words', async () => {
  const { id, ann, ben, tag } = await scene();
  const before = await get(ann, id);
  const segment = before.doc.transcript.segments[3];
  if (!segment) throw new Error('no segment');
  const outcome = await tag(ann, { start: segment.start, end: segment.words[2]?.t });
  await house.house.rooms.change(id, 'transcript', { userId: ben.id, origin: 'test' }, (doc) =>
    textOf(doc).delete(0, textOf(doc).length),
  );
  expect((await get(ann, id)).doc.transcript.segments.flatMap(({ words }) => words)).toEqual([]);
  const restored = await ann.post(`/api/meetings/${id}/versions/${before.version}/restore`);
  expect(restored.status, restored.text).toBe(200);
  const { doc } = await get(ann, id);
  expect(doc.transcript.segments.map(({ text }) => text)).toEqual(
    before.doc.transcript.segments.map(({ text }) => text),
  );
  expect(doc.outcomes).toMatchObject([{ id: outcome.id, quote: outcome.quote, start: outcome.start }]);
});

test('annotations are in files of people who may read them, and private ones in none of others', async () => {
  const { id, ann, ben, tag, say } = await scene();
  const secret = `secret${newId()}`;
  await tag(ben, { text: 'to be done' });
  await say(ben, { text: 'is that so' });
  await tag(ben, { text: secret, private: true });
  await say(ben, { text: secret, private: true });
  const file = async (by: Person, format: string, options: object) =>
    (await by.post(`/api/export/${id}`, { format, options })).text;
  const all = { outcomes: true, comments: true, summary: true };
  const { version } = await get(ann, id);
  const meeting = { 'doc.summary': [{ id: 'all', text: 'in short' }] };
  expect((await ann.put(`/api/meetings/${id}`, { meeting, version })).status).toBe(200);
  expect((await ben.put(`/api/meetings/${id}/summary/own`, { summary: [{ text: secret }] })).status).toBe(200);
  for (const format of ['MARKDOWN', 'JSON', 'RAE']) {
    expect(await file(ann, format, {})).not.toContain('to be done');
    const own = await file(ben, format, { ...all, private: true });
    const theirs = await file(ann, format, { ...all, private: true });
    expect(theirs).toContain('to be done');
    expect(theirs).toContain('is that so');
    expect(theirs).toContain('in short');
    expect(theirs).not.toContain(secret);
    expect(own.split(secret)).toHaveLength(4);
    expect(await file(ben, format, all)).not.toContain(secret);
  }
  const print = async (by: Person, options: object) =>
    readPdf((await by.post(`/api/export/${id}`, { format: 'RAE', options: { ...options, fileType: 'pdf' } })).bytes)
      .whole;
  const theirs = await print(ann, { ...all, private: true });
  expect(theirs).toContain('is that so');
  expect(theirs).not.toContain(secret);
  expect(await print(ben, all)).not.toContain(secret);
  expect((await print(ben, { ...all, private: true })).includes(secret)).toBe(true);
  // Files are in the language of the person who asks for them.
  expect((await ben.post('/api/principals/me', { language: 'es' })).status).toBe(200);
  expect(await file(ben, 'MARKDOWN', all)).toContain('## Resumen');
});

describe('the summary', () => {
  const put = async (by: Person, id: string, summary: object[]) => {
    const { version } = await get(by, id);
    const answer = await by.put(`/api/meetings/${id}`, { meeting: { 'doc.summary': summary }, version });
    expect(answer.status, answer.text).toBe(200);
  };

  test('belongs to the document: in its order, live, in its versions, and restored with them', async () => {
    const { id, ann, cleo } = await scene();
    const seen = await open(cleo, `${id}/transcript`);
    await put(ann, id, [
      { id: 'b', text: 'Then this' },
      { id: 'a', text: 'And that' },
    ]);
    await until(() => readSummary(seen.doc, 'shared').length === 2);
    const { doc, version } = await get(cleo, id);
    expect(doc.summary).toEqual([
      { id: 'b', text: 'Then this', order: 1024 },
      { id: 'a', text: 'And that', order: 2048 },
    ]);
    // A person types in it while a program changes it: both changes stay.
    const hand = await open(ann, `${id}/transcript`);
    const text = summaryText(hand.doc, 'shared', 'b');
    expect(text).not.toBeNull();
    await put(ann, id, [{ id: 'b', text: 'Then this, in short', order: 1024 }]);
    text?.insert(0, 'First and ');
    await until(() => readSummary(seen.doc, 'shared')[0]?.text === 'First and Then this, in short');
    expect(idsIn((await get(cleo, id)).doc.summary)).toEqual(['b']);
    expect((await cleo.put(`/api/meetings/${id}`, { meeting: { 'doc.summary': [] }, version })).status).toBe(403);

    expect((await ann.post(`/api/meetings/${id}/versions/${version}/restore`)).status).toBe(200);
    expect((await get(cleo, id)).doc.summary).toEqual(doc.summary);
  });

  test('stays private until it is revealed, behind the shared points', async () => {
    const { id, ann, ben, reveal } = await scene();
    await share(house, id, ben, roles.canEdit);
    await put(ann, id, [{ id: 'all', text: 'For all' }]);
    const own = `/api/meetings/${id}/summary/own`;
    const mine = [
      { id: 'one', text: 'To myself', order: 1 },
      { id: 'two', text: 'And this', order: 2 },
    ];
    expect((await ben.put(own, { summary: mine })).body).toEqual({ summary: mine });
    expect((await ann.get(own)).body).toEqual({ summary: [] });
    expect(idsIn((await get(ben, id)).doc.summary)).toEqual(['all']);
    expect((await reveal(ann, { id: 'one' }, 'summary')).status).toBe(403);

    const seen = await open(ann, `${id}/transcript`);
    const headers = { 'X-Request-ID': newId() };
    const shown = await reveal(ben, { id: 'one' }, 'summary', { headers });
    expect(shown.body).toEqual({ summary: { id: 'one', text: 'To myself', order: 2048 } });
    await until(() => readSummary(seen.doc, 'shared').length === 2);
    expect((await reveal(ben, { id: 'one' }, 'summary', { headers })).body).toEqual(shown.body);
    expect((await ben.get(own)).body).toEqual({ summary: mine.slice(1) });
    expect(idsIn((await get(ann, id)).doc.summary)).toEqual(['all', 'one']);
  });

  test('from a program that writes the private room itself is checked in the same way', async () => {
    const { id, ann, reveal } = await scene();
    const room = await open(ann, `${id}/notes`);
    addSummary(room.doc, 'private', { id: 'long', order: 1, text: 'x'.repeat(10_000) }, 'test');
    summaryText(room.doc, 'private', 'long')?.insert(0, 'And more. ');
    room.doc.getMap('private').set('summary:a b', new Y.Map([['text', 'A name that is none']]));
    room.doc.getMap('private').set('summary:number', new Y.Map<unknown>([['text', 7]]));
    await until(() => room.provider.state.pending === 0);
    expect((await reveal(ann, { id: 'a%20b' }, 'summary')).status).toBe(403);
    expect((await reveal(ann, { id: 'number' }, 'summary')).status).toBe(422);
    // Nothing of it is cut off: it stays where it is.
    expect((await reveal(ann, { id: 'long' }, 'summary')).status).toBe(422);
    expect(summaryText(room.doc, 'private', 'long')?.length).toBe(10_010);
  });

  test('keeps private text that was written after the point was revealed', async () => {
    const { id, ann, ben, reveal } = await scene();
    await share(house, id, ben, roles.canEdit);
    const own = `/api/meetings/${id}/summary/own`;
    const kept = [{ id: 'twin', text: 'What I really think', order: 1 }];
    // As if the server had crashed between both steps, and the author had continued to write.
    await put(ann, id, [{ id: 'twin', text: 'What I said' }]);
    await ben.put(own, { summary: kept });
    expect((await reveal(ben, { id: 'twin' }, 'summary')).status).toBe(409);
    expect((await ben.get(own)).body).toEqual({ summary: kept });
    await ben.put(own, { summary: [{ ...kept[0], text: 'What I said' }] });
    expect((await reveal(ben, { id: 'twin' }, 'summary')).status).toBe(200);
    expect((await ben.get(own)).body).toEqual({ summary: [] });
  });
});

describe('the outcomes of a document', () => {
  test('are those of each person’s account, until some are chosen for it', async () => {
    const { id, ann, ben, cleo, tag } = await scene();
    expect((await ann.post('/api/principals/me', { accountType: 'coach' })).status).toBe(200);
    const typesOf = async (person: Person) => (await get(person, id)).doc.outcomesSchema.map(({ id: type }) => type);
    const preferred = async (person: Person) => {
      const { preferredOutcomesSchema: schema, preferredOutcomesModel: model } = (await get(person, id)).doc;
      return { schema, model };
    };
    const put = async (by: Person, meeting: object) => {
      const { version } = await get(ann, id);
      return by.put(`/api/meetings/${id}`, { meeting, version });
    };
    const meeting = ['actionItems', 'decisions', 'problems', 'questions', 'notes', 'vNotes'];
    expect(await typesOf(ben)).toEqual(meeting);
    expect((await typesOf(ann))[0]).toBe('ethics');
    expect(await preferred(ann)).toEqual({ schema: null, model: null });
    const before = await ben.get(`/api/meetings/${id}`);

    const live = await open(cleo, `${id}/transcript`);
    expect((await put(ann, { 'doc.preferredOutcomesModel': 'coaching' })).status).toBe(200);
    expect(await preferred(cleo)).toEqual({ schema: 'coach', model: 'coaching' });
    await until(() => readPreferred(live.doc)?.model === 'coaching');
    expect(before.body.doc.outcomesSchema[0]).toMatchObject({
      ...{ id: 'actionItems', label: 'Action item', labelPlural: 'Action items' },
      description: 'What someone is going to do',
    });
    const headers = { 'If-None-Match': before.headers.get('etag') ?? '' };
    const after = await ben.get(`/api/meetings/${id}`, { headers });
    expect(after.status).toBe(200);
    expect(after.body.doc.outcomesSchema[0]).toEqual({
      ...{ id: 'ethics', code: 10, color: 0, readOnly: false },
      ...{ label: 'Ethical practice', labelPlural: 'Ethical practice' },
      description: 'Acts honestly and keeps confidences',
      grades: expect.arrayContaining([
        { value: 4, label: '4: throughout' },
        { value: -1, label: 'Not shown at all' },
      ]),
      children: [
        { id: 'ethicsConfidence', label: 'Keeps confidence' },
        { id: 'ethicsBoundaries', label: 'Keeps boundaries' },
      ],
    });
    // Outcomes of another model stay readable.
    await tag(ben);
    expect((await typesOf(cleo)).at(-1)).toBe('actionItems');

    expect((await put(ann, { 'doc.preferredOutcomesSchema': 'individual' })).status).toBe(200);
    expect(await preferred(cleo)).toEqual({ schema: 'individual', model: 'meeting' });
    expect(await typesOf(ann)).toEqual(meeting);
    const both = { 'doc.preferredOutcomesSchema': 'individual', 'doc.preferredOutcomesModel': 'coaching' };
    expect((await put(ann, both)).problem).toMatchObject({
      code: 'INVALID',
      info: { errors: [{ field: 'meeting.preferredOutcomesModel', code: 'invalid' }] },
    });
    expect((await put(ann, { 'doc.preferredOutcomesModel': 'cooking' })).status).toBe(422);
    expect((await put(ben, { 'doc.preferredOutcomesModel': 'meeting' })).status).toBe(403);
    expect((await put(ann, { 'doc.preferredOutcomesModel': null })).status).toBe(200);
    expect(await preferred(cleo)).toEqual({ schema: null, model: null });
  });

  test("have names in the reader's language, and another account has another ETag", async () => {
    const { id, ann } = await scene();
    const first = await ann.get(`/api/meetings/${id}`);
    const headers = { 'If-None-Match': first.headers.get('etag') ?? '' };
    expect((await ann.get(`/api/meetings/${id}`, { headers })).status).toBe(304);
    expect((await ann.post('/api/principals/me', { language: 'es', accountType: 'student' })).status).toBe(200);
    const then = await ann.get(`/api/meetings/${id}`, { headers });
    expect(then.status).toBe(200);
    expect(then.body.doc.outcomesSchema[0]).toMatchObject({ id: 'ethics', label: 'Práctica ética' });
  });
});
