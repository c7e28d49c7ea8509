import { expect, it } from 'vitest';

import { wishedLanguage } from './languages.ts';

it.each([
  [['ru-RU', 'en'], 'ru'],
  [['de', 'es-MX', 'en'], 'es'],
  [['EN-gb'], 'en'],
  [['zh-CN', 'ru'], 'ru'],
  [['zh-CN', 'zh'], 'en'],
  [['de', 'fr'], 'en'],
  [['toString'], 'en'],
  [[], 'en'],
])('a browser that wishes %j gets %s', (wishes, language) => {
  expect(wishedLanguage(wishes)).toBe(language);
});
