import { z } from 'zod';

// What a recording's page and programs get of its past: every state its transcript ever was in.

/** A state is named by its version, as `GET /meetings/{id}` gives it. */
const version = z.number().int().min(0);
const moment = z.iso.datetime();

export const longestVersionName = 100;
const versionPage = 20;
const mostVersions = 100;

/** `moment`: what people did until they rested. `step`: the same, as finely as it was saved. */
const versionGrains = ['moment', 'step'] as const;
export type VersionGrain = (typeof versionGrains)[number];

const asked = z
  .string()
  .regex(/^\d{1,16}$/, 'invalid')
  .transform(Number);

export const versionsQuery = z.object({
  by: z.enum(versionGrains).default('moment'),
  /** Not beyond this one; `next` of the page before. */
  upTo: asked.optional(),
  /** Only what came after this one. */
  after: asked.optional(),
  size: z
    .string()
    .regex(/^\d{1,3}$/, 'invalid')
    .transform(Number)
    .pipe(z.number().min(1).max(mostVersions))
    .default(versionPage),
});
export type VersionsQuery = z.infer<typeof versionsQuery>;

/** Somebody who had a hand in a document: a guest has no name, and neither has whose account is gone. */
const personView = z.strictObject({ id: z.string(), name: z.string(), kind: z.enum(['person', 'guest', 'gone']) });
export type HistoryPerson = z.infer<typeof personView>;

/** `machine`: nobody wrote it by hand. `restored` and `replaced`: another text was put in place. */
const versionKinds = ['edited', 'machine', 'restored', 'replaced'] as const;

const versionView = z.strictObject({
  version,
  /** What it was before. */
  before: version,
  kind: z.enum(versionKinds),
  /** When the first and the last of it was stored. */
  from: moment,
  at: moment,
  /** Ids of everybody who wrote; their names are beside. */
  by: z.array(z.string()),
  /** How many stored changes it is. */
  edits: z.number().int(),
  name: z.strictObject({ text: z.string(), by: z.string(), at: moment }).nullable(),
  /** The version that was brought back. */
  restored: version.nullable(),
});
export type VersionView = z.infer<typeof versionView>;

export const versionsAnswer = z.strictObject({
  /** The newest first. */
  versions: z.array(versionView),
  people: z.array(personView),
  /** What the document is now. */
  current: version,
  /** As `upTo`, it gives what came before; null where there is no more. */
  next: version.nullable(),
});
export type VersionsAnswer = z.infer<typeof versionsAnswer>;

export const changesQuery = z.object({
  /** Compared with this earlier one; left out, each word comes with all who wrote it. */
  since: asked.optional(),
});
export type ChangesQuery = z.infer<typeof changesQuery>;

const pieceView = z.strictObject({
  /** `same` and `new` together are the text of the version. */
  kind: z.enum(['same', 'gone', 'new']),
  text: z.string(),
  /** Everybody who wrote letters of it, or took letters of it away. */
  by: z.array(z.string()).optional(),
});

export const changesAnswer = z.strictObject({
  version,
  since: version.nullable(),
  title: z.string(),
  /** Where it was another. */
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
      /** It begins where nothing began before. */
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

export const nameVersionInput = z.object({
  name: z.string('required').trim().min(1, 'required').max(longestVersionName, 'too_long'),
});
export type NameVersionInput = z.infer<typeof nameVersionInput>;

export const restoredAnswer = z.strictObject({
  version,
  /** The state that was overwritten: it stays a version like any other. */
  kept: version,
});
export type RestoredAnswer = z.infer<typeof restoredAnswer>;
