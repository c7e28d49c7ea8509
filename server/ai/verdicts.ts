import { and, desc, eq } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { aiRuns, aiVerdicts } from '#db/schema/ai.ts';
import type { VerdictView } from '#shared/ai/verdicts.ts';
import { stands, type AssistantInput } from '#shared/ai/views.ts';
import { typeOf } from '#shared/meetings/outcome-types.ts';
import { invalid, Problem } from '#shared/problems.ts';
import type { LayerVerb } from '#shared/roles.ts';
import { moneyTransaction } from '../billing/ledger.ts';
import { signedIn, type Ctx } from '../context.ts';
import { keepResult } from '../http/once.ts';
import { cancelWork } from '../jobs.ts';
import { rules } from '../limits.ts';
import { learnHere } from '../outcome-models/named.ts';
import { accessById } from '../rooms/access.ts';
import { askerOf } from '../rooms/whole-documents.ts';
import { consentOf } from './consent.ts';
import { machineFor } from './machine-layer.ts';
import {
  assistantFor,
  jobOf,
  lastAmong,
  offeredFor,
  openAmong,
  paidRunView,
  paymentOf,
  prepareRun,
  questionOrder,
  settleRun,
  type Run,
} from './runs.ts';

// An explained grade: what an assistant would give for one competency of an assessment, with the words that show it. Its
// asker alone reads it, and it is no part of the assessment.

interface Named {
  id: string;
  type: string;
}
interface Competency {
  meetingId: string;
  layerId: string;
  userId: string;
  type: string;
}

/** Apart from other work of the person that costs as much. */
const paidAs = (userId: string): string => `verdict ${userId}`;

/** The competency, for who reads the assessment and what a machine says beside it. */
async function competencyOf(ctx: Ctx, verb: LayerVerb, { id, type }: Named): Promise<Competency> {
  const { person } = signedIn(ctx);
  const { meetingId, layerId } = await accessById(ctx, verb, id);
  if (layerId === null) throw new Problem('NOT_FOUND');
  const found = { meetingId, layerId, userId: person.id, type };
  const machine = await machineFor(ctx, found);
  if (machine === 'none') throw new Problem('NOT_FOUND');
  if (machine === 'no') throw new Problem('NO_PERM');
  await learnHere(ctx, found, [type], 'type');
  if ((typeOf(type)?.grades.length ?? 0) === 0) throw invalid({ field: 'type', code: 'unknown' });
  return found;
}

const isVerdictOf = ({ layerId, userId, type }: Omit<Competency, 'meetingId'>) =>
  and(eq(aiVerdicts.layerId, layerId), eq(aiVerdicts.userId, userId), eq(aiVerdicts.type, type));

/** The caller's last explanation of a competency. */
export async function viewVerdict(ctx: Ctx, named: Named): Promise<VerdictView> {
  const about = await competencyOf(ctx, 'GET /api/meetings/:id/grades/:type/explanation', named);
  const { meetingId, userId } = about;
  const { orm } = ctx.db;
  const [run, [stored], offered, consent, payment] = await Promise.all([
    lastRun(orm, about),
    orm.select().from(aiVerdicts).where(isVerdictOf(about)),
    offeredFor(ctx, meetingId),
    consentOf(orm, meetingId),
    paymentOf(ctx, questionOrder(ctx, meetingId, paidAs(userId))),
  ]);
  const parts = stored
    ? (await ctx.documents.answer(meetingId, askerOf(ctx), 'partsNow', stored.parts)).answer.filter(stands)
    : [];
  return {
    run: run ? { ...(await paidRunView(ctx, run)), enough: run.enough, dropped: run.dropped } : null,
    // Without words that show it, a grade is no more than an opinion of a machine.
    verdict:
      stored && parts.length > 0
        ? {
            ...{ grade: stored.grade, parts, why: stored.why, model: stored.model },
            at: stored.createdAt.toISOString(),
          }
        : null,
    ...offered,
    consent,
    ...payment,
  };
}

async function lastRun(orm: Orm, { layerId, userId, type }: Competency): Promise<Run | undefined> {
  const [run] = await orm
    .select()
    .from(aiRuns)
    .where(
      and(
        eq(aiRuns.kind, 'verdict'),
        eq(aiRuns.layerId, layerId),
        eq(aiRuns.userId, userId),
        eq(aiRuns.outcomeType, type),
      ),
    )
    .orderBy(desc(aiRuns.createdAt), desc(aiRuns.id))
    .limit(1);
  return run;
}

/** Asks an assistant which grade it would give for a competency, and why. */
export async function explainGrade(
  ctx: Ctx,
  { model, cost, ...named }: AssistantInput & Named,
): Promise<{ id: string }> {
  const about = await competencyOf(ctx, 'POST /api/meetings/:id/grades/:type/explanation', named);
  const { meetingId, layerId, userId, type } = about;
  const offered = await assistantFor(ctx, meetingId, model);
  await ctx.limits.take(rules.questions, userId);
  const begun = await prepareRun(ctx, {
    ...{ kind: 'verdict', meetingId, subject: userId, offered, cost },
    order: questionOrder(ctx, meetingId, paidAs(userId)),
    busy: 'Your last explanation of a grade is still being written',
  });
  return moneyTransaction(ctx, async (tx) => {
    await begun.queue(tx);
    // A run without a job is dead, as after the deletion of a recording that was restored later.
    const dead = await openAmong(tx, { kind: 'verdict', meetingId, userId });
    if (dead)
      await settleRun(ctx, tx, dead, { end: { state: 'failed', failure: 'unexpected' }, parts: 0, shown: false });
    const result = { id: await begun.insert(tx, { layerId, outcomeType: type }) };
    await keepResult(ctx, tx, result);
    return result;
  });
}

/** Stops the explanation that is being written; nothing of it is kept or paid for. */
export async function stopVerdict(ctx: Ctx, named: Named): Promise<void> {
  const { meetingId, userId, layerId, type } = await competencyOf(
    ctx,
    'POST /api/meetings/:id/grades/:type/explanation/stop',
    named,
  );
  await moneyTransaction(ctx, async (tx) => {
    const asked = await lastAmong(tx, { kind: 'verdict', meetingId, userId });
    if (asked?.layerId !== layerId || asked.outcomeType !== type) return;
    // The job first: in this order its worker locks, too.
    await cancelWork(tx, jobOf('verdict'), { meetingId, subject: userId }, ctx.clock.now());
    const run = await openAmong(tx, { kind: 'verdict', meetingId, userId });
    if (run?.id !== asked.id) return;
    await settleRun(ctx, tx, run, { end: { state: 'stopped' }, parts: 0, shown: false });
  });
}
