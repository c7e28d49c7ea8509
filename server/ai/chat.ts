import { and, asc, desc, eq, gt, inArray, sql } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { aiChats, aiMessages, aiRuns } from '#db/schema/ai.ts';
import { newId } from '#shared/ids.ts';
import { stands, type AssistantsView, type ChatView, type MessageView, type QuestionInput } from '#shared/ai/views.ts';
import { Problem } from '#shared/problems.ts';
import { moneyTransaction } from '../billing/ledger.ts';
import { signedIn, transaction, type Ctx, type House } from '../context.ts';
import { keepResult } from '../http/once.ts';
import { cancelWork } from '../jobs.ts';
import { rules } from '../limits.ts';
import { accessTo } from '../rooms/access.ts';
import { consentOf } from './consent.ts';
import {
  assistantFor,
  jobOf,
  offeredFor,
  openStates,
  prepareRun,
  paymentOf,
  questionOrder,
  runView,
  settleRun,
  type Run,
  type RunEnd,
  viewOf,
} from './runs.ts';

type Message = typeof aiMessages.$inferSelect;

/** A person's chat about a recording. */
interface ChatOf {
  meetingId: string;
  userId: string;
}

export const isOf = ({ meetingId, userId }: ChatOf) =>
  and(
    eq(aiRuns.kind, 'question'),
    eq(aiRuns.meetingId, meetingId),
    eq(aiRuns.userId, userId),
    inArray(aiRuns.state, openStates),
  );

export async function listAssistants(ctx: Ctx, { here }: { here: boolean }): Promise<AssistantsView> {
  const offered = await ctx.assistants();
  return { models: offered.map((one) => viewOf(one.offered)), canSetUp: here };
}

/** The caller's own chat; `after`: only messages that changed since that version. */
export async function viewChat(ctx: Ctx, { id, after }: { id: string; after: number }): Promise<ChatView> {
  const { person } = signedIn(ctx);
  await accessTo(ctx, 'GET /api/meetings/:id/chat', id);
  const { orm } = ctx.db;
  const mine: ChatOf = { meetingId: id, userId: person.id };
  const [offered, consent, payment] = await Promise.all([
    offeredFor(ctx, id),
    consentOf(orm, id),
    paymentOf(ctx, questionOrder(ctx, id, person.id)),
  ]);
  const chat = await transaction(ctx, async (tx) => {
    const [row] = await tx.select({ version: aiChats.version }).from(aiChats).where(ofChat(aiChats, mine));
    const messages = await tx
      .select({ message: aiMessages, run: aiRuns })
      .from(aiMessages)
      .leftJoin(aiRuns, eq(aiRuns.id, aiMessages.runId))
      .where(and(ofChat(aiMessages, mine), gt(aiMessages.version, after)))
      .orderBy(asc(aiMessages.nth));
    return { version: row?.version ?? 0, messages };
  });
  return {
    version: chat.version,
    messages: chat.messages.map(({ message, run }) => messageView(ctx, message, run)),
    ...offered,
    consent,
    ...payment,
  };
}

const ofChat = (table: typeof aiChats | typeof aiMessages, { meetingId, userId }: ChatOf) =>
  and(eq(table.meetingId, meetingId), eq(table.userId, userId));

function messageView(
  ctx: Ctx,
  { id, nth, role, content, parts, meetingId, createdAt }: Message,
  run: Run | null,
): MessageView {
  const standing = parts.filter(stands);
  return {
    id,
    nth,
    role,
    content: role === 'user' ? content : standing.map(({ text }) => text).join('\n'),
    urls: standing.flatMap(({ quotes }) =>
      quotes.map(({ start }) => `/meeting/${meetingId}?t=${Math.round(start * 1000)}`),
    ),
    parts,
    enough: role === 'assistant' ? (run?.enough ?? null) : null,
    run: role === 'user' || !run ? null : runView(ctx, run),
    at: createdAt.toISOString(),
  };
}

/** Asks an assistant about a recording. The answer comes in pieces, which a news announces and `viewChat` has. */
export async function askQuestion(
  ctx: Ctx,
  { id, content, annotations, model, cost }: QuestionInput & { id: string },
): Promise<{ id: string; version: number }> {
  const { person } = signedIn(ctx);
  await accessTo(ctx, 'POST /api/meetings/:id/chat', id);
  const offered = await assistantFor(ctx, id, model);
  await ctx.limits.take(rules.questions, person.id);
  const mine: ChatOf = { meetingId: id, userId: person.id };
  const begun = await prepareRun(ctx, {
    ...{ kind: 'question', meetingId: id, subject: person.id, offered, cost },
    order: questionOrder(ctx, id, person.id),
    busy: 'The last question is still being answered',
  });
  return moneyTransaction(ctx, async (tx) => {
    await begun.queue(tx);
    // A run without a job is dead, as after the deletion of a recording that was restored later.
    const dead = await openRun(tx, mine);
    if (dead) await endRun(ctx, tx, dead, { state: 'failed', failure: 'unexpected' });
    const version = await nextVersion(tx, mine);
    const runId = await begun.insert(tx, { annotations });
    const [last] = await tx
      .select({ nth: aiMessages.nth })
      .from(aiMessages)
      .where(ofChat(aiMessages, mine))
      .orderBy(desc(aiMessages.nth))
      .limit(1);
    const nth = (last?.nth ?? 0) + 1;
    const message = { ...mine, version, createdAt: begun.now };
    await tx.insert(aiMessages).values([
      { id: newId(), ...message, nth, role: 'user', content },
      { id: newId(), ...message, nth: nth + 1, role: 'assistant', runId },
    ]);
    const result = { id: runId, version };
    await keepResult(ctx, tx, result);
    return result;
  });
}

/** Increments the version of a chat, whose row is then locked. */
export async function nextVersion(tx: Orm, mine: ChatOf): Promise<number> {
  const [row] = await tx
    .insert(aiChats)
    .values({ ...mine, version: 1 })
    .onConflictDoUpdate({ target: [aiChats.meetingId, aiChats.userId], set: { version: sql`${aiChats.version} + 1` } })
    .returning({ version: aiChats.version });
  return row?.version ?? 0;
}

/** Ends a run and its hold; what is shown of it stays, and is paid for, complete or stopped by its asker. */
export async function endRun(house: Pick<House, 'costs' | 'clock'>, tx: Orm, run: Run, end: RunEnd): Promise<void> {
  const version = await nextVersion(tx, run);
  const [message] = await tx
    .update(aiMessages)
    .set({ version })
    .where(eq(aiMessages.runId, run.id))
    .returning({ parts: aiMessages.parts });
  const parts = message?.parts ?? [];
  await settleRun(house, tx, run, { end, parts: parts.length, shown: parts.some(stands) });
}

/** The run that is open, locked behind its chat as everywhere. */
export async function openRun(tx: Orm, mine: ChatOf): Promise<Run | undefined> {
  await tx.select({ version: aiChats.version }).from(aiChats).where(ofChat(aiChats, mine)).for('update');
  const [run] = await tx.select().from(aiRuns).where(isOf(mine)).for('update');
  return run;
}

/** Stops the answer that is being written; its checked parts stay. */
export async function stopAnswer(ctx: Ctx, { id }: { id: string }): Promise<void> {
  const { person } = signedIn(ctx);
  await accessTo(ctx, 'POST /api/meetings/:id/chat/stop', id);
  const mine: ChatOf = { meetingId: id, userId: person.id };
  await moneyTransaction(ctx, (tx) => stopRun(ctx, tx, mine));
}

async function stopRun(ctx: Ctx, tx: Orm, mine: ChatOf): Promise<void> {
  // The job first: in this order its worker locks, too.
  await cancelWork(tx, jobOf('question'), { meetingId: mine.meetingId, subject: mine.userId }, ctx.clock.now());
  const run = await openRun(tx, mine);
  if (run) await endRun(ctx, tx, run, { state: 'stopped' });
}

/** Deletes the caller's chat about a recording, or one question with its answer. */
export async function deleteChat(ctx: Ctx, { id, messageId }: { id: string; messageId?: string }): Promise<void> {
  const { person } = signedIn(ctx);
  await accessTo(
    ctx,
    messageId === undefined ? 'DELETE /api/meetings/:id/chat' : 'DELETE /api/meetings/:id/chat/:messageId',
    id,
  );
  const mine: ChatOf = { meetingId: id, userId: person.id };
  await moneyTransaction(ctx, async (tx) => {
    const all = ofChat(aiMessages, mine);
    const [message] =
      messageId === undefined
        ? []
        : await tx
            .select()
            .from(aiMessages)
            .where(and(all, eq(aiMessages.id, messageId)));
    if (messageId !== undefined && !message) throw new Problem('NOT_FOUND');
    const nths = message && (message.role === 'user' ? [message.nth, message.nth + 1] : [message.nth - 1, message.nth]);
    const gone = nths ? and(all, inArray(aiMessages.nth, nths)) : all;
    const running = await tx.select({ id: aiRuns.id }).from(aiRuns).where(isOf(mine));
    const held = await tx.select({ runId: aiMessages.runId }).from(aiMessages).where(gone);
    if (running.some((run) => held.some(({ runId }) => runId === run.id))) await stopRun(ctx, tx, mine);
    await tx.delete(aiMessages).where(gone);
    await nextVersion(tx, mine);
  });
}
