/** The interface's languages, by the name each has for itself. */
export const languageNames = { en: 'English', zh: '中文', ru: 'Русский', es: 'Español' } as const;

export type Language = keyof typeof languageNames;

export const fallbackLanguage: Language = 'en';

export function isLanguage(value: unknown): value is Language {
  return typeof value === 'string' && Object.hasOwn(languageNames, value);
}

/** What a browser's list of wishes comes to. Chinese is chosen by people only, never by this. */
export function wishedLanguage(wishes: readonly string[]): Language {
  for (const wish of wishes) {
    const [primary = ''] = wish.toLowerCase().split('-');
    if (isLanguage(primary) && primary !== 'zh') return primary;
  }
  return fallbackLanguage;
}
