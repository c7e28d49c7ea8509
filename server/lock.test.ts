import { existsSync, mkdtempSync, readdirSync } from 'node:fs';
import { mkdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { withLock } from './lock.mjs';

const place = () => {
  const folder = mkdtempSync(join(tmpdir(), 'colloquy-lock-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return join(folder, 'lock');
};
const leftIn = (lock: string) => readdirSync(dirname(lock));

test('many callers at once work one at a time, and each gets its turn', async () => {
  const lock = place();
  let inside = 0;
  const crowds: number[] = [];
  const work = async () => {
    crowds.push(++inside);
    await sleep(5);
    inside -= 1;
  };
  await Promise.all(Array.from({ length: 8 }, () => withLock(lock, work)));
  expect(crowds).toEqual(Array(8).fill(1));
  expect(leftIn(lock)).toEqual([]);
});

test('a lock left by a dead owner is taken over', async () => {
  const lock = place();
  await mkdir(lock);
  await writeFile(join(lock, 'owner'), '');
  let waited = false;
  const worked = await withLock(lock, async () => true, { patience: 3, waiting: () => (waited = true) });
  expect({ worked, waited }).toEqual({ worked: true, waited: true });
  expect(leftIn(lock)).toEqual([]);
});

test('a living owner is waited for, however long it works', async () => {
  const lock = place();
  const order: string[] = [];
  let second: Promise<void> | undefined;
  await withLock(
    lock,
    async (lost) => {
      second = withLock(lock, async () => void order.push('second'), { patience: 10 });
      await sleep(3000);
      order.push(lost.aborted ? 'first was robbed' : 'first');
    },
    { beat: 50 },
  );
  await second;
  expect(order).toEqual(['first', 'second']);
});

test('an owner that was taken for dead is notified, and leaves the new one its lock', async () => {
  const lock = place();
  await withLock(
    lock,
    async (lost) => {
      const [mine = ''] = readdirSync(lock);
      await rm(join(lock, mine));
      await writeFile(join(lock, 'another'), '');
      if (!lost.aborted) await new Promise((told) => lost.addEventListener('abort', told));
    },
    { beat: 20 },
  );
  expect(readdirSync(lock)).toEqual(['another']);
});

test('a failure releases it, and so does giving up the wait', async () => {
  const lock = place();
  await expect(withLock(lock, () => Promise.reject(new Error('the work failed')))).rejects.toThrow('the work failed');
  expect(existsSync(lock)).toBe(false);

  await mkdir(lock);
  await writeFile(join(lock, 'owner'), '');
  const beating = setInterval(() => void utimes(join(lock, 'owner'), new Date(), new Date()), 20);
  const interrupt = new AbortController();
  const waiting = () => interrupt.abort(new Error('interrupted'));
  await expect(withLock(lock, async () => 0, { waiting, signal: interrupt.signal })).rejects.toThrow('interrupted');
  clearInterval(beating);
  expect(leftIn(lock)).toEqual(['lock']);
});
