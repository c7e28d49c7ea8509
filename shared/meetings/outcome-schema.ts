import type * as Y from 'yjs';
import {
  accountTypeIds,
  accountTypes,
  outcomeModelIds,
  type AccountTypeId,
  type OutcomeModelId,
} from '../account-choices.ts';
import { inCodeOrder, outcomeModels, typeOf, type OutcomeType } from './outcome-types.ts';

// Types of outcomes that people choose from: those chosen for the document and stored in it, so that everyone with the
// document open sees them at once; otherwise those of each person's account.

/** Model of outcomes, and the account type it belongs to. */
export interface PreferredOutcomes {
  schema: AccountTypeId;
  model: OutcomeModelId;
}

const key = 'outcomes';
const modelsOf = (schema: AccountTypeId): readonly OutcomeModelId[] => accountTypes[schema];
const isSchema = (value: unknown): value is AccountTypeId => accountTypeIds.some((one) => one === value);
const isModel = (value: unknown): value is OutcomeModelId => outcomeModelIds.some((one) => one === value);

export function readPreferred(doc: Y.Doc): PreferredOutcomes | null {
  const stored = doc.getMap('about').get(key);
  const [schema, model] = typeof stored === 'string' ? stored.split('/') : [];
  return isSchema(schema) && isModel(model) && modelsOf(schema).includes(model) ? { schema, model } : null;
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
export function preferring(model: OutcomeModelId, accountType: AccountTypeId | null): PreferredOutcomes {
  const schema =
    accountType && modelsOf(accountType).includes(model)
      ? accountType
      : accountTypeIds.find((id) => modelsOf(id).includes(model));
  return { schema: schema ?? 'individual', model };
}

interface GivenPreference {
  schema?: AccountTypeId | null | undefined;
  model?: OutcomeModelId | null | undefined;
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
  return { schema, model: now && modelsOf(schema).includes(now.model) ? now.model : first };
}

/** Whether the model belongs to another account type than the given one. */
export const disagree = ({ schema, model }: GivenPreference): boolean =>
  schema != null && model != null && !modelsOf(schema).includes(model);

/** Model a person works with in a document; `accountModel` is the choice of their account. */
export const modelIn = (preferred: PreferredOutcomes | null, accountModel: string | null): OutcomeModelId =>
  preferred?.model ?? (isModel(accountModel) ? accountModel : 'meeting');

/** All types of a model in order, then types of other models that are in use. */
export function typesIn(model: OutcomeModelId, used: Iterable<string>): OutcomeType[] {
  const types = outcomeModels[model].types;
  const known = new Set(types.map(({ id }) => id));
  const others = [...new Set(used)].flatMap((id) => (known.has(id) ? [] : (typeOf(id) ?? [])));
  return [...types.toSorted(inCodeOrder), ...others.sort(inCodeOrder)];
}
