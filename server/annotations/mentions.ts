import { and, inArray, isNotNull } from 'drizzle-orm';
import { accessesOf } from '#db/access.ts';
import type { Effects } from '#db/answers.ts';
import { users } from '#db/schema/accounts.ts';
import { mailOutbox } from '#db/schema/house.ts';
import { lifetimes } from '#shared/accounts.ts';
import { readAbout } from '#shared/meetings/about.ts';
import { mentionsIn, readRichText } from '#shared/meetings/rich-text.ts';
import type { MentionNews } from '#shared/page-news.ts';
import type { Ctx } from '../context.ts';
import { rules } from '../limits.ts';
import { newMail } from '../mail/queue.ts';
import { authorOf } from './annotations.ts';

/** Channel on which processes tell each other whom a comment mentions. */
export const mentionChannel = 'colloquy_mention';

export interface Mentioned extends Omit<MentionNews, 'kind'> {
  people: readonly string[];
}

/** Mentions per comment that are notified. */
const mostAtOnce = 20;

const spokenTo = (text: string): string[] => {
  const doc = text === '' ? null : readRichText(text);
  return doc ? mentionsIn(doc) : [];
};

interface Mentioning {
  id: string;
  itemId: string;
  text: string;
  /** The text that is replaced: whom it mentions is not notified again. */
  before?: string | undefined;
}

/**
 * Stores a shared comment together with what notifies the people it mentions, by mail and on their open pages: once for
 * each comment, and only who may read it.
 */
export async function mentioning<T>(
  ctx: Ctx,
  comment: Mentioning,
  store: (effects: Effects | null) => Promise<T>,
): Promise<T> {
  const { id: ownId, name: author } = authorOf(ctx);
  const people = await toNotify(ctx, comment, ownId);
  if (people.length === 0) return store(null);
  const title = await ctx.documents.read(comment.id, (doc) => readAbout(doc).title);
  const allowed: typeof people = [];
  try {
    for (const person of people) {
      if (!(await ctx.limits.allow(rules.mentionMails, ownId))) break;
      allowed.push(person);
    }
    const stored = await store(allowed.length === 0 ? null : effectsOf(ctx, comment, allowed, { author, title }));
    if (allowed.length > 0) ctx.wakeMail();
    return stored;
  } catch (error) {
    for (const _ of allowed) await ctx.limits.giveBack(rules.mentionMails, ownId);
    throw error;
  }
}

type ToNotify = Pick<typeof users.$inferSelect, 'id' | 'email' | 'language' | 'firstName'>;

const keyOf = ({ id, itemId }: Mentioning, userId: string) => `mention ${id} ${itemId} ${userId}`;

async function toNotify(ctx: Ctx, comment: Mentioning, ownId: string): Promise<ToNotify[]> {
  const known = new Set([ownId, ...spokenTo(comment.before ?? '')]);
  const mentioned = spokenTo(comment.text)
    .filter((userId) => !known.has(userId))
    .slice(0, mostAtOnce);
  if (mentioned.length === 0) return [];
  const held = await ctx.db.ask((sql) =>
    accessesOf(
      sql,
      mentioned.map((userId) => ({ meetingId: comment.id, userId })),
    ),
  );
  // Mentioned again after an edit without the mention: notified already.
  const written = await ctx.db.orm
    .select({ key: mailOutbox.dedupeKey })
    .from(mailOutbox)
    .where(
      inArray(
        mailOutbox.dedupeKey,
        mentioned.map((userId) => keyOf(comment, userId)),
      ),
    );
  const notified = new Set(written.map(({ key }) => key));
  const readers = mentioned.filter((userId, i) => held[i]?.has('read') && !notified.has(keyOf(comment, userId)));
  if (readers.length === 0) return [];
  return ctx.db.orm
    .select({ id: users.id, email: users.email, language: users.language, firstName: users.firstName })
    .from(users)
    .where(and(inArray(users.id, readers), isNotNull(users.confirmedAt)));
}

function effectsOf(
  ctx: Ctx,
  comment: Mentioning,
  people: readonly ToNotify[],
  { author, title }: { author: string; title: string },
): Effects {
  const { id: meetingId, itemId: commentId } = comment;
  const mails = people.map(({ id, email, language, firstName }) =>
    newMail(ctx, {
      to: email,
      language,
      mail: { kind: 'mention', firstName, author, title, meetingId, commentId },
      lifetime: lifetimes.notice,
      dedupeKey: keyOf(comment, id),
    }),
  );
  const news: Mentioned = {
    ...{ people: people.map(({ id }) => id), meeting: meetingId, comment: commentId },
    // pg_notify limits a payload to 8000 bytes.
    ...{ author: author.slice(0, 200), title: title.slice(0, 200) },
  };
  return { mails, notice: { channel: mentionChannel, payload: JSON.stringify(news) } };
}
