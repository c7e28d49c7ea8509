import { z } from 'zod';
import { bidi, controls, isEmail, longestEmail } from './email.ts';
import { folderPath } from './folders.ts';
import { rootPath } from './library.ts';
import { defaultFormat, importFormats, transcriptTypes } from './formats/formats.ts';
import { importNotes } from './formats/notes.ts';
import { longestChatModel, longestTitle, plainTitle } from './meetings/about.ts';
import { serviceFileTypes, serviceIds, type ServiceId } from './meeting-services.ts';

/** Languages of recordings; the first is the default. */
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

/** Model for an uploaded transcript: nothing is transcribed, so nothing is paid. */
export const externalModel = 'external';

/** Model of a recording without a transcript: it costs nothing, is in no list of models, and can be changed later. */
export const noModel = 'none';

/** Model of a human transcriber: ordered, and delivered within days. */
export const humanModel = 'trme';
export const humanTitle = 'Human transcript';

export const languagesView = z.object({
  languages: z.array(z.object({ title: z.string(), lang: z.string(), models: z.array(z.string()) })),
  /** Services that recordings can be imported from. */
  imports: z.array(z.enum(serviceIds)),
  models: z.array(
    z.object({
      name: z.string(),
      title: z.string(),
      /** USD a minute; for the external model, in total. */
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

/** The same, with the free minutes. */
export const transcribeInfoView = languagesView.extend({
  /** Free minutes of each new account. */
  trialMinutes: z.number().int(),
  /** Free minutes the caller has left; 0 without an account. */
  freeMinutes: z.number(),
});
export type TranscribeInfo = z.infer<typeof transcribeInfoView>;

/** Transcription model as offered; default: all languages. */
export interface OfferedModel {
  name: string;
  title: string;
  /** Micro-dollars a minute. */
  minutePrice: number;
  languages?: readonly string[];
  /** Ignores the given number of speakers and counts them itself. */
  onlyAutoSpeakers: boolean;
}

/** Title of an engine without a configured name; pages have their own text for it. */
export const plainEngineTitle = 'Speech recognition';

/** Languages and models on offer: those of this server, and uploaded transcripts. */
export function languagesAndModels(
  offered: readonly OfferedModel[],
  imports: readonly ServiceId[] = [],
): LanguagesView {
  const models = offered.map(({ name, title, minutePrice, languages, onlyAutoSpeakers }) => ({
    name,
    title,
    price: minutePrice / 1e6,
    languages: recordingLanguages
      .filter(({ lang }) => languages === undefined || languages.includes(lang))
      .map((one) => ({ ...one, allowAutoSpeakers: true, onlyAutoSpeakers })),
  }));
  models.push({
    name: externalModel,
    title: 'External transcript',
    price: 0,
    languages: recordingLanguages.map((one) => ({ ...one, allowAutoSpeakers: true, onlyAutoSpeakers: false })),
  });
  return {
    languages: recordingLanguages.map((one) => ({
      ...one,
      models: models.filter(({ languages }) => languages.some(({ lang }) => lang === one.lang)).map(({ name }) => name),
    })),
    imports: [...imports],
    models,
  };
}

// ---- Files --------------------------------------------------------------------------------------

export const fileLimits = { leastBytes: 1, mostBytes: 2_147_483_648, nameLength: 200 } as const;

/** Accepted file name extensions. */
const mediaExtensions = {
  meeting: ['arf'],
  video: ['mp4', 'flv'],
  audio: ['aac', 'ac3', 'aiff', 'avi', 'flac', 'm4a', 'mov', 'mp3', 'ogg', 'wma', 'wav'],
} as const;
export const allExtensions: readonly string[] = Object.values(mediaExtensions).flat();

/** Extension in lower case; null if there is none. */
export function extensionOf(fileName: string): string | null {
  const dot = fileName.lastIndexOf('.');
  return dot > 0 ? fileName.slice(dot + 1).toLowerCase() : null;
}

/** File name that is safe to show to others: no folders, no control or bidirectional characters. */
export function plainFileName(typed: string): string {
  const name = (typed.split(/[/\\]/).at(-1) ?? '').normalize('NFC').trim();
  const clean = [...name].filter((letter) => !controls.test(letter) && !bidi.test(letter)).join('');
  const extension = extensionOf(clean);
  const tail = extension === null ? '' : `.${extension}`;
  return clean.length <= fileLimits.nameLength
    ? clean
    : clean.slice(0, fileLimits.nameLength - tail.length).replace(/\p{Surrogate}$/u, '') + tail;
}

const fileName = z
  .string('required')
  .min(1, 'required')
  .max(4096, 'too_long')
  .refine((value) => !value.includes('\0'), 'invalid')
  .transform(plainFileName)
  .refine((value) => allExtensions.includes(extensionOf(value) ?? ''), 'file_type');

export const uploadInput = z.object({
  fileName,
  contentLength: z
    .number('required')
    .int('invalid')
    .min(fileLimits.leastBytes, 'file_empty')
    .max(fileLimits.mostBytes, 'file_large'),
});
export type UploadInput = z.infer<typeof uploadInput>;

export const nextInput = z.object({
  multipartUploadId: z.string().max(64, 'invalid').optional(),
  /** SHA-256 of the part that follows; it is accepted only if it matches. */
  part: z
    .object({
      offset: z.number().int().min(0),
      sha256: z.string().regex(/^[0-9a-f]{64}$/, 'invalid'),
    })
    .optional(),
});
export type NextInput = z.infer<typeof nextInput>;

/** Next part to send; a length of 0 means that the upload is complete. */
export const partView = z.object({
  multipartUploadId: z.string(),
  uploadId: z.string(),
  offset: z.number().int(),
  length: z.number().int(),
  url: z.string(),
  /** Headers to send with the part. */
  headers: z.record(z.string(), z.string()),
  /** Bytes received so far. */
  received: z.number().int(),
});
export type PartView = z.infer<typeof partView>;

export const wholeUploadView = z.object({
  url: z.string(),
  uploadId: z.string(),
  fields: z.array(z.object({ name: z.string(), value: z.string() })),
});

/** Attempts for each part, and the delay before the next one, which grows with each. */
export const uploadTries = { most: 5, stepMs: 3000 } as const;

// ---- Creating a recording -----------------------------------------------------------------------

export const mostSpeakers = 10;
export const longestVocabulary = 10_000;

export const costView = z.object({
  /** USD. */
  cost: z.number(),
  isDelegated: z.boolean(),
  isEnough: z.boolean(),
  isEnoughQuota: z.boolean(),
  freeMinutes: z.number(),
  professionalMinutes: z.number(),
  subscriptionMinutes: z.number(),
  /** Sum to spend, in USD; 0 for a team whose balance the person may not see. */
  balance: z.number(),
  recommendedBalanceTopUp: z.number(),
  organizationName: z.string().nullable(),
  payer: z.string().nullable(),
  /** The team that pays; null: the person's own balance. */
  groupId: z.string().nullable(),
  /** USD that the team still pays for the person; null: no limit, or their own balance. */
  quotaLeft: z.number().nullable(),
});
export type CostOption = z.infer<typeof costView>;

export const createdView = z.object({
  id: z.string(),
  costs: z.array(costView),
  /** Page of an existing recording made of the same file, one that the caller may read. */
  duplicateUrl: z.string().nullable(),
  /** Title of that recording, when it was added and by whom; `by` is null for the caller's own. */
  duplicate: z.object({ title: z.string(), addedAt: z.string(), by: z.string().nullable() }).nullable(),
  /** Notes on the uploaded transcript that a person should read before they continue. */
  notes: importNotes,
  /** Format that the uploaded transcript was read as; null without one. */
  readAs: z.enum(importFormats).nullable(),
});
export type CreatedView = z.infer<typeof createdView>;

export const replacedView = z.object({
  version: z.number().int(),
  notes: importNotes,
  readAs: z.enum(importFormats),
});

/** Forms send numbers as text. */
const wholeNumber = z.union([
  z.number(),
  z
    .string()
    .regex(/^\d{1,9}$/, 'invalid')
    .transform(Number),
]);
export const titleInput = z.string('required').overwrite(plainTitle).min(1, 'required').max(longestTitle, 'too_long');
const speakersInput = wholeNumber.pipe(z.number().int('invalid').min(0, 'speakers').max(mostSpeakers, 'speakers'));
/** Forms send line ends as two characters; they count as one, as on the page. */
const vocabularyInput = z
  .string()
  .overwrite((typed) => typed.replace(/\r\n?/g, '\n'))
  .max(longestVocabulary, 'too_long');

/** Id of another service. */
const serviceName = z.string().max(500, 'invalid').default('');

/** Address of a person who is asked to assess the recording after its owner. */
const mentorInput = z
  .string()
  .trim()
  .max(longestEmail, 'too_long')
  .refine((value) => value === '' || isEmail(value), 'email');

/** A person who is asked for a recording. */
export const recordingAsked = z.object({
  email: z
    .string('required')
    .trim()
    .min(1, 'required')
    .max(longestEmail, 'too_long')
    .refine((value) => value === '' || isEmail(value), 'email'),
});
export type RecordingAsked = z.infer<typeof recordingAsked>;

/** Fields of the form, without its files; features that do not exist yet only accept empty values. */
export const meetingForm = z.object({
  title: z.string().overwrite(plainTitle).max(longestTitle, 'too_long').default(''),
  uploadId: z.string().max(64, 'invalid').default(''),
  zoomMeetingId: serviceName,
  zoomRecordingFileId: serviceName,
  webexMeetingId: serviceName,
  webexFileType: z.enum(['', ...serviceFileTypes], 'invalid').default(''),
  model: z.string('required').min(1, 'required').max(100, 'model'),
  lang: z.string().max(35, 'lang').default('en-US'),
  spk_num: speakersInput.default(2),
  vocab: vocabularyInput.default(''),
  transcriptType: z.enum(transcriptTypes, 'transcript_type').default(defaultFormat),
  chatModelId: z.string().max(longestChatModel, 'too_long').default(''),
  folder: folderPath.default(rootPath),
  shared_folder: z.string().max(100, 'too_long').default(''),
  circle_id: z.string().max(100, 'too_long').default(''),
  invite: z.string().max(200, 'too_long').default(''),
  mentor: mentorInput.default(''),
});
export type MeetingForm = z.infer<typeof meetingForm>;

/** Price the person saw: a number, or the whole option, which also tells who pays. */
export const seenCost = z
  .union([
    z.number().transform((cost) => ({ cost })),
    z
      .string()
      .regex(/^\d{1,9}(\.\d{1,6})?$/, 'invalid')
      .transform((cost) => ({ cost: Number(cost) })),
    z
      .looseObject({ cost: z.number(), groupId: z.string().max(100, 'invalid').nullish() })
      .transform(({ cost, groupId }) => (groupId === undefined ? { cost } : { cost, groupId })),
  ])
  .pipe(z.object({ cost: z.number().min(0, 'invalid').max(1_000_000, 'invalid'), groupId: z.string().nullish() }));
export type SeenCost = z.infer<typeof seenCost>;

export const processInput = z.object({
  cost: seenCost,
  model: z.string().min(1, 'required').max(100, 'model').optional(),
  language: z.string().max(35, 'lang').optional(),
  numberOfSpeakers: speakersInput.optional(),
  title: titleInput.optional(),
  vocabulary: vocabularyInput.optional(),
  /** Counts when processing begins for the first time; empty: nobody is asked. */
  mentor: mentorInput.optional(),
});
export type ProcessInput = z.infer<typeof processInput>;

/**
 * The model to pay for; default: the one that the recording was added with. Or the upgrade of a recording that free
 * minutes paid for.
 */
export const costsQuery = z.strictObject({
  model: z.string().min(1, 'required').max(100, 'model').optional(),
  purpose: z.literal('upgrade', 'purpose').optional(),
});
export const costsView = z.array(costView);

export const upgradeInput = z.object({ cost: seenCost });

export const progressView = z.strictObject({
  percentage: z.number().min(0).max(100),
  failures_present: z.boolean(),
  failure_messages: z.array(z.string()),
  /** Key of the failure message, for clients with texts of their own. */
  failure: z.string().optional(),
  /** With the failure `longer`: seconds that the price was agreed for, and measured seconds. */
  agreed: z.number().optional(),
  measured: z.number().optional(),
  /** Human transcript in progress: it takes days and has no percentage. */
  ordered: z.boolean().optional(),
  /** The recording was added without a transcript, and can be transcribed. */
  untranscribed: z.boolean().optional(),
  /** Somebody is recording it in a browser. */
  recording: z.boolean().optional(),
});
export type Progress = z.infer<typeof progressView>;

/**
 * Errors in a choice of model, language and number of speakers: field, and key of its text. The number does not matter
 * for models that count the speakers themselves.
 */
export function wrongOptions(
  given: { model: string; lang: string; speakers: number },
  models: Readonly<LanguagesView['models']>,
): { field: string; code: string }[] {
  if (given.model === noModel)
    return recordingLanguages.some(({ lang }) => lang === given.lang) ? [] : [{ field: 'lang', code: 'lang' }];
  const model = models.find(({ name }) => name === given.model);
  if (!model) return [{ field: 'model', code: 'model' }];
  const language = model.languages.find(({ lang }) => lang === given.lang);
  if (!language) return [{ field: 'lang', code: 'lang' }];
  const fits = given.speakers > 0 || language.allowAutoSpeakers || language.onlyAutoSpeakers;
  return fits ? [] : [{ field: 'spk_num', code: 'speakers' }];
}

/** Failures of an upload, as programs get them; pages have texts of their own under these keys. */
export const intakeFailures = {
  arf: 'ARF files can be read by Webex’s own player alone. Please convert it there to MP4, and upload that',
  cancelled: 'The processing was cancelled',
  engine_answer: 'The speech recognition answered something that could not be understood',
  engine_broken: 'The speech recognition of this server does not run',
  engine_gone: 'This server does not offer that kind of transcription any more',
  engine_needs_ffmpeg:
    'The recording is too long to be sent to the speech recognition at once, and this server has no program to cut it. Please upload it in shorter parts',
  engine_refused: 'The speech recognition refused the recording',
  engine_slow: 'The speech recognition took too long',
  engine_unreachable: 'The speech recognition could not be reached',
  damaged: 'The file arrived damaged. Please upload it again',
  import_changed: 'The recording was changed while it was being fetched. Please import it again',
  import_large: 'The recording is larger than 2 GB',
  import_login:
    'The service the recording is from does not let us in any more. Please log in there and import it again',
  import_missing: 'The recording is not there any more, where it was to be imported from',
  import_off: 'This server is not connected any more to the service the recording is from',
  import_unreachable: 'The service the recording is from could not be reached',
  longer:
    'The recording is longer than its file says, and longer than was agreed. Nothing was charged. Please process it again at the new price',
  no_converter:
    'This file cannot be played in a browser, and this server has no program to convert it. Please upload it as mp3 or mp4',
  no_joiner:
    'The recording was interrupted or has two tracks, and this server has no program to join them. Please ask support',
  no_recording: 'Nothing was recorded',
  no_speech: 'No words were recognised in this recording',
  no_sound: 'There is no sound in this file',
  order_inaudible: 'The recording is too hard to hear for a person to write it down',
  order_language: 'Nobody here writes down recordings in this language',
  order_undone: 'The order of a human transcript could not be carried out. Please ask support',
  order_unsuitable: 'The recording is nothing that can be written down, such as music or noise',
  too_long: 'The processing took too long',
  too_long_recording: 'The recording is longer than 12 hours',
  too_much: 'This file takes more to read than any honest recording',
  transcript: 'Invalid transcript',
  unexpected: 'The transcription cannot be completed because an unexpected error occurred. Please contact support',
  unsupported: 'Unsupported file type',
} as const;
export type IntakeFailure = keyof typeof intakeFailures;
export const mostRecordingMs = 12 * 3_600_000;
