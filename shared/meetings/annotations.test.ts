import * as Y from 'yjs';
import { describe, expect, it } from 'vitest';
import {
  dropAnnotation,
  inOrder,
  readAnnotation,
  readAnnotations,
  writeAnnotation,
  type Outcome,
} from './annotations.ts';

const outcome = (id: string, start = 1): Outcome => ({
  ...{ id, rev: 1, anchor: { g: 1, first: [1, 2], last: [1, 4] }, start, end: start + 1, quote: 'so' },
  ...{ author: { id: 'a', kind: 'user', name: 'Ann' }, private: false, createdAt: '2024-01-01T00:00:00.000Z' },
  ...{ editTimestamp: null, type: 'notes', text: 'To do', children: [{ type: 'x', grade: -1 }], grade: null },
  ...{ automatic: false, wasAutomatic: false, url: null },
});

describe('annotations', () => {
  it('are written, read in the order of the recording, and deleted', () => {
    const doc = new Y.Doc();
    writeAnnotation(doc, 'outcome', outcome('late', 9), 'shared', 'test');
    writeAnnotation(doc, 'outcome', outcome('early', 2), 'shared', 'test');
    expect(readAnnotations(doc, 'outcome', 'shared')).toEqual([outcome('early', 2), outcome('late', 9)]);
    dropAnnotation(doc, 'outcome', 'late', 'shared', 'test');
    expect(readAnnotation(doc, 'outcome', 'late', 'shared')).toBeNull();
    expect([outcome('b'), outcome('a')].toSorted(inOrder).map(({ id }) => id)).toEqual(['a', 'b']);
  });

  it('are separated by kind in a private room, and private because of that room', () => {
    const doc = new Y.Doc();
    writeAnnotation(doc, 'outcome', outcome('one'), 'private', 'test');
    expect(readAnnotations(doc, 'outcome', 'private')).toEqual([{ ...outcome('one'), private: true }]);
    expect(readAnnotations(doc, 'comment', 'private')).toEqual([]);
    expect(readAnnotations(doc, 'outcome', 'shared')).toEqual([]);
  });

  it('are read from any stored value', () => {
    const doc = new Y.Doc();
    const map = doc.getMap('private');
    for (const [key, value] of Object.entries({
      'outcome:a': 'nothing',
      'outcome:b': { id: 'c', text: 'under the name of another' },
      'outcome:d': {
        id: 'd',
        start: 'soon',
        createdAt: 'yesterday',
        editTimestamp: {},
        anchor: [1],
        children: [{ type: 7 }],
      },
      'comment:e': { id: 'e', resolved: { at: '<img>', by: 'me' }, author: null, text: 4 },
    }))
      map.set(key, value);
    expect(readAnnotations(doc, 'outcome', 'private')).toMatchObject([
      {
        id: 'd',
        start: 0,
        createdAt: '1970-01-01T00:00:00.000Z',
        editTimestamp: null,
        anchor: null,
        children: [],
        text: '',
      },
    ]);
    expect(readAnnotations(doc, 'comment', 'private')).toMatchObject([
      { id: 'e', text: '', resolved: { at: '1970-01-01T00:00:00.000Z', by: { id: '', kind: 'user', name: '' } } },
    ]);
  });
});
