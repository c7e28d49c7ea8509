import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

// Models are folders with a description that `npm run models` writes last: a folder without it is incomplete.
// Descriptions of other models can be written by hand.

export const descriptionFile = 'model.json';
const modelName = z.string().regex(/^[a-z0-9][a-z0-9.-]{0,40}$/, 'is no name of a model');

const file = z.object({
  /** File name, beside the description. */
  name: z.string().regex(/^[A-Za-z0-9_][\w.-]*$/, 'is no name of a file'),
  bytes: z.number().int().positive(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/, 'is no SHA-256'),
});
const about = {
  name: modelName,
  title: z.string().min(1).max(60),
  licence: z.string().min(1),
  /** Origin of the files, and what their checksums were compared with. */
  source: z.string(),
  verified: z.enum(['pinned', 'published', 'recorded']),
};
/** ISO 639-1 codes; absent if the model supports all offered languages. */
const languages = z.array(z.string().regex(/^[a-z]{2,3}$/)).optional();
const tokens = file;

export const modelDescription = z.discriminatedUnion('kind', [
  z.object({
    ...about,
    kind: z.literal('transducer'),
    languages,
    files: z.object({ encoder: file, decoder: file, joiner: file, tokens }),
    /** Model type of sherpa-onnx; empty for automatic detection. */
    make: z.enum(['', 'transducer', 'nemo_transducer']).default(''),
  }),
  z.object({
    ...about,
    kind: z.literal('whisper'),
    languages,
    files: z.object({ encoder: file, decoder: file, tokens }),
  }),
  /** Detects speech. */
  z.object({ ...about, kind: z.literal('activity'), files: z.object({ model: file }) }),
  /** Distinguishes speakers. */
  z.object({ ...about, kind: z.literal('voices'), files: z.object({ segmentation: file, embedding: file }) }),
]);
export type ModelDescription = z.infer<typeof modelDescription>;
export type FoundModel<Kind extends ModelDescription['kind'] = ModelDescription['kind']> = {
  folder: string;
} & Extract<ModelDescription, { kind: Kind }>;
export type Recogniser = FoundModel<'transducer' | 'whisper'>;

interface FoundModels {
  recognisers: Recogniser[];
  activity: FoundModel<'activity'> | null;
  voices: FoundModel<'voices'> | null;
  /** Models that cannot be used, each with the reason. */
  wrong: string[];
}

/** Finds models by name; a file whose length differs from the description makes its model unusable. */
export function findModels(folder: string): FoundModels {
  const found: FoundModels = { recognisers: [], activity: null, voices: null, wrong: [] };
  for (const name of namesIn(folder)) {
    try {
      const model = readModel(join(folder, name));
      if (model.kind === 'activity') found.activity ??= model;
      else if (model.kind === 'voices') found.voices ??= model;
      else found.recognisers.push(model);
    } catch (error) {
      found.wrong.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return found;
}

/** A text that changes with each model that comes, goes or is replaced. */
export const modelsState = (folder: string): string =>
  namesIn(folder)
    .map((name) => `${name} ${statSync(join(folder, name, descriptionFile), { throwIfNoEntry: false })?.mtimeMs}`)
    .join('\n');

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && modelName.safeParse(entry.name).success)
      .map(({ name }) => name)
      .toSorted();
  } catch {
    return [];
  }
}

export function readModel(folder: string): FoundModel {
  let text;
  try {
    text = readFileSync(join(folder, descriptionFile), 'utf8');
  } catch (cause) {
    throw new Error(`it has no ${descriptionFile}: fetching it was not finished`, { cause });
  }
  const parsed = modelDescription.safeParse(parseJson(text));
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new Error(`its ${descriptionFile} says nothing usable: ${issue?.path.join('.')} ${issue?.message}`);
  }
  const model: FoundModel = { folder, ...parsed.data };
  for (const { name, bytes } of Object.values(model.files)) {
    const found = statSync(join(folder, name), { throwIfNoEntry: false });
    if (!found?.isFile()) throw new Error(`its file ${name} is missing`);
    if (found.size !== bytes) throw new Error(`its file ${name} has ${found.size} bytes instead of ${bytes}`);
  }
  return model;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
