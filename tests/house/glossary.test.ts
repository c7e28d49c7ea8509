// The words of each language are those of the glossary (shared/i18n/glossary.ts), in one form of address, with the
// punctuation of the language.
import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { glossary, type Term } from '#shared/i18n/glossary.ts';
import { en as enMails } from '#shared/mails/en.ts';
import { es as esMails } from '#shared/mails/es.ts';
import { ru as ruMails } from '#shared/mails/ru.ts';
import { zh as zhMails } from '#shared/mails/zh.ts';
import { files, read } from './files.ts';

const languages = ['es', 'ru', 'zh'] as const;
type Language = (typeof languages)[number];
type Flat = ReadonlyMap<string, string>;

const mails = { en: enMails, es: esMails, ru: ruMails, zh: zhMails };

function flat(node: object, path = ''): [key: string, text: string][] {
  return Object.entries(node).flatMap(([key, value]: [string, unknown]): [string, string][] => {
    if (typeof value === 'string') return [[`${path}${key}`, value]];
    return value !== null && typeof value === 'object' ? flat(value, `${path}${key}.`) : [];
  });
}

/** Every text of the screens and mails, of every folder there is, by `namespace.key`. */
async function textsOf(language: 'en' | Language): Promise<Flat> {
  const folder = new URL('../../shared/i18n/', import.meta.url);
  const namespaces = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const paths = [`${language}.ts`, ...namespaces.map(({ name }) => `${name}/${language}.ts`)];
  const modules = await Promise.all(paths.map((path) => import(new URL(path, folder).href) as Promise<object>));
  return new Map([
    ...modules.flatMap((module) => Object.values(module).flatMap((texts: object) => flat(texts))),
    ...flat(mails[language], 'mails.'),
  ]);
}

const en = await textsOf('en');
const texts = { es: await textsOf('es'), ru: await textsOf('ru'), zh: await textsOf('zh') };

/** The English text of a key; a plural form that English has not is measured by its `other`. */
const englishOf = (english: Flat, key: string) => english.get(key) ?? english.get(key.replace(/_\w+$/, '_other')) ?? '';

/** Text to read: without the names of what is filled in. */
const said = (text: string) => text.replaceAll(/\{\{\w+\}\}|<\/?\w+>/g, '');

function offTerm(term: Term, language: Language, english: Flat, own: Flat): string[] {
  const [, forms] = term[language];
  return [...own]
    .filter(([key]) => !(term.passes ?? []).includes(key.replace(/_(one|few|many|other)$/, '')))
    .filter(([key, text]) => {
      const misses = term.en[1].test(said(englishOf(english, key))) && !forms.test(said(text));
      return misses || term.never?.[language]?.test(said(text)) === true;
    })
    .map(([key, text]) => `${key}: ${text}`);
}

describe.each(Object.entries(glossary))('%s', (_, term) => {
  test.each(languages)('has its word in %s wherever English has it', (language) => {
    expect(offTerm(term, language, en, texts[language])).toEqual([]);
  });

  test('is what its own forms find, and each exception is a text', () => {
    for (const language of ['en', ...languages] as const) {
      const [word, forms] = term[language];
      expect(word, language).toMatch(forms);
      if (language !== 'en') expect(term.never?.[language]?.test(word) ?? false, language).toBe(false);
    }
    const keys = new Set([...en.keys()].map((key) => key.replace(/_(one|other)$/, '')));
    expect((term.passes ?? []).filter((key) => !keys.has(key))).toEqual([]);
  });
});

/** Ways of writing that a language does not have, in texts and in the guide. */
const never: Record<Language, RegExp> = {
  // Spanish says tú, as Google Docs does: neither usted nor its imperatives.
  es: /\bustede?s?\b|\bUstede?s?\b|(?<!\p{L})(Abra|Añada|Apunte|Asigne|Busque|Cierre|Comparta|Compruebe|Conecte|Confirme|Copie|Cópiel[oa]s?|Cree|Deje|Déjelo|Descargue|Elija|Empiece|Envíe|Escoja|Escriba|Escuche|Escúchela|Espere|Haga|Ignore|Inicie|Inténtelo|Introduzca|Mantenga|Mire|Permita|Pida|Pise|Ponga|Pulse|Púlsel[oa]|Responda|Revise|Saque|Seleccione|Tome|Vea|Vuelva)(?!\p{L})|(?<!\p{L})(y|o|,) (abra|cópiel[oa]s?|descártel[oa]|elija|escriba|inténtelo|permítalo|pulse|revíselo|seleccione)(?!\p{L})/u,
  // Russian writes вы small and never says ты.
  ru: /[\p{Ll},»–—] (Вы|Вас|Вам|Вами|Ваш\p{Ll}*)(?!\p{L})|(?<!\p{L})(ты|тебя|тебе|тобой|твой|твоя|твоё|твои)(?!\p{L})/u,
  // Chinese says 您 and writes its own punctuation.
  zh: /你|[\p{Script=Han}] ?[,;:!?()]|[,;!?()] ?[\p{Script=Han}]|[\p{Script=Han}]\.{1,3}(?!\p{L})|["']/u,
};

const guide = (language: Language): [string, string][] =>
  files()
    .filter((file) => file.startsWith(`shared/guide/${language}/`))
    .flatMap((file) =>
      read(file)
        .split('\n')
        .map((line, i): [string, string] => [`${file}:${i + 1}`, line]),
    );

test.each(languages)('%s has one form of address, and its own punctuation', (language) => {
  const found = [...texts[language], ...guide(language)].filter(([, text]) =>
    never[language].test(said(text).replaceAll(/`[^`]*`|\{[\w:.]+\}/g, '')),
  );
  expect(found.map(([key, text]) => `${key}: ${text}`)).toEqual([]);
});

test('a text off its term or form is found', () => {
  const english: Flat = new Map([
    ['a', 'Share the folder'],
    ['b', 'Save'],
    ['c_other', '{{count}} folders'],
  ]);
  const { folder, share } = glossary as { folder: Term; share: Term };
  expect(offTerm(folder, 'es', english, new Map([['a', 'Compartir la carpeta']]))).toEqual([]);
  expect(offTerm(folder, 'es', english, new Map([['a', 'Compartirlo']]))).toEqual(['a: Compartirlo']);
  expect(offTerm(folder, 'ru', english, new Map([['c_few', '{{folder}}']]))).toEqual(['c_few: {{folder}}']);
  expect(offTerm(share, 'zh', english, new Map([['b', '分享']]))).toEqual(['b: 分享']);
  expect(offTerm({ ...folder, passes: ['c'] }, 'ru', english, new Map([['c_few', '—']]))).toEqual([]);
  for (const text of ['Pulse la tecla', 'Para usted']) expect(text).toMatch(never.es);
  for (const text of ['Pulsa la tecla', 'para ti']) expect(text).not.toMatch(never.es);
  for (const text of ['Если Вы вошли', 'твоя запись']) expect(text).toMatch(never.ru);
  expect('Вы вошли. Вам открыт доступ, и вы').not.toMatch(never.ru);
  for (const text of ['你的录音', '录音,文件', '取消?', '录音...']) expect(text).toMatch(never.zh);
  for (const text of ['您的录音，文件', '按 Alt+K：播放']) expect(text).not.toMatch(never.zh);
});
