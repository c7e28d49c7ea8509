import { expect, test } from 'vitest';
import {
  filtered,
  hasNoPicture,
  monthlyWindows,
  preferredFirst,
  zoomMonths,
  type Pickable,
} from './service-recordings.ts';

const dayMs = 86_400_000;

test.each(['2026-11-22', '2026-03-31', '2024-02-29', '2026-01-01', '2025-12-31', '2026-05-30'])(
  'the twelve months before %s hold every day of a year once, a month at most each',
  (today) => {
    const windows = monthlyWindows(new Date(`${today}T12:00:00Z`));
    expect(windows).toHaveLength(zoomMonths);
    expect(windows[0]?.to).toBe(new Date(Date.parse(today) + dayMs).toISOString().slice(0, 10));
    for (const [i, { from, to }] of windows.entries()) {
      const [first, last] = [Date.parse(from), Date.parse(to)];
      expect(last - first).toBeLessThanOrEqual(31 * dayMs);
      expect(last).toBeGreaterThan(first);
      const before = windows[i + 1];
      if (before) expect(first - Date.parse(before.to)).toBe(dayMs);
    }
    const oldest = Date.parse(windows.at(-1)?.from ?? '');
    expect((Date.parse(today) - oldest) / dayMs).toBeGreaterThanOrEqual(363);
  },
);

const file = (kind: Pickable['kind']): Pickable => ({
  picked: { service: 'zoom', recordingId: 'm', fileId: kind, name: 'Walk' },
  type: kind === 'audio_only' ? 'M4A' : 'MP4',
  kind,
  seconds: 60,
});

test('of the files of a meeting the one that shows who speaks comes first, and that without a picture last', () => {
  const files = (['audio_only', 'gallery_view', 'shared_screen', 'shared_screen_with_speaker_view'] as const).map(file);
  expect(preferredFirst(files).map(({ kind }) => kind)).toEqual([
    'shared_screen_with_speaker_view',
    'gallery_view',
    'shared_screen',
    'audio_only',
  ]);
  expect(files.filter(hasNoPicture).map(({ kind }) => kind)).toEqual(['audio_only']);
});

test('a filter leaves the meetings whose title or shown date has all of its words', () => {
  const meetings = [
    { id: 'a', title: 'Weekly call', at: new Date('2026-11-03T10:00:00Z'), files: [] },
    { id: 'b', title: 'Weekly walk', at: null, files: [] },
  ];
  const ids = (filter: string) => filtered(meetings, filter, () => '3 Nov 2026').map(({ id }) => id);
  expect([ids(' '), ids('WEEKLY'), ids('walk week'), ids('nov call'), ids('walk nov')]).toEqual([
    ['a', 'b'],
    ['a', 'b'],
    ['b'],
    ['a'],
    [],
  ]);
});
