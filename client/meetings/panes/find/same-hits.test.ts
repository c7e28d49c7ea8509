import { expect, test } from 'vitest';
import * as Y from 'yjs';
import { search } from '#shared/meetings/search.ts';
import { replaceRanges, textOf, type Piece } from '#shared/meetings/transcript.ts';
import { isSame, known } from './same-hits.ts';

const b = (s: string): Piece => ({ s, p: 'ann' });

function meeting(): Y.Doc {
  const doc = new Y.Doc();
  replaceRanges(doc, [{ at: 0, remove: 0, insert: [b('a'), 'one two one', b('b'), 'one'] }], 'test');
  return doc;
}

const rows: { what: string; change: (doc: Y.Doc) => void; same: boolean }[] = [
  { what: 'nothing', change: () => {}, same: true },
  { what: 'text before', change: (doc) => textOf(doc).insert(1, 'well, '), same: true },
  { what: 'a split before', change: (doc) => textOf(doc).insertEmbed(5, { s: 'c', p: 'ann' }), same: true },
  { what: 'an added hit', change: (doc) => textOf(doc).insert(15, ' one'), same: false },
  { what: 'a removed hit', change: (doc) => textOf(doc).delete(1, 1), same: false },
  { what: 'another case', change: (doc) => replaceRanges(doc, [{ at: 1, remove: 1, insert: ['O'] }], ''), same: false },
  {
    what: 'one removed and one added hit',
    change: (doc) =>
      replaceRanges(
        doc,
        [
          { at: 1, remove: 3, insert: ['two'] },
          { at: 5, remove: 3, insert: ['one'] },
        ],
        '',
      ),
    same: false,
  },
];

test.each(rows)('same hits after $what: $same', ({ change, same }) => {
  const doc = meeting();
  const before = known(doc, search(doc, 'one'));
  expect(before).toHaveLength(3);
  change(doc);
  expect(isSame(before, known(doc, search(doc, 'one')))).toBe(same);
});

test('identifies each hit by its first character', () => {
  const doc = meeting();
  const [first, second, third] = known(doc, search(doc, 'one'));
  const keys = [first, second, third].map((hit) => hit?.key);
  expect(new Set(keys).size).toBe(3);
  textOf(doc).insert(5, 'x');
  expect(known(doc, search(doc, 'one')).map(({ key }) => key)).toEqual(keys);
});
