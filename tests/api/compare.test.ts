// Comparison of recordings and assessments, of what each person may read, within its limit.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CompareAnswer } from '#shared/compare.ts';
import { addHighlight } from '#shared/meetings/entries.ts';
import { newId } from '#shared/ids.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { makeMeeting } from '#tests/support/meetings.ts';
import type { Person } from '#tests/support/people.ts';
import { makeRecording } from '#tests/support/recording.ts';
import { askFor, seenBy, setStatus } from '#tests/support/reviews.ts';

let house: TestHouse;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house?.close());

async function compare(person: Person, ids: readonly (string | null)[], rows = ''): Promise<CompareAnswer> {
  const { status, body, text } = await person.get(`/api/compare?ids=${ids.join(',')}${rows && `&rows=${rows}`}`);
  expect(status, text).toBe(200);
  return body as CompareAnswer;
}

interface Given {
  start: number;
  end: number;
  type?: string;
  grade?: number | null;
  text?: string;
  children?: { type: string; grade: number | null }[];
}
async function mark(person: Person, id: string | null, outcome: Given): Promise<void> {
  const { status, text } = await person.post(`/api/meetings/${id}/outcomes`, {
    outcome: { type: 'listening', text: '', ...outcome },
  });
  expect(status, text).toBe(200);
}

test('recordings have a column each, and a row for each type and what is set below it', async () => {
  const ann = await house.person('Ann');
  const [one, two] = [await makeRecording(house, ann), await makeRecording(house, ann)];
  for (const grade of [1, 4, 3, 2])
    await mark(ann, one, { start: 10 + grade, end: 12 + grade, grade, text: `why ${grade}` });
  await mark(ann, two, { start: 10, end: 12, type: 'presence', children: [{ type: 'presenceSilence', grade: 2 }] });
  const found = await compare(ann, [one, two]);
  expect(found.by).toBe('outcomes');
  expect(found.columns.map(({ document, name, review }) => [document, name, review])).toEqual([
    [one, null, null],
    [two, null, null],
  ]);
  expect(found.rows.map(({ type, parent }) => [type, parent])).toEqual([
    ['presence', null],
    ['presenceSilence', 'presence'],
    ['listening', null],
  ]);
  const [presence, silence, listening] = found.rows;
  expect(presence?.cells).toMatchObject([null, { grade: null, count: 1 }]);
  expect(silence?.cells).toMatchObject([null, { grade: 2, count: 1 }]);
  // The lower median, and the first three passages with what was said there.
  expect(listening?.cells).toMatchObject([{ grade: 2, count: 4 }, null]);
  // One row is answered with all of them.
  const whole = await compare(ann, [one, two], `outcomes&row=${encodeURIComponent(' listening')}`);
  expect(whole.rows.map(({ type }) => type)).toEqual(['listening']);
  expect(whole.rows[0]?.cells[0]?.passages.map(({ text }) => text)).toEqual(['why 1', 'why 2', 'why 3', 'why 4']);
  expect(whole.columns).toEqual(found.columns);
  expect((await compare(ann, [one, two], 'outcomes&row=none')).rows).toEqual([]);
  expect(listening?.cells[0]?.passages.map(({ text }) => text)).toEqual(['why 1', 'why 2', 'why 3']);
  expect(listening?.cells[0]?.passages[0]?.quote).not.toBe('');
});

test('highlights are compared by their colours', async () => {
  const ann = await house.person('Ann');
  const [one, two] = [await makeMeeting(house, ann), await makeMeeting(house, ann)];
  const highlight = { start: 1, end: 2, quote: 'said', anchor: null, color: 'green' } as const;
  await house.house.rooms.change(two, 'transcript', { userId: null, origin: 'test' }, (doc) =>
    addHighlight(doc, { id: newId(), ...highlight }, 'test'),
  );
  const found = await compare(ann, [one, two]);
  expect(found.by).toBe('highlights');
  expect(found.rows).toMatchObject([{ type: 'green', cells: [null, { count: 1, passages: [{ quote: 'said' }] }] }]);
});

test('a blind reviewer compares their own assessment alone, and all once the review is open', async () => {
  const [ann, ben, cara] = await Promise.all(['Ann', 'Ben', 'Cara'].map((name) => house.person(name)));
  if (!ann || !ben || !cara) throw new Error('nobody');
  const id = await makeRecording(house, ann);
  const review = await askFor(ann, id, {
    roles: [
      [ben, 'required'],
      [cara, 'required'],
    ],
  });
  const [bens, caras] = [(await seenBy(ben, review)).cloneId, (await seenBy(cara, review)).cloneId];
  const layers = [bens, caras];
  await mark(ben, bens, { start: 10, end: 14, grade: 3 });
  await mark(cara, caras, { start: 12, end: 16, grade: 1, text: 'canary-of-cara' });

  const blind = await compare(ben, layers);
  expect(blind.columns.map(({ document, notes }) => [document, notes])).toEqual([[bens, bens]]);
  expect(blind.missing).toEqual([caras]);
  expect(JSON.stringify(blind)).not.toContain('canary');
  expect(await compare(ben, [bens, 'not-there'])).toEqual({ ...blind, missing: ['not-there'] });
  // The owner reads no layer before, and a stranger none at all.
  for (const person of [ann, await house.person('Dan')])
    expect(await compare(person, layers)).toMatchObject({ columns: [], rows: [], missing: layers });

  // A grade that is set in the sheet counts, also without a passage.
  for (const [type, grade] of [
    ['listening', 2],
    ['trust', 4],
  ] as const)
    expect((await cara.put(`/api/meetings/${caras}/grades/${type}`, { grade })).status).toBe(200);
  for (const person of [ben, cara]) await setStatus(person, review, 'complete');
  // Notes open by the same id whatever is compared: a browser keeps by it what is not sent yet.
  for (const [person, notes] of [
    [ann, id],
    [ben, bens],
    [cara, caras],
  ] as const) {
    const open = await compare(person, layers);
    expect(open.columns.map((column) => column.notes)).toEqual([notes, notes]);
    expect((await person.get(`/api/meetings/${notes}/notes`)).status).toBe(200);
    expect(open.columns.map(({ name, review: of }) => [name, of])).toEqual([
      ['Ben Test', review.id],
      ['Cara Test', review.id],
    ]);
    expect(open.rows).toMatchObject([
      { type: 'trust', cells: [null, { grade: 4, count: 0 }] },
      { type: 'listening', cells: [{ grade: 3 }, { grade: 2 }] },
    ]);
    const parts = await compare(person, layers, 'overlaps');
    expect(parts.rows.map(({ part }) => part && [part.start, part.end, part.marked])).toEqual([
      [10, 12, 'one'],
      [12, 14, 'all'],
      [14, 16, 'one'],
    ]);
    expect(parts.rows[1]?.cells).toMatchObject([{ grade: 3 }, { grade: 1 }]);
    expect(parts.rows[2]?.cells[0]).toBeNull();
  }
});

test('an assessment that people share has a column for each of its authors', async () => {
  const [ann, ben, cara] = await Promise.all(['Ann', 'Ben', 'Cara'].map((name) => house.person(name)));
  if (!ann || !ben || !cara) throw new Error('nobody');
  const review = await askFor(ann, await makeRecording(house, ann), {
    ...{
      policy: 'relaxed',
      roles: [
        [ben, 'required'],
        [cara, 'required'],
      ],
    },
  });
  const { cloneId } = await seenBy(ben, review);
  await mark(ben, cloneId, { start: 10, end: 14, grade: 3 });
  await mark(cara, cloneId, { start: 12, end: 16, grade: 1 });
  const { columns, rows } = await compare(ben, [cloneId]);
  expect(columns.map(({ notes }) => notes)).toEqual([cloneId, cloneId]);
  expect(columns.map(({ name }) => name).toSorted()).toEqual(['Ben Test', 'Cara Test']);
  expect(rows).toHaveLength(1);
});

test('a person who only sets grades in a shared assessment has a column, a person who takes them back has none', async () => {
  const [ann, ben, cara, dan] = await Promise.all(['Ann', 'Ben', 'Cara', 'Dan'].map((name) => house.person(name)));
  if (!ann || !ben || !cara || !dan) throw new Error('nobody');
  const review = await askFor(ann, await makeRecording(house, ann), {
    ...{
      policy: 'relaxed',
      roles: [
        [ben, 'required'],
        [cara, 'required'],
        [dan, 'optional'],
      ],
    },
  });
  const { cloneId } = await seenBy(ben, review);
  const grade = async (person: Person, type: string, given: number | null) =>
    expect((await person.put(`/api/meetings/${cloneId}/grades/${type}`, { grade: given })).status).toBe(200);
  await mark(ben, cloneId, { start: 10, end: 14, grade: 3 });
  await grade(cara, 'listening', 1);
  await grade(cara, 'trust', 4);
  await grade(dan, 'trust', 2);
  await grade(dan, 'trust', null);
  const { columns, rows } = await compare(ben, [cloneId]);
  expect(columns.map(({ name, document }) => [name, document])).toEqual([
    ['Ben Test', cloneId],
    ['Cara Test', cloneId],
  ]);
  expect(rows).toMatchObject([
    { type: 'trust', cells: [null, { grade: 4, count: 0 }] },
    {
      type: 'listening',
      cells: [
        { grade: 3, count: 1 },
        { grade: 1, count: 0 },
      ],
    },
  ]);
});

test('recordings count up to the limit, one beyond is cut, and layers of one review are one', async () => {
  const [ann, ben, cara] = await Promise.all(['Ann', 'Ben', 'Cara'].map((name) => house.person(name)));
  if (!ann || !ben || !cara) throw new Error('nobody');
  const id = await makeRecording(house, ann);
  const review = await askFor(ann, id, {
    roles: [
      [ben, 'required'],
      [cara, 'required'],
    ],
  });
  for (const person of [ben, cara]) await setStatus(person, review, 'complete');
  const layers = (await seenBy(ann, review)).reviewers.map(({ cloneId }) => cloneId);
  const most = house.house.config.compareDocuments;
  const ids: string[] = [];
  for (let n = 0; n < most; n += 1) ids.push(await makeMeeting(house, ann));
  expect(await compare(ann, ids)).toMatchObject({ most, cut: [] });
  const beyond = await compare(ann, [...layers, ...ids, 'not-there']);
  expect(beyond.columns).toHaveLength(layers.length + most - 1);
  expect(beyond.cut).toEqual(ids.slice(-1));
  expect(beyond.missing).toEqual(['not-there']);
});
