// Stores for the bytes of recordings: one contract for all of them.
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openKeys } from '#server/keys.ts';
import { diskStore, partPath } from '#server/outside/disk-store.ts';
import { s3Store } from '#server/outside/s3-store.ts';
import { addressSeconds, Incomplete, type Begun, type Store } from '#server/outside/store.ts';
import { newId } from '#shared/ids.ts';
import { Problem } from '#shared/problems.ts';
import { MovableClock } from '#tests/support/clock.ts';
import { freshDatabase } from '#tests/support/database.ts';
import { noS3, openS3 } from '#tests/support/s3.ts';

/** Smaller than in any real store, so that a few bytes make several parts. */
const partBytes = 1000;

interface Setup {
  store: Store;
  /** Names of all stored files, unfinished ones too; null where they cannot be listed. */
  files: (() => Promise<string[]>) | null;
  /** Base of addresses without a scheme. */
  base: string;
  /** Whether the store checks a part's digest. */
  checksums: boolean;
  /** Moves the clock forward; null where the clock is not ours. */
  later: ((seconds: number) => void) | null;
  close(): Promise<void>;
}

/** The house's own store, behind a server that only passes on uploads. */
async function onDisk(): Promise<Setup> {
  const folder = await mkdtemp(join(tmpdir(), 'colloquy-store-'));
  const { database, drop } = await freshDatabase();
  const clock = new MovableClock();
  const store = diskStore(folder, await openKeys(database, clock), { partBytes });
  const server: Server = createServer((incoming, outgoing) => {
    const token = (incoming.url ?? '').slice(partPath.length);
    store.door?.take(token, incoming).then(
      () => outgoing.end(),
      (error: unknown) => {
        outgoing.statusCode = error instanceof Problem ? error.status : 500;
        outgoing.end();
      },
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    store,
    files: async () =>
      (await readdir(folder, { recursive: true, withFileTypes: true }))
        .filter((one) => one.isFile())
        .map((one) => one.name),
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    checksums: true,
    later: (seconds) => clock.forward(seconds),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await drop();
      await rm(folder, { recursive: true });
    },
  };
}

async function inBucket(): Promise<Setup> {
  const { config, close } = await openS3();
  const store = s3Store(config, { partBytes });
  return {
    store,
    files: null,
    base: '',
    // This server is older than such digests; the house checks the bytes when it works on them.
    checksums: false,
    later: null,
    close: async () => {
      store.close();
      await close();
    },
  };
}

const kinds = [
  { name: 'on disk', open: onDisk, without: null },
  { name: 'in a bucket', open: inBucket, without: noS3() },
];
for (const { name, without } of kinds) if (without !== null) test(`a store ${name}`, ({ skip }) => skip(without));

describe.each(kinds.filter(({ without }) => without === null))('a store $name', ({ open }) => {
  let setup: Setup;
  const folders: string[] = [];
  beforeAll(async () => {
    setup = await open();
  }, 120_000);
  afterEach(async () => {
    for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
  });
  afterAll(() => setup.close());

  const put = async (upload: Begun, number: number, content: Buffer, sha256: Buffer | null = null) => {
    const { url, headers } = await setup.store.partAddress(upload, number, sha256);
    return (await fetch(new URL(url, setup.base || url), { method: 'PUT', body: new Uint8Array(content), headers }))
      .status;
  };
  const sha = (content: Buffer) => createHash('sha256').update(content).digest();
  const read = async (key: string) => buffer(await setup.store.read(key));

  test('stored bytes can be read, whole and in ranges', async () => {
    const { store } = setup;
    const content = randomBytes(300_000);
    const key = newId();
    const kept = await store.put(key, Readable.from([content.subarray(0, 70_000), content.subarray(70_000)]));
    expect(kept).toEqual({ bytes: 300_000, sha256: createHash('sha256').update(content).digest() });
    expect(await store.size(key)).toBe(300_000);
    expect((await buffer(await store.read(key))).equals(content)).toBe(true);
    for (const [from, to] of [
      [0, 0],
      [100, 199_999],
      [299_999, 299_999],
    ] as const)
      expect((await buffer(await store.read(key, { from, to }))).equals(content.subarray(from, to + 1))).toBe(true);
  });

  test('the keys are those of all whole files', async () => {
    const { store } = setup;
    const [one, other, unfinished] = [newId(), newId(), newId()];
    for (const key of [one, other]) await store.put(key, Readable.from([Buffer.from('x')]));
    await put(await store.begin(unfinished, partBytes), 1, randomBytes(partBytes));
    const listed: string[] = [];
    for await (const key of store.keys()) listed.push(key);
    expect(listed.filter((key) => key === one || key === other).toSorted()).toEqual([one, other].toSorted());
    expect(listed).not.toContain(unfinished);
  });

  test('an empty file is a file', async () => {
    const key = newId();
    expect((await setup.store.put(key, Readable.from([]))).bytes).toBe(0);
    expect(await setup.store.size(key)).toBe(0);
  });

  test('a stream that breaks leaves nothing behind', async () => {
    const { store, files } = setup;
    const before = await files?.();
    const key = newId();
    const broken = Readable.from(
      (function* () {
        yield Buffer.alloc(100_000);
        throw new Error('cut');
      })(),
    );
    await expect(store.put(key, broken)).rejects.toThrow('cut');
    expect(await store.size(key)).toBeNull();
    await expect(store.read(key)).rejects.toThrow();
    if (files) expect(await files()).toEqual(before);
  });

  test('removed bytes are gone, and removing them again is no error', async () => {
    const { store } = setup;
    const key = newId();
    await store.put(key, Readable.from([Buffer.from('x')]));
    await store.remove(key);
    await store.remove(key);
    expect(await store.size(key)).toBeNull();
  });

  test('no name reaches files outside the store', async () => {
    const { store } = setup;
    for (const key of ['../../../../etc/passwd', `${'a'.repeat(20)}/.`, '', `${newId()}.part`]) {
      await expect(store.put(key, Readable.from([]))).rejects.toThrow('not a key');
      await expect(store.read(key)).rejects.toThrow('not a key');
      await expect(store.remove(key)).rejects.toThrow('not a key');
    }
  });

  test('storing again replaces the earlier bytes', async () => {
    const key = newId();
    for (const text of ['first', 'second']) await setup.store.put(key, Readable.from([Buffer.from(text)]));
    expect((await read(key)).toString()).toBe('second');
  });

  test('parts come in any order, one of them twice, and make the file', async () => {
    const { store } = setup;
    const content = randomBytes(3 * partBytes + 1);
    const upload = await store.begin(newId(), content.length);
    const part = (number: number) => content.subarray((number - 1) * partBytes, number * partBytes);
    for (const number of [3, 1, 4, 1]) expect(await put(upload, number, part(number))).toBe(200);
    expect((await store.parts(upload)).map(({ number, bytes }) => [number, bytes])).toEqual([
      [1, partBytes],
      [3, partBytes],
      [4, 1],
    ]);
    await expect(store.complete(upload)).rejects.toThrow(Incomplete);
    expect(await store.size(upload.key)).toBeNull();
    expect(await put(upload, 2, part(2))).toBe(200);
    await store.complete(upload);
    expect((await read(upload.key)).equals(content)).toBe(true);
    // Repeated, because the first answer may have been lost.
    await store.complete(upload);
  });

  test('a file of one part, and one that ends exactly with a part', async () => {
    for (const length of [1, partBytes, 2 * partBytes]) {
      const content = randomBytes(length);
      const upload = await setup.store.begin(newId(), length);
      for (let number = 1; (number - 1) * partBytes < length; number += 1)
        await put(upload, number, content.subarray((number - 1) * partBytes, number * partBytes));
      await setup.store.complete(upload);
      expect((await read(upload.key)).equals(content)).toBe(true);
    }
  });

  test('a part of the wrong length does not count', async () => {
    const { store } = setup;
    const upload = await store.begin(newId(), 2 * partBytes);
    expect(await put(upload, 1, randomBytes(partBytes))).toBe(200);
    for (const length of [partBytes - 1, partBytes + 1]) {
      await put(upload, 2, randomBytes(length));
      await expect(store.complete(upload), `${length} bytes`).rejects.toThrow(Incomplete);
    }
    await put(upload, 2, randomBytes(partBytes));
    await store.complete(upload);
    expect(await store.size(upload.key)).toBe(2 * partBytes);
  });

  test('a part with its digest is accepted; a wrong digest is refused where the store checks it', async () => {
    const { store, checksums } = setup;
    const content = randomBytes(partBytes);
    const upload = await store.begin(newId(), partBytes);
    if (checksums) {
      expect(await put(upload, 1, randomBytes(partBytes), sha(content))).toBeGreaterThanOrEqual(400);
      expect(await store.parts(upload)).toEqual([]);
    }
    expect(await put(upload, 1, content, sha(content))).toBe(200);
    const [part] = await store.parts(upload);
    if (checksums) expect(part?.sha256?.equals(sha(content))).toBe(true);
    await store.complete(upload);
    expect((await read(upload.key)).equals(content)).toBe(true);
  });

  test('an address is valid for its part alone, and only unchanged', async () => {
    const { store } = setup;
    const upload = await store.begin(newId(), 2 * partBytes);
    const { url } = await store.partAddress(upload, 1, null);
    const address = new URL(url, setup.base || url);
    const send = async (to: string) => (await fetch(to, { method: 'PUT', body: randomBytes(partBytes) })).status;
    const last = address.href.at(-1);
    const forged = [
      // Not the last letter: of a signature in base64url some of its bits count for nothing.
      address.href.slice(0, -2) + (address.href.at(-2) === 'A' ? 'B' : 'A') + last,
      address.href.replace(/partNumber=1/, 'partNumber=2'),
      address.href.replace(/X-Amz-Expires=\d+/, 'X-Amz-Expires=604800'),
    ].filter((one) => one !== address.href);
    for (const one of forged) expect(await send(one), one).toBeGreaterThanOrEqual(400);
    expect(await store.parts(upload)).toEqual([]);
    expect(await send(address.href)).toBe(200);
    expect((await store.parts(upload)).map(({ number }) => number)).toEqual([1]);
  });

  test('an address is valid for an hour', async ({ skip }) => {
    const { store, later } = setup;
    const upload = await store.begin(newId(), partBytes);
    if (!later) {
      const { url } = await store.partAddress(upload, 1, null);
      expect(new URL(url).searchParams.get('X-Amz-Expires')).toBe(String(addressSeconds.part));
      return skip('this server tells the time by its own clock');
    }
    const { url } = await store.partAddress(upload, 1, null);
    later(addressSeconds.part + 1);
    const answer = await fetch(new URL(url, setup.base), { method: 'PUT', body: randomBytes(partBytes) });
    later(-addressSeconds.part - 1);
    expect(answer.status).toBe(410);
    expect(await store.parts(upload)).toEqual([]);
  });

  test('an abandoned upload leaves nothing, whether it is aborted or removed', async () => {
    const { store, files } = setup;
    const before = await files?.();
    for (const how of ['abort', 'remove'] as const) {
      const upload = await store.begin(newId(), 2 * partBytes);
      const { url } = await store.partAddress(upload, 2, null);
      await put(upload, 1, randomBytes(partBytes));
      await (how === 'abort' ? store.abort(upload) : store.remove(upload.key));
      expect(await store.parts(upload)).toEqual([]);
      await expect(store.complete(upload)).rejects.toThrow(Incomplete);
      const late = await fetch(new URL(url, setup.base || url), { method: 'PUT', body: randomBytes(partBytes) });
      expect(late.status).toBeGreaterThanOrEqual(400);
      // Repeating it is no error.
      await store.abort(upload);
      await store.remove(upload.key);
    }
    if (files) expect(await files()).toEqual(before);
  });

  test('a program that reads files gets one', async () => {
    const { store } = setup;
    const folder = await mkdtemp(join(tmpdir(), 'colloquy-local-'));
    folders.push(folder);
    const content = randomBytes(5000);
    const key = newId();
    await store.put(key, Readable.from([content]));
    expect((await readFile(await store.local(key, folder))).equals(content)).toBe(true);
  });

  test('an address for a browser gives the requested bytes, with their type', async () => {
    const { store } = setup;
    const content = randomBytes(5000);
    const key = newId();
    await store.put(key, Readable.from([content]));
    const address = await store.readAddress(key, 'audio/mpeg');
    // Without an address the house sends the bytes itself.
    if (address === null) return expect(store.origin).toBeNull();
    expect(new URL(address).origin).toBe(store.origin);
    expect(new URL(address).searchParams.get('X-Amz-Expires')).toBe(String(addressSeconds.read));
    const answer = await fetch(address, { headers: { Range: 'bytes=10-19' } });
    expect(answer.status).toBe(206);
    expect(answer.headers.get('content-type')).toBe('audio/mpeg');
    expect(Buffer.from(await answer.arrayBuffer()).equals(content.subarray(10, 20))).toBe(true);
    expect((await fetch(address.replace(key, newId()))).status).toBe(403);
  });
});

describe('parts on disk', () => {
  let setup: Setup;
  beforeAll(async () => {
    setup = await onDisk();
  });
  afterAll(() => setup.close());

  /** Stream that stops in the middle of a part. */
  function halting(first: Buffer): Readable {
    const line = new Readable({ read() {} });
    line.push(first);
    return line;
  }
  const tokenOf = async (upload: Begun, number: number) =>
    (await setup.store.partAddress(upload, number, null)).url.slice(partPath.length);

  test('a repeated part need not wait for a first attempt that hangs', async () => {
    const { store } = setup;
    const content = randomBytes(partBytes);
    const upload = await store.begin(newId(), partBytes);
    const hanging = store.door?.take(await tokenOf(upload, 1), halting(randomBytes(400)));
    const outcome = hanging?.then(
      () => 'taken',
      () => 'given up',
    );
    await store.door?.take(await tokenOf(upload, 1), Readable.from([content]));
    expect(await outcome).toBe('given up');
    await store.complete(upload);
    expect((await buffer(await store.read(upload.key))).equals(content)).toBe(true);
  });

  test('a finished part is never written again: the same bytes are accepted, others refused', async () => {
    const { store } = setup;
    const content = randomBytes(partBytes);
    const upload = await store.begin(newId(), partBytes);
    const take = async (sent: Buffer) => store.door?.take(await tokenOf(upload, 1), Readable.from([sent]));
    await take(content);
    await take(content);
    await expect(take(randomBytes(partBytes))).rejects.toMatchObject({ code: 'CONFLICT' });
    await store.complete(upload);
    expect((await buffer(await store.read(upload.key))).equals(content)).toBe(true);
  });
});

test.skipIf(noS3() !== null)(
  'a bucket that refuses such small parts reports it by its own code, for uploads and for stored streams',
  { timeout: 120_000 },
  async () => {
    const { config, close } = await openS3({ leastPart: partBytes + 1 });
    const store = s3Store(config, { partBytes });
    try {
      const content = randomBytes(2 * partBytes);
      const upload = await store.begin(newId(), content.length);
      for (const number of [1, 2]) {
        const { url } = await store.partAddress(upload, number, null);
        const body = new Uint8Array(content.subarray((number - 1) * partBytes, number * partBytes));
        expect((await fetch(url, { method: 'PUT', body })).status).toBe(200);
      }
      const tooSmall = { code: 'CONFLICT', message: expect.stringContaining('EntityTooSmall') as string };
      await expect(store.complete(upload)).rejects.toMatchObject(tooSmall);
      expect(await store.size(upload.key)).toBeNull();
      const whole = newId();
      const pieces = [content.subarray(0, partBytes), content.subarray(partBytes)];
      await expect(store.put(whole, Readable.from(pieces))).rejects.toMatchObject(tooSmall);
      expect(await store.size(whole)).toBeNull();
    } finally {
      store.close();
      await close();
    }
  },
);
