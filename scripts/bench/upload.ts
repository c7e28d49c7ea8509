// npm run bench -- upload [MiB]: speed of an upload, in parts and as a whole, beside `cp` on the same disk and beside a
// bare node server that writes the body to a file, in one run. All of them end when the data is on the disk.
import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, open, rm } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import type { PartView } from '#shared/intake.ts';
import { Person } from '#tests/support/people.ts';
import { expectOk, run } from './houses/run.ts';

const rounds = 5;

if (process.argv[2] === 'bare') await serveBare();
else await measure(Number(process.argv[2] ?? 256));

/** Writes a body to a file, and responds when it is on the disk. */
async function serveBare() {
  const folder = process.argv[3] ?? '';
  const server = createServer((incoming, outgoing) => {
    void (async () => {
      const file = await open(join(folder, 'bare'), 'w');
      for await (const chunk of incoming) await file.write(chunk as Buffer);
      await file.sync();
      await file.close();
      outgoing.end();
    })();
  });
  server.listen(0, '127.0.0.1', () =>
    console.log(`Colloquy is ready at http://localhost:${(server.address() as AddressInfo).port}`),
  );
}

async function measure(megabytes: number) {
  const size = megabytes * 1024 * 1024;
  // On the disk of the working folder, because a temporary folder may be memory.
  await mkdir('.data', { recursive: true });
  const folder = await mkdtemp(join('.data', 'bench-upload-'));
  const data = join(folder, 'data');
  await mkdir(data);
  const source = join(folder, 'source.mp3');
  await fill(source, size);
  const bare = await run(['--import', 'tsx', fileURLToPath(import.meta.url), 'bare', folder]);
  const house = await run([fileURLToPath(new URL('../start.mjs', import.meta.url))], {
    DATA_DIR: data,
    LOG_LEVEL: 'error',
    DEMO: 'off',
  });
  try {
    let person = 0;
    /** New person each time, because uploads per person and hour are limited. */
    const somebody = async (): Promise<Person> => {
      person += 1;
      const one = new Person(house.address);
      one.email = `ann${person}@example.test`;
      await expectOk(one.register());
      const [mail] = (await one.get(`/api/outbox?to=${one.email}`)).body as { text: string }[];
      await expectOk(one.post(`/api/confirm/${/\/confirm\/([\w.-]+)/.exec(mail?.text ?? '')?.[1]}`));
      await expectOk(one.login());
      return one;
    };
    const announced = { fileName: 'source.mp3', contentLength: size };

    const ways: [string, () => Promise<() => Promise<void>>][] = [
      ['cp, and sync of the copy', async () => async () => copy(source, join(folder, 'copy'))],
      ['a bare node server', async () => () => send('PUT', bare.address, source, 0, size)],
      [
        'in parts',
        async () => {
          const ann = await somebody();
          return () => inParts(ann, announced, source, false);
        },
      ],
      [
        'in parts, each with its digest, as a page sends it',
        async () => {
          const ann = await somebody();
          return () => inParts(ann, announced, source, true);
        },
      ],
      [
        'as a whole, by a form',
        async () => {
          const ann = await somebody();
          const { url, fields } = (await expectOk(ann.post('/api/uploads', announced))).body as {
            url: string;
            fields: { name: string; value: string }[];
          };
          return () => byForm(url, fields, source, size);
        },
      ],
    ];
    const speeds = new Map<string, number[]>();
    // Alternating rounds, so that other load affects all alike; the first round is a warm-up.
    for (let round = 0; round <= rounds; round++) {
      for (const [name, prepare] of ways) {
        const work = await prepare();
        const started = performance.now();
        await work();
        const seconds = (performance.now() - started) / 1000;
        if (round > 0) speeds.set(name, [...(speeds.get(name) ?? []), megabytes / seconds]);
      }
      // Deleted at once, because the disk may be small.
      execFileSync('find', [join(data, 'files'), '-type', 'f', '-delete']);
    }
    const median = (given: number[]) => given.toSorted((a, b) => a - b)[given.length >> 1] ?? Number.NaN;
    const bareSpeed = median(speeds.get('a bare node server') ?? []);
    console.log(`${megabytes} MiB, ${rounds} rounds`);
    for (const [name, given] of speeds) {
      const sorted = given.toSorted((a, b) => a - b);
      const range = `${sorted[0]?.toFixed(0)}–${sorted.at(-1)?.toFixed(0)}`;
      console.log(
        `${name}: median ${median(given).toFixed(0)} MiB/s (${range}), ${((median(given) / bareSpeed) * 100).toFixed(0)} % of the bare server`,
      );
    }
  } finally {
    await Promise.all([bare.stop(), house.stop()]);
    await rm(folder, { recursive: true, force: true });
  }
}

async function fill(path: string, size: number) {
  const file = await open(path, 'w');
  const piece = randomBytes(1024 * 1024);
  for (let left = size; left > 0; left -= piece.length) {
    // Different pieces, so that no compression or deduplication helps.
    piece.writeUInt32LE(left / piece.length, 0);
    await file.write(piece.subarray(0, Math.min(left, piece.length)));
  }
  await file.sync();
  await file.close();
}

async function copy(from: string, to: string) {
  execFileSync('cp', ['--reflink=never', from, to]);
  const file = await open(to, 'r+');
  await file.sync();
  await file.close();
}

async function inParts(
  ann: Person,
  announced: { fileName: string; contentLength: number },
  source: string,
  digests: boolean,
) {
  let part = (await expectOk(ann.post('/api/multipart-uploads', announced))).body as PartView;
  while (part.length > 0) {
    const { offset, length, uploadId } = part;
    const next = `/api/multipart-uploads/${uploadId}/next`;
    if (digests) {
      const hash = createHash('sha256');
      await pipeline(createReadStream(source, { start: offset, end: offset + length - 1 }), hash);
      part = (await expectOk(ann.post(next, { part: { offset, sha256: hash.digest('hex') } }))).body as PartView;
    }
    await send('PUT', part.url, source, offset, length, part.headers);
    part = (await expectOk(ann.post(next, {}))).body as PartView;
  }
}

async function byForm(url: string, fields: { name: string; value: string }[], source: string, size: number) {
  const boundary = 'bench-of-uploads';
  const head = fields
    .map(({ name, value }) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
    .join('');
  const file = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="source.mp3"\r\n\r\n`;
  const [before, behind] = [Buffer.from(head + file), Buffer.from(`\r\n--${boundary}--\r\n`)];
  await send(
    'POST',
    url,
    source,
    0,
    size,
    { 'Content-Type': `multipart/form-data; boundary=${boundary}` },
    before,
    behind,
  );
}

function send(
  method: string,
  url: string,
  source: string,
  offset: number,
  length: number,
  headers: Record<string, string> = {},
  before = Buffer.alloc(0),
  behind = Buffer.alloc(0),
): Promise<void> {
  return new Promise((resolve, reject) => {
    const all = { ...headers, 'Content-Length': before.length + length + behind.length };
    const outgoing = request(url, { method, headers: all }, (answer) => {
      const good = (answer.statusCode ?? 500) < 300;
      answer.resume().once('end', () => (good ? resolve() : reject(new Error(`answered ${answer.statusCode}`))));
    });
    outgoing.once('error', reject);
    outgoing.write(before);
    const content = createReadStream(source, { start: offset, end: offset + length - 1, highWaterMark: 1024 * 1024 });
    content.once('error', reject).once('end', () => outgoing.end(behind));
    content.pipe(outgoing, { end: false });
  });
}
