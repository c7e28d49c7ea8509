import { z } from 'zod';
import { titleInput } from './intake.ts';

/** Sources of sound: the microphone, and a browser tab or window. */
export const tracks = ['mic', 'tab'] as const;
export type Track = (typeof tracks)[number];

/** `ended`: no further takes, late pieces may come; `assembling`: its file is being made; `assembled`: it has a file. */
export type LiveState = 'recording' | 'paused' | 'ended' | 'assembling' | 'assembled';

/** Time that was not recorded: its place in the file, and its true length. */
export interface Gap {
  atMs: number;
  ms: number;
}

/** Version of the notice about consent; raised whenever its text changes in meaning. */
export const consentVersion = 1;

export const recorderLimits = {
  pieceMs: 250,
  pieceBytes: 256 * 1024,
  /** Bytes of one take: twelve hours at the rate recorders are asked for, three times over. */
  takeBytes: 512 * 1024 * 1024,
  takes: 1000,
  /** Messages a second of one take, with what waits after an interruption: pieces are much rarer. */
  messagesPerSecond: 200,
  messageBurst: 2000,
  /** Seconds without a piece, or of silence, after which a recording ends. */
  quietSeconds: 1800,
  /** Seconds that pieces may still arrive after the end, where some are known to be missing. */
  lateSeconds: 120,
  /** Seconds after its last piece for which a take counts as running. */
  aliveSeconds: 15,
} as const;

export const liveInput = z.object({
  title: titleInput,
  tracks: z
    .array(z.enum(tracks, 'invalid'), 'required')
    .min(1, 'required')
    .max(tracks.length, 'too_many')
    .refine((chosen) => new Set(chosen).size === chosen.length, 'duplicate_key'),
  language: z.string('required').max(35, 'lang'),
  model: z.string('required').min(1, 'required').max(100, 'model'),
  /** Version of the notice that was confirmed. */
  consent: z.literal(consentVersion, 'consent'),
});
export type LiveInput = z.infer<typeof liveInput>;
export const liveStarted = z.object({ id: z.string() });

const takeTypes = ['audio/webm;codecs=opus', 'audio/webm', 'audio/mp4', 'audio/ogg;codecs=opus'] as const;

export const takeInput = z.object({
  track: z.enum(tracks, 'invalid'),
  type: z.enum(takeTypes, 'type'),
  /** Milliseconds since the recording began. */
  offset: z.number('required').int('invalid').min(0, 'invalid').max(86_400_000, 'invalid'),
  /** Ends a take of this track that another tab is recording. */
  takeOver: z.boolean().optional(),
});
export type TakeInput = z.infer<typeof takeInput>;
export const takeStarted = z.object({ take: z.string() });

/** Pieces are counted from 1; `kept` is the number of those without a hole. */
export const keptView = z.object({ kept: z.number().int() });

export const liveView = z.object({
  state: z.enum(['recording', 'paused', 'ended', 'assembling', 'assembled']),
  /** Person recording it. */
  name: z.string(),
  mine: z.boolean(),
  startedAt: z.string(),
  tracks: z.array(z.enum(tracks)),
  gaps: z.array(z.object({ atMs: z.number().int(), ms: z.number().int() })),
  /** Takes, for the person who records; empty for others. */
  takes: z.array(
    z.object({
      take: z.string(),
      track: z.enum(tracks),
      offset: z.number().int(),
      kept: z.number().int(),
      ended: z.boolean(),
    }),
  ),
});
export type LiveView = z.infer<typeof liveView>;

/** Reason to stop a socket of a take. */
export type StopReason = 'ended' | 'elsewhere' | 'asked' | 'disk';

/** Messages of the server on the socket of a take. `stop asked` only carries the wish of a reader. */
export type TakeMessage = { kept: number } | { stop: StopReason };

const header = 4;

/** Message with one piece: its number, then its bytes. */
export function writePiece(n: number, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const frame = new Uint8Array(header + bytes.byteLength);
  new DataView(frame.buffer).setUint32(0, n);
  frame.set(bytes, header);
  return frame;
}

/** Reads such a message; null for anything else. */
export function readPiece(frame: Uint8Array): { n: number; bytes: Uint8Array } | null {
  if (frame.byteLength <= header) return null;
  const n = new DataView(frame.buffer, frame.byteOffset, header).getUint32(0);
  return n === 0 || n > mostPieces ? null : { n, bytes: frame.subarray(header) };
}

/** More than twelve hours of pieces. */
export const mostPieces = 1_000_000;

const endMessage = z.strictObject({ end: z.number().int().min(0).max(mostPieces) });

/** Reads the message that a take has ended, with its number of pieces; null for anything else. */
export function readEnd(text: string): number | null {
  try {
    return endMessage.parse(JSON.parse(text)).end;
  } catch {
    return null;
  }
}
