// Section 3.3 of the catalogue, what is not a table of its own: C01 is tests/api/roles.test.ts.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { newId } from '#shared/ids.ts';
import { roles } from '#shared/roles.ts';
import { close } from '#sync/protocol.ts';
import { closeEditors, Editor, synced, until } from '#tests/support/editors.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { share, ticketFor } from '#tests/support/meetings.ts';
import type { Person } from '#tests/support/people.ts';
import { makeRecording } from '#tests/support/recording.ts';

let house: TestHouse;
beforeAll(async () => {
  house = await openHouse();
});
afterEach(() => closeEditors());
afterAll(() => house.close());

test('C07 a deleted recording is open to nobody, in any way, until its owner restores it', async () => {
  const [ann, ben, chen] = (await house.people(3)) as [Person, Person, Person];
  const id = await makeRecording(house, ann);
  await share(house, id, ben, roles.canEditShare);
  await share(house, id, chen, roles.canRead);
  await share(house, id, 'anonymous', ['read']);
  const text = JSON.stringify({
    type: 'doc',
    content: [{ type: 'paragraph', content: [{ type: 'text', text: 'So' }] }],
  });
  const { media, version } = (await ann.get(`/api/meetings/${id}`)).body;
  const room = `${id}/transcript`;
  const tickets = [await ticketFor(ben, room), await ticketFor(house.stranger(), room)];
  const there = new Editor({ room, at: () => house.origin, ticket: tickets[0] ?? '' });
  await synced([there]);

  expect((await ann.delete(`/api/meetings/${id}`)).status).toBe(204);
  await until(() => there.closes.includes(close.noAccess));
  const ways: ((by: Person, of: string) => ReturnType<Person['get']>)[] = [
    ...['', '/about', '/versions', '/versions/1', '/vtt', '/original', '/acl', '/notes'].map(
      (path) => (by: Person, of: string) => by.get(`/api/meetings/${of}${path}`),
    ),
    (by, of) => by.get(media[0].src.replace(id, of)),
    (by, of) => by.post(`/api/export/${of}`, { format: 'TRME', options: {} }),
    (by, of) => by.post(`/api/meetings/${of}/edit`, { pos: 0, old: 'a', new: 'b', version }),
    (by, of) => by.put(`/api/meetings/${of}`, { meeting: { 'doc.title': 'mine' }, version }),
    (by, of) => by.post(`/api/meetings/${of}/comments`, { start: 0, end: 1, text }),
    (by, of) => by.post(`/api/meetings/${of}/acl`, { entries: [], version }),
    (by, of) => by.post('/api/sync/tickets', { room: `${of}/transcript` }),
  ];
  const plain = ({ status, problem }: { status: number; problem: { requestId?: string } }) =>
    JSON.stringify([status, { ...problem, requestId: '' }]);
  const nowhere = newId();
  for (const by of [ann, ben, chen, house.stranger()])
    for (const way of ways) {
      const answer = await way(by, id);
      expect([401, 403, 404], answer.text).toContain(answer.status);
      // Answered as if it had never existed.
      expect(plain(answer)).toBe(plain(await way(by, nowhere)));
    }
  expect((await chen.post(`/api/meetings/${id}/restore`)).status).toBe(403);
  expect((await house.stranger().post(`/api/meetings/${id}/restore`)).status).toBe(401);
  for (const by of [ben, chen]) expect((await by.get('/api/deleted')).text).not.toContain(id);
  // An older ticket lets nobody in.
  for (const ticket of tickets) {
    const late = new Editor({ room, at: () => house.origin, ticket });
    await until(() => late.closes.length > 0);
    expect(late.text.toString()).toBe('');
  }
  expect((await ann.post(`/api/meetings/${id}/restore`)).status).toBeLessThan(300);
  expect((await chen.get(`/api/meetings/${id}`)).status).toBe(200);
});
