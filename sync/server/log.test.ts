import { expect, test } from 'vitest';
import type { PendingRow } from '#db/updates.ts';
import { createLog } from './log.ts';

const row = (room: string): PendingRow => ({
  room,
  generation: 1,
  userId: null,
  clientIds: [],
  bytes: new Uint8Array(1),
  at: new Date(0),
});
/** A store whose appends end when the test says so. */
function slowStore(blames?: (error: unknown) => boolean) {
  const asked: { rooms: string; end(numbers: number[] | Error): void }[] = [];
  const log = createLog({
    append: (rows) =>
      new Promise((resolve, reject) => {
        asked.push({
          rooms: rows.map(({ room }) => room).join(''),
          end: (answer) => (answer instanceof Error ? reject(answer) : resolve(answer)),
        });
      }),
    ...(blames ? { blames } : {}),
  });
  return { asked, log, rooms: () => asked.map(({ rooms }) => rooms) };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('L2: while one insert is on its way, the rows of all rooms collect for the next', async () => {
  const { asked, log, rooms } = slowStore();
  const first = [log.append(row('a')), log.append(row('b'))];
  await turn();
  const second = [log.append(row('b')), log.append(row('c'))];
  await turn();
  expect(rooms()).toEqual(['ab']);
  asked[0]?.end([1, 1]);
  expect(await Promise.all(first)).toEqual([1, 1]);
  await turn();
  expect(rooms()).toEqual(['ab', 'bc']);
  asked[1]?.end([2, 1]);
  expect(await Promise.all(second)).toEqual([2, 1]);
  await log.idle();
});

test('L2a: where one room makes an insert fail, each is stored alone, and that room until it succeeds', async () => {
  const { asked, log, rooms } = slowStore(() => true);
  const [a, b] = [log.append(row('a')), log.append(row('b'))];
  a.catch(() => {});
  await turn();
  asked[0]?.end(new Error('locked'));
  await turn();
  expect(rooms()).toEqual(['ab', 'a', 'b']);
  asked[1]?.end(new Error('locked'));
  asked[2]?.end([1]);
  await expect(a).rejects.toThrow('locked');
  expect(await b).toBe(1);
  await turn();

  const again = log.append(row('a'));
  const others = [log.append(row('b')), log.append(row('c'))];
  await turn();
  expect(rooms().slice(3).toSorted()).toEqual(['a', 'bc']);
  for (const one of asked.slice(3)) one.end([7, 8]);
  expect(await Promise.all([again, ...others])).toEqual([7, 7, 8]);
  await turn();

  // Once it succeeds, it shares inserts with the others again.
  const together = [log.append(row('a')), log.append(row('b'))];
  await turn();
  expect(rooms().at(-1)).toBe('ab');
  asked.at(-1)?.end([9, 9]);
  await Promise.all(together);
  await log.idle();
});

test('where the database is away, all fail together and nothing is asked for each', async () => {
  const { asked, log, rooms } = slowStore(() => false);
  const both = Promise.allSettled([log.append(row('a')), log.append(row('b'))]);
  await turn();
  asked[0]?.end(new Error('away'));
  expect((await both).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(rooms()).toEqual(['ab']);
  await log.idle();
});
