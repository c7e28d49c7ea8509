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
} from './stored-copies.ts';

/**
 * The copy of a document in this browser: edits made without a network survive a restart. Stored by person, so that nobody's
 * edits are ever sent as another person's. Several tabs may share a copy: each writes rows of its own.
 */
export interface OfflineCopy {
  /** False while the browser refuses to store something; the page shows it. */
  readonly healthy: boolean;
  /** True where the copy cannot be read: nothing more is stored until it is dropped. */
  readonly broken: boolean;
  /** Own updates that are not stored yet. */
  readonly unstored: number;
  /** Calls `changed` each time something was stored, or could not be. */
  watch(changed: () => void): void;
  /** Fills the document from the copy; `origin` marks those updates as not new. */
  load(doc: Y.Doc, origin: unknown): Promise<Kept>;
  /** Takes what the server said of the room; the copy belongs to this generation. */
  setRoom(generation: number, canWrite: boolean, history: boolean): void;
  /** Takes that the document holds all that the room has, which may be nothing. */
  setFilled(): void;
  keep(update: Uint8Array, own: boolean): void;
  /** Null where everything is stored; else resolves once it is, or cannot be for now. */
  settled(): Promise<void> | null;
  /** Takes how many own updates are durable at the server; those that were loaded count first. */
  saved(count: number): void;
  close(): void;
}

export interface Kept {
  generation: number | null;
  /** Whether this person could write, as the server last said. */
  canWrite: boolean;
  /** Whether it may hold deleted text. */
  history: boolean;
  /** Own updates the server has not said to be durable. */
  unsaved: Uint8Array[];
  /** A client id of this browser that no other tab has; null: the document keeps its own. */
  clientId: number | null;
}

const rowsBeforeCompaction = 400;
/** A slower disk is not waited for. */
const patience = 1500;
const openPatience = 5000;
const retryAfter = 5000;
const markEvery = 1000;

interface Made {
  update: Uint8Array;
  own: boolean;
}

const ownIn = (updates: readonly Made[]): number => updates.filter(({ own }) => own).length;

export function offlineCopy(userId: string, room: string): OfflineCopy {
  const ownTab = crypto.randomUUID();
  const own: Tab = { rows: [], saved: 0 };
  /** Rows that are in this document. */
  const tabs = new Map<string, Tab>([[ownTab, own]]);
  let db: IDBDatabase | null = null;
  let doc: Y.Doc | null = null;
  let generation: number | null = null;
  let canWrite = true;
  let history = false;
  /** The room is noted once there is something of it: a page that found no more than its name would show an empty document. */
  let filled = false;
  let failing = false;
  /** The copy could not be read, so what would be stored now could not be read back either. */
  let unreadable = false;
  let closed = false;
  let clientId: Awaited<ReturnType<typeof holdClientId>> = null;
  let loadedUnsaved = 0;
  /** Own updates of this tab that are stored, rows written, and how many rows there were at the last compaction. */
  let kept = 0;
  let rows = 0;
  let compactedAt = 0;

  let queue: Made[] = [];
  /** Updates of the transaction under way. */
  let underWay: Made[] = [];
  let writing: Promise<void> | null = null;
  let retry: ReturnType<typeof setTimeout> | null = null;
  let marking: ReturnType<typeof setTimeout> | null = null;
  let markedAt = -Infinity;
  let loading: Promise<unknown> = Promise.resolve();
  let changed = () => {};

  function fail(): void {
    failing = true;
    changed();
    // Updates sent from here on may be missing from the copy: a tab that takes over this client id could use clocks twice.
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
        filled = true;
        canWrite = about.known.canWrite ?? true;
        // Copies that do not tell are from before the server left deleted text out.
        history = about.known.history ?? true;
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
      return { generation: null, canWrite, history, unsaved: [], clientId: null };
    }
    clientId = await within(patience, holdClientId(`colloquy/${userId}/${room}`, ids)).catch(() => null);
    // A tab that closed meanwhile holds nothing.
    if (closed) clientId?.release();
    noteClientId();
    return { generation, canWrite, history, unsaved, clientId: clientId?.id ?? null };
  }

  function noteClientId(): void {
    if (!db || generation === null || !clientId?.isNew) return;
    const key = [room, generation, clientId.id];
    clientId.isNew = false;
    transact(db, 'readwrite', (store) => void store('ids').put(1, key)).catch(() => {});
  }

  /** Stores the generation, by which the rows are found again. Another tab may know a later one already. */
  function noteRoom(rooms: IDBObjectStore, at: number): void {
    const known = rooms.get(room) as IDBRequest<KeptRoom | undefined>;
    known.addEventListener('success', () => {
      if ((known.result?.generation ?? at) <= at)
        rooms.put({ generation: at, canWrite, history } satisfies KeptRoom, room);
    });
  }

  function setRoom(): void {
    if (!db || unreadable || generation === null) return;
    const at = generation;
    if (filled) transact(db, 'readwrite', (store) => noteRoom(store('rooms'), at)).catch(() => fail());
    noteClientId();
    write();
  }

  /** Writes one transaction at a time; updates that come meanwhile share the next one. */
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
    underWay = batch;
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
      underWay = [];
      clearTimeout(late);
    }
    kept = upTo;
    failing = false;
    changed();
    own.rows.push(...fresh.map(({ n, row }) => ({ n, upTo: row.upTo })));
    if (rows - compactedAt > rowsBeforeCompaction) await compact(to, at);
  }

  /** Replaces the rows in this document by its present state; updates that are not saved stay as they were made. */
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
    markedAt = performance.now();
    transact(db, 'readwrite', (store) => {
      for (const [name, { saved }] of tabs) {
        const had = store('marks').get([room, at, name]) as IDBRequest<number | undefined>;
        // A tab that still works has marked more of its own rows than this one knows.
        had.addEventListener('success', () => {
          if (saved > (had.result ?? 0)) store('marks').put(saved, [room, at, name]);
        });
      }
    }).catch(() => {});
  }

  /** Marks own changes while the page goes away, when no answer of the store comes any more. */
  function markLeaving(): void {
    if (!marking || !db || generation === null) return;
    const key = [room, generation, ownTab];
    transact(db, 'readwrite', (store) => {
      store('marks').put(own.saved, key).transaction?.commit();
    }).catch(() => {});
  }
  window.addEventListener('pagehide', markLeaving);

  return {
    get healthy() {
      // Nothing can be stored before the generation is known.
      return db !== null && !failing && !unreadable && (generation !== null || queue.length === 0);
    },
    get unstored() {
      return ownIn(queue) + ownIn(underWay);
    },
    watch(told) {
      changed = told;
    },
    get broken() {
      return unreadable && db !== null;
    },
    load(into, origin) {
      const work = load(into, origin);
      loading = work.catch(() => {});
      return work;
    },
    setRoom(now, mayWrite, withHistory) {
      generation = now;
      canWrite = mayWrite;
      history = withHistory;
      setRoom();
    },
    setFilled() {
      filled = true;
      setRoom();
    },
    keep(update, ours) {
      queue.push({ update, own: ours });
      write();
    },
    settled() {
      if (failing || unreadable || !writing) return null;
      // Does not wait for later updates: else somebody who types without a pause would send nothing.
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
      if (count > 0) marking ??= setTimeout(mark, Math.max(0, markedAt + markEvery - performance.now()));
    },
    close() {
      if (closed) return;
      closed = true;
      if (retry) clearTimeout(retry);
      window.removeEventListener('pagehide', markLeaving);
      const finish = async (): Promise<void> => {
        await loading;
        while (writing) await writing;
        if (marking) mark();
        // Transactions under way complete all the same.
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
