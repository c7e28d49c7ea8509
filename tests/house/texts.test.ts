// Every text of the screens is in every language, with its plural forms, and is used (shared/i18n/).
import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

import { en as enCommon } from '#shared/i18n/en.ts';
import { enginesEn } from '#shared/i18n/engines/en.ts';
import { findingEn } from '#shared/i18n/finding/en.ts';
import { groupsEn } from '#shared/i18n/groups/en.ts';
import { intakeEn } from '#shared/i18n/intake/en.ts';
import { meetingEn } from '#shared/i18n/meetings/en.ts';
import { paymentsEn } from '#shared/i18n/payments/en.ts';
import { profileEn } from '#shared/i18n/profile/en.ts';
import { recorderEn } from '#shared/i18n/recorder/en.ts';
import { reviewsEn } from '#shared/i18n/reviews/en.ts';
import { sharingEn } from '#shared/i18n/sharing/en.ts';
import { supportEn } from '#shared/i18n/support/en.ts';
import { toursEn } from '#shared/i18n/tours/en.ts';
import { es as esCommon } from '#shared/i18n/es.ts';
import { enginesEs } from '#shared/i18n/engines/es.ts';
import { findingEs } from '#shared/i18n/finding/es.ts';
import { groupsEs } from '#shared/i18n/groups/es.ts';
import { intakeEs } from '#shared/i18n/intake/es.ts';
import { meetingEs } from '#shared/i18n/meetings/es.ts';
import { paymentsEs } from '#shared/i18n/payments/es.ts';
import { profileEs } from '#shared/i18n/profile/es.ts';
import { recorderEs } from '#shared/i18n/recorder/es.ts';
import { reviewsEs } from '#shared/i18n/reviews/es.ts';
import { sharingEs } from '#shared/i18n/sharing/es.ts';
import { supportEs } from '#shared/i18n/support/es.ts';
import { toursEs } from '#shared/i18n/tours/es.ts';
import { ru as ruCommon } from '#shared/i18n/ru.ts';
import { enginesRu } from '#shared/i18n/engines/ru.ts';
import { findingRu } from '#shared/i18n/finding/ru.ts';
import { groupsRu } from '#shared/i18n/groups/ru.ts';
import { intakeRu } from '#shared/i18n/intake/ru.ts';
import { meetingRu } from '#shared/i18n/meetings/ru.ts';
import { paymentsRu } from '#shared/i18n/payments/ru.ts';
import { profileRu } from '#shared/i18n/profile/ru.ts';
import { recorderRu } from '#shared/i18n/recorder/ru.ts';
import { reviewsRu } from '#shared/i18n/reviews/ru.ts';
import { sharingRu } from '#shared/i18n/sharing/ru.ts';
import { supportRu } from '#shared/i18n/support/ru.ts';
import { toursRu } from '#shared/i18n/tours/ru.ts';
import { zh as zhCommon } from '#shared/i18n/zh.ts';
import { enginesZh } from '#shared/i18n/engines/zh.ts';
import { findingZh } from '#shared/i18n/finding/zh.ts';
import { groupsZh } from '#shared/i18n/groups/zh.ts';
import { intakeZh } from '#shared/i18n/intake/zh.ts';
import { meetingZh } from '#shared/i18n/meetings/zh.ts';
import { paymentsZh } from '#shared/i18n/payments/zh.ts';
import { profileZh } from '#shared/i18n/profile/zh.ts';
import { recorderZh } from '#shared/i18n/recorder/zh.ts';
import { reviewsZh } from '#shared/i18n/reviews/zh.ts';
import { sharingZh } from '#shared/i18n/sharing/zh.ts';
import { supportZh } from '#shared/i18n/support/zh.ts';
import { toursZh } from '#shared/i18n/tours/zh.ts';

const en = {
  ...enCommon,
  ...enginesEn,
  ...findingEn,
  ...groupsEn,
  ...intakeEn,
  ...meetingEn,
  ...paymentsEn,
  ...profileEn,
  ...recorderEn,
  ...reviewsEn,
  ...sharingEn,
  ...supportEn,
  ...toursEn,
};
const es = {
  ...esCommon,
  ...enginesEs,
  ...findingEs,
  ...groupsEs,
  ...intakeEs,
  ...meetingEs,
  ...paymentsEs,
  ...profileEs,
  ...recorderEs,
  ...reviewsEs,
  ...sharingEs,
  ...supportEs,
  ...toursEs,
};
const ru = {
  ...ruCommon,
  ...enginesRu,
  ...findingRu,
  ...groupsRu,
  ...intakeRu,
  ...meetingRu,
  ...paymentsRu,
  ...profileRu,
  ...recorderRu,
  ...reviewsRu,
  ...sharingRu,
  ...supportRu,
  ...toursRu,
};
const zh = {
  ...zhCommon,
  ...enginesZh,
  ...findingZh,
  ...groupsZh,
  ...intakeZh,
  ...meetingZh,
  ...paymentsZh,
  ...profileZh,
  ...recorderZh,
  ...reviewsZh,
  ...sharingZh,
  ...supportZh,
  ...toursZh,
};

// The compiler sees that each used key exists in every language. These tests see the rest.

type Tree = { readonly [key: string]: string | Tree };

const plural = /_(zero|one|two|few|many|other)$/;

/** 'namespace:a.b.c' to its text. */
function flat(texts: Tree): Map<string, string> {
  const found = new Map<string, string>();
  const walk = (node: Tree, path: string, separator: string) => {
    for (const [key, value] of Object.entries(node)) {
      const at = path + separator + key;
      if (typeof value === 'string') found.set(at, value);
      else walk(value, at, path === '' ? ':' : '.');
    }
  };
  walk(texts, '', '');
  return found;
}

const base = (key: string) => key.replace(plural, '');
const bases = (texts: Tree) => [...new Set([...flat(texts).keys()].map(base))].toSorted();
const variables = (text: string) => [...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name = '']) => name).toSorted();

/** Keys no source names: whole in quotes, with or without the namespace, or by a template that could become it. */
function unused(keys: readonly string[], sources: readonly string[]): string[] {
  const all = sources.join('\n');
  const templates = [...all.matchAll(/`(?:[\w:]+\.)+\$\{[^`]*`/g)].map(([template]) => {
    const parts = template.slice(1, -1).split(/\$\{[^}]*\}/);
    return new RegExp(`^${parts.map((part) => part.replaceAll('.', '\\.')).join('[\\w.-]+')}$`);
  });
  return keys.filter((key) => {
    const names = [key, key.slice(key.indexOf(':') + 1)];
    return !names.some(
      (name) =>
        ["'", '"', '`'].some((quote) => all.includes(quote + name + quote)) ||
        templates.some((template) => template.test(name)),
    );
  });
}

function clientSources(): string[] {
  const folder = fileURLToPath(new URL('../../client', import.meta.url));
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !/\.test\.tsx?$/.test(entry.name))
    .map((entry) => readFileSync(`${entry.parentPath}/${entry.name}`, 'utf8'));
}

/** Keys that only exported files say; the server reads them as members. */
function exportedKeys(): string[] {
  const words = readFileSync(new URL('../../server/annotations/said-words.ts', import.meta.url), 'utf8');
  return [...words.matchAll(/\bexporting\.(\w+)/g)].map(([, key]) => `'export:${key}'`);
}

describe.each(Object.entries({ en, es, ru, zh }))('%s', (language, texts) => {
  const flatTexts = flat(texts);

  it('has every key and no other', () => {
    expect(bases(texts)).toEqual(bases(en));
  });

  it('has the plural forms its counting needs, and no other', () => {
    const needed = new Intl.PluralRules(language).resolvedOptions().pluralCategories.toSorted();
    const counted = [...flatTexts.keys()].filter((key) => plural.test(key));
    expect(counted).not.toEqual([]);
    for (const key of new Set(counted.map(base))) {
      const forms = counted.filter((form) => base(form) === key).map((form) => form.slice(key.length + 1));
      expect(forms.toSorted(), key).toEqual(needed);
    }
  });

  it('says nothing empty and fills in what English fills in', () => {
    const english = flat(en);
    for (const [key, text] of flatTexts) {
      expect(text.trim(), key).not.toBe('');
      const model = english.get(key) ?? '';
      // 'One thing' may go without its number.
      if (!plural.test(key)) expect(variables(text), key).toEqual(variables(model));
      else
        expect(variables(english.get(`${base(key)}_other`) ?? ''), key).toEqual(
          expect.arrayContaining(variables(text)),
        );
    }
  });
});

it('says to the letter what the specification quotes', () => {
  const quoted = [
    'All recordings could not be deleted',
    'Some recordings could not be deleted',
    'Please add outcomes to documents and repeat.',
    "Can't update note",
  ];
  expect([...flat(en).values()]).toEqual(expect.arrayContaining(quoted));
});

describe('the keys', () => {
  it('are all used', () => {
    expect(unused(bases(en), [...clientSources(), ...exportedKeys()])).toEqual([]);
  });

  it('would be missed if they were not', () => {
    const sources = ["t('a.b'); t(`c.${code}`); t('x:e')", 't("f"); t(`l.${page}.${part}Title`)'];
    const used = ['x:a.b', 'x:c.d', 'x:e', 'x:f', 'x:l.terms.oneTitle'];
    const left = ['x:g', 'x:ca.b', 'x:c', 'x:l.terms.one', 'x:l.terms'];
    expect(unused([...used, ...left], sources)).toEqual(left);
  });
});
