import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mostRecordingMs } from '#shared/intake.ts';
import { tracks, type Track } from '#shared/recorder.ts';
import { inputOf, printed, runProgram, type Programs } from '../media/ffmpeg.ts';
import { explained } from '../media/probe.ts';
import type { House } from '../context.ts';
import { JobFailed } from '../jobs.ts';
import { layOut, type Layout, type Placed } from './layout.ts';

/** Pieces of a take, joined to a file as they came. */
export interface TakeFile {
  id: string;
  track: Track;
  type: string;
  offsetMs: number;
  path: string;
}

export interface Joined {
  path: string;
  /** Ending of the file's name. */
  ending: 'webm' | 'm4a';
  ms: number;
  gaps: Layout['gaps'];
  /** The tracks that were mixed; empty where the file is one track itself. */
  tracks: { track: Track; path: string; ms: number }[];
}

interface Place {
  folder: string;
  signal: AbortSignal;
  log: House['log'];
}

/** Difference between the takes and the file made of them that is no loss: rounded times, padding of encoders. */
const inexactMs = 500;

const quiet = ['-v', 'error', '-nostdin', '-y', '-threads', '1'];
const seconds = 3 * 3600;
/** No recording may be longer. */
const longest = ['-t', String(mostRecordingMs / 1000 - 1)];
const aac = ['-c:a', 'aac', '-b:a', '96k', '-movflags', '+faststart', '-f', 'mp4'];
const demuxerOf = (type: string) =>
  type.startsWith('audio/mp4') ? 'mov' : type.startsWith('audio/ogg') ? 'ogg' : 'matroska';

/** Makes one file of all takes. A single take keeps its sound as it is; several are placed by time and mixed. */
export async function joinTakes(programs: Programs, files: readonly TakeFile[], place: Place): Promise<Joined | null> {
  const run = (args: string[]) =>
    explained(() =>
      runProgram(programs, 'ffmpeg', [...quiet, ...args], { ...place, seconds, cpuSeconds: seconds }, printed),
    );

  /** Pieces as they came have no length and cannot be sought in: the sound is copied into a whole file. */
  async function rewrap({ id, type, path }: TakeFile): Promise<{ path: string; ms: number } | null> {
    const isMp4 = demuxerOf(type) === 'mov';
    const out = join(place.folder, `${id}.${isMp4 ? 'm4a' : 'webm'}`);
    const format = isMp4 ? ['-movflags', '+faststart', '-f', 'mp4'] : ['-f', 'webm'];
    await run([...inputOf(demuxerOf(type), path), ...longest, '-map', '0:a:0', '-c', 'copy', ...format, `file:${out}`]);
    const ms = await lengthOf(out, isMp4 ? 'mov' : 'matroska');
    return ms > 0 ? { path: out, ms } : null;
  }

  async function lengthOf(path: string, demuxer: string): Promise<number> {
    const args = ['-v', 'error', '-show_entries', 'format=duration', '-of', 'csv=p=0', ...inputOf(demuxer, path)];
    const output = await explained(() =>
      runProgram(programs, 'ffprobe', args, { ...place, seconds: 60, cpuSeconds: 30 }, printed),
    );
    const length = Number(output.trim());
    return Number.isFinite(length) ? Math.round(length * 1000) : 0;
  }

  const whole: (TakeFile & { ms: number })[] = [];
  const unreadable: JobFailed[] = [];
  for (const file of files) {
    try {
      const made = await rewrap(file);
      if (made) whole.push({ ...file, ...made });
    } catch (error) {
      // A take that was cut within its first piece holds no sound; the others are heard all the same.
      if (!(error instanceof JobFailed) || error.failure !== 'unsupported') throw error;
      place.log.warn({ err: error, take: file.id }, 'a take holds no sound');
      unreadable.push(error);
    }
  }
  if (whole.length === 0 && unreadable[0]) throw unreadable[0];
  const layout = layOut(whole);
  const [only] = whole;
  if (!only) return null;
  if (whole.length === 1) {
    const ending = only.path.endsWith('.m4a') ? 'm4a' : 'webm';
    return { path: only.path, ending, ms: only.ms, gaps: layout.gaps, tracks: [] };
  }

  /** Takes of one track, one behind the other, with silence between them. */
  async function joinTrack(track: Track): Promise<{ track: Track; path: string; ms: number } | null> {
    const placed = layout.placed.filter((one) => one.track === track);
    const [first] = placed;
    if (!first) return null;
    const pathOf = (one: Placed) => whole.find(({ id }) => id === one.id)?.path ?? '';
    const lines = placed.flatMap((one, i) => {
      const next = placed[i + 1];
      const ms = (next?.startMs ?? one.startMs + one.ms) - one.startMs;
      return [`file 'file:${pathOf(one)}'`, `duration ${(ms / 1000).toFixed(3)}`];
    });
    const list = join(place.folder, `${track}.txt`);
    await writeFile(list, `ffconcat version 1.0\n${lines.join('\n')}\n`);
    const out = join(place.folder, `${track}.m4a`);
    // The filter fills in silence where no take runs, by the times of the packets.
    const filter = `aresample=48000:async=1:first_pts=0,adelay=${Math.round(first.startMs)}:all=1`;
    const input = ['-protocol_whitelist', 'file,pipe', '-f', 'concat', '-safe', '0', '-i', `file:${list}`];
    await run([...input, '-map', '0:a:0', '-af', filter, '-ac', '1', ...longest, ...aac, `file:${out}`]);
    return { track, path: out, ms: Math.max(...placed.map(({ startMs, ms }) => startMs + ms)) };
  }

  async function checked(made: Joined): Promise<Joined> {
    const length = await lengthOf(made.path, 'mov');
    if (length < Math.min(made.ms, mostRecordingMs - 1000) - inexactMs)
      throw new Error(`the file has ${length} ms of ${made.ms}`);
    return made;
  }

  const joined = [];
  for (const track of tracks) {
    const made = await joinTrack(track);
    if (made) joined.push(made);
  }
  const [one, other] = joined;
  const { ms, gaps } = layout;
  if (!one) return null;
  if (!other) return checked({ path: one.path, ending: 'm4a', ms, gaps, tracks: [] });
  const path = join(place.folder, 'mixed.m4a');
  const mix = '[0:a][1:a]amix=inputs=2:duration=longest:normalize=0,alimiter=limit=0.95:level=0';
  await run([
    ...inputOf('mov', one.path),
    ...inputOf('mov', other.path),
    '-filter_complex',
    mix,
    ...aac,
    `file:${path}`,
  ]);
  return checked({ path, ending: 'm4a', ms, gaps, tracks: joined });
}
