// The compiler and texts.test.ts see that every language has every text. These tests see that each text is in its
// language.
import { describe, expect, test } from 'vitest';
import { en as enCommon } from '#shared/i18n/en.ts';
import { groupsEn } from '#shared/i18n/groups/en.ts';
import { intakeEn } from '#shared/i18n/intake/en.ts';
import { meetingEn } from '#shared/i18n/meetings/en.ts';
import { paymentsEn } from '#shared/i18n/payments/en.ts';
import { es as esCommon } from '#shared/i18n/es.ts';
import { groupsEs } from '#shared/i18n/groups/es.ts';
import { intakeEs } from '#shared/i18n/intake/es.ts';
import { meetingEs } from '#shared/i18n/meetings/es.ts';
import { paymentsEs } from '#shared/i18n/payments/es.ts';
import { ru as ruCommon } from '#shared/i18n/ru.ts';
import { groupsRu } from '#shared/i18n/groups/ru.ts';
import { intakeRu } from '#shared/i18n/intake/ru.ts';
import { meetingRu } from '#shared/i18n/meetings/ru.ts';
import { paymentsRu } from '#shared/i18n/payments/ru.ts';
import { zh as zhCommon } from '#shared/i18n/zh.ts';
import { groupsZh } from '#shared/i18n/groups/zh.ts';
import { intakeZh } from '#shared/i18n/intake/zh.ts';
import { meetingZh } from '#shared/i18n/meetings/zh.ts';
import { paymentsZh } from '#shared/i18n/payments/zh.ts';
import { en as enMails } from '#shared/mails/en.ts';
import { es as esMails } from '#shared/mails/es.ts';
import { ru as ruMails } from '#shared/mails/ru.ts';
import { zh as zhMails } from '#shared/mails/zh.ts';

const en = { ...enCommon, ...groupsEn, ...intakeEn, ...meetingEn, ...paymentsEn };
const es = { ...esCommon, ...groupsEs, ...intakeEs, ...meetingEs, ...paymentsEs };
const ru = { ...ruCommon, ...groupsRu, ...intakeRu, ...meetingRu, ...paymentsRu };
const zh = { ...zhCommon, ...groupsZh, ...intakeZh, ...meetingZh, ...paymentsZh };

/** Texts by key, at any depth. */
type Texts = object;

const letters = { es: /\p{Script=Latin}/u, ru: /\p{Script=Cyrillic}/u, zh: /\p{Script=Han}/u };

/** Words that are the same in that language: `es common.total`. */
const same: string[] = ['es groups.no', 'es player.backShort', 'es player.forwardShort', 'es chat.title'];

function flat(texts: Texts, path = ''): [key: string, text: string][] {
  return Object.entries(texts).flatMap(([key, value]: [string, unknown]): [string, string][] => {
    if (typeof value === 'string') return [[`${path}${key}`, value]];
    return value !== null && typeof value === 'object' ? flat(value, `${path}${key}.`) : [];
  });
}

/** Words to translate: without filled-in names, our own names and punctuation. */
const words = (text: string) =>
  text
    .replaceAll(/\{\{[^}]*\}\}|<[^>]*>|Colloquy/g, '')
    .replaceAll(/[^\p{L}]+/gu, ' ')
    .trim();

function untranslated(language: keyof typeof letters, english: Texts, texts: Texts): string[] {
  const model = new Map(flat(english));
  return flat(texts)
    .filter(([, text]) => words(text) !== '')
    .filter(([key, text]) => text === model.get(key) || !letters[language].test(words(text)))
    .map(([key]) => `${language} ${key}`)
    .filter((key) => !same.includes(key));
}

describe.each([
  ['the interface', en, { es, ru, zh }],
  ['the mails', enMails, { es: esMails, ru: ruMails, zh: zhMails }],
] as const)('%s', (_, english, translations) => {
  test.each(['es', 'ru', 'zh'] as const)('speaks %s', (language) => {
    expect(flat(translations[language]).length).toBeGreaterThan(15);
    expect(untranslated(language, english, translations[language])).toEqual([]);
  });
});

test('a text left in another language is found', () => {
  const english = { a: { b: 'Save', c: '{{name}} · Colloquy', d: 'OK, {{name}}' } };
  expect(untranslated('es', english, { a: { b: 'Guardar', c: '{{name}} · Colloquy', d: 'Vale, {{name}}' } })).toEqual(
    [],
  );
  expect(untranslated('es', english, { a: { b: 'Save', c: '', d: 'Vale' } })).toEqual(['es a.b']);
  expect(untranslated('ru', english, { a: { b: 'Guardar', d: 'Хорошо' } })).toEqual(['ru a.b']);
  expect(untranslated('zh', english, { a: { b: '保存', d: 'Vale' } })).toEqual(['zh a.d']);
});
