import { expect, test } from 'vitest';

import { keyboardUp } from './use-keyboard.ts';

test.each([
  ['the whole page is seen', 844, 844, false],
  ['the browser’s own bar has come back', 768, 844, false],
  ['a keyboard covers the lower part', 508, 844, true],
  ['a low keyboard, lying down', 190, 340, true],
  ['more is seen than ever', 900, 844, false],
])('%s: %i of %i', (_what, seen, tallest, is) => {
  expect(keyboardUp(seen, tallest)).toBe(is);
});
