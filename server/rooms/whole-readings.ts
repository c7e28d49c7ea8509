import { serialize } from 'node:v8';
import type * as Y from 'yjs';
import { countWords, hasMovedOn } from '#shared/ai/drift.ts';
import { materialIn, packMaterial, partsNow } from '#shared/ai/material.ts';
import type { StoredPart } from '#shared/ai/views.ts';
import { docxParts } from '#shared/formats/docx.ts';
import { chosenOf, type Chosen, type ExportFormat } from '#shared/formats/formats.ts';
import type { PrintedWords } from '#shared/formats/printed.ts';
import type { Said } from '#shared/formats/said.ts';
import { spokenDocument } from '#shared/formats/spoken.ts';
import { writeTranscript } from '#shared/formats/write.ts';
import {
  anchorAt,
  placesOf,
  saidIn,
  stretchesOf,
  stretchAtTime,
  type Anchor,
  type Anchored,
} from '#shared/meetings/anchors.ts';
import { seenBy, type Seen } from '#shared/meetings/apply-changes.ts';
import { readTimed } from '#shared/meetings/entries.ts';
import { readPlain, type PlainTranscript } from '#shared/meetings/plain.ts';
import { quoteNow, type Quoted } from '#shared/meetings/quoted.ts';
import { fold } from '#shared/meetings/search.ts';
import { standingIn } from '#shared/meetings/standing.ts';
import { readWords, type Reading } from '#shared/meetings/words.ts';
import type { Changes } from '#shared/meetings/writing.ts';
import { calibrated, markedBeside, markedWords } from '#shared/reviews/marked.ts';
import { quotesOf } from '#shared/formats/redacted-quotes.ts';
import type { noFlags } from './segment-flags.ts';
import { authorsIn, type Written as Authors } from './whole-changes.ts';

// Answers whose making takes longer the longer a transcript is. Of a long one they are made in a thread
// (whole-documents.ts), so all that goes in and comes out is plain data; what is long comes out as bytes.

/** Bytes with memory of their own, which goes from one thread to another without being copied. */
const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text));

/** The document as JSON, without the braces around it, with these flags for each segment. */
export function plainFields(plain: PlainTranscript, flags: typeof noFlags): Uint8Array<ArrayBuffer> {
  const segments = plain.transcript.segments.map(({ id, ...rest }) => ({ id, ...flags, ...rest }));
  const whole = { ...plain, transcript: { ...plain.transcript, segments } };
  return bytesOf(JSON.stringify(whole).slice(1, -1));
}

function plain(doc: Y.Doc, _generation: number, flags: typeof noFlags) {
  const read = readPlain(doc);
  return { fields: plainFields(read, flags), outcomeModel: read.preferredOutcomesModel };
}

function subtitles(doc: Y.Doc): Uint8Array<ArrayBuffer> {
  const page = writeTranscript('VTT', spokenDocument(doc), chosenOf('VTT', {}));
  return bytesOf(page.kind === 'text' ? page.text : '');
}

interface WrittenBytes {
  /** Bytes of a text, or the page that a PDF is laid out from. */
  kind: 'text' | 'pdf';
  title: string;
  bytes: Uint8Array<ArrayBuffer>;
}

/** The parts of a Word document, one behind the other. */
export interface WrittenParts {
  kind: 'docx';
  title: string;
  bytes: Uint8Array<ArrayBuffer>;
  parts: { name: string; length: number }[];
}

export type Written = WrittenBytes | WrittenParts;

/** An exported file, from all that it has beside the transcript. */
function exported(
  doc: Y.Doc,
  generation: number,
  {
    format,
    chosen,
    date,
    mediaMs,
    said,
    words,
  }: {
    format: ExportFormat;
    chosen: Chosen;
    date: string | undefined;
    mediaMs: number | undefined;
    said: Said | undefined;
    words: PrintedWords;
  },
): Written {
  const document = spokenDocument(doc, { date, mediaMs });
  const all = said && {
    ...said,
    ...(chosen.contents && { contents: readTimed(doc, 'toc') }),
    quotes: quotesNow(doc, generation, said),
  };
  const page = writeTranscript(format, document, chosen, all, words);
  const { title } = document;
  if (page.kind === 'text') return { kind: 'text', title, bytes: bytesOf(page.text) };
  if (page.kind === 'pdf') return { kind: 'pdf', title, bytes: new Uint8Array(serialize(page)) };
  const files = [...docxParts(page)].map(([name, content]) => ({
    name,
    content: typeof content === 'string' ? Buffer.from(content) : content,
  }));
  return {
    ...{ kind: 'docx', title },
    bytes: new Uint8Array(Buffer.concat(files.map(({ content }) => content))),
    parts: files.map(({ name, content }) => ({ name, length: content.byteLength })),
  };
}

/** Passages of annotations in the words there are now. */
function quotesNow(doc: Y.Doc, generation: number, { outcomes = [], comments = [] }: Said): Map<string, Quoted> {
  const items = [...outcomes, ...comments];
  const reading = readWords(doc);
  const places = placesOf(doc, reading, generation, items);
  return new Map(items.map((item, nth) => [item.id, quoteNow(() => reading, item, places[nth])]));
}

/** Checked parts of an analysis with the quotes that stand, and whether the words have moved on since. */
function analysis(doc: Y.Doc, _generation: number, parts: readonly StoredPart[], words: readonly number[]) {
  const material = materialIn(doc);
  const now = countWords(material.lines.map(({ text }) => text));
  return { parts: partsNow(material, parts), older: hasMovedOn(words, now) };
}

/** Places of suggestions, and their words; null for those that are gone. */
function suggested(doc: Y.Doc, generation: number, all: readonly Anchored[]): (Anchored | null)[] {
  const reading = readWords(doc);
  return placesOf(doc, reading, generation, all).map((place, nth) => {
    if (!place || place.by === 'time') return null;
    return { anchor: all[nth]?.anchor ?? null, ...saidIn(reading, place.from, place.to) };
  });
}

/** Places of words that were quoted a while ago; null where others stand there by now. */
function standing(doc: Y.Doc, generation: number, all: readonly Anchored[]): (Anchored | null)[] {
  const reading = readWords(doc);
  const plain = (text: string) => fold(text, false).text.replaceAll(/\s+/gu, ' ').trim();
  return placesOf(doc, reading, generation, all).map((place, nth) => {
    if (!place) return null;
    const said = saidIn(reading, place.from, place.to);
    if (place.by === 'time' && plain(said.quote) !== plain(all[nth]?.quote ?? '')) return null;
    return { ...said, anchor: anchorAt(doc, generation, place.from, place.to) };
  });
}

/** An annotation as somebody places it: by its times, or by characters and words that they name. */
export interface GivenPlace {
  start: number;
  end: number;
  quote?: string | undefined;
  anchor?: Anchor | null | undefined;
}

/** Whether a place is found without the times of all words. */
export const namesWords = ({ anchor, quote }: GivenPlace): boolean => !!anchor && quote !== undefined;

/** Annotations at the characters they name, or at the words between their times. */
export function anchored(doc: Y.Doc, generation: number, all: readonly GivenPlace[]): Anchored[] {
  // Anchors of another generation have no meaning in this document.
  const anchors = all.map(({ anchor = null }) => (anchor?.g === generation ? anchor : null));
  const stretches = stretchesOf(
    doc,
    anchors.filter((anchor) => anchor !== null),
  );
  let known: Reading | null = null;
  const words = () => (known ??= readWords(doc));
  let next = 0;
  return all.map(({ start, end, quote, anchor = null }, nth): Anchored => {
    const valid = anchors[nth] ?? null;
    const named = valid ? (stretches[next++] ?? null) : null;
    // Anchored characters may still be on their way to this process: the anchor is stored unresolved.
    if (anchor && (named || quote !== undefined)) {
      const said = quote ?? (named ? saidIn(words(), named.from, named.to).quote : '');
      return { anchor: valid, start, end, quote: said };
    }
    const stretch = stretchAtTime(words(), start * 1000, end * 1000);
    if (!stretch) return { anchor: null, start, end, quote: quote ?? '' };
    const { from, to } = stretch;
    return {
      anchor: anchorAt(doc, generation, from, to),
      start,
      end,
      quote: quote ?? saidIn(words(), from, to).quote,
    };
  });
}

/** Beginnings of words in the text of these segments, and when they were said, in milliseconds. */
function begins(
  doc: Y.Doc,
  _generation: number,
  segments: readonly string[],
): Map<string, { at: number; from: number }[]> {
  const wanted = new Set<string | null>(segments);
  return new Map(
    readWords(doc).segments.flatMap(({ id, words }) =>
      id !== null && wanted.has(id) ? [[id, words.map(({ at, from }) => ({ at, from }))] as const] : [],
    ),
  );
}

const readings = {
  anchored,
  begins,
  calibrated,
  markedBeside,
  markedWords,
  quotes: quotesOf,
  seen: (doc: Y.Doc, _generation: number, changes: Changes): Seen => seenBy(doc, changes),
  speaks: (doc: Y.Doc, _generation: number, id: string) =>
    spokenDocument(doc).turns.some(({ speaker }) => speaker === id),
  standing,
  suggested,
  texts: (doc: Y.Doc) => standingIn(doc),
  authors: (doc: Y.Doc, _generation: number, written: Authors) => authorsIn(doc, written),
  plain,
  subtitles,
  exported,
  analysis,
  material: (doc: Y.Doc) => packMaterial(materialIn(doc)),
  partsNow: (doc: Y.Doc, _generation: number, parts: readonly StoredPart[]) => partsNow(materialIn(doc), parts),
};

export type Readings = typeof readings;
/** Arguments of a reading behind the document and its generation. */
export type Given<Kind extends keyof Readings> =
  Parameters<Readings[Kind]> extends [unknown?, unknown?, ...infer Rest] ? Rest : never;

export function read<Kind extends keyof Readings>(
  doc: Y.Doc,
  generation: number,
  kind: Kind,
  given: Given<Kind>,
): ReturnType<Readings[Kind]> {
  const work = readings[kind] as (doc: Y.Doc, generation: number, ...given: readonly unknown[]) => unknown;
  return work(doc, generation, ...given) as ReturnType<Readings[Kind]>;
}
