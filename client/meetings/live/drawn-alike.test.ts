import { expect, it } from 'vitest';
import * as Y from 'yjs';

import { drawnAlike } from './drawn-alike.ts';
import type { LiveDocument } from './room.ts';

const state = {
  connected: true,
  since: 0,
  ended: null,
  canWrite: true,
  pending: 0,
  waitingSince: null,
  notStored: false,
  keptHere: true,
  savedAt: null,
};
const live = { doc: new Y.Doc(), state, ended: null, ready: true, editable: true, left: [] } as unknown as LiveDocument;

it.each<[string, Partial<LiveDocument>, boolean]>([
  ['a letter that waits', { state: { ...state, pending: 1, waitingSince: 5 } }, true],
  ['a letter that is safe', { state: { ...state, savedAt: 7 } }, true],
  ['a line that is gone', { state: { ...state, connected: false } }, false],
  ['a browser that keeps nothing', { state: { ...state, keptHere: false } }, false],
  ['a document that was started anew', { doc: new Y.Doc() }, false],
  ['a right that ended', { editable: false }, false],
  ['a page that is too old', { ended: 'schema' }, false],
])('%s', (_, change, alike) => {
  expect(drawnAlike(live, { ...live, ...change })).toBe(alike);
});

it('of a page that is too old it is drawn whether anything waits', () => {
  const old: LiveDocument = { ...live, ended: 'schema' };
  expect(drawnAlike(old, { ...old, state: { ...state, pending: 1 } })).toBe(false);
});
