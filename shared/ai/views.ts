import { z } from 'zod';
import { costsView, seenCost } from '../intake.ts';

// Inputs and answers of the calls of assistants.

export const longestQuestion = 2000;

/** Kinds of consent: nothing is sent, only to a model on this machine, or also to a named host. */
export const consents = ['none', 'local', 'host'] as const;
export type ConsentTo = (typeof consents)[number];

export const questionInput = z.object({
  content: z.string('required').trim().min(1, 'required').max(longestQuestion, 'too_long'),
  /** The assistant also gets the annotations that the caller reads: shared ones, private ones of the caller, open assessments. */
  annotations: z.boolean().default(false),
  /** Default: the one chosen for the recording, else the first of `GET /api/ai`. */
  model: z.string().min(1).max(200, 'too_long').optional(),
  /** Price that the person saw, or the way to pay that they chose. */
  cost: seenCost.default({ cost: 0 }),
});
export type QuestionInput = z.output<typeof questionInput>;

export const chatQuery = z.strictObject({
  after: z
    .string()
    .regex(/^\d{1,9}$/, 'invalid')
    .transform(Number)
    .default(0),
});

export const consentInput = z
  .object({
    consent: z.enum(consents, 'invalid'),
    host: z.string().min(1).max(260, 'too_long').optional(),
    /** Also for all recordings of this owner that have no answer of their own. */
    all: z.boolean().default(false),
  })
  .refine(({ consent, host }) => consent !== 'host' || host !== undefined, { path: ['host'], error: 'required' });
export type ConsentInput = z.output<typeof consentInput>;

export const consentView = z.object({
  consent: z.enum(consents),
  host: z.string().nullable(),
});

const assistantView = z.object({
  id: z.string(),
  title: z.string(),
  host: z.string(),
  local: z.boolean(),
  context: z.number().int(),
});
export type AssistantView = z.infer<typeof assistantView>;

/** The models, and which of them to begin with: the one chosen for the recording, else the first. */
export const offeredView = {
  models: z.array(assistantView),
  model: z.string().nullable(),
};

export const assistantsView = z.object({
  models: z.array(assistantView),
  /** The caller sits at the computer of the server and can set up a model. */
  canSetUp: z.boolean(),
});
export type AssistantsView = z.infer<typeof assistantsView>;

/** The model to begin with: the first of the wanted ids that is offered, else the first that is. */
export const startingModel = <M extends Pick<AssistantView, 'id'>>(
  models: readonly M[],
  ...wanted: readonly (string | null | undefined)[]
): M | undefined => {
  for (const id of wanted) {
    const found = models.find((one) => one.id === id);
    if (found) return found;
  }
  return models[0];
};

/** A place in the recording whose words were checked; times in seconds. */
const quoteView = z.object({
  text: z.string(),
  start: z.number(),
  end: z.number(),
});

export const storedPart = z.object({
  text: z.string(),
  quotes: z.array(quoteView),
  /** Quotes of the answer that do not stand in the transcript. */
  struck: z.number().int(),
});
export type StoredPart = z.infer<typeof storedPart>;

/** In the place of a model: what the sample's author wrote. */
export const writtenByHand = 'sample';

/** A part counts when at least one of its quotes stands in the transcript. */
export const stands = ({ quotes }: Pick<StoredPart, 'quotes'>): boolean => quotes.length > 0;

const runFailures = ['away', 'refused', 'answer', 'slow', 'long', 'empty', 'ended', 'unexpected'] as const;
export type RunFailure = (typeof runFailures)[number];

export const runView = z.object({
  id: z.string(),
  state: z.enum(['waiting', 'running', 'done', 'failed', 'stopped']),
  failure: z.enum(runFailures).nullable(),
  model: z.string(),
  host: z.string(),
  /** Lines of the transcript that the assistant got, and all there are; null while they are not known. */
  read: z.number().int().nullable(),
  lines: z.number().int().nullable(),
  /** Time at which it was asked for. */
  startDate: z.string(),
  /** Percent, estimated from the time that such work may take and from what was read of it; 99 at most until it has ended. */
  progress: z.number().int(),
});

export type RunView = z.infer<typeof runView>;

/** A run of work that is paid for once it is shown. */
export const paidRunView = runView.extend({
  /** Credits that it cost; null until it has ended. */
  paid: z.number().nullable(),
});
export type PaidRunView = z.infer<typeof paidRunView>;

/** Most percent that is shown of work that has not ended. */
const mostEstimated = 99;

/** Percent of work that has begun: the larger one of the time that has passed and of what was read, where that is known. */
export function estimated({ passed, seconds, share }: { passed: number; seconds: number; share: number }): number {
  const percent = Math.floor(100 * Math.max(passed / seconds, share));
  return Math.min(mostEstimated, Math.max(0, percent));
}

/** Common part of the views of paid work: the last run, and what a form needs to begin another one. */
export type PaidWorkView = Pick<ChatView, 'models' | 'model' | 'consent' | 'costs'> & { run: PaidRunView | null };

/** A checked answer that all readers of a recording share. */
export const analysisView = z.object({
  analysis: z
    .object({
      parts: z.array(storedPart),
      model: z.string(),
      host: z.string(),
      at: z.string(),
      /** More than two of a hundred words of the transcript have changed since. */
      older: z.boolean(),
    })
    .nullable(),
  /** The analysis in the making, or the caller’s own last one; `enough: false`: the recording has nothing to analyse. */
  run: runView.extend({ enough: z.boolean().nullable(), mine: z.boolean() }).nullable(),
  /** Credits of an analysis, by the first of the ways to pay. */
  price: z.number(),
  /** All ways in which the caller can pay for it. */
  costs: costsView,
});
export type AnalysisView = z.infer<typeof analysisView>;

/** Model and price of work that an assistant is asked for. */
export const assistantInput = questionInput.omit({ content: true, annotations: true });
export type AssistantInput = z.output<typeof assistantInput>;

const messageView = z.object({
  id: z.string(),
  nth: z.number().int(),
  role: z.enum(['user', 'assistant']),
  content: z.string(),
  /** Addresses of checked quotes, on this server. */
  urls: z.array(z.string()),
  parts: z.array(storedPart),
  /** Answers only; false: the recording does not say it. */
  enough: z.boolean().nullable(),
  run: runView.nullable(),
  at: z.string(),
});
export type MessageView = z.infer<typeof messageView>;

export const chatView = z.object({
  version: z.number().int(),
  messages: z.array(messageView),
  ...offeredView,
  consent: consentView,
  /** Credits of a question, by the first of the ways to pay. */
  price: z.number(),
  /** All ways in which the caller can pay for it. */
  costs: costsView,
});
export type ChatView = z.infer<typeof chatView>;

/** Whether a consent covers an assistant. */
export const covers = (
  { consent, host }: z.infer<typeof consentView>,
  to: Pick<AssistantView, 'host' | 'local'>,
): boolean => (to.local ? consent !== 'none' : consent === 'host' && host === to.host);
