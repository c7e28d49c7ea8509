// W1, D2, D4, A1 and A2a for layers of reviews: by a layer's id a person reaches what their rows on it give, and nothing
// of the meeting; when a row ends, so do sockets and writes, at every process.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { accessesByIdOf, accessesOf, readableLayers, standingOf, type Holder } from '#db/access.ts';
import { plainOf } from '#shared/meetings/rich-text.ts';
import { verbs, type Permission } from '#shared/roles.ts';
import { close } from '#sync/protocol.ts';
import { closeEditors, Editor, settled, stored, synced, until } from '../support/editors.ts';
import { openBeside, openHouse, type TestHouse } from '../support/house.ts';
import { makeLayers } from '../support/layers.ts';
import { ownerOf, share, ticketFor } from '../support/meetings.ts';
import type { Person } from '../support/people.ts';
import { makeRecording } from '../support/recording.ts';
import { askFor, seenBy, setStatus } from '../support/reviews.ts';

let house: TestHouse;
let beside: Awaited<ReturnType<typeof openBeside>>;
let ann: Person;
let ben: Person;
let cleo: Person;
/** Recording of Ann; Ben's and Cleo's layers, and the one that says who corrects its words. */
let id: string;
let bens: string;
let cleos: string;
let words: string;
beforeAll(async () => {
  house = await openHouse();
  beside = await openBeside(house);
  [ann, ben, cleo] = (await house.people(3)) as [Person, Person, Person];
});
beforeEach(async () => {
  id = await makeRecording(house, ann, []);
  [bens = '', cleos = '', words = ''] = await makeLayers(house, id, ann, [
    { held: [[ben, ['read', 'comment']]] },
    {
      held: [
        [cleo, ['read', 'comment']],
        [ben, ['read']],
      ],
    },
    {
      kind: 'words',
      held: [
        [ben, ['read', 'write']],
        [cleo, ['read']],
      ],
    },
  ]);
});
afterEach(closeEditors);
afterAll(async () => {
  await beside.stop();
  await house.close();
});

const at = { start: 10, end: 12 };
const say = (person: Person, place: string, text: string, more: object = {}) =>
  person.post(`/api/meetings/${place}/comments`, { ...at, text, ...more });
const tag = (person: Person, place: string, text: string) =>
  person.post(`/api/meetings/${place}/outcomes`, { outcome: { ...at, type: 'decisions', text } });
const textsIn = (items: readonly { text: string }[]) => items.map(({ text }) => plainOf(text));
const codeOf = ({ status, problem }: Awaited<ReturnType<Person['get']>>) => (status < 400 ? null : problem?.code);
const sql = () => house.database.sql;
const without = (layer: string, person: Person) =>
  sql()`delete from layer_access where layer_id = ${layer} and principal_id = ${person.id}`;

describe('over REST', () => {
  test('annotations by a layer’s id are in that layer, and only its readers get them', async () => {
    expect((await say(ben, bens, 'Said in Ben’s')).status).toBe(200);
    expect((await tag(ben, bens, 'Decided in Ben’s')).status).toBe(200);
    expect((await say(ann, id, 'Said in the recording')).status).toBe(200);
    const view = await ben.get(`/api/meetings/${bens}`);
    expect(view.body.doc.id).toBe(bens);
    expect(view.body.doc.transcript.segments.length).toBeGreaterThan(0);
    expect(textsIn(view.body.doc.comments)).toEqual(['Said in Ben’s']);
    expect(textsIn(view.body.doc.outcomes)).toEqual(['Decided in Ben’s']);
    expect(view.body.permissions).toEqual(['read', 'comment', 'write']);
    expect(view.body.doc.acl).toBeNull();
    const whole = await ann.get(`/api/meetings/${id}`);
    expect(textsIn(whole.body.doc.comments)).toEqual(['Said in the recording']);
    expect(whole.body.doc.outcomes).toEqual([]);
    for (const person of [ann, cleo]) expect(codeOf(await person.get(`/api/meetings/${bens}`))).toBe('NO_ACCESS');
    // A layer gives no right on the meeting.
    expect(codeOf(await ben.get(`/api/meetings/${id}`))).toBe('NO_ACCESS');
  });

  test('a meeting’s ETag and version stay when a layer is annotated', async () => {
    const before = await ann.get(`/api/meetings/${id}`);
    await say(ben, bens, 'Said');
    const now = await ann.get(`/api/meetings/${id}`);
    expect(now.headers.get('etag')).toBe(before.headers.get('etag'));
    expect(now.body).toEqual(before.body);
  });

  test('who corrects words may do so by any layer they read, and annotates none that they only read', async () => {
    await say(cleo, cleos, 'Cleo’s', { id: 'cleos' });
    expect(codeOf(await say(ben, cleos, 'No'))).toBe('NO_PERM');
    expect(codeOf(await tag(ben, cleos, 'No'))).toBe('NO_PERM');
    expect(codeOf(await ben.post(`/api/meetings/${cleos}/comments/cleos/update`, { text: 'No' }))).toBe('NO_PERM');
    expect(codeOf(await ben.delete(`/api/meetings/${cleos}/comments/cleos`))).toBe('NO_PERM');
    const { body } = await ben.get(`/api/meetings/${cleos}`);
    const [{ id: pos, text: old }] = body.doc.transcript.segments;
    const edit = (person: Person, place: string, version = body.version) =>
      person.post(`/api/meetings/${place}/edit`, { pos, old, new: `${old} Truly.`, version });
    expect(codeOf(await edit(cleo, cleos))).toBe('NO_PERM');
    expect((await edit(ben, cleos)).status).toBe(200);
    expect((await ann.get(`/api/meetings/${id}`)).body.doc.transcript.segments[0].text).toBe(`${old} Truly.`);
  });

  test('a closed text is closed by a layer, too; annotating goes on', async () => {
    expect((await ann.post(`/api/meetings/${id}/close`, { name: 'Done' })).status).toBe(200);
    const { body } = await ben.get(`/api/meetings/${bens}`);
    expect(body.permissions).toEqual(['read', 'comment']);
    const [{ id: pos, text: old }] = body.doc.transcript.segments;
    const edit = { pos, old, new: 'Other', version: body.version };
    expect(codeOf(await ben.post(`/api/meetings/${bens}/edit`, edit))).toBe('CLOSED');
    expect(codeOf(await cleo.post(`/api/meetings/${cleos}/edit`, edit))).toBe('NO_PERM');
    expect((await say(ben, bens, 'Still')).status).toBe(200);
  });

  test('what is private stays the person’s own, and is revealed into the layer', async () => {
    await say(ben, bens, 'Mine', { id: 'mine', private: true });
    expect((await ben.get(`/api/meetings/${bens}`)).body.doc.comments).toHaveLength(1);
    expect((await ben.post(`/api/meetings/${bens}/outcomes/mine/reveal/comment`)).status).toBe(200);
    const { doc } = await stored(sql(), `${id}/layer/${bens}`);
    expect([...doc.getMap('comments').keys()]).toEqual(['mine']);
    expect((await ann.get(`/api/meetings/${id}`)).body.doc.comments).toEqual([]);
  });

  test('calls whose row names no layer give NO_ACCESS for one, also to the owner of the recording', async () => {
    const all: Permission[] = ['read', 'comment', 'write', 'own'];
    await share(house, id, ben, all);
    const found = Object.entries(verbs).filter(([name, { layer, needs }]) => !layer && needs && name.includes('/:id'));
    expect(found.length).toBeGreaterThan(25);
    for (const [name] of found) {
      if (name.includes('access-requests')) continue;
      const [method = '', pattern = ''] = name.split(' ');
      const path = pattern.replace(':id', bens).replaceAll(/:\w+/g, '1');
      const sent = method === 'GET' ? undefined : {};
      for (const person of [ann, ben]) {
        const code = codeOf(await person.call(method, path, sent));
        // A body that does not fit is refused before anybody asks whose the id is.
        expect(['NO_ACCESS', 'INVALID', 'TYPE'], name).toContain(code);
      }
    }
    const ticket = (room: string) => ben.post('/api/sync/tickets', { room });
    for (const part of ['outcomes', 'comments']) expect(codeOf(await ticket(`${bens}/${part}`))).toBe('NO_ACCESS');
    expect(codeOf(await ticket(`${id}/layer`))).toBe('NO_ACCESS');
  });

  test('only who may read a layer is told of it, by an account or a confirmed address', async () => {
    const idsOf = async (person: Person) => (await readableLayers(sql(), person.id, id)).map((one) => one.id);
    expect((await idsOf(ben)).toSorted()).toEqual([bens, cleos, words].toSorted());
    expect((await idsOf(cleo)).toSorted()).toEqual([cleos, words].toSorted());
    expect(await idsOf(ann)).toEqual([]);
    await sql()`insert into layer_access (layer_id, meeting_id, kind, principal_id, permissions)
      values (${bens}, ${id}, 'pending', ${ann.email.toLowerCase()}, ${['read']})`;
    expect(await idsOf(ann)).toEqual([bens]);
    expect((await ann.get(`/api/meetings/${bens}`)).status).toBe(200);
    // Asked for meetings alone, an id of a layer is none.
    expect(await accessesOf(sql(), [{ meetingId: bens, userId: ben.id }])).toEqual([null]);
    const [found] = await accessesByIdOf(sql(), [{ meetingId: bens, userId: ben.id }]);
    expect(found).toMatchObject({ meetingId: id, layerId: bens });
    await ann.delete(`/api/meetings/${id}`);
    expect(await idsOf(ben)).toEqual([]);
    expect(codeOf(await ben.get(`/api/meetings/${bens}`))).toBe('NO_ACCESS');
  });
});

describe('live', () => {
  const editor = async (person: Person, room: string, origin = house.origin) =>
    new Editor({ room, at: () => origin, ticket: await ticketFor(person, room) });

  test('W1 D4 a layer’s id reaches its room, the transcript and one’s own notes', async () => {
    const [layer, transcript, notes, readers] = [
      await editor(ben, `${bens}/layer`),
      await editor(ben, `${bens}/transcript`),
      await editor(ben, `${bens}/notes`),
      await editor(cleo, `${cleos}/transcript`),
    ];
    await synced([layer, transcript, notes, readers]);
    expect([layer, transcript, notes, readers].map(({ provider }) => provider.canWrite)).toEqual([
      false,
      true,
      true,
      false,
    ]);
    await say(ben, bens, 'Live', { id: 'live' });
    await until(() => layer.doc.getMap('comments').has('live'));
    const owner = await editor(ann, `${id}/transcript`);
    await synced([owner]);
    const token = transcript.type();
    await settled([transcript]);
    await until(() => owner.text.toString().includes(token) && readers.text.toString().includes(token));
  });

  test('D2 a layer one may not read and one that does not exist get the same answer', async () => {
    const cookie = [...cleo.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const knock = (room: string) =>
      new Promise((resolve) => {
        const socket = new WebSocket(`${house.origin.replace('http', 'ws')}/sync/${room}`, {
          headers: { origin: house.origin, cookie },
        });
        socket.on('unexpected-response', (_request, { statusCode }) => {
          socket.terminate();
          resolve(statusCode);
        });
        socket.on('error', () => {});
      });
    expect(await knock(`${bens}/layer`)).toBe(403);
    expect(await knock('nothing/layer')).toBe(403);
    expect(await knock(`${cleos}/comments`)).toBe(403);
    expect(await knock(`${id}/layer`)).toBe(403);
  });

  test('P3b who watches or oversees is seen where observers are shown, and no reviewer before the review opens', async () => {
    const roles = [[ben, 'required'] as const, [cleo, 'watcher'] as const];
    /** People whom Ann sees in the transcript, once each of them, and she, has said to be there. */
    const seenWith = async (observers: boolean) => {
      const meeting = await makeRecording(house, ann, []);
      const review = await askFor(ann, meeting, { roles, observers });
      const owner = await editor(ann, `${meeting}/transcript`);
      const people = await Promise.all(
        [ben, cleo].map(async (person) => editor(person, `${(await seenBy(person, review)).cloneId}/transcript`)),
      );
      await synced([owner, ...people]);
      for (const { provider } of [owner, ...people]) provider.awareness.setLocalState({ cursor: null });
      const { awareness } = owner.provider;
      const seen = () =>
        [...awareness.getStates()].flatMap(([client, { user }]) =>
          client === awareness.clientID ? [] : (user as { id: string }).id,
        );
      // Behind an edit, nothing is on its way of what was said before.
      const [corrects] = people;
      const token = corrects?.type() ?? '';
      await until(() => owner.text.toString().includes(token));
      return { seen, review };
    };
    const shown = await seenWith(true);
    await until(() => shown.seen().length > 0);
    expect(shown.seen()).toEqual([cleo.id]);
    const hidden = await seenWith(false);
    expect(hidden.seen()).toEqual([]);
    const veilOf = async (person: Person, { meetingId }: { meetingId: string }) =>
      (await accessesByIdOf(sql(), [{ meetingId, userId: person.id }]))[0]?.veil.by;
    expect(await veilOf(cleo, shown.review)).toEqual([]);
    for (const [person, review] of [
      [ben, shown.review],
      [ben, hidden.review],
      [cleo, hidden.review],
    ] as const)
      expect(await veilOf(person, review)).toEqual([review.id]);
    await setStatus(ben, hidden.review, 'complete');
    for (const person of [ben, cleo]) expect(await veilOf(person, hidden.review)).toEqual([]);
    await until(() => hidden.seen().length === 2);
  });

  test('A1 who loses a right on a layer receives and writes nothing more, at another process, too', async () => {
    const there = `http://127.0.0.1:${beside.port}`;
    const [layer, transcript, other] = [
      await editor(ben, `${bens}/layer`, there),
      await editor(ben, `${bens}/transcript`, there),
      await editor(cleo, `${cleos}/layer`, there),
    ];
    await synced([layer, transcript, other]);
    await sql()`update layer_access set permissions = ${['read']} where layer_id = ${words} and principal_id = ${ben.id}`;
    await until(() => !transcript.provider.canWrite);
    await without(bens, ben);
    await until(() => layer.closes.includes(close.noAccess) && transcript.closes.includes(close.noAccess));
    await sql()`update reviews set deleted_at = now() where meeting_id = ${id}`;
    expect(other.closes).toEqual([]);
  });

  test('A2a a write over REST waits for a change of the rights it needs, and is refused when they end', async () => {
    const holder = async (layerId: string, held: Permission[]): Promise<Holder> => ({
      ...(await ownerOf(house, id, ben)),
      layerId,
      held: new Set(held),
    });
    const standing = async (given: Holder) => {
      const [row] = await sql()`select ${standingOf(sql(), given)} as standing`;
      return row?.['standing'];
    };
    expect(await standing(await holder(bens, ['read', 'comment']))).toBe('held');
    expect(await standing(await holder(bens, ['read', 'write']))).toBe('held');
    expect(await standing(await holder(cleos, ['read', 'write']))).toBe('held');
    expect(await standing(await holder(cleos, ['read', 'comment']))).toBe('less');
    expect(await standing({ ...(await holder(bens, ['read'])), meetingId: 'another' })).toBe('less');
    // By the meeting's id a layer gives nothing.
    expect(await standing({ ...(await holder(bens, ['read'])), layerId: null })).toBe('less');
    let answer: ReturnType<typeof say> | null = null;
    await sql().begin(async (tx) => {
      await tx`select 1 from layers where id = ${bens} for no key update`;
      await tx`delete from layer_access where layer_id = ${bens}`;
      expect(await standing(await holder(bens, ['read']))).toBe('busy');
      answer = say(ben, bens, 'Late');
      await until(async () => {
        const rows = await sql()`select 1 from pg_stat_activity where datname = current_database()
          and wait_event_type = 'Lock' and query ilike '%from layers%for share%'`;
        return rows.length > 0;
      });
    });
    expect(codeOf(await (answer as unknown as ReturnType<typeof say>))).toBe('NO_ACCESS');
    expect((await stored(sql(), `${id}/layer/${bens}`)).doc.getMap('comments').size).toBe(0);
  });
});
