import type { SaidWords } from '#shared/formats/said.ts';
import type { PrintedWords } from '#shared/formats/printed.ts';
import type { Language } from '#shared/i18n/languages.ts';
import { comments as commentsEn } from '#shared/i18n/meetings/en/comments.ts';
import { contents as contentsEn } from '#shared/i18n/meetings/en/contents.ts';
import { exporting as exportEn } from '#shared/i18n/meetings/en/export.ts';
import { outcomes as outcomesEn } from '#shared/i18n/meetings/en/outcomes.ts';
import { speakers as speakersEn } from '#shared/i18n/meetings/en/speakers.ts';
import { summary as summaryEn } from '#shared/i18n/meetings/en/summary.ts';
import { comments as commentsEs } from '#shared/i18n/meetings/es/comments.ts';
import { contents as contentsEs } from '#shared/i18n/meetings/es/contents.ts';
import { exporting as exportEs } from '#shared/i18n/meetings/es/export.ts';
import { outcomes as outcomesEs } from '#shared/i18n/meetings/es/outcomes.ts';
import { speakers as speakersEs } from '#shared/i18n/meetings/es/speakers.ts';
import { summary as summaryEs } from '#shared/i18n/meetings/es/summary.ts';
import { comments as commentsRu } from '#shared/i18n/meetings/ru/comments.ts';
import { contents as contentsRu } from '#shared/i18n/meetings/ru/contents.ts';
import { exporting as exportRu } from '#shared/i18n/meetings/ru/export.ts';
import { outcomes as outcomesRu } from '#shared/i18n/meetings/ru/outcomes.ts';
import { speakers as speakersRu } from '#shared/i18n/meetings/ru/speakers.ts';
import { summary as summaryRu } from '#shared/i18n/meetings/ru/summary.ts';
import { comments as commentsZh } from '#shared/i18n/meetings/zh/comments.ts';
import { contents as contentsZh } from '#shared/i18n/meetings/zh/contents.ts';
import { exporting as exportZh } from '#shared/i18n/meetings/zh/export.ts';
import { outcomes as outcomesZh } from '#shared/i18n/meetings/zh/outcomes.ts';
import { speakers as speakersZh } from '#shared/i18n/meetings/zh/speakers.ts';
import { summary as summaryZh } from '#shared/i18n/meetings/zh/summary.ts';
import { reviewsEn } from '#shared/i18n/reviews/en.ts';
import { reviewsEs } from '#shared/i18n/reviews/es.ts';
import { reviewsRu } from '#shared/i18n/reviews/ru.ts';
import { reviewsZh } from '#shared/i18n/reviews/zh.ts';
import type { MeetingTexts } from '#shared/i18n/texts.ts';

const wordsOf = (
  comments: MeetingTexts['comments'],
  contents: MeetingTexts['contents'],
  exporting: MeetingTexts['export'],
  outcomes: MeetingTexts['outcomes'],
  summary: MeetingTexts['summary'],
  { agreement }: { agreement: { grades: string } },
): SaidWords => ({
  summary: summary.title,
  contents: contents.lists.toc.title,
  grades: agreement.grades,
  outcomes: outcomes.title,
  comments: comments.title,
  deleted: comments.blanked,
  private: exporting.kept,
  was: exporting.was,
  // Singular names replace plural ones: a line of the export is one outcome.
  types: { ...outcomes.types, ...outcomes.one },
});

const printedOf = (exporting: MeetingTexts['export'], speakers: MeetingTexts['speakers']): PrintedWords => ({
  ...exporting.facts,
  unknown: speakers.unknown,
});

/** Words of a PDF besides those of annotations. */
export const printedWords: Record<Language, PrintedWords> = {
  en: printedOf(exportEn, speakersEn),
  es: printedOf(exportEs, speakersEs),
  ru: printedOf(exportRu, speakersRu),
  zh: printedOf(exportZh, speakersZh),
};

/** Names of outcome types and grades. */
export const outcomeWords: Record<Language, Pick<MeetingTexts['outcomes'], 'types' | 'one' | 'about' | 'grades'>> = {
  en: outcomesEn,
  es: outcomesEs,
  ru: outcomesRu,
  zh: outcomesZh,
};

/** The texts of the screens, for exported files. */
export const saidWords: Record<Language, SaidWords> = {
  en: wordsOf(commentsEn, contentsEn, exportEn, outcomesEn, summaryEn, reviewsEn),
  es: wordsOf(commentsEs, contentsEs, exportEs, outcomesEs, summaryEs, reviewsEs),
  ru: wordsOf(commentsRu, contentsRu, exportRu, outcomesRu, summaryRu, reviewsRu),
  zh: wordsOf(commentsZh, contentsZh, exportZh, outcomesZh, summaryZh, reviewsZh),
};
