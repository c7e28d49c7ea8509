import type * as Y from 'yjs';
import { Finder, standingIn, type Standing } from './standing.ts';
import { replaceRanges, wellFormed } from './transcript.ts';
import { wordEdits } from './word-edits.ts';

/** New text for a segment, named by its id or by its index from 0. */
interface TextEdit {
  pos: number | string;
  /** Whole text of the segment, before and after. */
  old: string;
  new: string;
}

/** Refusal of an edit: the segment does not exist, or its text is no longer `old`. */
interface EditRefusal {
  nth: number;
  why: 'unknown' | 'changed';
}

/** Text as one line, without control characters. */
export const lineOf = (text: string): string =>
  wellFormed(text.replaceAll('\0', ''))
    .replace(/[\r\n\t\v\f\u0085\u2028\u2029]+/g, ' ')
    .replace(/\p{Cc}/gu, '');

/**
 * Makes all edits in order, or none: then it returns why. `then` gives the segments as the caller saw them, or null if
 * that is how they are now; it is called only when needed.
 */
export function editSegments(
  doc: Y.Doc,
  edits: readonly TextEdit[],
  then: () => readonly Standing[] | null,
  origin: unknown,
): EditRefusal[] {
  const finder = new Finder(standingIn(doc));
  const refused: EditRefusal[] = [];
  const texts = new Map<number, string>();
  for (const [nth, edit] of edits.entries()) {
    const place = placeOf(finder, edit.pos, then);
    const textAt = (at: number) => texts.get(at) ?? wellFormed(finder.now[at]?.text ?? '');
    if (place === undefined) refused.push({ nth, why: 'unknown' });
    else if (place === null || textAt(place) !== edit.old) refused.push({ nth, why: 'changed' });
    else texts.set(place, lineOf(edit.new));
  }
  if (refused.length > 0) return refused;
  const ordered = [...texts].toSorted(([one], [other]) => one - other);
  replaceRanges(
    doc,
    ordered.flatMap(([place, text]) => {
      const { start = 0, text: before = '' } = finder.now[place] ?? {};
      return wordEdits(start, before, text);
    }),
    origin,
  );
  return [];
}

/** Index of the segment; null if it is gone, undefined if it never existed. */
function placeOf(
  finder: Finder,
  pos: number | string,
  then: () => readonly Standing[] | null,
): number | null | undefined {
  if (typeof pos === 'string') return finder.withId(pos) ?? (then()?.some(({ id }) => id === pos) ? null : undefined);
  const seen = then();
  if (!seen) return pos < finder.now.length ? pos : undefined;
  const wanted = seen[pos];
  return wanted ? finder.same(wanted) : undefined;
}
