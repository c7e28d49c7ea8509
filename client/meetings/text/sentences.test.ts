import { expect, it } from 'vitest';
import type { Word } from '#shared/meetings/words.ts';

import { sentenceAround } from './sentences.ts';

const words = (text: string) => text.split(' ').map((one) => ({ text: one }) as Word);

it.each([
  ['the first of two', 'One two. Three four.', 1, [0, 1]],
  ['the second of two', 'One two. Three four.', 2, [2, 3]],
  ['closed by a quotation mark', 'She said “no.” Then she left', 3, [3, 5]],
  ['no mark at all', 'one two three', 1, [0, 2]],
  ['Chinese', '你好。 再见', 1, [1, 1]],
  ['the only word', 'Yes.', 0, [0, 0]],
])('%s', (_name, text, at, expected) => {
  expect(sentenceAround(words(text), at)).toEqual(expected);
});
