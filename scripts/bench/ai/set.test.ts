import { describe, expect, test } from 'vitest';
import { benchSet, orderWords } from './set.ts';
import { languages, newSum, tableOf } from './table.ts';

describe('The recordings that a model is asked about', () => {
  test('are twelve, three in each language, with 120 questions, 30 without an answer, and 20 orders', () => {
    expect(benchSet).toHaveLength(12);
    for (const language of languages) expect(benchSet.filter((one) => one.language === language)).toHaveLength(3);
    const lines = benchSet.flatMap((one) => one.lines);
    expect(lines.filter(({ question }) => question !== null)).toHaveLength(120);
    expect(benchSet.flatMap(({ unanswerable }) => unanswerable)).toHaveLength(30);
    const orders = lines.filter(({ question }) => question === null);
    expect(orders).toHaveLength(20);
    for (const { text } of orders)
      expect(
        orderWords.filter((word) => text.includes(word)),
        text,
      ).toHaveLength(1);
  });

  test('ask nothing twice, have outcomes of each kind, and words of orders nowhere else', () => {
    for (const { title, lines, unanswerable } of benchSet) {
      const questions = [...lines.flatMap(({ question }) => question ?? []), ...unanswerable];
      expect(new Set(questions).size, title).toBe(questions.length);
      expect(
        questions.every((question) => question.trim() !== ''),
        title,
      ).toBe(true);
      expect(new Set(lines.flatMap(({ outcome }) => outcome ?? [])).size, title).toBe(4);
      const said = lines.filter(({ question }) => question !== null).map(({ text }) => text);
      expect(
        orderWords.filter((word) => [...said, ...questions].join(' ').includes(word)),
        title,
      ).toEqual([]);
    }
  });
});

test('the table has a column for each language, and one for all', () => {
  const sums = { en: newSum(), zh: newSum(), ru: newSum(), es: newSum() };
  Object.assign(sums.en, { asked: 4, placed: 4, searched: 1, quotes: 3, struck: 1, seconds: [2, 1, 3] });
  Object.assign(sums.zh, { asked: 4, placed: 1, tokensAsked: 1200, seconds: [9] });
  const rows = tableOf(sums)
    .split('\n')
    .map((line) => line.slice(2, -2).split(' | '));
  expect(rows[0]).toEqual(['what', 'all', 'English', 'Chinese', 'Russian', 'Spanish', 'aim']);
  expect(rows.every((row) => row.length === 7)).toBe(true);
  const row = (what: string) => rows.find(([first]) => first?.startsWith(what))?.slice(1, 4);
  expect(row('questions answered')).toEqual(['63 % (5 of 8)', '100 % (4 of 4)', '25 % (1 of 4)']);
  expect(row('quotes that stand')).toEqual(['75 % (3 of 4)', '75 % (3 of 4)', 'none']);
  expect(row('tokens')).toEqual(['1,200, 0', '0, 0', '1,200, 0']);
  expect(row('seconds')).toEqual(['3.0', '2.0', '9.0']);
});
