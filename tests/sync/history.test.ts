// Restoring a version while people type: nothing they typed is lost, at any moment.
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { textOf } from '#shared/meetings/transcript.ts';
import { passages } from '#sync/client/passages.ts';
import { closeEditors, Editor, settled, synced, tokensIn, typing, until } from '../support/editors.ts';
import { openHouse, type TestHouse } from '../support/house.ts';
import { makeMeeting, share, ticketFor } from '../support/meetings.ts';
import type { Person } from '../support/people.ts';

let house: TestHouse;
beforeAll(async () => {
  house = await openHouse();
});
afterEach(closeEditors);
afterAll(() => house?.close());

async function join(person: Person, id: string): Promise<Editor> {
  const room = `${id}/transcript`;
  return new Editor({ room, at: () => house.origin, ticket: await ticketFor(person, room) });
}

const tokensAt = async (id: string, version: number): Promise<Set<string>> =>
  new Set(tokensIn(textOf((await house.house.versions.docAt(id, version)).doc).toString()));

it('R9: each token is in the version that was kept, or still with the person who typed it', async () => {
  const people = (await house.people(3)) as [Person, Person, Person];
  const [ann, ...others] = people;
  const id = await makeMeeting(house, ann);
  for (const one of others) await share(house, id, one, ['read', 'write']);
  const editors = await Promise.all(people.map((one) => join(one, id)));
  await synced(editors);
  const before = typing(editors, 20);
  await until(() => editors.every(({ typed }) => typed.length > 5));
  await before.stop();
  await settled(editors);
  const wanted = (await ann.get(`/api/meetings/${id}`)).body.version as number;
  const then = await tokensAt(id, wanted);
  expect(then.size).toBeGreaterThan(15);

  const during = typing(editors, 5);
  await until(() => editors.every(({ typed }) => typed.length > 15));
  const { body } = await ann.post(`/api/meetings/${id}/versions/${wanted}/restore`);
  await until(() => editors.every(({ provider }) => provider.ended !== null));
  await during.stop();
  expect(editors.map(({ provider }) => provider.ended)).toEqual(['generation', 'generation', 'generation']);

  // Edits acknowledged as saved are in the state that was overwritten; the others are offered to their author.
  const kept = await tokensAt(id, body.kept);
  let lost = 0;
  let offered = 0;
  for (const { typed, saved, provider, doc } of editors) {
    const left = tokensIn(passages(doc, provider.pendingUpdates));
    for (const token of saved) if (!kept.has(token)) lost += 1;
    for (const token of typed.slice(saved.length)) {
      if (left.includes(token)) offered += 1;
      else lost += 1;
    }
  }
  expect(lost).toBe(0);
  expect(offered).toBeGreaterThan(0);

  // Everybody who comes gets the restored text, and edits it.
  const again = await Promise.all(people.map((one) => join(one, id)));
  await synced(again);
  for (const { text } of again) expect(new Set(tokensIn(text.toString()))).toEqual(then);
  const [first] = again;
  const token = first?.type() ?? '';
  await settled(again);
  expect(again.map(({ text }) => text.toString().includes(token))).toEqual([true, true, true]);
  // The overwritten state can be restored the same way.
  const back = await ann.post(`/api/meetings/${id}/versions/${body.kept}/restore`);
  expect(back.status).toBe(200);
  expect(await tokensAt(id, back.body.version)).toEqual(kept);
});

it('R9: of two who restore at once, neither overwrites unseen changes of the other', async () => {
  const ann = await house.person();
  const id = await makeMeeting(house, ann);
  const write = (text: string) =>
    house.house.rooms.change(id, 'transcript', { userId: ann.id, origin: 'test' }, (doc) =>
      textOf(doc).insert(0, text),
    );
  for (const text of ['[a.1]', '[a.2]', '[a.3]']) await write(text);
  const answers = await Promise.all(
    [1, 2].map((version) => ann.post(`/api/meetings/${id}/versions/${version}/restore`)),
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  const { versions } = (await ann.get(`/api/meetings/${id}/versions`)).body as {
    versions: { version: number; before: number; kind: string; restored: number | null }[];
  };
  expect(versions.map(({ kind }) => kind)).toEqual(['restored', 'restored', 'edited']);
  expect(versions.map(({ restored }) => restored).toSorted()).toEqual([1, 2, null]);
  // Each of the three versions is unchanged.
  const texts = await Promise.all(versions.map(({ version }) => tokensAt(id, version)));
  expect(texts.map(({ size }) => size).toSorted()).toEqual([1, 2, 3]);
});
