import type { Worker } from 'node:worker_threads';
import type { ImportFormat, TranscriptType } from '#shared/formats/formats.ts';
import type { ImportNote } from '#shared/formats/notes.ts';
import { most } from '#shared/formats/source.ts';
import type { About } from '#shared/meetings/about.ts';
import { Problem } from '#shared/problems.ts';
import { startThread } from '#sync/server/thread.ts';

// Reads added transcripts beside the event loop, in a few threads with little memory and ten seconds each: a file made
// to block its reader ends only the thread. A person's files are read one after the other and take turns with those of
// others, so that nobody waits for what somebody else has queued.

export interface Task {
  bytes: Uint8Array;
  format: TranscriptType;
  /** The person whose file it is. */
  personId: string;
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
  /** Format that it was read as. */
  readAs: ImportFormat;
}

export type Answer = ReadTranscript | { invalid: string; line: number | null; looksLike: ImportFormat | null };

export interface TranscriptReader {
  /**
   * Fails with INVALID and a message that begins with "Invalid transcript:" if the file is the cause, and with RATE if
   * too many files of the person wait. `patient`: a job's file, which may always wait.
   */
  read(task: Task, patient?: boolean): Promise<ReadTranscript>;
  close(): Promise<void>;
}

export interface ReaderLimits {
  milliseconds: number;
  megabytes: number;
  threads: number;
  /** Files of one person that are read or wait; further ones are refused. */
  each: number;
  /** Bytes of all files that wait; above that, files of those with the most of them are refused. */
  waitingBytes: number;
}

const usual: ReaderLimits = {
  milliseconds: 10_000,
  megabytes: 256,
  threads: 2,
  each: 4,
  waitingBytes: 200 * 1024 * 1024,
};
const keepThread = 60_000;
const retryAfter = 5;

interface Waiting {
  task: Task;
  patient: boolean;
  resolve(answer: ReadTranscript): void;
  reject(error: Error): void;
}

export function createTranscriptReader(given: Partial<ReaderLimits> = {}): TranscriptReader {
  const limits = { ...usual, ...given };
  /** Waiting files by person; who was served last comes last. */
  const queues = new Map<string, Waiting[]>();
  /** The persons whose files are being read. */
  const served = new Set<string>();
  let closed = false;

  const next = (): Waiting | null => {
    for (const [personId, queue] of queues) {
      if (served.has(personId)) continue;
      const one = queue.shift();
      if (queue.length === 0) queues.delete(personId);
      if (!one) continue;
      served.add(personId);
      return one;
    }
    return null;
  };
  const done = (personId: string) => {
    served.delete(personId);
    // Behind everybody who waits.
    const queue = queues.get(personId);
    queues.delete(personId);
    if (queue) queues.set(personId, queue);
    wake();
  };
  const threads = Array.from({ length: limits.threads }, () => createThread(limits, next, done));
  const wake = () => {
    for (const thread of threads) thread.wake();
  };

  const bytesOf = (queue: readonly Waiting[]) => queue.reduce((sum, { task }) => sum + task.bytes.byteLength, 0);

  /** Refuses files of the person with the most waiting bytes, the last one first, until the rest fits. */
  const makeRoom = () => {
    let all = [...queues.values()].reduce((sum, queue) => sum + bytesOf(queue), 0);
    while (all > limits.waitingBytes) {
      const most = [...queues.values()]
        .filter((queue) => queue.some(({ patient }) => !patient))
        .toSorted((one, other) => bytesOf(other) - bytesOf(one))[0];
      const refusable = most?.findLastIndex(({ patient }) => !patient) ?? -1;
      const [last] = most?.splice(refusable, refusable < 0 ? 0 : 1) ?? [];
      if (!last) return;
      all -= last.task.bytes.byteLength;
      last.reject(notReady());
    }
  };

  return {
    async read(task, patient = false) {
      if (closed) throw notReady();
      if (task.bytes.byteLength > most.bytes) throw tooMuch(`a file of at most ${most.bytes >> 20} MB`);
      const { personId } = task;
      const queue = queues.get(personId) ?? [];
      if (!patient && queue.length + (served.has(personId) ? 1 : 0) >= limits.each) throw ownFilesWait(limits.each);
      return new Promise<ReadTranscript>((resolve, reject) => {
        queue.push({ task, patient, resolve, reject });
        queues.set(personId, queue);
        wake();
        makeRoom();
      });
    },
    async close() {
      closed = true;
      for (const queue of queues.values()) for (const { reject } of queue) reject(notReady());
      queues.clear();
      await Promise.all(threads.map((thread) => thread.close()));
    },
  };
}

interface ReadingThread {
  /** Looks for a file, if it reads none. */
  wake(): void;
  close(): Promise<void>;
}

function createThread(
  limits: ReaderLimits,
  next: () => Waiting | null,
  settled: (personId: string) => void,
): ReadingThread {
  let thread: Worker | null = null;
  let current: Waiting | null = null;
  let limit: NodeJS.Timeout | undefined;
  let idle: NodeJS.Timeout | undefined;
  /** Start-up of the thread does not count towards the ten seconds. */
  let ready = false;

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
    if (!waiting) return;
    settle(waiting);
    settled(waiting.task.personId);
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

  const give = (): void => {
    if (!current || !ready) return;
    limit = setTimeout(() => {
      void end();
      done(({ reject }) => reject(tooMuch(`a file that can be read within ${limits.milliseconds / 1000} seconds`)));
    }, limits.milliseconds).unref();
    thread?.postMessage(current.task);
  };

  return {
    wake() {
      if (current) return;
      clearTimeout(idle);
      current = next();
      if (!current) {
        if (thread) idle = setTimeout(() => void end(), keepThread).unref();
      } else if (thread) give();
      else thread = begin();
    },
    async close() {
      await end();
      done(({ reject }) => reject(notReady()));
    },
  };
}

const notReady = () => new Problem('UNAVAILABLE', { retryAfter });

const ownFilesWait = (each: number): Problem =>
  new Problem('RATE', {
    message: `${each} of your transcripts are being read. Try again when one of them is done.`,
    retryAfter,
  });

const errors = [{ field: 'transcript', code: 'invalid' }];

const refused = ({ invalid, line, looksLike }: Extract<Answer, { invalid: string }>): Problem =>
  new Problem('INVALID', { message: invalid, errors, info: { line, looksLike } });

const tooMuch = (expected: string): Problem =>
  new Problem('INVALID', { message: `Invalid transcript: expected ${expected}; cut it into several files`, errors });
