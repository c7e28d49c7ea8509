import type { Worker } from 'node:worker_threads';
import type { Poison } from '#db/updates.ts';
import { findPoison } from './poison.ts';
import { makeClean, makeSnapshot } from './snapshot.ts';
import { startThread } from './thread.ts';
import { untangled } from './untangle.ts';

interface Stored {
  seq: number;
  bytes: Uint8Array;
}

export type Task =
  | { kind: 'snapshot'; pieces: readonly Uint8Array[] }
  | { kind: 'clean'; pieces: readonly Uint8Array[] }
  | { kind: 'untangle'; bytes: Uint8Array }
  | { kind: 'poison'; base: Stored | null; rows: readonly Stored[] };

export type Answer = { id: number } & (
  | { snapshot: Uint8Array }
  | { clean: Uint8Array }
  | { untangled: Uint8Array }
  | { poison: Poison[] }
  /** The pieces make no document; an answer, unlike a thread that died. */
  | { failed: string }
);

export interface Compactor {
  /** One proved piece for many; null where they make no document, or not the same one again. */
  snapshot(pieces: readonly Uint8Array[]): Promise<Uint8Array | null>;
  poison(base: Stored | null, rows: readonly Stored[]): Promise<Poison[]>;
  /** The same document without deleted content, in one piece. */
  clean(pieces: readonly Uint8Array[]): Promise<Uint8Array>;
  /** The same document in bytes that cost less to build, where these cost too much (G16). */
  untangled(bytes: Uint8Array): Promise<Uint8Array>;
  /** Whether a thread runs now. */
  readonly threaded: boolean;
  close(): Promise<void>;
}

/** These bytes make no document, however often they are tried. */
export class Unbuildable extends Error {
  override name = 'Unbuildable';
}

/** Smaller work takes less time than the way to another thread and back. */
const smallWork = 64 * 1024;
const longestWork = 120_000;
const keepThread = 60_000;
/** A document of 20 MB takes some hundred; a thread that wants more ends without harm to the process. */
const threadMegabytes = 1024;

/** Builds documents beside the event loop, in a thread that runs only while there is work. */
export function createCompactor(): Compactor {
  let thread: Worker | null = null;
  let idle: NodeJS.Timeout | undefined;
  let ids = 0;
  const waiting = new Map<number, { resolve(answer: Answer): void; reject(error: Error): void }>();

  const end = (error: Error): Promise<unknown> => {
    const old = thread;
    thread = null;
    clearTimeout(idle);
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
    return old?.terminate() ?? Promise.resolve();
  };

  const begin = (): Worker => {
    const options = { name: 'compact', resourceLimits: { maxOldGenerationSizeMb: threadMegabytes } };
    const started = startThread('compact-thread', import.meta.url, options);
    started.unref();
    started.on('message', (answer: Answer) => {
      waiting.get(answer.id)?.resolve(answer);
      waiting.delete(answer.id);
      if (waiting.size === 0) idle = setTimeout(() => void end(new Error('no work')), keepThread).unref();
    });
    const gone = (error: Error) => {
      if (thread === started) void end(error);
    };
    started.on('error', (error: Error) => gone(error));
    started.on('exit', (code) => gone(new Error(`the compacting thread ended with ${code}`)));
    return started;
  };

  const ask = (task: Task): Promise<Answer> =>
    new Promise((resolve, reject) => {
      thread ??= begin();
      clearTimeout(idle);
      const id = (ids += 1);
      const limit = setTimeout(() => void end(new Error('compacting took too long')), longestWork).unref();
      waiting.set(id, {
        resolve: (answer) => (clearTimeout(limit), resolve(answer)),
        reject: (error) => (clearTimeout(limit), reject(error)),
      });
      thread.postMessage({ id, task });
    });

  return {
    async snapshot(pieces) {
      if (size(pieces) < smallWork) {
        try {
          return makeSnapshot(pieces);
        } catch {
          return null;
        }
      }
      const answer = await ask({ kind: 'snapshot', pieces });
      return 'snapshot' in answer ? answer.snapshot : null;
    },
    async clean(pieces) {
      if (size(pieces) < smallWork / 8) {
        try {
          return makeClean(pieces);
        } catch (error) {
          throw new Unbuildable(String(error));
        }
      }
      const answer = await ask({ kind: 'clean', pieces });
      if ('clean' in answer) return answer.clean;
      throw 'failed' in answer ? new Unbuildable(answer.failed) : new Error('another answer');
    },
    async poison(base, rows) {
      const all = [...(base ? [base.bytes] : []), ...rows.map(({ bytes }) => bytes)];
      if (size(all) < smallWork / 8) return findPoison(base, rows);
      const answer = await ask({ kind: 'poison', base, rows: rows.map(({ seq, bytes }) => ({ seq, bytes })) });
      if ('poison' in answer) return answer.poison;
      throw new Error('failed' in answer ? answer.failed : 'another answer');
    },
    async untangled(bytes) {
      if (bytes.byteLength < smallWork / 8) return untangled(bytes);
      const answer = await ask({ kind: 'untangle', bytes });
      if ('untangled' in answer) return answer.untangled;
      throw new Error('failed' in answer ? answer.failed : 'another answer');
    },
    get threaded() {
      return thread !== null;
    },
    close: async () => void (await end(new Error('closed'))),
  };
}

const size = (pieces: readonly Uint8Array[]): number => pieces.reduce((sum, { byteLength }) => sum + byteLength, 0);
