import { Worker, type WorkerOptions } from 'node:worker_threads';

/** A thread whose module stands beside its caller, whose address `from` is: as it is built, and as it is written. */
export function startThread(name: string, from: string, options: WorkerOptions): Worker {
  if (!from.endsWith('.ts')) return new Worker(new URL(`./${name}.js`, from), options);
  // As it is written, the thread has to learn to read it first; for a process, `--import tsx` does that.
  const file = new URL(`./${name}.ts`, from).href;
  const reading = `import('${import.meta.resolve('tsx/esm/api')}').then(({ register }) => (register(), import('${file}')));`;
  return new Worker(reading, { ...options, execArgv: [], eval: true });
}
