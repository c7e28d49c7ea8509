import { createReadStream, createWriteStream } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { JobFailed } from '../jobs.ts';
import type { Joined, TakeFile } from './join.ts';
import { measureWebm } from './webm.ts';

/**
 * Makes the file of a recording without ffmpeg: one take, as it came. Recorders do not write how long it is, so that is
 * added to its header.
 */
export async function joinPlain(
  files: readonly TakeFile[],
  { folder, signal }: { folder: string; signal: AbortSignal },
): Promise<Joined | null> {
  const [only, more] = files;
  if (!only) return null;
  if (more || !only.type.startsWith('audio/webm')) throw new JobFailed('no_joiner');
  const source = await open(only.path);
  try {
    const { size } = await source.stat();
    const found = await measureWebm((from, length) => readAt(source, from, length), size);
    if (!found) throw new JobFailed('no_joiner');
    const { ms, info } = found;
    if (ms <= 0) return null;
    const path = join(folder, 'whole.webm');
    await pipeline(
      async function* () {
        yield* createReadStream(only.path, { end: info.from - 1 }) as AsyncIterable<Buffer>;
        yield infoWith(await readAt(source, info.content, info.to - info.content), ms / info.tickMs);
        yield* createReadStream(only.path, { start: info.to }) as AsyncIterable<Buffer>;
      },
      createWriteStream(path),
      { signal },
    );
    return { path, ending: 'webm', ms, gaps: [], tracks: [] };
  } finally {
    await source.close();
  }
}

async function readAt(file: FileHandle, from: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, from);
  return buffer.subarray(0, bytesRead);
}

/** The element Info with one more field, Duration, in ticks. */
function infoWith(content: Buffer, ticks: number): Buffer {
  const duration = Buffer.alloc(11);
  duration.writeUInt16BE(0x4489, 0);
  duration.writeUInt8(0x88, 2);
  duration.writeDoubleBE(ticks, 3);
  const head = Buffer.alloc(12);
  head.writeUInt32BE(0x1549a966, 0);
  head.writeUInt32BE(0x01000000, 4);
  head.writeUInt32BE(content.length + duration.length, 8);
  return Buffer.concat([head, content, duration]);
}
