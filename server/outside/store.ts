import type { Readable } from 'node:stream';
import { Problem } from '#shared/problems.ts';

/** Part of a file: both ends belong to it. */
export interface ByteRange {
  from: number;
  to: number;
}

/** A file that is being sent in parts; `reference` is what the store itself calls that. */
export interface Begun {
  key: string;
  reference: string;
  /** Of the whole file. */
  bytes: number;
  /** Of each part but the last. */
  partBytes: number;
}

/** A part that arrived whole. Counted from one. */
export interface Part {
  number: number;
  bytes: number;
  /** Null where the store does not tell. */
  sha256: Buffer | null;
}

interface PartAddress {
  /** Without a scheme where the house itself takes it. */
  url: string;
  /** What has to be sent along. */
  headers: Record<string, string>;
}

/** Takes parts where the store has no address of its own. */
export interface PartDoor {
  /** Answers the digest of what arrived; the part counts only when all of it is on the disk. */
  take(token: string, content: Readable): Promise<Buffer>;
}

/** Not all parts are there, or not as long as they have to be. */
export class Incomplete extends Error {
  override name = 'Incomplete';
}

/** The parts are not as the store wants them. In its own word: whoever sent them may know by it what came between. */
export const notTaken = (word: string, cause?: unknown): Problem =>
  new Problem('CONFLICT', { message: `The storage did not take the file: ${word}`, info: { reason: word }, cause });

/** Where the bytes of recordings are. A key is a name of ours, never something a person typed. */
export interface Store {
  /** Keeps all of it or nothing, in the place of what was there; resolves when it survives a power cut. */
  put(key: string, content: Readable): Promise<{ bytes: number; sha256: Buffer }>;
  /** Null where there is no such file. */
  size(key: string): Promise<number | null>;
  read(key: string, range?: ByteRange): Promise<Readable>;
  /** Also what was begun under that name and never completed. Nothing happens where there is none. */
  remove(key: string): Promise<void>;

  /** How long parts are. */
  readonly partBytes: number;
  begin(key: string, bytes: number): Promise<Begun>;
  /** Where anybody may put this one part within the next hour; with `sha256` it is taken only if it is just that. */
  partAddress(upload: Begun, number: number, sha256: Buffer | null): Promise<PartAddress>;
  /** In the order of their numbers. */
  parts(upload: Begun): Promise<Part[]>;
  /** Makes the file of its parts; it may be asked twice. */
  complete(upload: Begun): Promise<void>;
  abort(upload: Begun): Promise<void>;

  readonly door: PartDoor | null;
  /** Another origin than the house's, which its pages have to be allowed to speak to. */
  readonly origin: string | null;
  /** Where a browser may read the file for five minutes; null where the house hands it out itself. */
  readAddress(key: string, type: string): Promise<string | null>;
  /** A file on this machine with the same bytes, for programs that read nothing else; what is made for it is in `folder`. */
  local(key: string, folder: string): Promise<string>;
}

export const usualPartBytes = 8 * 1024 * 1024;
export const addressSeconds = { part: 3600, read: 300 } as const;

const keyPattern = /^[0-9A-Za-z]{22}$/;

export function checkKey(key: string): string {
  if (!keyPattern.test(key)) throw new Error('not a key of the store');
  return key;
}

export const partCount = ({ bytes, partBytes }: Pick<Begun, 'bytes' | 'partBytes'>): number =>
  Math.max(1, Math.ceil(bytes / partBytes));

export const areAll = (upload: Begun, parts: readonly Part[]): boolean =>
  parts.length === partCount(upload) &&
  parts.every((part, i) => part.number === i + 1 && part.bytes === placeOf(upload, i + 1).length);

/** Where a part begins, and how long it is. */
export function placeOf({ bytes, partBytes }: Pick<Begun, 'bytes' | 'partBytes'>, number: number) {
  const offset = (number - 1) * partBytes;
  return { offset, length: Math.min(partBytes, bytes - offset) };
}
