import type { Table } from '#tests/support/table.ts';

/** The tables of the whole API, by file: a new capability adds one beside the others. */
export const tables: Record<string, Table> = import.meta.glob('./*.table.ts', { eager: true, import: 'default' });
