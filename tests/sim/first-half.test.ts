// The rules of sync/SPEC.md in simulated meetings with crashing servers: half of the seeds, for one of two workers.
import { expect, test } from 'vitest';
import { failures, seeds } from './seeds.ts';

const list = seeds(0);

test(`L1 L6 G1 G3 G4 G5 G6 R1 R3 R7 W4 M1 M2: ${list.length} seeds, nothing lost, doubled, refused or told too early`, async () => {
  expect(await failures(list)).toEqual([]);
});
