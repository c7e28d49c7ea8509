import { z } from 'zod';
import { speakerColors } from './meetings/palette.ts';
import { longestName } from './meetings/speakers.ts';

// Actions that a person can undo.

/** `fix`: words replaced at many places. */
const actionKinds = [
  'fix',
  'move',
  'folder_rename',
  'folder_move',
  'folder_delete',
  'share',
  'tags',
  'speakers',
  'glossary',
] as const;
export type ActionKind = (typeof actionKinds)[number];

/** Days for which an action can be undone. */
export const actionDays = 30;

/** Reasons why a part of an action was not done or undone. */
const partFailures = ['NO_ACCESS', 'NO_PERM', 'CLOSED', 'CONFLICT', 'BIG', 'UNAVAILABLE', 'UNSAVED'] as const;
type PartFailure = (typeof partFailures)[number];
export const isPartFailure = (code: string): code is PartFailure => partFailures.some((one) => one === code);

/** Recordings in which something could not be changed, with the number of its places. */
export const failedRecordings = z.array(
  z.strictObject({ recording: z.string(), places: z.number().int(), code: z.enum(partFailures) }),
);
export type FailedRecording = z.infer<typeof failedRecordings>[number];

/** Recordings of one request that are changed back, for actions that changed each for itself. */
export const mostUndone = 100;

export const undoInput = z.object({
  /** `next` of the request before, to continue after its recordings. */
  after: z.string().max(100, 'too_long').optional(),
});
export type UndoInput = z.output<typeof undoInput>;

export const undoneAnswer = z.strictObject({
  /** Number of places, recordings, folders, lists of access or terms that are again as they were. */
  undone: z.number().int(),
  failed: failedRecordings,
  /** The action has more parts; null at the end. */
  next: z.string().nullable(),
});
export type UndoneAnswer = z.infer<typeof undoneAnswer>;
/** Result of undoing some parts of an action. */
export type Undone = Omit<UndoneAnswer, 'next'>;

const viewOf = <const K extends ActionKind, W extends z.ZodRawShape>(kind: K, what: W) =>
  z.strictObject({
    kind: z.literal(kind),
    id: z.string(),
    at: z.string(),
    /** Null as long as some of it can be undone. */
    undoneAt: z.string().nullable(),
    what: z.strictObject(what),
  });

const actionView = z.discriminatedUnion('kind', [
  /** With the number of places and recordings that are not undone. */
  viewOf('fix', {
    query: z.string(),
    replacement: z.string(),
    places: z.number().int(),
    recordings: z.number().int(),
  }),
  /** `to` is null for the top of the library; the number is of recordings that are not undone. */
  viewOf('move', { to: z.string().nullable(), recordings: z.number().int() }),
  viewOf('folder_rename', { before: z.string(), after: z.string() }),
  viewOf('folder_move', { name: z.string() }),
  viewOf('folder_delete', { name: z.string(), recordings: z.number().int() }),
  /** A change of access to a recording or a folder, with its name at that time. */
  viewOf('share', { of: z.enum(['meeting', 'folder']), name: z.string() }),
  /** Tags that became another one; `to` is null where they were taken away. */
  viewOf('tags', { tags: z.array(z.string()), to: z.string().nullable(), recordings: z.number().int() }),
  /** Two speakers of a recording who were merged, with its title at that time. */
  viewOf('speakers', { name: z.string(), into: z.string(), title: z.string() }),
  /** Terms that were added to a glossary or removed from it, or misheard forms of them; the first of many. */
  viewOf('glossary', { terms: z.array(z.string()), removed: z.boolean() }),
]);
export type ActionView = z.infer<typeof actionView>;

export const actionsAnswer = z.strictObject({ actions: z.array(actionView), total: z.number().int() });
export type ActionsAnswer = z.infer<typeof actionsAnswer>;

/** Paragraphs of one speaker that can change hands. */
const mostMerged = 10_000;
const id = z.string('required').min(1, 'required').max(64, 'too_long');
const name = z.string('required').max(longestName, 'too_long');

/** Two speakers that the caller has merged while editing. */
export const mergedInput = z.object({
  meeting: z.string('required').min(1, 'required').max(100, 'too_long'),
  /** The speaker who was removed. */
  speaker: z.object({
    id,
    name,
    color: z
      .number()
      .int()
      .min(0)
      .max(speakerColors - 1),
    sortId: z.number().int().min(0).max(1_000_000),
  }),
  into: z.object({ id, name }),
  /** The paragraphs that changed hands. */
  segments: z.array(id).max(mostMerged, 'too_many'),
});
export type MergedInput = z.output<typeof mergedInput>;
