// Annotations that comparisons read are kept in memory (server/compare/readings.ts), and are never older than what is
// stored, whichever process has stored it.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { setAside } from '#db/updates.ts';
import { outcomesIn, Readings } from '#server/compare/readings.ts';
import type { Running } from '#server/start.ts';
import type { CompareAnswer } from '#shared/compare.ts';
import { openBeside, openHouse, type TestHouse } from '#tests/support/house.ts';
import type { Answer, Person } from '#tests/support/people.ts';
import { makeRecording } from '#tests/support/recording.ts';
import { askFor, seenBy } from '#tests/support/reviews.ts';

let house: TestHouse;
let beside: Running;
beforeAll(async () => {
  house = await openHouse();
  beside = await openBeside(house);
});
afterAll(async () => {
  await beside?.stop();
  await house?.close();
});

const done = ({ status, body, text }: Answer) => {
  expect(status, text).toBeLessThan(300);
  return body;
};
const mark = async (person: Person, id: string, text: string, grade: number | null = null): Promise<string> => {
  const outcome = { start: 10, end: 14, type: 'listening', text, grade };
  return done(await person.post(`/api/meetings/${id}/outcomes`, { outcome })).outcome.id;
};

/** Rows as both processes answer them: type, grade and texts of each cell. */
async function compared(person: Person, ids: readonly string[]): Promise<unknown[]> {
  const path = `/api/compare?ids=${ids.join(',')}&rows=outcomes`;
  const [one, other] = [await person.get(path), await person.by(beside.port).get(path)];
  expect(done(other)).toEqual(done(one));
  return (one.body as CompareAnswer).rows.map(({ type, cells }) => [
    type,
    ...cells.map((cell) => cell && [cell.grade, ...cell.passages.map(({ text }) => text)]),
  ]);
}

test('a comparison shows all that is stored, after each change and in every process', async () => {
  const [ann, ben] = (await house.people(2)) as [Person, Person];
  const id = await makeRecording(house, ann);
  const review = await askFor(ann, id, { roles: [[ben, 'required']], outcomeModel: 'coaching' });
  const layer = (await seenBy(ben, review)).cloneId ?? '';
  expect(await compared(ben, [layer])).toEqual([]);
  const first = await mark(ben, layer, 'one', 2);
  expect(await compared(ben, [layer])).toEqual([['listening', [2, 'one']]]);
  await mark(ben, layer, 'two', 4);
  expect(await compared(ben, [layer])).toEqual([['listening', [2, 'one', 'two']]]);
  done(await ben.post(`/api/meetings/${layer}/outcomes/${first}/update`, { outcome: { text: 'other' } }));
  expect(await compared(ben, [layer])).toEqual([['listening', [2, 'other', 'two']]]);
  for (const grade of [1, 3]) {
    done(await ben.put(`/api/meetings/${layer}/grades/listening`, { grade }));
    expect(await compared(ben, [layer])).toEqual([['listening', [grade, 'other', 'two']]]);
  }
  done(await ben.delete(`/api/meetings/${layer}/outcomes/${first}`));
  expect(await compared(ben, [layer])).toEqual([['listening', [3, 'two']]]);
  // By the other process, as well.
  await mark(ben.by(beside.port), layer, 'three');
  expect(await compared(ben, [layer])).toEqual([['listening', [3, 'two', 'three']]]);

  await mark(ann, id, 'of the recording');
  expect(await compared(ann, [id])).toEqual([['listening', [null, 'of the recording']]]);
  await mark(ann, id, 'again');
  expect(await compared(ann, [id])).toEqual([['listening', [null, 'of the recording', 'again']]]);
  // A row that is set aside takes its change with it, and adds none.
  const room = `${id}/outcomes`;
  const [row] = await house.database.sql<{ generation: number; seq: string }[]>`
    select generation, seq from rooms where name = ${room}`;
  const { generation = 1, seq = 0 } = row ?? {};
  await setAside(house.database.sql, room, generation, [{ kind: 'row', seq: Number(seq), why: 'test' }], new Date());
  expect(await compared(ann, [id])).toEqual([['listening', [null, 'of the recording']]]);
});

test('what has not changed is read once', async () => {
  const ann = await house.person('Ann');
  const ids = [await makeRecording(house, ann), await makeRecording(house, ann)];
  for (const id of ids) await mark(ann, id, `of ${id}`);
  const { readings } = house.house;
  const read = async () => {
    const before = readings.made;
    await compared(ann, ids);
    return readings.made - before;
  };
  expect(await read()).toBe(2);
  expect(await read()).toBe(0);
  await mark(ann, ids[1] ?? '', 'more');
  expect(await read()).toBe(1);
  expect(await read()).toBe(0);
});

test('there is room for so many characters, and what was asked for last stays the longest', async () => {
  const ann = await house.person('Ann');
  const ids: string[] = [];
  for (let nth = 0; nth < 3; nth += 1) {
    const id = await makeRecording(house, ann);
    for (const letter of ['x', 'y']) await mark(ann, id, letter.repeat(2000));
    ids.push(id);
  }
  const [first = '', second = '', third = ''] = ids;
  // There is room for the texts of two recordings, and not for those of three.
  const readings = new Readings(house.house.documents, house.database.ask, 11_500);
  const asked = async (...all: string[]) => {
    const before = readings.made;
    const read = await readings.read(all.map((meetingId) => ({ meetingId, layerId: null })));
    expect(read.map((one) => outcomesIn(one).length)).toEqual(all.map(() => 2));
    return readings.made - before;
  };
  expect(await asked(first, second)).toBe(2);
  expect(await asked(first)).toBe(0);
  // The second makes room for the third.
  expect(await asked(third)).toBe(1);
  expect(await asked(first)).toBe(0);
  expect(await asked(second)).toBe(1);
  // More than there is room for is read all the same.
  expect(await asked(first, second, third)).toBeGreaterThan(0);
});
