import { and, inArray, isNotNull } from 'drizzle-orm';
import { accessesOf } from '#db/access.ts';
import { users } from '#db/schema/accounts.ts';
import { mailOutbox } from '#db/schema/house.ts';
import { lifetimes } from '#shared/accounts.ts';
import { readAbout } from '#shared/meetings/about.ts';
import type { Comment } from '#shared/meetings/annotations.ts';
import { mentionsIn, readRichText } from '#shared/meetings/rich-text.ts';
import type { MentionNews } from '#shared/page-news.ts';
import type { Ctx } from '../context.ts';
import { rules } from '../limits.ts';
import { queueMail } from '../mail/queue.ts';
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

/**
 * Notifies people mentioned in a shared comment by mail and on their open pages, once for each comment, if they may
 * read it.
 */
export async function tellMentioned(ctx: Ctx, meetingId: string, comment: Comment, before = ''): Promise<void> {
  if (comment.private) return;
  const { id: ownId, name: author } = authorOf(ctx);
  const known = new Set([ownId, ...spokenTo(before)]);
  const mentioned = spokenTo(comment.text)
    .filter((id) => !known.has(id))
    .slice(0, mostAtOnce);
  if (mentioned.length === 0) return;
  const held = await ctx.db.ask((sql) =>
    accessesOf(
      sql,
      mentioned.map((userId) => ({ meetingId, userId })),
    ),
  );
  const keyOf = (userId: string) => `mention ${meetingId} ${comment.id} ${userId}`;
  // A repeated request notifies only people who were not notified yet.
  const written = await ctx.db.orm
    .select({ key: mailOutbox.dedupeKey })
    .from(mailOutbox)
    .where(inArray(mailOutbox.dedupeKey, mentioned.map(keyOf)));
  const toldBefore = new Set(written.map(({ key }) => key));
  const readers = mentioned.filter((userId, i) => held[i]?.has('read') && !toldBefore.has(keyOf(userId)));
  if (readers.length === 0) return;
  const [people, title] = await Promise.all([
    ctx.db.orm
      .select({ id: users.id, email: users.email, language: users.language, firstName: users.firstName })
      .from(users)
      .where(and(inArray(users.id, readers), isNotNull(users.confirmedAt))),
    ctx.documents.read(meetingId, (doc) => readAbout(doc).title),
  ]);
  const notified: string[] = [];
  for (const { id, email, language, firstName } of people) {
    if (!(await ctx.limits.allow(rules.mentionMails, ownId))) break;
    notified.push(id);
    await queueMail(ctx, ctx.db.orm, {
      to: email,
      language,
      mail: { kind: 'mention', firstName, author, title, meetingId, commentId: comment.id },
      lifetime: lifetimes.notice,
      dedupeKey: keyOf(id),
    });
  }
  if (notified.length === 0) return;
  ctx.wakeMail();
  const news: Mentioned = {
    ...{ people: notified, meeting: meetingId, comment: comment.id },
    // pg_notify limits a payload to 8000 bytes.
    ...{ author: author.slice(0, 200), title: title.slice(0, 200) },
  };
  await ctx.db.ask((sql) => sql`select pg_notify(${mentionChannel}, ${JSON.stringify(news)})`);
}
