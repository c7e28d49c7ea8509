import { expect, test } from 'vitest';
import { readPlace, sortOf, writePlace } from './place.ts';

const first = { query: '', order: { column: 'updatedAt', descending: true }, page: 0 };

test.each([
  { address: '', place: first },
  {
    address: 'page=2&sort=title&query=a%20b',
    place: { query: 'a b', order: { column: 'title', descending: false }, page: 2 },
  },
  { address: 'sort=-words', place: { ...first, order: { column: 'words', descending: true } } },
  { address: 'sort=password&page=-1', place: first },
  { address: 'page=1.5', place: first },
  { address: 'page=1e99', place: first },
])('the address ?$address', ({ address, place }) => {
  expect(readPlace(new URLSearchParams(address))).toEqual(place);
});

test('what is as it is anyway is not written, and what is not ours stays', () => {
  const place = readPlace(new URLSearchParams('page=3&sort=-title&query=a&tour=1'));
  expect(sortOf(place.order)).toBe('-title');
  const written = writePlace(new URLSearchParams('tour=1&page=7'), place);
  expect(Object.fromEntries(written)).toEqual({ tour: '1', query: 'a', sort: '-title', page: '3' });
  expect(writePlace(written, readPlace(new URLSearchParams())).toString()).toBe('tour=1');
});
