import { and, desc, eq, inArray, isNull, sql } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { aiRuns } from '#db/schema/ai.ts';
import { meetings } from '#db/schema/meetings.ts';
import { newId } from '#shared/ids.ts';
import type { CostOption, SeenCost } from '#shared/intake.ts';
import {
  covers,
  estimated,
  startingModel,
  type AssistantView,
  type PaidRunView,
  type RunFailure,
  type RunView,
} from '#shared/ai/views.ts';
import { invalid, Problem } from '#shared/problems.ts';
import { creditsTaken } from '../billing/paid-for.ts';
import { askerOf, chosenOption, microsOf, type Order } from '../billing/quote.ts';
import { signedIn, transaction, type Ctx, type House } from '../context.ts';
import { queueWork } from '../jobs.ts';
import type { OfferedAssistant } from '../outside/assistant.ts';
import { consentOf } from './consent.ts';

// Parts common to all work of assistants: who may ask which model, the price, and the end of a run with its hold.

const aiChannel = 'colloquy_ai';

export type Run = typeof aiRuns.$inferSelect;
export type RunKind = Run['kind'];
/** The job of a run has the name of its kind. */
export const jobOf = (kind: RunKind): string => kind;

export const openStates = ['waiting', 'running'] as const;

/** Order of what costs as much as a question; `subject` tells apart what is paid for at the same time. */
export const questionOrder = (ctx: Ctx, meetingId: string, subject: string): Order => ({
  meetingId,
  purpose: 'question',
  price: BigInt(microsOf(ctx.config.assistant.questionPrice)),
  subject,
});

/** Order of a search for outcomes. */
export const detectOrder = (ctx: Ctx, meetingId: string, subject: string): Order => ({
  meetingId,
  purpose: 'detect',
  price: BigInt(microsOf(ctx.config.assistant.detectPrice)),
  subject,
});

/** Ways in which the caller can pay for an order, and the price by the first one. */
export async function paymentOf(ctx: Ctx, order: Order): Promise<{ price: number; costs: CostOption[] }> {
  const asker = await askerOf(signedIn(ctx));
  const costs = await ctx.costs.options(ctx.db.orm, asker, order);
  return { price: costs[0]?.cost ?? 0, costs };
}

/**
 * The assistant that is asked, by default that of the recording; refuses where there is none, an unknown one, or one that
 * the owner has not allowed.
 */
export async function assistantFor(
  ctx: Ctx,
  meetingId: string,
  model: string | undefined,
  field = 'model',
): Promise<OfferedAssistant> {
  const assistants = await ctx.assistants();
  if (assistants.length === 0) throw new Problem('NO_MODEL');
  const assistant =
    model === undefined
      ? startingModel(
          assistants.map(({ offered }) => offered),
          await chatModelOf(ctx.db.orm, meetingId),
        )
      : assistants.find(({ offered }) => offered.id === model)?.offered;
  if (!assistant) throw invalid({ field, code: 'unknown' });
  if (!covers(await consentOf(ctx.db.orm, meetingId), assistant)) throw new Problem('CONSENT');
  return assistant;
}

/** The assistant that was chosen for a recording; perhaps it is no longer offered. */
async function chatModelOf(orm: Orm, meetingId: string): Promise<string | null> {
  const [row] = await orm.select({ model: meetings.chatModelId }).from(meetings).where(eq(meetings.id, meetingId));
  return row?.model ?? null;
}

/** The assistants for a view: all that are offered, and which of them to begin with. */
export async function offeredFor(
  ctx: Ctx,
  meetingId: string,
): Promise<{ models: AssistantView[]; model: string | null }> {
  const [assistants, chosen] = await Promise.all([ctx.assistants(), chatModelOf(ctx.db.orm, meetingId)]);
  const models = assistants.map(({ offered }) => viewOf(offered));
  return { models, model: startingModel(models, chosen)?.id ?? null };
}

export const viewOf = ({ id, title, host, local, context }: OfferedAssistant): AssistantView => ({
  id,
  title,
  host,
  local,
  context,
});

interface Begun {
  kind: RunKind;
  meetingId: string;
  /** Subject of the job: one run of a kind about it at a time. */
  subject: string;
  order: Order;
  offered: OfferedAssistant;
  cost: SeenCost;
  /** Error for a caller who asks while it runs. */
  busy: string;
}

/** Everything that a run needs before its transaction. */
export async function prepareRun(ctx: Ctx, { kind, meetingId, subject, order, offered, cost, busy }: Begun) {
  const signed = signedIn(ctx);
  const asker = await askerOf(signed);
  const costs = await ctx.costs.options(ctx.db.orm, asker, order);
  const option = chosenOption(costs, cost);
  const now = ctx.clock.now();
  return {
    now,
    /** Queues the job, alone of its kind. */
    async queue(tx: Orm): Promise<void> {
      const queued = await queueWork(tx, jobOf(kind), { meetingId, subject }, now);
      if (!queued) throw new Problem('CONFLICT', { message: busy });
    },
    /** Reserves the price and writes the run. */
    async insert(
      tx: Orm,
      more: Pick<Partial<Run>, 'outcomeModel' | 'annotations' | 'coach' | 'layerId' | 'outcomeType'> = {},
    ): Promise<string> {
      const id = newId();
      const holdId = await ctx.costs.hold(tx, asker, order, option);
      const { browser = null, language } = ctx;
      await tx.insert(aiRuns).values({
        ...{ id, kind, meetingId, userId: signed.person.id, browser, language, holdId, createdAt: now },
        ...{ model: offered.id, host: offered.host, state: 'waiting' },
        ...more,
      });
      await tell(tx, { userId: signed.person.id, id, state: 'waiting' }, 0);
      return id;
    },
  };
}

/** Announces a run to the open pages of its asker, without any text. */
export const tell = (tx: Orm, { userId, id, state }: Pick<Run, 'userId' | 'id' | 'state'>, parts: number) =>
  tx.execute(sql`select pg_notify(${aiChannel}, ${JSON.stringify({ user: userId, run: id, state, parts })})`);

export type RunEnd = Partial<Run> & Pick<Run, 'state'>;

/** Ends a run and its hold, once; `shown`: how many parts of its work people see, without which nothing is paid. */
export async function settleRun(
  house: Pick<House, 'costs' | 'clock'>,
  tx: Orm,
  run: Run,
  { end, parts, shown }: { end: RunEnd; parts: number; shown: boolean },
): Promise<void> {
  const ended = await tx
    .update(aiRuns)
    .set({ ...end, finishedAt: house.clock.now() })
    .where(and(eq(aiRuns.id, run.id), inArray(aiRuns.state, openStates)))
    .returning({ id: aiRuns.id });
  if (ended.length === 0) return;
  if (run.holdId !== null)
    await (end.state !== 'failed' && shown ? house.costs.capture(tx, run.holdId) : house.costs.release(tx, run.holdId));
  await tell(tx, { ...run, state: end.state }, parts);
}

/** Most seconds from the request to the end of the answer. */
export const mostSeconds: Record<RunKind, number> = {
  ...{ question: 180, verdict: 300 },
  ...{ analysis: 900, detect: 900, summary: 900, chapters: 900 },
};

/** Kinds that get the whole transcript, in pieces where it is long. */
const readsAll: ReadonlySet<RunKind> = new Set<RunKind>(['analysis', 'detect', 'summary', 'chapters']);

/** A run as its asker sees it. */
export function runView({ clock }: Pick<House, 'clock'>, run: Run): RunView {
  const { id, kind, state, failure, model, host, read, lines, createdAt, finishedAt } = run;
  const passed = (clock.now().getTime() - createdAt.getTime()) / 1000;
  const share = readsAll.has(kind) && read !== null && lines !== null && read < lines ? read / lines : 0;
  return {
    ...{ id, state, model, host, read, lines },
    failure: failure as RunFailure | null,
    startDate: createdAt.toISOString(),
    progress: finishedAt === null ? estimated({ passed, seconds: mostSeconds[kind], share }) : 100,
  };
}

/** The same with what it cost. */
export async function paidRunView(ctx: Ctx, run: Run): Promise<PaidRunView> {
  const paid = run.finishedAt === null ? null : run.holdId === null ? 0 : await creditsTaken(ctx.db.orm, run.holdId);
  return { ...runView(ctx, run), paid };
}

/** Failures of jobs in general, beside those that runs name themselves. */
export const failureOf = (failure: string): RunFailure => (failure === 'too_long' ? 'slow' : (failure as RunFailure));

/** Runs of a kind about a recording: those of one person, or of all where a recording has one at a time. */
interface RunsOf {
  kind: RunKind;
  meetingId: string;
  userId?: string;
  /** By which layer they were asked for; null: by the recording; default: any. */
  layerId?: string | null;
}

const among = ({ kind, meetingId, userId, layerId }: RunsOf) =>
  and(
    eq(aiRuns.meetingId, meetingId),
    eq(aiRuns.kind, kind),
    ...(userId === undefined ? [] : [eq(aiRuns.userId, userId)]),
    ...(layerId === undefined ? [] : [layerId === null ? isNull(aiRuns.layerId) : eq(aiRuns.layerId, layerId)]),
  );

/** The open one of them, locked. */
export async function openAmong(tx: Orm, runs: RunsOf): Promise<Run | undefined> {
  const [run] = await tx
    .select()
    .from(aiRuns)
    .where(and(among(runs), inArray(aiRuns.state, openStates)))
    .for('update');
  return run;
}

/** Takes the open one of them for its job; after a crash it starts over. Null: there is none. */
export const beginRun = (house: House, runs: RunsOf): Promise<Run | null> =>
  transaction(house, async (tx) => {
    const run = await openAmong(tx, runs);
    if (!run) return null;
    await tx.update(aiRuns).set({ state: 'running', read: null, lines: null }).where(eq(aiRuns.id, run.id));
    await tell(tx, { ...run, state: 'running' }, 0);
    return run;
  });

/** The one of them that began last. */
export async function lastAmong(orm: Orm, runs: RunsOf): Promise<Run | undefined> {
  const [run] = await orm
    .select()
    .from(aiRuns)
    .where(among(runs))
    .orderBy(desc(aiRuns.createdAt), desc(aiRuns.id))
    .limit(1);
  return run;
}
