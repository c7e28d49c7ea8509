import type * as Y from 'yjs';
import { firstGreater } from '../ascending.ts';
import { anchorAt, longestQuote, stretchesOf, type Anchor } from './anchors.ts';
import { pieces, textOf } from './transcript.ts';
import { matchWords, wordsSaid, type SaidWords } from './word-matches.ts';

// Another document took a transcript's place. Anchors follow their words: by the ids of the characters where the new
// document has them, else by comparing the words of both documents.

export interface CarriedFrom {
  anchor: Anchor;
  /** The words when the anchor was made. */
  quote: string;
}

/** `absent`: the words were gone before. */
export type Carried = { fate: 'kept'; anchor: Anchor } | { fate: 'lost' | 'absent' };

interface Range {
  from: number;
  to: number;
}

interface Matched extends Range {
  /** Its first and its last word match. */
  whole: boolean;
}

/**
 * Places of anchors of `before` in `now`, which is the beginning of `generation`. Both are documents at rest. Yields
 * now and then, so that a server can do other work in between.
 */
export function* carryAnchors(
  before: Y.Doc,
  now: Y.Doc,
  generation: number,
  items: readonly CarriedFrom[],
): Generator<void, Carried[]> {
  const anchors = items.map(({ anchor }) => anchor);
  const old = stretchesOf(before, anchors);
  const byId = stretchesOf(now, anchors);
  const ends = livingEnds(now, anchors);
  yield;
  let words: { old: SaidWords; now: SaidWords; matches: Int32Array } | null = null;
  let text: string | null = null;
  const found: Carried[] = [];
  for (const [i, { anchor, quote }] of items.entries()) {
    const was = old[i] ?? null;
    // An anchor's characters have the same ids in a restored document.
    if (ends[i]) found.push({ fate: 'kept', anchor: { ...anchor, g: generation } });
    else if (!was) found.push({ fate: 'absent' });
    else {
      if (!words) {
        const [one, other] = [yield* wordsSaid(before), yield* wordsSaid(now)];
        words = { old: one, now: other, matches: yield* matchWords(one.keys, other.keys) };
      }
      const matched = matchedRange(words.old, words.now, words.matches, was);
      text ??= flatText(now);
      const place = matched ? (quoteNear(text, quote, matched) ?? matched) : byId[i];
      const next = place && anchorAt(now, generation, place.from, place.to);
      found.push(next ? { fate: 'kept', anchor: next } : { fate: 'lost' });
    }
    if (i % 5 === 4) yield;
  }
  return found;
}

/** For each anchor whether both of its characters are in the text. */
function livingEnds(doc: Y.Doc, anchors: readonly Anchor[]): boolean[] {
  const single = stretchesOf(
    doc,
    anchors.flatMap(({ g, first, last }) => [
      { g, first, last: first },
      { g, first: last, last },
    ]),
  );
  return anchors.map((_, i) => Boolean(single[2 * i]) && Boolean(single[2 * i + 1]));
}

/** Flat text; a boundary counts one character, and separates words as a blank does. */
function flatText(doc: Y.Doc): string {
  let text = '';
  for (const piece of pieces(textOf(doc))) text += typeof piece === 'string' ? piece : ' ';
  return text;
}

/**
 * Range of the matching words. At least half of the words have to match. Where the first or last ones do not, the range
 * takes in what replaced them, if that is all that was replaced there.
 */
function matchedRange(old: SaidWords, now: SaidWords, matches: Int32Array, was: Range): Matched | null {
  const first = firstGreater(old.ends, was.from);
  let last = first;
  while ((old.starts[last] ?? Infinity) < was.to) last += 1;
  last -= 1;
  const count = last - first + 1;
  const kept: number[] = [];
  for (let i = first; i <= last; i += 1) if ((matches[i] ?? -1) >= 0) kept.push(i);
  const [head, tail] = [kept[0], kept.at(-1)];
  if (head === undefined || tail === undefined || kept.length * 2 < count) return null;
  const [inner, outer] = [matches[head] ?? 0, matches[tail] ?? 0];
  let [from, to] = [inner, outer];
  const [before, behind] = [first === 0 ? -1 : (matches[first - 1] ?? -1), matches[last + 1] ?? -1];
  if (head > first && (before >= 0 || first === 0)) from = before + 1;
  if (tail < last && (behind >= 0 || last + 1 === old.keys.length)) to = behind < 0 ? now.keys.length - 1 : behind - 1;
  if (to - from >= 2 * count + 8) [from, to] = [inner, outer];
  if (to - from >= 2 * count + 8) return null;
  // A range may begin or end within a word.
  const into = head === first && from === inner ? Math.max(0, was.from - (old.starts[first] ?? 0)) : 0;
  const short = tail === last && to === outer ? Math.max(0, (old.ends[last] ?? 0) - was.to) : 0;
  const whole = head === first && tail === last;
  return { from: (now.starts[from] ?? 0) + into, to: (now.ends[to] ?? 0) - short, whole };
}

/** Characters around a range in which its quote is looked for. */
const around = longestQuote;

/** The quoted words, where they overlap the range: words that another document lacked come back with them. */
function quoteNear(text: string, given: string, { from, to, whole }: Matched): Range | null {
  const quote = given.trim();
  if (quote === '' || quote.length >= longestQuote) return null;
  let best: Range | null = null;
  const start = Math.max(0, from - around);
  const window = text.slice(start, to + around);
  for (let at = window.indexOf(quote); at >= 0; at = window.indexOf(quote, at + 1)) {
    const found = { from: start + at, to: start + at + quote.length };
    if (found.from >= to || found.to <= from) continue;
    if (whole && (found.from > from || found.to < to)) continue;
    if (!best || Math.abs(found.from - from) < Math.abs(best.from - from)) best = found;
  }
  return best;
}
