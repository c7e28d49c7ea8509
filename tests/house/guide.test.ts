// The guide: every page in every language, with the same controls, each by the text it has on screen.
import { describe, expect, test } from 'vitest';
import { guidePages, readGuide } from '#shared/guide.ts';
import { en } from '#shared/i18n/en.ts';
import { es } from '#shared/i18n/es.ts';
import { intakeEn } from '#shared/i18n/intake/en.ts';
import { intakeEs } from '#shared/i18n/intake/es.ts';
import { intakeRu } from '#shared/i18n/intake/ru.ts';
import { intakeZh } from '#shared/i18n/intake/zh.ts';
import { meetingEn } from '#shared/i18n/meetings/en.ts';
import { meetingEs } from '#shared/i18n/meetings/es.ts';
import { meetingRu } from '#shared/i18n/meetings/ru.ts';
import { meetingZh } from '#shared/i18n/meetings/zh.ts';
import { recorderEn } from '#shared/i18n/recorder/en.ts';
import { recorderEs } from '#shared/i18n/recorder/es.ts';
import { recorderRu } from '#shared/i18n/recorder/ru.ts';
import { recorderZh } from '#shared/i18n/recorder/zh.ts';
import { ru } from '#shared/i18n/ru.ts';
import { reviewsEn } from '#shared/i18n/reviews/en.ts';
import { sharingEn } from '#shared/i18n/sharing/en.ts';
import { reviewsEs } from '#shared/i18n/reviews/es.ts';
import { sharingEs } from '#shared/i18n/sharing/es.ts';
import { reviewsRu } from '#shared/i18n/reviews/ru.ts';
import { sharingRu } from '#shared/i18n/sharing/ru.ts';
import { reviewsZh } from '#shared/i18n/reviews/zh.ts';
import { sharingZh } from '#shared/i18n/sharing/zh.ts';
import { zh } from '#shared/i18n/zh.ts';
import { files, read } from './files.ts';

const texts = {
  en: { ...en, ...meetingEn, ...sharingEn, ...reviewsEn, ...recorderEn, ...intakeEn },
  es: { ...es, ...meetingEs, ...sharingEs, ...reviewsEs, ...recorderEs, ...intakeEs },
  ru: { ...ru, ...meetingRu, ...sharingRu, ...reviewsRu, ...recorderRu, ...intakeRu },
  zh: { ...zh, ...meetingZh, ...sharingZh, ...reviewsZh, ...recorderZh, ...intakeZh },
};
const languages = Object.keys(texts) as (keyof typeof texts)[];
const sourceOf = (language: string, page: string) => read(`shared/guide/${language}/${page}.md`);
const labelsIn = (source: string) =>
  readGuide(source).flatMap(({ lines }) => lines.flat().flatMap((part) => (part.kind === 'label' ? [part.key] : [])));

function textOf(language: keyof typeof texts, key: string): unknown {
  const path = key.replace(':', '.').split('.');
  return path.reduce<unknown>(
    (found, name) => (typeof found === 'object' && found !== null ? Reflect.get(found, name) : undefined),
    texts[language],
  );
}

test('has every page in every language, and no other file', () => {
  const there = files().filter((file) => file.startsWith('shared/guide/'));
  expect(there.toSorted()).toEqual(
    languages.flatMap((language) => guidePages.map((page) => `shared/guide/${language}/${page}.md`)).toSorted(),
  );
});

describe.each(languages)('%s', (language) => {
  test.each(guidePages)('%s begins with its title and names controls that are there', (page) => {
    const source = sourceOf(language, page);
    expect(readGuide(source).flatMap(({ kind }, nth) => (kind === 'title' ? [nth] : []))).toEqual([0]);
    for (const key of labelsIn(source)) {
      // A text with a gap would be shown with its marks.
      expect(textOf(language, key), key).toEqual(expect.stringMatching(/^(?!.*\{\{).+$/));
    }
    expect(labelsIn(source).toSorted()).toEqual(labelsIn(sourceOf('en', page)).toSorted());
    expect(labelsIn(source).length).toBeGreaterThan(2);
  });
});

test('would miss a control that is gone', () => {
  expect(textOf('en', 'document:share')).toBe('Share');
  expect(textOf('en', 'document:shared')).toBeUndefined();
});
