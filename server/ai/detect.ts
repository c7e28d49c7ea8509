import { accountTypes, outcomeModelIds, type OutcomeModelId } from '#shared/account-choices.ts';
import type { DetectInput, DetectionView } from '#shared/ai/suggestions.ts';
import { outcomeModels } from '#shared/meetings/outcome-types.ts';
import { invalid } from '#shared/problems.ts';
import { moneyTransaction } from '../billing/ledger.ts';
import { signedIn, type Ctx } from '../context.ts';
import { keepResult } from '../http/once.ts';
import { cancelWork } from '../jobs.ts';
import { rules } from '../limits.ts';
import { accessById } from '../rooms/access.ts';
import { askerOf } from '../rooms/whole-documents.ts';
import { consentOf } from './consent.ts';
import { suggestionsAt } from './machine-layer.ts';
import {
  assistantFor,
  detectOrder,
  jobOf,
  lastAmong,
  offeredFor,
  openAmong,
  openStates,
  prepareRun,
  paidRunView,
  paymentOf,
  settleRun,
  type Run,
} from './runs.ts';
import { openSuggestions } from './suggestions.ts';

/** The caller's last search for outcomes by this id, and what waits for their decision. */
export async function viewDetection(ctx: Ctx, { id }: { id: string }): Promise<DetectionView> {
  const { person } = signedIn(ctx);
  const verb = 'GET /api/meetings/:id/outcomes/autodetect';
  const access = await accessById(ctx, verb, id);
  const at = await suggestionsAt(ctx, verb, access);
  const { meetingId, layerId } = access;
  const [run, suggestions, offered, consent, payment] = await Promise.all([
    lastAmong(ctx.db.orm, { kind: 'detect', meetingId, userId: person.id, layerId }),
    openSuggestions(ctx, at),
    offeredFor(ctx, meetingId),
    consentOf(ctx.db.orm, meetingId),
    paymentOf(ctx, detectOrder(ctx, meetingId, person.id)),
  ]);
  return {
    readiness: run
      ? { startDate: run.createdAt.toISOString(), completionDate: run.finishedAt?.toISOString() ?? null }
      : null,
    run: run
      ? { ...(await paidRunView(ctx, run)), outcomeModel: run.outcomeModel, found: run.found, dropped: run.dropped }
      : null,
    suggestions,
    ...offered,
    consent,
    ...payment,
  };
}

/**
 * Has an assistant look for outcomes; it suggests them, and people accept or reject each. By a layer's id they are those of the
 * machine's layer of its review.
 */
export async function detect(ctx: Ctx, given: DetectInput & { id: string }): Promise<{ id: string }> {
  const { person } = signedIn(ctx);
  const { id, cost } = given;
  const verb = 'POST /api/meetings/:id/outcomes/autodetect';
  const access = await accessById(ctx, verb, id);
  await suggestionsAt(ctx, verb, access);
  const { meetingId, layerId } = access;
  const { model, outcomeModel } = wanted(given);
  const coach = await coachIn(ctx, { ...given, id: meetingId }, outcomeModel);
  const offered = await assistantFor(ctx, meetingId, model, 'modelId');
  await ctx.limits.take(rules.detections, person.id);
  const begun = await prepareRun(ctx, {
    ...{ kind: 'detect', meetingId, subject: person.id, offered, cost },
    order: detectOrder(ctx, meetingId, person.id),
    busy: 'Your last search for outcomes in this recording is still running',
  });
  return moneyTransaction(ctx, async (tx) => {
    await begun.queue(tx);
    // A run without a job is dead, as after the deletion of a recording that was restored later.
    const dead = await openAmong(tx, { kind: 'detect', meetingId, userId: person.id });
    if (dead) await settleRun(ctx, tx, dead, failed);
    const result = { id: await begun.insert(tx, { outcomeModel, coach, layerId }) };
    await keepResult(ctx, tx, result);
    return result;
  });
}

const isOpen = ({ state }: Run): boolean => openStates.some((open) => open === state);

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
  const { answer: speaks } = await ctx.documents.answer(id, askerOf(ctx), 'speaks', coachSpeakerId);
  if (!speaks) throw invalid({ field: 'coachSpeakerId', code: 'unknown' });
  return isGraded ? coachSpeakerId : null;
}

/** Stops the caller's search; nothing of it is kept or paid for. */
export async function stopDetection(ctx: Ctx, { id }: { id: string }): Promise<void> {
  const { person } = signedIn(ctx);
  const verb = 'POST /api/meetings/:id/outcomes/autodetect/stop';
  const access = await accessById(ctx, verb, id);
  await suggestionsAt(ctx, verb, access);
  const { meetingId, layerId } = access;
  const runs = { kind: 'detect' as const, meetingId, userId: person.id };
  await moneyTransaction(ctx, async (tx) => {
    // Another search of the person, which was asked for by another id, is not stopped.
    const last = await lastAmong(tx, { ...runs, layerId });
    if (!last || !isOpen(last)) return;
    // The job first: in this order its worker locks, too.
    await cancelWork(tx, jobOf('detect'), { meetingId, subject: person.id }, ctx.clock.now());
    const run = await openAmong(tx, runs);
    if (run) await settleRun(ctx, tx, run, { end: { state: 'stopped' }, parts: 0, shown: false });
  });
}
