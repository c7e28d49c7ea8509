import { expect, test } from 'vitest';
import { sizeText } from './sizes.ts';

test.for([
  [641e6, 'en', '640 MB'],
  [37e6, 'en', '37 MB'],
  [1_282e6, 'en', '1.3 GB'],
  [2000, 'en', '0.1 MB'],
  [0, 'en', '0 MB'],
  [641e6, 'ru', '640 МБ'],
] as const)('%i bytes in %s are %s', ([bytes, language, text]) => {
  expect(sizeText(bytes, language).replace(/\s/g, ' ')).toBe(text);
});
