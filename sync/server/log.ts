import type { PendingRow } from '#db/updates.ts';

/** Where appended rows end up; the database in the house, a fake disk in the simulation. */
export interface Store {
  append(rows: readonly PendingRow[]): Promise<(number | null)[]>;
}

export interface Log {
  /** Resolves with the row's number once it is durable; null when its room has another generation by now. */
  append(row: PendingRow): Promise<number | null>;
  /** Resolves when nothing is under way any more. */
  idle(): Promise<void>;
}

const batchRows = 1000;
const batchBytes = 8 * 1024 * 1024;

interface Waiting {
  row: PendingRow;
  resolve(seq: number | null): void;
  reject(error: unknown): void;
}

/**
 * Group commit: while one insert is on its way to the disk, the rows of all rooms collect and make up the next one.
 * Under load a commit then serves hundreds of people, and without it nobody waits for company.
 */
export function createLog(store: Store, observe: (rows: number, ms: number) => void = () => {}): Log {
  let waiting: Waiting[] = [];
  let flying: Promise<void> | null = null;

  const take = (): Waiting[] => {
    let bytes = 0;
    let count = 0;
    while (count < waiting.length && count < batchRows) {
      bytes += waiting[count]?.row.bytes.byteLength ?? 0;
      if (count > 0 && bytes > batchBytes) break;
      count += 1;
    }
    const batch = waiting.slice(0, count);
    waiting = waiting.slice(count);
    return batch;
  };

  const fly = async (): Promise<void> => {
    // What else arrives in this turn of the event loop joins the first batch.
    await Promise.resolve();
    while (waiting.length > 0) {
      const batch = take();
      const started = performance.now();
      try {
        const numbers = await store.append(batch.map(({ row }) => row));
        observe(batch.length, performance.now() - started);
        for (const [i, { resolve }] of batch.entries()) resolve(numbers[i] ?? null);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    flying = null;
  };

  return {
    append: (row) =>
      new Promise((resolve, reject) => {
        waiting.push({ row, resolve, reject });
        flying ??= fly();
      }),
    idle: async () => {
      while (flying) await flying;
    },
  };
}
