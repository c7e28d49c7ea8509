// S1: private annotations reach nobody else before they are revealed. Everything the server sends to other people is
// recorded as it comes over the wire and searched: plain, in base64, and in hexadecimal.
import { WebSocket } from 'ws';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exportFormats } from '#shared/formats/formats.ts';
import { newId } from '#shared/ids.ts';
import { roles } from '#shared/roles.ts';
import { archived, inArchive } from '#tests/support/archives.ts';
import { indexAll } from '#tests/support/finding.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { share, ticketFor } from '#tests/support/meetings.ts';
import type { Person } from '#tests/support/people.ts';
import { makeRecording } from '#tests/support/recording.ts';
import { until } from '#tests/support/editors.ts';

let house: TestHouse;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

/** Every form in which bytes are put into a text. */
function shapesOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  // The bytes before a secret shift its letters in base64; those at its ends depend on their neighbours.
  const shifted = [0, 1, 2].map((before) =>
    Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .slice(before === 0 ? 0 : 4, -4),
  );
  return [secret, ...shifted, bytes.toString('hex'), [...secret].map((letter) => `${letter}\0`).join('')];
}
const holds = (heard: readonly Buffer[], secret: string): boolean =>
  shapesOf(secret).some((shape) => heard.some((bytes) => bytes.includes(shape)));

const parts = ['transcript', 'outcomes', 'comments', 'notes'];

test('no byte of what is private reaches anybody else, by any way, until it is revealed', async () => {
  const [ann, ben, cleo] = [await house.person('Ann'), await house.person('Ben'), await house.person('Cleo')];
  const stranger = house.stranger();
  const id = await makeRecording(house, ann);
  await share(house, id, ben, roles.canEdit);
  await share(house, id, cleo, ['read']);
  await share(house, id, 'anonymous', ['read']);
  const heard: Buffer[] = [];
  const sockets: WebSocket[] = [];
  const listen = async (person: Person, part: string, into: Buffer[]) => {
    const ticket = await ticketFor(person, `${id}/${part}`);
    const url = `${house.origin.replace('http', 'ws')}/sync/${id}/${part}?ticket=${ticket}`;
    const socket = new WebSocket(url, { perMessageDeflate: false });
    socket.on('message', (bytes: Buffer) => into.push(bytes));
    sockets.push(socket);
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    // Asks for the document, as each client that connects does.
    socket.send(Buffer.from([0, 0, 1, 0]));
  };
  for (const part of parts) {
    await listen(ann, part, heard);
    await listen(cleo, part, heard);
    if (part !== 'notes') await listen(stranger, part, heard);
  }

  const word = () => `canary${newId(18)}`;
  const secrets = {
    outcome: word(),
    comment: word(),
    answer: word(),
    notes: word(),
    gone: word(),
    point: word(),
    kept: word(),
  };
  const ok = async (asked: ReturnType<Person['post']>) => {
    const answer = await asked;
    expect(answer.status, answer.text).toBeLessThan(300);
    return answer.body;
  };
  const at = { start: 10, end: 14, private: true };
  const { comment: open } = await ok(cleo.post(`/api/meetings/${id}/comments`, { ...at, text: 'to myself' }));
  const { outcome } = await ok(
    ben.post(`/api/meetings/${id}/outcomes`, { outcome: { ...at, type: 'notes', text: secrets.outcome } }),
  );
  const { comment } = await ok(ben.post(`/api/meetings/${id}/comments`, { ...at, text: secrets.comment }));
  await ok(ben.post(`/api/meetings/${id}/comments`, { ...at, text: secrets.answer, parent: comment.id }));
  const noted = { type: 'doc', content: [{ type: 'paragraph', content: [{ type: 'text', text: secrets.notes }] }] };
  await ok(ben.put(`/api/meetings/${id}/notes`, { text: JSON.stringify(noted) }));
  await ok(
    ben.put(`/api/meetings/${id}/summary/own`, {
      summary: [
        { id: 'point', text: secrets.point },
        { id: 'kept', text: secrets.kept },
      ],
    }),
  );
  const gone = await ok(ben.post(`/api/meetings/${id}/comments`, { ...at, text: secrets.gone }));
  await ok(ben.delete(`/api/meetings/${id}/comments/${gone.comment.id}`));
  await ok(ben.post(`/api/meetings/${id}/outcomes/${outcome.id}/update`, { outcome: { grade: -1 } }));

  const search = { name: 'canary', query: 'canary' };
  for (const person of [ann, cleo]) await ok(person.post('/api/searches', search));
  const searches = [
    ...['meetings', 'finds', 'finds.csv', 'aggs'].map((list) => `${list}?query=canary`),
    ...['aggs', 'tags?like=canary', 'searches', 'searches/counts', 'actions'],
  ].map((path) => `/api/${path}`);
  /** Answers to what is looked for, and files of archives, in which words are looked for as well. */
  const searched: Buffer[] = [];
  const packed: Buffer[] = [];
  const lookFor = async (person: Person) => {
    for (const path of searches) searched.push(Buffer.from((await person.get(path)).bytes));
    if (person === stranger) return;
    const { id: archive, state } = await archived(person, { ids: [id] });
    expect(state).toBe('ready');
    const { bytes } = await person.get(`/api/archives/${archive}`);
    await inArchive(bytes, async (zip) => {
      for (const [name, entry] of zip.entries) packed.push(await zip.readWhole(name, entry.bytes));
    });
  };
  const paths = ['', '/about', '/versions', '/original', '/notes', '/summary/own', '/vtt'].map(
    (path) => `/api/meetings/${id}${path}`,
  );
  const look = async () => {
    await indexAll(house);
    [searched.length, packed.length] = [0, 0];
    for (const person of [ann, cleo, stranger]) await lookFor(person);
    heard.push(...searched, ...packed);
    for (const person of [ann, cleo, stranger]) {
      for (const path of [...paths, '/api/meetings']) heard.push(Buffer.from((await person.get(path)).bytes));
      for (const format of exportFormats) {
        const options = { outcomes: true, comments: true, summary: true, private: true };
        heard.push(Buffer.from((await person.post(`/api/export/${id}`, { format, options })).bytes));
      }
      for (const { id: itemId } of [outcome, comment, open]) {
        const tries = [
          person.post(`/api/meetings/${id}/outcomes/${itemId}/update`, { outcome: { text: 'x' } }),
          person.post(`/api/meetings/${id}/comments/${itemId}/update`, { resolved: true }),
          ...(person === cleo && itemId === open.id ? [] : [person.delete(`/api/meetings/${id}/comments/${itemId}`)]),
          person.post(`/api/meetings/${id}/outcomes/${itemId}/reveal/outcome`),
        ];
        if (itemId === outcome.id) tries.push(person.post(`/api/meetings/${id}/outcomes/point/reveal/summary`));
        for (const answer of await Promise.all(tries)) heard.push(Buffer.from(answer.bytes));
      }
    }
    heard.push(Buffer.from((await ann.get(`/api/outbox?to=${ann.email}`)).bytes), Buffer.from(house.log()));
  };
  await look();
  for (const [name, secret] of Object.entries(secrets)) expect(holds(heard, secret), name).toBe(false);

  // The same search finds it: for its author, and for all once it is revealed.
  const foundIn = (bytes: readonly Buffer[]) =>
    Object.entries(secrets).flatMap(([name, secret]) => (holds(bytes, secret) ? name : []));
  [searched.length, packed.length] = [0, 0];
  await lookFor(ben);
  for (const found of [searched, packed])
    expect(foundIn(found)).toEqual(expect.arrayContaining(['outcome', 'comment', 'notes', 'point']));
  const own: Buffer[] = [];
  await listen(ben, 'notes', own);
  await until(() => holds(own, secrets.comment));
  const before = heard.length;
  await ok(ben.post(`/api/meetings/${id}/outcomes/${comment.id}/reveal/comment`));
  await ok(ben.post(`/api/meetings/${id}/outcomes/point/reveal/summary`));
  await until(() => [secrets.comment, secrets.point].every((secret) => holds(heard.slice(before), secret)));
  await look();
  for (const found of [searched, packed, heard]) expect(foundIn(found)).toEqual(['comment', 'point']);
  for (const socket of sockets) socket.terminate();
});
