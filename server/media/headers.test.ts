import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { measureMp3, readHeaders, type ReadAt } from './headers.ts';
import { findPrograms } from './ffmpeg.ts';
import { kindOf, type MediaKind } from './kinds.ts';

const programs = await findPrograms(process.env['PATH'] ?? '');
const folder = mkdtempSync(join(tmpdir(), 'colloquy-headers-'));
afterAll(() => rmSync(folder, { recursive: true }));

const at =
  (bytes: Buffer): ReadAt =>
  async (from, length) =>
    bytes.subarray(from, from + length);
const read = (kind: MediaKind, bytes: Buffer) => readHeaders(kind, at(bytes), bytes.length);

const talk = readFileSync(join(import.meta.dirname, '../demo/talk.mp3'));

test('the demo recording has its duration', async () => {
  expect(kindOf(talk, 'talk.mp3')).toBe('mp3');
  const found = await read('mp3', talk);
  expect(Math.abs((found?.durationMs ?? 0) - 175_608)).toBeLessThan(100);
});

test('the frames of a file are added up, whatever its header and what lies between them', async () => {
  const wrong = Buffer.from(talk);
  wrong.writeUInt32BE(10, wrong.indexOf('Info') + 8);
  const joined = Buffer.concat([wrong, Buffer.from('TAG and other bytes that are no sound'), wrong]);
  const whole = async (bytes: Buffer) => (await measureMp3(at(bytes), bytes.length)) ?? 0;
  expect((await read('mp3', wrong))?.durationMs).toBe(360);
  expect(Math.abs((await whole(wrong)) - 175_608)).toBeLessThan(200);
  expect(Math.abs((await whole(joined)) - 2 * 175_608)).toBeLessThan(400);
  expect(await measureMp3(at(Buffer.alloc(9000)), 9000)).toBeNull();
});

const seconds = 3;
const sine = ['-f', 'lavfi', '-i', `sine=d=${seconds}`];
const bars = ['-f', 'lavfi', '-i', `testsrc=d=${seconds}:s=64x48`];
const files: [string, string[], boolean][] = [
  ['a.wav', [...sine], false],
  ['b.wav', [...sine, '-c:a', 'pcm_s24le', '-metadata', 'title=A title of odd length'], false],
  ['constant.mp3', [...sine, '-b:a', '64k', '-write_xing', '0'], false],
  ['variable.mp3', [...sine, '-q:a', '4'], false],
  ['slow.mp3', [...sine, '-ar', '22050', '-ac', '1', '-b:a', '32k'], false],
  ['slowest.mp3', [...sine, '-ar', '8000', '-ac', '1', '-b:a', '16k', '-write_xing', '0'], false],
  ['tagged.mp3', [...sine, '-id3v2_version', '3', '-metadata', `comment=${'long '.repeat(500)}`], false],
  ['a.m4a', [...sine], false],
  ['front.mp4', [...bars, ...sine, '-movflags', '+faststart'], true],
  ['back.mov', [...bars, ...sine], true],
  ['pieces.mp4', [...bars, ...sine, '-movflags', '+frag_keyframe+delay_moov'], true],
  ['vorbis.ogg', [...sine, '-c:a', 'libvorbis'], false],
  ['opus.ogg', [...sine, '-c:a', 'libopus'], false],
  ['a.flac', [...sine], false],
  ['a.webm', [...bars, ...sine, '-c:v', 'libvpx', '-c:a', 'libopus'], true],
  ['b.webm', [...sine, '-c:a', 'libopus'], false],
];

describe('a file written by another program', () => {
  if (!programs) test('all files', ({ skip }) => skip('no ffmpeg on this machine'));

  test.skipIf(!programs).each(files)('%s has a duration, and video or none', async (name, args, video) => {
    const file = join(folder, name);
    execFileSync(programs?.ffmpeg ?? '', ['-y', '-v', 'error', ...args, file]);
    const bytes = readFileSync(file);
    const kind = kindOf(bytes, 'unknown');
    const found = kind && (await read(kind, bytes));
    // A fragmented file has no duration in its headers.
    if (name === 'pieces.mp4' && !found) return;
    expect(found?.video).toBe(video);
    expect(Math.abs((found?.durationMs ?? 0) - seconds * 1000)).toBeLessThan(200);
  });
});

test('reading any header ends without an error', async () => {
  const kinds: MediaKind[] = ['wav', 'mp3', 'mov', 'ogg', 'flac', 'matroska'];
  const begin: Record<string, Buffer> = {
    wav: Buffer.from('RIFF    WAVEfmt '),
    mp3: talk.subarray(0, 400),
    mov: Buffer.from('00000018667479706d703432', 'hex'),
    ogg: Buffer.from('OggS'),
    flac: Buffer.from('fLaC'),
    matroska: Buffer.from('1a45dfa3', 'hex'),
  };
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...kinds), fc.uint8Array({ maxLength: 600 }), async (kind, rest) => {
      const bytes = Buffer.concat([begin[kind] ?? Buffer.alloc(0), Buffer.from(rest)]);
      const found = await read(kind, bytes);
      if (found) expect(found.durationMs).toBeGreaterThanOrEqual(0);
    }),
    { numRuns: 2000 },
  );
});
