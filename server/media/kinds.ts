import { extensionOf } from '#shared/intake.ts';

/**
 * Formats recognized by content; each is the name of the ffmpeg demuxer that reads it, and none of these reads other
 * files.
 */
const mediaKinds = ['aac', 'ac3', 'aiff', 'asf', 'avi', 'flac', 'flv', 'matroska', 'mov', 'mp3', 'ogg', 'wav'] as const;
export type MediaKind = (typeof mediaKinds)[number];

const byExtension: Readonly<Record<string, MediaKind>> = {
  aac: 'aac',
  ac3: 'ac3',
  aiff: 'aiff',
  avi: 'avi',
  flac: 'flac',
  flv: 'flv',
  m4a: 'mov',
  mov: 'mov',
  mp3: 'mp3',
  mp4: 'mov',
  ogg: 'ogg',
  wav: 'wav',
  wma: 'asf',
};

const marks: [at: number, mark: string, kind: MediaKind][] = [
  [0, 'fLaC', 'flac'],
  [0, 'OggS', 'ogg'],
  [0, 'FLV\x01', 'flv'],
  [8, 'WAVE', 'wav'],
  [8, 'AVI ', 'avi'],
  [8, 'AIFF', 'aiff'],
  [8, 'AIFC', 'aiff'],
  [0, '\x1A\x45\xDF\xA3', 'matroska'],
  [0, '\x30\x26\xB2\x75\x8E\x66\xCF\x11', 'asf'],
  [0, '\x0B\x77', 'ac3'],
  ...(['ftyp', 'moov', 'mdat', 'wide', 'free', 'skip'] as const).map((mark): [number, string, MediaKind] => [
    4,
    mark,
    'mov',
  ]),
];

/** Detects the format by the first bytes; by the name only if these are inconclusive. */
export function kindOf(head: Buffer, fileName: string): MediaKind | null {
  const text = head.subarray(0, 16).toString('latin1');
  const found = marks.find(([at, mark]) => text.startsWith(mark, at));
  if (found) return found[2];
  const [first = 0, second = 0] = head;
  // The layer bits distinguish MPEG audio from AAC, which has none.
  if (first === 0xff && (second & 0xf6) === 0xf0) return 'aac';
  if (text.startsWith('ID3') || (first === 0xff && (second & 0xe0) === 0xe0)) return 'mp3';
  return byExtension[extensionOf(fileName) ?? ''] ?? null;
}

const types: Record<MediaKind, { audio: string; video: string }> = {
  aac: { audio: 'audio/aac', video: 'audio/aac' },
  ac3: { audio: 'audio/ac3', video: 'audio/ac3' },
  aiff: { audio: 'audio/aiff', video: 'audio/aiff' },
  asf: { audio: 'audio/x-ms-wma', video: 'video/x-ms-wmv' },
  avi: { audio: 'video/x-msvideo', video: 'video/x-msvideo' },
  flac: { audio: 'audio/flac', video: 'audio/flac' },
  flv: { audio: 'video/x-flv', video: 'video/x-flv' },
  matroska: { audio: 'audio/webm', video: 'video/webm' },
  mov: { audio: 'audio/mp4', video: 'video/mp4' },
  mp3: { audio: 'audio/mpeg', video: 'audio/mpeg' },
  ogg: { audio: 'audio/ogg', video: 'video/ogg' },
  wav: { audio: 'audio/wav', video: 'audio/wav' },
};

export const typeOf = (kind: MediaKind, video: boolean): string => types[kind][video ? 'video' : 'audio'];

/** Codecs that every current browser plays, for audio and for video if there is any. */
const playable: Partial<Record<MediaKind, { sound: readonly string[]; picture: readonly string[] }>> = {
  flac: { sound: ['flac'], picture: [] },
  matroska: { sound: ['opus', 'vorbis'], picture: ['vp8', 'vp9', 'av1'] },
  mov: { sound: ['aac', 'mp3'], picture: ['h264', 'av1'] },
  mp3: { sound: ['mp3'], picture: [] },
  ogg: { sound: ['vorbis', 'opus', 'flac'], picture: [] },
  wav: { sound: ['pcm_u8', 'pcm_s16le', 'pcm_s24le', 'pcm_f32le'], picture: [] },
};

export function plays(kind: MediaKind, sound: string | null, picture: string | null): boolean {
  const known = playable[kind];
  if (!known) return false;
  return (sound === null || known.sound.includes(sound)) && (picture === null || known.picture.includes(picture));
}

/** Guess for installations that cannot inspect the codecs: true if files of the format mostly play. */
export const mostlyPlays = (kind: MediaKind): boolean => playable[kind] !== undefined;
