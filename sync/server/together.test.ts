import { expect, test } from 'vitest';
import { together } from './together.ts';

function counted(most = 1) {
  const asked: (readonly string[])[] = [];
  const ends: ((error?: Error) => void)[] = [];
  const ask = together<string, string>((words) => {
    const nth = asked.push(words);
    return new Promise((resolve, reject) => {
      ends.push((error) => (error ? reject(error) : resolve(words.map((word) => `${word}${nth}`))));
    });
  }, most);
  return { asked, ends, ask };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('what comes at once is one question, what comes meanwhile the next, each with an answer of its own', async () => {
  const { asked, ends, ask } = counted();
  const first = [ask('a'), ask('b'), ask('a')];
  await turn();
  const later = [ask('a'), ask('c')];
  await turn();
  expect(asked).toEqual([['a', 'b', 'a']]);
  ends[0]?.();
  expect(await Promise.all(first)).toEqual(['a1', 'b1', 'a1']);
  await turn();
  expect(asked[1]).toEqual(['a', 'c']);
  ends[1]?.();
  expect(await Promise.all(later)).toEqual(['a2', 'c2']);
});

test('a question that failed fails those who asked it, and nobody after them', async () => {
  const { ends, ask } = counted();
  const first = [ask('a'), ask('b')];
  await turn();
  const later = ask('a');
  ends[0]?.(new Error('away'));
  for (const one of first) await expect(one).rejects.toThrow('away');
  await turn();
  ends[1]?.();
  expect(await later).toBe('a2');
});

test('two questions may be on their way, and what comes while both are waits for the first to be answered', async () => {
  const { asked, ends, ask } = counted(2);
  const first = [ask('a'), ask('b')];
  await turn();
  const second = ask('c');
  await turn();
  const third = [ask('d'), ask('e')];
  await turn();
  expect(asked).toEqual([['a', 'b'], ['c']]);
  ends[1]?.();
  expect(await second).toBe('c2');
  await turn();
  expect(asked[2]).toEqual(['d', 'e']);
  ends[2]?.();
  ends[0]?.();
  expect(await Promise.all([...first, ...third])).toEqual(['a1', 'b1', 'd3', 'e3']);
  const last = ask('f');
  await turn();
  ends[3]?.();
  expect(await last).toBe('f4');
});
