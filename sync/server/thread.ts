import { Worker, type WorkerOptions } from 'node:worker_threads';

/** Starts the thread `name` that lies beside the module `from`, both as built and as written. */
export function startThread(name: string, from: string, options: WorkerOptions): Worker {
  if (!from.endsWith('.ts')) return new Worker(new URL(`./${name}.js`, from), options);
  // A thread does not inherit `--import tsx`, so it registers it before it imports TypeScript.
  const file = new URL(`./${name}.ts`, from).href;
  const reading = `import('${import.meta.resolve('tsx/esm/api')}').then(({ register }) => (register(), import('${file}')));`;
  return new Worker(reading, { ...options, execArgv: [], eval: true });
}

interface Waiting<Task> {
  task: Task;
  resolve(answer: unknown): void;
  reject(error: Error): void;
}

/** Messages from the thread of a `ThreadDesk`. */
export type ThreadAnswer = { id: number; answer: unknown } | { id: number; failed: { name: string; message: string } };

/** Memory that goes over with an answer instead of being copied: buffers that hold nothing else. */
export function handedOver(answer: unknown): ArrayBuffer[] {
  const all = answer instanceof Uint8Array ? [answer] : Object.values(answer ?? {});
  const buffers = all.flatMap((one) =>
    ArrayBuffer.isView(one) && one.buffer instanceof ArrayBuffer && one.byteLength === one.buffer.byteLength
      ? [one.buffer]
      : [],
  );
  return [...new Set(buffers)];
}

/** Work that a thread refused, with the name of the error it threw. */
export class ThreadFailed extends Error {
  override readonly name: string;
  constructor({ name, message }: { name: string; message: string }) {
    super(message);
    this.name = name;
  }
}

/** Work that took longer than the desk allows; the thread was ended with it. */
export class TookTooLong extends Error {
  override readonly name = 'TookTooLong';
  constructor() {
    super('a thread took too long');
  }
}

/** The one who asked went away before the work was begun. */
export class NobodyWaits extends Error {
  override readonly name = 'NobodyWaits';
  constructor() {
    super('nobody waits for it any more');
  }
}

interface DeskLimits {
  /** Longest time of one task, from when the thread begins it. */
  milliseconds: number;
  megabytes: number;
}

const keepThread = 60_000;

/**
 * Gives tasks one by one to a thread that runs only while there is work; a task that fails or takes too long takes no
 * other with it. Those who ask take turns, however much each of them asks.
 */
export class ThreadDesk<Task> {
  private readonly begin: () => Worker;
  private readonly limits: DeskLimits;
  private thread: Worker | null = null;
  private idle: NodeJS.Timeout | undefined;
  private ids = 0;
  /** Tasks of each one who asks; the first in the map has the next turn. */
  private readonly queues = new Map<string, Waiting<Task>[]>();
  private running: (Waiting<Task> & { id: number; asker: string; limit: NodeJS.Timeout }) | null = null;

  /** `start` starts the thread, as the build finds threads by `startThread` and the name of their file. */
  constructor(start: (options: WorkerOptions) => Worker, limits: DeskLimits) {
    this.limits = limits;
    this.begin = () => start({ resourceLimits: { maxOldGenerationSizeMb: limits.megabytes } });
  }

  /** Whether a thread runs now. */
  get threaded(): boolean {
    return this.thread !== null;
  }

  /** Tasks of this one that run or wait. */
  tasksOf(asker: string): number {
    return (this.queues.get(asker)?.length ?? 0) + (this.running?.asker === asker ? 1 : 0);
  }

  /** A task that still waits when `gone` says that nobody wants its answer is never begun. */
  ask(task: Task, asker = '', gone?: AbortSignal): Promise<unknown> {
    if (gone?.aborted) return Promise.reject(new NobodyWaits());
    return new Promise((resolve, reject) => {
      const waiting = { task, resolve, reject };
      const queue = this.queues.get(asker);
      if (queue) queue.push(waiting);
      else this.queues.set(asker, [waiting]);
      gone?.addEventListener('abort', () => this.giveUp(asker, waiting), { once: true });
      this.next();
    });
  }

  async close(): Promise<void> {
    const waiting = [...this.queues.values()].flat();
    this.queues.clear();
    const ended = this.end(new Error('closed'));
    for (const { reject } of waiting) reject(new Error('closed'));
    await ended;
  }

  private giveUp(asker: string, waiting: Waiting<Task>): void {
    const queue = this.queues.get(asker);
    const at = queue?.indexOf(waiting) ?? -1;
    if (!queue || at < 0) return;
    queue.splice(at, 1);
    if (queue.length === 0) this.queues.delete(asker);
    waiting.reject(new NobodyWaits());
  }

  private next(): void {
    const [turn] = this.queues;
    if (this.running || !turn) return;
    const [asker, queue] = turn;
    const waiting = queue.shift();
    this.queues.delete(asker);
    if (queue.length > 0) this.queues.set(asker, queue);
    if (!waiting) return;
    clearTimeout(this.idle);
    const id = (this.ids += 1);
    const limit = setTimeout(() => void this.end(new TookTooLong()), this.limits.milliseconds).unref();
    this.running = { ...waiting, id, asker, limit };
    try {
      this.thread ??= this.opened();
      this.thread.postMessage({ id, task: waiting.task });
    } catch (error) {
      this.settle()?.reject(error instanceof Error ? error : new Error(String(error)));
    }
  }

  private opened(): Worker {
    const started = this.begin();
    started.unref();
    started.on('message', (message: ThreadAnswer) => {
      if (message.id !== this.running?.id) return;
      const done = this.settle();
      if ('failed' in message) done?.reject(new ThreadFailed(message.failed));
      else done?.resolve(message.answer);
    });
    const gone = (error: Error) => {
      if (this.thread === started) void this.end(error);
    };
    started.on('error', gone);
    started.on('exit', (code) => gone(new Error(`a thread ended with ${code}`)));
    return started;
  }

  /** Takes the task that runs off the desk, and begins the next one. */
  private settle(): Waiting<Task> | null {
    const done = this.running;
    this.running = null;
    clearTimeout(done?.limit);
    this.next();
    if (!this.running && this.thread)
      this.idle = setTimeout(() => void this.end(new Error('no work')), keepThread).unref();
    return done;
  }

  /** Ends the thread; what waits goes to another one. */
  private end(error: Error): Promise<unknown> {
    const old = this.thread;
    this.thread = null;
    clearTimeout(this.idle);
    this.settle()?.reject(error);
    return old?.terminate() ?? Promise.resolve();
  }
}
