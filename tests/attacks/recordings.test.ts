// Section 3.8: recordings made to be more than that. J03 a file that is something else, J05 the form of an upload, J06
// uploads without end, J07 what a file could make the programs do that read it. Requests with a wrong name or length
// (J01, J02) and wrong choices (J14, J15, J16) are rows of tests/api/intake.table.ts.
import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findPrograms, printed, runProgram, TooMuch, type Programs } from '#server/media/ffmpeg.ts';
import { kindOf } from '#server/media/kinds.ts';
import { probe } from '#server/media/probe.ts';
import { JobFailed } from '#server/jobs.ts';
import { intakeFailures, type IntakeFailure } from '#shared/intake.ts';
import type { MediumView } from '#shared/meetings/media.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { beginProcessing, createMeeting, external, processed, sendFile, tone } from '#tests/support/intake.ts';
import type { Person } from '#tests/support/people.ts';

const path = process.env['PATH'] ?? '';
const programs = await findPrograms(path);
const without = programs ? null : 'no ffmpeg and ffprobe on this machine';

let house: TestHouse;
let ann: Person;
let folder: string;
/** A server beside the house that keeps count: reading a recording must ask nothing of it. */
let asked = 0;
const stranger = createServer((_, answer) => {
  asked += 1;
  answer.end('secret');
});
const address = () => `http://127.0.0.1:${(stranger.address() as AddressInfo).port}/secret.mp3`;
const canary = 'canary-of-a-file-of-this-machine';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'colloquy-hostile-'));
  await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
  house = await openHouse({ env: { PATH: path } });
  ann = await house.person();
});
afterAll(async () => {
  stranger.close();
  await house.close();
  await rm(folder, { recursive: true, force: true });
});

async function takenIn(
  fileName: string,
  content: Buffer,
): Promise<{ id: string; failure: string | undefined; media: MediumView[] }> {
  const { id } = await createMeeting(ann, external({ uploadId: await sendFile(ann, fileName, content) }));
  await beginProcessing(ann, id);
  const { failure_messages } = await processed(ann, id);
  const { media } = (await ann.get(`/api/meetings/${id}/about`)).body as { media: MediumView[] };
  return { id, failure: failure_messages[0], media };
}
const make = (...args: string[]): Buffer => {
  const file = join(folder, 'made');
  execFileSync(programs?.ffmpeg ?? '', ['-y', '-v', 'error', ...args, file]);
  return execFileSync('cat', [file], { maxBuffer: 64 * 1024 * 1024 });
};

/** A playlist, under every name and with every head that could get it read as one. */
const playlists = (): [string, string, Buffer][] => [
  [
    'an HLS playlist',
    'talk.mp4',
    Buffer.from(
      `#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10.0,\n${address()}\n#EXTINF:10.0,\nfile://${folder}/secret\n#EXT-X-ENDLIST\n`,
    ),
  ],
  ['an HLS playlist called sound', 'talk.mp3', Buffer.from(`#EXTM3U\n#EXTINF:10.0,\n${address()}\n`)],
  [
    'a list to be joined',
    'talk.wav',
    Buffer.from(`ffconcat version 1.0\nfile '${folder}/secret'\nfile '${address()}'\n`),
  ],
  [
    'a description of a session',
    'talk.ogg',
    Buffer.from('v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\nc=IN IP4 127.0.0.1\r\nm=audio 4 RTP/AVP 0\r\n'),
  ],
  [
    'a manifest',
    'talk.flac',
    Buffer.from(`<?xml version="1.0"?><MPD><Period><BaseURL>${address()}</BaseURL></Period></MPD>`),
  ],
];

describe('J03: what is something else than its name says', () => {
  const others: [string, string, Buffer][] = [
    ['a page', 'talk.mp3', Buffer.from('<!doctype html><script>alert(1)</script>'.repeat(50))],
    ['a program', 'talk.mp4', Buffer.concat([Buffer.from('\x7fELF\x02\x01\x01', 'latin1'), Buffer.alloc(4000, 1)])],
    ['a picture', 'talk.m4a', Buffer.from('\x89PNG\r\n\x1a\n'.repeat(100), 'latin1')],
    ['an archive', 'talk.wma', Buffer.from('PK\x03\x04'.repeat(100), 'latin1')],
    ['nothing but zeros', 'talk.mp3', Buffer.alloc(100_000)],
    ['one byte', 'talk.wav', Buffer.from('R')],
    ['a head without a body', 'talk.wav', tone().subarray(0, 44)],
    ['a box that says it is longer than the file', 'talk.mp4', Buffer.from('7fffffff6674797069736f6d', 'hex')],
  ];
  test.each(others)('%s: its processing fails, and says why', async (_, name, content) => {
    const { failure, media } = await takenIn(name, content);
    expect([intakeFailures.unsupported, intakeFailures.no_sound, intakeFailures.no_converter]).toContain(failure);
    expect(media).toEqual([]);
  });

  test('a recording that only its own program reads fails, and the message says what to do', async () => {
    const { failure, media } = await takenIn('talk.arf', Buffer.alloc(4000, 3));
    expect(failure).toBe(intakeFailures.arf);
    expect(media).toEqual([]);
  });

  test('a page that is a recording as well is handed out as a recording, in which nothing acts', async () => {
    // RIFF takes any chunk: this one holds a page.
    const page = Buffer.from('<script>alert(1)</script>'.padEnd(100));
    const sound = tone();
    const chunk = Buffer.alloc(8);
    chunk.write('note', 'latin1');
    chunk.writeUInt32LE(page.length, 4);
    const both = Buffer.concat([sound.subarray(0, 36), chunk, page, sound.subarray(36)]);
    const { failure, media } = await takenIn('talk.wav', both);
    expect(failure).toBeUndefined();
    const answer = await ann.get(media.find(({ tag }) => tag === 'audio')?.src ?? '');
    expect(answer.headers.get('content-type')).toBe('audio/wav');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('content-security-policy')).toContain('sandbox');
  });
});

describe('J07: what a file could make its readers do', () => {
  if (without !== null) test('all of it', ({ skip }) => skip(without));

  test.skipIf(!programs)('it leads to no other file and no other machine', async () => {
    await writeFile(join(folder, 'secret'), Buffer.concat([tone(), Buffer.from(canary)]));
    for (const [what, name, content] of playlists()) {
      const { failure } = await takenIn(name, content);
      expect(failure, what).toBe(intakeFailures.unsupported);
    }
    expect(asked).toBe(0);
  });

  test.skipIf(!programs)('the guard of that is what holds it: without it the other machine is asked', async () => {
    const list = join(folder, 'list.m3u8');
    await writeFile(list, `#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10.0,\n${address()}\n#EXT-X-ENDLIST\n`);
    const bounds = { folder, signal: new AbortController().signal, seconds: 20, cpuSeconds: 5 };
    const look = (...more: string[]) =>
      runProgram(
        programs as Programs,
        'ffprobe',
        ['-v', 'error', '-allowed_extensions', 'ALL', '-extension_picky', '0', ...more, list],
        bounds,
        printed,
      ).catch(() => {});
    const guarded = asked;
    await look('-protocol_whitelist', 'file,pipe');
    expect(asked).toBe(guarded);
    await look('-protocol_whitelist', 'file,pipe,http,tcp').then(async () => {
      // Not every version knows both of its options for names.
      if (asked === guarded)
        await runProgram(
          programs as Programs,
          'ffprobe',
          ['-v', 'error', '-protocol_whitelist', 'file,pipe,http,tcp', list],
          bounds,
          printed,
        ).catch(() => {});
    });
    expect(asked).toBeGreaterThan(guarded);
  });

  const wheres = (file: string, bytes: number, fileName: string) => ({
    path: file,
    fileName,
    bytes,
    folder,
    signal: new AbortController().signal,
  });
  const outcome = async (fileName: string, content: Buffer): Promise<IntakeFailure | 'fine'> => {
    const file = join(folder, fileName);
    await writeFile(file, content);
    try {
      await probe(programs, wheres(file, content.length, fileName));
      return 'fine';
    } catch (error) {
      if (error instanceof JobFailed) return error.failure as IntakeFailure;
      throw error;
    }
  };

  test.skipIf(!programs)('a picture larger than any screen is no recording', async () => {
    const picture = (size: number) =>
      make(
        '-f',
        'lavfi',
        '-i',
        `color=s=${size}x${size}:d=1:r=1`,
        '-f',
        'lavfi',
        '-i',
        'sine=d=1',
        '-c:v',
        'mjpeg',
        '-f',
        'mov',
      );
    expect(await outcome('talk.mov', picture(64))).toBe('fine');
    const large = picture(9000);
    expect(large.length).toBeLessThan(2_000_000);
    expect(await outcome('talk.mov', large)).toBe('too_much');
  });

  test.skipIf(!programs)('silence without end in a small file is refused before anything is made of it', async () => {
    // A head that says so is all it takes.
    const long = tone();
    long.writeUInt32LE(0xffff_fff0, 40);
    const hours = make('-f', 'lavfi', '-i', 'anullsrc=r=8000:cl=mono', '-t', '1', '-c:a', 'flac', '-f', 'flac');
    expect(await outcome('talk.flac', hours)).toBe('fine');
    // Thirteen hours of samples, where the file tells how many there are.
    hours.writeUInt32BE(13 * 3600 * 8000, 22);
    expect(await outcome('talk.flac', hours)).toBe('too_long_recording');
    expect(await outcome('talk.wav', long)).toBe('fine');
  });

  test.skipIf(!programs)('a program that does not end, or takes too much, is ended', async () => {
    const bounds = { folder, signal: new AbortController().signal, seconds: 1, cpuSeconds: 20 };
    const endless = ['-v', 'error', '-nostdin', '-f', 'lavfi', '-re', '-i', 'anullsrc', '-f', 's16le', 'pipe:1'];
    const started = performance.now();
    await expect(
      runProgram(programs as Programs, 'ffmpeg', endless, bounds, (out) => printed(out, 1e9)),
    ).rejects.toThrow(TooMuch);
    // Measured by the wall clock; other work of the machine is not the program's fault.
    expect(performance.now() - started).toBeLessThan(30_000);
    const busy = endless.filter((word) => word !== '-re');
    await expect(
      runProgram(programs as Programs, 'ffmpeg', busy, { ...bounds, seconds: 60 }, (out) => printed(out, 1e6)),
    ).rejects.toThrow(TooMuch);
    const stop = new AbortController();
    setTimeout(() => stop.abort(new Error('cancelled')), 200);
    await expect(
      runProgram(programs as Programs, 'ffmpeg', endless, { ...bounds, seconds: 60, signal: stop.signal }, (out) =>
        printed(out, 1e9),
      ),
    ).rejects.toThrow('cancelled');
  });

  test.skipIf(!programs?.prlimit)('none has more memory, time or files than it is given', async () => {
    const show: Programs = { ...(programs as Programs), ffprobe: '/bin/sh' };
    const bounds = { folder, signal: new AbortController().signal, seconds: 20, cpuSeconds: 7 };
    const said = await runProgram(
      show,
      'ffprobe',
      ['-c', 'ulimit -t; ulimit -v; ulimit -n; ulimit -c; env'],
      bounds,
      printed,
    );
    const [cpu, memory, files, core, ...environment] = said.trim().split('\n');
    expect([cpu, memory, files, core]).toEqual(['7', String(1024 ** 2), '64', '0']);
    // The shell sets its own folder; nothing else of our environment is passed.
    expect(environment.filter((line) => !/^(PWD|_|SHLVL|OLDPWD)=/.test(line))).toEqual([]);
  });

  test('each kind of file is read as that kind only', () => {
    const heads: [string, string, string | null][] = [
      ['#EXTM3U\n', 'a.mp4', 'mov'],
      ['ffconcat version 1.0', 'a.mp3', 'mp3'],
      ['RIFF....WAVEfmt ', 'a.mp3', 'wav'],
      ['ID3\x04', 'a.wav', 'mp3'],
      ['....ftypM4A ', 'a.mp3', 'mov'],
      ['<html>', 'a.arf', null],
      ['<html>', 'a', null],
    ];
    for (const [head, name, kind] of heads) expect(kindOf(Buffer.from(head, 'latin1'), name), head).toBe(kind);
  });

  test.skipIf(!programs)('nothing is left on the disk of what was tried', async () => {
    const work = join(house.house.config.dataDir, 'work');
    expect(await readdir(work).catch(() => [])).toEqual([]);
  });
});

describe.skipIf(!programs)('a recording that no browser plays', () => {
  test.each([
    ['talk.aiff', ['-f', 'lavfi', '-i', 'sine=d=2', '-f', 'aiff'], 'audio', 'audio/mp4'],
    ['talk.wma', ['-f', 'lavfi', '-i', 'sine=d=2', '-c:a', 'wmav2', '-f', 'asf'], 'audio', 'audio/mp4'],
    ['talk.ac3', ['-f', 'lavfi', '-i', 'sine=d=2', '-c:a', 'ac3', '-f', 'ac3'], 'audio', 'audio/mp4'],
    ['talk.aac', ['-f', 'lavfi', '-i', 'sine=d=2', '-c:a', 'aac', '-f', 'adts'], 'audio', 'audio/mp4'],
    [
      'talk.avi',
      [
        '-f',
        'lavfi',
        '-i',
        'testsrc=d=2:s=160x120',
        '-f',
        'lavfi',
        '-i',
        'sine=d=2',
        '-c:v',
        'mpeg4',
        '-c:a',
        'pcm_s16le',
        '-f',
        'avi',
      ],
      'video',
      'video/mp4',
    ],
    [
      'talk.flv',
      [
        '-f',
        'lavfi',
        '-i',
        'testsrc=d=2:s=160x120',
        '-f',
        'lavfi',
        '-i',
        'sine=d=2',
        '-c:v',
        'flv1',
        '-c:a',
        'mp3',
        '-ar',
        '44100',
        '-f',
        'flv',
      ],
      'video',
      'video/mp4',
    ],
  ] as const)('%s has a copy beside it that they do, and a waveform', async (name, args, tag, type) => {
    const { failure, media } = await takenIn(name, make(...args));
    expect(failure).toBeUndefined();
    const [copy, source, waveform] = [tag, 'source', 'histogram'].map((wanted) =>
      media.find((one) => one.tag === wanted),
    );
    expect([copy?.type, source?.name]).toEqual([type, name]);
    for (const one of [copy, waveform]) expect(Math.abs((one?.duration ?? 0) - 2)).toBeLessThan(0.2);
    const { peaks, perSecond } = (await ann.get(waveform?.src ?? '')).body as { peaks: number[]; perSecond: number };
    expect(perSecond).toBe(20);
    expect(Math.abs(peaks.length - 40)).toBeLessThan(5);
    expect(Math.max(...peaks)).toBe(255);
    const file = join(folder, 'copy.mp4');
    const cookies = [...ann.cookies].map(([key, value]) => `${key}=${value}`).join('; ');
    const bytes = await (await fetch(`${house.origin}${copy?.src}`, { headers: { Cookie: cookies } })).arrayBuffer();
    await writeFile(file, new Uint8Array(bytes));
    const found = await probe(programs, {
      path: file,
      fileName: 'copy.mp4',
      bytes: (await readFile(file)).length,
      folder,
      signal: new AbortController().signal,
    });
    expect(found).toMatchObject({ kind: 'mov', plays: true, video: tag === 'video' });
  });
});
