// Nothing of the index of words is read beside the rows of server/library/readable.ts: no other file asks its tables.
import { expect, test } from 'vitest';
import { files, read } from './files.ts';

const tables = /\b(search_(rooms|words|passages)|meetings_saying(_in_a_row)?|searchRooms|searchWords|searchPassages)\b/;

test('the tables of the index are read in one folder of the server', () => {
  const readers = files().filter(
    (path) => /^(server|sync|shared|client)\/.*\.tsx?$/.test(path) && tables.test(read(path)),
  );
  expect(readers).toEqual([
    'server/finding/facets.ts',
    'server/finding/indexing.ts',
    'server/finding/places.ts',
    'server/finding/search.ts',
  ]);
});

test('lists, places, facets and tags are the only files that search, and they do so in what the person may read', () => {
  const searchers = files().filter(
    (path) =>
      /^server\/(?!finding\/).*\.ts$/.test(path) &&
      !path.endsWith('.test.ts') &&
      /finding\/(search|facets|places)\.ts/.test(read(path)),
  );
  const lists = ['server/library/aggs.ts', 'server/library/finds.ts', 'server/library/list.ts'];
  expect(searchers).toEqual([...lists, 'server/library/selection.ts', 'server/library/tags.ts']);
  expect(read('server/library/selection.ts')).toContain('with held as materialized (${readable(sql, asker)})');
  for (const path of [...lists, 'server/library/saved.ts', 'server/library/tags.ts'])
    expect(read(path)).toContain('${selection.tables(sql)}');
});
