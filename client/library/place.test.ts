import { expect, test } from 'vitest';
import { linkTo, readPlace, sortOf, writePlace } from './place.ts';

const first = {
  folder: '/',
  sid: null,
  shared: false,
  query: '',
  filters: {},
  order: { column: 'updatedAt', descending: true },
  page: 0,
  view: null,
};

test.each([
  { address: '', place: first },
  {
    address: 'page=2&sort=title&query=a%20b&view=tile',
    place: { ...first, query: 'a b', order: { column: 'title', descending: false }, page: 2, view: 'tile' },
  },
  { address: 'sort=-words', place: { ...first, order: { column: 'words', descending: true } } },
  {
    address: 'sort=relevance&query=a',
    place: { ...first, query: 'a', order: { column: 'relevance', descending: false } },
  },
  { address: 'sort=relevance&query=%20', place: { ...first, query: ' ' } },
  { address: 'sort=-date', place: { ...first, order: { column: 'date', descending: true } } },
  { address: 'sort=password&page=-1&view=wall', place: first },
  { address: 'page=1.5', place: first },
  { address: 'sfid=abc', place: { ...first, sid: 'abc' } },
  { address: 'page=1e99', place: first },
  { address: 'filters={"tag":["a","b"]}', place: { ...first, filters: { tag: ['a', 'b'] } } },
  { address: 'filters={"colour":["red"]}', place: { ...first, filters: null } },
  { address: 'filters={"tag":"a"}', place: { ...first, filters: null } },
  { address: 'filters=[', place: { ...first, filters: null } },
])('the address ?$address', ({ address, place }) => {
  expect(readPlace(new URLSearchParams(address))).toEqual(place);
});

test.each([
  ['/folder', '/'],
  ['/folder/', '/'],
  ['/folder/Interviews/2026/', '/Interviews/2026'],
  ['/folder/%D0%81%D0%BB%D0%BA%D0%B0/50%25%20%3F%23', '/Ёлка/50% ?#'],
  ['/folder/a%252Fb', '/a%2Fb'],
  ['/folder/%E0%A4%A', '/%E0%A4%A'],
])('the address %s is the folder %s', (address, folder) => {
  expect(readPlace(new URLSearchParams(), address).folder).toBe(folder);
});

test.each(['/', '/a', '/Ёлка/50% ?#', '/a%2Fb/c d', '/.hidden/…'])(
  'the folder %s is found by its own address',
  (folder) => {
    const place = readPlace(new URLSearchParams('sort=title&page=3&query=a'), '/folder/elsewhere');
    for (const sid of [null, 'abc']) {
      const { pathname, searchParams } = new URL(linkTo(place, { path: folder, sid }), 'http://own.invalid');
      expect(readPlace(searchParams, pathname)).toEqual({ ...place, folder, sid, query: '', page: 0 });
    }
  },
);

test('default values are left out of the address, and parameters of others stay', () => {
  const place = readPlace(new URLSearchParams('page=3&sort=-title&query=a&tour=1'));
  expect(sortOf(place.order)).toBe('-title');
  const written = writePlace(new URLSearchParams('tour=1&page=7'), place);
  expect(Object.fromEntries(written)).toEqual({ tour: '1', query: 'a', sort: '-title', page: '3' });
  expect(writePlace(written, readPlace(new URLSearchParams())).toString()).toBe('tour=1');
});
