import * as Y from 'yjs';
import { Spans } from './spans.ts';
import { boundaryOf, readSegments, segmentsOf, speakerOf, textOf, wellFormed } from './transcript.ts';

// Changes of a text between two states, word by word, with everybody who wrote in each word. Authors are told by
// character ids, never by time: people may type in one word at the same time.

/** `gone` was deleted since, `new` was inserted since. */
export interface ChangedPiece {
  kind: 'same' | 'gone' | 'new';
  text: string;
  /** User ids of everybody who inserted or deleted letters of it; missing for unchanged text. */
  by?: readonly string[];
}

export interface ChangedSegment {
  /** Null for text before the first boundary. */
  id: string | null;
  speaker: string;
  /** Earlier speaker, if it was another. */
  speakerBefore?: string;
  /** The segment begins where none began before. */
  split?: true;
  pieces: ChangedPiece[];
  changed: boolean;
}

/** Author of each character; null for text that nobody typed. */
export type Hands = Spans<string | null>;

/** Earlier state of a live document, with the speaker of each segment. */
interface Before {
  snapshot: Y.Snapshot;
  speakers: ReadonlyMap<string, string>;
}

export function stateOf(doc: Y.Doc): Before {
  const segments = segmentsOf(doc);
  const speakers = readSegments(doc).flatMap(({ id, speaker }): [string, string][] =>
    id === null ? [] : [[id, speakerOf(segments, { s: id, p: speaker })]],
  );
  return { snapshot: Y.snapshot(doc), speakers: new Map(speakers) };
}

/**
 * Text of a document with its changes since an earlier state of the same document; text deleted in between must still
 * be in it (`gc: false`). `gone` names who deleted each character.
 */
export function changesSince(doc: Y.Doc, before: Before, written: Hands, gone: Hands): ChangedSegment[] {
  const { snapshot, speakers } = before;
  const deleted = new Spans<true>();
  for (const [client, ranges] of snapshot.ds.clients)
    for (const { clock, len } of ranges) deleted.add(client, clock, clock + len, true);
  const page = new Page(doc, speakers);
  for (let item = textOf(doc)._start; item !== null; item = item.right) {
    const { client } = item.id;
    const known = snapshot.sv.get(client) ?? 0;
    const end = item.id.clock + item.length;
    for (let clock = item.id.clock; clock < end;) {
      const was = clock < known ? deleted.at(client, clock) : { value: true, until: Infinity };
      const hand = (item.deleted ? gone : written).at(client, clock);
      const until = Math.min(end, was.until, hand.until, clock < known ? known : Infinity);
      const existed = was.value !== true;
      if (existed || !item.deleted)
        page.put(item, clock, until, item.deleted ? 'gone' : existed ? 'same' : 'new', hand.value ?? null);
      clock = until;
    }
  }
  return page.end();
}

/** Applies further rows of the log to a document, and notes who deleted each character. */
export function goOn(
  doc: Y.Doc,
  rows: Iterable<{ userId: string | null; updates: readonly Uint8Array[] }>,
  gone: Hands,
): void {
  doc.transact(({ deleteSet }) => {
    // Deletions in their order, each counted once: deleting a deleted character again changes no author.
    const noted = new Map<number, number>();
    for (const { userId, updates } of rows) {
      for (const update of updates) Y.applyUpdate(doc, update);
      for (const [client, deletions] of deleteSet.clients) {
        for (const { clock, len } of deletions.slice(noted.get(client) ?? 0))
          gone.add(client, clock, clock + len, userId);
        noted.set(client, deletions.length);
      }
    }
  });
}

/** Text with all authors of each word, at any time. */
export function authorsOf(doc: Y.Doc, written: Hands): ChangedSegment[] {
  const page = new Page(doc, null);
  for (let item = textOf(doc)._start; item !== null; item = item.right) {
    if (item.deleted) continue;
    const end = item.id.clock + item.length;
    for (let clock = item.id.clock; clock < end;) {
      const hand = written.at(item.id.client, clock);
      const until = Math.min(end, hand.until);
      page.put(item, clock, until, 'same', hand.value ?? null);
      clock = until;
    }
  }
  return page.end();
}

/**
 * Changes between two documents without a common history, found by comparing their texts: `doc` has replaced `was`.
 * `remover` is who replaced it.
 */
export function changesBetween(was: Y.Doc, doc: Y.Doc, written: Hands, remover: string | null): ChangedSegment[] {
  const old = flatten(was, new Spans());
  const now = flatten(doc, written);
  const page = new Page(doc, stateOf(was).speakers);
  const pairs = keptInOrder(
    old.map(({ id }) => id),
    now.map(({ id }) => id),
  );
  let next = 0;
  const drop = (upTo: number) => {
    for (; next < upTo; next += 1) {
      const segment = old[next];
      if (segment) page.say('gone', `\n${segment.text}`, remover);
    }
  };
  for (const [place, segment] of now.entries()) {
    const before = pairs.get(place);
    drop(before ?? next);
    if (segment.item)
      page.put(segment.item, segment.clock, segment.clock + 1, before === undefined ? 'new' : 'same', null);
    const text = before === undefined ? '' : (old[before]?.text ?? '');
    if (before !== undefined) next = before + 1;
    for (const { kind, from, to } of compareWords(text, segment.text)) {
      if (kind === 'gone') page.say(kind, text.slice(from, to), remover);
      else for (const run of segment.runs(from, to)) page.say(kind, run.text, run.by);
    }
  }
  drop(old.length);
  return page.end();
}

// ---- From letters to words ----------------------------------------------------------------------

type Kind = ChangedPiece['kind'];

interface Run {
  kind: Kind;
  text: string;
  by: string | null;
}

/** Scripts without blanks: each of their characters is a word. */
const alone = String.raw`[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}]`;
const between = new RegExp(String.raw`(\s+|${alone})`, 'u');
const letter = String.raw`(?:(?!${alone})[\p{L}\p{M}\p{N}])`;
/** Punctuation is a word of its own, unless it is within a word. */
const word = new RegExp(String.raw`\s+|${letter}+(?:['’]${letter}+)*|.`, 'gsu');

const wordsOf = (text: string): { text: string; at: number }[] =>
  [...text.matchAll(word)].map((match) => ({ text: match[0], at: match.index }));

/** Groups letters into words by segment. Pieces of kind `same` and `new` together are exactly the text. */
class Page {
  private readonly doc: Y.Doc;
  private readonly segments: ReturnType<typeof segmentsOf>;
  /** Null if nothing is compared. */
  private readonly speakers: ReadonlyMap<string, string> | null;
  private readonly found: ChangedSegment[] = [];
  private chunk: Run[] = [];

  constructor(doc: Y.Doc, speakers: ReadonlyMap<string, string> | null) {
    this.doc = doc;
    this.segments = segmentsOf(this.doc);
    this.speakers = speakers;
  }

  put({ id, content }: Y.Item, from: number, to: number, kind: Kind, by: string | null): void {
    if (content instanceof Y.ContentString) this.say(kind, content.str.slice(from - id.clock, to - id.clock), by);
    else if (content instanceof Y.ContentEmbed || content instanceof Y.ContentAny) {
      for (const value of content.getContent().slice(from - id.clock, to - id.clock)) {
        if (kind === 'gone') this.say(kind, '\n', by);
        else this.begin(boundaryOf(value), kind);
      }
    }
  }

  private begin(boundary: { s: string; p: string }, kind: Kind): void {
    this.close();
    const speaker = speakerOf(this.segments, boundary);
    const before = this.speakers?.get(boundary.s);
    const other = kind === 'same' && before !== undefined && before !== speaker;
    this.found.push({
      id: boundary.s,
      speaker,
      ...(other && { speakerBefore: before }),
      ...(kind === 'new' && { split: true }),
      pieces: [],
      changed: other || kind === 'new',
    });
  }

  say(kind: Kind, text: string, by: string | null): void {
    if (kind !== 'same') {
      this.chunk.push({ kind, text, by });
      return;
    }
    // Unchanged blanks end a changed passage on both sides.
    for (const [i, part] of text.split(between).entries()) {
      if (part === '') continue;
      if (i % 2 === 1) this.close();
      this.chunk.push({ kind, text: part, by });
      if (i % 2 === 1) this.close();
    }
  }

  end(): ChangedSegment[] {
    this.close();
    return this.found;
  }

  private close(): void {
    const runs = this.chunk;
    if (runs.length === 0) return;
    this.chunk = [];
    if (runs.every(({ kind }) => kind === 'same')) {
      this.add('same', runs.map(({ text }) => text).join(''), this.speakers ? [] : namesOf(runs));
      return;
    }
    const [old, now] = [new Side(runs, 'gone'), new Side(runs, 'new')];
    const most = Math.min(old.words.length, now.words.length);
    let head = 0;
    while (head < most && old.words[head]?.text === now.words[head]?.text) head += 1;
    let tail = 0;
    while (tail < most - head && old.words.at(-1 - tail)?.text === now.words.at(-1 - tail)?.text) tail += 1;
    const [oldEnd, nowEnd] = [old.words.length - tail, now.words.length - tail];
    const [takers, writers] = [old.hands(head, oldEnd), now.hands(head, nowEnd)];
    this.add('same', now.text(0, head), []);
    for (let i = head; i < oldEnd; i += 1) this.add('gone', old.text(i, i + 1), old.hands(i, i + 1) ?? writers ?? []);
    for (let i = head; i < nowEnd; i += 1) this.add('new', now.text(i, i + 1), now.hands(i, i + 1) ?? takers ?? []);
    this.add('same', now.text(nowEnd, now.words.length), []);
  }

  private add(kind: Kind, text: string, by: readonly string[]): void {
    if (text === '') return;
    if (this.found.length === 0) this.found.push({ id: null, speaker: '', pieces: [], changed: false });
    const segment = this.found.at(-1);
    if (!segment) return;
    const last = segment.pieces.at(-1);
    // Blanks join the adjacent words, no matter who typed them.
    const [blank, afterBlank] = [isBlank(text), last !== undefined && isBlank(last.text)];
    const named = by.length > 0 && (kind !== 'same' || !blank) ? { by } : {};
    if (last?.kind !== kind || !(blank || afterBlank || sameNames(last.by ?? [], by)))
      segment.pieces.push({ kind, text, ...named });
    else if (blank) last.text += text;
    else segment.pieces.splice(-1, 1, { kind, text: last.text + text, ...named });
    // Whitespace changes count as changes of the segment.
    if (kind !== 'same') segment.changed = true;
  }
}

/** Old or new text of a run of changed letters, in words. */
class Side {
  readonly words: { text: string; at: number }[];
  private readonly runs: { at: number; to: number; changed: boolean; by: string | null }[] = [];

  constructor(runs: readonly Run[], changed: Kind) {
    let text = '';
    for (const run of runs) {
      if (run.kind !== 'same' && run.kind !== changed) continue;
      const at = text.length;
      text += run.text;
      this.runs.push({ at, to: text.length, changed: run.kind === changed, by: run.by });
    }
    this.words = wordsOf(text);
  }

  text(from: number, to: number): string {
    return this.words
      .slice(from, to)
      .map(({ text }) => text)
      .join('');
  }

  /** Everybody who changed a letter of these words; null if nobody did. */
  hands(from: number, to: number): readonly string[] | null {
    const [first, last] = [this.words[from], this.words[to - 1]];
    if (!first || !last || to <= from) return null;
    const end = last.at + last.text.length;
    const touched = this.runs.filter((run) => run.changed && run.at < end && run.to > first.at);
    return touched.length === 0 ? null : namesOf(touched);
  }
}

const namesOf = (runs: readonly { by: string | null }[]): string[] =>
  [...new Set(runs.flatMap(({ by }) => (by === null ? [] : [by])))].toSorted();

const isBlank = (text: string): boolean => text.trim() === '';

const sameNames = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((name, i) => name === other[i]);

// ---- Two texts without a common history ---------------------------------------------------------

interface FlatSegment {
  id: string;
  text: string;
  /** Embed that begins the segment; null before the first one. */
  item: Y.Item | null;
  clock: number;
  runs(from: number, to: number): { text: string; by: string | null }[];
}

function flatten(doc: Y.Doc, written: Hands): FlatSegment[] {
  const found: FlatSegment[] = [];
  let currentHands: { at: number; by: string | null }[] = [];
  const begin = (id: string, item: Y.Item | null, clock: number) => {
    const hands: { at: number; by: string | null }[] = [];
    currentHands = hands;
    const segment: FlatSegment = {
      id,
      text: '',
      item,
      clock,
      runs: (from, to) =>
        hands.flatMap(({ at, by }, i) => {
          const text = segment.text.slice(Math.max(at, from), Math.min(hands[i + 1]?.at ?? Infinity, to));
          return text === '' ? [] : [{ text, by }];
        }),
    };
    found.push(segment);
  };
  for (let item = textOf(doc)._start; item !== null; item = item.right) {
    if (item.deleted) continue;
    const { id, content } = item;
    if (content instanceof Y.ContentString) {
      if (found.length === 0) begin('', null, 0);
      const segment = found.at(-1);
      if (!segment) continue;
      for (let clock = id.clock; clock < id.clock + item.length;) {
        const hand = written.at(id.client, clock);
        currentHands.push({ at: segment.text.length + clock - id.clock, by: hand.value ?? null });
        clock = hand.until;
      }
      segment.text += wellFormed(content.str);
    } else if (content instanceof Y.ContentEmbed || content instanceof Y.ContentAny)
      for (const [i, value] of content.getContent().entries()) begin(boundaryOf(value).s, item, id.clock + i);
  }
  return found;
}

/** Longest common subsequence of ids: places in the second list mapped to places in the first. */
function keptInOrder(old: readonly string[], now: readonly string[]): Map<number, number> {
  const placeOf = new Map(old.map((id, i) => [id, i]));
  // Longest increasing subsequence, by the smallest end of each length.
  const ends: number[] = [];
  const before = new Map<number, number>();
  for (const [place, id] of now.entries()) {
    const was = placeOf.get(id);
    if (was === undefined) continue;
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((placeOf.get(now[ends[middle] ?? 0] ?? '') ?? 0) < was) low = middle + 1;
      else high = middle;
    }
    if (low > 0) before.set(place, ends[low - 1] ?? 0);
    ends[low] = place;
  }
  const pairs = new Map<number, number>();
  for (let place = ends.at(-1); place !== undefined; place = before.get(place))
    pairs.set(place, placeOf.get(now[place] ?? '') ?? 0);
  return pairs;
}

interface Stretch {
  kind: Kind;
  /** Offsets in the old text for `gone`, in the new text otherwise. */
  from: number;
  to: number;
}

/** Limit of the comparison; larger passages count as replaced as a whole. */
const mostPairs = 1_000_000;

/** Smallest difference in words. */
function compareWords(was: string, is: string): Stretch[] {
  const [old, now] = [wordsOf(was), wordsOf(is)];
  const same = (i: number, j: number) => old[i]?.text === now[j]?.text;
  let head = 0;
  while (head < Math.min(old.length, now.length) && same(head, head)) head += 1;
  let tail = 0;
  const most = Math.min(old.length, now.length) - head;
  while (tail < most && same(old.length - 1 - tail, now.length - 1 - tail)) tail += 1;
  const [rows, columns] = [old.length - head - tail, now.length - head - tail];
  const found: Stretch[] = [];
  const put = (kind: Kind, words: readonly { text: string; at: number }[], i: number) => {
    const one = words[i];
    if (one) found.push({ kind, from: one.at, to: one.at + one.text.length });
  };
  for (let i = 0; i < head; i += 1) put('same', now, i);
  // Lengths of the longest common subsequences, by dynamic programming.
  const width = columns + 1;
  const agree = rows * columns <= mostPairs ? new Uint32Array((rows + 1) * width) : null;
  if (agree)
    for (let i = rows - 1; i >= 0; i -= 1)
      for (let j = columns - 1; j >= 0; j -= 1)
        agree[i * width + j] = same(head + i, head + j)
          ? (agree[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(agree[(i + 1) * width + j] ?? 0, agree[i * width + j + 1] ?? 0);
  let [i, j] = [0, 0];
  while (i < rows || j < columns) {
    if (agree && i < rows && j < columns && same(head + i, head + j)) {
      put('same', now, head + j);
      [i, j] = [i + 1, j + 1];
    } else if (
      i < rows &&
      (j >= columns || !agree || (agree[(i + 1) * width + j] ?? 0) >= (agree[i * width + j + 1] ?? 0))
    ) {
      put('gone', old, head + i);
      i += 1;
    } else {
      put('new', now, head + j);
      j += 1;
    }
  }
  for (let k = now.length - tail; k < now.length; k += 1) put('same', now, k);
  return found;
}
