// Nothing of the index of words is read beside the rows of server/library/readable.ts: no other file asks its tables.
import { expect, test } from 'vitest';
import { files, read } from './files.ts';

const tables = /\b(search_(rooms|words|passages)|meetings_saying(_in_a_row)?|searchRooms|searchWords|searchPassages)\b/;

test('the tables of the index are read in two files of the server', () => {
  const readers = files().filter(
    (path) => /^(server|sync|shared|client)\/.*\.tsx?$/.test(path) && tables.test(read(path)),
  );
  expect(readers).toEqual(['server/finding/indexing.ts', 'server/finding/search.ts']);
});

test('the list is the only file that searches, and it does so in what the person may read', () => {
  const searchers = files().filter(
    (path) => /^server\/.*\.ts$/.test(path) && !path.endsWith('.test.ts') && read(path).includes('finding/search.ts'),
  );
  expect(searchers).toEqual(['server/library/list.ts']);
  expect(read('server/library/list.ts')).toContain('with held as materialized (${readable(sql, asker)})');
});
