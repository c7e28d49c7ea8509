import { createStore } from 'jotai';
import { expect, it } from 'vitest';

import { onlyHereAtom } from '../../../store.ts';
import { retryOf, type Command } from './commands.ts';
import { refusedAtom, nowStored, withRefused } from './refused-commands.ts';

// Content that the server refused.

const about = { anchor: null, start: 1, end: 2, quote: 'words' };
const refused = (id: string) => ({ id }) as Command;

it('refused commands stay until they are discarded, and count as unsaved while they are not stored', () => {
  const store = createStore();
  const [one, other] = [refused('one'), refused('other')];
  const ids = () => store.get(refusedAtom).map(({ command }) => command.id);
  store.set(refusedAtom, (before) => withRefused(before, 'm', [one], false));
  store.set(refusedAtom, (before) => withRefused(before, 'm', [other], false));
  expect([ids(), store.get(onlyHereAtom)]).toEqual([['one', 'other'], 2]);
  store.set(refusedAtom, (before) => nowStored(before, [one]));
  expect([ids(), store.get(onlyHereAtom)]).toEqual([['one', 'other'], 1]);
  // Found in storage at the next visit: the same command.
  store.set(refusedAtom, (before) => withRefused(before, 'm', [{ ...other }], true));
  expect([ids(), store.get(onlyHereAtom)]).toEqual([['one', 'other'], 0]);
  // Discarded before storing was confirmed.
  store.set(refusedAtom, () => []);
  store.set(refusedAtom, (before) => nowStored(before, [one]));
  expect(ids()).toEqual([]);
});

it('a refused reply to a deleted comment becomes a comment of its own; other commands stay unchanged', () => {
  const reply = { kind: 'comment', do: 'add', item: { ...about, parent: 'gone', text: '' } } as unknown as Command;
  const refusal = (field: string, code = 'unknown') => ({ status: 422, errors: [{ field, code }] });
  expect(retryOf(reply, refusal('parent'))).toEqual({ ...reply, item: { ...about, parent: null, text: '' } });
  for (const error of [refusal('url'), refusal('parent', 'invalid'), { status: 415 }, null])
    expect(retryOf(reply, error)).toBe(reply);
  const change = { kind: 'comment', do: 'change', change: { text: 'x' } } as Command;
  expect(retryOf(change, refusal('parent'))).toBe(change);
});
