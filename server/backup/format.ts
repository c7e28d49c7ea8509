import { z } from 'zod';

/*
 * A backup is a tar file: what it is, each table as PostgreSQL's text in packed pieces, each stored file, and at last
 * the checksum of all of these. Any tar program, gunzip and PostgreSQL's COPY can read it.
 */

/** Raised where an older restore could not read a backup any more. */
export const format = 1;
export const about = 'colloquy-backup.json';
/** Name of the last entry, which tells the checksum of its own content. */
export const sumsName = (sha256: string): string => `checksums/${sha256}.json`;

/** Name of the nth piece of a table; pieces sort by name. */
export const piece = (table: string, nth: number): string =>
  `database/${table}/${String(nth).padStart(8, '0')}.copy.gz`;

export const aboutSchema = z.object({
  format: z.number(),
  version: z.string(),
  /** Time of its start; later changes of the database are not in it. */
  at: z.string(),
  migration: z.number(),
  tables: z.array(z.object({ name: z.string(), columns: z.array(z.string()) })),
  sequences: z.record(z.string(), z.string()),
});
export type About = z.infer<typeof aboutSchema>;

export const sumsSchema = z.object({
  /** Names of all other entries in their order, and the SHA-256 of their content. */
  sums: z.array(z.tuple([z.string(), z.string()])),
  /** Number of rows of each table. */
  counts: z.record(z.string(), z.number()),
});
export type Sums = z.infer<typeof sumsSchema>;
