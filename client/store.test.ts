import { createStore } from 'jotai';
import { expect, it, vi } from 'vitest';

import { noticeAtom } from './store.ts';

it('calls onGone of a notice once, whether it is removed or replaced', () => {
  const store = createStore();
  const [first, second] = [vi.fn<() => void>(), vi.fn<() => void>()];
  store.set(noticeAtom, { message: 'one', onGone: first });
  expect(first).not.toHaveBeenCalled();
  store.set(noticeAtom, { message: 'two', onGone: second });
  expect([first.mock.calls.length, second.mock.calls.length]).toEqual([1, 0]);
  store.set(noticeAtom, null);
  store.set(noticeAtom, null);
  expect([first.mock.calls.length, second.mock.calls.length]).toEqual([1, 1]);
});
