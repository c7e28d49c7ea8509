// Random meetings of three who edit one text converge, and nothing is lost, doubled or moved.
import { expect, test } from 'vitest';
import { failures, keptSeeds } from './seeds.ts';

// More of them, from another place: npm run bench -- transcript seeds 100000 5000

const count = Number(process.env['TRANSCRIPT_SEEDS'] ?? 1500);
const list = [...new Set([...keptSeeds(), ...Array.from({ length: count }, (_, index) => index + 1)])];

test(`${list.length} meetings of three: nothing lost, doubled, back from the dead or moved, and all see the same`, () => {
  expect(failures(list)).toEqual([]);
});
