import { expect, test } from 'vitest';
import { languagesAndModels, recordingLanguages } from './intake.ts';

test('every language is a unique BCP 47 tag in its canonical spelling', () => {
  const tags = recordingLanguages.map(({ lang }) => lang);
  expect(Intl.getCanonicalLocales(tags)).toEqual(tags);
  expect(new Set(recordingLanguages.map(({ title }) => title)).size).toBe(tags.length);
  expect(tags[0]).toBe('en-US');
});

test('all languages but English are in the order of their names', () => {
  const titles = recordingLanguages.slice(4).map(({ title }) => title.replace(/ \(.*/, ''));
  expect(titles).toEqual(titles.toSorted((a, b) => a.localeCompare(b, 'en')));
});

test('languages and models refer to each other', () => {
  const { languages, models } = languagesAndModels([
    { name: 'speech', title: 'Speech', minutePrice: 100_000, onlyAutoSpeakers: true },
    { name: 'local', title: 'Local', minutePrice: 0, languages: ['en-US', 'de-DE'], onlyAutoSpeakers: false },
  ]);
  expect(models.map(({ name, price }) => [name, price])).toEqual([
    ['speech', 0.1],
    ['local', 0],
    ['external', 0],
  ]);
  for (const model of models) {
    expect(languages.filter((one) => one.models.includes(model.name)).map(({ lang }) => lang)).toEqual(
      model.languages.map(({ lang }) => lang),
    );
  }
});
