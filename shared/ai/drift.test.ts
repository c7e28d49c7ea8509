import { expect, test } from 'vitest';
import { countWords, hasMovedOn } from './drift.ts';

const words = (count: number, changed = 0): string =>
  Array.from({ length: count }, (_, i) => (i < changed ? `other${i}` : `word${i}`)).join(' ');

test.each([
  ['nothing', words(100), false],
  ['capitals and punctuation', words(100).toUpperCase().replaceAll(' ', ', '), false],
  ['two words of a hundred', words(100, 2), false],
  ['three words of a hundred', words(100, 3), true],
  ['three more words', `${words(100)} one two three`, true],
  ['three words less', words(97), true],
  ['everything', '', true],
])('a text moves on when %s changes: %#', (_, now, moved) => {
  expect(hasMovedOn(countWords([words(100)]), countWords([now]))).toBe(moved);
});

test('in scripts without blanks each character counts', () => {
  const text = '我们今天讨论项目计划和预算安排。'.repeat(10);
  expect(hasMovedOn(countWords([text]), countWords([text.replace('预算', '时间')]))).toBe(false);
  expect(hasMovedOn(countWords([text]), countWords([text.replaceAll('预算', '时间')]))).toBe(true);
});
