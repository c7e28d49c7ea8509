import * as Y from 'yjs';
import {
  below,
  databaseOf,
  openDatabase,
  personOf,
  readRows,
  transact,
  withRows,
  written,
  type KeptRoom,
  type RowKey,
  type StoreName,
} from './stored-copies.ts';

// Copies that are not open: setting aside, offering and dropping them.

/** A copy with changes that no server has. */
interface Unsent {
  room: string;
  generation: number;
  changes: number;
}

/** A copy with changes that cannot be sent any more, and those changes. */
interface LeftOver {
  generation: number;
  doc: Y.Doc;
  unsaved: Uint8Array[];
}

/** Commands belong to no document. */
const commandsGeneration = -1;

async function using<T>(userId: string, work: (db: IDBDatabase) => Promise<T>): Promise<T> {
  const db = await openDatabase(userId);
  try {
    return await work(db);
  } finally {
    db.close();
  }
}

async function generationsOf(db: IDBDatabase, ...room: string[]): Promise<{ room: string; generation: number }[]> {
  const range = room.length > 0 ? below(...room) : null;
  const keys = await transact(db, 'readonly', (store) => {
    const request = store('rows').getAllKeys(range);
    return () => written<RowKey>(request);
  });
  const found = new Map(
    (keys ?? []).map(([name, generation]) => [`${generation} ${name}`, { room: name, generation }]),
  );
  return [...found.values()];
}

const remove = (db: IDBDatabase, room: string, generation: number): Promise<unknown> =>
  transact(db, 'readwrite', (store) => removeRows(store, room, generation));

function removeRows(store: (name: StoreName) => IDBObjectStore, room: string, generation: number): void {
  for (const name of ['rows', 'marks', 'ids'] as const) store(name).delete(below(room, generation));
  forget(store, room, generation, ['rooms', 'beside']);
}

/** Removes a copy unless it has changes that no server has: another tab may have stored one a moment ago. */
const removeSaved = (
  db: IDBDatabase,
  room: string,
  generation: number,
  unsaved?: (store: (name: StoreName) => IDBObjectStore) => void,
): Promise<unknown> =>
  transact(db, 'readwrite', (store) =>
    withRows(store, room, generation, (rows) => {
      if (rows.unsaved.length === 0) removeRows(store, room, generation);
      else unsaved?.(store);
    }),
  );

/** Skipped where another tab has a later generation meanwhile. */
function forget(
  store: (name: StoreName) => IDBObjectStore,
  room: string,
  generation: number,
  names: StoreName[],
): void {
  const known = store('rooms').get(room) as IDBRequest<KeptRoom | undefined>;
  known.addEventListener('success', () => {
    if (known.result?.generation === generation) for (const name of names) store(name).delete(room);
  });
}

/** Everything of a person that only this browser has. */
export function unsentCopies(userId: string): Promise<Unsent[]> {
  return using(userId, async (db) => {
    const found: Unsent[] = [];
    for (const { room, generation } of await generationsOf(db)) {
      const { unsaved } = await readRows(db, room, generation);
      if (unsaved.length > 0) found.push({ room, generation, changes: unsaved.length });
    }
    const commands = await transact(db, 'readonly', (store) => {
      const keys = store('commands').getAllKeys();
      return () => written<[meeting: string, tab: string, n: number]>(keys);
    });
    for (const [meeting] of commands ?? []) {
      const known = found.find(({ generation, room }) => generation === commandsGeneration && room === meeting);
      if (known) known.changes += 1;
      else found.push({ room: meeting, generation: commandsGeneration, changes: 1 });
    }
    return found;
  });
}

/** People with a copy in this browser; rejects where the browser does not list its databases. */
export async function peopleWithCopies(): Promise<string[]> {
  const all = await indexedDB.databases();
  return all.flatMap(({ name = '' }) => personOf(name) ?? []);
}

/** Stores what a page needs to open the document without a network; dropped with the copy. */
export const keepBeside = (userId: string, room: string, what: unknown): Promise<unknown> =>
  using(userId, (db) => transact(db, 'readwrite', (store) => void store('beside').put(what, room)));

/** Undefined where the document itself has no copy here. */
export const keptBeside = (userId: string, room: string): Promise<unknown> =>
  using(userId, (db) =>
    transact(db, 'readonly', (store) => {
      const known = store('rooms').get(room);
      const beside = store('beside').get(room) as IDBRequest<unknown>;
      return () => (known.result === undefined ? undefined : beside.result);
    }),
  );

/** Drops, after signing out, all that the server has; resolves with the number of changes that stay. */
export async function dropSavedCopies(userId: string): Promise<number> {
  const unsent = await unsentCopies(userId);
  if (unsent.length === 0) {
    await dropCopies(userId);
    return 0;
  }
  await using(userId, async (db) => {
    const keep = new Set(unsent.map(({ room, generation }) => `${generation} ${room}`));
    for (const { room, generation } of await generationsOf(db))
      if (!keep.has(`${generation} ${room}`)) await removeSaved(db, room, generation);
  });
  return unsent.reduce((sum, { changes }) => sum + changes, 0);
}

/** Drops everything of a person, also what no server has: their account is gone. */
export function dropCopies(userId: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase(databaseOf(userId));
    request.addEventListener('success', () => resolve());
    request.addEventListener('error', () => reject(request.error ?? new Error('the copy cannot be dropped')));
    // The browser deletes it as soon as the last tab closes it.
    request.addEventListener('blocked', () => resolve());
  });
}

export function dropCopy(userId: string, room: string, generation: number): Promise<unknown> {
  return using(userId, (db) => remove(db, room, generation));
}

/** Drops a copy unless it has changes that no server has. */
export const dropIfSaved = (userId: string, room: string, generation: number): Promise<unknown> =>
  using(userId, (db) => removeSaved(db, room, generation));

/** Drops the copy of any generation, also one that cannot be read. */
export const dropRoom = (userId: string, room: string): Promise<unknown> =>
  using(userId, (db) =>
    transact(db, 'readwrite', (store) => {
      for (const name of ['rows', 'marks', 'ids'] as const) store(name).delete(below(room));
      for (const name of ['rooms', 'beside'] as const) store(name).delete(room);
    }),
  );

/** Sets a copy aside whose document began a new generation at the server: the two are never merged. */
export const setAside = (userId: string, room: string, generation: number): Promise<unknown> =>
  using(userId, (db) => removeSaved(db, room, generation, (store) => forget(store, room, generation, ['rooms'])));

/** Copies of older generations that hold changes of this person, each to be offered and then dropped. */
export function asideOf(userId: string, room: string): Promise<LeftOver[]> {
  return using(userId, async (db) => {
    const known = await transact(db, 'readonly', (store) => {
      const request = store('rooms').get(room) as IDBRequest<KeptRoom | undefined>;
      return () => request.result;
    });
    return leftOvers(db, room, known?.generation ?? null);
  });
}

/** The same for a document that this person may no longer open: copies without changes are dropped. */
export const leftOf = (userId: string, room: string): Promise<LeftOver[]> =>
  using(userId, (db) => leftOvers(db, room, null));

/** Commands of a meeting that the server has not answered, of all tabs, in the order they were given there. */
export async function leftCommands<C>(userId: string, meeting: string): Promise<C[]> {
  const found = await using(userId, (db) =>
    transact(db, 'readonly', (store) => {
      const all = store('commands').getAll(below(meeting)) as IDBRequest<C[]>;
      return () => all.result;
    }),
  );
  return found ?? [];
}

/** Drops these commands alone, as others may have been given since they were read. */
export const dropCommands = (userId: string, meeting: string, ids: ReadonlySet<string>): Promise<unknown> =>
  using(userId, (db) =>
    transact(db, 'readwrite', (store) => {
      const cursor = store('commands').openCursor(below(meeting));
      cursor.addEventListener('success', () => {
        const at = cursor.result;
        if (!at) return;
        if (ids.has((at.value as { id: string }).id)) at.delete();
        at.continue();
      });
    }),
  );

async function leftOvers(db: IDBDatabase, room: string, current: number | null): Promise<LeftOver[]> {
  const found: LeftOver[] = [];
  for (const { generation } of await generationsOf(db, room)) {
    if (generation === current) continue;
    const { updates, unsaved } = await readRows(db, room, generation);
    const doc = new Y.Doc();
    doc.transact(() => {
      for (const update of updates) Y.applyUpdate(doc, update);
    });
    if (unsaved.length > 0) found.push({ generation, doc, unsaved });
    else await removeSaved(db, room, generation);
  }
  return found;
}
