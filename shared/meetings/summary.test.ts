import fc from 'fast-check';
import * as Y from 'yjs';
import { describe, expect, it } from 'vitest';
import { readEntries, writeEntries } from './entries.ts';
import {
  addSummary,
  changeBetween,
  lastOrder,
  mergeTexts,
  longestSummary,
  moveSummary,
  openText,
  putBackSummary,
  readSummary,
  removeSummary,
  summaryText,
  withOrder,
  writeSummary,
  writeText,
} from './summary.ts';
import type { Visibility } from './visibility.ts';

/** Whether no surrogate pair is split. */
const whole = (text: string): boolean => !/\p{Surrogate}/u.test(text);

const layers: readonly Visibility[] = ['shared', 'private'];
const idsIn = (doc: Y.Doc, visibility: Visibility = 'shared') => readSummary(doc, visibility).map(({ id }) => id);

function withPoints(visibility: Visibility, ...ids: string[]): Y.Doc {
  const doc = new Y.Doc();
  for (const id of ids)
    addSummary(doc, visibility, { id, order: lastOrder(doc, visibility), text: `about ${id}` }, 'test');
  return doc;
}

describe.each(layers)('a summary, %s', (visibility) => {
  it('is a list of points that are added last, moved and removed', () => {
    const doc = withPoints(visibility, 'a', 'b', 'c');
    expect(readSummary(doc, visibility)).toEqual([
      { id: 'a', order: 1024, text: 'about a' },
      { id: 'b', order: 2048, text: 'about b' },
      { id: 'c', order: 3072, text: 'about c' },
    ]);
    expect(moveSummary(doc, visibility, 'c', 0, 'test')).toBe(true);
    expect(idsIn(doc, visibility)).toEqual(['c', 'a', 'b']);
    expect(moveSummary(doc, visibility, 'c', 0, 'test')).toBe(false);
    expect(moveSummary(doc, visibility, 'c', 3, 'test')).toBe(false);
    expect(moveSummary(doc, visibility, 'nothing', 1, 'test')).toBe(false);
    removeSummary(doc, visibility, 'a', 'test');
    expect(idsIn(doc, visibility)).toEqual(['c', 'b']);
  });

  it('moves a point to the exact place, any number of times', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(5), fc.nat(5)), { maxLength: 60 }), (moves) => {
        const doc = withPoints(visibility, 'a', 'b', 'c', 'd', 'e', 'f');
        for (const [which, to] of moves) {
          const before = idsIn(doc, visibility);
          const id = before[which] ?? '';
          moveSummary(doc, visibility, id, to, 'test');
          expect(idsIn(doc, visibility)).toEqual(before.toSpliced(which, 1).toSpliced(to, 0, id));
        }
        for (const { order } of readSummary(doc, visibility)) expect(Number.isSafeInteger(order)).toBe(true);
      }),
    );
  });

  it('is replaced without touching unchanged points', () => {
    const doc = withPoints(visibility, 'a', 'b');
    const text = summaryText(doc, visibility, 'a');
    const wanted = withOrder([
      { id: 'c', text: 'new' },
      { id: 'a', text: 'about all' },
    ]);
    writeSummary(doc, visibility, wanted, 'test');
    expect(readSummary(doc, visibility)).toEqual(wanted);
    expect(summaryText(doc, visibility, 'a')).toBe(text);
  });
});

describe('the texts of a summary', () => {
  it('keeps concurrent typing of two people in one point', () => {
    const one = withPoints('shared', 'a');
    const other = new Y.Doc();
    Y.applyUpdate(other, Y.encodeStateAsUpdate(one));
    const typed = (doc: Y.Doc, text: string) => writeText(summaryText(doc, 'shared', 'a') ?? new Y.Text(), text);
    typed(one, 'all about a');
    typed(other, 'about a, and more');
    for (const [from, to] of [
      [one, other],
      [other, one],
    ] as const)
      Y.applyUpdate(to, Y.encodeStateAsUpdate(from));
    for (const doc of [one, other]) expect(readSummary(doc, 'shared')[0]?.text).toBe('all about a, and more');
  });

  it.each(layers)('restores a removed point, and does not overwrite an existing one (%s)', (visibility) => {
    const doc = new Y.Doc();
    const point = { id: 'a', order: 1024, text: 'They want a plan' };
    addSummary(doc, visibility, point, 'me');
    const undo = new Y.UndoManager(doc.getMap(visibility === 'private' ? 'private' : 'summary'), {
      trackedOrigins: new Set(['delete']),
    });
    removeSummary(doc, visibility, 'a', 'delete');
    undo.undo();
    summaryText(doc, visibility, 'a')?.insert(16, ' soon');
    putBackSummary(doc, visibility, point, 'me');
    expect(readSummary(doc, visibility)).toEqual([{ ...point, text: 'They want a plan soon' }]);

    removeSummary(doc, visibility, 'a', 'delete');
    putBackSummary(doc, visibility, point, 'me');
    expect(readSummary(doc, visibility)).toEqual([point]);
  });

  it('finds the one range that differs, and cuts no surrogate pair', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', '😀', '😁', '𝄞'), maxLength: 8 });
    fc.assert(
      fc.property(letters, letters, (was, now) => {
        const { at, remove, insert } = changeBetween(was, now);
        expect(was.slice(0, at) + insert + was.slice(at + remove)).toBe(now);
        expect(whole(insert)).toBe(true);
        expect(whole(was.slice(0, at))).toBe(true);
        expect(whole(was.slice(at + remove))).toBe(true);
      }),
    );
  });

  it('reads any stored value', () => {
    const doc = new Y.Doc();
    const map = doc.getMap('summary');
    map.set('nothing', null);
    map.set('word', 'word');
    map.set('list', Y.Array.from([1]));
    map.set('plain', { text: 'in one piece', order: 2 });
    map.set('odd', { text: 7, order: 'first' });
    map.set('half', { text: 'x', order: 1.5 });
    expect(readSummary(doc, 'shared')).toEqual([
      { id: 'plain', order: 2, text: 'in one piece' },
      { id: 'half', order: Number.MAX_SAFE_INTEGER, text: 'x' },
      { id: 'odd', order: Number.MAX_SAFE_INTEGER, text: '' },
    ]);
    expect(openText(doc, 'shared', 'plain', 'test')?.toString()).toBe('in one piece');
    expect(openText(doc, 'shared', 'gone', 'test')).toBeNull();
    expect(moveSummary(doc, 'shared', 'odd', 0, 'test')).toBe(true);
    expect(moveSummary(doc, 'shared', 'odd', 1, 'test')).toBe(true);
    expect(idsIn(doc)).toEqual(['plain', 'odd', 'half']);
  });

  it('separates other private annotations, and limits the length', () => {
    const doc = withPoints('private', 'a');
    doc.getMap('private').set('outcome:b', { id: 'b', text: 'no point' });
    expect(idsIn(doc, 'private')).toEqual(['a']);
    addSummary(doc, 'private', { id: 'long', order: 5000, text: 'x'.repeat(longestSummary + 1) }, 'test');
    expect(readSummary(doc, 'private').at(-1)?.text).toHaveLength(longestSummary);
  });

  it('is the same list for programs, and keeps shared texts when they write', () => {
    const doc = new Y.Doc();
    writeEntries(
      doc,
      'summary',
      [
        { id: 'b', order: 2, text: 'two' },
        { id: 'a', order: 1, text: 'one' },
      ],
      'test',
    );
    const text = summaryText(doc, 'shared', 'a');
    writeEntries(
      doc,
      'summary',
      [
        { id: 'b', order: 2, text: 'two' },
        { id: 'a', order: 3, text: 'only one' },
      ],
      'test',
    );
    expect(summaryText(doc, 'shared', 'a')).toBe(text);
    expect(readEntries(doc, 'summary')).toEqual([
      { id: 'b', order: 2, text: 'two' },
      { id: 'a', order: 3, text: 'only one' },
    ]);
    expect(withOrder([{ order: 5 }, {}, { order: 1 }])).toEqual([{ order: 5 }, { order: 1029 }, { order: 1 }]);
  });
});

it('a merge of two edits keeps all insertions and all deletions', () => {
  expect(mergeTexts('They want a plan', 'Today they want a plan', 'They want a plan soon')).toBe(
    'Today they want a plan soon',
  );
  expect(mergeTexts('one two three', 'two three', 'one two')).toBe('two');
  expect(mergeTexts('', 'a', 'b')).toBe('ab');
  // Separate letters for each text, so that each shows its origin.
  const of = (letters: string) => fc.string({ unit: fc.constantFrom(...letters), maxLength: 12 });
  const made = fc.record({ was: of('abc'), one: of('deabc'), other: of('fgabc') });
  const only = (text: string, letters: RegExp) => text.replace(letters, '');
  fc.assert(
    fc.property(made, ({ was, one, other }) => {
      const merged = mergeTexts(was, one, other);
      expect(mergeTexts(was, one, was)).toBe(one);
      expect(mergeTexts(was, was, other)).toBe(other);
      expect(only(merged, /[^de]/g)).toBe(only(one, /[^de]/g));
      expect(only(merged, /[^fg]/g)).toBe(only(other, /[^fg]/g));
    }),
  );
});
