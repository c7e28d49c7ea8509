// Texts of a part that a screen needs come in the language of the page, whenever it changes: nobody sees a text's key.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { changeLanguage, needTexts, startI18n } from './i18n.ts';

beforeEach(() => {
  vi.stubGlobal('navigator', { languages: ['en'] });
  vi.stubGlobal('document', { documentElement: {} });
});
afterEach(() => vi.unstubAllGlobals());

it('a part needed while the language changes is there in the new language before the page changes to it', async () => {
  const texts = await startI18n();
  const missing: string[] = [];
  texts.on('languageChanged', (language) => {
    if (!texts.hasResourceBundle(language, 'groups')) missing.push(language);
  });
  const changed = changeLanguage(texts, 'zh');
  // A screen is drawn in the old language meanwhile.
  await needTexts(texts, 'groups');
  await changed;
  expect(texts.language).toBe('zh');
  expect(missing).toEqual([]);
});

it('large counts are written as the language writes them, other numbers as they are', async () => {
  const texts = await startI18n();
  const said = () =>
    [7, 2000, 12_345].map((count) => texts.t('library:found', { count }).replaceAll(/[\u00a0\u202f]/gu, ' '));
  expect(said()).toEqual(['7 recordings', '2,000 recordings', '12,345 recordings']);
  expect(texts.t('shell:pagination.page', { page: 1234 })).toContain('1234');
  await changeLanguage(texts, 'ru');
  expect(said()).toEqual(['7 записей', '2 000 записей', '12 345 записей']);
});
