import { expect, it } from 'vitest';
import { foreignLanguage } from './script-language.ts';

it.each([
  ['We begin.', 'en-US', ''],
  ['Wir beginnen.', 'de', ''],
  ['Мы начинаем.', 'en-US', 'ru'],
  ['We begin.', 'ru-RU', 'en'],
  ['Ми починаємо.', 'uk', ''],
  ['我们开始。', 'en', 'zh'],
  ['我们开始。', 'ja-JP', ''],
  ['はじめます', 'zh-CN', 'ja'],
  ['Почнимо. Počnimo.', 'sr', ''],
  ['Open Colloquy и начнём разговор', 'ru', ''],
  ['12:30 …', 'ru', ''],
  ['Мы начинаем.', '', ''],
])('%j in a recording in %j is in %j', (text, recording, lang) => {
  expect(foreignLanguage(text, recording)).toBe(lang);
});
