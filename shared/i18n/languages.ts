/** Languages of the interface, each by its own name. */
export const languageNames = { en: 'English', zh: '中文', ru: 'Русский', es: 'Español' } as const;

export type Language = keyof typeof languageNames;

export const fallbackLanguage: Language = 'en';

export function isLanguage(value: unknown): value is Language {
  return typeof value === 'string' && Object.hasOwn(languageNames, value);
}

/** Language for a browser's list of preferences. Chinese is never chosen automatically, only by people. */
export function wishedLanguage(wishes: readonly string[]): Language {
  for (const wish of wishes) {
    const [primary = ''] = wish.toLowerCase().split('-');
    if (isLanguage(primary) && primary !== 'zh') return primary;
  }
  return fallbackLanguage;
}

/** Language for an Accept-Language header. */
export const acceptedLanguage = (header: string | undefined): Language =>
  wishedLanguage((header ?? '').split(',').map((wish) => wish.replace(/;.*/, '').trim()));
