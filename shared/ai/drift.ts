import { fold } from '../meetings/search.ts';

// How far a transcript has moved on since it was analysed. Words are counted by their hash, so that a word that is deleted
// from the transcript is kept nowhere.

const buckets = 1024;
/** Part of the words that may change before an analysis is older than its text. */
const tolerated = 0.02;

/** How often the words of each bucket occur; in scripts without blanks a character counts as a word. */
export function countWords(texts: readonly string[]): number[] {
  const counts = Array.from({ length: buckets }, () => 0);
  for (const text of texts)
    for (const [word] of fold(text, false).text.matchAll(
      /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}]|(?:(?![\p{sc=Han}\p{sc=Hira}\p{sc=Kana}])[\p{L}\p{N}\p{M}])+/gu,
    )) {
      const bucket = hashOf(word) % buckets;
      counts[bucket] = (counts[bucket] ?? 0) + 1;
    }
  return counts;
}

/** FNV-1a over the UTF-16 units. */
function hashOf(word: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < word.length; i += 1) hash = Math.imul(hash ^ word.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

/** Whether more than two of a hundred words were added, removed or replaced. */
export function hasMovedOn(before: readonly number[], now: readonly number[]): boolean {
  let [all, added, removed] = [0, 0, 0];
  for (let i = 0; i < buckets; i += 1) {
    const [one, other] = [before[i] ?? 0, now[i] ?? 0];
    all += one;
    if (other > one) added += other - one;
    else removed += one - other;
  }
  return Math.max(added, removed) > all * tolerated;
}
