import { endsSentence } from '#shared/meetings/sentence.ts';
import type { Word } from '#shared/meetings/words.ts';

/** The first and the last word of the sentence a word is in, within its segment. */
export function sentenceAround(words: readonly Word[], at: number): [first: number, last: number] {
  let first = at;
  while (first > 0 && !endsSentence(words[first - 1]?.text ?? '')) first -= 1;
  let last = at;
  while (last < words.length - 1 && !endsSentence(words[last]?.text ?? '')) last += 1;
  return [first, last];
}
