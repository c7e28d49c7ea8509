import { endsSentence } from '#shared/meetings/sentence.ts';
import type { Word } from '#shared/meetings/words.ts';

/** First and last word of the sentence around a word, within its segment. */
export function sentenceAround(words: readonly Word[], at: number): [first: number, last: number] {
  let first = at;
  while (first > 0 && !endsSentence(words[first - 1]?.text ?? '')) first -= 1;
  let last = at;
  while (last < words.length - 1 && !endsSentence(words[last]?.text ?? '')) last += 1;
  return [first, last];
}
