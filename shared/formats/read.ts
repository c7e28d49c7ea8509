import { readCarried, restore } from './carried.ts';
import { beginsLikeCaptions, captionsOf, isCaptions, readSrt, readVtt } from './captions.ts';
import { importFormats, type ImportFormat, type TranscriptType } from './formats.ts';
import { readOtter } from './otter.ts';
import { readRae } from './rae.ts';
import { readRev } from './rev.ts';
import { InvalidTranscript, type Source } from './source.ts';
import { toSeed, type Around, type Imported } from './spread.ts';
import { readText } from './text.ts';
import { readTranscribeme } from './transcribeme.ts';
import { readTurboscribe } from './turboscribe.ts';
import { saysSomething, type Parsed } from './turns.ts';
import { readZoom } from './zoom.ts';

const readers: Record<ImportFormat, (source: Source) => Parsed> = {
  REV: readRev,
  TRME: readTranscribeme,
  ZOOM: readZoom,
  RAE: readRae,
  OTTERAI: readOtter,
  TURBOSCRIBE: readTurboscribe,
  VTT: readVtt,
  SRT: readSrt,
  TEXT: readText,
};

/** Names of the formats for people. */
const formatTitles: Record<ImportFormat, string> = {
  REV: 'Rev or Temi',
  TRME: 'TranscribeMe',
  ZOOM: 'Zoom',
  RAE: 'Colloquy',
  OTTERAI: 'Otter',
  TURBOSCRIBE: 'TurboScribe',
  VTT: 'WebVTT',
  SRT: 'SRT',
  TEXT: 'plain text',
};

/** Factor of heads from which another format is noted, and from which the choice counts as a mistake. */
const clearly = 2;
const plainly = 5;

/** Error of the chosen format, with the format that fits. */
export class OtherFormat extends InvalidTranscript {
  readonly looksLike: ImportFormat;

  constructor(error: InvalidTranscript, looksLike: ImportFormat) {
    super(error.line, `${error.expected}; this looks like ${formatTitles[looksLike]}`);
    this.looksLike = looksLike;
  }
}

type Reading = { parsed: Parsed } | { error: InvalidTranscript };

function tryReading(source: Source, format: ImportFormat): Reading {
  try {
    const parsed = readers[format](source);
    if (parsed.turns.some(saysSomething)) return { parsed };
    const line = parsed.turns[0]?.line ?? source.lines[0]?.number ?? 1;
    return { error: new InvalidTranscript(line, 'words below it: nobody says anything in this file') };
  } catch (error) {
    if (error instanceof InvalidTranscript) return { error };
    throw error;
  }
}

const headsOf = (reading: Reading): number => ('parsed' in reading ? reading.parsed.heads : 0);

/** Format with the most heads; null if none fits. */
export function likeliest(
  source: Source,
  but: ImportFormat | null = null,
): { format: ImportFormat; heads: number } | null {
  let best: { format: ImportFormat; heads: number } | null = null;
  const captions = captionsOf(source.lines);
  for (const format of importFormats) {
    // Any text can be read as plain text, and any captions as those of another maker.
    if (format === but || format === 'TEXT') continue;
    if (isCaptions(format) && (format !== captions || (but !== null && isCaptions(but)))) continue;
    const heads = headsOf(tryReading(source, format));
    if (heads > (best?.heads ?? 0)) best = { format, heads };
  }
  return best;
}

/** Lines that may stand above the first head of a recognised format, and more for each head. */
const fewLines = 5;

/** The format that the content has; plain text where no other explains it. */
export function recognise(source: Source): ImportFormat {
  if (source.kind === 'text' && beginsLikeCaptions(source.lines)) return captionsOf(source.lines);
  const best = likeliest(source);
  if (!best) return 'TEXT';
  const { format, heads } = best;
  const reading = tryReading(source, format);
  if (!('parsed' in reading)) return 'TEXT';
  const { turns, skipped, doubtful } = reading.parsed;
  if (doubtful) return 'TEXT';
  const isTimed = turns[0]?.pieces[0]?.from !== null;
  // A single head may be a sentence such as "Let us meet at 5:30".
  const explains = heads > 1 ? skipped <= fewLines + heads : skipped === 0 && (isTimed || format === 'TURBOSCRIBE');
  if (!explains) return 'TEXT';
  const plain = tryReading(source, 'TEXT');
  const hasTimes = turns.some(({ pieces }) => pieces.some(({ from }) => from !== null));
  if (source.kind === 'docx' || hasTimes) return headsOf(plain) < clearly * heads ? format : 'TEXT';
  // Without times, plain text explains as much and leaves nothing out.
  const same = headsOf(plain) === heads && 'parsed' in plain && linesOf(plain.parsed) === linesOf(reading.parsed);
  return headsOf(plain) < heads || same ? format : 'TEXT';
}

/** Starts of turns, to compare two readings. */
const linesOf = ({ turns }: Parsed): string => turns.map(({ line }) => line).join();

/** Reads a file in the chosen format, unless another one fits clearly better; with AUTO, in the one that it has. */
export function readTranscript(
  source: Source,
  type: TranscriptType,
  around: Around = {},
): Imported & { format: ImportFormat } {
  if (source.lines.length === 0) throw new InvalidTranscript(1, 'a text: this file is empty');
  const format = type === 'AUTO' ? recognise(source) : type;
  return { ...readAs(source, format, type === 'AUTO', around), format };
}

function readAs(source: Source, format: ImportFormat, isRecognised: boolean, around: Around): Imported {
  const reading = tryReading(source, format);
  // Half the lines are heads already: no other format can fit clearly better.
  const sure = isRecognised || format === 'TEXT' || clearly * headsOf(reading) >= source.lines.length;
  const other = sure ? null : likeliest(source, format);
  if ('error' in reading) throw other ? new OtherFormat(reading.error, other.format) : reading.error;
  const heads = headsOf(reading);
  // Also if the file can be read in some way: a hundred heads taken for text are a wrong choice.
  if (other && other.heads >= (heads === 0 ? 1 : plainly * heads))
    throw new OtherFormat(new InvalidTranscript(reading.parsed.turns[0]?.line ?? 1, expectedOf(format)), other.format);
  const imported = toSeed(reading.parsed, around);
  const carried = format === 'RAE' && source.carried !== null ? readCarried(source.carried) : null;
  const whole = carried ? restore(imported, carried) : imported;
  if (other && other.heads >= clearly * heads + 1) whole.notes.push({ code: 'looksLike', format: other.format });
  return whole;
}

/** Description of the content that the format's reader expects. */
function expectedOf(format: ImportFormat): string {
  const nothing: Source = { kind: 'text', lines: [{ number: 1, text: '.', fresh: true }], carried: null };
  const reading = tryReading(nothing, format);
  return 'error' in reading ? reading.error.expected : 'a line such as "[Speaker 1] (0:00 - 0:15)" before what is said';
}
