import {
  allExtensions,
  extensionOf,
  externalModel,
  fileLimits,
  humanModel,
  wrongOptions,
  type CostOption,
  type CreatedView,
  type LanguagesView,
} from '#shared/intake.ts';
import { defaultFormat, importFormats, type ImportFormat } from '#shared/formats/formats.ts';
import { longestTitle } from '#shared/meetings/about.ts';
import type { ServiceRecording } from '#shared/meeting-services.ts';

/** Where somebody is on the way from a file to a recording; the names are those of the specification. */
export type Step =
  | 'notLoggedIn'
  | 'uploadForm'
  | 'transcriptTypeSelecting'
  | 'processingOptionsSelecting'
  | 'externalTranscriptAdding'
  | 'destinationChoosing'
  | 'processing'
  | 'processingFailed'
  | 'duplicate'
  | 'success';

export type FileError = 'large' | 'empty' | 'unsupported';

type Offered = LanguagesView['models'][number];

/** What went wrong on the way, as the server says it. */
export interface Failure {
  message: string;
  requestId: string;
}

/** A recording that another service has, by the name it has there. */
export interface Picked extends ServiceRecording {
  name: string;
}

export interface Choices {
  title: string;
  /** Empty while nobody has chosen: then it is the first that is offered. */
  model: string;
  language: string;
  speakers: number;
  vocabulary: string;
  transcript: File | null;
  transcriptType: ImportFormat;
}

export interface Draft extends Choices {
  step: Step;
  /** Null also where somebody only has a transcript. */
  file: File | null;
  fileError: FileError | null;
  /** In the place of a file. */
  picked: Picked | null;
  /** Fields that are wrong, until they change. */
  wrong: ReadonlySet<keyof Choices>;
  created: CreatedView | null;
  failure: Failure | null;
}

export type Event =
  | { kind: 'file'; file: File }
  | { kind: 'picked'; picked: Picked }
  | { kind: 'forget error' }
  | { kind: 'only transcript' }
  | { kind: 'set'; choices: Partial<Choices> }
  | { kind: 'next'; models: readonly Offered[] }
  | { kind: 'back' }
  | { kind: 'created'; created: CreatedView }
  | { kind: 'ignore duplicate' }
  | { kind: 'processing' }
  | { kind: 'processed' }
  | { kind: 'failed'; failure: Failure }
  | { kind: 'again' };

/** What was chosen the last time. */
export interface Remembered {
  language?: string | undefined;
  speakersNumber?: number | undefined;
  vocab?: string | undefined;
  externalTranscriptTypeId?: string | undefined;
}

export function startDraft(signedIn: boolean, remembered: Remembered): Draft {
  return {
    step: signedIn ? 'uploadForm' : 'notLoggedIn',
    file: null,
    fileError: null,
    picked: null,
    title: '',
    model: '',
    language: remembered.language ?? 'en-US',
    speakers: remembered.speakersNumber ?? 2,
    vocabulary: remembered.vocab ?? '',
    transcript: null,
    transcriptType: importFormats.find((one) => one === remembered.externalTranscriptTypeId) ?? defaultFormat,
    wrong: new Set(),
    created: null,
    failure: null,
  };
}

/** The name without its ending, as a title. */
export const titleOf = (fileName: string): string => fileName.replace(/\.[^.]*$/, '').slice(0, longestTitle);

export function fileError({ name, size }: Pick<File, 'name' | 'size'>): FileError | null {
  if (size > fileLimits.mostBytes) return 'large';
  if (size < fileLimits.leastBytes) return 'empty';
  return allExtensions.includes(extensionOf(name) ?? '') ? null : 'unsupported';
}

/** By what programs write; `.doc` and the like are none of them. */
export const transcriptFiles: Readonly<Record<ImportFormat, readonly string[]>> = {
  TRME: ['docx'],
  REV: ['docx'],
  ZOOM: ['vtt'],
  RAE: ['txt', 'docx'],
  OTTERAI: ['txt', 'docx'],
  TURBOSCRIBE: ['txt', 'docx'],
};

export const fitsFormat = ({ transcript, transcriptType }: Pick<Choices, 'transcript' | 'transcriptType'>): boolean =>
  transcript !== null && transcriptFiles[transcriptType].includes(extensionOf(transcript.name) ?? '');

/** What has to be mended before the next step. */
function wrongIn(draft: Draft, models: readonly Offered[]): Set<keyof Choices> {
  const wrong = new Set<keyof Choices>();
  if (draft.step === 'externalTranscriptAdding') {
    if (!fitsFormat(draft)) wrong.add('transcript');
  } else if (draft.step === 'processingOptionsSelecting') {
    const names = { model: 'model', lang: 'language', spk_num: 'speakers' } as const;
    const { model, language, speakers } = draft;
    for (const { field } of wrongOptions({ model, lang: language, speakers }, models))
      wrong.add(names[field as keyof typeof names]);
  }
  if (draft.step !== 'transcriptTypeSelecting' && draft.title.trim() === '') wrong.add('title');
  return wrong;
}

/** The one that was chosen, or the first one. */
export const chosenModel = ({ model }: Pick<Draft, 'model'>, models: readonly Offered[]): string =>
  model || (models[0]?.name ?? externalModel);

export function advance(draft: Draft, event: Event): Draft {
  switch (event.kind) {
    case 'file': {
      const error = fileError(event.file);
      if (error !== null) return { ...draft, fileError: error };
      const title = titleOf(event.file.name);
      return { ...draft, step: 'transcriptTypeSelecting', file: event.file, picked: null, fileError: null, title };
    }
    case 'picked': {
      const { picked } = event;
      const title = picked.name.slice(0, longestTitle);
      return { ...draft, step: 'transcriptTypeSelecting', file: null, picked, fileError: null, title };
    }
    case 'forget error':
      return { ...draft, fileError: null };
    case 'only transcript':
      return { ...draft, step: 'externalTranscriptAdding', model: externalModel, fileError: null };
    case 'set': {
      const wrong = new Set([...draft.wrong].filter((field) => !(field in event.choices)));
      // A file of another kind, or another format: whether they fit is judged anew.
      if ('transcriptType' in event.choices) wrong.delete('transcript');
      const { transcript } = event.choices;
      const title = draft.title === '' && transcript ? titleOf(transcript.name) : draft.title;
      return { ...draft, title, ...event.choices, wrong };
    }
    case 'next': {
      const wrong = wrongIn(draft, event.models);
      if (wrong.size > 0) return { ...draft, wrong };
      const model = chosenModel(draft, event.models);
      const to: Partial<Record<Step, Step>> = {
        transcriptTypeSelecting: model === externalModel ? 'externalTranscriptAdding' : 'processingOptionsSelecting',
        externalTranscriptAdding: 'destinationChoosing',
        processingOptionsSelecting: 'destinationChoosing',
      };
      return { ...draft, wrong, model, step: to[draft.step] ?? draft.step };
    }
    case 'back':
      return draft.file || draft.picked
        ? { ...draft, wrong: new Set(), step: 'transcriptTypeSelecting' }
        : { ...draft, wrong: new Set(), step: 'uploadForm', model: '' };
    case 'created':
      return { ...draft, created: event.created, step: event.created.duplicateUrl ? 'duplicate' : draft.step };
    case 'ignore duplicate':
      return { ...draft, step: 'destinationChoosing' };
    case 'processing':
      return { ...draft, step: 'processing' };
    case 'processed':
      return { ...draft, step: 'success' };
    case 'failed':
      return { ...draft, step: 'processingFailed', failure: event.failure };
    case 'again':
      // Whatever was wrong with the transcript, another one can be chosen; the recording need not be sent again.
      return {
        ...draft,
        failure: null,
        step: draft.model === externalModel ? 'externalTranscriptAdding' : 'processingOptionsSelecting',
      };
  }
}

/** A way to pay that can be gone. */
export const isUsable = ({ isDelegated, isEnough, isEnoughQuota }: CostOption): boolean =>
  isEnoughQuota && (isDelegated || isEnough);

/** The one way there is to go on without asking; null where somebody has to choose, or to confirm what people do. */
export function onlyWay({ model, created }: Pick<Draft, 'model' | 'created'>): CostOption | null {
  const [option, ...others] = created?.costs ?? [];
  return option && others.length === 0 && model !== humanModel && isUsable(option) ? option : null;
}

/** Whether leaving here would lose something. */
export const asksBeforeLeaving = (step: Step): boolean =>
  !['notLoggedIn', 'uploadForm', 'processingFailed', 'success'].includes(step);

export const isInvalidTranscript = ({ message }: Failure): boolean => message.startsWith('Invalid transcript:');
