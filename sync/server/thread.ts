import { Worker, type WorkerOptions } from 'node:worker_threads';

/** Starts the thread `name` that lies beside the module `from`, both as built and as written. */
export function startThread(name: string, from: string, options: WorkerOptions): Worker {
  if (!from.endsWith('.ts')) return new Worker(new URL(`./${name}.js`, from), options);
  // A thread does not inherit `--import tsx`, so it registers it before it imports TypeScript.
  const file = new URL(`./${name}.ts`, from).href;
  const reading = `import('${import.meta.resolve('tsx/esm/api')}').then(({ register }) => (register(), import('${file}')));`;
  return new Worker(reading, { ...options, execArgv: [], eval: true });
}
