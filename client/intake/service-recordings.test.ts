import { expect, test } from 'vitest';
import { monthlyWindows, zoomMonths } from './service-recordings.ts';

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
