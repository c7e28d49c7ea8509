import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

interface FuzzReport {
  mutants: number;
  wrong: string[];
  events: Record<string, number>;
  slowestMs: number;
  /** Bytes of heap since the first quarter. */
  grown: number;
}

const keptAt = new URL('fuzz-seeds.json', import.meta.url);
/** Seeds that failed once; they run always. */
const readKept = () => JSON.parse(readFileSync(keptAt, 'utf8')) as number[];
const heapMegabytes = 384;
/** A batch takes a second; one that takes this long never ends. */
const patience = 120_000;

/** Runs the fuzz in a process of its own; a seed that fails, hangs or fills the heap is printed and stored. */
export async function runFuzz(count: number, from: number, say: (line: string) => void): Promise<FuzzReport> {
  const child = spawn(
    process.execPath,
    [
      `--max-old-space-size=${heapMegabytes}`,
      '--expose-gc',
      '--import',
      'tsx',
      fileURLToPath(new URL('fuzz-child.ts', import.meta.url)),
      ...[count, from, ...readKept()].map(String),
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let current = 0;
  let report: FuzzReport | null = null;
  let hung = false;
  const hang = () => {
    hung = true;
    child.kill('SIGKILL');
  };
  let watchdog = setTimeout(hang, patience);
  for await (const line of createInterface({ input: child.stdout })) {
    clearTimeout(watchdog);
    watchdog = setTimeout(hang, patience);
    const said = JSON.parse(line) as Partial<FuzzReport> & { begins?: number; seed?: number };
    if (said.begins !== undefined) current = said.begins;
    else if (said.seed !== undefined) {
      say(`FUZZ_SEED=${said.seed} ${String(said.wrong)}`);
      keep(said.seed);
    } else report = said as FuzzReport;
  }
  clearTimeout(watchdog);
  if (report) return report;
  keep(current);
  throw new Error(`FUZZ_SEED=${current} ${hung ? 'never ended' : 'brought the process down'}`);
}

function keep(seed: number): void {
  const kept = readKept();
  if (!kept.includes(seed)) writeFileSync(keptAt, `${JSON.stringify([...kept, seed])}\n`);
}
