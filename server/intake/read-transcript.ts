import type { Worker } from 'node:worker_threads';
import type { ImportFormat } from '#shared/formats/formats.ts';
import type { ImportNote } from '#shared/formats/notes.ts';
import { most } from '#shared/formats/source.ts';
import type { About } from '#shared/meetings/about.ts';
import { Problem } from '#shared/problems.ts';
import { startThread } from '#sync/server/thread.ts';

// Reads added transcripts beside the event loop, one after the other, in a thread with little memory and ten seconds
// each: a file made to block its reader ends only the thread.

export interface Task {
  bytes: Uint8Array;
  format: ImportFormat;
  /** Duration of the recording, if there is one. */
  mediaMs?: number | undefined;
  /** Values that take precedence over the file's. */
  about?: Partial<About>;
}

export interface ReadTranscript {
  /** Initial state of a new document. */
  state: Uint8Array;
  about: Partial<About>;
  speakers: number;
  segments: number;
  words: number;
  /** End of the last word, in milliseconds. */
  until: number;
  notes: ImportNote[];
}

export type Answer = ReadTranscript | { invalid: string; line: number | null; looksLike: ImportFormat | null };

export interface TranscriptReader {
  /** Fails with INVALID and a message that begins with "Invalid transcript:" if the file is the cause. */
  read(task: Task): Promise<ReadTranscript>;
  close(): Promise<void>;
}

export interface ReaderLimits {
  milliseconds: number;
  megabytes: number;
  /** Queued tasks; further ones are refused. */
  waiting: number;
}

const usual: ReaderLimits = { milliseconds: 10_000, megabytes: 256, waiting: 20 };
const keepThread = 60_000;

interface Waiting {
  task: Task;
  resolve(answer: ReadTranscript): void;
  reject(error: Error): void;
}

export function createTranscriptReader(given: Partial<ReaderLimits> = {}): TranscriptReader {
  const limits = { ...usual, ...given };
  const queue: Waiting[] = [];
  let thread: Worker | null = null;
  let current: Waiting | null = null;
  let limit: NodeJS.Timeout | undefined;
  let idle: NodeJS.Timeout | undefined;
  /** Start-up of the thread does not count towards the ten seconds. */
  let ready = false;
  let closed = false;

  const end = (): Promise<unknown> => {
    const old = thread;
    thread = null;
    ready = false;
    clearTimeout(idle);
    return old?.terminate() ?? Promise.resolve();
  };

  const done = (settle: (waiting: Waiting) => void) => {
    clearTimeout(limit);
    const waiting = current;
    current = null;
    if (waiting) settle(waiting);
    next();
  };

  const begin = (): Worker => {
    const options = {
      name: 'transcript',
      resourceLimits: { maxOldGenerationSizeMb: limits.megabytes, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
    };
    const started = startThread('read-transcript-thread', import.meta.url, options);
    started.unref();
    started.on('message', (answer: Answer | 'ready') => {
      if (thread !== started) return;
      if (answer === 'ready') {
        ready = true;
        give();
      } else done(({ resolve, reject }) => ('invalid' in answer ? reject(refused(answer)) : resolve(answer)));
    });
    const gone = (error: Error) => {
      if (thread !== started) return;
      void end();
      done(({ reject }) => reject(error));
    };
    started.on('error', (error: NodeJS.ErrnoException) =>
      gone(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooMuch('a file that takes less memory to read') : error),
    );
    started.on('exit', (code) => gone(new Error(`the thread that reads transcripts ended with ${code}`)));
    return started;
  };

  const next = (): void => {
    if (current) return;
    current = queue.shift() ?? null;
    if (!current) {
      idle = setTimeout(() => void end(), keepThread).unref();
      return;
    }
    clearTimeout(idle);
    if (thread) give();
    else thread = begin();
  };

  const give = (): void => {
    if (!current || !ready) return;
    limit = setTimeout(() => {
      void end();
      done(({ reject }) => reject(tooMuch(`a file that can be read within ${limits.milliseconds / 1000} seconds`)));
    }, limits.milliseconds).unref();
    thread?.postMessage(current.task);
  };

  return {
    async read(task) {
      if (closed) throw new Problem('UNAVAILABLE', { retryAfter: 5 });
      if (task.bytes.byteLength > most.bytes) throw tooMuch(`a file of at most ${most.bytes >> 20} MB`);
      if (queue.length >= limits.waiting) throw new Problem('UNAVAILABLE', { retryAfter: 5 });
      return new Promise<ReadTranscript>((resolve, reject) => {
        queue.push({ task, resolve, reject });
        next();
      });
    },
    async close() {
      closed = true;
      for (const { reject } of queue.splice(0)) reject(new Problem('UNAVAILABLE', { retryAfter: 5 }));
      await end();
      done(({ reject }) => reject(new Problem('UNAVAILABLE', { retryAfter: 5 })));
      clearTimeout(idle);
    },
  };
}

const errors = [{ field: 'transcript', code: 'invalid' }];

const refused = ({ invalid, line, looksLike }: Extract<Answer, { invalid: string }>): Problem =>
  new Problem('INVALID', { message: invalid, errors, info: { line, looksLike } });

const tooMuch = (expected: string): Problem =>
  new Problem('INVALID', { message: `Invalid transcript: expected ${expected}; cut it into several files`, errors });
