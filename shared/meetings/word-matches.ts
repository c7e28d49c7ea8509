import type * as Y from 'yjs';
import { standingIn } from './standing.ts';
import { hunksBetween, startsOf, tokensIn } from './word-edits.ts';

// Words of one transcript that are those of another one. Long runs of equal words are found first, by rows of three
// words that each transcript has once; what lies between them is compared word by word.

/** Words of a transcript in order, without blanks and signs. */
export interface SaidWords {
  /** As compared: case and kind of apostrophe do not count. */
  keys: readonly string[];
  /** Flat position of each word's first character. */
  starts: readonly number[];
  /** Flat position after each word's last character. */
  ends: readonly number[];
}

const isWord = /[\p{L}\p{N}]/u;

/** Segments, and words, that are read between two pauses of a generator. */
const segmentsAtOnce = 500;
const wordsAtOnce = 20_000;

export function* wordsSaid(doc: Y.Doc): Generator<void, SaidWords> {
  const keys: string[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  for (const [nth, { text, start }] of standingIn(doc).entries()) {
    if (nth % segmentsAtOnce === segmentsAtOnce - 1) yield;
    const tokens = tokensIn(text);
    const places = startsOf(tokens);
    for (const [i, token] of tokens.entries()) {
      if (!isWord.test(token)) continue;
      const at = start + (places[i] ?? 0);
      keys.push(token.toLowerCase().replaceAll('’', "'"));
      starts.push(at);
      ends.push(at + token.length);
    }
  }
  return { keys, starts, ends };
}

/** Words in a row that make a run certain. */
const row = 3;
/** Words compared between two pauses of the generator. */
const stretch = 2000;

/**
 * For each word of `before` the index of the same word in `now`, or -1. The order of words is kept. Yields now and then,
 * so that a server can do other work in between.
 */
export function* matchWords(before: readonly string[], now: readonly string[]): Generator<void, Int32Array> {
  const matches = new Int32Array(before.length).fill(-1);
  const ids = new Map<string, number>();
  const old = yield* numbered(before, ids);
  const fresh = yield* numbered(now, ids);
  const here = yield* rowsOnce(old);
  const there = yield* rowsOnce(fresh);
  // A map keeps the order of insertion, so the first indices rise.
  const common: [number, number][] = [];
  let looked = 0;
  for (const [key, i] of here) {
    if ((looked += 1) % wordsAtOnce === 0) yield;
    const j = there.get(key);
    if (i >= 0 && j !== undefined && j >= 0) common.push([i, j]);
  }
  const runs = yield* rising(common);
  let [i, j] = [0, 0];
  let compared = 0;
  for (const [x, y] of [...runs, [old.length, fresh.length] as const]) {
    if (x < i || y < j) continue;
    // Equal words before the row belong to the run, too; `hunksBetween` finds them.
    let [from, to] = [i, j];
    for (const hunk of hunksBetween(x - i, y - j, (a, b) => old[i + a] === fresh[j + b])) {
      while (from < i + hunk.from) matches[from++] = to++;
      [from, to] = [i + hunk.to, j + hunk.nowTo];
    }
    while (from < x) matches[from++] = to++;
    compared += x - i + y - j;
    if (compared > stretch) {
      compared = 0;
      yield;
    }
    [i, j] = [x, y];
  }
  return matches;
}

/** The same number for the same word. */
function* numbered(words: readonly string[], ids: Map<string, number>): Generator<void, number[]> {
  const numbers: number[] = [];
  for (const word of words) {
    const id = ids.get(word) ?? ids.size;
    ids.set(word, id);
    if (numbers.push(id) % wordsAtOnce === 0) yield;
  }
  return numbers;
}

/** Rows of words by a number, with the index of their first word; -1 for rows that come more than once. */
function* rowsOnce(words: readonly number[]): Generator<void, Map<number, number>> {
  const found = new Map<number, number>();
  const base = 2 ** 17;
  for (let i = 0; i + row <= words.length; i += 1) {
    if (i % wordsAtOnce === wordsAtOnce - 1) yield;
    let key = 0;
    for (let k = 0; k < row; k += 1) key = key * base + ((words[i + k] ?? 0) % base);
    found.set(key, found.has(key) ? -1 : i);
  }
  return found;
}

/** The longest series of pairs in which both indices rise; the first ones rise already. */
function* rising(pairs: readonly (readonly [number, number])[]): Generator<void, (readonly [number, number])[]> {
  const tails: number[] = [];
  const previous: number[] = [];
  for (const [n, [, j]] of pairs.entries()) {
    if (n % wordsAtOnce === wordsAtOnce - 1) yield;
    let [low, high] = [0, tails.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[tails[middle] ?? 0]?.[1] ?? 0) < j) low = middle + 1;
      else high = middle;
    }
    previous[n] = tails[low - 1] ?? -1;
    tails[low] = n;
  }
  const series: (readonly [number, number])[] = [];
  for (let n = tails.at(-1) ?? -1; n >= 0; n = previous[n] ?? -1) series.push(pairs[n] ?? [0, 0]);
  return series.toReversed();
}
