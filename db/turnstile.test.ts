// Work that waits its turn: never more at once than there are places, in the order of arrival.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createTurnstile, NoConnection } from './turnstile.ts';

const quiet = { places: 2, wait: 60_000, overdue: () => {} };
const long = 60_000;

/** Work that runs until the test ends it. */
function work<T>(result: T) {
  let end = () => {};
  let fail = () => {};
  const promise = new Promise<T>((resolve, reject) => {
    end = () => resolve(result);
    fail = () => reject(new Error('failed'));
  });
  return { begin: () => promise, end, fail };
}

test('never runs more at once than there are places, keeps the order of arrival, and runs all in the end', async () => {
  const { pass } = createTurnstile(quiet);
  let inside = 0;
  let most = 0;
  const begun: number[] = [];
  const one = (i: number) =>
    pass(async () => {
      begun.push(i);
      inside += 1;
      most = Math.max(most, inside);
      await sleep(Math.random() * 3);
      inside -= 1;
      if (i % 7 === 0) throw new Error('failed');
    }, long);
  const all = await Promise.allSettled(Array.from({ length: 100 }, (_, i) => one(i)));
  expect(most).toBe(2);
  expect(begun).toEqual(Array.from({ length: 100 }, (_, i) => i));
  expect(all.filter(({ status }) => status === 'rejected')).toHaveLength(15);
});

test('a caller that arrives when a place becomes free waits behind those who wait already', async () => {
  const { pass } = createTurnstile({ ...quiet, places: 1 });
  const first = work('first');
  const order: string[] = [];
  const held = pass(first.begin, long);
  const waiting = pass(() => Promise.resolve(order.push('waiting')), long);
  first.end();
  await held;
  await Promise.all([waiting, pass(() => Promise.resolve(order.push('late')), long)]);
  expect(order).toEqual(['waiting', 'late']);
});

test('no caller waits for a place longer than allowed, and its work is not done later', async () => {
  const { pass } = createTurnstile({ ...quiet, places: 1, wait: 20 });
  const slow = work('slow');
  const held = pass(slow.begin, long);
  let done = false;
  const refused = pass(() => {
    done = true;
    return Promise.resolve();
  }, long);
  await expect(refused).rejects.toThrow(NoConnection);
  slow.end();
  expect(await held).toBe('slow');
  expect(await pass(() => Promise.resolve('next'), long)).toBe('next');
  expect(done).toBe(false);
});

test('work that hangs is reported and its caller released; its place is taken until it ends', async () => {
  const told: number[] = [];
  const { pass } = createTurnstile({ places: 1, wait: 20, overdue: (since) => told.push(since) });
  const before = performance.now();
  const hangs = work('too late');
  await expect(pass(hangs.begin, 30)).rejects.toMatchObject({ code: 'NO_CONNECTION' });
  expect(told).toHaveLength(1);
  expect(told[0]).toBeGreaterThanOrEqual(before);
  await expect(pass(() => Promise.resolve(), long)).rejects.toThrow(NoConnection);
  hangs.end();
  await sleep(0);
  expect(await pass(() => Promise.resolve('free again'), long)).toBe('free again');
});

test('work that fails, also late, is a failure of its own caller only', async () => {
  const { pass } = createTurnstile({ ...quiet, places: 1 });
  const late = work('');
  const refused = pass(late.begin, 20);
  await expect(refused).rejects.toThrow(NoConnection);
  late.fail();
  await sleep(0);
  await expect(pass(() => Promise.reject(new Error('of its own')), long)).rejects.toThrow('of its own');
  expect(await pass(() => Promise.resolve(1), long)).toBe(1);
});

test('a caller with a longer wait still gets in after others have given up', async () => {
  const { pass } = createTurnstile({ ...quiet, places: 1, wait: 20 });
  let end = () => {};
  const first = pass(() => new Promise<void>((resolve) => (end = resolve)), 60_000);
  const patient = pass(() => Promise.resolve('in'), 60_000, 60_000);
  await expect(pass(() => Promise.resolve('in'), 60_000)).rejects.toBeInstanceOf(NoConnection);
  end();
  await first;
  expect(await patient).toBe('in');
});
