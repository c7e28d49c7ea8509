import { accountTypes, outcomeModelIds, type OutcomeModelId } from '#shared/account-choices.ts';
import type { DetectInput, DetectionView } from '#shared/ai/suggestions.ts';
import { spokenDocument } from '#shared/formats/spoken.ts';
import { outcomeModels } from '#shared/meetings/outcome-types.ts';
import { invalid } from '#shared/problems.ts';
import { moneyTransaction } from '../billing/ledger.ts';
import { signedIn, type Ctx } from '../context.ts';
import { keepResult } from '../http/once.ts';
import { cancelWork } from '../jobs.ts';
import { rules } from '../limits.ts';
import { accessTo } from '../rooms/access.ts';
import { runView } from './chat.ts';
import { consentOf } from './consent.ts';
import {
  assistantFor,
  detectOrder,
  jobOf,
  lastAmong,
  offeredFor,
  openAmong,
  prepareRun,
  paymentOf,
  settleRun,
} from './runs.ts';
import { openSuggestions } from './suggestions.ts';

/** The caller's last search for outcomes, and what waits for a decision. */
export async function viewDetection(ctx: Ctx, { id }: { id: string }): Promise<DetectionView> {
  const { person } = signedIn(ctx);
  await accessTo(ctx, 'GET /api/meetings/:id/outcomes/autodetect', id);
  const [run, suggestions, offered, consent, payment] = await Promise.all([
    lastAmong(ctx.db.orm, { kind: 'detect', meetingId: id, userId: person.id }),
    openSuggestions(ctx, id),
    offeredFor(ctx, id),
    consentOf(ctx.db.orm, id),
    paymentOf(ctx, detectOrder(ctx, id, person.id)),
  ]);
  return {
    readiness: run
      ? { startDate: run.createdAt.toISOString(), completionDate: run.finishedAt?.toISOString() ?? null }
      : null,
    run: run ? { ...runView(run), outcomeModel: run.outcomeModel, found: run.found, dropped: run.dropped } : null,
    suggestions,
    ...offered,
    consent,
    ...payment,
  };
}

/** Has an assistant look for outcomes; it suggests them, and people accept or reject each. */
export async function detect(ctx: Ctx, given: DetectInput & { id: string }): Promise<{ id: string }> {
  const { person } = signedIn(ctx);
  const { id, cost } = given;
  await accessTo(ctx, 'POST /api/meetings/:id/outcomes/autodetect', id);
  const { model, outcomeModel } = wanted(given);
  const coach = await coachIn(ctx, given, outcomeModel);
  const offered = await assistantFor(ctx, id, model, 'modelId');
  await ctx.limits.take(rules.detections, person.id);
  const begun = await prepareRun(ctx, {
    ...{ kind: 'detect', meetingId: id, subject: person.id, offered, cost },
    order: detectOrder(ctx, id, person.id),
    busy: 'Your last search for outcomes in this recording is still running',
  });
  return moneyTransaction(ctx, async (tx) => {
    await begun.queue(tx);
    // A run without a job is dead, as after the deletion of a recording that was restored later.
    const dead = await openAmong(tx, { kind: 'detect', meetingId: id, userId: person.id });
    if (dead) await settleRun(ctx, tx, dead, failed);
    const result = { id: await begun.insert(tx, { outcomeModel, coach }) };
    await keepResult(ctx, tx, result);
    return result;
  });
}

const failed = { end: { state: 'failed', failure: 'unexpected' }, parts: 0, shown: false } as const;

const isOutcomeModel = (id: string): id is OutcomeModelId => outcomeModelIds.some((one) => one === id);

/** Assistant and outcome model of a request: an outcome model in the place of an assistant is read as that. */
function wanted({ modelId, outcomeModel }: DetectInput): { model: string | undefined; outcomeModel: OutcomeModelId } {
  const asModel = modelId !== undefined && isOutcomeModel(modelId) ? modelId : null;
  const named = outcomeModel ?? asModel ?? accountTypes.individual[0];
  if (!isOutcomeModel(named)) throw invalid({ field: 'outcomeModel', code: 'unknown' });
  return { model: asModel === null ? modelId : undefined, outcomeModel: named };
}

/** The speaker whose words count, where the model's types tell how well somebody coached. */
async function coachIn(ctx: Ctx, { id, coachSpeakerId }: DetectInput & { id: string }, model: OutcomeModelId) {
  const isGraded = outcomeModels[model].types.some(({ grades }) => grades.length > 0);
  if (coachSpeakerId === undefined) {
    if (isGraded) throw invalid({ field: 'coachSpeakerId', code: 'required' });
    return null;
  }
  const speaks = await ctx.documents.read(id, (doc) =>
    spokenDocument(doc).turns.some(({ speaker }) => speaker === coachSpeakerId),
  );
  if (!speaks) throw invalid({ field: 'coachSpeakerId', code: 'unknown' });
  return isGraded ? coachSpeakerId : null;
}

/** Stops the caller's search; nothing of it is kept or paid for. */
export async function stopDetection(ctx: Ctx, { id }: { id: string }): Promise<void> {
  const { person } = signedIn(ctx);
  await accessTo(ctx, 'POST /api/meetings/:id/outcomes/autodetect/stop', id);
  await moneyTransaction(ctx, async (tx) => {
    // The job first: in this order its worker locks, too.
    await cancelWork(tx, jobOf('detect'), { meetingId: id, subject: person.id }, ctx.clock.now());
    const run = await openAmong(tx, { kind: 'detect', meetingId: id, userId: person.id });
    if (run) await settleRun(ctx, tx, run, { end: { state: 'stopped' }, parts: 0, shown: false });
  });
}
