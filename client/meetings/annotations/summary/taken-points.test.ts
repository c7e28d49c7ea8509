import { expect, it } from 'vitest';
import * as Y from 'yjs';

import { addSummary, putBackSummary, readSummary, removeSummary, summaryText } from '#shared/meetings/summary.ts';

import { watchPoints } from './taken-points.ts';

const point = { id: 'p', order: 1, text: 'a plan' };

/** A document of Ann with one point, and Ben's copy. */
function pages() {
  const [ann, ben] = [new Y.Doc(), new Y.Doc()];
  addSummary(ann, 'shared', point, 'ann');
  const take = (from: Y.Doc, to: Y.Doc) => Y.applyUpdate(to, Y.encodeStateAsUpdate(from, Y.encodeStateVector(to)));
  take(ann, ben);
  return { ann, ben, take };
}
function watched(doc: Y.Doc, unsent: readonly Uint8Array[] = []): string[] {
  const reported: string[] = [];
  watchPoints(doc, () => unsent, {
    taken: ({ text, order }) => reported.push(`${order} ${text}`),
    back: ({ text }) => reported.push(`back ${text}`),
  });
  return reported;
}
const write = (doc: Y.Doc, at: number, words: string) => summaryText(doc, 'shared', 'p')?.insert(at, words);

it('a point deleted by another person is reported with all its words, if some were written on this page', () => {
  const { ann, ben, take } = pages();
  const reported = watched(ben);
  write(ben, 6, ' and a budget');
  removeSummary(ann, 'shared', 'p', 'ann');
  take(ann, ben);
  expect(readSummary(ben, 'shared')).toEqual([]);
  expect(reported).toEqual(['1 a plan and a budget']);
  putBackSummary(ann, 'shared', point, 'ann');
  take(ann, ben);
  expect(reported.slice(1)).toEqual(['back a plan']);
});

it('nothing is reported for own deletions, points without own words, and words that were removed before', () => {
  const { ann, ben, take } = pages();
  const reported = watched(ben);
  write(ben, 0, 'Not ');
  summaryText(ben, 'shared', 'p')?.delete(0, 4);
  take(ben, ann);
  removeSummary(ann, 'shared', 'p', 'ann');
  take(ann, ben);
  addSummary(ben, 'shared', { id: 'q', order: 2, text: 'mine' }, 'ben');
  removeSummary(ben, 'shared', 'q', 'ben');
  expect(reported.filter((one) => !one.startsWith('back'))).toEqual([]);
});

it.each([
  { what: 'the server lacks', sent: false, reported: ['1 Not a plan'] },
  { what: 'the server has', sent: true, reported: [] },
])('words of an earlier visit that $what', ({ sent, reported: wanted }) => {
  const { ann, ben, take } = pages();
  const unsent: Uint8Array[] = [];
  ben.on('update', (update: Uint8Array) => unsent.push(update));
  write(ben, 0, 'Not ');
  // Reopened from the copy in the browser.
  const later = new Y.Doc();
  take(ben, later);
  later.clientID = ben.clientID;
  const reported = watched(later, sent ? [] : unsent);
  removeSummary(ann, 'shared', 'p', 'ann');
  take(ann, later);
  expect(reported).toEqual(wanted);
});
