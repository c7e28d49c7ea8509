import { and, eq, inArray, isNotNull } from 'drizzle-orm';
import { accessesOf } from '#db/access.ts';
import type { Effects } from '#db/answers.ts';
import { users } from '#db/schema/accounts.ts';
import { mailOutbox } from '#db/schema/house.ts';
import { meetings } from '#db/schema/meetings.ts';
import { lifetimes } from '#shared/accounts.ts';
import { readAbout } from '#shared/meetings/about.ts';
import { readAnnotations, type Comment } from '#shared/meetings/annotations.ts';
import { mentionsIn, readRichText } from '#shared/meetings/rich-text.ts';
import type { CommentNews, Telling } from '#shared/page-news.ts';
import type { Ctx } from '../context.ts';
import { rules, type Rule } from '../limits.ts';
import { newMail } from '../mail/queue.ts';
import type { RoomOf } from '../rooms/documents.ts';
import { authorOf } from './annotations.ts';
import { readRoom } from './rooms.ts';

/** Channel on which processes tell each other of a comment. */
export const commentChannel = 'colloquy_comment';

/** People whom a comment mentions, whom it answers, and whose recording it is on: one process tells the others. */
export interface Told extends Omit<CommentNews, 'kind'> {
  people: Partial<Record<Telling, string[]>>;
}

/** People per comment who are notified for one reason. */
const mostAtOnce = 20;

const spokenTo = (text: string): string[] => {
  const doc = text === '' ? null : readRichText(text);
  return doc ? mentionsIn(doc) : [];
};

interface Commented {
  id: string;
  itemId: string;
  text: string;
  /** The text that is replaced: whom it mentions is not notified again, nor anybody else. */
  before?: string | undefined;
  /** The comment that it answers. */
  parent?: string | null;
}

/** People whom a comment concerns, each with the reason, and the first comment of its thread. */
interface Concerned {
  reasons: ReadonlyMap<string, Telling>;
  thread: string;
}

/**
 * Stores a shared comment together with what notifies the people it mentions, of the thread it answers, and the owner of the
 * recording, by mail and on their open pages: for one reason each, and only who may read it.
 */
export async function telling<T>(
  ctx: Ctx,
  comment: Commented,
  place: RoomOf,
  store: (effects: Effects | null) => Promise<T>,
): Promise<T> {
  const { id: ownId, name: author } = authorOf(ctx);
  const concerned = await concernedBy(ctx, comment, place, ownId);
  const people = await toNotify(ctx, comment, concerned);
  if (people.length === 0) return store(null);
  const title = await ctx.documents.read(comment.id, (doc) => readAbout(doc).title);
  const mailed = new Map<string, Rule>();
  try {
    for (const { id, why, isMailed } of people) {
      const rule = why === 'mention' ? rules.mentionMails : rules.commentMails;
      if (isMailed && (await ctx.limits.allow(rule, ownId))) mailed.set(id, rule);
    }
    // A mention that could not be mailed is told nowhere, so that saying it again does it.
    const shown = ({ id, why }: ToNotify) => why === 'reply' && !mailed.has(id);
    const showsMore = people.some(shown) && (await ctx.limits.allow(rules.replyNotices, ownId));
    const told = people.filter((one) => mailed.has(one.id) || (showsMore && shown(one)));
    const effects = told.length === 0 ? null : effectsOf(ctx, comment, { told, mailed, author, title });
    const stored = await store(effects);
    if (mailed.size > 0) ctx.wakeMail();
    return stored;
  } catch (error) {
    for (const rule of mailed.values()) await ctx.limits.giveBack(rule, ownId);
    throw error;
  }
}

/** A mention counts before an answer, and that before owning the recording. */
async function concernedBy(ctx: Ctx, comment: Commented, place: RoomOf, ownId: string): Promise<Concerned> {
  const reasons = new Map<string, Telling>();
  const add = (userId: string, why: Telling) => {
    if (userId !== ownId && !reasons.has(userId)) reasons.set(userId, why);
  };
  const before = new Set(spokenTo(comment.before ?? ''));
  for (const userId of spokenTo(comment.text)
    .filter((one) => one !== ownId && !before.has(one))
    .slice(0, mostAtOnce))
    add(userId, 'mention');
  if (comment.before !== undefined) return { reasons, thread: '' };
  const { thread, authors } = await threadOf(ctx, comment, place);
  for (const userId of authors) add(userId, 'reply');
  const [meeting] = await ctx.db.orm
    .select({ ownerId: meetings.ownerId })
    .from(meetings)
    .where(eq(meetings.id, comment.id));
  if (meeting) add(meeting.ownerId, 'comment');
  return { reasons, thread };
}

/** The thread that a comment answers, and who wrote in it, the latest first. */
async function threadOf(
  ctx: Ctx,
  { id, parent = null }: Commented,
  place: RoomOf,
): Promise<{ thread: string; authors: string[] }> {
  if (parent === null) return { thread: '', authors: [] };
  const comments = await readRoom(ctx, id, place, (doc) => readAnnotations(doc, 'comment', 'shared'));
  const answered = comments.find((one) => one.id === parent);
  if (!answered) return { thread: '', authors: [] };
  const began = answered.parent ?? answered.id;
  const wrote = ({ author }: Comment): string[] => (author.kind === 'user' ? [author.id] : []);
  const written = comments
    .filter((one) => one.id === began || one.parent === began)
    .toSorted((a, b) => b.createdAt.localeCompare(a.createdAt));
  return { thread: began, authors: [...new Set(written.flatMap(wrote))].slice(0, mostAtOnce) };
}

type ToNotify = Pick<typeof users.$inferSelect, 'id' | 'email' | 'language' | 'firstName'> & {
  why: Telling;
  isMailed: boolean;
  dedupeKey: string;
};

const hour = 3_600_000;
/** Milliseconds in which there is one mail, for each thread or each recording; mentions are mailed once. */
const spans = { mention: Infinity, reply: hour, comment: 24 * hour } as const;

/** Names a mail. The outbox takes each name once, so it has the number of the span. */
function keyOf({ id, itemId }: Commented, thread: string, userId: string, why: Telling, at: Date): string {
  const span = Math.floor(at.getTime() / spans[why]);
  if (why === 'mention') return `mention ${id} ${itemId} ${userId}`;
  return why === 'reply' ? `reply ${id} ${thread} ${userId} ${span}` : `comment ${id} ${userId} ${span}`;
}

async function toNotify(ctx: Ctx, comment: Commented, { reasons, thread }: Concerned): Promise<ToNotify[]> {
  const concerned = [...reasons];
  if (concerned.length === 0) return [];
  const held = await ctx.db.ask((sql) =>
    accessesOf(
      sql,
      concerned.map(([userId]) => ({ meetingId: comment.id, userId })),
    ),
  );
  const now = ctx.clock.now();
  /** Names that a mail of the span before now has. */
  const keysOf = ([userId, why]: [string, Telling]) =>
    (why === 'mention' ? [now] : [now, new Date(now.getTime() - spans[why])]).map((at) =>
      keyOf(comment, thread, userId, why, at),
    );
  const written = await ctx.db.orm
    .select({ key: mailOutbox.dedupeKey, at: mailOutbox.createdAt })
    .from(mailOutbox)
    .where(inArray(mailOutbox.dedupeKey, concerned.flatMap(keysOf)));
  const isMailed = (one: [string, Telling]): boolean => {
    const keys = keysOf(one);
    return written.some(({ key, at }) => keys.includes(key ?? '') && now.getTime() - at.getTime() < spans[one[1]]);
  };
  // People with the recording open see the comment come.
  const there = ctx.rooms.present(comment.id, 'comments');
  const readers = concerned.flatMap((one, i) => {
    const [userId, why] = one;
    const isNew = !isMailed(one);
    if (!held[i]?.has('read') || (why !== 'mention' && there.has(userId))) return [];
    // Mentioned again after an edit without the mention, or one of many comments of a day: notified already.
    const dedupeKey = keyOf(comment, thread, userId, why, now);
    return isNew || why === 'reply' ? [{ userId, why, isMailed: isNew, dedupeKey }] : [];
  });
  if (readers.length === 0) return [];
  const found = await ctx.db.orm
    .select({ id: users.id, email: users.email, language: users.language, firstName: users.firstName })
    .from(users)
    .where(
      and(
        inArray(
          users.id,
          readers.map(({ userId }) => userId),
        ),
        isNotNull(users.confirmedAt),
      ),
    );
  return readers.flatMap(({ userId, ...reader }) => {
    const person = found.find(({ id }) => id === userId);
    return person ? [{ ...person, ...reader }] : [];
  });
}

function effectsOf(
  ctx: Ctx,
  comment: Commented,
  {
    told,
    mailed,
    author,
    title,
  }: { told: readonly ToNotify[]; mailed: ReadonlyMap<string, Rule>; author: string; title: string },
): Effects {
  const { id: meetingId, itemId: commentId } = comment;
  const mails = told
    .filter(({ id }) => mailed.has(id))
    .map(({ email, language, firstName, why, dedupeKey }) =>
      newMail(ctx, {
        to: email,
        language,
        mail: { kind: why, firstName, author, title, meetingId, commentId },
        lifetime: lifetimes.notice,
        dedupeKey,
      }),
    );
  const people: Told['people'] = {};
  for (const { id, why } of told) (people[why] ??= []).push(id);
  const news: Told = {
    ...{ people, meeting: meetingId, comment: commentId },
    // pg_notify limits a payload to 8000 bytes.
    ...{ author: author.slice(0, 200), title: title.slice(0, 200) },
  };
  return { mails, notice: { channel: commentChannel, payload: JSON.stringify(news) } };
}
