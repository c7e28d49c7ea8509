import { open } from 'node:fs/promises';
import { z } from 'zod';
import { extensionOf, mostRecordingMs } from '#shared/intake.ts';
import { JobFailed } from '../jobs.ts';
import { inputOf, printed, runProgram, TooMuch, Unreadable, type Programs } from './ffmpeg.ts';
import { measureMp3, readHeaders } from './headers.ts';
import { kindOf, mostlyPlays, plays, typeOf, type MediaKind } from './kinds.ts';

/** Properties of a recording on this machine. */
export interface Found {
  kind: MediaKind;
  type: string;
  video: boolean;
  durationMs: number | null;
  /** True if browsers play it unchanged. */
  plays: boolean;
}

const stream = z.looseObject({
  codec_type: z.string().optional(),
  codec_name: z.string().optional(),
  width: z.number().optional(),
  height: z.number().optional(),
  disposition: z.looseObject({ attached_pic: z.number().optional() }).optional(),
});
const report = z.looseObject({
  format: z.looseObject({ duration: z.string().optional() }).optional(),
  streams: z.array(stream).max(64).default([]),
});

/** Limit beyond any screen: a larger picture is made to exhaust memory. */
const mostPixels = 8192 * 8192;

export interface Where {
  path: string;
  fileName: string;
  bytes: number;
  folder: string;
  signal: AbortSignal;
}

/** Detects format and duration; fails if there is no audio. */
export async function probe(programs: Programs | null, where: Where): Promise<Found> {
  const file = await open(where.path);
  try {
    const readAt = async (from: number, length: number): Promise<Buffer> => {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, from);
      return buffer.subarray(0, bytesRead);
    };
    const kind = kindOf(await readAt(0, 64), where.fileName);
    if (!kind) throw new JobFailed(extensionOf(where.fileName) === 'arf' ? 'arf' : 'unsupported');
    if (programs) return await look(programs, kind, where);
    if (!mostlyPlays(kind)) throw new JobFailed('no_converter');
    const headers = await readHeaders(kind, readAt, where.bytes);
    // Without ffprobe, a file with no readable header is unsupported.
    if (!headers) throw new JobFailed('unsupported');
    const measured = kind === 'mp3' ? await measureMp3(readAt, where.bytes) : null;
    return checked({ kind, video: headers.video, durationMs: measured ?? headers.durationMs, plays: true });
  } finally {
    await file.close();
  }
}

async function look(programs: Programs, kind: MediaKind, { path, folder, signal }: Where): Promise<Found> {
  const args = [
    '-v',
    'error',
    '-probesize',
    '20M',
    '-analyzeduration',
    '20M',
    '-show_entries',
    'format=duration:stream=codec_type,codec_name,width,height:stream_disposition=attached_pic',
    '-of',
    'json',
    ...inputOf(kind, path),
  ];
  const bounds = { folder, signal, seconds: 60, cpuSeconds: 10 };
  const output = await explained(() => runProgram(programs, 'ffprobe', args, bounds, printed));
  const parsed = report.safeParse(JSON.parse(output));
  if (!parsed.success) throw new JobFailed('too_much');
  const { format, streams } = parsed.data;
  const sound = streams.find(({ codec_type }) => codec_type === 'audio');
  const picture = streams.find(
    ({ codec_type, disposition }) => codec_type === 'video' && disposition?.attached_pic !== 1,
  );
  if (!sound) throw new JobFailed(picture ? 'no_sound' : 'unsupported');
  if ((picture?.width ?? 0) * (picture?.height ?? 0) > mostPixels) throw new JobFailed('too_much');
  const seconds = Number(format?.duration);
  return checked({
    kind,
    video: picture !== undefined,
    durationMs: Number.isFinite(seconds) && seconds > 0 ? Math.round(seconds * 1000) : null,
    plays: plays(kind, sound.codec_name ?? '', picture ? (picture.codec_name ?? '') : null),
  });
}

function checked(found: Omit<Found, 'type'>): Found {
  if ((found.durationMs ?? 0) > mostRecordingMs) throw new JobFailed('too_long_recording');
  return { ...found, type: typeOf(found.kind, found.video) };
}

/** Turns errors of a program into failures that are shown to the person who uploaded the file. */
export async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Unreadable) throw new JobFailed('unsupported', error);
    if (error instanceof TooMuch) throw new JobFailed('too_much', error);
    throw error;
  }
}
