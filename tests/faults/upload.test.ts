// U1: a recording arrives whole over a line that breaks ten times, and after the page was loaded again in the middle.
// The size the product promises: UPLOAD_BYTES=2147483648 npm test -- tests/faults/upload.test.ts
import { createHash, randomBytes } from 'node:crypto';
import { createWriteStream, openAsBlob } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sendFile, type Around } from '#client/intake/upload.ts';
import { usualPartBytes } from '#server/outside/store.ts';
import type { PartView } from '#shared/intake.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { Person } from '#tests/support/people.ts';
import { freePort } from '#tests/support/ports.ts';
import { openProxy, type FaultProxy } from '#tests/support/proxy.ts';

const size = Number(process.env['UPLOAD_BYTES'] ?? 16 * 1024 * 1024);
/** The same share of the file that a part of the product's is of the largest file. */
const partBytes = size >= 1024 ** 3 ? usualPartBytes : Math.ceil(size / 128);
const cuts = 10;

let folder: string;
let proxy: FaultProxy;
let house: TestHouse;
let ann: Person;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'colloquy-upload-'));
  const port = await freePort();
  proxy = await openProxy(port);
  // People reach the server through the proxy that breaks connections.
  const address = `http://127.0.0.1:${proxy.port}`;
  house = await openHouse({ env: { PORT: String(port), PUBLIC_URL: address }, partBytes });
  const known = await house.person();
  ann = new Person(address);
  for (const [name, value] of known.cookies) ann.cookies.set(name, value);
});
afterEach(async () => {
  await house.close();
  await proxy.close();
  await rm(folder, { recursive: true, force: true });
});

async function recording(): Promise<{ file: File; sha256: string }> {
  const path = join(folder, 'talk.mp3');
  const hash = createHash('sha256');
  let left = size;
  const pieces = function* () {
    for (; left > 0; left -= 1024 * 1024) {
      const piece = randomBytes(Math.min(left, 1024 * 1024));
      hash.update(piece);
      yield piece;
    }
  };
  await pipeline(Readable.from(pieces()), createWriteStream(path));
  return { file: new File([await openAsBlob(path)], 'talk.mp3'), sha256: hash.digest('hex') };
}

/** The actions of a page, with short pauses; the pauses it asks for are recorded. */
function page(): Around & { leave(): void } {
  let gone = false;
  const alive = async <T>(work: Promise<T>): Promise<T> => {
    const result = await work;
    // A page that was left receives no more answers.
    return gone ? new Promise<never>(() => {}) : result;
  };
  const ask = async (path: string, body: unknown): Promise<PartView> => {
    const answer = await ann.post(path, body);
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
    return answer.body as PartView;
  };
  return {
    begin: (input) => alive(ask('/api/multipart-uploads', input)),
    next: (id, part) =>
      alive(ask(`/api/multipart-uploads/${id}/next`, { multipartUploadId: id, ...(part ? { part } : {}) })),
    put: async ({ url, headers }, bytes, told, signal) => {
      const body = await bytes.arrayBuffer();
      const answer = await alive(fetch(url, { method: 'PUT', body, headers, signal }));
      if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
      told(bytes.size);
    },
    giveUp: async (id) => void (await ann.delete(`/api/multipart-uploads/${id}`)),
    pause: (ms, signal) => sleep(ms / 100, undefined, { signal }),
    now: () => performance.now(),
    leave: () => (gone = true),
  };
}

/** Breaks the connection again and again, each time after another share of a tenth of the file. */
async function breakLines(): Promise<void> {
  for (let nth = 1; nth <= cuts; nth += 1) {
    const until = proxy.passed('up') + (size / cuts) * (0.3 + 0.6 * Math.random());
    proxy.cutAfter(Math.ceil(until - proxy.passed('up')), 'up', nth % 2 === 0 ? 'rst' : 'fin');
    while (proxy.passed('up') < Math.floor(until)) await sleep(5);
    await sleep(30);
  }
}

async function storedDigest(uploadId: string): Promise<string> {
  const [row] = await house.database.sql<{ store_key: string }[]>`select store_key from uploads where id = ${uploadId}`;
  const hash = createHash('sha256');
  for await (const piece of await house.house.store.read(row?.store_key ?? '')) hash.update(piece as Buffer);
  return hash.digest('hex');
}

const limit = 120_000 + size / 10_000;

test(
  'ten cuts: the same bytes, and at most 8 % of them sent twice',
  async () => {
    const { file, sha256 } = await recording();
    const broken = breakLines();
    const before = proxy.passed('up');
    const upload = sendFile(file, page());
    const id = await upload.done;
    await broken;
    const again = (proxy.passed('up') - before) / size - 1;
    console.log(`${size} bytes, ${cuts} cuts: ${(again * 100).toFixed(1)} % more went over the line than the file has`);
    expect(await storedDigest(id)).toBe(sha256);
    expect(again).toBeLessThan(0.08);
  },
  limit,
);

test(
  'loaded again twice: it continues with the parts the server has',
  async () => {
    const { file, sha256 } = await recording();
    let id: string | null = null;
    for (const share of [0.3, 0.6]) {
      const old = page();
      const upload = sendFile(file, old, id);
      while (upload.progress().sent < size * share) await sleep(5);
      old.leave();
      id = upload.id;
    }
    const last = sendFile(file, page(), id);
    const begunWith = new Promise<number>((resolve) => {
      const stop = last.subscribe(() => {
        stop();
        resolve(last.progress().sent);
      });
    });
    expect(await last.done).toBe(id);
    // No byte that had arrived was requested again.
    expect(await begunWith).toBeGreaterThan(size * 0.55);
    expect(await storedDigest(id ?? '')).toBe(sha256);
  },
  limit,
);

test('a connection that flips one bit: the part is refused and sent again', async () => {
  const content = randomBytes(partBytes);
  const around = page();
  let nth = 0;
  const put: Around['put'] = async (part, bytes, told, signal) => {
    nth += 1;
    if (nth > 1) return around.put(part, bytes, told, signal);
    const turned = new Uint8Array(await bytes.arrayBuffer());
    turned[5] = (turned[5] ?? 0) ^ 1;
    return around.put(part, new Blob([turned]), told, signal);
  };
  const id = await sendFile(new File([content], 'talk.mp3'), { ...around, put }).done;
  expect(nth).toBe(2);
  expect(await storedDigest(id)).toBe(createHash('sha256').update(content).digest('hex'));
});
