import { and, asc, eq, lt } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { aiMessages, aiRuns } from '#db/schema/ai.ts';
import { partChecker, type Material } from '#shared/ai/material.ts';
import { answerShape, closedParts, readAnswer, type Answer, type AnswerPart } from '#shared/ai/answer.ts';
import { stands, type StoredPart } from '#shared/ai/views.ts';
import { transaction, type House } from '../context.ts';
import { JobFailed, type Job, type Kind } from '../jobs.ts';
import type { Answered } from '../outside/assistant.ts';
import { askInForm, askingKind, Over, recordRead, withinContext, type AskingWork } from './asking.ts';
import { annotationsFor } from './annotations.ts';
import { endRun, isOf, nextVersion, openRun } from './chat.ts';
import { materialOf, promptFor, type Earlier, type Prompt } from './context.ts';
import { mostSeconds, tell, type Run } from './runs.ts';

/** Most tokens of an answer. */
const mostAnswer = 2048;
const mostEarlier = 6;

export const questionKind = (house: House): Kind =>
  askingKind(house, {
    seconds: mostSeconds.question,
    begin: (job) => begin(house, job),
    async answer(work) {
      const { run } = work;
      const { enough, usage } = await answer(house, work);
      return (tx) => endRun(house, tx, run, { state: 'done', enough, ...usage });
    },
    open: (tx, job) => openRun(tx, chatOf(job)),
    end: (tx, run, end) => endRun(house, tx, run, end),
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

interface Ended {
  enough: boolean;
  usage: Answered['usage'];
}

async function answer(house: House, work: AskingWork): Promise<Ended> {
  const { run, assistant, language } = work;
  const material = await materialOf(house, run.meetingId);
  if (material.lines.length === 0) throw new JobFailed('empty');
  const { question, earlier } = await askedIn(house.db.orm, run);
  const { beside, layers } = run.annotations ? await annotationsFor(house, run) : { beside: [], layers: [] };
  work.alsoNeeds(layers);
  return withinContext(assistant, mostAnswer, ({ room, most }) => {
    const prompt = promptFor(material, { question, earlier, language, room, beside });
    return askOnce(house, work, { material, prompt, most });
  });
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
  material: Material;
  prompt: Prompt;
  most: number;
}

/** One question, whose checked parts are stored while it is answered. */
async function askOnce(house: House, work: AskingWork, { material, prompt, most }: Usual): Promise<Ended> {
  const { run, assistant, signal } = work;
  await recordRead(house, run, prompt.lines.length, material.lines.length);
  const checked = partChecker(material, prompt.lines);
  let shown = 0;
  let storing = Promise.resolve();
  const show = (parts: readonly AnswerPart[]) => {
    if (parts.length === shown) return;
    shown = parts.length;
    const stored = parts.map(checked);
    storing = storing.then(() => storeParts(house, work, stored));
    // Awaited below; until then its failure is nobody's unhandled one.
    storing.catch(() => {});
  };
  try {
    const grown = (text: string) => show(closedParts(text));
    const asking = { assistant, prompt, most, schema: answerShape, read: finalOf, grown, signal };
    const { answer: whole, usage } = await askInForm(asking);
    await storing;
    const stored = whole.parts.map(checked);
    await storeParts(house, work, stored);
    return { enough: whole.enough && stored.some(stands), usage };
  } finally {
    // Nothing of this request is stored after the next one has begun.
    await storing.catch(() => {});
  }
}

/** An answer that its limit cut counts with the parts that are complete. */
export function finalOf(text: string, end: Answered['end']): { answer: Answer } | { wrong: string } {
  const read = readAnswer(text);
  const parts = closedParts(text);
  return 'wrong' in read && end === 'length' && parts.length > 0 ? { answer: { parts, enough: true } } : read;
}

/** Stores what is checked of an answer, only while its run is open and its asker may have it. */
async function storeParts(
  house: House,
  { run, signal, stillAllowed, holdConsent }: AskingWork,
  parts: StoredPart[],
): Promise<void> {
  signal.throwIfAborted();
  await stillAllowed();
  await transaction(house, async (tx) => {
    await holdConsent(tx);
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
