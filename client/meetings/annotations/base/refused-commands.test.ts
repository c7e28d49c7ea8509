import { createStore } from 'jotai';
import { expect, it } from 'vitest';

import { onlyHereAtom } from '../../../store.ts';
import { nextTime, type Command } from './commands.ts';
import { refusedAtom, nowStored, withRefused } from './refused-commands.ts';

// What somebody wrote or spoke and the server refused.

const about = { anchor: null, start: 1, end: 2, quote: 'words' };
const refused = (id: string) => ({ id }) as Command;

it('all of it stands until it is let go, and counts as long as it is kept nowhere else', () => {
  const store = createStore();
  const [one, other] = [refused('one'), refused('other')];
  const ids = () => store.get(refusedAtom).map(({ command }) => command.id);
  store.set(refusedAtom, (before) => withRefused(before, 'm', [one], false));
  store.set(refusedAtom, (before) => withRefused(before, 'm', [other], false));
  expect([ids(), store.get(onlyHereAtom)]).toEqual([['one', 'other'], 2]);
  store.set(refusedAtom, (before) => nowStored(before, [one]));
  expect([ids(), store.get(onlyHereAtom)]).toEqual([['one', 'other'], 1]);
  // Found kept by whoever comes back: it is the same.
  store.set(refusedAtom, (before) => withRefused(before, 'm', [{ ...other }], true));
  expect([ids(), store.get(onlyHereAtom)]).toEqual([['one', 'other'], 0]);
  // Let go before it was known to be kept.
  store.set(refusedAtom, () => []);
  store.set(refusedAtom, (before) => nowStored(before, [one]));
  expect(ids()).toEqual([]);
});

it('what answered something that is gone begins a talk of its own the next time; whatever else was refused stays as it was', () => {
  const answer = { kind: 'comment', do: 'add', item: { ...about, parent: 'gone', text: '' } } as unknown as Command;
  const refusal = (field: string, code = 'unknown') => ({ status: 422, errors: [{ field, code }] });
  expect(nextTime(answer, refusal('parent'))).toEqual({ ...answer, item: { ...about, parent: null, text: '' } });
  for (const error of [refusal('url'), refusal('parent', 'invalid'), { status: 415 }, null])
    expect(nextTime(answer, error)).toBe(answer);
  const change = { kind: 'comment', do: 'change', change: { text: 'x' } } as Command;
  expect(nextTime(change, refusal('parent'))).toBe(change);
});
