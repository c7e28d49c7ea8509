import { z } from 'zod';
import { setView } from '../outcome-models.ts';
import { folderPath, folderView } from '../folders.ts';
import { facetNames } from '../facets.ts';
import { filtersQuery } from '../filters.ts';
import { foundQuery, foundView } from '../found.ts';
import { costView, progressView, titleInput } from '../intake.ts';
import { defaultOrder, mostAtOnce, pageSizes, searchOrders } from '../library.ts';
import { libraryStates } from '../review-states.ts';
import { heldPermissions } from '../roles.ts';
import { aclView } from '../sharing.ts';
import { versionNumber } from '../versions.ts';
import { versionName } from './history.ts';
import { mediumView } from './media.ts';

const ownerView = z.object({ id: z.string(), name: z.string() });
const permissionsView = z.array(z.enum(heldPermissions));

/** A closed text: nobody changes it until it is reopened. */
const closedView = z.strictObject({
  /** Since when. */
  at: z.string(),
  /** The name is empty once the account is deleted. */
  by: ownerView,
  /** Version of the text that was closed; the version history names it. */
  version: versionNumber,
});
export type ClosedView = z.infer<typeof closedView>;

/** Facts a page needs before the document arrives over the live channel. */
export const meetingAboutView = z.object({
  id: z.string(),
  permissions: permissionsView,
  owner: ownerView,
  media: z.array(mediumView),
  /** Time of the upload. */
  date: z.string(),
  progress: progressView,
  /** Null while the text is open. */
  closed: closedView.nullable(),
  /** Sets of outcome types made by people that can be used in it. */
  outcomeSets: z.array(setView),
});
export type MeetingAbout = z.infer<typeof meetingAboutView>;

// ---- The whole document, for programs -----------------------------------------------------------

const seconds = z.number().min(0);
const flag = z.literal(true).optional();

const wordView = z.strictObject({
  w: z.string(),
  f: seconds,
  t: seconds,
  p: flag,
  m: flag,
  c: flag,
  j: flag,
  /** 0 to 1; only while the word is as the recogniser wrote it. */
  confidence: z.number().min(0).max(1).optional(),
  /** Times computed from the words around it. */
  estimated: flag,
});

const segmentView = z.strictObject({
  id: z.string().nullable(),
  /** Somebody types in it now; no lock. */
  editing: z.boolean(),
  /** The caller may not change it. */
  isBlocked: z.boolean(),
  speaker: z.string(),
  start: seconds,
  end: seconds,
  text: z.string(),
  words: z.array(wordView),
});

const speakerView = z.strictObject({
  id: z.string(),
  name: z.string(),
  color: z.number().int(),
  sortId: z.number().int(),
});
/** Entries may have further fields. */
const entryView = z.looseObject({ id: z.string() });

const labelled = z.strictObject({ id: z.string(), label: z.string() });
const outcomeTypeView = labelled.extend({
  code: z.number().int().nullable(),
  color: z.number().int(),
  labelPlural: z.string(),
  readOnly: z.boolean(),
  description: z.string(),
  grades: z.array(z.strictObject({ value: z.number().int(), label: z.string() })),
  children: z.array(labelled),
});
export type OutcomeTypeView = z.infer<typeof outcomeTypeView>;

const documentView = z.strictObject({
  id: z.string(),
  title: z.string(),
  lang: z.string(),
  tags: z.array(z.string()),
  transcript: z.strictObject({ segments: z.array(segmentView), speakers: z.array(speakerView) }),
  toc: z.array(entryView),
  bookmarks: z.array(entryView),
  highlights: z.array(entryView),
  summary: z.array(entryView),
  comments: z.array(entryView),
  outcomes: z.array(entryView),
  /** Grades of the sheet, by the id of a layer. */
  grades: z.array(entryView),
  /** Null without permission to share. */
  acl: aclView.nullable(),
  date: z.string(),
  upload_date: z.string(),
  uploadDate: z.string(),
  isCompleted: z.boolean(),
  sharingCost: z.number().nullable(),
  cloned_from: z.string().nullable(),
  cloned_private: z.boolean(),
  /** Chosen for the document; null if everyone uses the choice of their account. */
  preferredOutcomesSchema: z.string().nullable(),
  preferredOutcomesModel: z.string().nullable(),
  /** Types the caller may choose from, and those in use. */
  outcomesSchema: z.array(outcomeTypeView),
  /** The language model that is asked about it by default; null: the first of `GET /api/ai`. */
  chat_model_id: z.string().nullable(),
  /** Analysis by a language model: its proved points, a line each. */
  aiQa: z.strictObject({
    analysis: z.strictObject({
      answer: z.string().nullable(),
      model: z.string().nullable(),
      at: z.string().nullable(),
    }),
  }),
  activeCommenters: z.array(entryView),
});

export const meetingView = z.strictObject({
  version: versionNumber.describe('Rises with every stored change of the document and of its sharing; never falls.'),
  annotationsVersion: versionNumber.describe(
    'Rises with every stored change of the outcomes and comments that all share.',
  ),
  permissions: permissionsView,
  owner: ownerView,
  media: z.array(mediumView),
  vtt: z.string().nullable(),
  progress: progressView,
  /** Since when and by whom the text is closed; null while it is open. */
  closed: closedView.nullable(),
  /** For owners only, while an upload waits for a choice of payment, and after it failed. */
  costs: z.array(costView).nullable(),
  clones: z.array(entryView),
  reviews: z.array(entryView),
  doc: documentView,
});
export type MeetingView = z.infer<typeof meetingView>;

// ---- The list -----------------------------------------------------------------------------------

const orders = searchOrders.flatMap((order) => [order, `-${order}` as const]);

const whole = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number)
    .pipe(z.number().min(least).max(most));

/** Sort order; `relevance` of a query: its words in the title, then what they name or what is said often, then all else. */
export const searchSort = z.enum(orders);

/** Recordings asked for. */
export const selectionQuery = z.strictObject({
  query: foundQuery.default(''),
  /** Only recordings of this folder; with a query or a filter, those of its subfolders too. */
  folder: folderPath.optional(),
  shared_folder: z.string().max(100, 'too_long').optional(),
  /** Only what others share with the caller. */
  shared: z.enum(['', 'with-me']).optional(),
  /** One JSON object. */
  filters: filtersQuery.prefault(''),
});
export type SelectionQuery = z.infer<typeof selectionQuery>;

export const meetingsQuery = selectionQuery.extend({
  sort: searchSort.default(defaultOrder),
  start: whole(0, 1_000_000).default(0),
  size: whole(1, mostAtOnce).default(pageSizes.table),
});
export type MeetingsQuery = z.infer<typeof meetingsQuery>;

export const facetsQuery = selectionQuery.extend({
  /** One facet alone, with values that contain `like`. */
  of: z.enum(facetNames).optional(),
  like: z.string().max(100, 'too_long').default(''),
});
export type FacetsQuery = z.infer<typeof facetsQuery>;

/** Reasons for which a search finds a recording, in the order of `relevance`. */
const searchReasons = ['title', 'named', 'often', 'said'] as const;
export type SearchReason = (typeof searchReasons)[number];

const meetingHit = z.object({
  id: z.string(),
  title: z.string(),
  owner: ownerView,
  /** None for who has the recording by a review alone. */
  permissions: permissionsView,
  /** The caller's part in a review of it, of several in the one that waits most. */
  review: z.object({ id: z.string(), state: z.enum(libraryStates) }).nullable(),
  date: z.string(),
  updatedAt: z.string(),
  /** Seconds; null if unknown. */
  duration: z.number().nullable(),
  words: z.number().int(),
  speakers: z.number().int(),
  /**
   * Turns of the speakers, in equal parts of the talk (shared/meetings/glance.ts), and the first words without what is in curly
   * braces; null for who may not read the transcript, and until it was read.
   */
  glance: z.object({ lanes: z.string(), opening: z.string() }).nullable(),
  progress: progressView,
  /** Folder as the caller sees it; null for recordings of others outside all shared folders. */
  folder: z.string().nullable(),
  /** Shared folder of another owner; `folder` is then the path below it. */
  sharedFolder: z.object({ sid: z.string(), name: z.string() }).nullable(),
  tags: z.array(z.string()),
  /** Credits and minutes that the caller has paid for it; null for nothing. */
  cost: z.object({ credits: z.number(), minutes: z.number() }).nullable(),
  /** With a query: where its words are; null if only the title or the owner’s name has them. */
  found: foundView.nullish(),
  /**
   * With a query: its words are in the title, or they name something (the owner, a tag, a speaker, a chapter, an outcome),
   * or are said often, or are said or written somewhere.
   */
  why: z.enum(searchReasons).optional(),
});
export type MeetingHit = z.infer<typeof meetingHit>;

export const meetingsAnswer = z.object({
  hits: z.array(meetingHit),
  total: z.number().int(),
  /**
   * There may be more than `total`: words in a row that most recordings have were looked for until the page was full, and
   * in one recording more.
   */
  atLeast: z.literal(true).optional(),
  folders: z.array(folderView),
  /** With a query: the number of recordings that are not indexed yet as they are now. */
  behind: z.number().int().optional(),
});
export type MeetingsAnswer = z.infer<typeof meetingsAnswer>;

export const closeInput = z.object({
  /** Names the version of the text that is closed. */
  name: versionName,
});
export type CloseInput = z.infer<typeof closeInput>;

export const closingAnswer = z.strictObject({
  version: versionNumber,
  closed: closedView.nullable(),
});
export type ClosingAnswer = z.infer<typeof closingAnswer>;
export const copyInput = z.object({
  /** The text of the copy is closed; it lies beside the original, instead of at the top of the caller's library. */
  isBackup: z.boolean('invalid').default(false),
  /** Without annotations, highlights, bookmarks and tags. */
  removeMarkup: z.boolean('invalid').default(false),
  /** Comments do not tell who wrote them. */
  clearCommentAuthors: z.boolean('invalid').default(false),
  /** Title of the copy; default: that of the original. */
  title: titleInput.optional(),
});
export type CopyInput = z.output<typeof copyInput>;
export const copyAnswer = z.strictObject({ id: z.string() });

export const renameInput = z.object({
  title: titleInput,
});
export type RenameInput = z.infer<typeof renameInput>;

/** Days in which a deleted recording can be restored. */
export const trashDays = 30;

/** Deleted recordings and folders that can still be restored; a folder stands for everything deleted with it. */
export const deletedQuery = z.strictObject({
  start: whole(0, 1_000_000).default(0),
  size: whole(1, mostAtOnce).default(pageSizes.table),
});
export type DeletedQuery = z.infer<typeof deletedQuery>;

export const deletedAnswer = z.strictObject({
  items: z.array(
    z.strictObject({
      kind: z.enum(['meeting', 'folder']),
      id: z.string(),
      title: z.string(),
      /** Number of recordings deleted with a folder. */
      meetings: z.number().int(),
      deletedAt: z.string(),
      /** After this time it is deleted for good. */
      until: z.string(),
    }),
  ),
  total: z.number().int(),
});
export type DeletedAnswer = z.infer<typeof deletedAnswer>;
