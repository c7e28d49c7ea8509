import type { Room } from '#sync/server/room.ts';

/** The columns of the table `rooms` that say which state of a document is stored. */
type Stored = Pick<Room, 'generation' | 'mends'> & { seq: number };

const generationStep = 2 ** 32;

/**
 * The one number programs know a state of a document by. It rises with every stored row of the log, with every new
 * generation, and when something of the room was set aside; every process reads the same from the room's row. No log
 * has 2^32 rows, and the number stays exact up to two million generations. An empty document has version 0.
 */
export const versionOf = ({ generation, seq, mends }: Stored): number =>
  (generation - 1) * generationStep + seq + mends;

/** The generation a version is of, and how much of the count is behind its beginning. */
export const generationOf = (version: number): { generation: number; counted: number } => ({
  generation: Math.floor(version / generationStep) + 1,
  counted: version % generationStep,
});

/** The version of a row `r` of `rooms`, for queries. */
export const versionSql = '((r.generation - 1)::bigint << 32) + r.seq + r.mends';
