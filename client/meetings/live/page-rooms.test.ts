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
