import type * as Y from 'yjs';
import { Quotes, type Hits } from './quotes.ts';
import { textOf } from './transcript.ts';
import { wordAtTime, type Reading } from './words.ts';

// What is said about a stretch of the text hangs on the stretch's first and last character, by the names Yjs gives them.
// Beside it stand the times and the words themselves: where the characters are gone, or the document was begun anew, the
// words are looked for near that time, and where those are gone too, the time alone tells the place.

/** Who put a character there, and as the how-manieth. */
export type CharId = readonly [client: number, clock: number];

export interface Anchor {
  /** Of the document the characters are in: a document that was begun anew has others. */
  g: number;
  first: CharId;
  last: CharId;
}

/** Times in seconds, as programs get them. */
export interface Anchored {
  anchor: Anchor | null;
  start: number;
  end: number;
  quote: string;
}

/** Flat positions; `by` tells how it was found. */
export interface Place {
  from: number;
  to: number;
  by: 'anchor' | 'quote' | 'time';
}

export const longestQuote = 500;

export const isCharId = (value: unknown): value is CharId =>
  Array.isArray(value) && value.length === 2 && value.every((part) => Number.isSafeInteger(part) && part >= 0);

/** Whatever any program put there. */
export function readAnchor(value: unknown): Anchor | null {
  if (typeof value !== 'object' || value === null) return null;
  const { g, first, last } = value as Record<string, unknown>;
  return typeof g === 'number' && Number.isSafeInteger(g) && isCharId(first) && isCharId(last)
    ? { g, first, last }
    : null;
}

/** The anchor of a stretch; null where it holds no character. */
export function anchorAt(doc: Y.Doc, g: number, from: number, to: number): Anchor | null {
  if (to <= from) return null;
  let at = 0;
  let first: CharId | null = null;
  for (let item = textOf(doc)._start; item !== null; item = item.right) {
    if (item.deleted || !item.countable) continue;
    const end = at + item.length;
    if (first === null && from < end) first = [item.id.client, item.id.clock + from - at];
    if (first !== null && to <= end) return { g, first, last: [item.id.client, item.id.clock + to - 1 - at] };
    at = end;
  }
  return null;
}

interface Wanted {
  clock: number;
  found: { at: number; gone: boolean } | null;
}

/** Where stretches stand now, all of them in one walk; null where nothing of one is left. */
export function stretchesOf(doc: Y.Doc, anchors: readonly Anchor[]): ({ from: number; to: number } | null)[] {
  const byClient = new Map<number, Wanted[]>();
  const want = ([client, clock]: CharId): Wanted => {
    const wanted: Wanted = { clock, found: null };
    const list = byClient.get(client);
    if (list) list.push(wanted);
    else byClient.set(client, [wanted]);
    return wanted;
  };
  const asked = anchors.map(({ first, last }) => ({ first: want(first), last: want(last) }));
  for (const list of byClient.values()) list.sort((one, other) => one.clock - other.clock);
  let at = 0;
  for (let item = textOf(doc)._start; item !== null; item = item.right) {
    const { id, length } = item;
    const list = byClient.get(id.client);
    const counts = !item.deleted && item.countable;
    if (list)
      for (let i = firstFrom(list, id.clock); i < list.length; i += 1) {
        const wanted = list[i];
        if (!wanted || wanted.clock >= id.clock + length) break;
        wanted.found = { at: counts ? at + wanted.clock - id.clock : at, gone: !counts };
      }
    if (counts) at += length;
  }
  return asked.map(({ first, last }) => {
    if (!first.found || !last.found) return null;
    const from = first.found.at;
    // What became of the last character tells where the stretch ends; gone, it ends before whatever stands there now.
    const to = last.found.at + (last.found.gone ? 0 : 1);
    return to > from ? { from, to } : null;
  });
}

function firstFrom(list: readonly Wanted[], clock: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((list[middle]?.clock ?? 0) < clock) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Where items stand in the text as it is. Null only where there is no text at all. Who asks again and again brings the
 * same `quotes`: what was looked for is not looked for again in what stayed as it was.
 */
export function placesOf(
  doc: Y.Doc,
  reading: Reading,
  generation: number | null,
  items: readonly Anchored[],
  quotes: Quotes = new Quotes(),
): (Place | null)[] {
  const own = items.map(({ anchor }) => (anchor && anchor.g === generation ? anchor : null));
  const anchors = own.filter((anchor) => anchor !== null);
  const stretches = stretchesOf(doc, anchors);
  let next = 0;
  const byAnchor = items.map((_, i) => (own[i] ? (stretches[next++] ?? null) : null));
  const sought = items.map(({ quote }, i) => (byAnchor[i] ? '' : quote.trim()));
  const texts = reading.segments.map(({ text }) => text);
  quotes.turnTo(
    texts,
    sought.filter((quote) => quote !== ''),
  );
  const segmentsWith = sought.some((quote) => quote !== '') ? indicesOf(texts) : none;
  return items.map((item, i) => {
    const stretch = byAnchor[i];
    if (stretch) return { ...stretch, by: 'anchor' };
    const quote = sought[i] ?? '';
    const found = quote === '' ? null : nearest(reading, segmentsWith, quotes.where(quote), quote.length, item.start);
    return found ?? byTime(reading, item);
  });
}

const none: ReadonlyMap<string, readonly number[]> = new Map();

/** By what they say: which segments. */
function indicesOf(texts: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const found = new Map<string, number[]>();
  for (const [i, text] of texts.entries()) {
    const known = found.get(text);
    if (known) known.push(i);
    else found.set(text, [i]);
  }
  return found;
}

/** The same words, nearest to the time they were said at; the first of those that are as near. */
function nearest(
  { segments, starts }: Reading,
  segmentsWith: ReadonlyMap<string, readonly number[]>,
  hits: Hits,
  length: number,
  start: number,
): Place | null {
  let best: Place | null = null;
  let least = Infinity;
  for (const [text, offsets] of hits)
    for (const i of segmentsWith.get(text) ?? []) {
      const { from = 0, to = 0 } = segments[i] ?? {};
      for (const at of offsets) {
        const said = (from + ((to - from) * at) / Math.max(1, text.length)) / 1000;
        const away = Math.abs(said - start);
        const begin = (starts[i] ?? 0) + at;
        if (away > least || (away === least && best && best.from < begin)) continue;
        least = away;
        best = { from: begin, to: begin + length, by: 'quote' };
      }
    }
  return best;
}

function byTime(reading: Reading, { start, end }: Anchored): Place | null {
  const found = stretchAtTime(reading, start * 1000, end * 1000);
  return found && { ...found, by: 'time' };
}

/** The words said within some milliseconds: at least the one at their beginning. */
export function stretchAtTime(reading: Reading, from: number, to: number): { from: number; to: number } | null {
  const first = wordAtTime(reading, from) ?? (reading.segments.length > 0 ? { segment: 0, word: 0 } : null);
  if (!first) return null;
  const begin = reading.starts[first.segment] ?? 0;
  const words = reading.segments[first.segment]?.words ?? [];
  const head = words[first.word];
  if (!head) return null;
  let last = head;
  // A stretch that reaches into the next segments ends with the segment it begins in.
  for (const word of words.slice(first.word + 1)) {
    if (word.from >= to) break;
    last = word;
  }
  return { from: begin + head.at, to: begin + last.at + last.text.length };
}

/** The words said from one second to another, in however many segments. */
export function stretchBetween(reading: Reading, start: number, end: number): { from: number; to: number } | null {
  const first = stretchAtTime(reading, start * 1000, end * 1000);
  if (!first) return null;
  let { to } = first;
  for (const [i, { words }] of reading.segments.entries()) {
    const begin = reading.starts[i] ?? 0;
    if (begin <= first.from || words.length === 0) continue;
    if ((words[0]?.from ?? 0) >= end * 1000) break;
    for (const { at, text, from } of words) {
      if (from >= end * 1000) break;
      to = begin + at + text.length;
    }
  }
  return { from: first.from, to };
}

/** What stands in a stretch, and when it was said. */
export function saidIn(reading: Reading, from: number, to: number): { quote: string; start: number; end: number } {
  const texts: string[] = [];
  let start: number | null = null;
  let end = 0;
  for (const [i, segment] of reading.segments.entries()) {
    const begin = reading.starts[i] ?? 0;
    if (begin + segment.text.length <= from) continue;
    if (begin >= to) break;
    texts.push(segment.text.slice(Math.max(0, from - begin), to - begin));
    for (const { at, text, from: begins, to: ends } of segment.words) {
      if (begin + at + text.length <= from || begin + at >= to) continue;
      start ??= begins;
      end = Math.max(end, ends);
    }
  }
  const quote = texts.join(' ').replace(/\s+/g, ' ').trim().slice(0, longestQuote);
  return { quote, start: (start ?? 0) / 1000, end: Math.max(end, start ?? 0) / 1000 };
}
