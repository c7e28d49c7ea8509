import { createStore } from 'jotai';
import { expect, it } from 'vitest';

import { onlyHereAtom } from '../../store.ts';
import { draftAtom } from '../annotations/comments/drafts.ts';
import type { Command } from '../annotations/base/commands.ts';
import { refusedAtom } from '../annotations/base/refused-commands.ts';
import { takenPointsAtom } from '../annotations/summary/taken-points.ts';
import { recordingAtom } from '../annotations/base/recordings.ts';
import { unsentHereAtom, discardUnsentHereAtom } from './unsent-here.ts';

const rich = (text: string) =>
  JSON.stringify({ type: 'doc', content: [{ type: 'paragraph', content: [{ type: 'text', text }] }] });
const about = { anchor: null, start: 1, end: 2, quote: 'words' };
const voice = (text: string) => ({ blob: new Blob([text]), ms: 1, about });
const refused = (id: string): Command =>
  ({ id, kind: 'comment', itemId: id, do: 'change', change: { text: rich(id) } }) as Command;

it('unsent words of a recording are listed without its panes, apart from other recordings, until they are discarded', async () => {
  const store = createStore();
  store.set(draftAtom, 'new m', rich('begun'));
  store.set(draftAtom, 'reply a', rich('answered'), { meeting: 'm', about });
  store.set(draftAtom, 'new n', rich('elsewhere'));
  store.set(draftAtom, 'reply b', rich('elsewhere'), { meeting: 'n', about });
  store.set(recordingAtom, 'm comment reply a', voice('spoken'));
  store.set(recordingAtom, 'n voice note', voice('elsewhere'));
  store.set(refusedAtom, () => [
    { meeting: 'm', command: refused('refused'), kept: false },
    { meeting: 'm', command: refused('kept by the browser'), kept: true },
    { meeting: 'n', command: refused('elsewhere'), kept: false },
  ]);
  store.set(takenPointsAtom, () =>
    ['m', 'n'].map((meeting) => ({ meeting, id: meeting, order: 1, text: `of ${meeting}` })),
  );
  const [said, point, ...more] = store.get(unsentHereAtom)('m');
  expect(said).toMatchObject({ of: 'said', text: 'begun\n\nanswered\n\nrefused' });
  expect(await Promise.all((said?.voices ?? []).map((blob) => blob.text()))).toEqual(['spoken']);
  expect(point).toMatchObject({ of: 'point', text: 'of m' });
  expect(more).toEqual([]);

  store.set(discardUnsentHereAtom, 'm', 'point');
  expect(store.get(unsentHereAtom)('m')).toEqual([said]);
  store.set(discardUnsentHereAtom, 'm', 'said');
  expect(store.get(unsentHereAtom)('m')).toEqual([]);
  // Two drafts, a voice note, a refused comment and a summary point remain, all of the other recording.
  expect(store.get(onlyHereAtom)).toBe(5);
  expect(
    store
      .get(unsentHereAtom)('n')
      .map(({ text }) => text),
  ).toEqual(['elsewhere\n\nelsewhere\n\nelsewhere', 'of n']);
});
