import { z } from 'zod';
import { accountTypeIds } from '../account-choices.ts';
import { modelId } from '../outcome-models.ts';
import { longestChatModel, longestTag, longestTitle, mostTags, plainTitle } from './about.ts';
import { lineOf } from './edits.ts';
import { entryLists, type EntryList } from './entries.ts';
import { summaryItem } from './annotation-inputs.ts';
import { disagree } from './outcome-schema.ts';
import { speakerColors } from './palette.ts';
import { longestName } from './speakers.ts';
import { mostSummary } from './summary.ts';
import { versionNumber } from '../versions.ts';

// Input of the API to change a document.

const latest = (2 ** 31 - 1) / 1000;
const seconds = z.number().min(0).max(latest);
const flag = z.boolean().optional();
const longestText = 200_000;
const mostSegments = 20_000;
const mostWords = 500_000;
const mostSpeakers = 100;
const mostEntries = 2000;
const longestEntry = 16_384;

export const version = z.number('required').int().min(0);
const line = z.string('required').max(longestText, 'too_long');
const id = z
  .string()
  .min(1)
  .max(64, 'too_long')
  .regex(/^[\w.:-]+$/)
  .refine((key) => key !== '__proto__');

const edit = z.object({
  /** Segment by its index from 0, or by its id. */
  pos: z.union([z.number().int().min(0).max(mostSegments), z.string().min(1).max(64)]),
  old: line,
  new: line,
});
export const editInput = edit.extend({ version });
const mostEdits = 1000;
export const editsInput = z.object({ edits: z.array(edit).min(1, 'required').max(mostEdits, 'too_many'), version });
export type EditsInput = z.infer<typeof editsInput>;

/** Paths and their new values; see `readChanges`. */
export const putInput = z.object({ meeting: z.record(z.string(), z.unknown(), 'required'), version });
export type PutInput = z.infer<typeof putInput>;

export const writtenView = z.object({ version: versionNumber });

const word = z.object({
  w: z.string().max(1000, 'too_long'),
  f: seconds,
  t: seconds,
  p: flag,
  m: flag,
  c: flag,
  j: flag,
  confidence: z.number().min(0).max(1).nullish(),
  estimated: flag,
});
const segment = z.object({
  id: id.nullish(),
  speaker: z.string().max(64, 'too_long').optional(),
  text: line.transform(lineOf).optional(),
  words: z.array(word).max(mostWords, 'too_many').optional(),
});
export type GivenSegment = z.infer<typeof segment>;

const name = z.string().trim().min(1, 'required').max(longestName, 'too_long');
const color = z
  .number()
  .int()
  .min(0)
  .max(speakerColors - 1);
const sortId = z.number().int().min(0).max(1_000_000);
const speaker = z.object({ id: id.optional(), name, color: color.optional(), sortId: sortId.optional() });
export type GivenSpeaker = z.infer<typeof speaker>;

/** Fields only the server sets, and fields that must not be in a shared document. */
const notTaken = new Set(['author', 'private', 'automatic', 'createdAt', 'editTimestamp', 'userId', 'user_id']);
const entry = z
  .looseObject({
    id: id.optional(),
    start: seconds.optional(),
    end: seconds.optional(),
    order: z.number().int().optional(),
    color: z.string().max(60, 'too_long').optional(),
    title: z.string().max(longestTitle, 'too_long').optional(),
  })
  .transform((given) => {
    const cleaned = { ...given };
    for (const key of Object.keys(cleaned)) if (notTaken.has(key) || key === '__proto__') delete cleaned[key];
    return cleaned;
  })
  .refine((given) => JSON.stringify(given).length <= longestEntry, 'too_long');
export type GivenEntry = z.infer<typeof entry>;

const unique = <T extends { id?: string | null | undefined }>(list: readonly T[]): boolean => {
  const ids = list.flatMap(({ id: one }) => (one == null ? [] : [one]));
  return new Set(ids).size === ids.length;
};

const entries = z.array(entry).max(mostEntries, 'too_many').refine(unique, 'twice');

/** Shared points follow the rules of private ones. */
const summary = z
  .array(summaryItem.extend({ id: id.optional() }))
  .max(mostSummary, 'too_many')
  .refine(unique, 'twice');

const schemas = {
  preferredOutcomesSchema: z.enum(accountTypeIds).nullable(),
  preferredOutcomesModel: modelId.nullable(),
  /** Beside the document: the caller of `readChanges` sets it. */
  chat_model_id: z.string().min(1, 'required').max(longestChatModel, 'too_long').nullable(),
  title: z.string().overwrite(plainTitle).min(1, 'required').max(longestTitle, 'too_long'),
  tags: z.array(z.string().trim().min(1, 'required').max(longestTag, 'too_long')).max(mostTags, 'too_many'),
  speakers: z.array(speaker).max(mostSpeakers, 'too_many').refine(unique, 'twice'),
  segments: z.array(segment).max(mostSegments, 'too_many').refine(unique, 'twice'),
  ...(Object.fromEntries(entryLists.map((list) => [list, entries])) as Record<EntryList, typeof entries>),
  summary,
};
type ChangeOf = { [K in keyof typeof schemas]?: z.output<(typeof schemas)[K]> };

/** One field of one segment or speaker of a list. */
interface PartChange {
  of: 'segments' | 'speakers';
  /** Index from 0 at the version of the request. */
  index: number;
  key: 'speaker' | 'text' | 'name' | 'color' | 'sortId';
  value: string | number;
}

const partSchemas: Record<string, z.ZodType<string | number>> = {
  'segments.speaker': z.string().min(1, 'required').max(64, 'too_long'),
  'segments.text': line,
  'speakers.name': name,
  'speakers.color': color,
  'speakers.sortId': sortId,
};

export interface Changes {
  whole: ChangeOf;
  parts: PartChange[];
}

interface WrongField {
  field: string;
  code: string;
}

/**
 * Reads the changes of a `meeting`: paths such as `doc.title`, `doc.transcript.segments` or
 * `transcript.segments[3].speaker`, with or without `doc.` before them, or the same as nested objects.
 */
export function readChanges(meeting: Readonly<Record<string, unknown>>): { changes: Changes; wrong: WrongField[] } {
  const changes: Changes = { whole: {}, parts: [] };
  const wrong: WrongField[] = [];
  const taken = new Set<string>();
  for (const [path, value] of pathsIn(meeting)) {
    // Unknown input is not echoed, unless it is a plain path.
    const field = /^[\w.[\]]{1,80}$/.test(path) ? `meeting.${path}` : 'meeting';
    const add = (problem: string) => wrong.push({ field, code: problem });
    const part = /^transcript\.(segments|speakers)\[(\d{1,6})\]\.(\w+)$/.exec(path);
    const key = path.replace(/^transcript\./, '');
    const schema = part ? partSchemas[`${part[1]}.${part[3]}`] : isWhole(path, key) ? schemas[key] : undefined;
    if (taken.has(path)) add('twice');
    else if (!schema) add('unknown');
    else {
      const parsed = schema.safeParse(value);
      if (!parsed.success)
        for (const { path: at, message } of parsed.error.issues.slice(0, 20))
          wrong.push({
            field: [field, ...at.map(String)].join('.').slice(0, 100),
            code: /^[a-z_]{1,40}$/.test(message) ? message : 'invalid',
          });
      else if (part)
        changes.parts.push({
          of: part[1] as PartChange['of'],
          index: Number(part[2]),
          key: part[3] as PartChange['key'],
          value: parsed.data as string | number,
        });
      else Object.assign(changes.whole, { [key]: parsed.data });
    }
    taken.add(path);
  }
  // A list given as a whole excludes changes of its parts.
  for (const of of ['segments', 'speakers'] as const)
    if (changes.whole[of] && changes.parts.some((part) => part.of === of))
      wrong.push({ field: `meeting.transcript.${of}`, code: 'twice' });
  const { preferredOutcomesSchema, preferredOutcomesModel } = changes.whole;
  if (disagree({ schema: preferredOutcomesSchema, model: preferredOutcomesModel }))
    wrong.push({ field: 'meeting.preferredOutcomesModel', code: 'invalid' });
  if (taken.size === 0) wrong.push({ field: 'meeting', code: 'required' });
  return { changes, wrong };
}

function isWhole(path: string, key: string): key is keyof typeof schemas {
  return Object.hasOwn(schemas, key) && (path !== key) === (key === 'segments' || key === 'speakers');
}

/** Each path once, without `doc.`, from nested objects. */
function* pathsIn(given: Readonly<Record<string, unknown>>, before = ''): Generator<[string, unknown]> {
  for (const [key, value] of Object.entries(given)) {
    const path = `${before}${key}`.replace(/^doc\./, '');
    const walked = (path === 'doc' || path === 'transcript') && typeof value === 'object' && value !== null;
    if (walked && !Array.isArray(value))
      yield* pathsIn(value as Record<string, unknown>, path === 'doc' ? '' : 'transcript.');
    else yield [path, value];
  }
}
