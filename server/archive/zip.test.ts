// Zips of archives: what is written is read again, also with the fields of files beyond 4 GiB, and damage is found.
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ZipReader } from './read-zip.ts';
import { zipOf, type ZipFile, type Zipped } from './zip.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'colloquy-zip-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const media = randomBytes(700_000);
const text = Buffer.from('What was said, and what was written beside it. '.repeat(1000));

async function* files(): AsyncGenerator<ZipFile> {
  yield { name: 'text.json', content: text };
  yield { name: 'empty.json', content: Buffer.alloc(0) };
  yield {
    name: 'sound/é.mp3',
    content: {
      bytes: media.length,
      chunks: (async function* () {
        for (let at = 0; at < media.length; at += 65_536) yield media.subarray(at, at + 65_536);
      })(),
    },
  };
  yield { name: 'last.json', content: Buffer.from('{}') };
}

async function pack(from64?: number): Promise<{ bytes: Buffer; written: Zipped[] }> {
  const written: Zipped[] = [];
  const options = { at: new Date('2027-03-04T05:06:08Z'), written: (one: Zipped) => written.push(one) };
  const chunks: Buffer[] = [];
  for await (const chunk of zipOf(files(), from64 === undefined ? options : { ...options, from64 })) chunks.push(chunk);
  return { bytes: Buffer.concat(chunks), written };
}

async function reading<T>(bytes: Buffer, work: (zip: ZipReader) => Promise<T>): Promise<T> {
  const path = join(folder, 'one.zip');
  await writeFile(path, bytes);
  const file = await open(path, 'r');
  try {
    return await work(await ZipReader.open(file));
  } finally {
    await file.close();
  }
}

const sha = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

test.each([
  ['as it is', undefined],
  ['with 64 bits for media and what comes behind', 500_000],
  ['with 64 bits for everything', 0],
])('a zip is read again, %s', async (_, from64) => {
  const { bytes, written } = await pack(from64);
  expect(written).toEqual([
    { path: 'text.json', bytes: text.length, sha256: sha(text) },
    { path: 'empty.json', bytes: 0, sha256: sha(Buffer.alloc(0)) },
    { path: 'sound/é.mp3', bytes: media.length, sha256: sha(media) },
    { path: 'last.json', bytes: 2, sha256: sha(Buffer.from('{}')) },
  ]);
  // Text is deflated, media are not.
  expect(bytes.length).toBeLessThan(media.length + 5000);
  await reading(bytes, async (zip) => {
    expect([...zip.entries.keys()]).toEqual(written.map(({ path }) => path));
    for (const { path, sha256 } of written) expect(sha(await zip.readWhole(path, 1e6)), path).toBe(sha256);
  });
});

test('a media file of another size than was said is no zip', async () => {
  const short: ZipFile = {
    name: 'a.mp3',
    content: {
      bytes: 10,
      chunks: (async function* () {
        yield Buffer.alloc(9);
      })(),
    },
  };
  const zip = zipOf(
    (async function* () {
      yield short;
    })(),
    { at: new Date(), written: () => {} },
  );
  await expect(
    (async () => {
      for await (const _ of zip);
    })(),
  ).rejects.toThrow('a.mp3 has 9 bytes instead of 10');
});

test('damage anywhere is named, and never hangs or crashes', async () => {
  const { bytes, written } = await pack();
  const readAll = (zip: ZipReader) =>
    Promise.all(written.map(({ path }) => zip.readWhole(path, 1e6).then(sha))).then((sums) => sums.join());
  const right = written.map(({ sha256 }) => sha256).join();
  expect(await reading(bytes, readAll)).toBe(right);
  // Bytes that no reader looks at, such as dates, may differ; content may not.
  for (let nth = 0; nth < 60; nth += 1) {
    const at = Math.floor((nth / 60) * bytes.length);
    const damaged = Buffer.from(bytes);
    damaged[at] = (damaged[at] ?? 0) ^ 0xff;
    const found = await reading(damaged, readAll).catch((error: Error) => error.name);
    expect(['DamagedZip', right], `byte ${at}`).toContain(found);
  }
  for (const length of [0, 21, 1000, bytes.length - 1])
    await expect(reading(bytes.subarray(0, length), readAll), `${length} bytes`).rejects.toThrow('zip');
});
