import * as Y from 'yjs';
import { describe, expect, it } from 'vitest';
import {
  addHighlight,
  addTimed,
  nameTimed,
  readHighlights,
  readTimed,
  removeHighlights,
  removeTimed,
} from './entries.ts';

const add = (doc: Y.Doc, list: 'toc' | 'bookmarks', id: string, start: number, title = id) =>
  addTimed(doc, list, { id, start, title }, 'test');

describe('named places', () => {
  it('are in the order of the recording; a chapter begins five seconds early, but never before 0', () => {
    const doc = new Y.Doc();
    add(doc, 'toc', 'end', 60);
    add(doc, 'toc', 'middle', 32.5);
    add(doc, 'toc', 'beginning', 3);
    add(doc, 'bookmarks', 'here', 3);
    expect(readTimed(doc, 'toc').map(({ id, start }) => [id, start])).toEqual([
      ['beginning', 0],
      ['middle', 27.5],
      ['end', 55],
    ]);
    expect(readTimed(doc, 'bookmarks')).toEqual([{ id: 'here', start: 3, title: 'here' }]);
  });

  it('keep concurrent changes of two people', () => {
    const [ann, ben] = [new Y.Doc(), new Y.Doc()];
    add(ann, 'toc', 'one', 10);
    Y.applyUpdate(ben, Y.encodeStateAsUpdate(ann));
    add(ann, 'toc', 'two', 20);
    nameTimed(ben, 'toc', 'one', ' The goal ', 'test');
    add(ben, 'toc', 'three', 30);
    Y.applyUpdate(ann, Y.encodeStateAsUpdate(ben));
    Y.applyUpdate(ben, Y.encodeStateAsUpdate(ann));
    expect(readTimed(ann, 'toc').map(({ title }) => title)).toEqual(['The goal', 'two', 'three']);
    expect(readTimed(ben, 'toc')).toEqual(readTimed(ann, 'toc'));
    removeTimed(ann, 'toc', 'two', 'test');
    expect(nameTimed(ann, 'toc', 'two', 'again', 'test')).toBe(false);
    expect(readTimed(ann, 'toc')).toHaveLength(2);
  });

  it('are read from any stored value', () => {
    const doc = new Y.Doc();
    doc.getMap('toc').set('a', { start: 'soon', title: 7 });
    doc.getMap('toc').set('b', 'nothing');
    expect(readTimed(doc, 'toc')).toEqual([{ id: 'a', start: 0, title: '' }]);
  });
});

describe('highlights', () => {
  const words = { id: 'h', start: 1, end: 2, quote: 'so', anchor: { g: 1, first: [1, 2], last: [1, 3] } as const };

  it('are added, read and removed', () => {
    const doc = new Y.Doc();
    addHighlight(doc, { ...words, color: 'pink' }, 'test');
    expect(readHighlights(doc)).toEqual([{ ...words, color: 'pink' }]);
    removeHighlights(doc, ['h', 'nothing'], 'test');
    expect(readHighlights(doc)).toEqual([]);
  });

  it('are read from any stored value', () => {
    const doc = new Y.Doc();
    doc.getMap('highlights').set('a', { start: 3, color: 'red;background:url(x)', anchor: { g: 1, first: 'x' } });
    expect(readHighlights(doc)).toEqual([{ id: 'a', start: 3, end: 0, quote: '', anchor: null, color: 'yellow' }]);
  });
});
