import * as Y from 'yjs';
import { Finder, standingIn, type Standing } from './standing.ts';
import { encodeTimings, type Slot } from './timings.ts';
import { segmentsOf, textOf, type Boundary, type Piece } from './transcript.ts';
import { hunksBetween, startsOf, tokensIn } from './word-edits.ts';
import { readWords } from './words.ts';

/** Segment as it should become. */
export interface WantedSegment {
  /** Null only for text before the first boundary, if there was any. */
  id: string | null;
  speaker: string;
  text: string;
  /** Words with their times; `at` is the position in the text. Empty if no times are given. */
  slots: readonly Slot[];
}

/** Segment as the author of the change saw it. */
export interface SeenSegment extends Standing {
  words: readonly { at: number; length: number; from: number; to: number }[];
}

/** Segments of a document; with the times of words only if needed, because reading them is slow. */
export function seenIn(doc: Y.Doc, timed: boolean): SeenSegment[] {
  const spoken = timed ? readWords(doc).segments : [];
  return standingIn(doc).map((segment, i) => ({
    ...segment,
    words: (spoken[i]?.words ?? []).map(({ at, text, from, to }) => ({ at, length: text.length, from, to })),
  }));
}

/** Smallest unit that is kept or replaced: a word, blanks, a sign; or a boundary, whose text is null. */
interface Unit {
  text: string | null;
  segment: number;
  /** Position in the segment's text; 0 for a boundary. */
  at: number;
  /** Index of the word it belongs to; -1 for none. */
  word: number;
  from: number;
  to: number;
}

interface Change {
  at: number;
  remove: number;
  units: readonly Unit[];
}

/**
 * Writes the differences between `seen` and `wanted` at their current positions, and touches nothing else. Writes all
 * or nothing: on a conflict it returns the indices in `seen` of segments that somebody else has changed. Words with
 * given times get them.
 */
export function rewriteSegments(
  doc: Y.Doc,
  seen: readonly SeenSegment[],
  wanted: readonly WantedSegment[],
  origin: unknown,
): number[] {
  const finder = new Finder(standingIn(doc));
  const moved = new Moved(seen, finder);
  const before = seen.flatMap((segment, i) => unitsOf(segment.id, segment.text, segment.words, i));
  const after = wanted.flatMap(({ id, text, slots }, i) => unitsOf(id, text, slots, i));
  const changes: Change[] = [];
  for (const { from, to, nowFrom, nowTo } of hunksOf(before, after, seen, wanted)) {
    const range = moved.rangeOf(before, from, to);
    if (range) changes.push({ ...range, units: after.slice(nowFrom, nowTo) });
  }
  const speakers = speakersOf(seen, wanted, moved);
  if (moved.conflicts.size > 0) return [...moved.conflicts].toSorted((one, other) => one - other);
  doc.transact(() => {
    write(doc, changes, wanted);
    for (const [id, p] of speakers) segmentsOf(doc).set(id, { p });
  }, origin);
  return [];
}

function unitsOf(
  id: string | null,
  text: string,
  words: readonly Pick<Slot, 'at' | 'length' | 'from' | 'to'>[],
  segment: number,
): Unit[] {
  const tokens = tokensIn(text);
  const starts = startsOf(tokens);
  let word = 0;
  const units = tokens.map((one, i): Unit => {
    const at = starts[i] ?? 0;
    while (word < words.length && (words[word]?.at ?? 0) + (words[word]?.length ?? 0) <= at) word += 1;
    const timedWord = words[word];
    const inWord = timedWord !== undefined && timedWord.at <= at;
    return {
      text: one,
      segment,
      at,
      word: inWord ? word : -1,
      from: inWord ? timedWord.from : -1,
      to: inWord ? timedWord.to : -1,
    };
  });
  const boundary: Unit = { text: null, segment, at: 0, word: -1, from: -1, to: -1 };
  return id === null ? units : [boundary, ...units];
}

const lengthOf = ({ text }: Unit): number => text?.length ?? 1;

/** Segments that keep id and order are fixed points; the texts between them are compared. */
function* hunksOf(
  before: readonly Unit[],
  after: readonly Unit[],
  seen: readonly SeenSegment[],
  wanted: readonly WantedSegment[],
) {
  const same = (one: Unit | undefined, other: Unit | undefined) =>
    one?.text === other?.text &&
    typeof one?.text === 'string' &&
    (one.from < 0 || other === undefined || other.from < 0 || (one.from === other.from && one.to === other.to));
  const boundaries = (units: readonly Unit[]) =>
    new Map(units.flatMap(({ text, segment }, place) => (text === null ? [[segment, place] as const] : [])));
  const [old, now] = [boundaries(before), boundaries(after)];
  const ends: [number, number][] = keptInOrder(seen, wanted).map(([i, j]) => [old.get(i) ?? 0, now.get(j) ?? 0]);
  let [i, j] = [0, 0];
  for (const [x, y] of [...ends, [before.length, after.length] as const]) {
    for (const { from, to, nowFrom, nowTo } of hunksBetween(x - i, y - j, (a, b) => same(before[i + a], after[j + b])))
      yield { from: i + from, to: i + to, nowFrom: j + nowFrom, nowTo: j + nowTo };
    [i, j] = [x + 1, y + 1];
  }
}

/** Longest common subsequence of segment ids. */
function keptInOrder(seen: readonly SeenSegment[], wanted: readonly WantedSegment[]): [number, number][] {
  const places = new Map<string, number>();
  for (const [i, { id }] of seen.entries()) if (id !== null && !places.has(id)) places.set(id, i);
  const common = wanted.flatMap(({ id }, j): [number, number][] => {
    const i = id === null ? undefined : places.get(id);
    return i === undefined ? [] : [[i, j]];
  });
  // `tails`: for each length, the index in `common` where the earliest ending row ends; `previous`: the index before
  // each.
  const tails: number[] = [];
  const previous: number[] = [];
  for (const [n, [i]] of common.entries()) {
    let [low, high] = [0, tails.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((common[tails[middle] ?? 0]?.[0] ?? 0) < i) low = middle + 1;
      else high = middle;
    }
    previous[n] = tails[low - 1] ?? -1;
    tails[low] = n;
  }
  const row: [number, number][] = [];
  for (let n = tails.at(-1) ?? -1; n >= 0; n = previous[n] ?? -1) row.push(common[n] ?? [0, 0]);
  return row.toReversed();
}

/** Current positions of what the author saw, as long as nobody else has changed it. */
class Moved {
  /** Indices in `seen` of segments that are to be changed, and that somebody else has changed. */
  readonly conflicts = new Set<number>();
  private readonly seen: readonly SeenSegment[];
  private readonly finder: Finder;
  private free = 0;

  constructor(seen: readonly SeenSegment[], finder: Finder) {
    this.seen = seen;
    this.finder = finder;
  }

  private placeOf(segment: number): number {
    const seen = this.seen[segment];
    return (seen && this.finder.same(seen)) ?? -1;
  }

  now(segment: number): Standing | null {
    return this.finder.now[this.placeOf(segment)] ?? null;
  }

  /** Flat range of these units, or the position after the unit before them; null if the text is no longer as seen. */
  rangeOf(units: readonly Unit[], from: number, to: number): { at: number; remove: number } | null {
    const gone = units.slice(from, to);
    const before = units[from - 1];
    const touched = [...new Set(gone.map(({ segment }) => segment))];
    for (const segment of touched)
      if (this.now(segment)?.text !== this.seen[segment]?.text) this.conflicts.add(segment);
    let at = 0;
    if (before) {
      const last = units[from]?.segment !== before.segment;
      const now = this.now(before.segment);
      const unchanged = now?.text === this.seen[before.segment]?.text;
      if (!now || (!last && !unchanged)) this.conflicts.add(before.segment);
      // The end of a segment includes text that others have appended.
      else at = now.start + (last ? now.text.length : before.at + (before.text?.length ?? 0));
    }
    const row = before ? [...new Set([before.segment, ...touched])] : touched;
    const places = row.map((segment) => this.placeOf(segment));
    // Segments that others have inserted in between, or before the first one, are a conflict.
    for (const [i, place] of places.entries()) {
      const wanted = i > 0 ? (places[i - 1] ?? 0) + 1 : before ? place : 0;
      if (place !== wanted && gone.length > 0) this.conflicts.add(row[i] ?? 0);
    }
    if (at < this.free) this.conflicts.add(touched[0] ?? before?.segment ?? 0);
    if (this.conflicts.size > 0) return null;
    const remove = gone.reduce((sum, unit) => sum + lengthOf(unit), 0);
    this.free = at + remove;
    return { at, remove };
  }
}

/** Speaker changes of segments that stay. */
function speakersOf(seen: readonly SeenSegment[], wanted: readonly WantedSegment[], moved: Moved): [string, string][] {
  const places = new Map(seen.map(({ id }, i) => [id, i]));
  return wanted.flatMap(({ id, speaker }): [string, string][] => {
    const place = places.get(id);
    const before = place === undefined ? undefined : seen[place];
    if (id === null || place === undefined || before?.speaker === speaker) return [];
    const now = moved.now(place);
    if (now && now.speaker !== before?.speaker && now.speaker !== speaker) moved.conflicts.add(place);
    return [[id, speaker]];
  });
}

// ---- Writing ------------------------------------------------------------------------------------

/** New text is inserted before old text is deleted, as in transcript.ts. */
function write(doc: Y.Doc, changes: readonly Change[], wanted: readonly WantedSegment[]): void {
  const text = textOf(doc);
  const ownClient = doc.clientID;
  const seed = new Seed(doc);
  let moved = 0;
  for (const { at, remove, units } of changes) {
    let to = at + moved;
    const spoken = units.some(({ word }) => word >= 0);
    try {
      if (spoken) doc.clientID = seed.client;
      for (const piece of spoken ? seed.lay(units, wanted) : piecesOf(units, wanted)) {
        if (typeof piece === 'string') text.insert(to, piece);
        else text.insertEmbed(to, piece);
        to += typeof piece === 'string' ? piece.length : 1;
      }
    } finally {
      doc.clientID = ownClient;
    }
    if (remove > 0) text.delete(to, remove);
    moved = to - at - remove;
  }
  if (seed.slots.length > 0) doc.getMap('timings').set(String(seed.client), encodeTimings(seed.slots));
}

function piecesOf(units: readonly Unit[], wanted: readonly WantedSegment[]): Piece[] {
  const pieces: Piece[] = [];
  for (const { text, segment } of units) {
    const last = pieces.at(-1);
    if (text === null) pieces.push(boundaryOf(wanted[segment]));
    else if (typeof last === 'string') pieces[pieces.length - 1] = last + text;
    else pieces.push(text);
  }
  return pieces;
}

const boundaryOf = (segment: WantedSegment | undefined): Boundary => ({
  s: segment?.id ?? '',
  p: segment?.speaker ?? '',
});

/** Words with times are written under a client id of their own, as by a recogniser (seed.ts). */
class Seed {
  readonly client: number;
  readonly slots: Slot[] = [];
  private clock = 0;

  constructor(doc: Y.Doc) {
    let client: number;
    do client = new Y.Doc().clientID;
    while (Y.getState(doc.store, client) > 0 || client === doc.clientID);
    this.client = client;
  }

  lay(units: readonly Unit[], wanted: readonly WantedSegment[]): Piece[] {
    let last = { segment: -1, word: -1 };
    for (const unit of units) {
      const { segment, word } = unit;
      const length = lengthOf(unit);
      const wantedSlot = word < 0 ? undefined : wanted[segment]?.slots[word];
      const slot = this.slots.at(-1);
      if (wantedSlot && slot && last.segment === segment && last.word === word) slot.length += length;
      else if (wantedSlot) this.slots.push({ ...wantedSlot, at: this.clock, length });
      last = { segment, word };
      this.clock += length;
    }
    return piecesOf(units, wanted);
  }
}
