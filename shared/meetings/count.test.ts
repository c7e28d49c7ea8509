import { expect, test } from 'vitest';
import { countWords } from './count.ts';

test.each([
  { text: '', count: 0 },
  { text: '  — … ', count: 0 },
  { text: 'Shall we start?', count: 3 },
  { text: 'Well - yes, mother-in-law isn’t 7.5 m away.', count: 7 },
  { text: 'Начнём, пожалуйста.', count: 2 },
  { text: '我们开始吧。', count: 5 },
  { text: '用 Yjs 写的 API', count: 5 },
  { text: 'สวัสดี', count: 4 },
])('“$text” has $count', ({ text, count }) => {
  expect(countWords(text)).toBe(count);
});
