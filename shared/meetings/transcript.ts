import * as Y from 'yjs';
import { newId } from '../ids.ts';

// The transcript is one flat text. A segment begins with a boundary, an embed that counts as one character; its text
// follows. A split or a merge inserts or deletes one boundary: no character is ever copied, so concurrent edits cannot
// lose, double or move one. Positions below are flat: boundaries count 1 as characters do.

/** Beginning of a segment: its id, and its speaker when it was made. */
export interface Boundary {
  s: string;
  p: string;
}

export type Piece = string | Boundary;

export interface Segment {
  /** Null only for text before the first boundary, which is shown but never given one on reading. */
  id: string | null;
  speaker: string;
  text: string;
  /** Position of the first character; the boundary is just before it. */
  start: number;
}

/** Replaces `remove` characters at `at` by `insert`. */
export interface Edit {
  at: number;
  remove: number;
  insert: readonly Piece[];
}

/** Segments a change of speaker is for: this one, this and later ones of the same speaker, or all of that speaker. */
export type Scope = 'one' | 'following' | 'all';

export const textOf = (doc: Y.Doc): Y.Text => doc.getText('text');
export const segmentsOf = (doc: Y.Doc): Y.Map<unknown> => doc.getMap('segments');

// ---- Reading -----------------------------------------------------------------------------------

const stringOr = (value: unknown, otherwise: string): string => (typeof value === 'string' ? value : otherwise);

const propertyOf = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;

/** Boundary from untrusted data: any embed is one character long and begins a segment. */
export const boundaryOf = (value: unknown): Boundary => ({
  s: stringOr(propertyOf(value, 's'), ''),
  p: stringOr(propertyOf(value, 'p'), ''),
});

/** Pieces of an item; none for formatting, which is foreign and not shown. */
export function piecesOf(item: Y.Item): Piece[] {
  if (!item.countable) return [];
  if (item.content instanceof Y.ContentString) return [item.content.str];
  // Embeds of this Yjs version, and those of later ones, which come as plain values.
  return item.content.getContent().map(boundaryOf);
}

export function* pieces(text: Y.Text): Generator<Piece> {
  for (let item = text._start; item !== null; item = item.right) if (!item.deleted) yield* piecesOf(item);
}

export function speakerOf(segments: Y.Map<unknown>, { s, p }: Boundary): string {
  return stringOr(propertyOf(segments.get(s), 'p'), p);
}

/** All segments, or the first `most`. */
export function readSegments(doc: Y.Doc, most = Infinity): Segment[] {
  const segments = segmentsOf(doc);
  const found: Segment[] = [];
  let current: Segment = { id: null, speaker: '', text: '', start: 0 };
  let at = 0;
  for (const piece of pieces(textOf(doc))) {
    if (typeof piece === 'string') {
      current.text += piece;
      at += piece.length;
    } else {
      if (current.id !== null || current.text !== '') found.push(current);
      if (found.length >= most) return found;
      at += 1;
      current = { id: piece.s, speaker: speakerOf(segments, piece), text: '', start: at };
    }
  }
  if (current.id !== null || current.text !== '') found.push(current);
  return found;
}

/** Segment that contains a position: from just after its boundary to the end of its last character. */
export function segmentAt(segments: readonly Segment[], at: number): Segment | undefined {
  let low = 0;
  let high = segments.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((segments[middle]?.start ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return segments[low - 1];
}

// ---- Writing -----------------------------------------------------------------------------------

const unwritable = /\p{Surrogate}|\0/gu;

/**
 * Replaces lone surrogates, which cannot be encoded, so that others would read another text than this one; and U+0000, which
 * old documents may have and no request may hold. Positions stay.
 */
export const wellFormed = (text: string): string => text.replace(unwritable, '\uFFFD');

/**
 * Makes all edits in one transaction. Their positions are those before the first edit, ascending and not overlapping.
 * New text is inserted before old text is deleted: the other way round, text that others insert there at the same time
 * could come to lie in between.
 */
export function replaceRanges(doc: Y.Doc, edits: readonly Edit[], origin: unknown): void {
  const text = textOf(doc);
  let free = 0;
  for (const { at, remove } of edits) {
    if (at < free || remove < 0 || at + remove > text.length) throw new RangeError(`no such range: ${at}, ${remove}`);
    free = at + remove;
  }
  doc.transact(() => {
    let moved = 0;
    for (const { at, remove, insert } of edits) {
      let to = at + moved;
      for (const piece of insert) to = put(text, to, piece);
      if (remove > 0) text.delete(to, remove);
      moved = to - at - remove;
    }
  }, origin);
}

/** Returns the position of the next piece. */
function put(text: Y.Text, at: number, piece: Piece): number {
  if (typeof piece === 'string') {
    if (piece !== '') text.insert(at, wellFormed(piece));
    return at + piece.length;
  }
  text.insertEmbed(at, { s: piece.s, p: piece.p });
  return at + 1;
}

/** Splits the segment at a position; returns the id of the new one. */
export function split(doc: Y.Doc, at: number, origin: unknown, speaker?: string): string {
  const id = newId();
  const p = speaker ?? segmentAt(readSegments(doc), at)?.speaker ?? '';
  replaceRanges(doc, [{ at, remove: 0, insert: [{ s: id, p }] }], origin);
  return id;
}

const blankless = /^[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\u3000-\u303F\uFF00-\uFFEF\s]$/u;

/** Separator for two texts that become one: a blank, or nothing in scripts without blanks. */
export function glue(left: string, right: string): string {
  const last = [...left.slice(-2)].at(-1) ?? ' ';
  const [first = ' '] = right;
  return blankless.test(last) || blankless.test(first) ? '' : ' ';
}

/** Joins a segment to the one before it; false if there is none. */
export function merge(doc: Y.Doc, id: string, origin: unknown): boolean {
  const segments = readSegments(doc);
  const index = segments.findIndex((segment) => segment.id === id);
  const [before, segment] = [segments[index - 1], segments[index]];
  if (!before || !segment) return false;
  const blank = glue(before.text, segment.text);
  replaceRanges(doc, [{ at: segment.start - 1, remove: 1, insert: blank === '' ? [] : [blank] }], origin);
  return true;
}

/** Sets the speaker; returns the number of changed segments. */
export function setSpeaker(doc: Y.Doc, id: string | null, scope: Scope, speaker: string, origin: unknown): number {
  const segments = readSegments(doc);
  const index = segments.findIndex((segment) => segment.id === id);
  const chosen = segments[index];
  if (!chosen) return 0;
  const affected = segments.filter(
    (segment, place) =>
      segment.speaker !== speaker &&
      (place === index ||
        (scope !== 'one' && (scope === 'all' || place > index) && segment.speaker === chosen.speaker)),
  );
  doc.transact(() => {
    const map = segmentsOf(doc);
    // Text before the first boundary becomes a segment only when its speaker is set.
    if (affected.some((segment) => segment.id === null)) textOf(doc).insertEmbed(0, { s: newId(), p: speaker });
    for (const key of new Set(affected.map((segment) => segment.id))) if (key !== null) map.set(key, { p: speaker });
  }, origin);
  return affected.length;
}

// ---- Comparing ---------------------------------------------------------------------------------

interface Flat {
  chars: string;
  boundaries: Map<number, Boundary>;
}

function flatten(list: readonly Piece[]): Flat {
  const flat: Flat = { chars: '', boundaries: new Map() };
  for (const piece of list) {
    if (typeof piece !== 'string') flat.boundaries.set(flat.chars.length, piece);
    flat.chars += typeof piece === 'string' ? piece : '\uFFFC';
  }
  return flat;
}

function unflatten({ chars, boundaries }: Flat, from: number, to: number): Piece[] {
  const list: Piece[] = [];
  let start = from;
  for (const [at, boundary] of boundaries) {
    if (at < from || at >= to) continue;
    if (at > start) list.push(chars.slice(start, at));
    list.push(boundary);
    start = at + 1;
  }
  if (to > start) list.push(chars.slice(start, to));
  return list;
}

/** First and second half of a surrogate pair. */
export const isHigh = (code: number): boolean => code >= 0xd800 && code < 0xdc00;
export const isLow = (code: number): boolean => code >= 0xdc00 && code < 0xe000;
const cuts = ({ chars }: Flat, at: number) => isHigh(chars.charCodeAt(at - 1)) && isLow(chars.charCodeAt(at));

/**
 * Smallest edits that turn `before`, which begins at `at`, into `after`. Boundaries are equal if their ids are, and one
 * that stays is never written anew: somebody else may be deleting it. Surrogate pairs are never cut.
 */
export function differences(at: number, before: readonly Piece[], after: readonly Piece[]): Edit[] {
  const [old, now] = [flatten(before), flatten(after)];
  const edits: Edit[] = [];
  const stand = [...old.boundaries];
  let [oldFrom, nowFrom] = [0, 0];
  const compare = (oldTo: number, nowTo: number) => {
    const edit = difference(at, old, now, [oldFrom, oldTo], [nowFrom, nowTo]);
    if (edit) edits.push(edit);
  };
  for (const [place, { s }] of now.boundaries) {
    const keptIndex = stand.findIndex(([, boundary]) => boundary.s === s);
    const [oldPlace] = stand[keptIndex] ?? [];
    if (oldPlace === undefined) continue;
    stand.splice(0, keptIndex + 1);
    compare(oldPlace, place);
    [oldFrom, nowFrom] = [oldPlace + 1, place + 1];
  }
  compare(old.chars.length, now.chars.length);
  return edits;
}

type Stretch = readonly [from: number, to: number];

function difference(at: number, old: Flat, now: Flat, [oldFrom, oldTo]: Stretch, [nowFrom, nowTo]: Stretch) {
  // Ranges without a common boundary, so that characters are compared by their codes alone.
  const same = (i: number, j: number) =>
    old.chars.charCodeAt(i) === now.chars.charCodeAt(j) && !old.boundaries.has(i) && !now.boundaries.has(j);
  const most = Math.min(oldTo - oldFrom, nowTo - nowFrom);
  let head = 0;
  while (head < most && same(oldFrom + head, nowFrom + head)) head += 1;
  if (oldFrom + head === oldTo && nowFrom + head === nowTo) return null;
  if (head > 0 && (cuts(old, oldFrom + head) || cuts(now, nowFrom + head))) head -= 1;
  let tail = 0;
  while (tail < most - head && same(oldTo - 1 - tail, nowTo - 1 - tail)) tail += 1;
  if (tail > 0 && (cuts(old, oldTo - tail) || cuts(now, nowTo - tail))) tail -= 1;
  const [from, to] = [oldFrom + head, oldTo - tail];
  return { at: at + from, remove: to - from, insert: unflatten(now, nowFrom + head, nowTo - tail) };
}
