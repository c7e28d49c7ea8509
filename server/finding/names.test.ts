import { expect, it } from 'vitest';
import { termsOf } from '#shared/finding/query.ts';
import { isNamed } from './names.ts';

it.each([
  ['ann', 'Ann Test', true],
  ['tes', 'Ann Test', true],
  ['"tes"', 'Ann Test', false],
  ['nn', 'Ann Test', false],
  ['marie', 'Anne-Marie O’Brien', true],
  ['brien', 'Anne-Marie O’Brien', true],
  ['елкин', 'ЁЛКИН Андрей', true],
  ['андрей', 'Ёлкин АНДРЕЙ', true],
  ['ΠΑΠΠΑΣ', 'Πάππας', true],
  ['gross', 'Jürgen Groß', true],
  ['jurgen', 'Jürgen Groß', true],
  ['小明', '王小明', true],
  ['王', '王小明', true],
  ['大明', '王小明', false],
] as const)('%s is in the name %s: %s', (query, name, is) => {
  const [term] = termsOf(query) ?? [];
  expect(term && isNamed(term, name)).toBe(is);
});
