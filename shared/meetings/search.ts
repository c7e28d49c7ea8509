import type * as Y from 'yjs';
import { collapse } from './sentence.ts';
import { readSegments, replaceRanges, type Segment } from './transcript.ts';

export interface SearchOptions {
  caseSensitive?: boolean;
  wholeWords?: boolean;
}

/** Place where a query was found; hits never reach into the next segment. */
export interface Hit {
  segment: string | null;
  /** Flat position and length. */
  at: number;
  length: number;
  /** Text of the hit: a word that has changed since must not be replaced. */
  text: string;
}

export interface Folded {
  text: string;
  /** Original index of each folded character, and the end; null if no index moved. */
  origin: number[] | null;
}

/** Text whose length does not depend on case, as nearly all text: ASCII, the letters of most of Europe, and Han. */
const plain = /^[\x20-\x7E¡«»¿À-ÖØ-ÞØà-öø-ÿĀ-įĴ-ľŁ-ňŊ-ž\u0400-\u045F\u2018-\u201F–—\u4E00-\u9FFF]*$/;

/**
 * Folds letters for comparison, each with its original index: composed and decomposed letters alike, full-width as
 * usual, ß as ss.
 */
export function fold(text: string, caseSensitive: boolean): Folded {
  if (plain.test(text)) return { text: caseSensitive ? text : text.toLowerCase(), origin: null };
  const origin: number[] = [];
  let folded = '';
  for (const { 0: cluster, index } of text.matchAll(/\P{M}\p{M}*|\p{M}+/gu)) {
    const usual = cluster.normalize('NFKC');
    const one = caseSensitive ? usual : uncased(usual);
    folded += one;
    for (let i = 0; i < one.length; i += 1) origin.push(index);
  }
  origin.push(text.length);
  return { text: folded, origin };
}

/** Upper and lower case again, because ß has two capitals (ẞ and SS); NFC composes what that took apart. */
const uncased = (letter: string): string =>
  letter.toLowerCase().toUpperCase().toLowerCase().normalize('NFC').replaceAll('ς', 'σ');

const wordCharacter = /[\p{L}\p{M}\p{N}_]/u;

function isWhole(text: string, at: number, end: number): boolean {
  const [before] = [...text.slice(0, at).slice(-2)].slice(-1);
  const [after] = [...text.slice(end, end + 2)];
  const edge = (inside: string | undefined, outside: string | undefined) =>
    !(wordCharacter.test(inside ?? '') && wordCharacter.test(outside ?? ''));
  return edge([...text.slice(at, at + 2)][0], before) && edge([...text.slice(0, end).slice(-2)].at(-1), after);
}

export const searchSegments = (segments: readonly Segment[], query: string, options?: SearchOptions): Hit[] =>
  find(segments, query, options, fold);

export const search = (doc: Y.Doc, query: string, options?: SearchOptions): Hit[] =>
  searchSegments(readSegments(doc), query, options);

/** Searcher for repeated queries, as with each letter typed: folded texts are cached. */
export function searcher(): (doc: Y.Doc, query: string, options?: SearchOptions) => Hit[] {
  let known = new Map<string, Folded>();
  let sensitive = false;
  return (doc, query, options) => {
    const before = sensitive === (options?.caseSensitive ?? false) ? known : new Map<string, Folded>();
    sensitive = options?.caseSensitive ?? false;
    // Texts that no longer exist leave the cache.
    known = new Map();
    return find(readSegments(doc), query, options, (text) => {
      const folded = before.get(text) ?? fold(text, sensitive);
      if (folded.origin) known.set(text, folded);
      return folded;
    });
  };
}

function find(
  segments: readonly Segment[],
  query: string,
  { caseSensitive = false, wholeWords = false }: SearchOptions = {},
  folding: (text: string, caseSensitive: boolean) => Folded,
): Hit[] {
  const wanted = fold(collapse(query).trim(), caseSensitive).text;
  if (wanted === '') return [];
  return segments.flatMap(({ id, text, start }) => {
    const { text: folded, origin } = folding(text, caseSensitive);
    const hits: Hit[] = [];
    for (let from = folded.indexOf(wanted); from >= 0;) {
      const at = origin ? (origin[from] ?? 0) : from;
      const to = origin ? (origin[from + wanted.length] ?? text.length) : from + wanted.length;
      // Hits inside one letter's folding, such as an s of ß, do not count.
      const cuts = origin !== null && (origin[from - 1] === at || origin[from + wanted.length - 1] === to);
      const fits = !cuts && (!wholeWords || isWhole(text, at, to));
      if (fits) hits.push({ segment: id, at: start + at, length: to - at, text: text.slice(at, to) });
      from = folded.indexOf(wanted, fits ? from + wanted.length : from + 1);
    }
    return hits;
  });
}

/** Next or previous index, wrapping around; the first or last one if none is chosen yet. */
export function cycle(count: number, current: number | null, step: 1 | -1): number | null {
  if (count === 0) return null;
  if (current === null) return step === 1 ? 0 : count - 1;
  return (current + step + count) % count;
}

/**
 * `stale`: the hits have changed since they were shown, so nothing was replaced; the new hits are to be shown first.
 * `ignored`: both texts are equal but for blanks at their ends.
 */
type Replaced = { done: number } | { stale: Hit[] } | { ignored: true };

const sameHits = (a: readonly Hit[], b: readonly Hit[]) =>
  a.length === b.length &&
  a.every((hit, i) => {
    const other = b[i];
    return other?.segment === hit.segment && other.at === hit.at && other.text === hit.text;
  });

interface Replacement {
  query: string;
  replacement: string;
  options?: SearchOptions;
  /** Hits on the screen when the person confirmed. */
  shown: readonly Hit[];
  /** Index of the only hit to replace; default: all. */
  only?: number;
}

/** Most hits replaced at once: undoing more would be a larger update than the server takes. The rest stay hits. */
const mostAtOnce = 10_000;

/** Replaces in one transaction, so in one step of undo. */
export function replaceHits(
  doc: Y.Doc,
  { query, replacement, options, shown, only }: Replacement,
  origin: unknown,
): Replaced {
  if (query.trim() === replacement.trim()) return { ignored: true };
  const now = search(doc, query, options);
  if (!sameHits(now, shown)) return { stale: now };
  const chosen = only === undefined ? now.slice(0, mostAtOnce) : now.slice(only, only + 1);
  const insert = collapse(replacement);
  if (chosen.length > 0)
    replaceRanges(
      doc,
      chosen.map(({ at, length }) => ({ at, remove: length, insert: insert === '' ? [] : [insert] })),
      origin,
    );
  return { done: chosen.length };
}
