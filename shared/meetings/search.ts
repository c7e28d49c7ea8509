import type * as Y from 'yjs';
import { collapse } from './sentence.ts';
import { readSegments, replaceRanges, type Segment } from './transcript.ts';

export interface SearchOptions {
  caseSensitive?: boolean;
  wholeWords?: boolean;
}

/** Where something was found; hits never reach from one segment into the next. */
export interface Hit {
  segment: string | null;
  /** Flat position and length. */
  at: number;
  length: number;
  /** What stands there: a word that changed in between is no longer what somebody agreed to replace. */
  text: string;
}

interface Folded {
  text: string;
  /** Where the original of each folded character begins, and the end; null where nothing moved. */
  origin: number[] | null;
}

/** Text in which case changes no length, as nearly all of it: ASCII, the letters of most of Europe, and Han. */
const plain = /^[\x20-\x7E¡«»¿À-ÖØ-ÞØà-öø-ÿĀ-įĴ-ľŁ-ňŊ-ž\u0400-\u045F\u2018-\u201F–—\u4E00-\u9FFF]*$/;

/** Letters in the form they are compared in, each with its place: composed as in parts, full-width as usual, ß as ss. */
function fold(text: string, caseSensitive: boolean): Folded {
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

/** The capital of ß is a letter of its own, or two; what a capital is taken apart into is put together again. */
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

/** Searches again and again, as with each letter of a query: what was folded for the last one is not folded anew. */
export function searcher(): (doc: Y.Doc, query: string, options?: SearchOptions) => Hit[] {
  let known = new Map<string, Folded>();
  let sensitive = false;
  return (doc, query, options) => {
    const before = sensitive === (options?.caseSensitive ?? false) ? known : new Map<string, Folded>();
    sensitive = options?.caseSensitive ?? false;
    // Of what does not stand there any more nothing is kept.
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
      // Half of what one letter became in folding, such as an s of ß, is no letter.
      const cuts = origin !== null && (origin[from - 1] === at || origin[from + wanted.length - 1] === to);
      const fits = !cuts && (!wholeWords || isWhole(text, at, to));
      if (fits) hits.push({ segment: id, at: start + at, length: to - at, text: text.slice(at, to) });
      from = folded.indexOf(wanted, fits ? from + wanted.length : from + 1);
    }
    return hits;
  });
}

/** The next or previous of so many, round and round; the first or last where none is chosen yet. */
export function cycle(count: number, current: number | null, step: 1 | -1): number | null {
  if (count === 0) return null;
  if (current === null) return step === 1 ? 0 : count - 1;
  return (current + step + count) % count;
}

/**
 * `stale`: what is found now is not what was shown, so nothing was replaced; the new hits are to be shown first.
 * `ignored`: both are equal but for blanks at their ends.
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
  /** The hits that were on the screen when somebody agreed. */
  shown: readonly Hit[];
  /** Which of them; all when left out. */
  only?: number;
}

/** In one transaction, and one step of undo. */
export function replaceHits(
  doc: Y.Doc,
  { query, replacement, options, shown, only }: Replacement,
  origin: unknown,
): Replaced {
  if (query.trim() === replacement.trim()) return { ignored: true };
  const now = search(doc, query, options);
  if (!sameHits(now, shown)) return { stale: now };
  const chosen = only === undefined ? now : now.slice(only, only + 1);
  const insert = collapse(replacement);
  if (chosen.length > 0)
    replaceRanges(
      doc,
      chosen.map(({ at, length }) => ({ at, remove: length, insert: insert === '' ? [] : [insert] })),
      origin,
    );
  return { done: chosen.length };
}
