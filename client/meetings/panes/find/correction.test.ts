import { expect, test } from 'vitest';
import { correctionOf, isNameLike } from './correction.ts';

test.each([
  ['We use colic key here.', 'We use Colloquy here.', { heard: 'colic key', term: 'Colloquy' }],
  ['with ann lee.', 'with Ann-Lee.', { heard: 'ann lee', term: 'Ann-Lee' }],
  // Letters that both have at the edges belong to the words.
  ['to Petrov, he', 'to Petroff, he', { heard: 'Petrov', term: 'Petroff' }],
  ['to Jon he', 'to John he', { heard: 'Jon', term: 'John' }],
  ['мы с ивановым', 'мы с Ивановым', { heard: 'ивановым', term: 'Ивановым' }],
  ['the the', 'the', null],
  ['words', 'more words', null],
  ['with Ann here', 'with Anna here', { heard: 'Ann', term: 'Anna' }],
  ['same', 'same', null],
  ['one two three four five six', '1 2 3 4 5 6', null],
])('%s -> %s', (before, after, correction) => {
  expect(correctionOf(before, after)).toEqual(correction);
});

test.each([
  ['Colloquy', 'We use Colloquy.', true],
  ['Colloquy', 'Colloquy is used.', false],
  ['Colloquy', 'Good. Colloquy is used.', false],
  ['OpenAir', 'OpenAir is used.', true],
  ['Ann Lee', 'Ann Lee said it.', true],
  ['key', 'We use key here.', false],
  ['part-time', 'a part-time job', true],
  ['GPT4', 'GPT4 said', true],
])('%s in “%s” looks like a name: %s', (term, after, is) => {
  expect(isNameLike({ heard: 'x', term }, after)).toBe(is);
});
