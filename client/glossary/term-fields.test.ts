import { expect, it } from 'vitest';
import { termFrom } from './term-fields.tsx';

it('forms that were typed are told apart by commas', () => {
  expect(termFrom({ term: 'Thorsday', heard: 'Thursday, 四，五、 ' }).heard).toEqual(['Thursday', '四', '五']);
  expect(termFrom({ term: 'Thorsday', heard: 'a, b' }, 'a').heard).toEqual(['a', 'b']);
});

it('words of a transcript that nobody changed are one form', () => {
  expect(termFrom({ term: 'Lee & Sons', heard: ' Lee, Sons ' }, ' Lee, Sons ').heard).toEqual(['Lee, Sons']);
});
