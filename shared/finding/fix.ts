import { tokensOf } from './tokens.ts';

// Replacing words at places that a search found: each place is known by the words around it, and not by a number, so that
// what changed elsewhere in the paragraph meanwhile does no harm.

/** Places that are changed at once. */
export const mostFixes = 500;
/** Recordings that are changed at once. */
export const mostFixedRecordings = 200;
/** Letters of the words that replace others. */
export const longestReplacement = 200;

/** Words in a paragraph, between those that stand around them. */
interface WordsAt {
  /** Seconds; null without times. */
  start: number | null;
  before: string;
  words: string;
  after: string;
}

/** The same with what the words become. */
export interface Fixing extends WordsAt {
  to: string;
}

/** Text as search has it, character by character. */
const plain = (text: string): string => text.replaceAll(/[\n\r\uFFFC\0]/g, ' ');

/** Letters around a place by which it is found again. */
const around = 60;

/** A place as the list of places shows it, without the signs for text that is left out. */
export const trimmed = <T extends WordsAt>(place: T): T => ({
  ...place,
  before: place.before.replace(/^… /u, ''),
  after: place.after.replace(/ …$/u, ''),
});

/** Positions where words may be in a text. */
function candidatesIn(text: string, { before, words, after }: WordsAt): number[] {
  const tokens = tokensOf(text);
  const starts = new Set(tokens.map(({ at }) => at));
  const ends = new Set(tokens.map(({ at, length }) => at + length));
  const found: number[] = [];
  for (let at = text.indexOf(words); at !== -1 && words !== ''; at = text.indexOf(words, at + 1)) {
    const end = at + words.length;
    if (starts.has(at) && ends.has(end) && text.slice(0, at).endsWith(before) && text.slice(end).startsWith(after))
      found.push(at);
  }
  return found;
}

interface Fixed<T> {
  text: string;
  /** The places as they are now, to be changed back: `to` is what stood there. */
  done: T[];
  /** Places that were not found, because they or the words around them have changed. */
  missed: T[];
}

/**
 * A paragraph with these places replaced. `startOf` gives the seconds at which the word at a position begins: it decides
 * where equal words stand between equal words.
 */
export function fixText<T extends Fixing>(
  text: string,
  places: readonly T[],
  startOf: (at: number) => number | null,
): Fixed<T> {
  const line = plain(text);
  const chosen: { at: number; place: T }[] = [];
  const missed: T[] = [];
  for (const place of places) {
    const free = candidatesIn(line, place).filter((at) =>
      chosen.every((one) => at >= one.at + one.place.words.length || at + place.words.length <= one.at),
    );
    const { start } = place;
    const distance = (at: number) => Math.abs((startOf(at) ?? 0) - (start ?? 0));
    const [nearest] = start === null ? free : free.toSorted((one, other) => distance(one) - distance(other));
    if (nearest === undefined) missed.push(place);
    else chosen.push({ at: nearest, place });
  }
  chosen.sort((one, other) => one.at - other.at);
  let [fixed, end] = ['', 0];
  const spans: { at: number; end: number }[] = [];
  for (const { at, place } of chosen) {
    fixed += text.slice(end, at);
    spans.push({ at: fixed.length, end: fixed.length + place.to.length });
    fixed += place.to;
    end = at + place.words.length;
  }
  fixed += text.slice(end);
  const now = plain(fixed);
  const done = chosen.map(({ at, place }, nth): T => {
    const span = spans[nth] ?? { at: 0, end: 0 };
    return {
      ...place,
      start: startOf(at),
      before: now.slice(Math.max(0, span.at - around), span.at),
      words: place.to,
      after: now.slice(span.end, span.end + around),
      to: text.slice(at, at + place.words.length),
    };
  });
  return { text: fixed, done, missed };
}
