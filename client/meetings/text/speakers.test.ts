import { describe, expect, it } from 'vitest';
import type { Segment } from '#shared/meetings/transcript.ts';
import { figuresOf, matching, others, sameName, allSpeakers } from './speakers.ts';

const named = (...names: string[]) => names.map((name) => ({ name }));

describe('a typed search for a speaker', () => {
  const all = named('Moderator', 'Ann Coach', 'Bea Clément', 'Анна', '陈测试', 'Mo');
  it.each([
    ['', all.map(({ name }) => name)],
    ['  ', all.map(({ name }) => name)],
    ['mo', ['Moderator', 'Mo']],
    ['co', ['Ann Coach']],
    ['ann', ['Ann Coach']],
    ['CLEMENT', ['Bea Clément']],
    ['clé', ['Bea Clément']],
    ['анн', ['Анна']],
    ['测试', ['陈测试']],
    ['era', ['Moderator']],
    ['ann  c', ['Ann Coach']],
    ['nobody', []],
  ])('%j finds %j', (typed, found) => {
    expect(matching(all, typed).map(({ name }) => name)).toEqual(found);
  });

  it('puts matches at the start of a word before matches inside one', () => {
    expect(matching(named('Herman', 'Manuela', 'Uncle Man'), 'man').map(({ name }) => name)).toEqual([
      'Manuela',
      'Uncle Man',
      'Herman',
    ]);
  });

  it.each([
    ['Ann', ' ann ', true],
    ['Ann  Lee', 'Ann Lee', true],
    ['Ann', 'Anna', false],
  ])('%j and %j are one name: %s', (one, other, same) => expect(sameName(one, other)).toBe(same));
});

describe('other segments of a speaker', () => {
  const said = (ids: string): Segment[] => [...ids].map((speaker, i) => ({ id: `s${i}`, speaker, text: '', start: 0 }));
  // The segment at 2 already has its new speaker.
  const segments = said('abcaba');
  it.each([
    ['s2', 'a', 'one', []],
    ['s2', 'a', 'following', ['s3', 's5']],
    ['s2', 'a', 'all', ['s0', 's3', 's5']],
    ['s2', 'b', 'following', ['s4']],
    ['s2', 'c', 'all', []],
    ['gone', 'a', 'following', []],
    ['gone', 'a', 'all', ['s0', 's3', 's5']],
  ] as const)('from %s, of %s, %s: %j', (id, speaker, scope, found) => {
    expect(others(segments, id, speaker, scope).map((segment) => segment.id)).toEqual(found);
  });
});

describe('the speakers of a recording', () => {
  it('are those of the list in order, then speakers of segments missing from it', () => {
    const listed = [
      { id: 'a', name: 'Ann', color: 0, sortId: 1 },
      { id: 'b', name: 'Ben', color: 1, sortId: 2 },
    ];
    expect(allSpeakers(listed, ['b', 'gone', 'a', 'gone', ''])).toEqual([
      { id: 'a', name: 'Ann', color: 0, sortId: 1, listed: true, pattern: 0 },
      { id: 'b', name: 'Ben', color: 1, sortId: 2, listed: true, pattern: 0 },
      { id: '', name: '', color: 2, sortId: Number.MAX_SAFE_INTEGER, listed: false, pattern: 0 },
      { id: 'gone', name: '', color: 3, sortId: Number.MAX_SAFE_INTEGER, listed: false, pattern: 0 },
    ]);
  });

  it('of one colour have patterns that tell them apart, in their order', () => {
    const six = [0, 1, 2, 3, 4, 0].map((color, i) => ({ id: `s${i}`, name: '', color, sortId: i }));
    expect(allSpeakers(six, ['gone']).map(({ pattern }) => pattern)).toEqual([0, 0, 0, 0, 0, 1, 1]);
    const same = Array.from({ length: 4 }, (_, i) => ({ id: `s${i}`, name: '', color: 2, sortId: i }));
    expect(allSpeakers(same, []).map(({ pattern }) => pattern)).toEqual([0, 1, 2, 0]);
  });

  it('have counts of segments, time and share', () => {
    const spoken = [
      { speaker: 'a', from: 0, to: 1000 },
      { speaker: 'b', from: 1000, to: 2000 },
      { speaker: 'a', from: 2000, to: 4000 },
      { speaker: 'c', from: 4000, to: 4000 },
    ];
    expect(Object.fromEntries(figuresOf(spoken))).toEqual({
      a: { passages: 2, spoken: 3000, share: 0.75 },
      b: { passages: 1, spoken: 1000, share: 0.25 },
      c: { passages: 1, spoken: 0, share: 0 },
    });
    expect(figuresOf([])).toEqual(new Map());
  });
});
