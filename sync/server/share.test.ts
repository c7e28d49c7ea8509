// G15: the work of all rooms in one turn of the event loop is bounded, and people take turns.
import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Share } from './share.ts';

it('does in one turn no more than the bound and the work that reaches it, and lets people take turns', async () => {
  const share = new Share(30);
  const done: string[] = [];
  const work = (what: string, units: number) => () => {
    share.left -= units;
    done.push(what);
  };
  for (let n = 1; n <= 5; n += 1) share.soon('ann', work(`ann ${n}`, 20));
  share.soon('ben', work('ben', 1));
  expect(done).toEqual([]);
  await turn();
  expect(done.splice(0)).toEqual(['ann 1', 'ben', 'ann 2']);
  share.soon('cara', work('cara', 5));
  await turn();
  expect(done.splice(0)).toEqual(['ann 3', 'cara', 'ann 4']);
  await turn();
  await turn();
  expect(done).toEqual(['ann 5']);
});

it('does at once what the turn has room for, in the order in which each person sent it', async () => {
  const share = new Share(30);
  const done: string[] = [];
  const read = (whose: string, what: string, units: number) => share.now(whose, units, () => done.push(what));
  read('ann', 'ann 1', 10);
  read('ann', 'ann 2', 25);
  read('ann', 'ann 3', 1);
  read('ben', 'ben', 1);
  expect(done.splice(0)).toEqual(['ann 1', 'ann 2']);
  await turn();
  await turn();
  expect(done.splice(0)).toEqual(['ann 3', 'ben']);
  read('ann', 'ann 4', 1);
  expect(done).toEqual(['ann 4']);
});

it('lets one go on in each turn of those who want it alone', async () => {
  const share = new Share(30);
  const gone: string[] = [];
  for (const whose of ['ann', 'ann', 'ben']) void share.alone(whose).then(() => gone.push(whose));
  await turn();
  expect(gone).toEqual(['ann']);
  await turn();
  expect(gone).toEqual(['ann', 'ben']);
  await turn();
  expect(gone).toEqual(['ann', 'ben', 'ann']);
});
