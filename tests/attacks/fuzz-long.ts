import { runFuzz } from './fuzz-run.ts';

const [count = 100_000, from = 1] = process.argv.slice(2).map(Number);
const started = performance.now();
const { mutants, wrong, events, slowestMs, grown } = await runFuzz(count, from, console.log);
console.log(
  `${mutants} mutants in ${Math.round((performance.now() - started) / 1000)} s, the slowest ${Math.round(slowestMs)} ms`,
);
console.log(`${Math.round(grown / 1024 / 1024)} MiB more heap at the end than after a quarter`);
for (const [name, times] of Object.entries(events)) console.log(`${name}: ${times}`);
console.log(wrong.length === 0 ? 'Nothing was found.' : `${wrong.length} batches went wrong; their seeds are kept.`);
process.exit(wrong.length === 0 ? 0 : 1);
