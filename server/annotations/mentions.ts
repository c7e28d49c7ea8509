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

/** More at once is no talk any more. */
const mostAtOnce = 20;

const spokenTo = (text: string): string[] => {
  const doc = text === '' ? null : readRichText(text);
  return doc ? mentionsIn(doc) : [];
};

/**
 * Whoever a comment speaks to is told by mail, and on the pages they have open, once for each comment: of those who may read it, and of nothing that its
 * author keeps to themselves.
 */
export async function tellMentioned(ctx: Ctx, meetingId: string, comment: Comment, before = ''): Promise<void> {
  if (comment.private) return;
  const { id: ownId, name: author } = authorOf(ctx);
  const known = new Set([ownId, ...spokenTo(before)]);
  const asked = spokenTo(comment.text)
    .filter((id) => !known.has(id))
    .slice(0, mostAtOnce);
  if (asked.length === 0) return;
  const held = await ctx.db.ask((sql) =>
    accessesOf(
      sql,
      asked.map((userId) => ({ meetingId, userId })),
    ),
  );
  const keyOf = (userId: string) => `mention ${meetingId} ${comment.id} ${userId}`;
  // Asked again, it tells those who were not told.
  const written = await ctx.db.orm
    .select({ key: mailOutbox.dedupeKey })
    .from(mailOutbox)
    .where(inArray(mailOutbox.dedupeKey, asked.map(keyOf)));
  const toldBefore = new Set(written.map(({ key }) => key));
  const readers = asked.filter((userId, i) => held[i]?.has('read') && !toldBefore.has(keyOf(userId)));
  if (readers.length === 0) return;
  const [people, title] = await Promise.all([
    ctx.db.orm
      .select({ id: users.id, email: users.email, language: users.language, firstName: users.firstName })
      .from(users)
      .where(and(inArray(users.id, readers), isNotNull(users.confirmedAt))),
    ctx.documents.read(meetingId, (doc) => readAbout(doc).title),
  ]);
  const told: string[] = [];
  for (const { id, email, language, firstName } of people) {
    if (!(await ctx.limits.allow(rules.mentionMails, ownId))) break;
    told.push(id);
    await queueMail(ctx, ctx.db.orm, {
      to: email,
      language,
      mail: { kind: 'mention', firstName, author, title, meetingId, commentId: comment.id },
      lifetime: lifetimes.notice,
      dedupeKey: keyOf(id),
    });
  }
  if (told.length === 0) return;
  ctx.wakeMail();
  const news: Mentioned = {
    ...{ people: told, meeting: meetingId, comment: comment.id },
    // Postgres passes on so many bytes and no more.
    ...{ author: author.slice(0, 200), title: title.slice(0, 200) },
  };
  await ctx.db.ask((sql) => sql`select pg_notify(${mentionChannel}, ${JSON.stringify(news)})`);
}
