import { describe, expect, it } from 'vitest';
import type { VersionGrain } from '#shared/meetings/history.ts';
import { gather, parts, type LogRow } from './history-list.ts';

/** Parses rows such as `ann 14:00:00.5`; a blank line begins a generation. */
function rows(text: string): LogRow[] {
  let generation = 0;
  return text.split('\n\n').flatMap((log) => {
    generation += 1;
    return log
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean)
      .map((line, i): LogRow => {
        const [who = '', time = ''] = line.split(' ');
        return { generation, seq: i + 1, userId: who === '-' ? null : who, at: new Date(`2026-11-22T${time}Z`) };
      });
  });
}

async function shown(text: string, grain: VersionGrain, named: number[] = [], size = 1000): Promise<string[]> {
  const groups = await gather([rows(text).toReversed()], size, (older, newer) =>
    parts(older, newer, grain, new Set(named)),
  );
  return groups.map(
    ({ first, seq, people }) =>
      `${first}-${seq} ${[...people]
        .map((one) => one ?? '-')
        .toSorted()
        .join()}`,
  );
}

describe('versions from rows of a log', () => {
  it.each<[string, string, VersionGrain, number[], string[]]>([
    ['adjacent changes of one author', 'ann 14:00:00\n ann 14:01:00\n ann 14:09:00', 'moment', [], ['1-3 ann']],
    ['a pause of a quarter of an hour', 'ann 14:00:00\n ann 14:15:00', 'moment', [], ['2-2 ann', '1-1 ann']],
    ['two authors at once', 'ann 14:00:00\n ben 14:00:01\n ann 14:00:02', 'moment', [], ['1-3 ann,ben']],
    ['another author after a pause', 'ann 14:00:00\n ben 14:02:00', 'moment', [], ['2-2 ben', '1-1 ann']],
    ['the same author after a pause', 'ann 14:00:00\n ann 14:02:00', 'moment', [], ['1-2 ann']],
    ['a change of the server', '- 14:00:00\n ann 14:00:01', 'moment', [], ['2-2 ann', '1-1 -']],
    ['a full hour', 'ann 13:59:59\n ann 14:00:00', 'moment', [], ['2-2 ann', '1-1 ann']],
    ['a named version', 'ann 14:00:00\n ann 14:00:01\n ann 14:00:02', 'moment', [2], ['3-3 ann', '1-2 ann']],
    [
      'another generation',
      'ann 14:00:00\n\nann 14:00:01\n ann 14:00:02',
      'moment',
      [],
      ['2-2 ann', '1-1 ann', '1-1 ann'],
    ],
    [
      'steps: a pause of two seconds',
      'ann 14:00:00\n ann 14:00:01.9\n ann 14:00:03.9',
      'step',
      [],
      ['3-3 ann', '1-2 ann'],
    ],
    [
      'steps: ten seconds at most',
      'ann 14:00:08\n ann 14:00:09\n ann 14:00:10\n ann 14:00:11',
      'step',
      [],
      ['3-4 ann', '1-2 ann'],
    ],
    ['an empty log', '', 'moment', [], []],
  ])('%s', async (_when, text, grain, named, versions) => {
    expect(await shown(text, grain, named)).toEqual(versions);
  });

  it('are the same from any start, in the requested number', async () => {
    const text = Array.from({ length: 300 }, (_, i) => {
      const seconds = i * 7 + (i % 13) * 3;
      const time = new Date(Date.UTC(2026, 10, 22, 9, 0, seconds)).toISOString().slice(11, 23);
      return `${['ann', 'ben', '-'][((i * i) % 7) % 3]} ${time}`;
    }).join('\n');
    const all = await shown(text, 'step');
    expect(all.length).toBeGreaterThan(50);
    expect(await shown(text, 'step', [], 7)).toEqual(all.slice(0, 7));
    // From the end of each version on, the earlier ones are the same.
    const ends = all.map((one) => Number(one.split(' ')[0]?.split('-')[1]));
    for (const [i, end] of ends.entries()) {
      const before = rows(text).slice(0, end).toReversed();
      const groups = await gather([before.slice(0, 3), before.slice(3)], 1000, (older, newer) =>
        parts(older, newer, 'step', new Set()),
      );
      expect(groups.map(({ seq }) => seq)).toEqual(ends.slice(i));
    }
  });
});
