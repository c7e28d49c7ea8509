/** Columns of the table `rooms` that tell the stored state of a document. */
interface Stored {
  /** Number of rows in all earlier generations. */
  base: number;
  seq: number;
  mends: number;
}

/**
 * The version of a document as programs see it. It rises by one with every row of the log, with every new generation, and
 * when part of the room is set aside; every process computes the same from the room's row. An empty document has version 0.
 */
export const versionOf = ({ base, seq, mends }: Stored): number => base + seq + mends;

/** SQL for the version of a row `r` of `rooms`. */
export const versionSql = 'r.base + r.seq + r.mends';
