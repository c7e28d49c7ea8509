import { mkdir, open, readdir, readFile, rm, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from '#shared/ids.ts';
import { attachmentBytes, longestVoiceMs } from '#shared/attachments.ts';
import { invalid, Problem } from '#shared/problems.ts';
import { findPrograms, inputOf, printed, runProgram, TooMuch, Unreadable, type Programs } from '../media/ffmpeg.ts';
import { kindOf, type MediaKind } from '../media/kinds.ts';
import { judgeFile, type JudgedFile } from './file-kinds.ts';
import { readMp4, readWebm } from './containers.ts';
import { framesOf } from './frames.ts';

/** A voice note as it is stored. */
export interface Sound {
  bytes: Buffer;
  type: string;
  durationMs: number | null;
}

/** A file as it is stored. */
export interface SentFile extends JudgedFile {
  bytes: Buffer;
}

/** Conversions at the same time in one process; others wait in line. */
const mostAtOnce = 2;
const mostInLine = 20;
const prefix = 'voice-';
/** Age in milliseconds after which a working folder is abandoned. */
const abandonedAfterMs = 3_600_000;
const bounds = { seconds: 60, cpuSeconds: 60 };
/** Bit rate of a stored mp3, which is mono. */
const kbits = 64;

const readable: readonly MediaKind[] = ['aac', 'flac', 'matroska', 'mov', 'mp3', 'ogg', 'wav'];

/**
 * Converts voice notes and judges files. Browsers record in different formats, and not every browser plays every format: with ffmpeg
 * each becomes an mp3, and a sent mp3 keeps its frames. Without ffmpeg, a format that most browsers play is stored
 * unchanged if it contains only audio.
 */
export class SoundDesk {
  private readonly folder: string;
  private readonly programs: Promise<Programs | null>;
  private encodes: Promise<boolean> | null = null;
  private busy = 0;
  private readonly line: (() => void)[] = [];

  constructor(config: { path: string; dataDir: string }) {
    this.folder = join(config.dataDir, 'work');
    this.programs = findPrograms(config.path);
  }

  take(content: AsyncIterable<Buffer>): Promise<Sound> {
    return this.written(content, (path, folder) => this.make(path, folder));
  }

  takeFile(content: AsyncIterable<Buffer>, sentName: string): Promise<SentFile> {
    return this.written(content, async (path) => {
      const bytes = await readFile(path);
      const judged = await judgeFile(bytes, sentName);
      if (!judged) throw invalid({ field: 'file', code: 'file_type' });
      return { ...judged, bytes };
    });
  }

  private async written<T>(
    content: AsyncIterable<Buffer>,
    make: (path: string, folder: string) => Promise<T>,
  ): Promise<T> {
    const folder = join(this.folder, prefix + newId());
    await mkdir(folder, { recursive: true });
    try {
      const path = join(folder, 'sent');
      await writeDown(path, content);
      return await this.inTurn(() => make(path, folder));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** Deletes working folders of processes that were killed. */
  async sweep(): Promise<void> {
    for (const name of await readdir(this.folder).catch(() => [])) {
      const folder = join(this.folder, name);
      if (!name.startsWith(prefix) || !((await oldness(folder)) > abandonedAfterMs)) continue;
      await rm(folder, { recursive: true, force: true });
    }
  }

  private async inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.busy < mostAtOnce) this.busy += 1;
    else {
      if (this.line.length >= mostInLine) throw new Problem('UNAVAILABLE', { retryAfter: 5 });
      // The finishing conversion passes its place on.
      await new Promise<void>((next) => this.line.push(next));
    }
    try {
      return await work();
    } finally {
      const next = this.line.shift();
      if (next) next();
      else this.busy -= 1;
    }
  }

  private async make(path: string, folder: string): Promise<Sound> {
    const bytes = await readFile(path);
    const kind = kindOf(bytes.subarray(0, 64), '');
    if (!kind || !readable.includes(kind)) throw noSound();
    const frames = kind === 'mp3' ? framesOf(bytes) : null;
    if (frames) return bounded({ ...frames, type: 'audio/mpeg' });
    const programs = await this.programs;
    if (programs) {
      this.encodes ??= encodesMp3(programs, folder).catch(() => {
        // A failed check is repeated by the next conversion.
        this.encodes = null;
        return false;
      });
      if (await this.encodes) return bounded(await toMp3(programs, kind, path, folder));
    }
    const found = kind === 'matroska' ? readWebm(bytes) : kind === 'mov' ? readMp4(bytes) : null;
    if (!found) throw noSound();
    return bounded({ bytes, ...found });
  }
}

const oldness = (folder: string): Promise<number> =>
  stat(folder).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => 0,
  );

const noSound = (cause?: unknown): Problem => new Problem('TYPE', { message: 'Unsupported file type', cause });

function bounded(sound: Sound): Sound {
  if ((sound.durationMs ?? 0) > longestVoiceMs) throw invalid({ field: 'file', code: 'too_long_voice' });
  return sound;
}

async function writeDown(path: string, content: AsyncIterable<Buffer>): Promise<void> {
  let size = 0;
  const file: FileHandle = await open(path, 'wx');
  try {
    for await (const piece of content) {
      size += piece.length;
      if (size > attachmentBytes) throw new Problem('BIG');
      await file.write(piece);
    }
  } finally {
    await file.close();
  }
  if (size === 0) throw invalid({ field: 'file', code: 'file_empty' });
}

const unending = (): AbortSignal => new AbortController().signal;

const encodesMp3 = (programs: Programs, folder: string): Promise<boolean> =>
  runProgram(
    programs,
    'ffmpeg',
    ['-v', 'error', '-encoders'],
    { folder, signal: unending(), seconds: 10, cpuSeconds: 5 },
    printed,
  ).then((encoders) => / libmp3lame /.test(encoders));

async function toMp3(programs: Programs, kind: MediaKind, path: string, folder: string): Promise<Sound> {
  const file = join(folder, 'made.mp3');
  const args = [
    ...['-v', 'error', '-nostdin', '-threads', '1'],
    ...inputOf(kind, path),
    // One second over the limit reveals a recording that is too long.
    ...['-t', String(longestVoiceMs / 1000 + 1)],
    ...['-map', '0:a:0', '-vn', '-sn', '-dn', '-map_metadata', '-1', '-ac', '1', '-ar', '44100'],
    ...['-c:a', 'libmp3lame', '-b:a', `${kbits}k`, '-id3v2_version', '0', '-f', 'mp3', `file:${file}`],
  ];
  try {
    await runProgram(programs, 'ffmpeg', args, { folder, signal: unending(), ...bounds }, printed);
  } catch (error) {
    if (error instanceof Unreadable || error instanceof TooMuch) throw noSound(error);
    throw error;
  }
  const frames = framesOf(await readFile(file));
  if (!frames) throw noSound();
  return { ...frames, type: 'audio/mpeg' };
}
