// The dialog that adds a recording, as data: `advance(state, event)` gives the next state and the effects to run.
// `use-steps.ts` runs the effects and turns their outcomes into events; the components only draw the state.
import {
  externalModel,
  humanModel,
  wrongOptions,
  type CostOption,
  type CreatedView,
  type LanguagesView,
} from '#shared/intake.ts';
import { isEmail } from '#shared/email.ts';
import { transcriptTypes, type ImportFormat } from '#shared/formats/formats.ts';
import { longestTitle } from '#shared/meetings/about.ts';
import type { ServiceId, ServiceRecording } from '#shared/meeting-services.ts';

import {
  fileError,
  fitsFormat,
  isTranscript,
  titleOf,
  transcriptOf,
  type ChosenTranscript,
  type FileError,
} from './file-rules.ts';
import type { Progress } from './upload.ts';

/** The names are those of the specification. */
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

type OfferedModel = LanguagesView['models'][number];

/** Reason why a transcript could not be read, and the format that it looks like. */
export interface Unreadable {
  message: string;
  looksLike: ImportFormat | null;
}

/** A failed call, in words for the person. */
export interface Failure {
  message: string;
  requestId: string;
  /** The field of the form that the server refused, where it names one. */
  field?: string | undefined;
  /** The format that a transcript looks like which was to be read as another one. */
  looksLike?: ImportFormat | null;
}

/** A recording at a meeting service, with its title there. */
export interface Picked extends ServiceRecording {
  name: string;
}

export interface Choices extends ChosenTranscript {
  /** The text of a transcript; counts where no file is chosen. */
  pasted: string;
  title: string;
  /** Empty until a model is chosen: then the first one offered counts. */
  model: string;
  language: string;
  speakers: number;
  vocabulary: string;
  /** Address of a person who is asked to assess the recording; empty: nobody. */
  mentor: string;
}

export interface Invite {
  code: string;
  by: string;
}

/** The recording as it will be added. */
export interface Draft extends Choices {
  /** Null for a transcript without a recording, and where `picked` takes its place. */
  file: File | null;
  picked: Picked | null;
  /** Invitation that asks for the recording, and the name of who sent it. */
  invite: Invite | null;
  /** Fields with an error, until they change. */
  wrong: ReadonlySet<keyof Choices>;
  /** Reason why the server could not read the transcript, until another one or another format is chosen. */
  unreadable: Unreadable | null;
}

/** Sources a meeting was created from; a change of one needs a new meeting. */
type Source = Pick<Draft, 'model' | 'file' | 'picked' | 'transcript' | 'pasted' | 'transcriptType'>;

/** The upload of the file. */
export interface Sending {
  run: number;
  file: File;
  /** The server's id of the upload in parts, known from its first answer on; an upload is resumed by it. */
  id: string | null;
  progress: Progress;
  /** The upload's id once every part has arrived. */
  partsId: string | null;
  /** Set while, or after, the file is sent in one piece with the form, because sending it in parts failed. */
  whole: Progress | null;
  /** The id of a file that arrived in one piece although no meeting was created from it. */
  wholeId: string | null;
}

/** A navigation that waits for the answer to "Cancel adding this recording?". */
export interface Navigation {
  goOn: () => void;
  stay: () => void;
}

export interface Place {
  folder: string;
  /** The id of somebody else's folder that `folder` is below, if any. */
  sharedFolder: string | null;
}

export interface State extends Draft {
  step: Step;
  place: Place;
  /** A file that was dropped on the page and opened the dialog. */
  first: File | null;
  /** The list of a meeting service is open; `returned`: the person was sent back here from its login. */
  selecting: { service: ServiceId; returned: boolean } | null;
  /** Length of the file as the browser reads it; null while it is not known. */
  seconds: number | null;
  refused: { file: File; error: FileError; run: number; mins?: number } | null;
  sending: Sending | null;
  created: CreatedView | null;
  createdFrom: Source | null;
  /** The created meeting is gone at the server. */
  lost: boolean;
  /** The price has changed since it was shown: nothing is processed without another choice. */
  repriced: boolean;
  /** The costs have been shown: nothing is paid without a choice. */
  shown: boolean;
  /** The notes on the transcript have not been confirmed yet. */
  unread: boolean;
  ignoresDuplicate: boolean;
  /** The call that is under way. */
  work: { kind: 'creating' | 'processing'; run: number } | null;
  failure: Failure | null;
  /** The person is asked whether to leave; nothing is started until they answer. */
  asking: { handedOver: boolean; navigation: Navigation | null } | null;
  /** The dialog has been left; late answers only clean up. */
  closed: boolean;
  /** The number of the last call, upload or refusal: an answer with an older number is stale. */
  runs: number;
}

export type Event =
  | { kind: 'opened' }
  | { kind: 'signed in' }
  | { kind: 'file'; file: File }
  /** The browser has read the length of the file. */
  | { kind: 'length'; file: File; seconds: number }
  /** The file is longer than a team of the person permits. */
  | { kind: 'too long'; file: File; mins: number }
  /** The refused file is to be sent in spite of the warning. */
  | { kind: 'anyway' }
  | { kind: 'forget refusal'; run: number }
  | { kind: 'select service'; service: ServiceId }
  | { kind: 'close service' }
  /** `seconds`: its length, where the service tells it. */
  | { kind: 'picked'; picked: Picked; seconds: number | null }
  | { kind: 'only transcript' }
  | { kind: 'set'; choices: Partial<Choices> }
  | { kind: 'next'; models: readonly OfferedModel[] }
  | { kind: 'back' }
  | { kind: 'sending'; run: number; id: string | null; progress: Progress }
  | { kind: 'sent'; run: number; uploadId: string }
  | { kind: 'retry sending' }
  /** The file is sent in one piece; `run` is that of the call that creates the meeting. */
  | { kind: 'sending whole'; run: number; progress: Progress }
  | { kind: 'created'; run: number; created: CreatedView }
  | { kind: 'create failed'; run: number; failure: Failure; wholeId: string | null }
  | { kind: 'ignore duplicate' }
  | { kind: 'notes read' }
  | { kind: 'pay'; cost: CostOption }
  /** The costs were asked for again. */
  | { kind: 'costs'; id: string; costs: readonly CostOption[] }
  | { kind: 'order confirmed'; cost: CostOption }
  | { kind: 'processed'; run: number }
  /** `lost`: the meeting cannot be used any more. `costs`: the price has changed to these. */
  | { kind: 'process failed'; run: number; failure: Failure; lost: boolean; costs: readonly CostOption[] | null }
  | { kind: 'again' }
  | { kind: 'other file' }
  | { kind: 'leave'; navigation?: Navigation }
  | { kind: 'leave answered'; yes: boolean }
  /** The screen was left in a way that could not ask. */
  | { kind: 'gone' };

export type Effect =
  | { kind: 'forget refusal later'; run: number }
  | { kind: 'send'; run: number; file: File; resume: 'interrupted' | { id: string | null } }
  /** `wholeId`: a file that arrived in one piece is deleted, too. */
  | { kind: 'stop sending'; wholeId: string | null }
  /** The file is part of a meeting now: there is no interrupted upload to offer. */
  | { kind: 'taken' }
  | { kind: 'create'; run: number; draft: Draft; place: Place; recording: Recording }
  | { kind: 'process'; run: number; id: string; cost: CostOption; draft: Draft }
  | { kind: 'drop meeting'; id: string }
  | { kind: 'remember'; upload: Remembered }
  | { kind: 'refresh list' }
  | { kind: 'ask to order'; title: string; cost: CostOption }
  | { kind: 'ask to leave'; handedOver: boolean }
  | { kind: 'close' }
  | { kind: 'go on'; navigation: Navigation }
  | { kind: 'stay'; navigation: Navigation }
  | { kind: 'tell failure'; title: string; message: string };

/** Source of the recording for the server: a finished upload, the form itself, or none. */
type Recording = { uploadId: string } | 'in the form' | null;

type Advance = readonly [State, readonly Effect[]];

/** Choices of the previous upload. */
interface Remembered {
  language?: string | undefined;
  speakersNumber?: number | undefined;
  vocab?: string | undefined;
  model?: string | undefined;
  externalTranscriptTypeId?: string | undefined;
}

/** Limits of what preferences may hold. */
const longestModel = 60;
const longestRememberedVocabulary = 5000;

export interface Start {
  signedIn: boolean;
  remembered: Remembered;
  place: Place;
  first?: File | null;
  /** The service whose login the person comes back from. */
  from?: ServiceId | null;
  /** Mentor named by the link that led here. */
  mentor?: string;
  invite?: Invite | null;
}

const nothingCreated = {
  created: null,
  createdFrom: null,
  lost: false,
  repriced: false,
  shown: false,
  unread: false,
} as const;

export function startState({
  signedIn,
  remembered,
  place,
  first = null,
  from = null,
  mentor = '',
  invite = null,
}: Start): State {
  return {
    step: signedIn ? 'uploadForm' : 'notLoggedIn',
    place,
    first,
    selecting: from && { service: from, returned: true },
    refused: null,
    seconds: null,
    file: null,
    picked: null,
    title: '',
    model: remembered.model ?? '',
    language: remembered.language ?? 'en-US',
    speakers: remembered.speakersNumber ?? 2,
    vocabulary: remembered.vocab ?? '',
    mentor,
    invite,
    transcript: null,
    pasted: '',
    unreadable: null,
    transcriptType: transcriptTypes.find((one) => one === remembered.externalTranscriptTypeId) ?? 'AUTO',
    wrong: new Set(),
    sending: null,
    ...nothingCreated,
    ignoresDuplicate: false,
    work: null,
    failure: null,
    asking: null,
    closed: false,
    runs: 0,
  };
}

export function advance(state: State, event: Event): Advance {
  const [next, effects] = apply(state, event);
  const [last, more] = goOn(next);
  return [last, [...effects, ...more]];
}

function apply(state: State, event: Event): Advance {
  switch (event.kind) {
    case 'opened':
      return state.first && state.step === 'uploadForm'
        ? chooseFile({ ...state, first: null }, state.first)
        : only({ ...state, first: null });
    case 'signed in':
      return only(state.step === 'notLoggedIn' ? { ...state, step: 'uploadForm' } : state);
    case 'file':
      return state.step === 'uploadForm' ? chooseFile(state, event.file) : only(state);
    case 'anyway':
      return state.step === 'uploadForm' && state.refused ? chooseFile(state, state.refused.file, true) : only(state);
    case 'forget refusal':
      return only(state.refused?.run === event.run ? { ...state, refused: null } : state);
    case 'select service':
      return only({ ...state, selecting: { service: event.service, returned: false } });
    case 'close service':
      return only({ ...state, selecting: null });
    case 'picked': {
      const { picked, seconds } = event;
      const title = picked.name.slice(0, longestTitle);
      return only({ ...withoutFile(state), selecting: null, step: 'transcriptTypeSelecting', picked, seconds, title });
    }
    case 'only transcript':
      return only({ ...state, step: 'externalTranscriptAdding', model: externalModel, refused: null });
    case 'set':
      return only(setChoices(state, event.choices));
    case 'next':
      return toNextStep(state, event.models);
    case 'back':
      return only(toStepBefore(state));
    case 'sending':
    case 'sent':
    case 'retry sending':
    case 'sending whole':
      return advanceSending(state, event);
    case 'created':
    case 'create failed':
    case 'processed':
    case 'process failed':
      return takeAnswer(state, event);
    case 'ignore duplicate':
      return only({ ...state, step: 'destinationChoosing', ignoresDuplicate: true });
    case 'notes read':
      return only({ ...state, unread: false });
    case 'pay':
      // A person's work is not ordered by a slip of the finger.
      return state.model === humanModel && canProcess(state)
        ? [state, [{ kind: 'ask to order', title: state.title.trim(), cost: event.cost }]]
        : process(state, event.cost);
    case 'costs': {
      const { created } = state;
      return only(
        created?.id === event.id && !state.work
          ? { ...state, created: { ...created, costs: [...event.costs] }, repriced: false, shown: true }
          : state,
      );
    }
    case 'order confirmed':
      return process(state, event.cost);
    case 'again':
      // Another transcript can be chosen; the recording need not be sent again.
      return only({ ...state, failure: null, work: null, step: choosingStep(state) });
    case 'length':
      return only(state.file === event.file ? { ...state, seconds: event.seconds } : state);
    case 'too long':
      return state.file === event.file && !isHandedOver(state.step)
        ? refuseLength(state, event.file, event.mins)
        : only(state);
    case 'other file':
      return [
        {
          ...withoutFile(state),
          ...nothingCreated,
          step: 'uploadForm',
          title: '',
          sending: null,
          work: null,
        },
        cleanUp(state),
      ];
    case 'leave':
    case 'leave answered':
    case 'gone':
      return advanceLeaving(state, event);
  }
}

const only = (state: State): Advance => [state, []];

function chooseFile(state: State, file: File, anyway = false): Advance {
  if (isTranscript(file) && file.size > 0) {
    const title = state.title === '' ? titleOf(file.name) : state.title;
    const chosen = { transcript: file, transcriptType: 'AUTO', title, model: externalModel, unreadable: null } as const;
    return only({ ...withoutFile(state), ...chosen, step: 'externalTranscriptAdding' });
  }
  const error = fileError(file);
  const run = state.runs + 1;
  if (error !== null && !(error === 'arf' && anyway)) {
    // An error about the size goes by itself; the others stand until another file is chosen.
    const passes = error === 'large' || error === 'empty';
    return [
      { ...state, refused: { file, error, run }, runs: run },
      passes ? [{ kind: 'forget refusal later', run }] : [],
    ];
  }
  const title = titleOf(file.name);
  return send({ ...withoutFile(state), step: 'transcriptTypeSelecting', file, title }, file, 'interrupted');
}

function refuseLength(state: State, file: File, mins: number): Advance {
  const run = state.runs + 1;
  const refused = { file, error: 'long', run, mins } as const;
  const anew = { step: 'uploadForm', title: '', sending: null, work: null } as const;
  return [{ ...withoutFile(state), ...nothingCreated, ...anew, refused, runs: run }, cleanUp(state)];
}

function send(state: State, file: File, resume: 'interrupted' | { id: string | null }): Advance {
  const run = state.runs + 1;
  const { size: total } = file;
  const progress: Progress = { state: 'going', sent: 0, total, bytesPerSecond: null, secondsLeft: null };
  const sending: Sending = { run, file, id: null, progress, partsId: null, whole: null, wholeId: null };
  return [{ ...state, sending, runs: run }, [{ kind: 'send', run, file, resume }]];
}

/** Forgets the file and what was decided about it; how it is to be transcribed stays. */
const withoutFile = (state: State): State => ({
  ...state,
  file: null,
  picked: null,
  seconds: null,
  refused: null,
  wrong: new Set(),
  ignoresDuplicate: false,
  failure: null,
});

function setChoices(state: State, choices: Partial<Choices>): State {
  const wrong = new Set([...state.wrong].filter((field) => !(field in choices)));
  // Whether the file fits the format is judged again.
  if ('transcriptType' in choices || 'pasted' in choices) wrong.delete('transcript');
  const anew = ['transcript', 'pasted', 'transcriptType'].some((field) => field in choices);
  const { transcript } = choices;
  const title = state.title === '' && transcript ? titleOf(transcript.name) : state.title;
  return { ...state, title, ...choices, wrong, ...(anew && { unreadable: null }) };
}

/** The fields to mend before the next step. */
function wrongIn(state: State, models: readonly OfferedModel[]): Set<keyof Choices> {
  const wrong = new Set<keyof Choices>();
  if (state.step === 'externalTranscriptAdding') {
    if (state.transcript ? !fitsFormat(state) : !transcriptOf(state)) wrong.add('transcript');
  } else if (state.step === 'processingOptionsSelecting') {
    const names = { model: 'model', lang: 'language', spk_num: 'speakers' } as const;
    const { model, language, speakers } = state;
    for (const { field } of wrongOptions({ model, lang: language, speakers }, models))
      wrong.add(names[field as keyof typeof names]);
  }
  if (state.step !== 'transcriptTypeSelecting' && state.title.trim() === '') wrong.add('title');
  if (state.step !== 'transcriptTypeSelecting' && state.mentor.trim() !== '' && !isEmail(state.mentor))
    wrong.add('mentor');
  return wrong;
}

function toNextStep(state: State, models: readonly OfferedModel[]): Advance {
  const wrong = wrongIn(state, models);
  if (wrong.size > 0) return only({ ...state, wrong });
  const model = chosenModel(state, models);
  const chosen = { ...state, wrong, model };
  if (state.step === 'transcriptTypeSelecting') return only({ ...chosen, step: choosingStep(chosen) });
  if (state.step !== 'externalTranscriptAdding' && state.step !== 'processingOptionsSelecting') return only(chosen);
  const next: State = { ...chosen, step: 'destinationChoosing' };
  const remember: Effect = { kind: 'remember', upload: toRemember(next) };
  if (!state.created || isStillFrom(next)) return [next, [remember]];
  const dropped: State = { ...next, ...nothingCreated };
  const effects: Effect[] = [remember, { kind: 'drop meeting', id: state.created.id }];
  // The server deletes the file with its meeting.
  if (!state.file || state.file !== state.createdFrom?.file) return [dropped, effects];
  const [sending, more] = send(dropped, state.file, { id: null });
  return [sending, [...effects, ...more]];
}

function toRemember({ language, speakers, vocabulary, transcriptType, file, picked, model }: Draft): Remembered {
  // A transcript alone says nothing of how the next recording is to be transcribed.
  const recorded = (file !== null || picked !== null) && model.length <= longestModel;
  return {
    language,
    speakersNumber: speakers,
    vocab: vocabulary.slice(0, longestRememberedVocabulary),
    externalTranscriptTypeId: transcriptType,
    ...(recorded && { model }),
  };
}

/** The chosen model, now or the last time, where it is still offered; else the first one. */
export const chosenModel = ({ model }: Pick<Draft, 'model'>, models: readonly OfferedModel[]): string =>
  models.some(({ name }) => name === model) ? model : (models[0]?.name ?? externalModel);

/** Options may change under a created meeting; what it was created from may not. */
function isStillFrom({ createdFrom, lost, ...now }: State): boolean {
  if (createdFrom === null || lost) return false;
  return (
    createdFrom.model === now.model &&
    createdFrom.file === now.file &&
    createdFrom.picked === now.picked &&
    (now.model !== externalModel ||
      (createdFrom.transcript === now.transcript &&
        createdFrom.pasted === now.pasted &&
        createdFrom.transcriptType === now.transcriptType))
  );
}

function toStepBefore(state: State): State {
  // The created meeting stays: with the same choices it is used again.
  if (state.step === 'destinationChoosing') return { ...state, step: choosingStep(state) };
  return state.file || state.picked
    ? { ...state, wrong: new Set(), step: 'transcriptTypeSelecting' }
    : { ...state, wrong: new Set(), step: 'uploadForm', model: '' };
}

const choosingStep = ({ model }: Draft): Step =>
  model === externalModel ? 'externalTranscriptAdding' : 'processingOptionsSelecting';

type SendingEvent = Extract<Event, { kind: 'sending' | 'sent' | 'retry sending' | 'sending whole' }>;

function advanceSending(state: State, event: SendingEvent): Advance {
  const { sending, work } = state;
  if (!sending || state.closed) return only(state);
  if (event.kind === 'retry sending')
    return sending.progress.state === 'failed' ? send(state, sending.file, { id: sending.id }) : only(state);
  if (event.kind === 'sending whole')
    return only(work?.run === event.run ? { ...state, sending: { ...sending, whole: event.progress } } : state);
  if (sending.run !== event.run) return only(state);
  if (event.kind === 'sent') return only({ ...state, sending: { ...sending, partsId: event.uploadId } });
  return only({ ...state, sending: { ...sending, id: event.id, progress: event.progress } });
}

const allOf = (total: number): Progress => ({
  state: 'sent',
  sent: total,
  total,
  bytesPerSecond: null,
  secondsLeft: 0,
});

type Answer = Extract<Event, { kind: 'created' | 'create failed' | 'processed' | 'process failed' }>;

function takeAnswer(state: State, event: Answer): Advance {
  if (state.closed || state.work?.run !== event.run) return takeLateAnswer(state, event);
  const answered: State = { ...state, work: null };
  switch (event.kind) {
    case 'created': {
      const { created } = event;
      const { model, file, picked, transcript, pasted, transcriptType, sending } = state;
      const step = created.duplicateUrl && !state.ignoresDuplicate ? 'duplicate' : state.step;
      const next: State = {
        ...answered,
        ...nothingCreated,
        step,
        created,
        createdFrom: { model, file, picked, transcript, pasted, transcriptType },
        unread: created.notes.length > 0,
        sending: sending?.whole ? { ...sending, whole: allOf(sending.file.size) } : sending,
      };
      return [next, sending ? [{ kind: 'taken' }] : []];
    }
    case 'create failed': {
      const { wholeId } = event;
      const sending = state.sending && {
        ...state.sending,
        whole: wholeId === null ? null : allOf(state.sending.file.size),
        wholeId: wholeId ?? state.sending.wholeId,
      };
      const { message, looksLike = null } = event.failure;
      const unreadable = isInvalidTranscript(event.failure) ? { message, looksLike } : null;
      return only(fail({ ...answered, sending, unreadable }, event.failure));
    }
    case 'processed':
      return [{ ...answered, step: 'success' }, [{ kind: 'refresh list' }]];
    case 'process failed':
      return only(
        event.costs && state.created
          ? {
              ...answered,
              step: 'destinationChoosing',
              created: { ...state.created, costs: [...event.costs] },
              repriced: true,
            }
          : { ...fail(answered, event.failure), lost: event.lost },
      );
  }
}

const fail = (state: State, failure: Failure): State => ({
  ...state,
  step: 'processingFailed',
  failure,
  repriced: false,
  lost: false,
});

/** An answer that came after the dialog was left, or after its call was given up. */
function takeLateAnswer(state: State, event: Answer): Advance {
  switch (event.kind) {
    case 'created':
      return [state, [{ kind: 'drop meeting', id: event.created.id }]];
    case 'create failed':
      return [state, event.wholeId === null ? [] : [{ kind: 'stop sending', wholeId: event.wholeId }]];
    case 'processed':
      return [state, [{ kind: 'refresh list' }]];
    case 'process failed': {
      if (!state.closed || !state.created) return only(state);
      const { message } = event.failure;
      return [
        state,
        [
          { kind: 'tell failure', title: state.title.trim(), message },
          { kind: 'drop meeting', id: state.created.id },
        ],
      ];
    }
  }
}

/** Starts what needs no answer: creating the meeting once its file has arrived, and paying where there is one way to. */
function goOn(state: State): Advance {
  if (state.step !== 'destinationChoosing' || state.asking || state.work || state.closed) return only(state);
  if (state.created) {
    const way = onlyWay(state);
    return way ? process(state, way) : only(state);
  }
  const recording = recordingOf(state.sending);
  if (recording === undefined) return only(state);
  const run = state.runs + 1;
  return [
    { ...state, work: { kind: 'creating', run }, runs: run },
    [{ kind: 'create', run, draft: state, place: state.place, recording }],
  ];
}

/** Undefined while the file is under way. */
function recordingOf(sending: Sending | null): Recording | undefined {
  if (!sending) return null;
  const uploadId = sending.wholeId ?? sending.partsId;
  if (uploadId !== null) return { uploadId };
  return sending.progress.state === 'failed' ? 'in the form' : undefined;
}

const canProcess = ({ step, created, work, asking, closed }: State): boolean =>
  step === 'destinationChoosing' && created !== null && !work && !asking && !closed;

function process(state: State, cost: CostOption): Advance {
  if (!state.created || !canProcess(state)) return only(state);
  const run = state.runs + 1;
  const { id } = state.created;
  return [
    { ...state, step: 'processing', work: { kind: 'processing', run }, runs: run },
    [{ kind: 'process', run, id, cost, draft: state }],
  ];
}

type LeavingEvent = Extract<Event, { kind: 'leave' | 'leave answered' | 'gone' }>;

function advanceLeaving(state: State, event: LeavingEvent): Advance {
  const { asking, step } = state;
  if (state.closed) return only(state);
  switch (event.kind) {
    case 'leave': {
      const navigation = event.navigation ?? null;
      // The question is on screen already; its answer counts for the navigation, too.
      if (asking) return only(navigation ? { ...state, asking: { ...asking, navigation } } : state);
      if (!asksBeforeLeaving(step)) return leave(state, navigation);
      const handedOver = isHandedOver(step);
      return [{ ...state, asking: { handedOver, navigation } }, [{ kind: 'ask to leave', handedOver }]];
    }
    case 'leave answered': {
      if (!asking) return only(state);
      const { handedOver, navigation } = asking;
      // A failure that came while the person was asked is shown first.
      if (event.yes && !(handedOver && !isHandedOver(step))) return leave(state, navigation);
      return [{ ...state, asking: null }, navigation ? [{ kind: 'stay', navigation }] : []];
    }
    case 'gone':
      return end(state, []);
  }
}

const leave = (state: State, navigation: Navigation | null): Advance =>
  end(state, [navigation ? { kind: 'go on', navigation } : { kind: 'close' }]);

function end(state: State, first: readonly Effect[]): Advance {
  const closed: State = { ...state, asking: null, closed: true };
  return isHandedOver(state.step) ? [closed, first] : [{ ...closed, sending: null }, [...first, ...cleanUp(state)]];
}

/** Deletes what was created and sent. */
const cleanUp = ({ created, sending }: State): readonly Effect[] => [
  ...(created ? [{ kind: 'drop meeting', id: created.id } as const] : []),
  ...(sending ? [{ kind: 'stop sending', wholeId: sending.wholeId } as const] : []),
];

/** From here on the server processes the recording, whether the dialog is open or not. */
const isHandedOver = (step: Step): boolean => step === 'processing' || step === 'success';

/** A cost option that can be chosen. */
export const isUsable = ({ isDelegated, isEnough, isEnoughQuota }: CostOption): boolean =>
  isEnoughQuota && (isDelegated || isEnough);

/** The cost option to take without asking; null where there is something to choose, to read or to confirm. */
export function onlyWay({
  model,
  created,
  repriced,
  shown,
  unread,
}: Pick<State, 'model' | 'created' | 'repriced' | 'shown' | 'unread'>): CostOption | null {
  const [option, ...others] = created?.costs ?? [];
  const asks = repriced || shown || unread || model === humanModel || others.length > 0;
  return option && !asks && isUsable(option) ? option : null;
}

export const shownProgress = (sending: Sending | null): Progress | null =>
  sending && (sending.whole ?? sending.progress);

/** The dialog holds something that reloading the page would lose. */
export const isBegun = (step: Step): boolean => !['notLoggedIn', 'uploadForm', 'success'].includes(step);

/** Leaving here would lose something. */
export const asksBeforeLeaving = (step: Step): boolean =>
  !['notLoggedIn', 'uploadForm', 'processingFailed', 'success'].includes(step);

export const isInvalidTranscript = ({ message }: Failure): boolean => message.startsWith('Invalid transcript:');
