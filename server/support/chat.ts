import { and, asc, eq, lt } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { supportChats, supportMessages } from '#db/schema/support.ts';
import { answerShape, type Answer } from '#shared/ai/answer.ts';
import { oneLine } from '#shared/ai/lines.ts';
import { quoteFinder } from '#shared/ai/verify.ts';
import { newId } from '#shared/ids.ts';
import { Problem } from '#shared/problems.ts';
import {
  supportChatLimits,
  type SupportChatAnswer,
  type SupportChatInput,
  type SupportPart,
} from '#shared/support-chat.ts';
import { askInForm, withinContext } from '../ai/asking.ts';
import { guidePrompt, type Earlier } from '../ai/context.ts';
import { finalOf } from '../ai/job.ts';
import { signedIn, transaction, type Ctx, type House } from '../context.ts';
import { keepResult } from '../http/once.ts';
import { JobFailed } from '../jobs.ts';
import { rules, supportSharers, type Rule } from '../limits.ts';
import { AssistantFailed, type Assistant, type OfferedAssistant } from '../outside/assistant.ts';
import { knowledgeIn, type Knowledge } from './knowledge.ts';
import { scrubAddresses } from './scrub.ts';

/** Most tokens of an answer, and milliseconds until it is complete. */
const mostAnswer = 1024;
const patience = 90_000;
/** Days for which a conversation is stored. */
const keptDays = 30;

/** Model that answers questions about the product to the caller; null where people do. */
export async function supportModel(ctx: Ctx): Promise<OfferedAssistant | null> {
  if (!ctx.config.assistant.support || !ctx.person) return null;
  const [assistant] = await ctx.assistants();
  if (!assistant) return null;
  for (const { rule, key } of answersFor(ctx, ctx.person.id)) if ((await ctx.limits.wait(rule, key)) > 0) return null;
  return assistant.offered;
}

/**
 * The house pays for these answers, up to a number a day for all people together; one person gets a share of them, so that
 * others are answered, too.
 */
function answersFor({ config }: Ctx, personId: string): { rule: Rule; key: string }[] {
  const most = config.assistant.supportAnswers;
  return [
    { rule: { ...rules.supportAnswersPerson, most: Math.ceil(most / supportSharers) }, key: personId },
    { rule: { ...rules.supportAnswers, most }, key: 'all' },
  ];
}

/** Counts an answer before it is asked for, and again not if it fails. */
async function counted<T>(ctx: Ctx, personId: string, answer: () => Promise<T>): Promise<T> {
  const taken: { rule: Rule; key: string }[] = [];
  try {
    for (const one of answersFor(ctx, personId)) {
      await ctx.limits.take(one.rule, one.key);
      taken.push(one);
    }
    return await answer();
  } catch (error) {
    for (const { rule, key } of taken) await ctx.limits.giveBack(rule, key);
    throw error;
  }
}

/** Host that questions are sent to; null: they stay on this machine. */
export const hostOf = ({ local, host }: OfferedAssistant): string | null => (local ? null : host);

interface Asked extends SupportChatInput {
  /** Ends when nobody waits for the answer. */
  signal: AbortSignal;
}

/** Answers a question from the guide alone; what does not stand in it is not shown. */
export async function askSupport(ctx: Ctx, asked: Asked): Promise<SupportChatAnswer> {
  const { person } = signedIn(ctx);
  const question = scrubAddresses(asked.question);
  if (!ctx.config.assistant.support) throw new Problem('NOT_FOUND');
  const [assistant] = await ctx.assistants();
  if (!assistant) throw new Problem('NO_MODEL');
  if ((asked.host ?? null) !== hostOf(assistant.offered)) throw new Problem('CONSENT');
  await ctx.limits.take(rules.supportQuestions, person.id);
  const { chatId, nth, earlier } = await addQuestion(ctx, person.id, { ...asked, question });
  const parts = await counted(ctx, person.id, () =>
    answerFromGuide(ctx, assistant, { question, earlier, signal: asked.signal }),
  );
  const message = parts.map(({ text }) => text).join('\n');
  const urls = [...new Set(parts.flatMap(({ quotes }) => quotes.map(({ url }) => url)))];
  return transaction(ctx, async (tx) => {
    const messages = await lockedMessages(tx, chatId);
    const last = messages.at(-1);
    // The same question, sent again, was answered meanwhile, or another one has taken its place.
    if (last?.role !== 'user' || last.nth !== nth || last.content !== question)
      throw new Problem('CONFLICT', { message: 'Answered already' });
    const count = messages.length + 1;
    await tx
      .insert(supportMessages)
      .values({ chatId, nth: count, role: 'assistant', content: message, urls, createdAt: ctx.clock.now() });
    const result: SupportChatAnswer = {
      ...{ chatId, message, urls, parts, count },
      known: parts.length > 0,
      isEndOfSession: count >= supportChatLimits.messages,
    };
    await keepResult(ctx, tx, result);
    return result;
  });
}

const ofCaller = (userId: string, id: string) => and(eq(supportChats.id, id), eq(supportChats.userId, userId));

/** Stores the question, in a conversation of the caller alone. */
async function addQuestion(
  ctx: Ctx,
  userId: string,
  { chatId, question, systemInfo }: SupportChatInput,
): Promise<{ chatId: string; nth: number; earlier: Earlier[] }> {
  const createdAt = ctx.clock.now();
  const info = scrubAddresses(systemInfo);
  return transaction(ctx, async (tx) => {
    const id = chatId ?? newId();
    if (chatId == null) await tx.insert(supportChats).values({ id, userId, info, createdAt });
    else {
      const [chat] = await tx.update(supportChats).set({ info }).where(ofCaller(userId, id)).returning();
      if (!chat) throw new Problem('NO_ACCESS');
    }
    const before = await lockedMessages(tx, id);
    // A question without an answer is asked again, or another one instead of it.
    if (before.at(-1)?.role === 'user') before.pop();
    if (before.length >= supportChatLimits.messages)
      throw new Problem('CONFLICT', { message: 'This conversation has ended' });
    const nth = before.length + 1;
    const set = { role: 'user' as const, content: question, urls: [], createdAt };
    await tx
      .insert(supportMessages)
      .values({ chatId: id, nth, ...set })
      .onConflictDoUpdate({ target: [supportMessages.chatId, supportMessages.nth], set });
    const earlier = before.flatMap(({ role, content }, place): Earlier[] => {
      const answer = before[place + 1];
      return role === 'user' && answer && answer.content !== '' ? [{ question: content, answer: answer.content }] : [];
    });
    return { chatId: id, nth, earlier };
  });
}

const messagesOf = (tx: Orm, chatId: string) =>
  tx.select().from(supportMessages).where(eq(supportMessages.chatId, chatId)).orderBy(asc(supportMessages.nth));

/** Messages of a conversation, to which nobody else adds one before the end of the transaction. */
async function lockedMessages(tx: Orm, chatId: string) {
  await tx.select({ id: supportChats.id }).from(supportChats).where(eq(supportChats.id, chatId)).for('no key update');
  return messagesOf(tx, chatId);
}

async function answerFromGuide(
  ctx: Ctx,
  assistant: Assistant,
  { question, earlier, signal }: { question: string; earlier: readonly Earlier[]; signal: AbortSignal },
): Promise<SupportPart[]> {
  const { language } = ctx;
  const knowledge = await knowledgeIn(ctx.config.root, language);
  const ending = AbortSignal.any([signal, AbortSignal.timeout(patience)]);
  try {
    return await withinContext(assistant, mostAnswer, async ({ room, most }) => {
      const prompt = guidePrompt(knowledge.lines, { question, earlier, language, room });
      const asking = { assistant, prompt, most, schema: answerShape, read: finalOf, signal: ending };
      const { answer } = await askInForm(asking);
      return checked(knowledge, prompt.lines, answer);
    });
  } catch (error) {
    if (error instanceof AssistantFailed || error instanceof JobFailed || ending.aborted)
      throw new Problem('UPSTREAM', { cause: error });
    throw error;
  }
}

/** Parts with a quote that stands in the guide, each with the words of the guide and their place. */
function checked({ passages }: Knowledge, lines: Knowledge['lines'], { parts, enough }: Answer): SupportPart[] {
  const find = quoteFinder(lines);
  return (enough ? parts : []).flatMap(({ text, cites }) => {
    const quotes = cites.flatMap((cite) => {
      const place = find(cite);
      const passage = place && passages[place.paragraph];
      if (!passage) return [];
      return [{ text: oneLine(passage.text.slice(place.from, place.to)), title: passage.title, url: passage.url }];
    });
    return quotes.length > 0 ? [{ text, quotes }] : [];
  });
}

/** Our copy of a conversation of the caller, for the people who take over. */
export async function conversationOf(ctx: Ctx, chatId: string): Promise<string> {
  const { person } = signedIn(ctx);
  const { orm } = ctx.db;
  const [chat] = await orm.select().from(supportChats).where(ofCaller(person.id, chatId));
  if (!chat) throw new Problem('NO_ACCESS');
  const messages = (await messagesOf(orm, chatId)).map(({ role, content, urls }) => ({ role, content, urls }));
  return `${chat.info}\n\n${JSON.stringify({ chatId, messages }, null, 1)}`.trim();
}

/** Deletes old conversations. */
export const sweepSupportChats = ({ db, clock }: House) =>
  db.orm
    .delete(supportChats)
    .where(lt(supportChats.createdAt, new Date(clock.now().getTime() - keptDays * 86_400_000)));
