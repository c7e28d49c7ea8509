import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { Readable } from 'node:stream';

/** Paths of the programs that read and write audio and video; `prlimit` limits their resources. */
export interface Programs {
  ffmpeg: string;
  ffprobe: string;
  prlimit: string | null;
}

/** Finds the programs; null if one is missing. */
export async function findPrograms(path: string): Promise<Programs | null> {
  const find = async (name: string): Promise<string | null> => {
    const file = process.platform === 'win32' ? `${name}.exe` : name;
    for (const folder of path.split(delimiter).filter(Boolean)) {
      const found = join(folder, file);
      if (
        await access(found, constants.X_OK).then(
          () => true,
          () => false,
        )
      )
        return found;
    }
    return null;
  };
  const [ffmpeg, ffprobe, prlimit] = await Promise.all([find('ffmpeg'), find('ffprobe'), find('prlimit')]);
  return ffmpeg && ffprobe ? { ffmpeg, ffprobe, prlimit } : null;
}

interface Bounds {
  /** The only folder the program may read and write. */
  folder: string;
  signal: AbortSignal;
  /** Limits of elapsed time and of CPU time. */
  seconds: number;
  cpuSeconds: number;
}

/** The file made the program exceed its limits. */
export class TooMuch extends Error {
  override name = 'TooMuch';
}

/** The program could not read the file; its output is for the log. */
export class Unreadable extends Error {
  override name = 'Unreadable';
}

const mostMemory = 1024 ** 3;
export const mostOutput = 4 * 1024 ** 3;
const mostComplaint = 4096;

/**
 * Arguments for an input: a local file, read as one format only, so that its content cannot refer to other files or
 * addresses.
 */
export const inputOf = (demuxer: string, path: string): string[] => [
  '-protocol_whitelist',
  'file,pipe',
  '-max_streams',
  '64',
  '-f',
  demuxer,
  '-i',
  `file:${path}`,
];

/** Runs a program within its limits; `take` reads its output. */
export async function runProgram<T>(
  programs: Programs,
  name: 'ffmpeg' | 'ffprobe',
  args: readonly string[],
  { folder, signal, seconds, cpuSeconds }: Bounds,
  take: (output: Readable) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const limits = [
    `--cpu=${cpuSeconds}`,
    `--as=${mostMemory}`,
    `--fsize=${mostOutput}`,
    '--nofile=64',
    '--core=0',
    '--nproc=4096',
  ];
  const line = [...(programs.prlimit ? [programs.prlimit, ...limits, '--'] : []), programs[name], ...args];
  // No environment: no proxy, no settings.
  const child = spawn(line[0] ?? '', line.slice(1), { cwd: folder, env: {}, stdio: ['ignore', 'pipe', 'pipe'] });
  let tooLong = false;
  const end = () => child.kill('SIGKILL');
  const late = setTimeout(() => {
    tooLong = true;
    end();
  }, seconds * 1000);
  signal.addEventListener('abort', end, { once: true });
  let complaint = '';
  child.stderr.on('data', (piece: Buffer) => {
    if (complaint.length < mostComplaint) complaint += piece.toString();
  });
  const ended = new Promise<{ code: number | null; by: NodeJS.Signals | null }>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, by) => resolve({ code, by }));
  });
  try {
    const [result, { code, by }] = await Promise.all([
      take(child.stdout).catch((error: unknown) => {
        end();
        throw error;
      }),
      ended,
    ]);
    signal.throwIfAborted();
    if (tooLong || by !== null) throw new TooMuch(`${name} was ended: ${by}`);
    if (code !== 0) throw new Unreadable(`${name} gave up with ${code}: ${complaint.slice(0, mostComplaint)}`);
    return result;
  } finally {
    clearTimeout(late);
    signal.removeEventListener('abort', end);
    end();
    await ended.catch(() => {});
  }
}

/** The program's output, up to a limit. */
export async function printed(output: Readable, most = 1024 * 1024): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of output as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > most) throw new TooMuch('it says too much');
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}
