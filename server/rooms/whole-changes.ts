import * as Y from 'yjs';
import { readAbout } from '#shared/meetings/about.ts';
import {
  authorsOf,
  changesBetween,
  changesSince,
  goOn,
  stateOf,
  type ChangedSegment,
  type Hands,
} from '#shared/meetings/changes.ts';
import type { ChangesSegment } from '#shared/meetings/history.ts';
import { toSeconds } from '#shared/meetings/seed.ts';
import { Spans, type Span } from '#shared/meetings/spans.ts';
import { readSpeakers, type Speaker } from '#shared/meetings/speakers.ts';
import { readWords } from '#shared/meetings/words.ts';

// Changes between two versions: of long ones they are found in a thread (whole-documents.ts).

/** Authors of characters as plain data. */
export type Written = readonly (Span<string | null> & { client: number })[];

/** Rows that lead from the earlier version to the later one. */
export interface Replayed {
  userId: string | null;
  updates: readonly Uint8Array[];
}

/** Changes of a transcript: what is long of them is JSON already. */
export interface FoundChanges {
  title: string;
  titleBefore: string | null;
  speakers: Speaker[];
  /** Ids of everybody who is named. */
  people: string[];
  segments: Uint8Array<ArrayBuffer>;
}

/** A text with all authors. */
export const authorsIn = (doc: Y.Doc, written: Written): FoundChanges =>
  found(doc, authorsOf(doc, Spans.of(written)), null);

/** Changes by rows that lead from one state to the other. */
export function changesBy(was: Y.Doc, rows: readonly Replayed[], written: Written): FoundChanges {
  const doc = replaying(was);
  const gone: Hands = new Spans();
  goOn(doc, rows, gone);
  return changesWith(was, doc, gone, Spans.of(written));
}

/** The earlier document, to go on with; it keeps the text that is deleted from then on. */
export function replaying(was: Y.Doc): Y.Doc {
  const doc = new Y.Doc({ gc: false });
  Y.applyUpdate(doc, Y.encodeStateAsUpdate(was));
  return doc;
}

export const changesWith = (was: Y.Doc, doc: Y.Doc, gone: Hands, written: Hands): FoundChanges =>
  found(doc, changesSince(doc, stateOf(was), written, gone), readAbout(was).title);

/** Changes of a document that replaced another; `by`: who replaced it. */
export const changesInstead = (was: Y.Doc, doc: Y.Doc, written: Written, by: string | null): FoundChanges =>
  found(doc, changesBetween(was, doc, Spans.of(written), by), readAbout(was).title);

function found(doc: Y.Doc, segments: readonly ChangedSegment[], titleBefore: string | null): FoundChanges {
  // Text before the first segment is not timed; it may have been deleted.
  const { segments: spoken } = readWords(doc);
  let next = 0;
  const people = new Set<string>();
  const told = segments.map(({ id, speaker, speakerBefore, split, pieces, changed }): ChangesSegment => {
    const stands = id !== null || pieces.some(({ kind }) => kind !== 'gone');
    const timed = stands ? spoken[next] : undefined;
    if (stands) next += 1;
    for (const { by = [] } of pieces) for (const one of by) people.add(one);
    return {
      ...{ id, speaker },
      ...(speakerBefore !== undefined && { speakerBefore }),
      ...(split && { split }),
      start: toSeconds(timed?.from ?? 0),
      end: toSeconds(timed?.to ?? 0),
      changed,
      pieces: pieces.map(({ kind, text, by }) => ({ kind, text, ...(by && { by: [...by] }) })),
    };
  });
  return {
    title: readAbout(doc).title,
    ...{ titleBefore, speakers: readSpeakers(doc), people: [...people] },
    segments: new Uint8Array(Buffer.from(JSON.stringify(told))),
  };
}
