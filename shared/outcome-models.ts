import { z } from 'zod';
import { isOwnModel, outcomeModelIds } from './account-choices.ts';
import { bidi, controls } from './email.ts';
import { languageNames, type Language } from './i18n/languages.ts';

// Sets of outcome types that people make, as they are sent. The same JSON is the file of an export.

export const ownModelLimits = {
  name: 100,
  typeName: 80,
  about: 300,
  gradeName: 40,
  types: 200,
  /** Types below one. */
  children: 12,
  grades: 10,
  /** Highest grade. */
  grade: 100,
  /** Types that are no longer offered, and kept for the outcomes that have them. */
  retired: 400,
  /** Sets of one person, or of one group, with those that are no longer offered. */
  kept: 200,
  /** Bytes of a set that is sent. */
  bytes: 100_000,
  /** Characters of all types of a set as JSON, with those that are no longer offered. */
  stored: 200_000,
} as const;

const languages = Object.keys(languageNames) as [Language, ...Language[]];

const line = (most: number) =>
  z
    .string('required')
    .transform((given) => given.normalize('NFC').trim().replaceAll(/\s+/g, ' '))
    .superRefine((plain, ctx) => {
      const wrong = [...plain].length > most ? 'too_long' : bidi.test(plain) || controls.test(plain) ? 'name' : null;
      if (wrong !== null) ctx.addIssue({ code: 'custom', message: wrong });
    });
const name = (most: number) => line(most).refine((plain) => plain !== '', 'required');

/** Index of the first value that occurred before. */
function repeated(values: readonly unknown[]): number | null {
  const at = values.findIndex((value, i) => values.indexOf(value) < i);
  return at === -1 ? null : at;
}

const list = <Item extends z.ZodType>(
  item: Item,
  most: number,
  field: string,
  keyOf: (item: z.output<Item>) => unknown,
) =>
  z
    .array(item)
    .max(most, 'too_many')
    .superRefine((items, ctx) => {
      const at = repeated(items.map(keyOf));
      if (at !== null) ctx.addIssue({ code: 'custom', message: 'twice', path: [at, field] });
    });

const id = z.string().max(64).optional().describe('That of a type which stays; without one, the type is new.');
const keyOfName = ({ name: given }: { name: string }) => given.toLocaleLowerCase();

const child = z.strictObject({ id, name: name(ownModelLimits.typeName) });
const grade = z.strictObject({
  value: z.int('number').min(0, 'number').max(ownModelLimits.grade, 'number'),
  name: name(ownModelLimits.gradeName),
});
const type = z.strictObject({
  ...{ id, name: name(ownModelLimits.typeName) },
  about: line(ownModelLimits.about).default(''),
  color: z.int('number').min(0, 'number').max(4, 'number').default(0),
  grades: list(grade, ownModelLimits.grades, 'value', ({ value }) => value).default([]),
  children: list(child, ownModelLimits.children, 'name', keyOfName).default([]),
});
export type OwnTypeInput = z.output<typeof type>;

const fields = {
  name: name(ownModelLimits.name),
  language: z.enum(languages).describe('Of its words.'),
  types: list(type, ownModelLimits.types, 'name', keyOfName).min(1, 'required'),
};

export const outcomeModelInput = z.strictObject({
  ...fields,
  groupId: z.string().max(100).nullish().describe('A group that the caller is an admin of; else it is the caller’s.'),
});
export type OutcomeModelInput = z.output<typeof outcomeModelInput>;

export const outcomeModelChange = z.strictObject({
  rev: z.int().nonnegative().describe('The `rev` that was read; another one is a conflict.'),
  ...fields,
  retired: z.boolean().optional().describe('Whether it is no longer offered.'),
});
export type OutcomeModelChange = z.output<typeof outcomeModelChange>;

const childView = z.strictObject({ id: z.string(), name: z.string(), retired: z.boolean() });
const typeView = childView.extend({
  about: z.string(),
  color: z.int(),
  grades: z.array(
    z.strictObject({
      ...{ value: z.int(), name: z.string() },
      retired: z.boolean().optional().describe('True for a grade that is no longer offered.'),
    }),
  ),
  children: z.array(childView),
});

const ownModelId = z.templateLiteral(['own_', z.string()], 'invalid').refine(isOwnModel, 'invalid');
/** A set of the product, or one that people made. */
export const modelId = z.union([z.enum(outcomeModelIds), ownModelId], 'invalid');

/** A set as everybody sees it who reads outcomes of it. */
export const setView = z.strictObject({
  id: ownModelId,
  name: z.string(),
  language: z.enum(languages),
  types: z.array(typeView),
});

export type SetView = z.infer<typeof setView>;

const outcomeModelView = setView.extend({
  group: z.strictObject({ id: z.string(), name: z.string() }).nullable(),
  rev: z.int(),
  retired: z.boolean(),
  /** Whether the caller may change it. */
  mayChange: z.boolean(),
  offeredIn: z
    .array(z.strictObject({ id: z.string(), name: z.string() }))
    .describe('Groups of the caller whose settings offer it to their members, or force it.'),
});
export type OutcomeModelView = z.infer<typeof outcomeModelView>;

export const setInput = z.strictObject({ id: ownModelId });
/** Sets to choose types from in a recording or an assessment. */
export const setsAnswer = z.strictObject({ models: z.array(setView) });
export type SetsAnswer = z.infer<typeof setsAnswer>;

export const outcomeModelsAnswer = z.strictObject({ models: z.array(outcomeModelView) });
export const outcomeModelAnswer = z.strictObject({ model: outcomeModelView });
