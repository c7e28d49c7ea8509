import { and, asc, eq, lt } from 'drizzle-orm';
import { accessesOf } from '#db/access.ts';
import type { Orm } from '#db/open.ts';
import { aiMessages, aiRuns } from '#db/schema/ai.ts';
import { answerShape, closedParts, readAnswer, type Answer, type AnswerPart } from '#shared/ai/answer.ts';
import { wasCut } from '#shared/ai/budget.ts';
import { quoteFinder } from '#shared/ai/verify.ts';
import { covers, stands, type RunFailure, type StoredPart } from '#shared/ai/views.ts';
import { fallbackLanguage, isLanguage } from '#shared/i18n/languages.ts';
import { transaction, type House } from '../context.ts';
import { JobFailed, type Job, type Kind } from '../jobs.ts';
import { AssistantFailed, type Answered, type Assistant } from '../outside/assistant.ts';
import { endRun, isOf, nextVersion, openRun, tell, type Run } from './chat.ts';
import { consentOf } from './consent.ts';
import { materialOf, promptFor, quoteAt, type Earlier, type Material, type Prompt } from './context.ts';

/** Most seconds from the question to the end of the answer. */
const deadline = 180;
/** Milliseconds between two looks at whether the answer is still wanted and permitted. */
const lookMs = 500;
/** Most tokens of an answer, and the part of a small context that it may take. */
const mostAnswer = 2048;
const answerShare = 4;
/** A prompt that a model cut is halved so many times. */
const mostHalvings = 2;
/** Parts of the context that a guess of tokens may be wrong by. */
const margin = 0.85;
const mostEarlier = 6;

/** The run is over in the database, or its asker may no longer have an answer. */
class Over extends Error {
  override name = 'Over';
}

const failures: Record<AssistantFailed['failure'], RunFailure> = {
  unreachable: 'away',
  refused: 'refused',
  schema: 'refused',
  too_long: 'long',
  answer: 'answer',
  slow: 'slow',
};

/** Failures of jobs in general, beside those that are thrown here. */
const failureOf = (failure: string): RunFailure => (failure === 'too_long' ? 'slow' : (failure as RunFailure));

export const questionKind = (house: House): Kind => ({
  seconds: deadline,
  async run({ job, signal, finish }) {
    const run = await begin(house, job);
    if (!run) return finish(async () => {});
    const assistant = (await house.assistants()).find(
      ({ offered }) => offered.id === run.model && offered.host === run.host,
    );
    if (!assistant) throw new JobFailed('away');
    const { local } = assistant.offered;
    if (!(await isPermitted(house, run, local))) throw new JobFailed('ended');
    const looking = watch(house, run, local, signal);
    try {
      const { enough, answered } = await answer(house, run, assistant, looking.signal);
      looking.signal.throwIfAborted();
      await finish((tx) =>
        endRun(house, tx, run, {
          ...{ state: 'done', enough },
          ...(answered && { asked: answered.asked, answered: answered.answered }),
        }),
      );
    } catch (error) {
      if (looking.over !== null && !signal.aborted) throw new JobFailed(looking.over, error);
      if (error instanceof AssistantFailed) throw new JobFailed(failures[error.failure], error);
      throw error;
    } finally {
      looking.stop();
    }
  },
  failed: async (tx, job, failure) => {
    const run = await openRun(tx, chatOf(job));
    if (run) await endRun(house, tx, run, { state: 'failed', failure: failureOf(failure) });
  },
});

const chatOf = ({ meetingId, subject }: Job) => ({ meetingId, userId: subject });

/** Takes the run of a job; after a crash it starts over, without what was answered before. */
async function begin(house: House, job: Job): Promise<Run | null> {
  return transaction(house, async (tx) => {
    const version = await nextVersion(tx, chatOf(job));
    const [run] = await tx
      .update(aiRuns)
      .set({ state: 'running' })
      .where(isOf(chatOf(job)))
      .returning();
    if (!run) return null;
    await tx.update(aiMessages).set({ version, parts: [] }).where(eq(aiMessages.runId, run.id));
    await tell(tx, run, 0);
    return run;
  });
}

/** Looks twice a second whether the run is still open, its asker may read, and the owner allows it. */
function watch(house: House, run: Run, local: boolean, signal: AbortSignal) {
  const stopped = new AbortController();
  const state = { over: null as RunFailure | null };
  let busy = false;
  const look = async () => {
    if (busy) return;
    busy = true;
    try {
      if (!(await isPermitted(house, run, local))) state.over = 'ended';
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

async function isPermitted({ db }: House, run: Run, local: boolean): Promise<boolean> {
  const { meetingId, userId, browser, host } = run;
  const [[held], consent] = await Promise.all([
    db.ask((sql) => accessesOf(sql, [{ meetingId, userId, browser }])),
    consentOf(db.orm, meetingId),
  ]);
  return held?.has('read') === true && covers(consent, { host, local });
}

interface Ended {
  enough: boolean;
  answered: Answered['usage'];
}

async function answer(house: House, run: Run, assistant: Assistant, signal: AbortSignal): Promise<Ended> {
  const material = await materialOf(house, run.meetingId);
  if (material.lines.length === 0) throw new JobFailed('empty');
  const { question, earlier } = await askedIn(house.db.orm, run);
  const language = isLanguage(run.language) ? run.language : fallbackLanguage;
  const { context } = assistant.offered;
  const most = Math.min(mostAnswer, Math.floor(context / answerShare));
  let room = Math.floor((context - most) * margin);
  for (let halved = 0; ; halved += 1) {
    const prompt = promptFor(material, { question, earlier, language, room });
    const usual = { assistant, material, prompt, most, signal };
    try {
      const ended = await askOnce(house, run, usual);
      if (ended) return ended;
    } catch (error) {
      if (!(error instanceof AssistantFailed) || error.failure !== 'too_long' || halved === mostHalvings) throw error;
    }
    // The model did not read all of it, whatever its server told about the context.
    if (halved === mostHalvings) throw new JobFailed('long');
    room = Math.floor(Math.min(room, prompt.tokens) / 2);
  }
}

async function askedIn(orm: Orm, run: Run): Promise<{ question: string; earlier: Earlier[] }> {
  const [own] = await orm.select({ nth: aiMessages.nth }).from(aiMessages).where(eq(aiMessages.runId, run.id));
  const before = await orm
    .select()
    .from(aiMessages)
    .where(
      and(
        eq(aiMessages.meetingId, run.meetingId),
        eq(aiMessages.userId, run.userId),
        lt(aiMessages.nth, own?.nth ?? 0),
      ),
    )
    .orderBy(asc(aiMessages.nth));
  const question = before.findLast(({ role, nth }) => role === 'user' && nth === (own?.nth ?? 0) - 1);
  // Deleted meanwhile, so nobody waits for the answer.
  if (!question) throw new JobFailed('ended');
  const earlier = before.flatMap((one): Earlier[] => {
    const asked = before.find(({ nth, role }) => nth === one.nth - 1 && role === 'user');
    const text = one.parts.filter(stands).map(({ text: part }) => part);
    return one.role === 'assistant' && asked && text.length > 0
      ? [{ question: asked.content, answer: text.join(' ') }]
      : [];
  });
  return { question: question.content, earlier: earlier.slice(-mostEarlier) };
}

interface Usual {
  assistant: Assistant;
  material: Material;
  prompt: Prompt;
  most: number;
  signal: AbortSignal;
}

/** One question with its repair; null where the model read only a part of it. */
async function askOnce(
  house: House,
  run: Run,
  { assistant, material, prompt, most, signal }: Usual,
): Promise<Ended | null> {
  await house.db.orm
    .update(aiRuns)
    .set({ read: prompt.lines.length, lines: material.lines.length })
    .where(eq(aiRuns.id, run.id));
  const find = quoteFinder(prompt.lines);
  const checked = ({ text, cites }: AnswerPart): StoredPart => {
    const places = cites.map(find);
    const quotes = places.flatMap((place) => {
      const turn = place && material.turns[place.paragraph];
      return turn ? [quoteAt(turn, place.from, place.to)] : [];
    });
    return { text, quotes, struck: cites.length - quotes.length };
  };
  let text = '';
  let shown = 0;
  let storing = Promise.resolve();
  const show = (parts: readonly AnswerPart[]) => {
    if (parts.length === shown) return;
    shown = parts.length;
    const stored = parts.map(checked);
    storing = storing.then(() => storeParts(house, run, stored, signal));
    // Awaited below; until then its failure is nobody's unhandled one.
    storing.catch(() => {});
  };
  const reader = {
    piece: (piece: string) => {
      text += piece;
      show(closedParts(text));
    },
    again: () => {
      text = '';
    },
  };
  const { rules, data, question } = prompt;
  const asking = { rules, data, schema: answerShape, needs: prompt.tokens + most, most, signal };
  let answered = await assistant.ask({ ...asking, question }, reader);
  await storing;
  if (answered.usage && wasCut(prompt.tokens, answered.usage.asked)) return null;
  let read = finalOf(text, answered.end);
  if ('wrong' in read) {
    reader.again();
    const repair = `${question}\n\nYour last answer was not of the required form:\n${read.wrong}\nAnswer again, with the JSON object alone.`;
    answered = await assistant.ask({ ...asking, question: repair }, reader);
    await storing;
    read = finalOf(text, answered.end);
  }
  if ('wrong' in read) throw new AssistantFailed('answer', 'its answer has not the required form');
  const { parts, enough } = read.answer;
  const stored = parts.map(checked);
  await storeParts(house, run, stored, signal);
  return { enough: enough && stored.some(stands), answered: answered.usage };
}

/** An answer that its limit cut counts with the parts that are complete. */
function finalOf(text: string, end: Answered['end']): { answer: Answer } | { wrong: string } {
  const read = readAnswer(text);
  const parts = closedParts(text);
  return 'wrong' in read && end === 'length' && parts.length > 0 ? { answer: { parts, enough: true } } : read;
}

/** Stores what is checked of an answer, only while its run is open. */
async function storeParts(house: House, run: Run, parts: StoredPart[], signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  await transaction(house, async (tx) => {
    const version = await nextVersion(tx, run);
    const [open] = await tx
      .select({ id: aiRuns.id })
      .from(aiRuns)
      .where(and(isOf(run), eq(aiRuns.id, run.id)));
    if (!open) throw new Over();
    await tx.update(aiMessages).set({ parts, version }).where(eq(aiMessages.runId, run.id));
    await tell(tx, { ...run, state: 'running' }, parts.length);
  });
}
