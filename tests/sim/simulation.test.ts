import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { simulate, type Wanted } from './run.ts';

// 500 seeds in each run. A longer run, from another place:
//   SIM_SEEDS=10000 SIM_FROM=1000 npm test -- sim
// One seed again, with what happened in its rooms:
//   SEED=4711 npm test -- sim
const count = Number(process.env['SIM_SEEDS'] ?? 500);
const from = Number(process.env['SIM_FROM'] ?? 1);
const only = process.env['SEED'];
const keptAt = new URL('seeds.json', import.meta.url);
/** Seeds that failed once; they run always. */
const kept = JSON.parse(readFileSync(keptAt, 'utf8')) as number[];

/** The first seeds that fail, and why. */
async function failures(seeds: readonly number[]): Promise<string[]> {
  const found: string[] = [];
  for (const seed of seeds) {
    const { wrong } = await simulate(seed);
    if (wrong === null) continue;
    console.log(`SEED=${seed} ${wrong}`);
    if (!kept.includes(seed)) kept.push(seed);
    writeFileSync(keptAt, `${JSON.stringify(kept)}\n`);
    found.push(`SEED=${seed} ${wrong}`);
    if (found.length === 5) break;
  }
  return found;
}

describe('a simulated transcript', () => {
  const seeds = only ? [Number(only)] : [...kept, ...Array.from({ length: count }, (_, i) => from + i)];

  test(`L1 L6 G1 G3 G4 G5 G6 R1 R3 R7 W4 M1 M2: ${seeds.length} seeds, nothing lost, doubled, refused or told too early`, async () => {
    expect(await failures(seeds)).toEqual([]);
  });
});

describe('what the checks notice', () => {
  /** Some run must find it; how often it shows depends on chance. */
  async function noticed(wanted: Wanted): Promise<string[]> {
    const found: string[] = [];
    for (let seed = 1; seed <= 12; seed += 1) {
      const { wrong } = await simulate(seed, wanted);
      if (wrong !== null) found.push(wrong);
    }
    return found;
  }

  test('L1: an append that acknowledges without storing', async () => {
    expect(await noticed({ lie: 'acknowledges without storing' })).not.toEqual([]);
  });

  test('L1: passing on and acknowledging before the commit, and a crash in between', async () => {
    expect(await noticed({ lie: 'acknowledges before storing' })).not.toEqual([]);
  });

  test('L1: the same, by what is left at the end alone', async () => {
    expect(await noticed({ lie: 'acknowledges before storing', onlyAtTheEnd: true })).not.toEqual([]);
  });

  test('G3: somebody who takes the client ids of others, where they belong to nobody', async () => {
    expect(await noticed({ lie: 'lets anybody own a client id', squatter: true })).not.toEqual([]);
  });

  test('G3: the same person does no harm where they belong to somebody', async () => {
    expect(await noticed({ squatter: true })).toEqual([]);
  });
});
