import i18next, { type i18n, type Resource } from 'i18next';
import { initReactI18next } from 'react-i18next';

import type { en } from '#shared/i18n/en.ts';
import { fallbackLanguage, isLanguage, wishedLanguage, type Language } from '#shared/i18n/languages.ts';

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'common';
    resources: typeof en;
    enableSelector: false;
  }
}

const storageKey = 'colloquy-language';

// One lazy chunk a language: nobody loads three they do not read.
const loaders: Record<Language, () => Promise<Resource[string]>> = {
  en: async () => (await import('#shared/i18n/en.ts')).en,
  zh: async () => (await import('#shared/i18n/zh.ts')).zh,
  ru: async () => (await import('#shared/i18n/ru.ts')).ru,
  es: async () => (await import('#shared/i18n/es.ts')).es,
};

export async function startI18n(): Promise<i18n> {
  const language = storedLanguage() ?? wishedLanguage(navigator.languages);
  const instance = i18next.createInstance();
  await instance.use(initReactI18next).init({
    fallbackLng: false,
    supportedLngs: Object.keys(loaders),
    defaultNS: 'common',
    interpolation: { escapeValue: false },
    returnNull: false,
    resources: {},
    partialBundledLanguages: true,
    react: { useSuspense: false },
  });
  await show(instance, language);
  return instance;
}

/** Loads what is missing, then changes every text at once. */
export async function changeLanguage(instance: i18n, language: Language): Promise<void> {
  await show(instance, language);
  remember(language);
}

async function show(instance: i18n, wanted: Language): Promise<void> {
  const language = (await load(instance, wanted)) ? wanted : fallbackLanguage;
  if (language !== wanted) await load(instance, language);
  await instance.changeLanguage(language);
  document.documentElement.lang = language;
  document.documentElement.dir = instance.dir(language);
}

async function load(instance: i18n, language: Language): Promise<boolean> {
  if (instance.hasResourceBundle(language, 'common')) return true;
  try {
    for (const [namespace, texts] of Object.entries(await loaders[language]())) {
      instance.addResourceBundle(language, namespace, texts);
    }
    return true;
  } catch {
    return false;
  }
}

function storedLanguage(): Language | null {
  try {
    const stored = localStorage.getItem(storageKey);
    return isLanguage(stored) ? stored : null;
  } catch {
    return null;
  }
}

function remember(language: Language): void {
  try {
    localStorage.setItem(storageKey, language);
  } catch {
    // Storage refused: the choice lasts as long as the page, and the profile still has it.
  }
}
