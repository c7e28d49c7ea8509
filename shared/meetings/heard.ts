import * as Y from 'yjs';
import { newId } from '../ids.ts';
import { readPlain } from './plain.ts';
import { lay, writeSeed, type Seed, type SeedSegment, type WireWord } from './seed.ts';
import { speakerColors } from './palette.ts';
import { readSpeakers, type Speaker } from './speakers.ts';
import { glue } from './transcript.ts';

// Recognised speech is appended piece by piece, each as a seed of its own after all existing text, so that edits to
// earlier pieces stay.

export interface HeardWord {
  text: string;
  /** Milliseconds. */
  from: number;
  to: number;
  /** Confidence from 0 to 1; missing if the engine gives none. */
  confidence?: number;
  /** Times are computed, not measured. */
  estimated?: boolean;
}

export interface HeardSegment {
  /** Speaker label of the engine; null if it does not tell speakers apart. */
  speaker: string | null;
  words: readonly HeardWord[];
}

/** A pause this long begins a paragraph; in a paragraph that is already long, the end of a sentence does. */
const pauseMs = 2000;
const longMs = 30_000;
const longestMs = 60_000;
const sentenceEnd = /[.!?…。！？]["'”’)\]]*$/u;

/** Splits the speech of one speaker into paragraphs of readable length. */
export function paragraphsOf(segments: readonly HeardSegment[]): HeardSegment[] {
  const paragraphs: { speaker: string | null; words: HeardWord[] }[] = [];
  for (const { speaker, words } of segments)
    for (const word of words) {
      const open = paragraphs.at(-1);
      const [first, last] = [open?.words[0], open?.words.at(-1)];
      const long = word.from - (first?.from ?? 0);
      const continues =
        open?.speaker === speaker &&
        last !== undefined &&
        word.from - last.to < pauseMs &&
        long < longestMs &&
        (long < longMs || !sentenceEnd.test(last.text));
      if (open && continues) open.words.push(word);
      else paragraphs.push({ speaker, words: [word] });
    }
  return paragraphs;
}

/**
 * Above all client ids that Yjs gives to people, so that text typed at the end at the same time stays where it was
 * typed.
 */
const firstSeedId = 2 ** 32;

function seedId(doc: Y.Doc): number {
  for (;;) {
    const id = firstSeedId + new Y.Doc().clientID;
    if (Y.getState(doc.store, id) === 0) return id;
  }
}

/** Appends a piece to the text, with new speakers; returns the number of words. */
export function appendHeard(doc: Y.Doc, heard: readonly HeardSegment[], origin: unknown): number {
  const paragraphs = paragraphsOf(heard);
  if (paragraphs.length === 0) return 0;
  const existing = readSpeakers(doc);
  const speakers = new Map<string, Speaker>();
  for (const { speaker } of paragraphs) {
    if (speaker === null || speakers.has(speaker)) continue;
    const nth = existing.length + speakers.size;
    speakers.set(speaker, {
      id: newId(),
      name: `Speaker ${nth + 1}`,
      color: nth % speakerColors,
      sortId: Math.max(-1, ...existing.map(({ sortId }) => sortId)) + 1 + speakers.size,
    });
  }
  let count = 0;
  const segments = paragraphs.map(({ speaker, words }): SeedSegment => {
    count += words.length;
    return { id: newId(), speaker: speakers.get(speaker ?? '')?.id ?? '', words: wired(words) };
  });
  behind(doc, { speakers: [...speakers.values()], segments }, origin);
  return count;
}

/** Writes the seed in a copy, because the client id of the open document also writes other changes. */
function behind(doc: Y.Doc, seed: Seed, origin: unknown): void {
  const copy = new Y.Doc();
  Y.applyUpdate(copy, Y.encodeStateAsUpdate(doc));
  copy.clientID = seedId(doc);
  writeSeed(copy, seed, origin);
  Y.applyUpdate(doc, Y.encodeStateAsUpdate(copy, Y.encodeStateVector(doc)), origin);
  copy.destroy();
}

/**
 * Appends a whole transcript, given as the state of a new document: its words with their times, and its speakers;
 * speakers of an existing name are reused. Title and language stay.
 */
export function appendTranscript(doc: Y.Doc, state: Uint8Array, origin: unknown): void {
  const other = new Y.Doc();
  Y.applyUpdate(other, state);
  const { segments, speakers } = readPlain(other).transcript;
  other.destroy();
  const existing = readSpeakers(doc);
  const sortId = Math.max(-1, ...existing.map((one) => one.sortId)) + 1;
  const key = (name: string) => name.trim().toLowerCase();
  const known = new Map(existing.filter(({ name }) => key(name) !== '').map(({ id, name }) => [key(name), id]));
  const ids = new Map(speakers.map(({ id, name }) => [id, known.get(key(name)) ?? id]));
  const added = speakers.filter(({ id }) => ids.get(id) === id);
  behind(
    doc,
    {
      speakers: added.map((one, i) => ({ ...one, sortId: sortId + i, color: (existing.length + i) % speakerColors })),
      segments: segments.map(({ id, speaker, words, text }) => ({
        id: id ?? newId(),
        speaker: ids.get(speaker) ?? '',
        words,
        text,
      })),
    },
    origin,
  );
}

/** Words of scripts without blanks are joined without one. */
function wired(words: readonly HeardWord[]): WireWord[] {
  return words.map(({ text, from, to, confidence, estimated }, i) => {
    const tight = i > 0 && glue(words[i - 1]?.text ?? '', text) === '';
    return {
      w: text,
      f: from / 1000,
      t: to / 1000,
      ...(tight && { p: true }),
      ...(confidence !== undefined && { confidence }),
      ...(estimated === true && { estimated }),
    };
  });
}

/** Text with its paragraphs as lines, as the document would have it. */
export const plainHeard = (segments: readonly HeardSegment[]): string =>
  paragraphsOf(segments)
    .map(({ words }) => lay({ words: wired(words) }, 0).text)
    .join('\n');
