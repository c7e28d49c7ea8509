import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat, writeFile, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { newId } from '#shared/ids.ts';
import { invalid, Problem } from '#shared/problems.ts';
import type { Keys } from '../keys.ts';
import {
  addressSeconds,
  areAll,
  checkKey,
  Incomplete,
  partCount,
  placeOf,
  usualPartBytes,
  type Begun,
  type Part,
  type PartDoor,
  type Store,
} from './store.ts';

/** Below this path the house takes parts; what follows is the token. */
export const partPath = '/store/parts/';

/**
 * Files below a folder, two letters a shelf: no folder grows without bound. Of a file that comes in parts there is a
 * folder: its bytes in their place in `data`, and for each part that arrived an empty file that tells of it by its name.
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
      // Under another name until all of it is on the disk: a file that can be read is whole.
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
    async remove(key) {
      const path = pathOf(key);
      const shelf = dirname(path);
      // Whatever is called by the key and more was never finished.
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
      // The same header that S3 wants: whoever sends a part need not know where it goes.
      return { url: partPath + token, headers: digest === null ? {} : { 'x-amz-checksum-sha256': digest } };
    },
    parts,
    async complete(upload) {
      const { key, bytes } = upload;
      const there = await parts(upload);
      if (there.length < partCount(upload) && (await size(key)) === bytes) return;
      if (!areAll(upload, there)) throw new Incomplete();
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

      // Somebody else completed it between two looks.
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
  /** Whoever sends a part again has given up the first try; the line of that may still deliver for a while. */
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
    const place = `${signed.subject}/${number}`;
    const before = writing.get(place);
    const done = (async () => {
      before?.content.destroy();
      await before?.done.catch(() => {});
      return write(partsOf(signed.subject), { number, offset, length, sha256 }, content);
    })();
    const mine = { content, done };
    writing.set(place, mine);
    try {
      return await done;
    } finally {
      if (writing.get(place) === mine) writing.delete(place);
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
  // Completed or aborted since.
  if (!names) throw new Problem('GONE');
  const there = names.find((name) => name.startsWith(`${number}-`));
  let arrived: { bytes: number; sha256: Buffer };
  if (there === undefined) {
    const file = await open(join(folder, 'data'), 'r+');
    try {
      arrived = await writeAt(file, offset, content, length);
      // A part that is told of is on the disk: after a power cut nothing is told that is not there.
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
  // Taken once: sent again it has to be the same.
  if (there !== undefined && there !== name) throw new Problem('CONFLICT');
  if (there === undefined) await writeFile(join(folder, name), '');
  return arrived.sha256;
}

/** What comes in small pieces is written in large ones. */
const pieceBytes = 1024 * 1024;

/** With no file it is only read. The next piece is gathered and hashed while the last one is written. */
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
  let under: Promise<unknown> = Promise.resolve();
  const flush = async () => {
    const piece = waiting.length === 1 ? waiting[0] : Buffer.concat(waiting);
    const at = offset + bytes - gathered;
    waiting = [];
    gathered = 0;
    await under;
    if (!file || !piece) return;
    under = writeAll(file, piece, at);
    // Looked at before anybody waits for it, or a failure would be nobody's.
    under.catch(() => {});
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
    await under;
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

/** The new name itself is only safe once its folder is. Where a system cannot do that, it need not. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => null);
  await handle?.sync().catch(() => {});
  await handle?.close();
}
