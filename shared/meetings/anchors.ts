import type * as Y from 'yjs';
import { identitiesOf } from './identities.ts';
import { Quotes, type Hits } from './quotes.ts';
import { textOf } from './transcript.ts';
import { wordAtTime, type Reading } from './words.ts';

// Anchors attach an annotation to the first and the last character of a passage, by their Yjs ids. Times and quoted
// words are stored beside them: when the characters are gone, or the document was replaced, the quote is searched near
// that time, and when the quote is gone too, the time alone gives the place. A character that an undo brought back is the
// one it was (identities.ts).

/** Yjs id of a character: the client that inserted it and the clock of the insertion. */
export type CharId = readonly [client: number, clock: number];

export interface Anchor {
  /** Generation of the document; a replaced document has other character ids. */
  g: number;
  first: CharId;
  last: CharId;
}

/** Times in seconds, as the API has them. */
export interface Anchored {
  anchor: Anchor | null;
  start: number;
  end: number;
  quote: string;
}

/** Flat positions of an annotation; `by` names how they were found. */
export interface Place {
  from: number;
  to: number;
  by: 'anchor' | 'quote' | 'time';
}

export const longestQuote = 500;

export const isCharId = (value: unknown): value is CharId =>
  Array.isArray(value) && value.length === 2 && value.every((part) => Number.isSafeInteger(part) && part >= 0);

/** Anchor from untrusted data; null if it is malformed. */
export function readAnchor(value: unknown): Anchor | null {
  if (typeof value !== 'object' || value === null) return null;
  const { g, first, last } = value as Record<string, unknown>;
  return typeof g === 'number' && Number.isSafeInteger(g) && isCharId(first) && isCharId(last)
    ? { g, first, last }
    : null;
}

export const isSameAnchor = (one: Anchor, other: Anchor): boolean =>
  one.g === other.g && String([...one.first, ...one.last]) === String([...other.first, ...other.last]);

/** The anchor in a copy, whose characters have the same ids; one of an earlier generation counts no more, as in the original. */
export const anchorInCopy = (anchor: Anchor, generation: number): Anchor => ({
  ...anchor,
  g: anchor.g === generation ? 1 : 0,
});

/** Anchor of a range; null for an empty range. */
export function anchorAt(doc: Y.Doc, g: number, from: number, to: number): Anchor | null {
  if (to <= from) return null;
  const identities = identitiesOf(doc);
  let at = 0;
  let first: CharId | null = null;
  for (let item = textOf(doc)._start; item !== null; item = item.right) {
    if (item.deleted || !item.countable) continue;
    const { client, clock } = item.id;
    const end = at + item.length;
    if (first === null && from < end) first = identities.of(client, clock + from - at);
    if (first !== null && to <= end) return { g, first, last: identities.of(client, clock + to - 1 - at) };
    at = end;
  }
  return null;
}

interface Wanted {
  clock: number;
  found: { at: number; gone: boolean } | null;
}

/** Current ranges of all anchors, in one walk over the text; null for a range with no character left. */
export function stretchesOf(doc: Y.Doc, anchors: readonly Anchor[]): ({ from: number; to: number } | null)[] {
  const identities = identitiesOf(doc);
  const byClient = new Map<number, Wanted[]>();
  const want = (id: CharId): Wanted => {
    const [client, clock] = identities.of(...id);
    const wanted: Wanted = { clock, found: null };
    const list = byClient.get(client);
    if (list) list.push(wanted);
    else byClient.set(client, [wanted]);
    return wanted;
  };
  const ends = anchors.map(({ first, last }) => ({ first: want(first), last: want(last) }));
  for (const list of byClient.values()) list.sort((one, other) => one.clock - other.clock);
  const find = (client: number, clock: number, length: number, at: number, gone: boolean) => {
    const list = byClient.get(client);
    if (!list) return;
    for (let i = firstFrom(list, clock); i < list.length; i += 1) {
      const wanted = list[i];
      if (!wanted || wanted.clock >= clock + length) break;
      // After an undo it is there twice: deleted, and brought back.
      if (wanted.found?.gone !== false) wanted.found = { at: gone ? at : at + wanted.clock - clock, gone };
    }
  };
  let at = 0;
  for (let item = textOf(doc)._start; item !== null; item = item.right) {
    const { client, clock } = item.id;
    const gone = item.deleted || !item.countable;
    if (identities.has(client)) {
      let offset = 0;
      for (const run of identities.runs(client, clock, item.length)) {
        find(run.client, run.clock, run.length, gone ? at : at + offset, gone);
        offset += run.length;
      }
    } else find(client, clock, item.length, at, gone);
    if (!gone) at += item.length;
  }
  return ends.map(({ first, last }) => {
    if (!first.found || !last.found) return null;
    const from = first.found.at;
    // A deleted last character ends the range before the character that now follows it.
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
 * Current places of annotations in the text; null only if the text is empty. Repeated calls pass the same `quotes`, so
 * that unchanged text is not searched again.
 */
export function placesOf(
  doc: Y.Doc,
  reading: Reading,
  generation: number | null,
  items: readonly Anchored[],
  quotes: Quotes = new Quotes(),
): (Place | null)[] {
  const current = items.map(({ anchor }) => (anchor && anchor.g === generation ? anchor : null));
  const anchors = current.filter((anchor) => anchor !== null);
  const stretches = stretchesOf(doc, anchors);
  let next = 0;
  const byAnchor = items.map((_, i) => (current[i] ? (stretches[next++] ?? null) : null));
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

/** Indices of the segments that have a text. */
function indicesOf(texts: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const found = new Map<string, number[]>();
  for (const [i, text] of texts.entries()) {
    const known = found.get(text);
    if (known) known.push(i);
    else found.set(text, [i]);
  }
  return found;
}

/** The same words nearest to the given time; the first one of equally near places. */
function nearest(
  { segments, starts }: Reading,
  segmentsWith: ReadonlyMap<string, readonly number[]>,
  hits: Hits,
  length: number,
  start: number,
): Place | null {
  let best: Place | null = null;
  let smallest = Infinity;
  for (const [text, offsets] of hits)
    for (const i of segmentsWith.get(text) ?? []) {
      const { from = 0, to = 0 } = segments[i] ?? {};
      for (const at of offsets) {
        const spokenAt = (from + ((to - from) * at) / Math.max(1, text.length)) / 1000;
        const distance = Math.abs(spokenAt - start);
        const begin = (starts[i] ?? 0) + at;
        if (distance > smallest || (distance === smallest && best && best.from < begin)) continue;
        smallest = distance;
        best = { from: begin, to: begin + length, by: 'quote' };
      }
    }
  return best;
}

function byTime(reading: Reading, { start, end }: Anchored): Place | null {
  const found = stretchAtTime(reading, start * 1000, end * 1000);
  return found && { ...found, by: 'time' };
}

/** Words spoken within some milliseconds; at least the word at the beginning. */
export function stretchAtTime(reading: Reading, from: number, to: number): { from: number; to: number } | null {
  const first = wordAtTime(reading, from) ?? (reading.segments.length > 0 ? { segment: 0, word: 0 } : null);
  if (!first) return null;
  const begin = reading.starts[first.segment] ?? 0;
  const words = reading.segments[first.segment]?.words ?? [];
  const head = words[first.word];
  if (!head) return null;
  let last = head;
  // Ranges never reach beyond the segment they begin in.
  for (const word of words.slice(first.word + 1)) {
    if (word.from >= to) break;
    last = word;
  }
  return { from: begin + head.at, to: begin + last.at + last.text.length };
}

/** Words spoken between two seconds, over any number of segments. */
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

/** Text of a range, and when it was spoken. */
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
