import { z } from 'zod';
import { versionNumber } from '../versions.ts';

// Version history of a recording for its page and for programs: every state its transcript ever had.

/** Version of a state, as `GET /meetings/{id}` gives it. */
const version = versionNumber;
const moment = z.iso.datetime();

export const longestVersionName = 100;
const versionPage = 20;
const mostVersions = 100;

/** Grain of the list: `moment` joins all edits up to a rest; `step` lists each saved change. */
const versionGrains = ['moment', 'step'] as const;
export type VersionGrain = (typeof versionGrains)[number];

const versionParam = z
  .string()
  .regex(/^\d{1,16}$/, 'invalid')
  .transform(Number);

export const versionsQuery = z.strictObject({
  by: z.enum(versionGrains).default('moment'),
  /** Newest version to list; `next` of the page before. */
  upTo: versionParam.optional(),
  /** Lists only versions after this one. */
  after: versionParam.optional(),
  size: z
    .string()
    .regex(/^\d{1,3}$/, 'invalid')
    .transform(Number)
    .pipe(z.number().min(1).max(mostVersions))
    .default(versionPage),
});
export type VersionsQuery = z.infer<typeof versionsQuery>;

/** Author in the place of all people whose corrections have no name for the reader, as they assess blind. */
export const reviewerUnnamed = 'reviewer';

/**
 * Author of changes; guests and people with deleted accounts have no name, nor have reviewers until their blind review
 * opens.
 */
const personView = z.strictObject({
  id: z.string(),
  name: z.string(),
  kind: z.enum(['person', 'guest', 'gone', 'reviewer']),
});
export type HistoryPerson = z.infer<typeof personView>;

/** `machine`: written by no person. `restored` and `replaced`: another text took its place. */
const versionKinds = ['edited', 'machine', 'restored', 'replaced'] as const;

const versionView = z.strictObject({
  version,
  /** Version before this change. */
  before: version,
  kind: z.enum(versionKinds),
  /** Times of storing its first and its last change. */
  from: moment,
  at: moment,
  /** Ids of all authors; their names are in `people`. */
  by: z.array(z.string()),
  /** Number of stored changes. */
  edits: z.number().int(),
  name: z.strictObject({ text: z.string(), by: z.string(), at: moment }).nullable(),
  /** Version that was restored. */
  restored: version.nullable(),
  /**
   * Shared comments, outcomes and highlights that kept and lost their words when another text took the place of one.
   * Null while that is not known yet, and for all other versions.
   */
  carried: z.strictObject({ kept: z.number().int(), lost: z.number().int() }).nullable(),
});
export type VersionView = z.infer<typeof versionView>;

export const versionsAnswer = z.strictObject({
  /** Newest first. */
  versions: z.array(versionView),
  people: z.array(personView),
  /** Current version of the document. */
  current: version,
  /** `upTo` of the next page; null on the last page. */
  next: version.nullable(),
});
export type VersionsAnswer = z.infer<typeof versionsAnswer>;

export const changesQuery = z.strictObject({
  /** Earlier version to compare with; if missing, each word comes with all its authors. */
  since: versionParam.optional(),
});
export type ChangesQuery = z.infer<typeof changesQuery>;

const pieceView = z.strictObject({
  /** Pieces of kind `same` and `new` together are the text of the version. */
  kind: z.enum(['same', 'gone', 'new']),
  text: z.string(),
  /** Everyone who inserted or deleted letters of it. */
  by: z.array(z.string()).optional(),
});

export const changesAnswer = z.strictObject({
  version,
  since: version.nullable(),
  title: z.string(),
  /** Earlier title, if it was another. */
  titleBefore: z.string().optional(),
  speakers: z.array(
    z.strictObject({ id: z.string(), name: z.string(), color: z.number().int(), sortId: z.number().int() }),
  ),
  people: z.array(personView),
  segments: z.array(
    z.strictObject({
      id: z.string().nullable(),
      speaker: z.string(),
      speakerBefore: z.string().optional(),
      /** The segment begins where none began before. */
      split: z.literal(true).optional(),
      start: z.number(),
      end: z.number(),
      changed: z.boolean(),
      pieces: z.array(pieceView),
    }),
  ),
});
export type ChangesAnswer = z.infer<typeof changesAnswer>;
export type ChangesSegment = ChangesAnswer['segments'][number];

export const versionName = z.string('required').trim().min(1, 'required').max(longestVersionName, 'too_long');

export const nameVersionInput = z.object({ name: versionName });
export type NameVersionInput = z.infer<typeof nameVersionInput>;

export const restoredAnswer = z.strictObject({
  version,
  /** Version that was overwritten; it stays in the history. */
  kept: version,
});
export type RestoredAnswer = z.infer<typeof restoredAnswer>;
