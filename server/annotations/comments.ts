import type * as Y from 'yjs';
import type { Effects } from '#db/answers.ts';
import { blanked, changedComment } from '#shared/meetings/annotation-changes.ts';
import { commentInput, type CommentChange, type NewComment } from '#shared/meetings/annotation-inputs.ts';
import { mayChange, mayDelete, mayMove, mayResolve } from '#shared/meetings/annotation-rules.ts';
import {
  dropAnnotation,
  readAnnotation,
  readAnnotations,
  writeAnnotation,
  type Comment,
} from '#shared/meetings/annotations.ts';
import { invalid } from '#shared/problems.ts';
import { claimAttachment, dropAttachment } from '../attachments/attachments.ts';
import type { Ctx } from '../context.ts';
import { refusalOf } from '../rooms/access.ts';
import {
  addAnnotation,
  anchored,
  authorOf,
  changeAnnotation,
  inPrivateRoom,
  visibilityOf,
  noSuchAnnotation,
  revealAnnotation,
  stamp,
  timeOf,
} from './annotations.ts';
import { telling } from './telling.ts';
import { callerOf, placeOf, readRoom, writeRoom, type Caller } from './rooms.ts';

interface Named {
  id: string;
  itemId: string;
}

export async function addComment(
  ctx: Ctx,
  { id, ...given }: NewComment & { id: string; itemId: string | undefined },
): Promise<{ comment: Comment }> {
  const { parent = null, text, url = null } = given;
  const who = await callerOf(ctx, 'POST /api/meetings/:id/comments', id, { privately: given.private });
  const { meetingId, layerId } = who;
  const place = await anchored(ctx, meetingId, given);
  // A private reply may belong to a shared comment.
  const elsewhere = parent !== null && given.private ? await sharedComment(ctx, who, parent) : null;
  const stamped = stamp(ctx, who, given.itemId, given.private);
  if (url !== null) await claimAttachment(ctx, { meetingId, layerId, kind: 'comment', itemId: stamped.id }, url);
  const comment: Comment = { ...stamped, ...place, parent, text, resolved: null, url };
  const placed = (doc: Y.Doc): Comment => {
    if (parent === null) return comment;
    const answered = readAnnotation(doc, 'comment', parent, visibilityOf(given.private)) ?? elsewhere;
    if (!answered) throw invalid({ field: 'parent', code: 'unknown' });
    return below(comment, answered);
  };
  const store = (effects: Effects | null) => addAnnotation(ctx, who, 'comment', comment, placed, effects);
  const told = { id, itemId: comment.id, text, parent };
  return isTold(who, given.private) ? telling(ctx, told, placeOf(who, 'comment', false), store) : store(null);
}

/** Whether people whom a comment concerns are told. */
const isTold = ({ layerId }: Caller, isPrivate: boolean): boolean => layerId === null && !isPrivate;

/** Threads have one level: a reply to a reply belongs to the first comment and takes its anchor. */
const below = (comment: Comment, answered: Comment): Comment => {
  const { anchor, start, end, quote } = answered;
  return { ...comment, anchor, start, end, quote, parent: answered.parent ?? answered.id };
};

const sharedComment = (ctx: Ctx, who: Caller, itemId: string): Promise<Comment | null> =>
  readRoom(ctx, who.meetingId, placeOf(who, 'comment', false), (doc) =>
    readAnnotation(doc, 'comment', itemId, 'shared'),
  );

export async function changeComment(
  ctx: Ctx,
  { id, itemId, ...given }: CommentChange & Named,
): Promise<{ comment: Comment }> {
  const { text, resolved, start, end, quote, anchor } = given;
  const caller = await callerOf(ctx, 'POST /api/meetings/:id/comments/:itemId/update', id);
  const place =
    start === undefined || end === undefined
      ? null
      : await anchored(ctx, caller.meetingId, { start, end, quote, anchor });
  const isPrivate = await inPrivateRoom(ctx, caller, 'comment', itemId);
  const change = (item: Comment, who: Caller): Comment => {
    const allowed =
      (text === undefined || mayChange(who, 'comment', item)) &&
      (resolved === undefined || mayResolve(who, item)) &&
      (place === null || mayMove(who, 'comment', item));
    if (!allowed) throw refusalOf(who.verb);
    if (text === '' && item.url === null) throw invalid({ field: 'text', code: 'required' });
    if (resolved !== undefined && item.parent !== null) throw invalid({ field: 'resolved', code: 'invalid' });
    if (place !== null && item.parent !== null) throw invalid({ field: 'start', code: 'invalid' });
    return { ...changedComment(item, given, authorOf(ctx, who), timeOf(ctx)), ...place, rev: item.rev + 1 };
  };
  /** Replies are about the passage of their thread. */
  const moveReplies = (doc: Y.Doc) => {
    const visibility = visibilityOf(isPrivate);
    for (const one of place ? answersOf(doc, itemId, visibility) : [])
      writeAnnotation(doc, 'comment', { ...one, ...place, rev: one.rev + 1 }, visibility, 'item');
  };
  const store = (effects: Effects | null) =>
    changeAnnotation(ctx, caller, itemId, 'comment', change, { isPrivate, effects, also: moveReplies });
  if (!isTold(caller, isPrivate) || text === undefined) return store(null);
  const before = await sharedComment(ctx, caller, itemId);
  return telling(ctx, { id, itemId, text, before: before?.text ?? '' }, placeOf(caller, 'comment', false), store);
}

/**
 * Deletes a comment. With replies it stays as an anonymous, empty parent, which is returned; otherwise returns null.
 */
export async function deleteComment(ctx: Ctx, { id, itemId }: Named): Promise<{ comment: Comment } | null> {
  const who = await callerOf(ctx, 'DELETE /api/meetings/:id/comments/:itemId', id);
  const { meetingId } = who;
  const isPrivate = await inPrivateRoom(ctx, who, 'comment', itemId);
  const visibility = visibilityOf(isPrivate);
  let url: string | null = null;
  const remaining = await writeRoom<{ comment: Comment } | null>(ctx, {
    place: placeOf(who, 'comment', isPrivate),
    origin: 'delete comment',
    who,
    write: (doc, now) => {
      const item = readAnnotation(doc, 'comment', itemId, visibility);
      if (!item) throw noSuchAnnotation();
      if (!mayDelete(now, 'comment', item)) throw refusalOf(who.verb);
      ({ url } = item);
      if (answersOf(doc, itemId, visibility).length > 0) {
        const blank = { ...blanked(item, timeOf(ctx)), rev: item.rev + 1 };
        writeAnnotation(doc, 'comment', blank, visibility, 'item');
        return { comment: blank };
      }
      dropAnnotation(doc, 'comment', itemId, visibility, 'item');
      // An emptied parent is deleted with its last reply.
      const began = item.parent === null ? null : readAnnotation(doc, 'comment', item.parent, visibility);
      if (began?.author.kind === 'deleted' && answersOf(doc, began.id, visibility).length === 0)
        dropAnnotation(doc, 'comment', began.id, visibility, 'item');
      return null;
    },
  });
  await dropAttachment(ctx, { meetingId, layerId: who.layerId, kind: 'comment', itemId }, { url, isPrivate });
  return remaining;
}

const answersOf = (doc: Y.Doc, itemId: string, visibility: 'shared' | 'private'): Comment[] =>
  readAnnotations(doc, 'comment', visibility).filter(({ parent }) => parent === itemId);

export async function revealComment(ctx: Ctx, who: Caller, named: Named): Promise<{ comment: Comment }> {
  const judged = (item: Comment, shared: Y.Doc): Comment => {
    const { data } = commentInput.safeParse(item);
    if (!data) throw invalid({ field: 'comment', code: 'invalid' });
    const { start, end, text, url = null } = data;
    const { anchor, quote, parent } = item;
    const comment: Comment = { ...item, anchor, start, end, quote, text, resolved: null, url, parent: null };
    // The parent may be deleted, or still private.
    const answered = parent === null ? null : readAnnotation(shared, 'comment', parent, 'shared');
    return answered ? below(comment, answered) : comment;
  };
  return revealAnnotation(ctx, who, named.itemId, 'comment', judged, (item, store) => {
    const { data } = commentInput.safeParse(item);
    if (!data || !isTold(who, false)) return store(null);
    return telling(
      ctx,
      { ...named, text: data.text, parent: item?.parent ?? null },
      placeOf(who, 'comment', false),
      store,
    );
  });
}
