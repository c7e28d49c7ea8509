// Tasks of a thread: those that fail or take too long harm no other, and those who ask take turns.
import { Worker } from 'node:worker_threads';
import { afterEach, expect, test } from 'vitest';
import { handedOver, NobodyWaits, ThreadDesk, ThreadFailed, TookTooLong } from './thread.ts';

const echo = `
  const { parentPort } = require('node:worker_threads');
  parentPort.on('message', ({ id, task }) => {
    while (task === 'hang');
    if (task === 'exit') process.exit(1);
    parentPort.postMessage(task === 'fail' ? { id, failed: { name: 'Refused', message: 'no' } } : { id, answer: task });
  });`;

let desk: ThreadDesk<string>;
const open = (milliseconds: number) =>
  (desk = new ThreadDesk<string>((options) => new Worker(echo, { ...options, eval: true }), {
    milliseconds,
    megabytes: 64,
  }));
afterEach(() => desk.close());

test('a task that takes too long, fails or ends the thread takes no other with it', async () => {
  open(500);
  const outcomes = await Promise.allSettled(['one', 'hang', 'fail', 'exit', 'last'].map((task) => desk.ask(task)));
  expect(outcomes).toEqual([
    { status: 'fulfilled', value: 'one' },
    { status: 'rejected', reason: new TookTooLong() },
    { status: 'rejected', reason: new ThreadFailed({ name: 'Refused', message: 'no' }) },
    { status: 'rejected', reason: new Error('a thread ended with 1') },
    { status: 'fulfilled', value: 'last' },
  ]);
});

test('those who ask take turns', async () => {
  open(60_000);
  const order: unknown[] = [];
  const ask = (asker: string, task: string) => desk.ask(task, asker).then((answer) => order.push(answer));
  const all = [ask('ann', 'a1'), ask('ann', 'a2'), ask('ann', 'a3'), ask('ben', 'b1')];
  expect([desk.tasksOf('ann'), desk.tasksOf('ben'), desk.tasksOf('cyd')]).toEqual([3, 1, 0]);
  await Promise.all(all);
  expect(order).toEqual(['a1', 'a2', 'b1', 'a3']);
});

test('a task that nobody waits for any more is not begun, and those behind it are', async () => {
  open(60_000);
  const order: unknown[] = [];
  const gone = new AbortController();
  const ask = (task: string, signal?: AbortSignal) => desk.ask(task, task, signal).then((answer) => order.push(answer));
  const all = Promise.allSettled([ask('first'), ask('given up', gone.signal), ask('last')]);
  gone.abort();
  const refused = { status: 'rejected', reason: new NobodyWaits() };
  expect(desk.tasksOf('given up')).toBe(0);
  expect((await all)[1]).toEqual(refused);
  expect(order).toEqual(['first', 'last']);
  expect((await Promise.allSettled([ask('too late', gone.signal)]))[0]).toEqual(refused);
});

test('an answer gives away memory of its own, and none that something else is in as well', () => {
  const own = new Uint8Array(8);
  expect(handedOver(own)).toEqual([own.buffer]);
  expect(handedOver({ own, again: own, part: new Uint8Array(16).subarray(8), text: 'a' })).toEqual([own.buffer]);
  expect(handedOver(null)).toEqual([]);
});

test('what waits is refused when the desk closes', async () => {
  open(60_000);
  const all = Promise.allSettled(['hang', 'next'].map((task) => desk.ask(task)));
  await desk.close();
  const closed = { status: 'rejected', reason: new Error('closed') };
  expect(await all).toEqual([closed, closed]);
});
