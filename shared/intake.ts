import { z } from 'zod';

/** The languages a recording may be in; the first is offered first. */
export const recordingLanguages = [
  { lang: 'en-US', title: 'English (United States)' },
  { lang: 'en-GB', title: 'English (United Kingdom)' },
  { lang: 'en-AU', title: 'English (Australia)' },
  { lang: 'en-IN', title: 'English (India)' },
  { lang: 'ar-SA', title: 'Arabic' },
  { lang: 'bg-BG', title: 'Bulgarian' },
  { lang: 'ca-ES', title: 'Catalan' },
  { lang: 'zh-CN', title: 'Chinese (Mandarin, simplified)' },
  { lang: 'zh-TW', title: 'Chinese (Mandarin, traditional)' },
  { lang: 'zh-HK', title: 'Chinese (Cantonese)' },
  { lang: 'hr-HR', title: 'Croatian' },
  { lang: 'cs-CZ', title: 'Czech' },
  { lang: 'da-DK', title: 'Danish' },
  { lang: 'nl-NL', title: 'Dutch' },
  { lang: 'et-EE', title: 'Estonian' },
  { lang: 'fi-FI', title: 'Finnish' },
  { lang: 'fr-FR', title: 'French (France)' },
  { lang: 'fr-CA', title: 'French (Canada)' },
  { lang: 'de-DE', title: 'German' },
  { lang: 'el-GR', title: 'Greek' },
  { lang: 'he-IL', title: 'Hebrew' },
  { lang: 'hi-IN', title: 'Hindi' },
  { lang: 'hu-HU', title: 'Hungarian' },
  { lang: 'id-ID', title: 'Indonesian' },
  { lang: 'it-IT', title: 'Italian' },
  { lang: 'ja-JP', title: 'Japanese' },
  { lang: 'kk-KZ', title: 'Kazakh' },
  { lang: 'ko-KR', title: 'Korean' },
  { lang: 'lv-LV', title: 'Latvian' },
  { lang: 'lt-LT', title: 'Lithuanian' },
  { lang: 'ms-MY', title: 'Malay' },
  { lang: 'nb-NO', title: 'Norwegian' },
  { lang: 'fa-IR', title: 'Persian' },
  { lang: 'pl-PL', title: 'Polish' },
  { lang: 'pt-BR', title: 'Portuguese (Brazil)' },
  { lang: 'pt-PT', title: 'Portuguese (Portugal)' },
  { lang: 'ro-RO', title: 'Romanian' },
  { lang: 'ru-RU', title: 'Russian' },
  { lang: 'sr-RS', title: 'Serbian' },
  { lang: 'sk-SK', title: 'Slovak' },
  { lang: 'sl-SI', title: 'Slovenian' },
  { lang: 'es-ES', title: 'Spanish (Spain)' },
  { lang: 'es-MX', title: 'Spanish (Mexico)' },
  { lang: 'sv-SE', title: 'Swedish' },
  { lang: 'th-TH', title: 'Thai' },
  { lang: 'tr-TR', title: 'Turkish' },
  { lang: 'uk-UA', title: 'Ukrainian' },
  { lang: 'vi-VN', title: 'Vietnamese' },
] as const;

/** The model of somebody who brings a transcript along: nothing is transcribed, so nothing is paid. */
export const externalModel = 'external';

export const languagesView = z.object({
  languages: z.array(z.object({ title: z.string(), lang: z.string(), models: z.array(z.string()) })),
  models: z.array(
    z.object({
      name: z.string(),
      title: z.string(),
      /** USD a minute; of the external model, for all of it. */
      price: z.number(),
      languages: z.array(
        z.object({
          title: z.string(),
          lang: z.string(),
          allowAutoSpeakers: z.boolean(),
          onlyAutoSpeakers: z.boolean(),
        }),
      ),
    }),
  ),
});
export type LanguagesView = z.infer<typeof languagesView>;

/** What a recording may be in, and by which model; one more model is one more entry. */
export function languagesAndModels(): LanguagesView {
  return {
    languages: recordingLanguages.map((one) => ({ ...one, models: [externalModel] })),
    models: [
      {
        name: externalModel,
        title: 'External transcript',
        price: 0,
        languages: recordingLanguages.map((one) => ({ ...one, allowAutoSpeakers: true, onlyAutoSpeakers: false })),
      },
    ],
  };
}
