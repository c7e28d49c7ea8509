import { unpackUpdates } from '../protocol.ts';

// The copies of documents in this browser: one database a person, in it rows by room, generation and tab.

/** One write of one tab. A row has own updates or those of others, never both. */
export interface Row {
  /** Packed updates. */
  bytes: Uint8Array;
  sum: number;
  /** How many own updates it holds. */
  own: number;
  /** How many own updates of this tab there are up to and with this row. */
  upTo: number;
}

export type RowKey = [room: string, generation: number, tab: string, n: number];

/** The rows of one tab. */
export interface Tab {
  rows: { n: number; upTo: number }[];
  /** How many of its own updates are durable at the server. */
  saved: number;
}

interface KeptRows {
  tabs: Map<string, Tab>;
  count: number;
  updates: Uint8Array[];
  /** Own updates that are not known to be durable, in the order they were made. */
  unsaved: Uint8Array[];
}

/** A room with a copy here. */
export interface KeptRoom {
  generation: number;
  canWrite?: boolean;
  /** Whether the copy may hold deleted text. */
  history?: boolean;
}

const stores = ['rows', 'marks', 'ids', 'rooms', 'beside', 'commands'] as const;
export type StoreName = (typeof stores)[number];

export const databaseOf = (userId: string): string => `colloquy-${userId}`;
/** The person whose database has this name; null for any other one. */
export const personOf = (database: string): string | null => /^colloquy-([^-]+)$/.exec(database)?.[1] ?? null;

/** The range of keys with this prefix. */
export const below = (...prefix: (string | number)[]): IDBKeyRange => IDBKeyRange.bound(prefix, [...prefix, []]);

export function openDatabase(userId: string): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(databaseOf(userId), 3);
    request.addEventListener('upgradeneeded', () => {
      const { result } = request;
      for (const store of stores) if (!result.objectStoreNames.contains(store)) result.createObjectStore(store);
    });
    request.addEventListener('success', () => {
      // Another tab that deletes the copy (after signing out) must not wait.
      request.result.addEventListener('versionchange', () => request.result.close());
      resolve(request.result);
    });
    request.addEventListener('error', () => reject(request.error ?? new Error('the database cannot be opened')));
    request.addEventListener('blocked', () => reject(new Error('the database is blocked')));
  });
}

/** Resolves once the transaction is complete, with what `work` leaves to be read then. */
export function transact<T>(
  db: IDBDatabase,
  mode: IDBTransactionMode,
  work: (store: (name: StoreName) => IDBObjectStore) => (() => T) | void,
  durability: IDBTransactionDurability = 'relaxed',
): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const tx = db.transaction(stores, mode, { durability });
    const refuse = () => reject(tx.error ?? new Error('the browser keeps nothing'));
    tx.addEventListener('abort', refuse);
    tx.addEventListener('error', refuse);
    const result = work((name) => tx.objectStore(name));
    tx.addEventListener('complete', () => resolve(result?.()));
  });
}

/** Reads the copy of one generation of a room. */
export async function readRows(db: IDBDatabase, room: string, generation: number): Promise<KeptRows> {
  let kept: KeptRows = { tabs: new Map(), count: 0, updates: [], unsaved: [] };
  await transact(db, 'readonly', (store) => withRows(store, room, generation, (rows) => void (kept = rows)));
  return kept;
}

/** Reads the copy within a transaction; what `work` does there, no other tab can come between. */
export function withRows(
  store: (name: StoreName) => IDBObjectStore,
  room: string,
  generation: number,
  work: (rows: KeptRows) => void,
): void {
  const rowKeys = store('rows').getAllKeys(below(room, generation));
  const rows = store('rows').getAll(below(room, generation)) as IDBRequest<Row[]>;
  const markKeys = store('marks').getAllKeys(below(room, generation));
  const marks = store('marks').getAll(below(room, generation)) as IDBRequest<number[]>;
  // Requests of a transaction are answered in their order.
  marks.addEventListener('success', () => {
    try {
      work(
        keptRows({
          rowKeys: written<RowKey>(rowKeys),
          rows: rows.result,
          markKeys: written<[string, number, string]>(markKeys),
          marks: marks.result,
        }),
      );
    } catch {
      // Unreadable rows: the transaction fails, and with it the caller.
      marks.transaction?.abort();
    }
  });
}

interface Found {
  rowKeys: RowKey[];
  rows: Row[];
  markKeys: [string, number, string][];
  marks: number[];
}

function keptRows(found: Found): KeptRows {
  const kept: KeptRows = { tabs: new Map(), count: 0, updates: [], unsaved: [] };
  const marks = new Map(found.markKeys.map(([, , tab], i) => [tab, found.marks[i] ?? 0]));
  for (const [i, row] of found.rows.entries()) {
    const [, , name = '', n = 0] = found.rowKeys[i] ?? [];
    const tab = kept.tabs.get(name) ?? { rows: [], saved: marks.get(name) ?? 0 };
    kept.tabs.set(name, tab);
    tab.rows.push({ n, upTo: row.upTo });
    kept.count += 1;
    // A damaged row is left out; the server sends again what it has of it.
    if (sumOf(row.bytes) !== row.sum) continue;
    const updates = unpackUpdates(row.bytes);
    kept.updates.push(...updates);
    const open = Math.min(row.own, Math.max(0, row.upTo - tab.saved));
    if (open > 0) kept.unsaved.push(...updates.slice(-open));
  }
  return kept;
}

/** The keys of a request, typed as they were written. */
export const written = <Key>(request: IDBRequest<IDBValidKey[]>): Key[] => request.result as unknown[] as Key[];

/** FNV-1a: finds damage, not forgery. */
export function sumOf(bytes: Uint8Array): number {
  let sum = 0x811c9dc5;
  for (const byte of bytes) sum = Math.imul(sum ^ byte, 0x01000193);
  return sum >>> 0;
}
