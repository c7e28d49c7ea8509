import type { Readable } from 'node:stream';
import { Problem } from '#shared/problems.ts';

/** Range of bytes, both ends included. */
export interface ByteRange {
  from: number;
  to: number;
}

/** An upload in parts; `reference` is the store's id of it. */
export interface Begun {
  key: string;
  reference: string;
  /** Size of the whole file. */
  bytes: number;
  /** Size of each part except the last. */
  partBytes: number;
}

/** A part that arrived completely; numbers start at one. */
export interface Part {
  number: number;
  bytes: number;
  /** Null when the store does not report it. */
  sha256: Buffer | null;
}

interface PartAddress {
  /** A path of this server when it receives the parts itself. */
  url: string;
  /** Headers that must be sent with the part. */
  headers: Record<string, string>;
}

/** Receives parts for a store without addresses of its own. */
export interface PartDoor {
  /** Returns the digest of the received bytes; the part counts only when all of it is on the disk. */
  take(token: string, content: Readable): Promise<Buffer>;
}

/** Parts are missing or too short. */
export class Incomplete extends Error {
  override name = 'Incomplete';
}

/** The store refused the parts. Its own code is included, because the sender may learn from it what interfered. */
export const notTaken = (word: string, cause?: unknown): Problem =>
  new Problem('CONFLICT', { message: `The storage did not take the file: ${word}`, info: { reason: word }, cause });

/** Store for the bytes of recordings. Keys are made by this server, never typed by a person. */
export interface Store {
  /** Stores all of the content or nothing, replacing an earlier file; resolves when it survives a power cut. */
  put(key: string, content: Readable): Promise<{ bytes: number; sha256: Buffer }>;
  /** Null if there is no such file. */
  size(key: string): Promise<number | null>;
  read(key: string, range?: ByteRange): Promise<Readable>;
  /** Free bytes for further files; null if they are not limited. */
  free(): Promise<number | null>;
  /** Keys of all files that are whole, in no order. */
  keys(): AsyncIterable<string>;
  /** Removes the file and unfinished uploads under its key; does nothing if there are none. */
  remove(key: string): Promise<void>;

  /** Size of parts. */
  readonly partBytes: number;
  begin(key: string, bytes: number): Promise<Begun>;
  /**
   * Address for uploading this one part within the next hour; with `sha256` only content with this digest is accepted.
   */
  partAddress(upload: Begun, number: number, sha256: Buffer | null): Promise<PartAddress>;
  /** Parts that arrived, sorted by number. */
  parts(upload: Begun): Promise<Part[]>;
  /** Joins the parts into the file; safe to repeat. */
  complete(upload: Begun): Promise<void>;
  abort(upload: Begun): Promise<void>;

  readonly door: PartDoor | null;
  /** Origin of the store if it differs from the server's; pages must be allowed to connect to it. */
  readonly origin: string | null;
  /** Address for reading the file for five minutes; null if this server delivers the file itself. */
  readAddress(key: string, type: string): Promise<string | null>;
  /** A local file with the same bytes, for programs that read only files; a copy, if needed, is made in `folder`. */
  local(key: string, folder: string): Promise<string>;
}

export const usualPartBytes = 8 * 1024 * 1024;
export const addressSeconds = { part: 3600, read: 300 } as const;

const keyPattern = /^[0-9A-Za-z]{22}$/;

export const isKey = (name: string): boolean => keyPattern.test(name);

export function checkKey(key: string): string {
  if (!isKey(key)) throw new Error('not a key of the store');
  return key;
}

export const partCount = ({ bytes, partBytes }: Pick<Begun, 'bytes' | 'partBytes'>): number =>
  Math.max(1, Math.ceil(bytes / partBytes));

export const areAll = (upload: Begun, parts: readonly Part[]): boolean =>
  parts.length === partCount(upload) &&
  parts.every((part, i) => part.number === i + 1 && part.bytes === placeOf(upload, i + 1).length);

/** Offset and length of a part. */
export function placeOf({ bytes, partBytes }: Pick<Begun, 'bytes' | 'partBytes'>, number: number) {
  const offset = (number - 1) * partBytes;
  return { offset, length: Math.min(partBytes, bytes - offset) };
}
