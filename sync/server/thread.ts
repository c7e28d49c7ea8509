import { Worker, type WorkerOptions } from 'node:worker_threads';

/** Starts the thread `name` that lies beside the module `from`, both as built and as written. */
export function startThread(name: string, from: string, options: WorkerOptions): Worker {
  if (!from.endsWith('.ts')) return new Worker(new URL(`./${name}.js`, from), options);
  // A thread does not inherit `--import tsx`, so it registers it before it imports TypeScript.
  const file = new URL(`./${name}.ts`, from).href;
  const reading = `import('${import.meta.resolve('tsx/esm/api')}').then(({ register }) => (register(), import('${file}')));`;
  return new Worker(reading, { ...options, execArgv: [], eval: true });
}

interface Pending {
  resolve(answer: unknown): void;
  reject(error: Error): void;
}

/** Messages from the thread of a `ThreadDesk`. */
export type ThreadAnswer = { id: number; answer: unknown } | { id: number; failed: { name: string; message: string } };

/** Work that a thread refused, with the name of the error it threw. */
export class ThreadFailed extends Error {
  override readonly name: string;
  constructor({ name, message }: { name: string; message: string }) {
    super(message);
    this.name = name;
  }
}

interface DeskLimits {
  /** Longest time of one task. */
  milliseconds: number;
  megabytes: number;
}

const keepThread = 60_000;

/** Gives tasks to one thread that runs only while there is work; a task that fails takes nothing with it. */
export class ThreadDesk<Task> {
  private readonly begin: () => Worker;
  private readonly limits: DeskLimits;
  private thread: Worker | null = null;
  private idle: NodeJS.Timeout | undefined;
  private ids = 0;
  private readonly pending = new Map<number, Pending>();

  /** `start` starts the thread, as the build finds threads by `startThread` and the name of their file. */
  constructor(start: (options: WorkerOptions) => Worker, limits: DeskLimits) {
    this.limits = limits;
    this.begin = () => start({ resourceLimits: { maxOldGenerationSizeMb: limits.megabytes } });
  }

  ask(task: Task): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const thread = (this.thread ??= this.opened());
      clearTimeout(this.idle);
      const id = (this.ids += 1);
      const limit = setTimeout(() => void this.end(new Error('a thread took too long')), this.limits.milliseconds);
      limit.unref();
      this.pending.set(id, {
        resolve: (answer) => (clearTimeout(limit), resolve(answer)),
        reject: (error) => (clearTimeout(limit), reject(error)),
      });
      thread.postMessage({ id, task });
    });
  }

  async close(): Promise<void> {
    await this.end(new Error('closed'));
  }

  private opened(): Worker {
    const started = this.begin();
    started.unref();
    started.on('message', (message: ThreadAnswer) => {
      const one = this.pending.get(message.id);
      this.pending.delete(message.id);
      if ('failed' in message) one?.reject(new ThreadFailed(message.failed));
      else one?.resolve(message.answer);
      if (this.pending.size === 0)
        this.idle = setTimeout(() => void this.end(new Error('no work')), keepThread).unref();
    });
    const gone = (error: Error) => {
      if (this.thread === started) void this.end(error);
    };
    started.on('error', gone);
    started.on('exit', (code) => gone(new Error(`a thread ended with ${code}`)));
    return started;
  }

  private end(error: Error): Promise<unknown> {
    const old = this.thread;
    this.thread = null;
    clearTimeout(this.idle);
    for (const { reject } of this.pending.values()) reject(error);
    this.pending.clear();
    return old?.terminate() ?? Promise.resolve();
  }
}
