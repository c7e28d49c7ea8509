// Replacing a recording's transcript: annotations of the old text stay with the new one.
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { newId } from '#shared/ids.ts';
import { addTimed, readHighlights } from '#shared/meetings/entries.ts';
import { writeAbout } from '#shared/meetings/about.ts';
import { textOf } from '#shared/meetings/transcript.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { beginProcessing, createMeeting, multipart, processed, zoomTranscript } from '#tests/support/intake.ts';
import type { Person } from '#tests/support/people.ts';

let house: TestHouse;
let ann: Person;
beforeAll(async () => {
  house = await openHouse();
  ann = await house.person();
});
afterEach(() => vi.restoreAllMocks());
afterAll(() => house?.close());

async function recording(): Promise<string> {
  const { id } = await createMeeting(ann);
  await beginProcessing(ann, id);
  await processed(ann, id);
  return id;
}
const replace = (id: string, content: string, requestId = newId()) => {
  const form = multipart({ transcript: { fileName: 'b.vtt', content }, transcriptType: 'ZOOM' });
  return ann.post(`/api/meetings/${id}/replace`, undefined, {
    ...form,
    headers: { ...form.headers, 'X-Request-ID': requestId },
  });
};
const read = async (id: string) => (await ann.get(`/api/meetings/${id}`)).body;
const generations = async (id: string): Promise<number> => {
  const [row] = await house.database.sql<
    { generation: number }[]
  >`select generation from rooms where name = ${`${id}/transcript`}`;
  return row?.generation ?? 0;
};

test('chapters, bookmarks, colours, summary, tags and the choice of outcomes stay when the text is another', async () => {
  const id = await recording();
  const { version } = await read(id);
  const beside = {
    tags: ['interview', 'autumn'],
    toc: [{ id: 'toc1', start: 0, title: 'Beginning' }],
    bookmarks: [{ id: 'mark1', start: 4.5, title: 'The goal' }],
    summary: [
      { id: 'sum1', text: 'They begin.', order: 1024 },
      { id: 'sum2', text: 'They agree.', order: 2048 },
    ],
    preferredOutcomesModel: 'meeting',
  };
  // "goal" has other words around it in the new text; "Yes." is not in it at all.
  const highlights = [
    { id: 'goal', start: 5.2, end: 5.3, color: 'green' },
    { id: 'yes', start: 2.5, end: 4, color: 'pink' },
  ];
  const put = await ann.put(`/api/meetings/${id}`, { meeting: { ...beside, highlights }, version });
  expect(put.status, put.text).toBe(200);
  const before = (await read(id)).doc;
  const quotes = (before.highlights as { quote: string }[]).map(({ quote }) => quote);
  expect(quotes.map((quote) => quote.length > 0)).toEqual([true, true]);
  expect(zoomTranscript).toContain(quotes[0]);

  const other = zoomTranscript
    .replace('Yes.', 'No!')
    .replace('Then the goal first.', 'And then the goal first of all.');
  expect((await replace(id, other)).status).toBe(200);
  const after = (await read(id)).doc;
  expect(JSON.stringify(after.transcript)).toContain('No!');
  expect(after).toMatchObject({ ...beside, title: 'Monday', preferredOutcomesSchema: before.preferredOutcomesSchema });
  // A highlight whose words are gone keeps its old anchor, for the old text to come back.
  const kept = await house.house.documents.read(id, (doc) => readHighlights(doc));
  expect(kept.toSorted((one, two) => one.start - two.start)).toMatchObject([
    { id: 'yes', color: 'pink', anchor: { g: 1 }, quote: quotes[1] },
    { id: 'goal', color: 'green', anchor: { g: 2 }, quote: quotes[0] },
  ]);
});

/** Runs `write` when the new text is ready, just before it replaces the old one. */
function before(write: (id: string, nth: number) => Promise<void>) {
  const { rooms } = house.house;
  const renew = rooms.renew.bind(rooms);
  let nth = 0;
  return vi.spyOn(rooms, 'renew').mockImplementation(async (id, ...rest) => {
    await write(id, nth++);
    return renew(id, ...rest);
  });
}
const change = (id: string, write: Parameters<typeof house.house.rooms.change>[3]): Promise<unknown> =>
  house.house.rooms.change(id, 'transcript', { userId: ann.id, origin: 'test' }, write);

test('bookmarks and a title changed at the last moment stay, too', async () => {
  const id = await recording();
  const late = ['first', 'second'];
  const renewed = before(async (_, nth) => {
    const title = late[nth];
    if (title === undefined) return;
    await change(id, (doc) => addTimed(doc, 'bookmarks', { id: title, start: nth, title }, 'test'));
    await change(id, (doc) => writeAbout(doc, { title }, 'test'));
  });
  expect((await replace(id, zoomTranscript.replace('Yes.', 'No!'))).status).toBe(200);
  const { doc } = await read(id);
  expect(JSON.stringify(doc.transcript)).toContain('No!');
  expect(doc).toMatchObject({ title: 'second', bookmarks: [{ id: 'first' }, { id: 'second' }] });
  expect(renewed).toHaveBeenCalledTimes(3);
});

test('text typed meanwhile is replaced with the old text and delays nothing', async () => {
  const id = await recording();
  const renewed = before(() => change(id, (doc) => textOf(doc).insert(1, 'Late ')).then(() => undefined));
  expect((await replace(id, zoomTranscript.replace('Yes.', 'No!'))).status).toBe(200);
  expect(renewed).toHaveBeenCalledTimes(1);
  expect(JSON.stringify((await read(id)).doc.transcript)).not.toContain('Late');
});

test('nothing is changed while chapters never stop changing, and the caller is asked to come again', async () => {
  const id = await recording();
  const was = await generations(id);
  before((_, nth) =>
    change(id, (doc) => addTimed(doc, 'toc', { id: `c${nth}`, start: nth, title: 'x' }, 'test')).then(() => undefined),
  );
  const answer = await replace(id, zoomTranscript);
  expect([answer.status, answer.body.code]).toEqual([503, 'UNAVAILABLE']);
  expect(await generations(id)).toBe(was);
});

test('a request repeated after a lost answer gets the same answer, and replaces the text once', async () => {
  const id = await recording();
  const before = await generations(id);
  const again = newId();
  const other = zoomTranscript.replace('Yes.', 'No!');
  const first = await replace(id, other, again);
  expect(first.status, first.text).toBe(200);
  const second = await replace(id, other, again);
  expect([second.status, second.body]).toEqual([200, first.body]);
  expect(await generations(id)).toBe(before + 1);
  // The same request id for something else is a mistake.
  const mixed = await replace(id, zoomTranscript, again);
  expect([mixed.status, mixed.body.code]).toEqual([422, 'IDEMP']);
  expect(await generations(id)).toBe(before + 1);
  expect((await replace(id, other)).body.version).toBeGreaterThan(first.body.version as number);
  expect(await generations(id)).toBe(before + 2);
});

test('two that are sent at once under one name make one', async () => {
  const id = await recording();
  const before = await generations(id);
  const again = newId();
  const other = zoomTranscript.replace('Yes.', 'No!');
  const answers = await Promise.all([replace(id, other, again), replace(id, other, again)]);
  expect(answers.some(({ status }) => status === 200)).toBe(true);
  // The second one is asked to come again, or gets the same answer.
  for (const { status } of answers) expect([200, 503]).toContain(status);
  expect(await generations(id)).toBe(before + 1);
});

test('a file that cannot be read changes nothing', async () => {
  const id = await recording();
  const before = await read(id);
  const refused = await replace(id, 'nothing of the kind');
  expect(refused.status).toBe(422);
  expect(refused.body.message).toMatch(/^Invalid transcript:/);
  expect(await read(id)).toEqual(before);
});
