import { expect, it } from 'vitest';
import { placeOf } from './place-of-hit.ts';

const hit = { item: null, start: 1.5, words: 'a plan', layer: null };

it.each([
  ['words', { ...hit, kind: 'words' }, '/page?t=1500&find=a+plan'],
  ['a comment', { ...hit, kind: 'comment', item: 'c' }, '/page?comment=c'],
  ['a chapter', { ...hit, kind: 'chapter', item: 'x' }, '/page?t=1500'],
  [
    'an outcome of a layer',
    { ...hit, kind: 'outcome', item: 'o', layer: { id: 'l', reviewId: 'r' } },
    '/meeting/m/peer/r?layer=l&outcome=o',
  ],
  [
    'a grade of a sheet',
    { ...hit, kind: 'grade', item: 'presence', start: null, layer: { id: 'l', reviewId: 'r' } },
    '/meeting/m/peer/r?layer=l&grade=presence',
  ],
] as const)('a hit in %s opens there', (_, place, address) => {
  expect(placeOf('m', '/page', place)).toBe(address);
});
