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

export type FileError = 'large' | 'empty' | 'unsupported' | 'arf';

type Offered = LanguagesView['models'][number];

/** What went wrong on the way, as the server says it. */
export interface Failure {
  message: string;
  requestId: string;
  /** What of the form it is about, where the server says that. */
  field?: string | undefined;
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
  /** What `created` was made of; with something else in its place it takes another one. */
  made: Made | null;
  /** There is nothing any more of what was created. */
  lost: boolean;
  /** It costs something else than was seen: nothing goes on by itself. */
  repriced: boolean;
  /** What somebody should know of their transcript has not been read yet. */
  unread: boolean;
  /** It is known that this file was added before. */
  ignoresDuplicate: boolean;
  failure: Failure | null;
}

type Made = Pick<Draft, 'model' | 'file' | 'picked' | 'transcript' | 'transcriptType'>;

export type Event =
  /** `anyway`: somebody has read that nothing here knows how to read it, and wants it sent. */
  | { kind: 'file'; file: File; anyway?: boolean }
  | { kind: 'picked'; picked: Picked }
  | { kind: 'forget error' }
  | { kind: 'only transcript' }
  | { kind: 'set'; choices: Partial<Choices> }
  | { kind: 'next'; models: readonly Offered[] }
  | { kind: 'back' }
  | { kind: 'created'; created: CreatedView }
  | { kind: 'ignore duplicate' }
  | { kind: 'notes read' }
  | { kind: 'processing' }
  | { kind: 'processed' }
  | { kind: 'price'; costs: readonly CostOption[] }
  /** With `lost` there is nothing any more that could be gone on with. */
  | { kind: 'failed'; failure: Failure; lost?: boolean }
  | { kind: 'signed in' }
  | { kind: 'again' }
  | { kind: 'other file' };

/** What was chosen the last time. */
export interface Remembered {
  language?: string | undefined;
  speakersNumber?: number | undefined;
  vocab?: string | undefined;
  model?: string | undefined;
  externalTranscriptTypeId?: string | undefined;
}

export function startDraft(signedIn: boolean, remembered: Remembered): Draft {
  return {
    step: signedIn ? 'uploadForm' : 'notLoggedIn',
    file: null,
    fileError: null,
    picked: null,
    title: '',
    model: remembered.model ?? '',
    language: remembered.language ?? 'en-US',
    speakers: remembered.speakersNumber ?? 2,
    vocabulary: remembered.vocab ?? '',
    transcript: null,
    transcriptType: importFormats.find((one) => one === remembered.externalTranscriptTypeId) ?? defaultFormat,
    wrong: new Set(),
    created: null,
    made: null,
    lost: false,
    repriced: false,
    unread: false,
    ignoresDuplicate: false,
    failure: null,
  };
}

/** The name without its ending, as a title. */
export const titleOf = (fileName: string): string => fileName.replace(/\.[^.]*$/, '').slice(0, longestTitle);

export function fileError({ name, size }: Pick<File, 'name' | 'size'>): FileError | null {
  if (size > fileLimits.mostBytes) return 'large';
  if (size < fileLimits.leastBytes) return 'empty';
  const extension = extensionOf(name) ?? '';
  // Nothing but the program that wrote it can read it: better known before it is sent than after.
  if (extension === 'arf') return 'arf';
  return allExtensions.includes(extension) ? null : 'unsupported';
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

/** The one that was chosen, now or the last time, or the first one; what is not offered any more is none. */
export const chosenModel = ({ model }: Pick<Draft, 'model'>, models: readonly Offered[]): string =>
  models.some(({ name }) => name === model) ? model : (models[0]?.name ?? externalModel);

/** Its options can be changed; what it is made of cannot. */
function isStillOf({ made, lost }: Pick<Draft, 'made' | 'lost'>, draft: Made): boolean {
  if (made === null || lost) return false;
  const transcribed = draft.model === externalModel;
  return (
    made.model === draft.model &&
    made.file === draft.file &&
    made.picked === draft.picked &&
    (!transcribed || (made.transcript === draft.transcript && made.transcriptType === draft.transcriptType))
  );
}

/** What people paste, in one line. */
export const collapsed = (text: string): string => text.replace(/\s+/g, ' ');

export function advance(draft: Draft, event: Event): Draft {
  switch (event.kind) {
    case 'file': {
      const error = fileError(event.file);
      if (error !== null && !(error === 'arf' && event.anyway === true)) return { ...draft, fileError: error };
      const title = titleOf(event.file.name);
      return { ...begunAnew(draft), step: 'transcriptTypeSelecting', file: event.file, title };
    }
    case 'picked': {
      const { picked } = event;
      const title = picked.name.slice(0, longestTitle);
      return { ...begunAnew(draft), step: 'transcriptTypeSelecting', picked, title };
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
      const step = to[draft.step] ?? draft.step;
      const same = step !== 'destinationChoosing' || isStillOf(draft, { ...draft, model });
      return { ...draft, wrong, model, step, created: same ? draft.created : null };
    }
    case 'back':
      // What was made stands; with the same choices it is taken as it is.
      if (draft.step === 'destinationChoosing') return { ...draft, step: choosingStep(draft) };
      return draft.file || draft.picked
        ? { ...draft, wrong: new Set(), step: 'transcriptTypeSelecting' }
        : { ...draft, wrong: new Set(), step: 'uploadForm', model: '' };
    case 'created': {
      const { model, file, picked, transcript, transcriptType } = draft;
      const made = { model, file, picked, transcript, transcriptType };
      const step = event.created.duplicateUrl && !draft.ignoresDuplicate ? 'duplicate' : draft.step;
      const unread = event.created.notes.length > 0;
      return { ...draft, created: event.created, made, lost: false, repriced: false, unread, step };
    }
    case 'ignore duplicate':
      return { ...draft, step: 'destinationChoosing', ignoresDuplicate: true };
    case 'notes read':
      return { ...draft, unread: false };
    case 'processing':
      return { ...draft, step: 'processing' };
    case 'processed':
      return { ...draft, step: 'success' };
    case 'price':
      return draft.created
        ? {
            ...draft,
            step: 'destinationChoosing',
            created: { ...draft.created, costs: [...event.costs] },
            repriced: true,
          }
        : draft;
    case 'failed':
      return {
        ...draft,
        step: 'processingFailed',
        failure: event.failure,
        repriced: false,
        lost: event.lost ?? false,
      };
    case 'signed in':
      return draft.step === 'notLoggedIn' ? { ...draft, step: 'uploadForm' } : draft;
    case 'again':
      // Whatever was wrong with the transcript, another one can be chosen; the recording need not be sent again.
      return { ...draft, failure: null, step: choosingStep(draft) };
    case 'other file':
      return { ...begunAnew(draft), step: 'uploadForm', title: '', transcript: null };
  }
}

const choosingStep = ({ model }: Draft): Step =>
  model === externalModel ? 'externalTranscriptAdding' : 'processingOptionsSelecting';

/** Nothing of what was said of another file, but for how it is to be written down. */
const begunAnew = (draft: Draft): Draft => ({
  ...draft,
  file: null,
  fileError: null,
  picked: null,
  wrong: new Set(),
  ignoresDuplicate: false,
  failure: null,
});

/** A way to pay that can be gone. */
export const isUsable = ({ isDelegated, isEnough, isEnoughQuota }: CostOption): boolean =>
  isEnoughQuota && (isDelegated || isEnough);

/** The one way there is to go on without asking; null where somebody has to choose, or to confirm what people do. */
export function onlyWay({
  model,
  created,
  repriced,
  unread,
}: Pick<Draft, 'model' | 'created' | 'repriced' | 'unread'>): CostOption | null {
  const [option, ...others] = created?.costs ?? [];
  const asks = repriced || unread || model === humanModel || others.length > 0;
  return option && !asks && isUsable(option) ? option : null;
}

/** Whether somebody has begun something here that a page loaded anew would not have. */
export const isBegun = (step: Step): boolean => !['notLoggedIn', 'uploadForm', 'success'].includes(step);

/** Whether leaving here would lose something. */
export const asksBeforeLeaving = (step: Step): boolean =>
  !['notLoggedIn', 'uploadForm', 'processingFailed', 'success'].includes(step);

export const isInvalidTranscript = ({ message }: Failure): boolean => message.startsWith('Invalid transcript:');
