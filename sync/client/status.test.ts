import { describe, expect, it } from 'vitest';
import { chipOf, type ChipKind, type RoomState } from './status.ts';

const now = 1_000_000;
const calm: RoomState = {
  connected: true,
  since: now - 60_000,
  ended: null,
  canWrite: true,
  pending: 0,
  unstored: 0,
  waitingSince: null,
  notStored: false,
  keptHere: true,
  savedAt: now - 30_000,
};
const lost = { connected: false };
const typed = (ago: number, pending = 3) => ({ pending, waitingSince: now - ago });

describe('the chip of one document', () => {
  it.each<[string, Partial<RoomState>, ChipKind, number | null]>([
    ['nothing changed', {}, 'saved', null],
    ['a keystroke just now', typed(100), 'saved', 300],
    ['not confirmed for 399 ms', typed(399), 'saved', 1],
    ['not confirmed for 400 ms', typed(400), 'saving', 4600],
    ['not confirmed for 5 s', typed(5000), 'offline', null],
    ['the same in a browser that keeps nothing', { ...typed(5000), keptHere: false }, 'notKept', null],
    ['typed long ago, connected just now', { ...typed(90_000), since: now - 500 }, 'saving', 4500],
    ['the server cannot store', { ...typed(1000), notStored: true }, 'offline', null],
    ['neither server nor browser can', { ...typed(1000), notStored: true, keptHere: false }, 'notKept', null],
    ['the line is lost just now', { ...lost, since: now - 200 }, 'saved', 1300],
    ['the line is lost', lost, 'offline', null],
    ['the line is lost just now, with changes', { ...lost, ...typed(900), since: now - 500 }, 'saving', 1000],
    ['the line is lost, with changes', { ...lost, ...typed(9000) }, 'offline', null],
    ['the line is lost and nothing is kept', { ...lost, ...typed(9000), keptHere: false }, 'notKept', null],
    ['the session ended', { ...lost, ...typed(9000), ended: 'session' }, 'offline', null],
    [
      'the session ended, nothing kept',
      { ...lost, ...typed(9000), ended: 'session', keptHere: false },
      'notKept',
      null,
    ],
    ['the page is too old', { ...lost, ...typed(9000), ended: 'schema' }, 'offline', null],
    ['no access any more', { ...lost, ...typed(9000), ended: 'access' }, 'notKept', null],
    ['started anew', { ...lost, ...typed(9000), ended: 'generation' }, 'notKept', null],
    ['refused', { ...lost, ...typed(9000), ended: 'refused' }, 'notKept', null],
    ['full', { ...lost, ...typed(9000), ended: 'full' }, 'notKept', null],
    ['no access any more, nothing changed', { ...lost, ended: 'access' }, 'saved', null],
    ['may only read now, with changes', { ...typed(100), canWrite: false }, 'notKept', null],
    ['reads only', { canWrite: false }, 'saved', null],
    ['keeps nothing, nothing changed', { keptHere: false }, 'saved', null],
  ])('%s', (_name, change, kind, again) => {
    const chip = chipOf([{ ...calm, ...change }], now);
    expect([chip.kind, chip.again]).toEqual([kind, again]);
  });
});

it('counts as stored only what the browser has stored', () => {
  const chip = chipOf(
    [
      { ...calm, ...lost, ...typed(9000, 5), unstored: 2 },
      { ...calm, ...typed(100, 1), unstored: 1 },
    ],
    now,
  );
  expect([chip.pending, chip.stored]).toEqual([6, 3]);
});

describe('the chip of several documents', () => {
  const states: Record<ChipKind, RoomState> = {
    saved: calm,
    saving: { ...calm, ...typed(1000, 2) },
    offline: { ...calm, ...lost, ...typed(9000, 5) },
    notKept: { ...calm, ...lost, ...typed(9000, 7), keptHere: false, savedAt: null },
  };
  it.each<[ChipKind[], ChipKind, number]>([
    [[], 'saved', 0],
    [['saved', 'saved'], 'saved', 0],
    [['saved', 'saving'], 'saving', 2],
    [['saving', 'offline', 'saved'], 'offline', 7],
    [['notKept', 'offline', 'saving'], 'notKept', 14],
  ])('%j is %s with %i', (kinds, kind, pending) => {
    const chip = chipOf(
      kinds.map((one) => states[one]),
      now,
    );
    expect([chip.kind, chip.pending]).toEqual([kind, pending]);
  });

  it('tells the latest confirmation, whether all is kept, and looks again when the first of them may change', () => {
    const chip = chipOf(
      [
        { ...calm, ...typed(100) },
        { ...calm, ...typed(300), keptHere: false, savedAt: now - 5 },
      ],
      now,
    );
    expect(chip).toMatchObject({ savedAt: now - 5, keptHere: false, again: 100 });
  });
});
