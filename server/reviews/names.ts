import type { Language } from '#shared/i18n/languages.ts';
import { marksOf } from '#shared/i18n/marks.ts';
import { reviewsEn } from '#shared/i18n/reviews/en.ts';
import { reviewsEs } from '#shared/i18n/reviews/es.ts';
import { reviewsRu } from '#shared/i18n/reviews/ru.ts';
import { reviewsZh } from '#shared/i18n/reviews/zh.ts';

const words = {
  en: reviewsEn.agreement.reviewer,
  es: reviewsEs.agreement.reviewer,
  ru: reviewsRu.agreement.reviewer,
  zh: reviewsZh.agreement.reviewer,
} as const satisfies Record<Language, string>;

/** Reviewer of an anonymous review by the number in its list, as a screen says it; behind the name for those who learn it. */
export function numberedName(language: Language, number: number, name: string | null = null): string {
  const numbered = words[language].replace('{{number}}', String(number));
  const [open, close] = marksOf(language).remark;
  return name ? `${name}${open}${numbered}${close}` : numbered;
}
