import { accessesByIdOf, readableLayers } from '#db/access.ts';
import { aiRuns } from '#db/schema/ai.ts';
import { wasCut } from '#shared/ai/budget.ts';
import { covers, type RunFailure } from '#shared/ai/views.ts';
import { fallbackLanguage, isLanguage, type Language } from '#shared/i18n/languages.ts';
import type { Permission } from '#shared/roles.ts';
import { eq } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import type { House } from '../context.ts';
import { JobFailed, type Job, type Kind } from '../jobs.ts';
import { AssistantFailed, type Answered, type Assistant } from '../outside/assistant.ts';
import { consentOf, heldConsentOf } from './consent.ts';
import type { Prompt } from './context.ts';
import { machineLayerOf } from './machine-layer.ts';
import { failureOf, type Run, type RunEnd, type RunKind } from './runs.ts';

// How a job asks an assistant: it is stopped with the permission or consent it needs, asks in one form with one repair,
// and asks with less where a model read only a part.

/** Milliseconds between two looks at whether the answer is still wanted and permitted. */
const lookMs = 500;
/** A prompt that a model cut is halved so many times. */
const mostHalvings = 2;
/** Parts of the context that a guess of tokens may be wrong by. */
const margin = 0.85;
/** Characters of an answer that is shown while it comes. */
const longestShown = 200_000;
/** Part of a small context that an answer may take. */
const answerShare = 4;

/** The run is over in the database, or its asker may no longer have an answer. */
export class Over extends Error {
  override name = 'Over';
}

/** The model read only a part of a prompt of so many tokens, whatever its server told about the context. */
class Cut extends Error {
  override name = 'Cut';
  readonly tokens: number;

  constructor(tokens: number) {
    super('the model read only a part');
    this.tokens = tokens;
  }
}

const failures: Record<AssistantFailed['failure'], RunFailure> = {
  unreachable: 'away',
  refused: 'refused',
  schema: 'refused',
  too_long: 'long',
  answer: 'answer',
  slow: 'slow',
};

/** Permission the asker needs while it runs; by a layer’s id *read* and the machine’s layer of its review. */
const needs: Record<RunKind, Permission> = {
  ...{ question: 'read', verdict: 'read', summary: 'comment' },
  ...{ analysis: 'write', detect: 'write', chapters: 'write' },
};

export interface AskingWork {
  run: Run;
  assistant: Assistant;
  language: Language;
  signal: AbortSignal;
  /** Throws if its asker may no longer have the answer, or the owner no longer allows it. */
  stillAllowed(): Promise<void>;
  /** The same for the owner's word alone, which then holds until the transaction ends. */
  holdConsent(tx: Orm): Promise<void>;
  /** From now on its asker must also read these layers, because their words are sent. */
  alsoNeeds(layers: readonly string[]): void;
}

interface AskingKind {
  /** Most seconds from the request to the end of the answer. */
  seconds: number;
  /** Takes the run of a job; after a crash it starts over. Null: there is none. */
  begin(job: Job): Promise<Run | null>;
  /** Asks, and tells how the transaction writes that ends it. */
  answer(work: AskingWork): Promise<(tx: Orm) => Promise<void>>;
  /** The open run of a job, locked. */
  open(tx: Orm, job: Job): Promise<Run | undefined>;
  end(tx: Orm, run: Run, end: RunEnd): Promise<void>;
}

export const askingKind = (house: House, { seconds, begin, answer, open, end }: AskingKind): Kind => ({
  seconds,
  async run({ job, signal, finish }) {
    const run = await begin(job);
    if (!run) return finish(async () => {});
    const assistant = (await house.assistants()).find(
      ({ offered }) => offered.id === run.model && offered.host === run.host,
    );
    if (!assistant) throw new JobFailed('away');
    const { local } = assistant.offered;
    const sent: string[] = [];
    const isAllowed = () => isPermitted(house, run, { local, sent });
    const stillAllowed = async () => {
      if (!(await isAllowed())) throw new JobFailed('ended');
    };
    const holdConsent = async (tx: Orm) => {
      if (!covers(await heldConsentOf(tx, run.meetingId), { host: run.host, local })) throw new JobFailed('ended');
    };
    await stillAllowed();
    const looking = watch(isAllowed, signal);
    try {
      const language = isLanguage(run.language) ? run.language : fallbackLanguage;
      const alsoNeeds = (layers: readonly string[]) => void sent.push(...layers);
      const { signal: wanted } = looking;
      const write = await answer({ run, assistant, language, signal: wanted, stillAllowed, holdConsent, alsoNeeds });
      looking.signal.throwIfAborted();
      await stillAllowed();
      await finish(async (tx) => {
        await holdConsent(tx);
        await write(tx);
      });
    } catch (error) {
      if (looking.over !== null && !signal.aborted) throw new JobFailed(looking.over, error);
      if (error instanceof AssistantFailed) throw new JobFailed(failures[error.failure], error);
      throw error;
    } finally {
      looking.stop();
    }
  },
  failed: async (tx, job, failure) => {
    const run = await open(tx, job);
    if (run) await end(tx, run, { state: 'failed', failure: failureOf(failure) });
  },
});

/** Looks twice a second whether its asker may still have the answer, and the owner allows it. */
function watch(isAllowed: () => Promise<boolean>, signal: AbortSignal) {
  const stopped = new AbortController();
  const state = { over: null as RunFailure | null };
  let busy = false;
  const look = async () => {
    if (busy) return;
    busy = true;
    try {
      if (!(await isAllowed())) state.over = 'ended';
      if (state.over !== null) stopped.abort(new Over());
    } catch {
      // The database is away for a moment; the lease of the job ends the run if it stays so.
    } finally {
      busy = false;
    }
  };
  const timer = setInterval(() => void look(), lookMs);
  return {
    signal: AbortSignal.any([signal, stopped.signal]),
    get over() {
      return state.over;
    },
    stop: () => clearInterval(timer),
  };
}

/** `sent`: layers whose words are sent as well. */
async function isPermitted(
  house: House,
  run: Run,
  { local, sent }: { local: boolean; sent: readonly string[] },
): Promise<boolean> {
  const { kind, meetingId, layerId, userId, browser, host } = run;
  const { db } = house;
  const [[found = null], consent, machine, readable] = await Promise.all([
    db.ask((sql) => accessesByIdOf(sql, [{ meetingId: layerId ?? meetingId, userId, browser }])),
    consentOf(db.orm, meetingId),
    layerId === null ? null : machineLayerOf(house, { meetingId, layerId, userId }),
    sent.length === 0 ? [] : db.ask((sql) => readableLayers(sql, userId, meetingId)),
  ]);
  const reads = sent.every((layer) => readable.some(({ id }) => id === layer));
  const mayAsk = layerId === null ? found?.held.has(needs[kind]) : found?.held.has('read') && machine !== null;
  return reads && mayAsk === true && covers(consent, { host, local });
}

/** Runs work with the tokens that a model has for a prompt, and again with half where it read only a part. */
export async function withinContext<T>(
  assistant: Assistant,
  mostAnswer: number,
  work: (tokens: { room: number; most: number }) => Promise<T>,
): Promise<T> {
  const { context } = assistant.offered;
  const most = Math.min(mostAnswer, Math.floor(context / answerShare));
  let room = Math.floor((context - most) * margin);
  for (let halved = 0; ; halved += 1)
    try {
      return await work({ room, most });
    } catch (error) {
      if (!(error instanceof Cut)) throw error;
      if (halved === mostHalvings) throw new JobFailed('long', error);
      room = Math.floor(Math.min(room, error.tokens) / 2);
    }
}

export type Usage = Answered['usage'];

export const bothUsages = (one: Usage, other: Usage): Usage =>
  one && other ? { asked: one.asked + other.asked, answered: one.answered + other.answered } : (one ?? other);

interface InForm<T> {
  assistant: Assistant;
  prompt: Prompt;
  /** Most tokens of the answer. */
  most: number;
  schema: object;
  /** The answer, or what is wrong with it, in words for the model. */
  read(text: string, end: Answered['end']): { answer: T } | { wrong: string };
  /** Called with all of the answer that is there, each time more comes. */
  grown?(text: string): void;
  signal: AbortSignal;
}

/** One request with its repair; throws where the model read only a part of it. */
export async function askInForm<T>(given: InForm<T>): Promise<{ answer: T; usage: Usage }> {
  const { assistant, prompt, most, schema, read, grown, signal } = given;
  let text = '';
  const reader = {
    piece: (piece: string) => {
      text += piece;
      // Only a brace closes a part; what is longer than any answer is not looked through again with each piece.
      if (piece.includes('}') && text.length < longestShown) grown?.(text);
    },
    again: () => {
      text = '';
    },
  };
  const { rules, data, question, tokens } = prompt;
  const asking = { rules, data, schema, needs: tokens + most, most, signal };
  try {
    let answered = await assistant.ask({ ...asking, question }, reader);
    let { usage } = answered;
    if (usage && wasCut(tokens, usage.asked)) throw new Cut(tokens);
    let found = read(text, answered.end);
    if ('wrong' in found) {
      reader.again();
      const repair = `${question}\n\nYour last answer was not of the required form:\n${found.wrong}\nAnswer again, with the JSON object alone.`;
      answered = await assistant.ask({ ...asking, question: repair }, reader);
      usage = bothUsages(usage, answered.usage);
      found = read(text, answered.end);
    }
    if ('wrong' in found) throw new AssistantFailed('answer', 'its answer has not the required form');
    return { answer: found.answer, usage };
  } catch (error) {
    if (error instanceof AssistantFailed && error.failure === 'too_long') throw new Cut(tokens);
    throw error;
  }
}

/** Records how much of the transcript the model got. */
export const recordRead = (house: House, run: Run, read: number, lines: number) =>
  house.db.orm.update(aiRuns).set({ read, lines }).where(eq(aiRuns.id, run.id));
