import * as Y from 'yjs';
import { packUpdates } from '../protocol.ts';
import { holdClientId } from './client-id.ts';
import {
  below,
  openDatabase,
  readRows,
  sumOf,
  transact,
  written,
  type KeptRoom,
  type Row,
  type RowKey,
  type Tab,
} from './kept.ts';

/**
 * A document kept in this browser, for the person who is signed in: what was typed while the line was down is here
 * after a restart. Kept by person, so that nobody's edits are ever sent as somebody else's. Several tabs may keep one
 * document: each writes rows of its own.
 */
export interface OfflineCopy {
  /** False while the browser refuses to keep something: the screen then says so. */
  readonly healthy: boolean;
  /** What was kept is there and cannot be read: nothing more is kept until it is dropped. */
  readonly broken: boolean;
  /** Fills the document with what is kept; `origin` marks those updates as not new. */
  load(doc: Y.Doc, origin: unknown): Promise<Kept>;
  /** What the server said of the room: what is kept belongs to this generation. */
  setRoom(generation: number, canWrite: boolean): void;
  keep(update: Uint8Array, own: boolean): void;
  /** Null when all of it is on the disk; else resolves when it is, or will not be for now. */
  settled(): Promise<void> | null;
  /** So many own updates are durable at the server, those that were loaded counted first. */
  saved(count: number): void;
  close(): void;
}

export interface Kept {
  generation: number | null;
  /** Whether the server let this person write when it was last heard. */
  canWrite: boolean;
  /** Own updates the server has not said to be durable. */
  unsaved: Uint8Array[];
  /** The client id to go on with: one of this browser's that no other tab has. Null leaves the document's own. */
  clientId: number | null;
}

const rowsBeforeCompaction = 400;
/** A disk that has not answered for so long is not waited for. */
const patience = 1500;
const openPatience = 5000;
const retryAfter = 5000;
const markEvery = 1000;

export function offlineCopy(userId: string, room: string): OfflineCopy {
  const ownTab = crypto.randomUUID();
  const own: Tab = { rows: [], saved: 0 };
  /** Rows this document holds. */
  const tabs = new Map<string, Tab>([[ownTab, own]]);
  let db: IDBDatabase | null = null;
  let doc: Y.Doc | null = null;
  let generation: number | null = null;
  let canWrite = true;
  let failing = false;
  /** What is kept could not be read: what would be kept now could not be read back either. */
  let unreadable = false;
  let closed = false;
  let clientId: Awaited<ReturnType<typeof holdClientId>> = null;
  let loadedUnsaved = 0;
  /** Own updates of this tab that are on the disk, rows written, and how many rows when they were last put together. */
  let kept = 0;
  let rows = 0;
  let compactedAt = 0;

  let queue: { update: Uint8Array; own: boolean }[] = [];
  let writing: Promise<void> | null = null;
  let retry: ReturnType<typeof setTimeout> | null = null;
  let marking: ReturnType<typeof setTimeout> | null = null;
  let loading: Promise<unknown> = Promise.resolve();

  function fail(): void {
    failing = true;
    // What is sent from here on may be missing from the copy: a tab that takes up this client id could use clocks twice.
    const id = clientId?.id;
    if (db && generation !== null && id !== undefined) {
      const key = [room, generation, id];
      transact(db, 'readwrite', (store) => void store('ids').delete(key)).catch(() => {});
    }
    retry ??= setTimeout(() => {
      retry = null;
      write();
    }, retryAfter);
  }

  async function load(into: Y.Doc, origin: unknown): Promise<Kept> {
    doc = into;
    let ids: number[] = [];
    let unsaved: Uint8Array[] = [];
    try {
      db = await within(openPatience, openDatabase(userId));
      db.addEventListener('close', () => fail());
      const about = await transact(db, 'readonly', (store) => {
        const known = store('rooms').get(room) as IDBRequest<KeptRoom | undefined>;
        const keys = store('ids').getAllKeys(below(room));
        return () => ({
          known: known.result,
          keys: written<[string, number, number]>(keys),
        });
      });
      if (about?.known) {
        const at = about.known.generation;
        canWrite = about.known.canWrite ?? true;
        const found = await readRows(db, room, at);
        into.transact(() => {
          for (const update of found.updates) Y.applyUpdate(into, update, origin);
        }, origin);
        generation = at;
        unsaved = found.unsaved;
        ids = about.keys.flatMap(([, of, id]) => (of === at ? [id] : []));
        for (const [name, tab] of found.tabs) tabs.set(name, tab);
        if (found.count > rowsBeforeCompaction / 4) compactedAt = -rowsBeforeCompaction;
      }
      loadedUnsaved = unsaved.length;
    } catch {
      unreadable = true;
      return { generation: null, canWrite, unsaved: [], clientId: null };
    }
    clientId = await within(patience, holdClientId(`colloquy/${userId}/${room}`, ids)).catch(() => null);
    // Whoever left meanwhile holds nothing.
    if (closed) clientId?.release();
    noteClientId();
    return { generation, canWrite, unsaved, clientId: clientId?.id ?? null };
  }

  function noteClientId(): void {
    if (!db || generation === null || !clientId?.isNew) return;
    const key = [room, generation, clientId.id];
    clientId.isNew = false;
    transact(db, 'readwrite', (store) => void store('ids').put(1, key)).catch(() => {});
  }

  /** Without it nobody would find the rows again. Another tab may have heard of a later generation already. */
  function noteRoom(rooms: IDBObjectStore, at: number): void {
    const known = rooms.get(room) as IDBRequest<KeptRoom | undefined>;
    known.addEventListener('success', () => {
      if ((known.result?.generation ?? at) <= at) rooms.put({ generation: at, canWrite } satisfies KeptRoom, room);
    });
  }

  /** One transaction at a time; what comes meanwhile shares the next one. */
  function write(): void {
    if (unreadable) queue = [];
    if (writing || queue.length === 0 || !db || generation === null) return;
    writing = writeBatch(db, generation).finally(() => {
      writing = null;
      if (!failing) write();
    });
  }

  async function writeBatch(to: IDBDatabase, at: number): Promise<void> {
    const batch = queue;
    queue = [];
    const fresh: { n: number; row: Row }[] = [];
    let upTo = kept;
    for (const ours of [true, false]) {
      const updates = batch.filter((one) => one.own === ours).map(({ update }) => update);
      if (updates.length === 0) continue;
      if (ours) upTo += updates.length;
      const bytes = packUpdates(updates);
      fresh.push({
        n: (rows += 1),
        row: { bytes, sum: sumOf(bytes), own: ours ? updates.length : 0, upTo },
      });
    }
    const late = setTimeout(fail, patience);
    try {
      await transact(
        to,
        'readwrite',
        (store) => {
          for (const { n, row } of fresh) store('rows').put(row, [room, at, ownTab, n] satisfies RowKey);
          noteRoom(store('rooms'), at);
        },
        batch.some((one) => one.own) ? 'strict' : 'relaxed',
      );
    } catch {
      queue = [...batch, ...queue];
      fail();
      return;
    } finally {
      clearTimeout(late);
    }
    kept = upTo;
    failing = false;
    own.rows.push(...fresh.map(({ n, row }) => ({ n, upTo: row.upTo })));
    if (rows - compactedAt > rowsBeforeCompaction) await compact(to, at);
  }

  /** The document as it is takes the place of the rows it holds; what is not saved yet stays as it was made. */
  async function compact(to: IDBDatabase, at: number): Promise<void> {
    if (!doc) return;
    const bytes = packUpdates([Y.encodeStateAsUpdate(doc)]);
    const n = (rows += 1);
    compactedAt = rows;
    const whole: Row = { bytes, sum: sumOf(bytes), own: 0, upTo: kept };
    const over = [...tabs].map(([name, tab]) => ({
      name,
      tab,
      last: tab.rows.findLast(({ upTo }) => upTo <= tab.saved)?.n ?? 0,
    }));
    try {
      await transact(to, 'readwrite', (store) => {
        for (const { name, last } of over)
          if (last > 0) store('rows').delete(IDBKeyRange.bound([room, at, name, 0], [room, at, name, last]));
        store('rows').put(whole, [room, at, ownTab, n] satisfies RowKey);
      });
    } catch {
      return;
    }
    for (const { tab, last } of over) tab.rows = tab.rows.filter((row) => row.n > last);
    own.rows.push({ n, upTo: whole.upTo });
  }

  function mark(): void {
    if (marking) clearTimeout(marking);
    marking = null;
    if (!db || generation === null) return;
    const at = generation;
    transact(db, 'readwrite', (store) => {
      for (const [name, { saved }] of tabs) {
        const had = store('marks').get([room, at, name]) as IDBRequest<number | undefined>;
        // A tab that still works marks its own rows, further than we know of them.
        had.addEventListener('success', () => {
          if (saved > (had.result ?? 0)) store('marks').put(saved, [room, at, name]);
        });
      }
    }).catch(() => {});
  }

  return {
    get healthy() {
      // Before the generation is known nothing can be put in its place.
      return db !== null && !failing && !unreadable && (generation !== null || queue.length === 0);
    },
    get broken() {
      return unreadable && db !== null;
    },
    load(into, origin) {
      const work = load(into, origin);
      loading = work.catch(() => {});
      return work;
    },
    setRoom(now, mayWrite) {
      generation = now;
      canWrite = mayWrite;
      if (!db || unreadable) return;
      transact(db, 'readwrite', (store) => noteRoom(store('rooms'), now)).catch(() => fail());
      noteClientId();
      write();
    },
    keep(update, ours) {
      queue.push({ update, own: ours });
      write();
    },
    settled() {
      if (failing || unreadable || !writing) return null;
      // What is made after this is not waited for: somebody who types without a pause would send nothing.
      const all = async (): Promise<void> => {
        const inNext = queue.length > 0;
        await writing;
        if (inNext && writing && !failing) await writing;
      };
      return within(patience, all()).catch(() => fail());
    },
    saved(count) {
      if (count >= loadedUnsaved)
        for (const [name, tab] of tabs) if (name !== ownTab) tab.saved = tab.rows.at(-1)?.upTo ?? tab.saved;
      own.saved = Math.max(own.saved, count - loadedUnsaved);
      marking ??= setTimeout(mark, markEvery);
    },
    close() {
      if (closed) return;
      closed = true;
      if (retry) clearTimeout(retry);
      const finish = async (): Promise<void> => {
        await loading;
        while (writing) await writing;
        if (marking) mark();
        // Transactions under way are completed all the same.
        db?.close();
        clientId?.release();
      };
      void finish();
    },
  };
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('too late')), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
