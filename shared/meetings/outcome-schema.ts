import type * as Y from 'yjs';
import {
  accountTypeIds,
  accountTypes,
  isModelId,
  isOwnModel,
  type AccountTypeId,
  type ModelId,
} from '../account-choices.ts';
import { everywhere, inCodeOrder, outcomeModels, typeOf, type OutcomeType } from './outcome-types.ts';
import { ownTypesIn } from './own-types.ts';

// Types of outcomes that people choose from: those chosen for the document and stored in it, so that everyone with the
// document open sees them at once; otherwise those of each person's account.

/** Model of outcomes, and the account type it belongs to. */
export interface PreferredOutcomes {
  schema: AccountTypeId;
  model: ModelId;
}

const key = 'outcomes';
const modelsOf = (schema: AccountTypeId): readonly ModelId[] => accountTypes[schema];
/** Sets that people made belong to every account type. */
const belongs = (model: ModelId, schema: AccountTypeId): boolean =>
  isOwnModel(model) || modelsOf(schema).includes(model);
const isSchema = (value: unknown): value is AccountTypeId => accountTypeIds.some((one) => one === value);

export function readPreferred(doc: Y.Doc): PreferredOutcomes | null {
  const stored = doc.getMap('about').get(key);
  const [schema, model] = typeof stored === 'string' ? stored.split('/') : [];
  return isSchema(schema) && isModelId(model) && belongs(model, schema) ? { schema, model } : null;
}

/** Stored as one value, because both are chosen together. */
export function writePreferred(doc: Y.Doc, preferred: PreferredOutcomes | null, origin: unknown): void {
  const about = doc.getMap('about');
  doc.transact(() => {
    if (preferred) about.set(key, `${preferred.schema}/${preferred.model}`);
    else about.delete(key);
  }, origin);
}

/** Preference for a model: with the person's own account type if it has the model, else the first type that has. */
export function preferring(model: ModelId, accountType: AccountTypeId | null): PreferredOutcomes {
  const schema =
    accountType && belongs(model, accountType) ? accountType : accountTypeIds.find((id) => belongs(model, id));
  return { schema: schema ?? 'individual', model };
}

interface GivenPreference {
  schema?: AccountTypeId | null | undefined;
  model?: ModelId | null | undefined;
}

/** Preference a program asks for: null clears it, and missing fields follow from the given ones. */
export function preferenceOf(
  { schema, model }: GivenPreference,
  now: PreferredOutcomes | null,
): PreferredOutcomes | null {
  if (model == null && schema == null) return null;
  if (model != null) return preferring(model, schema ?? now?.schema ?? null);
  const [first] = schema ? modelsOf(schema) : [];
  if (!schema || !first) return null;
  return { schema, model: now && belongs(now.model, schema) ? now.model : first };
}

/** Whether the model belongs to another account type than the given one. */
export const disagree = ({ schema, model }: GivenPreference): boolean =>
  schema != null && model != null && !belongs(model, schema);

/** Model a person works with in a document; `accountModel` is the choice of their account. */
export const modelIn = (preferred: PreferredOutcomes | null, accountModel: string | null): ModelId =>
  preferred?.model ?? (isModelId(accountModel) ? accountModel : 'meeting');

/** Types of a model to choose from; of an own set, which has to be learnt, with those that every set has. */
export const typesOfModel = (model: ModelId): readonly OutcomeType[] =>
  isOwnModel(model) ? [...ownTypesIn(model), ...everywhere] : outcomeModels[model].types;

/** Types by their ids, whether they are still offered or not, with those that every set has. */
export const typesAsked = (ids: readonly string[]): readonly OutcomeType[] => [
  ...ids.flatMap((id) => typeOf(id) ?? []),
  ...everywhere,
];

/** All types of a model in order, then types of other models that are in use. */
export function typesIn(model: ModelId, used: Iterable<string>): OutcomeType[] {
  const types = typesOfModel(model);
  const known = new Set(types.map(({ id }) => id));
  const others = [...new Set(used)].flatMap((id) => (known.has(id) ? [] : (typeOf(id) ?? [])));
  return [...types.toSorted(inCodeOrder), ...others.sort(inCodeOrder)];
}
