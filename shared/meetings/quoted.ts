import { saidIn, type Anchored, type Place } from './anchors.ts';
import type { Reading } from './words.ts';

/** Words of an annotation's passage. */
export interface Quoted {
  /** The words there are now; those it was made on, where they are gone. */
  quote: string;
  /** The words it was made on, where hardly any of them are left; else null. */
  before: string | null;
}

/** Writing without blanks between words. */
const blankless = String.raw`[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}]`;

/** Its letters, each with its marks, and the words of all other writing. */
const parts = new RegExp(String.raw`(?=[\p{L}\p{N}])(?:${blankless}\p{M}*|(?:(?!${blankless})[\p{L}\p{N}])+)`, 'gu');

/** Words that count as the same: neither case nor punctuation is a change of what was said. */
export const wordsIn = (text: string): string[] => text.toLowerCase().match(parts) ?? [];

/** The words of a text and the place of each. */
export const wordsWithPlaces = (text: string): { word: string; from: number; to: number }[] =>
  [...text.matchAll(parts)].map(({ 0: found, index }) => ({
    word: found.toLowerCase(),
    from: index,
    to: index + found.length,
  }));

/** Whether less than half of the words are left, so that a reader cannot know what was meant. */
function isOther(before: string, now: string): boolean {
  const had = wordsIn(before);
  if (had.length === 0) return false;
  const left = new Map<string, number>();
  for (const word of wordsIn(now)) left.set(word, (left.get(word) ?? 0) + 1);
  const found = had.filter((word) => {
    const count = left.get(word) ?? 0;
    if (count > 0) left.set(word, count - 1);
    return count > 0;
  });
  return found.length * 2 < had.length;
}

/** The quote of an annotation at its place in the text as it is now; the words are read only where there is one. */
export function quoteNow(read: () => Reading, item: Anchored, place: Place | null | undefined): Quoted {
  if (place?.by !== 'anchor') return { quote: item.quote, before: null };
  const { quote } = saidIn(read(), place.from, place.to);
  if (quote === '') return { quote: item.quote, before: null };
  return { quote, before: isOther(item.quote, quote) ? item.quote : null };
}
