import type { TakeInput } from '#shared/recorder.ts';

import { soundDatabaseOf } from '../unsent-sound.ts';

/** A take as this device knows it. */
export interface StoredTake extends Pick<TakeInput, 'track' | 'type' | 'offset'> {
  /** Id made on this device: the server's may not be known yet. */
  key: string;
  meeting: string;
  title: string;
  /** The server's id; null until it has answered. */
  take: string | null;
  /** Number of pieces, once the take has ended. */
  total: number | null;
}

export interface Piece {
  n: number;
  bytes: Uint8Array<ArrayBuffer>;
}

/** Sound of one person that the server may not have, in this browser. */
export interface PieceStore {
  putTake(take: StoredTake): Promise<void>;
  putPiece(key: string, piece: Piece): Promise<void>;
  /** Forgets the pieces of a take up to this one. */
  forgetPieces(key: string, upTo: number): Promise<void>;
  forgetTake(key: string): Promise<void>;
  takes(): Promise<StoredTake[]>;
  /** The pieces of a take, in order. */
  pieces(key: string): Promise<Piece[]>;
  /** Remembers that a recording is to be ended once its sound is sent. */
  putEnd(meeting: string): Promise<void>;
  forgetEnd(meeting: string): Promise<void>;
  ends(): Promise<string[]>;
}

const names = { takes: 'takes', pieces: 'pieces', ends: 'ends' } as const;

export async function openPieceStore(user: string): Promise<PieceStore> {
  const db = await openDatabase(user);
  const piecesOf = (key: string, upTo = Number.MAX_SAFE_INTEGER) => IDBKeyRange.bound([key, 0], [key, upTo]);
  const write = (work: (tx: IDBTransaction) => void) => run(db, 'readwrite', work);
  return {
    putTake: (take) => write((tx) => tx.objectStore(names.takes).put(take, take.key)),
    putPiece: (key, piece) => write((tx) => tx.objectStore(names.pieces).put(piece, [key, piece.n])),
    forgetPieces: (key, upTo) => write((tx) => tx.objectStore(names.pieces).delete(piecesOf(key, upTo))),
    forgetTake: (key) =>
      write((tx) => {
        tx.objectStore(names.pieces).delete(piecesOf(key));
        tx.objectStore(names.takes).delete(key);
      }),
    takes: () => read(db, names.takes, (store) => store.getAll() as IDBRequest<StoredTake[]>),
    pieces: (key) => read(db, names.pieces, (store) => store.getAll(piecesOf(key)) as IDBRequest<Piece[]>),
    putEnd: (meeting) => write((tx) => tx.objectStore(names.ends).put(true, meeting)),
    forgetEnd: (meeting) => write((tx) => tx.objectStore(names.ends).delete(meeting)),
    ends: () => read(db, names.ends, (store) => store.getAllKeys() as IDBRequest<string[]>),
  };
}

function openDatabase(user: string): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(soundDatabaseOf(user), 1);
    request.addEventListener('upgradeneeded', () => {
      for (const name of Object.values(names)) request.result.createObjectStore(name);
    });
    request.addEventListener('success', () => {
      // The account is deleted: its sound must not stay until the page is closed. Another version would have to wait.
      request.result.addEventListener('versionchange', ({ newVersion }) => {
        if (newVersion === null) request.result.close();
      });
      resolve(request.result);
    });
    request.addEventListener('error', () => reject(request.error ?? new Error('the database cannot be opened')));
    request.addEventListener('blocked', () => reject(new Error('the database is blocked')));
  });
}

function run(db: IDBDatabase, mode: IDBTransactionMode, work: (tx: IDBTransaction) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const tx = db.transaction(Object.values(names), mode);
    const refuse = () => reject(tx.error ?? new Error('the browser keeps nothing'));
    tx.addEventListener('abort', refuse);
    tx.addEventListener('error', refuse);
    tx.addEventListener('complete', () => resolve());
    work(tx);
  });
}

async function read<T>(db: IDBDatabase, name: string, ask: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  let request: IDBRequest<T> | null = null;
  await run(db, 'readonly', (tx) => {
    request = ask(tx.objectStore(name));
  });
  if (!request) throw new Error('nothing was asked');
  return (request as IDBRequest<T>).result;
}

/** For a browser that refuses its storage: nothing outlasts the page. */
export const noStore: PieceStore = {
  putTake: () => Promise.reject(new Error('the browser keeps nothing')),
  putPiece: () => Promise.reject(new Error('the browser keeps nothing')),
  forgetPieces: () => Promise.resolve(),
  forgetTake: () => Promise.resolve(),
  takes: () => Promise.resolve([]),
  pieces: () => Promise.resolve([]),
  putEnd: () => Promise.resolve(),
  forgetEnd: () => Promise.resolve(),
  ends: () => Promise.resolve([]),
};
