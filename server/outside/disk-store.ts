import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat, writeFile, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { newId } from '#shared/ids.ts';
import { invalid, Problem } from '#shared/problems.ts';
import type { Keys } from '../keys.ts';
import { freeBytes } from './disk-space.ts';
import {
  addressSeconds,
  areAll,
  checkKey,
  Incomplete,
  isKey,
  partCount,
  placeOf,
  usualPartBytes,
  type Begun,
  type Part,
  type PartDoor,
  type Store,
} from './store.ts';

/** Path at which this server receives parts; a token follows. */
export const partPath = '/store/parts/';

/**
 * Store in a folder, with subfolders by the first two letters so that none grows without bound. A multipart upload has
 * a folder: `data` with all bytes at their offsets, and for each complete part an empty file whose name describes it.
 */
export function diskStore(
  folder: string,
  keys: Pick<Keys, 'sign' | 'verify'>,
  { partBytes = usualPartBytes }: { partBytes?: number } = {},
): Store {
  const pathOf = (key: string): string => join(folder, checkKey(key).slice(0, 2), key);
  const partsOf = (key: string): string => `${pathOf(key)}.parts`;

  async function size(key: string): Promise<number | null> {
    return orNull(async () => (await stat(pathOf(key))).size);
  }

  async function parts(upload: Begun): Promise<Part[]> {
    const names = (await orNull(() => readdir(partsOf(upload.key)))) ?? [];
    return names
      .flatMap((name) => {
        const [, number, bytes, sha256] = /^(\d+)-(\d+)-([0-9a-f]{64})$/.exec(name) ?? [];
        return sha256 ? [{ number: Number(number), bytes: Number(bytes), sha256: Buffer.from(sha256, 'hex') }] : [];
      })
      .toSorted((one, other) => one.number - other.number);
  }

  return {
    async put(key, content) {
      const path = pathOf(key);
      const shelf = dirname(path);
      await mkdir(shelf, { recursive: true });
      // Written under another name and renamed when complete, so that a readable file is always whole.
      const unfinished = `${path}.${newId(8)}.part`;
      try {
        const file = await open(unfinished, 'wx');
        let written: { bytes: number; sha256: Buffer };
        try {
          written = await writeAt(file, 0, content, Infinity);
          await file.sync();
        } finally {
          await file.close();
        }
        await rename(unfinished, path);
        await syncFolder(shelf);
        return written;
      } catch (error) {
        await rm(unfinished, { force: true });
        throw error;
      }
    },
    size,
    async read(key, range) {
      const stream = createReadStream(pathOf(key), range ? { start: range.from, end: range.to } : {});
      await new Promise((resolve, reject) => stream.once('open', resolve).once('error', reject));
      return stream;
    },
    free: () => freeBytes(folder),
    async *keys() {
      for (const shelf of (await orNull(() => readdir(folder))) ?? [])
        yield* ((await orNull(() => readdir(join(folder, shelf)))) ?? []).filter(isKey);
    },
    async remove(key) {
      const path = pathOf(key);
      const shelf = dirname(path);
      // Files named by the key and a suffix are unfinished uploads.
      const names = (await orNull(() => readdir(shelf))) ?? [];
      for (const name of names)
        if (name === key || name.startsWith(`${key}.`)) await rm(join(shelf, name), { recursive: true, force: true });
    },

    partBytes,
    async begin(key, bytes) {
      await mkdir(partsOf(key), { recursive: true });
      await (await open(join(partsOf(key), 'data'), 'a')).close();
      return { key, reference: '', bytes, partBytes };
    },
    async partAddress(upload, number, sha256) {
      const { offset, length } = placeOf(upload, number);
      const digest = sha256?.toString('base64') ?? null;
      const claims = { number, offset, length, sha256: digest };
      const { token } = await keys.sign('part', checkKey(upload.key), addressSeconds.part, claims);
      // Same header as for S3, so that clients need not know the kind of store.
      return { url: partPath + token, headers: digest === null ? {} : { 'x-amz-checksum-sha256': digest } };
    },
    parts,
    async complete(upload) {
      const { key, bytes } = upload;
      const arrivedParts = await parts(upload);
      if (arrivedParts.length < partCount(upload) && (await size(key)) === bytes) return;
      if (!areAll(upload, arrivedParts)) throw new Incomplete();
      const path = pathOf(key);
      const data = join(partsOf(key), 'data');
      const file = await open(data, 'r+').catch(whenMissing);
      try {
        await file.sync();
        if ((await file.stat()).size !== bytes) throw new Incomplete();
      } finally {
        await file.close();
      }
      await rename(data, path).catch(whenMissing);
      await syncFolder(dirname(path));
      await rm(partsOf(key), { recursive: true, force: true });

      // Another request may have completed the upload in the meantime.
      async function whenMissing(error: NodeJS.ErrnoException): Promise<never> {
        throw error.code === 'ENOENT' ? new Incomplete() : error;
      }
    },
    async abort({ key }) {
      await rm(partsOf(key), { recursive: true, force: true });
    },

    door: partDoor(keys, partsOf),
    origin: null,
    readAddress: () => Promise.resolve(null),
    local: (key) => Promise.resolve(pathOf(key)),
  };
}

function partDoor(keys: Pick<Keys, 'verify'>, partsOf: (key: string) => string): PartDoor {
  /**
   * Writes in progress by part. A repeated part first ends the earlier attempt, whose connection may still deliver
   * bytes.
   */
  const writing = new Map<string, { content: Readable; done: Promise<unknown> }>();

  async function take(token: string, content: Readable): Promise<Buffer> {
    const signed = await keys.verify('part', token);
    if (!signed) throw new Problem('GONE');
    const { number, offset, length, sha256 } = signed.claims as {
      number: number;
      offset: number;
      length: number;
      sha256: string | null;
    };
    const partKey = `${signed.subject}/${number}`;
    const before = writing.get(partKey);
    const done = (async () => {
      before?.content.destroy();
      await before?.done.catch(() => {});
      return write(partsOf(signed.subject), { number, offset, length, sha256 }, content);
    })();
    const mine = { content, done };
    writing.set(partKey, mine);
    try {
      return await done;
    } finally {
      if (writing.get(partKey) === mine) writing.delete(partKey);
    }
  }
  return { take };
}

async function write(
  folder: string,
  part: { number: number; offset: number; length: number; sha256: string | null },
  content: Readable,
): Promise<Buffer> {
  const { number, offset, length } = part;
  const names = await orNull(() => readdir(folder));
  // The upload was completed or aborted in the meantime.
  if (!names) throw new Problem('GONE');
  const recorded = names.find((name) => name.startsWith(`${number}-`));
  let arrived: { bytes: number; sha256: Buffer };
  if (recorded === undefined) {
    const file = await open(join(folder, 'data'), 'r+');
    try {
      arrived = await writeAt(file, offset, content, length);
      // Bytes reach the disk before the file that records the part, so that a power cut never leaves a record without
      // them.
      if (arrived.bytes === length) await file.datasync();
    } finally {
      await file.close();
    }
  } else arrived = await writeAt(null, 0, content, length);
  if (arrived.bytes !== length) throw invalid({ field: 'part', code: 'length' });
  const digest = arrived.sha256.toString('hex');
  if (part.sha256 !== null && arrived.sha256.toString('base64') !== part.sha256)
    throw invalid({ field: 'part', code: 'checksum' });
  const name = `${number}-${length}-${digest}`;
  // A part that is sent again must be the same.
  if (recorded !== undefined && recorded !== name) throw new Problem('CONFLICT');
  if (recorded === undefined) await writeFile(join(folder, name), '');
  return arrived.sha256;
}

/** Small chunks are collected into pieces of this size before they are written. */
const pieceBytes = 1024 * 1024;

/**
 * Writes the content at an offset; without a file it is only read and hashed. The next piece is collected while the
 * last one is written.
 */
async function writeAt(
  file: FileHandle | null,
  offset: number,
  content: Readable,
  most: number,
): Promise<{ bytes: number; sha256: Buffer }> {
  const hash = createHash('sha256');
  let bytes = 0;
  let waiting: Buffer[] = [];
  let gathered = 0;
  let writing: Promise<unknown> = Promise.resolve();
  const flush = async () => {
    const piece = waiting.length === 1 ? waiting[0] : Buffer.concat(waiting);
    const at = offset + bytes - gathered;
    waiting = [];
    gathered = 0;
    await writing;
    if (!file || !piece) return;
    writing = writeAll(file, piece, at);
    // Handled here too, because a failure before the next await would count as unhandled.
    writing.catch(() => {});
  };
  try {
    for await (const chunk of content as AsyncIterable<Buffer>) {
      if (bytes + chunk.length > most) throw new Problem('BIG');
      hash.update(chunk);
      bytes += chunk.length;
      waiting.push(chunk);
      gathered += chunk.length;
      if (gathered >= pieceBytes) await flush();
    }
    if (gathered > 0) await flush();
  } finally {
    await writing;
  }
  return { bytes, sha256: hash.digest() };
}

async function writeAll(file: FileHandle, piece: Buffer, at: number): Promise<void> {
  for (let written = 0; written < piece.length;)
    written += (await file.write(piece, written, piece.length - written, at + written)).bytesWritten;
}

async function orNull<T>(ask: () => Promise<T>): Promise<T | null> {
  try {
    return await ask();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Syncs the folder, because a new name survives a power cut only then; systems that cannot do it are ignored. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => null);
  await handle?.sync().catch(() => {});
  await handle?.close();
}
