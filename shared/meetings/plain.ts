import type * as Y from 'yjs';
import { readAbout, readTags } from './about.ts';
import type { AccountTypeId, ModelId } from '../account-choices.ts';
import { readEntries, type Entry } from './entries.ts';
import { readPreferred } from './outcome-schema.ts';
import { toSeconds } from './seed.ts';
import { readSpeakers, type Speaker } from './speakers.ts';
import { segmentsOf, speakerOf, wellFormed } from './transcript.ts';
import { flag } from './timings.ts';
import { wordReader, type SpokenSegment, type Word } from './words.ts';

// Document as JSON for programs; times in seconds.

interface PlainWord {
  w: string;
  f: number;
  t: number;
  p?: true;
  m?: true;
  c?: true;
  j?: true;
  confidence?: number;
  estimated?: true;
}

export interface PlainSegment {
  id: string | null;
  speaker: string;
  start: number;
  end: number;
  text: string;
  words: readonly PlainWord[];
}

export interface PlainTranscript {
  title: string;
  lang: string;
  tags: string[];
  transcript: { segments: PlainSegment[]; speakers: Speaker[] };
  /** Entries of the document's other maps, each with its key as `id`. */
  toc: Entry[];
  bookmarks: Entry[];
  highlights: Entry[];
  summary: Entry[];
  preferredOutcomesSchema: AccountTypeId | null;
  preferredOutcomesModel: ModelId | null;
}

export function plainWord({ text, from, to, flags, confidence, estimated }: Word): PlainWord {
  const word: PlainWord = { w: wellFormed(text), f: toSeconds(from), t: toSeconds(to) };
  if (flags & flag.p) word.p = true;
  if (flags & flag.m) word.m = true;
  if (flags & flag.c) word.c = true;
  if (flags & flag.j) word.j = true;
  if (confidence !== null) word.confidence = confidence;
  if (estimated) word.estimated = true;
  return word;
}

/** Unchanged segments are the same objects from one call to the next. */
export function plainReader(doc: Y.Doc): () => PlainTranscript {
  const read = wordReader(doc);
  let known = new Map<SpokenSegment, PlainSegment>();
  return () => {
    const changed = segmentsOf(doc);
    const now = new Map<SpokenSegment, PlainSegment>();
    for (const segment of read().segments) {
      const { id } = segment;
      const speaker = id === null ? '' : speakerOf(changed, { s: id, p: segment.speaker });
      const before = known.get(segment);
      now.set(
        segment,
        before?.speaker === speaker
          ? before
          : {
              id,
              speaker,
              start: toSeconds(segment.from),
              end: toSeconds(segment.to),
              text: wellFormed(segment.text),
              words: before?.words ?? segment.words.map(plainWord),
            },
      );
    }
    known = now;
    const { schema = null, model = null } = readPreferred(doc) ?? {};
    return {
      ...readAbout(doc),
      tags: readTags(doc),
      transcript: { segments: [...now.values()], speakers: readSpeakers(doc) },
      toc: readEntries(doc, 'toc'),
      bookmarks: readEntries(doc, 'bookmarks'),
      highlights: readEntries(doc, 'highlights'),
      summary: readEntries(doc, 'summary'),
      preferredOutcomesSchema: schema,
      preferredOutcomesModel: model,
    };
  };
}

export const readPlain = (doc: Y.Doc): PlainTranscript => plainReader(doc)();
