import { externalModel, noModel, recordingLanguages, type LanguagesView } from '#shared/intake.ts';

type Model = LanguagesView['models'][number];

/** A recording that is added now and transcribed later. */
const later: Model = {
  name: noModel,
  title: '',
  price: 0,
  languages: recordingLanguages.map((one) => ({ ...one, allowAutoSpeakers: true, onlyAutoSpeakers: false })),
};

/** Ways to add a recording: without speech recognition, first the one without a transcript. */
export const waysOf = (models: readonly Model[]): readonly Model[] =>
  models.every(({ name }) => name === externalModel) ? [later, ...models] : models;
