// Runs mutants from one seed in a process of its own, so that a hang or a full heap ends only this process.
import { fuzz } from './fuzz.ts';

/** Mutants for each room; then everything in it is compared. */
const each = 200;

const [count = 10_000, from = 1, ...kept] = process.argv.slice(2).map(Number);
const seeds = [...kept, ...Array.from({ length: Math.ceil(count / each) }, (_, i) => from + i)];
const events: Record<string, number> = {};
const wrong: string[] = [];
let mutants = 0;
let slowestMs = 0;
let early = 0;
for (const [i, seed] of seeds.entries()) {
  // Printed before the batch begins: if it never ends, this is all that is known.
  console.log(JSON.stringify({ begins: seed }));
  const batch = await fuzz(seed, each);
  mutants += batch.mutants;
  slowestMs = Math.max(slowestMs, batch.slowestMs);
  for (const [name, times] of batch.events) events[name] = (events[name] ?? 0) + times;
  if (batch.wrong !== null) {
    wrong.push(`FUZZ_SEED=${seed} ${batch.wrong}`);
    console.log(JSON.stringify({ seed, wrong: batch.wrong }));
  }
  globalThis.gc?.();
  if (i === Math.floor(seeds.length / 4)) early = process.memoryUsage().heapUsed;
}
const grown = process.memoryUsage().heapUsed - early;
console.log(JSON.stringify({ mutants, wrong, events, slowestMs, grown }));
