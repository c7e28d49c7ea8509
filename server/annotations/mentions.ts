import { and, inArray, isNotNull } from 'drizzle-orm';
import { accessesOf } from '#db/access.ts';
import type { Effects } from '#db/answers.ts';
import { users } from '#db/schema/accounts.ts';
import { mailOutbox } from '#db/schema/house.ts';
import { lifetimes } from '#shared/accounts.ts';
import { readAbout } from '#shared/meetings/about.ts';
import { mentionsIn, readRichText } from '#shared/meetings/rich-text.ts';
import type { MentionNews } from '#shared/page-news.ts';
import { signedIn, type Ctx } from '../context.ts';
import { rules } from '../limits.ts';
import { newMail } from '../mail/queue.ts';
import { accessTo } from '../rooms/access.ts';
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

/** People offered for one recording. */
const mostOffered = 500;

/**
 * People whom comments of the caller can mention, by name alone: its owner, members of teams in its lists and its folders' that the
 * caller is in, and, for who is in these lists, owners of the folders and people named there who have come. All may read it now.
 */
export async function mentionable(
  ctx: Ctx,
  { id }: { id: string },
): Promise<{ people: { id: string; name: string }[] }> {
  const { person } = signedIn(ctx);
  await accessTo(ctx, 'GET /api/meetings/:id/mentionable', id);
  const found = await ctx.db.ask(
    (sql) => sql<{ id: string; name: string }[]>`
      with above as (select f.id, f.owner_id from meetings m join lateral folders_above(m.folder_id) f on true where m.id = ${id}),
      entries as (
        select kind, principal_id, seen_at from meeting_access where meeting_id = ${id}
        union all
        select a.kind, a.principal_id, a.seen_at from folder_access a join above on above.id = a.folder_id
      ),
      owners as (select owner_id as id from meetings where id = ${id} union select owner_id from above),
      -- Somebody with a link alone does not learn whom else it is shared with.
      inside as (
        select ${person.id} in (select id from owners) or exists (
          select 1 from entries where (kind = 'user' and principal_id = ${person.id})
            or (kind = 'group' and principal_id in (select g.id from groups_of(${person.id}) g))
        ) as yes
      ),
      named as (
        select owner_id as id from meetings where id = ${id}
        union
        select id from owners join inside on yes
        union
        select principal_id from entries join inside on yes where kind = 'user' and seen_at is not null
        union
        select m.user_id from entries e join group_members m on e.kind = 'group' and m.group_id = e.principal_id
        where e.principal_id in (select g.id from groups_of(${person.id}) g)
      )
      select u.id, trim(u.first_name || ' ' || u.last_name) as name from users u join named on named.id = u.id
      where u.id <> ${person.id} and u.confirmed_at is not null and trim(u.first_name || u.last_name) <> ''
      order by lower(u.first_name), lower(u.last_name), u.id limit ${mostOffered}`,
  );
  if (found.length === 0) return { people: [] };
  const held = await ctx.db.ask((sql) =>
    accessesOf(
      sql,
      found.map((one) => ({ meetingId: id, userId: one.id })),
    ),
  );
  return { people: found.filter((_, i) => held[i]?.has('read')).map((one) => ({ id: one.id, name: one.name })) };
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
