import { readFileSync, writeFileSync } from 'node:fs';
import { simulate } from './run.ts';

// 500 seeds in each run. A longer run, from another place:
//   SIM_SEEDS=10000 SIM_FROM=1000 npm test -- sim
// One seed again:
//   SEED=4711 npm test -- sim
const count = Number(process.env['SIM_SEEDS'] ?? 500);
const from = Number(process.env['SIM_FROM'] ?? 1);
const only = process.env['SEED'];
const keptAt = new URL('seeds.json', import.meta.url);
/** Seeds that failed once; they run always. */
const readKept = () => JSON.parse(readFileSync(keptAt, 'utf8')) as number[];

/** The seeds of this run; one half for each of two workers. */
export function seeds(half: 0 | 1): number[] {
  const all = only ? [Number(only)] : [...readKept(), ...Array.from({ length: count }, (_, i) => from + i)];
  return [...new Set(all)].filter((_, i) => i % 2 === half);
}

/** The first seeds that fail, and why; each is printed and stored. */
export async function failures(list: readonly number[]): Promise<string[]> {
  const found: string[] = [];
  for (const seed of list) {
    const { wrong } = await simulate(seed);
    if (wrong === null) continue;
    console.log(`SEED=${seed} ${wrong}`);
    found.push(`SEED=${seed} ${wrong}`);
    const kept = readKept();
    if (!kept.includes(seed)) writeFileSync(keptAt, `${JSON.stringify([...kept, seed])}\n`);
    if (found.length === 5) break;
  }
  return found;
}
