import * as Y from 'yjs';
import { carriedFrom, saysBeside, writeCarried } from '#shared/meetings/carried.ts';
import { carryAnchors, type Carried, type CarriedFrom } from '#shared/meetings/carry-anchors.ts';
import { countWords } from '#shared/meetings/count.ts';
import { longestTitle, readAbout, writeAbout, writeTags, type About } from '#shared/meetings/about.ts';
import { anchorInCopy } from '#shared/meetings/anchors.ts';
import { moveHighlights, readHighlights, writeEntries } from '#shared/meetings/entries.ts';
import { findDrift, type Drift } from '#shared/meetings/drift.ts';
import { firstTextOf, type FirstText } from '#shared/meetings/first-text.ts';
import { glanceOf, type Glance } from '#shared/meetings/glance.ts';
import { appendHeard, appendTranscript, type HeardSegment } from '#shared/meetings/heard.ts';
import type { Peaks } from '#shared/meetings/media.ts';
import { readSpeakers } from '#shared/meetings/speakers.ts';
import { segmentsOf, speakerOf, textOf, wellFormed } from '#shared/meetings/transcript.ts';
import { cloneState } from '#shared/meetings/seed.ts';
import { readWords } from '#shared/meetings/words.ts';
import { indexedBeside, indexedTranscript, type Beside } from '#shared/finding/sources.ts';
import { inspect, ofTheHouse, Refused, type Inspected } from '#sync/server/inspect.ts';
import type { Limits } from '#sync/protocol.ts';
import { proveSeed } from '#sync/server/prove.ts';
import { clocksBefore, misfit } from '#sync/server/shape.ts';
import { build, makeClean } from '#sync/server/snapshot.ts';
import { untangled } from '#sync/server/untangle.ts';
import { changesBy, changesInstead, type Replayed, type Written } from './whole-changes.ts';
import { read, type Given, type Readings } from './whole-readings.ts';

// Work that looks at a whole transcript. It runs in a thread where the transcript is long (whole-documents.ts).

type Pieces = readonly Uint8Array[];

interface Projected extends Glance {
  title: string;
  words: number;
  speakers: number;
  spokenMs: number;
  firstText: FirstText;
}

/** Maximum of the integer column. */
const longestMs = 2 ** 31 - 1;

/** Clients may set any title over the wire; Postgres text cannot hold U+0000. */
const storable = (title: string): string => wellFormed(title.slice(0, longestTitle));

/** The properties of a document that lists show. */
export function project(doc: Y.Doc): Projected {
  const changed = segmentsOf(doc);
  const colors = new Map(readSpeakers(doc).map(({ id, color }) => [id, color]));
  const heard = new Set<string>();
  const spoken = [];
  let words = 0;
  let spokenMs = 0;
  for (const { id, speaker: seeded, text, from, to } of readWords(doc).segments) {
    const count = countWords(text);
    if (count === 0) continue;
    words += count;
    spokenMs = Math.max(spokenMs, to);
    const speaker = id === null ? '' : speakerOf(changed, { s: id, p: seeded });
    heard.add(speaker);
    spoken.push({ text, from, to, color: colors.get(speaker) ?? null });
  }
  const { lanes, opening } = glanceOf(spoken, spokenMs);
  return {
    title: storable(readAbout(doc).title),
    words,
    speakers: heard.size,
    spokenMs: Math.min(longestMs, Math.round(spokenMs)),
    lanes,
    opening: wellFormed(opening),
    firstText: firstTextOf(doc),
  };
}

export const driftOf = (doc: Y.Doc, peaks: Peaks): Drift | null =>
  findDrift(
    peaks,
    readWords(doc).segments.flatMap((one) => one.words),
  );

/** A change, judged like any update of a peer. */
interface Made {
  update: Uint8Array;
  inspected: Inspected;
}

/** A change of the document: a whole transcript, behind all text or also as the first one, or speech recognized by an engine. */
export type Entering = { state: Uint8Array; append: boolean } | { heard: readonly HeardSegment[] };

function enter(pieces: Pieces, entering: Entering): Made | null {
  const doc = build(pieces);
  try {
    const updates: Uint8Array[] = [];
    let wrong: string | null = null;
    doc.on('update', (update: Uint8Array) => updates.push(update));
    doc.on('afterTransaction', (transaction: Y.Transaction) => {
      wrong ??= misfit('transcript', doc.store, clocksBefore(transaction));
    });
    doc.transact(() => {
      if ('heard' in entering) appendHeard(doc, entering.heard, 'seed');
      else if (!entering.append && textOf(doc).length === 0) Y.applyUpdate(doc, entering.state);
      else appendTranscript(doc, entering.state, 'seed');
    }, 'seed');
    if (wrong !== null) throw new Refused(wrong);
    const [update] = updates;
    // Nobody asks for the boundaries of what was judged already.
    return update ? { update, inspected: { ...inspect(update, ofTheHouse), embeds: [] } } : null;
  } finally {
    doc.destroy();
  }
}

interface Replacing {
  /** The new transcript, made with this title and language. */
  state: Uint8Array;
  about: About;
  /** Generation that the old document is. */
  generation: number;
  limits: Limits;
}

interface Replacement {
  seed: Uint8Array;
  clientIds: number[];
}

/** A new transcript with all that the old document has beside its text. */
const replaced = (pieces: Pieces, { state, about, generation, limits }: Replacing): Replacement =>
  reading(pieces, (old) => {
    const now = readAbout(old);
    const carried = carriedFrom(old, generation);
    const seed = cloneState(state, (doc) => {
      writeCarried(doc, carried, 'replace');
      // Title and language may have changed while the file was read.
      if (now.title !== about.title) writeAbout(doc, { title: now.title }, 'replace');
      if (now.lang !== about.lang) writeAbout(doc, { lang: now.lang }, 'replace');
    });
    return { seed, clientIds: [...proveSeed('transcript', seed, limits).ranges.keys()] };
  });

/** An earlier state as the first row of a new generation, in bytes that cost little to build (G16). */
const restored = (pieces: Pieces, limits: Limits): Replacement =>
  reading(pieces, (doc) => {
    const state = Y.encodeStateAsUpdate(doc);
    const seed = untangled([state])?.bytes ?? state;
    return { seed, clientIds: [...proveSeed('transcript', seed, limits).ranges.keys()] };
  });

/** Places of anchors in the document that took the place of another (carry-anchors.ts). */
function carried(before: Pieces, now: Pieces, generation: number, items: readonly CarriedFrom[]): Carried[] {
  return reading(before, (old) =>
    reading(now, (doc) => {
      const work = carryAnchors(old, doc, generation, items);
      for (;;) {
        const step = work.next();
        if (step.done) return step.value;
      }
    }),
  );
}

interface Copying {
  /** Generation that the copied document is; the copy is a first one. */
  generation: number;
  /** Title of the copy; null for that of the original. */
  title: string | null;
  removeMarkup: boolean;
  limits: Limits;
}

/**
 * The document again, with the ids of its characters and so with their times. It is built, so that nothing of what was
 * deleted is in it but lengths. An empty one has no client ids.
 */
const copied = (
  pieces: Pieces,
  { generation, title, removeMarkup, limits }: Copying,
): Replacement & { title: string } =>
  reading(pieces, (doc) => {
    doc.transact(() => {
      if (title !== null) writeAbout(doc, { title }, 'copy');
      if (removeMarkup) {
        writeTags(doc, [], 'copy');
        for (const list of markup) writeEntries(doc, list, [], 'copy');
      }
      const moves = readHighlights(doc).flatMap(({ id, anchor }) =>
        anchor ? [[id, { from: anchor, to: anchorInCopy(anchor, generation) }] as const] : [],
      );
      moveHighlights(doc, new Map(moves), 'copy');
    }, 'copy');
    const seed = Y.encodeStateAsUpdate(doc);
    return { seed, clientIds: [...proveSeed('transcript', seed, limits).ranges.keys()], title: readAbout(doc).title };
  });

const markup = ['bookmarks', 'highlights'] as const;

/** Whether what was stored later changes something that stays when the text is replaced. */
export const besides = (pieces: Pieces, late: Pieces): boolean =>
  reading(pieces, (old) => saysBeside(Y.encodeStateAsUpdate(old), late));

function reading<T>(pieces: Pieces, work: (doc: Y.Doc) => T): T {
  const doc = build(pieces);
  try {
    return work(doc);
  } finally {
    doc.destroy();
  }
}

const works = {
  project: (pieces: Pieces) => reading(pieces, project),
  drift: (pieces: Pieces, peaks: Peaks) => reading(pieces, (doc) => driftOf(doc, peaks)),
  about: (pieces: Pieces) => reading(pieces, readAbout),
  indexed: (pieces: Pieces) => reading(pieces, indexedTranscript),
  indexedBeside: (pieces: Pieces, part: Beside['part']) => reading(pieces, (doc) => indexedBeside(part, doc)),
  enter,
  replaced,
  restored,
  carried,
  copied,
  clean: makeClean,
  changesBy: (was: Pieces, rows: readonly Replayed[], written: Written) =>
    reading(was, (doc) => changesBy(doc, rows, written)),
  changesInstead: (was: Pieces, now: Pieces, written: Written, by: string | null) =>
    reading(was, (old) => reading(now, (doc) => changesInstead(old, doc, written, by))),
  read: <Kind extends keyof Readings>(pieces: Pieces, generation: number, kind: Kind, given: Given<Kind>) =>
    reading(pieces, (doc) => read(doc, generation, kind, given)),
};

export type Works = typeof works;
export type WholeTask = { [Kind in keyof Works]: { kind: Kind; with: Parameters<Works[Kind]> } }[keyof Works];

export function run({ kind, with: given }: WholeTask): unknown {
  const work: (...all: never[]) => unknown = works[kind];
  return work(...(given as unknown as never[]));
}
