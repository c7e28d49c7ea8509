import type * as Y from 'yjs';
import { Finder, standingIn, type Standing } from './standing.ts';
import { replaceRanges, wellFormed } from './transcript.ts';
import { wordEdits } from './word-edits.ts';

/** Another text for a segment, which is named by its id or counted from 0. */
interface TextEdit {
  pos: number | string;
  /** All of its text, before and after. */
  old: string;
  new: string;
}

/** Why an edit cannot be made: there is no such segment, or its text is not `old` any more. */
interface EditRefusal {
  nth: number;
  why: 'unknown' | 'changed';
}

/** A segment is one line. */
export const lineOf = (text: string): string =>
  wellFormed(text)
    .replace(/[\r\n\t\v\f\u0085\u2028\u2029]+/g, ' ')
    .replace(/\p{Cc}/gu, '');

/**
 * All edits, one upon the other, or none: then it tells why. `then`: the segments as whoever made the edits saw them;
 * null where that is how they are now. Only asked for when it matters.
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
    const stands = (at: number) => texts.get(at) ?? wellFormed(finder.now[at]?.text ?? '');
    if (place === undefined) refused.push({ nth, why: 'unknown' });
    else if (place === null || stands(place) !== edit.old) refused.push({ nth, why: 'changed' });
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

/** Null for a segment that is gone; nothing for one that never was there. */
function placeOf(
  finder: Finder,
  pos: number | string,
  then: () => readonly Standing[] | null,
): number | null | undefined {
  if (typeof pos === 'string') return finder.withId(pos) ?? (then()?.some(({ id }) => id === pos) ? null : undefined);
  const seen = then();
  if (!seen) return pos < finder.now.length ? pos : undefined;
  const meant = seen[pos];
  return meant ? finder.same(meant) : undefined;
}
