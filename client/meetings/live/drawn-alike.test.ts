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
  unstored: 0,
  waitingSince: null,
  notStored: false,
  keptHere: true,
  savedAt: null,
};
const live = {
  doc: new Y.Doc(),
  state,
  ended: null,
  ready: true,
  editable: true,
  unsent: [],
} as unknown as LiveDocument;

it.each<[string, Partial<LiveDocument>, boolean]>([
  ['a letter not sent yet', { state: { ...state, pending: 1, waitingSince: 5 } }, true],
  ['a letter saved', { state: { ...state, savedAt: 7 } }, true],
  ['a lost connection', { state: { ...state, connected: false } }, false],
  ['a browser that stores nothing', { state: { ...state, keptHere: false } }, false],
  ['a document that was started anew', { doc: new Y.Doc() }, false],
  ['a permission that ended', { editable: false }, false],
  ['a page that is too old', { ended: 'schema' }, false],
])('%s', (_, change, alike) => {
  expect(drawnAlike(live, { ...live, ...change })).toBe(alike);
});

it('a page that is too old shows whether changes are unsent', () => {
  const old: LiveDocument = { ...live, ended: 'schema' };
  expect(drawnAlike(old, { ...old, state: { ...state, pending: 1 } })).toBe(false);
});
