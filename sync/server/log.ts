import type { PendingRow } from '#db/updates.ts';

/** Stores appended rows; the database, or a fake disk in the simulation. */
export interface Store {
  append(rows: readonly PendingRow[]): Promise<(number | null)[]>;
  /** Whether one of its rooms alone may be why an append failed. */
  blames?(error: unknown): boolean;
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
 * Group commit: while one insert is on its way to the disk, the rows of all rooms collect for the next one. Under load a
 * commit serves hundreds of people; without load nobody waits. A room that makes the insert fail (its row is locked) gets
 * a lane of its own until it succeeds again.
 */
export function createLog(store: Store, observe: (rows: number, ms: number) => void = () => {}): Log {
  const lanes = new Map<string, Lane>();
  /** Rooms whose last append failed by their own fault. */
  const troubled = new Set<string>();
  /** The lane all rooms share; no room has this name. */
  const shared = '';

  class Lane {
    private waiting: Waiting[] = [];
    private readonly name: string;
    readonly flying: Promise<void>;

    constructor(name: string) {
      this.name = name;
      lanes.set(name, this);
      this.flying = this.fly();
    }

    push(one: Waiting): void {
      this.waiting.push(one);
    }

    private async fly(): Promise<void> {
      // Other rows of this turn of the event loop join the first batch.
      await Promise.resolve();
      while (this.waiting.length > 0) {
        const batch = this.take();
        const started = performance.now();
        try {
          const numbers = await store.append(batch.map(({ row }) => row));
          observe(batch.length, performance.now() - started);
          troubled.delete(this.name);
          for (const [i, { resolve }] of batch.entries()) resolve(numbers[i] ?? null);
        } catch (error) {
          this.fail(batch, error);
        }
      }
      lanes.delete(this.name);
    }

    private fail(batch: Waiting[], error: unknown): void {
      const rooms = new Set(batch.map(({ row }) => row.room));
      const blamed = store.blames?.(error) ?? false;
      for (const one of batch) {
        if (blamed && rooms.size > 1) enter(one.row.room, one);
        else one.reject(error);
      }
      if (blamed && rooms.size === 1) for (const room of rooms) troubled.add(room);
    }

    private take(): Waiting[] {
      let bytes = 0;
      let count = 0;
      while (count < this.waiting.length && count < batchRows) {
        bytes += this.waiting[count]?.row.bytes.byteLength ?? 0;
        if (count > 0 && bytes > batchBytes) break;
        count += 1;
      }
      const batch = this.waiting.slice(0, count);
      this.waiting = this.waiting.slice(count);
      return batch;
    }
  }

  const enter = (name: string, one: Waiting): void => (lanes.get(name) ?? new Lane(name)).push(one);

  return {
    append: (row) =>
      new Promise((resolve, reject) => {
        enter(lanes.has(row.room) || troubled.has(row.room) ? row.room : shared, { row, resolve, reject });
      }),
    idle: async () => {
      for (let [lane] = lanes.values(); lane; [lane] = lanes.values()) await lane.flying;
    },
  };
}
