import { expect, test } from 'vitest';
import { costText } from './cost-text.ts';

const plain = (text: string) => text.replaceAll(/\s/g, ' ');
const credits = (amount: number, language = 'en') => plain(costText({ credits: amount, minutes: 0 }, language));
const minutes = (amount: number, language = 'en') => plain(costText({ credits: 0, minutes: amount }, language));

test('K stands for thousands above 1000, from six characters on', () => {
  expect([999.99, 1000, 1000.5, 1234, 1234.5, 12_345, 99_999.9, 123_456].map((amount) => credits(amount))).toEqual([
    '$999.99',
    '$1,000.00',
    '$1K',
    '$1,234.00',
    '$1.2K',
    '$12,345.00',
    '$99.9K',
    '$123.4K',
  ]);
  expect([90, 1234, 99_999, 123_456].map((amount) => minutes(amount))).toEqual([
    '90 min',
    '1,234 min',
    '99,999 min',
    '123.4K min',
  ]);
});

test('it stands behind the number in each language', () => {
  expect(['en', 'es', 'ru', 'zh'].map((language) => credits(1234.5, language))).toEqual([
    '$1.2K',
    '1,2K $',
    '1,2K $',
    '$1.2K',
  ]);
  expect(['en', 'es', 'ru', 'zh'].map((language) => minutes(123_456, language))).toEqual([
    '123.4K min',
    '123,4K min',
    '123,4K мин',
    '123.4K分钟',
  ]);
});

test('credits and minutes are named together, and without thousands in full', () => {
  const cost = { credits: 1234.5, minutes: 30.25 };
  expect([costText(cost, 'en'), costText(cost, 'en', { whole: true })]).toEqual([
    '$1.2K + 30.3 min',
    '$1,234.50 + 30.3 min',
  ]);
});
