import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { RoomState } from '#sync/client/status.ts';

import { PageRooms } from './page-rooms.ts';
import type { LiveRoom } from './room.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
  vi.setSystemTime(new Date(2026, 0, 1, 14, 2, 10));
});
afterEach(() => vi.useRealTimers());

function opened() {
  let state: RoomState = {
    connected: true,
    since: performance.now(),
    ended: null,
    canWrite: true,
    pending: 0,
    unstored: 0,
    waitingSince: null,
    notStored: false,
    keptHere: true,
    savedAt: performance.now(),
  };
  let changed = (): void => {};
  const room = {
    read: () => ({ state }),
    subscribe: (listener: () => void) => {
      changed = listener;
      return () => {};
    },
  };
  const rooms = new PageRooms();
  rooms.add(room as unknown as LiveRoom);
  const chips = [rooms.read()];
  rooms.subscribe(() => chips.push(rooms.read()));
  return {
    rooms,
    chips,
    say: (news: Partial<RoomState>) => {
      state = { ...state, ...news };
      changed();
    },
  };
}

it('emits a new chip only if it shows something different', () => {
  const { rooms, chips, say } = opened();
  const [first] = chips;
  // Emitted again, and confirmed within the same minute.
  say({});
  vi.advanceTimersByTime(2_000);
  say({ savedAt: performance.now() });
  expect(rooms.read()).toBe(first);
  say({ pending: 1, waitingSince: performance.now() });
  vi.advanceTimersByTime(450);
  say({ pending: 0, waitingSince: null, savedAt: performance.now() });
  // Each letter is confirmed before the next one.
  for (let letter = 0; letter < 20; letter += 1) {
    say({ pending: 1, waitingSince: performance.now() });
    vi.advanceTimersByTime(20);
    say({ pending: 0, waitingSince: null, savedAt: performance.now() });
    vi.advanceTimersByTime(60);
  }
  vi.advanceTimersByTime(60_000);
  say({ savedAt: performance.now() });
  expect(chips.map(({ kind, pending, savedAt }) => `${kind} ${pending} ${savedAt?.getMinutes()}`)).toEqual([
    'saved 0 2',
    'saved 1 2',
    'saving 1 2',
    'saved 0 2',
    'saved 1 2',
    'saved 0 2',
    'saved 0 3',
  ]);
});

it.each<[string, Partial<RoomState>, boolean]>([
  ['nothing waits', {}, false],
  ['a letter is on its way and stored here', { pending: 1 }, false],
  ['a letter is not stored here yet', { pending: 3, unstored: 1 }, true],
  ['letters are stored here, without a network', { pending: 3, connected: false, since: -60_000 }, true],
  ['nothing waits without a network', { connected: false, since: -60_000 }, false],
])('asks before leaving or not, if %s', (_name, news, asks) => {
  const { rooms, say } = opened();
  say({ waitingSince: news.pending ? performance.now() : null, ...news });
  expect(rooms.asksToStay()).toBe(asks);
});
