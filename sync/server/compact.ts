import type { Poison } from '#db/updates.ts';
import { limits } from '../protocol.ts';
import { findPoison } from './poison.ts';
import { skim } from './skim.ts';
import { makeClean, makeSnapshot } from './snapshot.ts';
import { startThread, ThreadDesk, ThreadFailed, TookTooLong } from './thread.ts';
import type { Untangled } from './untangle.ts';

interface Stored {
  seq: number;
  bytes: Uint8Array;
}

type Pieces = readonly Uint8Array[];

export type Task =
  | { kind: 'snapshot'; pieces: Pieces }
  | { kind: 'clean'; pieces: Pieces }
  | { kind: 'untangle'; pieces: Pieces }
  | { kind: 'poison'; base: Stored | null; rows: readonly Stored[] };

export interface Compactor {
  /** One proved piece for many; null where they make no document, or not the same one again. */
  snapshot(pieces: Pieces): Promise<Uint8Array | null>;
  poison(base: Stored | null, rows: readonly Stored[]): Promise<Poison[]>;
  /** The same document without deleted content, in one piece. */
  clean(pieces: Pieces): Promise<Uint8Array>;
  /** The same document in bytes that cost little to build; null where these do (G16). */
  untangled(pieces: Pieces): Promise<Untangled | null>;
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
/** Documents that take longer than nearly all go to a thread of their own, where they wait for each other alone. */
const quickWork = 20_000;
const longestWork = 120_000;
/** A document of 20 MB takes some hundred; a thread that wants more ends without harm to the process. */
const threadMegabytes = 1024;

/** Builds documents beside the event loop, in threads that run only while there is work. */
export function createCompactor(): Compactor {
  const deskFor = (name: string, milliseconds: number) =>
    new ThreadDesk<Task>((options) => startThread('compact-thread', import.meta.url, { ...options, name }), {
      milliseconds,
      megabytes: threadMegabytes,
    });
  const quick = deskFor('compact', quickWork);
  const patient = deskFor('compact slowly', longestWork);

  // Rooms that fill at the same pace are compacted at the same moment: each waits for a turn of the event loop of its own.
  let lastTurn: Promise<unknown> = Promise.resolve();
  const ownTurn = () => (lastTurn = lastTurn.then(() => new Promise((resolve) => setImmediate(resolve))));

  const ask = async (task: Task): Promise<unknown> => {
    try {
      return await quick.ask(task);
    } catch (error) {
      if (error instanceof TookTooLong) return patient.ask(task);
      throw error;
    }
  };

  return {
    async snapshot(pieces) {
      try {
        if (isSmall(pieces, smallWork)) {
          await ownTurn();
          return makeSnapshot(pieces);
        }
      } catch {
        return null;
      }
      try {
        return (await ask({ kind: 'snapshot', pieces })) as Uint8Array;
      } catch (error) {
        if (error instanceof ThreadFailed) return null;
        throw error;
      }
    },
    async clean(pieces) {
      try {
        if (isSmall(pieces, smallWork / 8)) return makeClean(pieces);
      } catch (error) {
        throw new Unbuildable(String(error));
      }
      try {
        return (await ask({ kind: 'clean', pieces })) as Uint8Array;
      } catch (error) {
        throw error instanceof ThreadFailed ? new Unbuildable(error.message) : error;
      }
    },
    async poison(base, rows) {
      const all = [...(base ? [base.bytes] : []), ...rows.map(({ bytes }) => bytes)];
      if (sizeOf(all) < smallWork / 8) return findPoison(base, rows);
      return (await ask({ kind: 'poison', base, rows: rows.map(({ seq, bytes }) => ({ seq, bytes })) })) as Poison[];
    },
    async untangled(pieces) {
      if (countStructs(pieces) <= limits.inlineStructs) return null;
      return (await ask({ kind: 'untangle', pieces })) as Untangled | null;
    },
    get threaded() {
      return quick.threaded || patient.threaded;
    },
    close: async () => void (await Promise.all([quick.close(), patient.close()])),
  };
}

const sizeOf = (pieces: Pieces): number => pieces.reduce((sum, { byteLength }) => sum + byteLength, 0);
const countStructs = (pieces: Pieces): number => pieces.reduce((sum, piece) => sum + skim(piece).structs, 0);
/** Each structure may have to be compared with all others, so few bytes may be much work (G16). */
const isSmall = (pieces: Pieces, bytes: number): boolean =>
  sizeOf(pieces) < bytes && countStructs(pieces) <= limits.inlineStructs;
