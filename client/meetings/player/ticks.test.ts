import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Comment, Outcome } from '#shared/meetings/annotations.ts';

import { chapterAt, chaptersOf, drawnTicks, nearest, nextTick, ticksOf, type Tick } from './ticks.ts';

/** Colours of the types in the order of these. */
const lookOf = (type: string) => ['notes', 'decisions'].indexOf(type) + 1 || 1;
const tick = (at: number, look = 1): Tick => ({ kind: 'outcome', id: `${at}`, at, look, type: 'notes', quote: '' });
const item = (id: string, start: number) => ({
  ...{ id, start, end: start, rev: 1, anchor: null, quote: 'so', private: false, createdAt: '', editTimestamp: null },
  ...{ author: { id: 'a', kind: 'user' as const, name: 'Ann' }, url: null, text: '' },
});
const outcome = (id: string, start: number, type: string): Outcome => ({
  ...item(id, start),
  ...{ type, children: [], grade: null, automatic: false, wasAutomatic: false },
});
const comment = (id: string, start: number, more: Partial<Comment> = {}): Comment => ({
  ...item(id, start),
  ...{ parent: null, resolved: null },
  ...more,
});
const map = <T extends { id: string }>(...list: T[]) => new Map(list.map((one) => [one.id, one]));

describe('ticks on the timeline', () => {
  it('are chapters, too, and each moment belongs to the last chapter that has begun', () => {
    const chapters = chaptersOf([
      { id: 'one', start: 2, title: 'Start' },
      { id: 'two', start: 7.5, title: '' },
    ]);
    expect(ticksOf(null, chapters, lookOf).map(({ kind, at }) => [kind, at])).toEqual([
      ['chapter', 2_000],
      ['chapter', 7_500],
    ]);
    const view = { outcome: map(outcome('one', 4, 'decisions')), comment: map<Comment>() };
    expect(ticksOf(view, chapters, lookOf).map(({ at }) => at)).toEqual([2_000, 4_000, 7_500]);
    const ids = [0, 1_999, 2_000, 7_499, 7_500, 9e9].map((ms) => chapterAt(chapters, ms)?.id);
    expect(ids).toEqual([undefined, undefined, 'one', 'one', 'two', 'two']);
  });

  it('are outcomes and talks that go on, in the order of the recording', () => {
    const { author } = item('a', 0);
    const view = {
      outcome: map(outcome('late', 9, 'decisions'), outcome('unknown', 1, 'of another time')),
      comment: map(
        comment('talk', 4),
        comment('answer', 4, { parent: 'talk' }),
        comment('settled', 5, { resolved: { at: '', by: author } }),
      ),
    };
    expect(ticksOf(view, [], lookOf).map(({ id, at, look }) => [id, at, look])).toEqual([
      ['unknown', 1000, 1],
      ['talk', 4000, 0],
      ['late', 9000, 2],
    ]);
  });

  it('are found by a place near them, and walked through', () => {
    const ticks = [tick(1000), tick(2000), tick(2010), tick(9000)];
    expect(nearest(ticks, 1400, 500)?.at).toBe(1000);
    expect(nearest(ticks, 1501, 500)?.at).toBe(2000);
    expect(nearest(ticks, 1500, 500)?.at).toBe(1000);
    expect(nearest(ticks, 5000, 500)).toBeNull();
    expect(nextTick(ticks, 0, 1)?.at).toBe(1000);
    expect(nextTick(ticks, 1000, 1)?.at).toBe(2000);
    expect(nextTick(ticks, 2000, 1)?.at).toBe(9000);
    expect(nextTick(ticks, 9000, 1)).toBeNull();
    expect(nextTick(ticks, 9005, -1)?.at).toBe(2010);
    expect(nextTick(ticks, 1000, -1)).toBeNull();
    expect(nextTick([], 0, 1)).toBeNull();
  });

  it('are the nearest, whatever there is', () => {
    const times = fc.array(fc.nat(10_000), { maxLength: 40 });
    fc.assert(
      fc.property(times, fc.nat(10_000), fc.nat(3000), (all, ms, within) => {
        const found = nearest(
          all.toSorted((one, other) => one - other).map((at) => tick(at)),
          ms,
          within,
        );
        const least = Math.min(...all.map((at) => Math.abs(at - ms)));
        expect(found ? Math.abs(found.at - ms) : Infinity).toBe(least <= within ? least : Infinity);
      }),
    );
  });

  it('are drawn as many as can be told apart', () => {
    const many = Array.from({ length: 1000 }, (_, i) => tick(i * 10, i % 3));
    const drawn = drawnTicks(many, 10_000, 600, 6);
    expect(drawn.length).toBeLessThanOrEqual(3 * 101);
    expect(drawn.length).toBeGreaterThan(3 * 50);
    expect(drawnTicks([tick(20_000)], 10_000, 600, 6)).toEqual([{ x: 600, look: 1 }]);
  });
});
