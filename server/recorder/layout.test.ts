import { expect, test } from 'vitest';
import { layOut } from './layout.ts';

const mic = (offsetMs: number, ms: number) => ({ id: `mic${offsetMs}`, track: 'mic' as const, offsetMs, ms });
const tab = (offsetMs: number, ms: number) => ({ id: `tab${offsetMs}`, track: 'tab' as const, offsetMs, ms });
const starts = (spans: Parameters<typeof layOut>[0]) => layOut(spans).placed.map(({ startMs }) => startMs);

test('the file begins with the first take', () => {
  expect(layOut([mic(700, 5000)])).toEqual({ placed: [{ ...mic(700, 5000), startMs: 0 }], ms: 5000, gaps: [] });
});

test('a pause of two seconds stays, a longer one becomes one second and is told', () => {
  expect(starts([mic(0, 5000), mic(7000, 1000)])).toEqual([0, 7000]);
  expect(layOut([mic(0, 5000), mic(185_000, 1000)])).toMatchObject({ ms: 7000, gaps: [{ atMs: 5000, ms: 180_000 }] });
  expect(starts([mic(0, 5000), mic(185_000, 1000), mic(186_500, 1000)])).toEqual([0, 6000, 7500]);
});

test('no time is cut while the other track runs', () => {
  expect(layOut([mic(0, 1000), tab(200, 60_000), mic(50_000, 5000)])).toMatchObject({
    ms: 60_200,
    gaps: [],
    placed: [{ startMs: 0 }, { startMs: 200 }, { startMs: 50_000 }],
  });
});

test('takes of a track never overlap, whatever the device says', () => {
  expect(starts([mic(0, 5000), mic(4900, 1000), mic(5950, 1000)])).toEqual([0, 5000, 6000]);
  expect(starts([tab(0, 5000), mic(4900, 1000)])).toEqual([0, 4900]);
});

test('no takes make no time', () => {
  expect(layOut([])).toEqual({ placed: [], ms: 0, gaps: [] });
});
