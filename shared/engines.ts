import { z } from 'zod';

/** Speech models that people can get; the voices tell speakers apart, beside any of the others. */
export const modelNames = ['whisper-small', 'whisper-turbo', 'whisper-base', 'parakeet-v3', 'voices'] as const;
export type ModelName = (typeof modelNames)[number];
/** Offered first: all languages, in a size that most computers have room for. */
export const usualModel: ModelName = 'whisper-small';

export const modelFailures = ['disk', 'folder', 'unreachable', 'gone', 'damaged', 'unexpected', 'too_long'] as const;
export type ModelFailure = (typeof modelFailures)[number];

/** `stopped`: a part has arrived, and nothing fetches the rest. */
const modelStates = ['absent', 'waiting', 'fetching', 'unpacking', 'stopped', 'failed', 'whole'] as const;
export type ModelState = (typeof modelStates)[number];

const modelView = z.strictObject({
  name: z.enum(modelNames),
  title: z.string(),
  licence: z.string(),
  /** Makers, with the address of their page. */
  credit: z.string(),
  /** Approximate bytes to download, with what the model needs beside it. */
  bytes: z.number().int(),
  /** Bytes of them that have arrived. */
  received: z.number().int(),
  /** Bytes that the disk has to have room for. */
  room: z.number().int(),
  state: z.enum(modelStates),
  /** Failure of the last download. */
  failure: z.enum(modelFailures).nullable(),
});
export type ModelView = z.infer<typeof modelView>;

export const modelsView = z.strictObject({
  /** Whether recordings can be transcribed. */
  ready: z.boolean(),
  /** Programs this computer lacks to run any model. */
  missing: z.array(z.enum(['runtime', 'ffmpeg'])),
  /** Free bytes of the disk; null where it does not tell. */
  free: z.number().int().nullable(),
  models: z.array(modelView),
});
export type ModelsView = z.infer<typeof modelsView>;
