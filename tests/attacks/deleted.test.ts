// S1: text that was deleted before somebody came reaches only people with the permission `history`. Everything the server
// sends to viewers, commenters and people with a link is searched for words that were deleted, by every way.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { exportFormats } from '#shared/formats/formats.ts';
import { newId } from '#shared/ids.ts';
import { textOf } from '#shared/meetings/transcript.ts';
import { roles } from '#shared/roles.ts';
import { until } from '#tests/support/editors.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { share, ticketFor } from '#tests/support/meetings.ts';
import type { Person } from '#tests/support/people.ts';
import { makeRecording } from '#tests/support/recording.ts';

let house: TestHouse;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const parts = ['transcript', 'outcomes', 'comments', 'notes'] as const;
/** Authors and times of a word's insertion and deletion. */
const ways = ['stored', 'typed', 'braces', 'title', 'comment', 'gone', 'outcome'] as const;
type Way = (typeof ways)[number];

test('no byte of deleted text reaches anybody but people with the history, by any way', async () => {
  const [ann, ben, cleo, dan] = (await Promise.all(
    ['Ann', 'Ben', 'Cleo', 'Dan'].map((name) => house.person(name)),
  )) as [Person, Person, Person, Person];
  const stranger = house.stranger();
  const id = await makeRecording(house, ann);
  await share(house, id, ben, roles.canEdit);
  await share(house, id, cleo, roles.canComment);
  await share(house, id, dan, roles.canRead);
  await share(house, id, 'anonymous', ['read']);
  const canaries = Object.fromEntries(ways.map((name) => [name, `canary${newId(18)}`])) as Record<Way, string>;
  const ok = async (asked: ReturnType<Person['post']>) => {
    const answer = await asked;
    expect(answer.status, answer.text).toBeLessThan(300);
    return answer.body;
  };

  // A state from before, as a page that comes back has it.
  const { rooms } = house.house;
  const write = (work: (text: ReturnType<typeof textOf>) => void) =>
    rooms.change(id, 'transcript', { userId: ben.id, origin: 'test' }, (doc) => work(textOf(doc)));
  await write((text) => text.insert(1, `${canaries.stored} `));
  const { room } = await rooms.enter(id, 'transcript', ben.id);
  const snapshots = () => house.database.sql`select 1 from room_snapshots where room = ${room.name}`;
  while ((await snapshots()).length === 0) await room.compact();
  await write((text) => text.delete(1, canaries.stored.length + 1));
  await write((text) => text.insert(1, `${canaries.typed} `));
  await write((text) => text.insert(1, `{${canaries.braces}} `));
  const { version } = (await ben.get(`/api/meetings/${id}`)).body;
  await write((text) => text.delete(1, canaries.typed.length + canaries.braces.length + 4));
  const put = async (meeting: Record<string, unknown>) => {
    const { version: now } = (await ben.get(`/api/meetings/${id}`)).body;
    await ok(ben.put(`/api/meetings/${id}`, { meeting, version: now }));
  };
  for (const title of [canaries.title, 'A title']) await put({ 'doc.title': title });
  const at = { start: 10, end: 14 };
  const { comment } = await ok(ben.post(`/api/meetings/${id}/comments`, { ...at, text: canaries.comment }));
  await ok(ben.post(`/api/meetings/${id}/comments/${comment.id}/update`, { text: 'Is this so?' }));
  const { comment: gone } = await ok(ben.post(`/api/meetings/${id}/comments`, { ...at, text: canaries.gone }));
  await ok(ben.delete(`/api/meetings/${id}/comments/${gone.id}`));
  const outcome = { ...at, type: 'actionItems', text: canaries.outcome };
  const { outcome: made } = await ok(ben.post(`/api/meetings/${id}/outcomes`, { outcome }));
  await ok(ben.post(`/api/meetings/${id}/outcomes/${made.id}/update`, { outcome: { text: 'To do' } }));

  const sockets: WebSocket[] = [];
  /** Asks for the document as a newcomer, and as a client that has a part of it. */
  const listen = async (person: Person, part: string): Promise<Buffer[]> => {
    const into: Buffer[] = [];
    const ticket = await ticketFor(person, `${id}/${part}`);
    const url = `${house.origin.replace('http', 'ws')}/sync/${id}/${part}?saved=1&history=1&ticket=${ticket}`;
    const socket = new WebSocket(url, { perMessageDeflate: false });
    let answers = 0;
    socket.on('message', (bytes: Buffer) => {
      into.push(bytes);
      if (bytes[0] === 0 && bytes[1] === 1) answers += 1;
    });
    sockets.push(socket);
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    socket.send(Buffer.from([0, 0, 1, 0]));
    socket.send(Buffer.from([0, 0, 3, 1, 1, 3]));
    await until(() => answers === 2);
    return into;
  };
  const heardBy = async (person: Person): Promise<Buffer[]> => {
    const heard: Buffer[] = [];
    for (const part of parts) if (person !== stranger || part !== 'notes') heard.push(...(await listen(person, part)));
    const versions = ['/versions', '/versions?by=step&size=100', `/versions/${version}`, '/original'];
    const changes = [`/versions/${version}/changes`, `/versions/${version}/changes?since=1`];
    for (const path of ['', '/about', '/vtt', '/notes', '/summary/own', '/acl', ...versions, ...changes])
      heard.push(Buffer.from((await person.get(`/api/meetings/${id}${path}`)).bytes));
    for (const path of ['/api/meetings', '/api/meetings?query=canary', `/api/outbox?to=${person.email}`])
      heard.push(Buffer.from((await person.get(path)).bytes));
    const options = { outcomes: true, comments: true, summary: true, contents: true, private: true };
    for (const format of exportFormats)
      heard.push(Buffer.from((await person.post(`/api/export/${id}`, { format, options })).bytes));
    const edit = { pos: 0, old: canaries.typed.slice(0, 8), new: 'x', version };
    heard.push(Buffer.from((await person.post(`/api/meetings/${id}/edit`, edit)).bytes));
    return heard;
  };
  const foundBy = async (person: Person): Promise<string[]> => {
    const heard = Buffer.concat(await heardBy(person));
    return Object.entries(canaries).flatMap(([name, word]) => (heard.includes(word) ? [name] : []));
  };

  expect(await foundBy(stranger)).toEqual([]);
  expect(await foundBy(dan)).toEqual([]);
  expect(await foundBy(cleo)).toEqual([]);
  // The same search finds it for an editor.
  expect(await foundBy(ben)).toEqual(expect.arrayContaining([...ways]));
  // The owner can keep it for people who can share.
  const acl = (await ann.get(`/api/meetings/${id}/acl`)).body;
  await ok(ann.post(`/api/meetings/${id}/acl`, { entries: acl.acl.entries, version: acl.version, history: 'own' }));
  expect(await foundBy(ben)).toEqual([]);
  expect(await foundBy(ann)).toEqual(expect.arrayContaining([...ways]));
  for (const socket of sockets) socket.terminate();
});
