import i18next, { type FormatterModule, type i18n, type Resource } from 'i18next';

import type { en } from '#shared/i18n/en.ts';
import type { enginesEn } from '#shared/i18n/engines/en.ts';
import type { billingEn } from '#shared/i18n/billing/en.ts';
import type { findingEn } from '#shared/i18n/finding/en.ts';
import type { groupsEn } from '#shared/i18n/groups/en.ts';
import type { intakeEn } from '#shared/i18n/intake/en.ts';
import type { meetingEn } from '#shared/i18n/meetings/en.ts';
import type { ordersEn } from '#shared/i18n/orders/en.ts';
import type { paymentsEn } from '#shared/i18n/payments/en.ts';
import type { profileEn } from '#shared/i18n/profile/en.ts';
import type { recorderEn } from '#shared/i18n/recorder/en.ts';
import type { reviewsEn } from '#shared/i18n/reviews/en.ts';
import type { sharingEn } from '#shared/i18n/sharing/en.ts';
import type { supportEn } from '#shared/i18n/support/en.ts';
import type { toursEn } from '#shared/i18n/tours/en.ts';
import { fallbackLanguage, isLanguage, wishedLanguage, type Language } from '#shared/i18n/languages.ts';

import type { HabitKey } from './device-keys.ts';

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'common';
    resources: typeof en &
      typeof meetingEn &
      typeof intakeEn &
      typeof ordersEn &
      typeof enginesEn &
      typeof paymentsEn &
      typeof profileEn &
      typeof recorderEn &
      typeof reviewsEn &
      typeof sharingEn &
      typeof supportEn &
      typeof toursEn &
      typeof findingEn &
      typeof groupsEn &
      typeof billingEn;
    enableSelector: false;
  }
}

const storageKey: HabitKey = 'colloquy-language';

type Load = () => Promise<Resource[string]>;

/** The parts of the texts; those of large screens are loaded with their screens. */
export type TextPart =
  | 'billing'
  | 'common'
  | 'document'
  | 'engines'
  | 'finding'
  | 'groups'
  | 'intake'
  | 'orders'
  | 'payments'
  | 'profile'
  | 'recorder'
  | 'reviews'
  | 'sharing'
  | 'supportChat'
  | 'tours';

// One lazy chunk per language.
const loaders: Record<TextPart, Record<Language, Load>> = {
  common: {
    en: async () => (await import('#shared/i18n/en.ts')).en,
    zh: async () => (await import('#shared/i18n/zh.ts')).zh,
    ru: async () => (await import('#shared/i18n/ru.ts')).ru,
    es: async () => (await import('#shared/i18n/es.ts')).es,
  },
  document: {
    en: async () => (await import('#shared/i18n/meetings/en.ts')).meetingEn,
    zh: async () => (await import('#shared/i18n/meetings/zh.ts')).meetingZh,
    ru: async () => (await import('#shared/i18n/meetings/ru.ts')).meetingRu,
    es: async () => (await import('#shared/i18n/meetings/es.ts')).meetingEs,
  },
  engines: {
    en: async () => (await import('#shared/i18n/engines/en.ts')).enginesEn,
    zh: async () => (await import('#shared/i18n/engines/zh.ts')).enginesZh,
    ru: async () => (await import('#shared/i18n/engines/ru.ts')).enginesRu,
    es: async () => (await import('#shared/i18n/engines/es.ts')).enginesEs,
  },
  billing: {
    en: async () => (await import('#shared/i18n/billing/en.ts')).billingEn,
    zh: async () => (await import('#shared/i18n/billing/zh.ts')).billingZh,
    ru: async () => (await import('#shared/i18n/billing/ru.ts')).billingRu,
    es: async () => (await import('#shared/i18n/billing/es.ts')).billingEs,
  },
  supportChat: {
    en: async () => (await import('#shared/i18n/support/en.ts')).supportEn,
    zh: async () => (await import('#shared/i18n/support/zh.ts')).supportZh,
    ru: async () => (await import('#shared/i18n/support/ru.ts')).supportRu,
    es: async () => (await import('#shared/i18n/support/es.ts')).supportEs,
  },
  finding: {
    en: async () => (await import('#shared/i18n/finding/en.ts')).findingEn,
    zh: async () => (await import('#shared/i18n/finding/zh.ts')).findingZh,
    ru: async () => (await import('#shared/i18n/finding/ru.ts')).findingRu,
    es: async () => (await import('#shared/i18n/finding/es.ts')).findingEs,
  },
  groups: {
    en: async () => (await import('#shared/i18n/groups/en.ts')).groupsEn,
    zh: async () => (await import('#shared/i18n/groups/zh.ts')).groupsZh,
    ru: async () => (await import('#shared/i18n/groups/ru.ts')).groupsRu,
    es: async () => (await import('#shared/i18n/groups/es.ts')).groupsEs,
  },
  intake: {
    en: async () => (await import('#shared/i18n/intake/en.ts')).intakeEn,
    zh: async () => (await import('#shared/i18n/intake/zh.ts')).intakeZh,
    ru: async () => (await import('#shared/i18n/intake/ru.ts')).intakeRu,
    es: async () => (await import('#shared/i18n/intake/es.ts')).intakeEs,
  },
  orders: {
    en: async () => (await import('#shared/i18n/orders/en.ts')).ordersEn,
    zh: async () => (await import('#shared/i18n/orders/zh.ts')).ordersZh,
    ru: async () => (await import('#shared/i18n/orders/ru.ts')).ordersRu,
    es: async () => (await import('#shared/i18n/orders/es.ts')).ordersEs,
  },
  payments: {
    en: async () => (await import('#shared/i18n/payments/en.ts')).paymentsEn,
    zh: async () => (await import('#shared/i18n/payments/zh.ts')).paymentsZh,
    ru: async () => (await import('#shared/i18n/payments/ru.ts')).paymentsRu,
    es: async () => (await import('#shared/i18n/payments/es.ts')).paymentsEs,
  },
  profile: {
    en: async () => (await import('#shared/i18n/profile/en.ts')).profileEn,
    zh: async () => (await import('#shared/i18n/profile/zh.ts')).profileZh,
    ru: async () => (await import('#shared/i18n/profile/ru.ts')).profileRu,
    es: async () => (await import('#shared/i18n/profile/es.ts')).profileEs,
  },
  recorder: {
    en: async () => (await import('#shared/i18n/recorder/en.ts')).recorderEn,
    zh: async () => (await import('#shared/i18n/recorder/zh.ts')).recorderZh,
    ru: async () => (await import('#shared/i18n/recorder/ru.ts')).recorderRu,
    es: async () => (await import('#shared/i18n/recorder/es.ts')).recorderEs,
  },
  reviews: {
    en: async () => (await import('#shared/i18n/reviews/en.ts')).reviewsEn,
    zh: async () => (await import('#shared/i18n/reviews/zh.ts')).reviewsZh,
    ru: async () => (await import('#shared/i18n/reviews/ru.ts')).reviewsRu,
    es: async () => (await import('#shared/i18n/reviews/es.ts')).reviewsEs,
  },
  sharing: {
    en: async () => (await import('#shared/i18n/sharing/en.ts')).sharingEn,
    zh: async () => (await import('#shared/i18n/sharing/zh.ts')).sharingZh,
    ru: async () => (await import('#shared/i18n/sharing/ru.ts')).sharingRu,
    es: async () => (await import('#shared/i18n/sharing/es.ts')).sharingEs,
  },
  tours: {
    en: async () => (await import('#shared/i18n/tours/en.ts')).toursEn,
    zh: async () => (await import('#shared/i18n/tours/zh.ts')).toursZh,
    ru: async () => (await import('#shared/i18n/tours/ru.ts')).toursRu,
    es: async () => (await import('#shared/i18n/tours/es.ts')).toursEs,
  },
};

/** The parts in use on this page; a change of language loads all of them. */
const wanted = new Set<TextPart>(['common']);

export async function startI18n(): Promise<i18n> {
  const language = storedLanguage() ?? wishedLanguage(navigator.languages);
  const instance = i18next.createInstance().use(counts);
  await instance.init({
    fallbackLng: false,
    supportedLngs: Object.keys(loaders.common),
    defaultNS: 'common',
    interpolation: { escapeValue: false, alwaysFormat: true },
    returnNull: false,
    resources: {},
    partialBundledLanguages: true,
  });
  await show(instance, language);
  return instance;
}

/** Writes how many there are as the language writes large numbers; other values stay as they are given. */
const counts: FormatterModule = {
  type: 'formatter',
  init: () => {},
  add: () => {},
  addCached: () => {},
  format: (value: unknown, _format, language, options) =>
    options?.['interpolationkey'] === 'count' && typeof value === 'number' && value >= 1000
      ? value.toLocaleString(language)
      : (value as string),
};

/** Loads the missing texts, then changes all of them at once. */
export async function changeLanguage(instance: i18n, language: Language): Promise<void> {
  await show(instance, language);
  remember(language);
}

async function show(instance: i18n, chosen: Language): Promise<void> {
  const language = (await loadAll(instance, chosen)) ? chosen : fallbackLanguage;
  if (language !== chosen) await loadAll(instance, language);
  await instance.changeLanguage(language);
  document.documentElement.lang = language;
  document.documentElement.dir = instance.dir(language);
}

async function loadAll(instance: i18n, language: Language): Promise<boolean> {
  // A screen may need another part meanwhile; without it, the screen would show keys instead of texts.
  for (let loaded = 0; loaded < wanted.size;) {
    const parts = [...wanted];
    if ((await Promise.all(parts.map((part) => load(instance, part, language)))).includes(false)) return false;
    loaded = parts.length;
  }
  return true;
}

async function load(instance: i18n, part: TextPart, language: Language): Promise<boolean> {
  if (instance.hasResourceBundle(language, part)) return true;
  try {
    for (const [namespace, texts] of Object.entries(await loaders[part][language]())) {
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
    // Storage refused: the choice lasts as long as the page; the profile has it as well.
  }
}

/** Loads the texts of a part before its screen is drawn; rejects where they do not load. */
export async function needTexts(instance: i18n, part: TextPart): Promise<void> {
  wanted.add(part);
  if (!isLanguage(instance.language)) return;
  if (await load(instance, part, instance.language)) return;
  if (await load(instance, part, fallbackLanguage)) await instance.changeLanguage(fallbackLanguage);
  else throw new Error('the texts of this page could not be loaded');
}
