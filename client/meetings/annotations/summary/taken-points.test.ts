import { expect, it } from 'vitest';
import * as Y from 'yjs';

import { addSummary, putBackSummary, readSummary, removeSummary, summaryText } from '#shared/meetings/summary.ts';

import { watchPoints } from './taken-points.ts';

const point = { id: 'p', order: 1, text: 'a plan' };

/** What Ann began, and what Ben's page has of it. */
function pages() {
  const [ann, ben] = [new Y.Doc(), new Y.Doc()];
  addSummary(ann, 'shared', point, 'ann');
  const take = (from: Y.Doc, to: Y.Doc) => Y.applyUpdate(to, Y.encodeStateAsUpdate(from, Y.encodeStateVector(to)));
  take(ann, ben);
  return { ann, ben, take };
}
function watched(doc: Y.Doc, unsent: readonly Uint8Array[] = []): string[] {
  const told: string[] = [];
  watchPoints(doc, () => unsent, {
    taken: ({ text, order }) => told.push(`${order} ${text}`),
    back: ({ text }) => told.push(`back ${text}`),
  });
  return told;
}
const write = (doc: Y.Doc, at: number, words: string) => summaryText(doc, 'shared', 'p')?.insert(at, words);

it('a point that is taken away by somebody else is told of with all its words, where some of this page are among them', () => {
  const { ann, ben, take } = pages();
  const told = watched(ben);
  write(ben, 6, ' and a budget');
  removeSummary(ann, 'shared', 'p', 'ann');
  take(ann, ben);
  expect(readSummary(ben, 'shared')).toEqual([]);
  expect(told).toEqual(['1 a plan and a budget']);
  putBackSummary(ann, 'shared', point, 'ann');
  take(ann, ben);
  expect(told.slice(1)).toEqual(['back a plan']);
});

it('nothing is told of what one takes away, of what one wrote no word in, and of words that are gone', () => {
  const { ann, ben, take } = pages();
  const told = watched(ben);
  write(ben, 0, 'Not ');
  summaryText(ben, 'shared', 'p')?.delete(0, 4);
  take(ben, ann);
  removeSummary(ann, 'shared', 'p', 'ann');
  take(ann, ben);
  addSummary(ben, 'shared', { id: 'q', order: 2, text: 'mine' }, 'ben');
  removeSummary(ben, 'shared', 'q', 'ben');
  expect(told.filter((one) => !one.startsWith('back'))).toEqual([]);
});

it.each([
  { what: 'no server has', sent: false, told: ['1 Not a plan'] },
  { what: 'others have long read', sent: true, told: [] },
])('of an earlier visit, words that $what', ({ sent, told: wanted }) => {
  const { ann, ben, take } = pages();
  const unsent: Uint8Array[] = [];
  ben.on('update', (update: Uint8Array) => unsent.push(update));
  write(ben, 0, 'Not ');
  // Opened again, with what the browser had kept.
  const later = new Y.Doc();
  take(ben, later);
  later.clientID = ben.clientID;
  const told = watched(later, sent ? [] : unsent);
  removeSummary(ann, 'shared', 'p', 'ann');
  take(ann, later);
  expect(told).toEqual(wanted);
});
