import { and, asc, eq, ne } from 'drizzle-orm';
import { aiDrafts } from '#db/schema/ai.ts';
import {
  draftKinds,
  type DecideDraftInput,
  type DraftKind,
  type DraftsView,
  type DraftView,
} from '#shared/ai/drafts.ts';
import { stands, type AssistantInput } from '#shared/ai/views.ts';
import { Problem } from '#shared/problems.ts';
import { moneyTransaction } from '../billing/ledger.ts';
import { signedIn, type Ctx } from '../context.ts';
import { keepResult } from '../http/once.ts';
import { cancelWork } from '../jobs.ts';
import { rules } from '../limits.ts';
import { accessTo } from '../rooms/access.ts';
import { askerOf } from '../rooms/whole-documents.ts';
import { consentOf } from './consent.ts';
import {
  assistantFor,
  jobOf,
  lastAmong,
  offeredFor,
  openAmong,
  prepareRun,
  paidRunView,
  paymentOf,
  questionOrder,
  settleRun,
} from './runs.ts';

interface Named {
  id: string;
  kind: string;
}

/** Apart from other work of the person that costs as much. */
const paidAs = (kind: DraftKind, userId: string): string => `${kind} ${userId}`;

/** The kind by its name; a draft of chapters takes the permission to write them. */
async function permitted(
  ctx: Ctx,
  name:
    | 'POST /api/meetings/:id/drafts/:kind'
    | 'POST /api/meetings/:id/drafts/:kind/stop'
    | 'PUT /api/meetings/:id/drafts/:kind/:draftId',
  { id, kind: given }: Named,
): Promise<DraftKind> {
  await accessTo(ctx, name, id);
  const kind = kindOf(given);
  if (kind === 'chapters') await accessTo(ctx, 'PUT /api/meetings/:id', id);
  return kind;
}

function kindOf(given: string): DraftKind {
  const kind = draftKinds.find((one) => one === given);
  if (!kind) throw new Problem('NOT_FOUND');
  return kind;
}

/** The caller's drafts; those whose words were deleted are not shown. */
export async function viewDrafts(ctx: Ctx, { id, kind: given }: Named): Promise<DraftsView> {
  const { person } = signedIn(ctx);
  await accessTo(ctx, 'GET /api/meetings/:id/drafts/:kind', id);
  const kind = kindOf(given);
  const [run, rows, offered, consent, payment] = await Promise.all([
    lastAmong(ctx.db.orm, { kind, meetingId: id, userId: person.id }),
    ctx.db.orm
      .select()
      .from(aiDrafts)
      .where(and(ofCaller(id, kind, person.id), ne(aiDrafts.state, 'rejected')))
      .orderBy(asc(aiDrafts.createdAt), asc(aiDrafts.nth)),
    offeredFor(ctx, id),
    consentOf(ctx.db.orm, id),
    paymentOf(ctx, questionOrder(ctx, id, paidAs(kind, person.id))),
  ]);
  const now = rows.length > 0 ? (await ctx.documents.answer(id, askerOf(ctx), 'partsNow', rows)).answer : [];
  return {
    run: run ? { ...(await paidRunView(ctx, run)), found: run.found, dropped: run.dropped } : null,
    drafts: rows.flatMap(({ id: draftId, state, model }, nth): DraftView[] => {
      const part = now[nth];
      if (!part || !stands(part) || state === 'rejected') return [];
      const { text, quotes, struck } = part;
      return [{ id: draftId, state, model, text, quotes, struck }];
    }),
    ...offered,
    consent,
    ...payment,
  };
}

const ofCaller = (meetingId: string, kind: DraftKind, userId: string) =>
  and(eq(aiDrafts.meetingId, meetingId), eq(aiDrafts.kind, kind), eq(aiDrafts.userId, userId));

/** Asks an assistant for a draft, which is the caller's alone. */
export async function draft(ctx: Ctx, given: AssistantInput & Named): Promise<{ id: string }> {
  const { person } = signedIn(ctx);
  const { id, model, cost } = given;
  const kind = await permitted(ctx, 'POST /api/meetings/:id/drafts/:kind', given);
  const offered = await assistantFor(ctx, id, model);
  await ctx.limits.take(rules.questions, person.id);
  const begun = await prepareRun(ctx, {
    ...{ kind, meetingId: id, subject: person.id, offered, cost },
    order: questionOrder(ctx, id, paidAs(kind, person.id)),
    busy: 'Your last draft is still being written',
  });
  return moneyTransaction(ctx, async (tx) => {
    await begun.queue(tx);
    // A run without a job is dead, as after the deletion of a recording that was restored later.
    const dead = await openAmong(tx, { kind, meetingId: id, userId: person.id });
    if (dead) await settleRun(ctx, tx, dead, failed);
    const result = { id: await begun.insert(tx) };
    await keepResult(ctx, tx, result);
    return result;
  });
}

const failed = { end: { state: 'failed', failure: 'unexpected' }, parts: 0, shown: false } as const;

/** Stops the draft that is being written; nothing of it is kept or paid for. */
export async function stopDraft(ctx: Ctx, given: Named): Promise<void> {
  const { person } = signedIn(ctx);
  const { id } = given;
  const kind = await permitted(ctx, 'POST /api/meetings/:id/drafts/:kind/stop', given);
  await moneyTransaction(ctx, async (tx) => {
    // The job first: in this order its worker locks, too.
    await cancelWork(tx, jobOf(kind), { meetingId: id, subject: person.id }, ctx.clock.now());
    const run = await openAmong(tx, { kind, meetingId: id, userId: person.id });
    if (run) await settleRun(ctx, tx, run, { end: { state: 'stopped' }, parts: 0, shown: false });
  });
}

/** Records what the person decided on a point or chapter. What they took, their page has written by itself. */
export async function decideDraft(
  ctx: Ctx,
  { draftId, state, ...given }: DecideDraftInput & Named & { draftId: string },
): Promise<void> {
  const { person } = signedIn(ctx);
  const kind = await permitted(ctx, 'PUT /api/meetings/:id/drafts/:kind/:draftId', given);
  const changed = await ctx.db.orm
    .update(aiDrafts)
    .set({ state })
    .where(and(ofCaller(given.id, kind, person.id), eq(aiDrafts.id, draftId)))
    .returning({ id: aiDrafts.id });
  if (changed.length === 0) throw new Problem('NOT_FOUND');
}
