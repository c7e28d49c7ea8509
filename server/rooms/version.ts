import type { Room } from '#sync/server/room.ts';

/** Columns of the table `rooms` that identify the stored state of a document. */
type Stored = Pick<Room, 'generation' | 'mends'> & { seq: number };

const generationStep = 2 ** 32;

/**
 * The version of a document as programs see it. It rises with every row of the log, with every new generation, and when
 * part of the room is set aside; every process computes the same from the room's row. No log reaches 2^32 rows, and the
 * number is exact up to two million generations. An empty document has version 0.
 */
export const versionOf = ({ generation, seq, mends }: Stored): number =>
  (generation - 1) * generationStep + seq + mends;

/** The generation of a version, and the versions counted since its beginning. */
export const generationOf = (version: number): { generation: number; counted: number } => ({
  generation: Math.floor(version / generationStep) + 1,
  counted: version % generationStep,
});

/** SQL for the version of a row `r` of `rooms`. */
export const versionSql = '((r.generation - 1)::bigint << 32) + r.seq + r.mends';
