import { expect, test } from 'vitest';
import { mostSuggestions, readProposals } from './suggestions.ts';

const types = ['decisions', 'problems', 'questions', 'actionItems', 'risks'];
const one = { type: 'decisions', text: 'They go.', reason: 'So they say.', line: '#3', quote: 'we  go\u202E now' };
const read = (given: unknown, isCut = false) => {
  const found = readProposals(typeof given === 'string' ? given : JSON.stringify(given), types, isCut);
  return 'answer' in found ? found.answer : found.wrong;
};

test('outcomes of a type that was asked for are read; others are left out and counted', () => {
  expect(
    read({
      outcomes: [
        { ...one, others: ['nonsense', 'decisions', ...types.slice(1), 'problems'] },
        { ...one, type: 'nonsense' },
        { ...one, text: ' ' },
        { ...one, line: 'somewhere' },
        'nothing',
        null,
      ],
    }),
  ).toEqual({
    proposals: [{ ...one, line: 3, quote: 'we go now', others: ['problems', 'questions', 'actionItems'] }],
    unread: 5,
  });
});

test('what is too much is cut off: outcomes, and letters of each', () => {
  const many = Array.from({ length: 10_000 }, () => ({ ...one, text: 'x'.repeat(600) }));
  const { proposals, unread } = read({ outcomes: many }) as Exclude<ReturnType<typeof read>, string>;
  expect([proposals.length, unread]).toEqual([mostSuggestions, 10_000 - mostSuggestions]);
  expect(proposals.every(({ text }) => text.length === 500)).toBe(true);
});

test('an answer that its limit cut counts with what is complete; another one has to be given anew', () => {
  const whole = JSON.stringify({ outcomes: [one, one] });
  const cut = whole.slice(0, -20);
  expect(read(cut, true)).toMatchObject({ proposals: [{ text: 'They go.' }], unread: 0 });
  expect(read(cut)).toContain('no JSON object');
  expect(read('```json\n' + whole + '\n```')).toMatchObject({ proposals: [{}, {}] });
  expect(read({ outcomes: [] })).toEqual({ proposals: [], unread: 0 });
  for (const wrong of ['I would rather not.', '[]', { parts: [] }, { outcomes: 'none' }])
    expect(read(wrong)).toContain('"outcomes"');
  expect(read({ outcomes: [{ ...one, type: 'nonsense' }] })).toContain('one of decisions');
});
