import type * as Y from 'yjs';
import {
  accountTypeIds,
  accountTypes,
  outcomeModelIds,
  type AccountTypeId,
  type OutcomeModelId,
} from '../account-choices.ts';
import { inCodeOrder, outcomeModels, typeOf, type OutcomeType } from './outcome-types.ts';

// Which types of outcomes people pick from in a document: those chosen for it, in the document itself, so that whoever
// has it open sees them at once; else those each person's own account is set to.

/** A model, and the kind of account it is one of. */
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

/** One value for both, as they are chosen together. */
export function writePreferred(doc: Y.Doc, preferred: PreferredOutcomes | null, origin: unknown): void {
  const about = doc.getMap('about');
  doc.transact(() => {
    if (preferred) about.set(key, `${preferred.schema}/${preferred.model}`);
    else about.delete(key);
  }, origin);
}

/** The choice of a model: of one's own kind of account where that has it, else of the first that has. */
export function preferring(model: OutcomeModelId, own: AccountTypeId | null): PreferredOutcomes {
  const schema = own && modelsOf(own).includes(model) ? own : accountTypeIds.find((id) => modelsOf(id).includes(model));
  return { schema: schema ?? 'individual', model };
}

interface GivenPreference {
  schema?: AccountTypeId | null | undefined;
  model?: OutcomeModelId | null | undefined;
}

/** What a program asks for: null takes the choice back, and what is not said follows from what is. */
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

/** A model of another kind of account than the one that is said. */
export const disagree = ({ schema, model }: GivenPreference): boolean =>
  schema != null && model != null && !modelsOf(schema).includes(model);

/** The model somebody works with in a document; `own` is what their account is set to. */
export const modelIn = (preferred: PreferredOutcomes | null, own: string | null): OutcomeModelId =>
  preferred?.model ?? (isModel(own) ? own : 'meeting');

/** All types of a model in their order, and behind them those of other models that are in use. */
export function typesIn(model: OutcomeModelId, used: Iterable<string>): OutcomeType[] {
  const types = outcomeModels[model].types;
  const known = new Set(types.map(({ id }) => id));
  const others = [...new Set(used)].flatMap((id) => (known.has(id) ? [] : (typeOf(id) ?? [])));
  return [...types.toSorted(inCodeOrder), ...others.sort(inCodeOrder)];
}
