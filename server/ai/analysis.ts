import { eq } from 'drizzle-orm';
import { aiAnalyses } from '#db/schema/ai.ts';
import type { AnalysisView, AssistantInput } from '#shared/ai/views.ts';
import { moneyTransaction } from '../billing/ledger.ts';
import { signedIn, type Ctx } from '../context.ts';
import { keepResult } from '../http/once.ts';
import { cancelWork } from '../jobs.ts';
import { rules } from '../limits.ts';
import { accessTo } from '../rooms/access.ts';
import { askerOf } from '../rooms/whole-documents.ts';
import {
  assistantFor,
  jobOf,
  lastAmong,
  openAmong,
  prepareRun,
  paymentOf,
  questionOrder,
  runView,
  settleRun,
} from './runs.ts';

/** One analysis of a recording is made at a time, for all who ask, because its readers share it. */
const shared = '';
/** Apart from the questions of the person who pays for it. */
const paidAs = 'analysis';

/** The stored analysis and the one in the making. */
export async function viewAnalysis(ctx: Ctx, { id }: { id: string }): Promise<AnalysisView> {
  const { person } = signedIn(ctx);
  await accessTo(ctx, 'GET /api/meetings/:id/analysis', id);
  const { orm } = ctx.db;
  const [[stored], run, payment] = await Promise.all([
    orm.select().from(aiAnalyses).where(eq(aiAnalyses.meetingId, id)),
    lastAmong(orm, { kind: 'analysis', meetingId: id }),
    paymentOf(ctx, questionOrder(ctx, id, paidAs)),
  ]);
  const mine = run?.userId === person.id;
  const open = run?.finishedAt === null;
  const now = stored && (await ctx.documents.answer(id, askerOf(ctx), 'analysis', stored.parts, stored.words)).answer;
  return {
    analysis:
      stored && now
        ? {
            parts: now.parts,
            ...{ model: stored.model, host: stored.host, at: stored.createdAt.toISOString() },
            older: now.older,
          }
        : null,
    run: run && (mine || open) ? { ...runView(ctx, run), enough: run.enough, mine } : null,
    ...payment,
  };
}

/** Asks an assistant what a recording is about; the checked answer is stored for all of its readers. */
export async function analyse(ctx: Ctx, { id, model, cost }: AssistantInput & { id: string }): Promise<{ id: string }> {
  const { person } = signedIn(ctx);
  await accessTo(ctx, 'POST /api/meetings/:id/analysis', id);
  const offered = await assistantFor(ctx, id, model);
  await ctx.limits.take(rules.questions, person.id);
  const begun = await prepareRun(ctx, {
    ...{ kind: 'analysis', meetingId: id, subject: shared, offered, cost },
    order: questionOrder(ctx, id, paidAs),
    busy: 'An analysis of this recording is being made',
  });
  return moneyTransaction(ctx, async (tx) => {
    await begun.queue(tx);
    // A run without a job is dead, as after the deletion of a recording that was restored later.
    const dead = await openAmong(tx, { kind: 'analysis', meetingId: id });
    if (dead) await settleRun(ctx, tx, dead, failed);
    const result = { id: await begun.insert(tx) };
    await keepResult(ctx, tx, result);
    return result;
  });
}

const failed = { end: { state: 'failed', failure: 'unexpected' }, parts: 0, shown: false } as const;

/** Stops the analysis in the making; the stored one stays. */
export async function stopAnalysis(ctx: Ctx, { id }: { id: string }): Promise<void> {
  await accessTo(ctx, 'POST /api/meetings/:id/analysis/stop', id);
  await moneyTransaction(ctx, async (tx) => {
    // The job first: in this order its worker locks, too.
    await cancelWork(tx, jobOf('analysis'), { meetingId: id, subject: shared }, ctx.clock.now());
    const run = await openAmong(tx, { kind: 'analysis', meetingId: id });
    if (run) await settleRun(ctx, tx, run, { end: { state: 'stopped' }, parts: 0, shown: false });
  });
}
