import type { Language } from '#shared/i18n/languages.ts';
import { reviewsEn } from '#shared/i18n/reviews/en.ts';
import { reviewsEs } from '#shared/i18n/reviews/es.ts';
import { reviewsRu } from '#shared/i18n/reviews/ru.ts';
import { reviewsZh } from '#shared/i18n/reviews/zh.ts';

type Texts<T> = { readonly [K in keyof T]: string };

interface ReportWords {
  report: Texts<(typeof reviewsEn)['report']>;
  /** A reviewer without a name. */
  reviewer: string;
}

/** The texts of the screen, for files. */
export const reportWords: Record<Language, ReportWords> = {
  en: { report: reviewsEn.report, reviewer: reviewsEn.agreement.reviewer },
  es: { report: reviewsEs.report, reviewer: reviewsEs.agreement.reviewer },
  ru: { report: reviewsRu.report, reviewer: reviewsRu.agreement.reviewer },
  zh: { report: reviewsZh.report, reviewer: reviewsZh.agreement.reviewer },
};
