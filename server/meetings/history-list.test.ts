import { describe, expect, it } from 'vitest';
import type { VersionGrain } from '#shared/meetings/history.ts';
import { gather, parts, type LogRow } from './history-list.ts';

/** `ann 14:00:00.5`, one row after the other; a blank line begins a generation. */
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

describe('rows of a log as versions', () => {
  it.each<[string, string, VersionGrain, number[], string[]]>([
    ['one after the other', 'ann 14:00:00\n ann 14:01:00\n ann 14:09:00', 'moment', [], ['1-3 ann']],
    ['a rest of a quarter of an hour', 'ann 14:00:00\n ann 14:15:00', 'moment', [], ['2-2 ann', '1-1 ann']],
    ['two who type at once', 'ann 14:00:00\n ben 14:00:01\n ann 14:00:02', 'moment', [], ['1-3 ann,ben']],
    ['one goes on where the other stopped', 'ann 14:00:00\n ben 14:02:00', 'moment', [], ['2-2 ben', '1-1 ann']],
    ['the same one goes on', 'ann 14:00:00\n ann 14:02:00', 'moment', [], ['1-2 ann']],
    ['what the machine wrote', '- 14:00:00\n ann 14:00:01', 'moment', [], ['2-2 ann', '1-1 -']],
    ['a full hour', 'ann 13:59:59\n ann 14:00:00', 'moment', [], ['2-2 ann', '1-1 ann']],
    ['a version with a name', 'ann 14:00:00\n ann 14:00:01\n ann 14:00:02', 'moment', [2], ['3-3 ann', '1-2 ann']],
    [
      'another generation',
      'ann 14:00:00\n\nann 14:00:01\n ann 14:00:02',
      'moment',
      [],
      ['2-2 ann', '1-1 ann', '1-1 ann'],
    ],
    [
      'steps: a rest of two seconds',
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
    ['nothing', '', 'moment', [], []],
  ])('%s', async (_when, text, grain, named, versions) => {
    expect(await shown(text, grain, named)).toEqual(versions);
  });

  it('are the same wherever the reading begins, and as many as were asked for', async () => {
    const text = Array.from({ length: 300 }, (_, i) => {
      const seconds = i * 7 + (i % 13) * 3;
      const time = new Date(Date.UTC(2026, 10, 22, 9, 0, seconds)).toISOString().slice(11, 23);
      return `${['ann', 'ben', '-'][((i * i) % 7) % 3]} ${time}`;
    }).join('\n');
    const all = await shown(text, 'step');
    expect(all.length).toBeGreaterThan(50);
    expect(await shown(text, 'step', [], 7)).toEqual(all.slice(0, 7));
    // From the end of each version on, what is before it is the same.
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
