import { readFileSync, writeFileSync } from 'node:fs';
import { simulate } from './run.ts';

const keptAt = new URL('seeds.json', import.meta.url);
/** Seeds that failed once; they run always. */
export const keptSeeds = () => JSON.parse(readFileSync(keptAt, 'utf8')) as number[];

/** The first seeds that fail, and why; each is printed and stored. */
export function failures(seeds: readonly number[]): string[] {
  const found: string[] = [];
  for (const seed of seeds) {
    const { wrong } = simulate(seed);
    if (wrong === null) continue;
    console.log(`seed ${seed}: ${wrong}`);
    found.push(`seed ${seed}: ${wrong}`);
    const kept = keptSeeds();
    if (!kept.includes(seed)) writeFileSync(keptAt, `${JSON.stringify([...kept, seed])}\n`);
    if (found.length === 5) break;
  }
  return found;
}
