import * as Y from 'yjs';

/**
 * A document kept in this browser, for the person who is signed in: what was typed while the line was down is here
 * after a restart. Keyed by person, so that nobody's edits are ever sent as somebody else's.
 */
export interface OfflineCopy {
  /** False once the browser refused to keep something: the screen then says so. */
  readonly healthy: boolean;
  /** Fills the document with what is kept; `origin` marks those updates as not new. */
  load(doc: Y.Doc, origin: unknown): Promise<{ generation: number | null; unsaved: number }>;
  setGeneration(generation: number): void;
  keep(update: Uint8Array, own: boolean): void;
  /** All of it is durable at the server. */
  allSaved(): void;
  close(): void;
}

interface Row {
  update: Uint8Array;
  own: boolean;
}

const compactAfter = 300;

export function offlineCopy(userId: string, room: string): OfflineCopy {
  const name = `colloquy/${userId}/${room}`;
  let db: IDBDatabase | null = null;
  let healthy = true;
  let closed = false;
  let rows = 0;
  let queue: Promise<unknown> = open();

  function open(): Promise<void> {
    return new Promise((resolve) => {
      const fail = () => {
        healthy = false;
        resolve();
      };
      try {
        const request = indexedDB.open(name, 1);
        request.addEventListener('upgradeneeded', () => {
          request.result.createObjectStore('updates', { autoIncrement: true });
          request.result.createObjectStore('about');
        });
        request.addEventListener('success', () => {
          db = request.result;
          // Another tab that wants to delete the copy (after signing out) is not kept waiting.
          db.addEventListener('versionchange', () => db?.close());
          resolve();
        });
        request.addEventListener('error', fail);
        request.addEventListener('blocked', fail);
      } catch {
        fail();
      }
    });
  }

  /** One after the other, each in a transaction of its own; a refusal is remembered, never thrown at whoever types. */
  const run = <T>(
    mode: IDBTransactionMode,
    work: (updates: IDBObjectStore, about: IDBObjectStore) => IDBRequest<T> | null,
  ): Promise<T | null> => {
    const next = queue.then(
      () =>
        new Promise<T | null>((resolve) => {
          if (!db || closed) return resolve(null);
          const refuse = () => {
            healthy = false;
            resolve(null);
          };
          try {
            const tx = db.transaction(['updates', 'about'], mode, { durability: 'strict' });
            const request = work(tx.objectStore('updates'), tx.objectStore('about'));
            tx.addEventListener('complete', () => resolve(request ? request.result : null));
            tx.addEventListener('abort', refuse);
            tx.addEventListener('error', refuse);
          } catch {
            refuse();
          }
        }),
    );
    queue = next;
    return next;
  };

  return {
    get healthy() {
      return healthy && db !== null;
    },
    async load(doc, origin) {
      const kept = (await run('readonly', (updates) => updates.getAll() as IDBRequest<Row[]>)) ?? [];
      const generation =
        (await run('readonly', (_updates, about) => about.get('generation') as IDBRequest<number | undefined>)) ?? null;
      rows = kept.length;
      doc.transact(() => {
        for (const { update } of kept) Y.applyUpdate(doc, update, origin);
      }, origin);
      if (rows > compactAfter) {
        const state = Y.encodeStateAsUpdate(doc);
        const own = kept.some((row) => row.own);
        void run('readwrite', (updates) => {
          updates.clear();
          return updates.add({ update: state, own });
        });
        rows = 1;
      }
      return { generation, unsaved: kept.filter((row) => row.own).length };
    },
    setGeneration(generation) {
      void run('readwrite', (_updates, about) => about.put(generation, 'generation'));
    },
    keep(update, own) {
      rows += 1;
      void run('readwrite', (updates) => updates.add({ update, own }));
    },
    allSaved() {
      void run('readwrite', (updates) => {
        const cursor = updates.openCursor();
        cursor.addEventListener('success', () => {
          const at = cursor.result;
          if (!at) return;
          const row = at.value as Row;
          if (row.own) at.update({ update: row.update, own: false });
          at.continue();
        });
        return null;
      });
    },
    close() {
      void queue.then(() => {
        closed = true;
        db?.close();
      });
    },
  };
}
