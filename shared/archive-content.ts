import { z } from 'zod';
import { authorKinds } from './meetings/annotations.ts';
import { mediaTags } from './meetings/media.ts';
import { setView } from './outcome-models.ts';

// Content of an archive. Its folder `schema` has these shapes as JSON Schema, for programs that read it.

/** Written into each manifest; a reader refuses other values. */
export const archiveFormat = 'colloquy-archive-1';
export const manifestName = 'manifest.json';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

export const manifestContent = z.strictObject({
  format: z.literal(archiveFormat),
  /** Id of the archive. */
  id: z.string(),
  at: z.string(),
  by: z.strictObject({ id: z.string(), name: z.string(), email: z.string() }),
  recordings: z.array(z.strictObject({ id: z.string(), title: z.string() })),
  /** Recordings that were asked for and are not in the archive. */
  missing: z.array(z.strictObject({ id: z.string(), why: z.enum(['no_access', 'unreadable']) })),
  /** All other files of the archive. */
  files: z.array(z.strictObject({ path: z.string(), bytes: z.number().int(), sha256 })),
});
export type Manifest = z.infer<typeof manifestContent>;

const file = z.strictObject({
  id: z.string(),
  /** Path in the folder of the recording; null where its bytes could not be read. */
  path: z.string().nullable(),
  name: z.string(),
  type: z.string(),
  bytes: z.number().int(),
  durationMs: z.number().int().nullable(),
  createdAt: z.string(),
});

export const recordingContent = z.strictObject({
  id: z.string(),
  title: z.string(),
  createdAt: z.string(),
  owner: z.string(),
  /** Since when nobody changes the transcript. */
  closedAt: z.string().nullable(),
  permissions: z.array(z.string()),
  /** Generation of `document.yjs`, which anchors of annotations name. */
  generation: z.number().int(),
  /** History; null for an archive without `history.jsonl`, whose `document.yjs` has no deleted words. */
  history: z
    .strictObject({
      seq: z.number().int(),
      base: z.number().int(),
      /** Generations that restored an earlier state. */
      origins: z.array(
        z.strictObject({ generation: z.number().int(), fromGeneration: z.number().int(), fromSeq: z.number().int() }),
      ),
      names: z.array(z.strictObject({ version: z.number().int(), name: z.string(), by: z.string(), at: z.string() })),
    })
    .nullable(),
  media: z.array(file.extend({ tag: z.enum(mediaTags) })),
  attachments: z.array(
    file.extend({
      kind: z.string().nullable(),
      item: z.string().nullable(),
      by: z.string().nullable(),
      /** Assessment or discussion whose annotation has it; null for those of the recording. */
      layer: z.string().nullable().default(null),
    }),
  ),
  /** People whose ids the files of this recording name; addresses of those alone whose address the reader sees. */
  people: z.array(z.strictObject({ id: z.string(), name: z.string(), email: z.string().nullable() })),
  /** With whom it is shared; null for readers who are not told. */
  sharing: z
    .array(z.strictObject({ principal: z.record(z.string(), z.unknown()), permissions: z.array(z.string()) }))
    .nullable(),
});
export type RecordingContent = z.infer<typeof recordingContent>;

const character = z.tuple([z.number().int(), z.number().int()]).readonly();
const author = z.strictObject({ id: z.string(), kind: z.enum(authorKinds), name: z.string() });
const annotation = z.strictObject({
  id: z.string(),
  rev: z.number().int(),
  author,
  private: z.boolean(),
  createdAt: z.string(),
  editTimestamp: z.string().nullable(),
  anchor: z.strictObject({ g: z.number().int(), first: character, last: character }).nullable(),
  start: z.number(),
  end: z.number(),
  quote: z.string(),
  url: z.string().nullable(),
});
const grade = z.number().nullable();
const outcome = annotation.extend({
  type: z.string(),
  text: z.string(),
  children: z.array(z.strictObject({ type: z.string(), grade })),
  grade,
  automatic: z.boolean(),
  wasAutomatic: z.boolean(),
});
const comment = annotation.extend({
  parent: z.string().nullable(),
  text: z.string(),
  resolved: z.strictObject({ at: z.string(), by: author }).nullable(),
});

/** Sets of outcome types that people made, with the words that outcomes are shown with. */
const sets = z.array(setView).default([]);

export const annotationsContent = z.strictObject({
  /** Sets that can be used in the recording; its outcomes have types of no others but the product's. */
  sets,
  outcomes: z.array(outcome),
  comments: z.array(comment),
  /** Points of the summary for the reader alone; the others are in the document. */
  summary: z.array(z.strictObject({ id: z.string(), order: z.number(), text: z.string() })),
  /** Assessments and discussions of reviews that the reader may read. */
  layers: z.array(
    z.strictObject({
      id: z.string(),
      review: z.string(),
      kind: z.string(),
      /** Sets beside those of the recording. */
      sets,
      outcomes: z.array(outcome),
      comments: z.array(comment),
      grades: z.array(z.record(z.string(), z.unknown())),
      /** Milliseconds of the recording that the reader themselves has listened to here, and whether others see that. */
      listened: z
        .strictObject({ shared: z.boolean(), heard: z.array(z.tuple([z.number().int(), z.number().int()])) })
        .nullable()
        .default(null),
    }),
  ),
});
export type AnnotationsContent = z.infer<typeof annotationsContent>;

/** A line of `history.jsonl`. */
export const historyLine = z.strictObject({
  generation: z.number().int(),
  seq: z.number().int(),
  /** Author of the row; null for the server. */
  by: z.string().nullable(),
  at: z.string(),
  clients: z.array(z.number().int()),
  /** Updates of Yjs, each with its length before it, in base64. */
  bytes: z.string(),
});
export type HistoryLine = z.infer<typeof historyLine>;

export const archiveSchemas = {
  manifest: manifestContent,
  recording: recordingContent,
  annotations: annotationsContent,
  history: historyLine,
} as const;
