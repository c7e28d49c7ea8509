import type * as Y from 'yjs';
import { anonymousAuthor } from '#db/access.ts';
import type { Effects } from '#db/answers.ts';
import { rootOf, type AnnotationKind } from '#shared/meetings/annotations.ts';
import type { Asking } from '#shared/meetings/annotation-rules.ts';
import type { LayerVerb, MeetingVerb } from '#shared/roles.ts';
import { signedIn, type Ctx } from '../context.ts';
import { answerOf } from '../http/once.ts';
import { accessById, accessTo, type WritingCall } from '../rooms/access.ts';
import type { RoomOf } from '../rooms/documents.ts';
import { writeNextRow } from '../rooms/write.ts';
import { beginAssessing } from '../reviews/begin.ts';
import { noteAuthor } from './authors.ts';

/** Author of a call on a meeting or one of its layers, with the permissions held when it was accepted. */
export interface Caller extends Asking, WritingCall {
  userId: string;
  meetingId: string;
  layerId: string | null;
  /** Row by which they write in an anonymous review; null: by their account. */
  reviewerId: string | null;
}

interface Writing<T> {
  place: RoomOf;
  origin: string;
  who: Caller;
  /**
   * Checks the caller's current permissions and writes; when it throws, nothing is stored. Its result answers the
   * request.
   */
  write(doc: Y.Doc, who: Caller): T;
  /** True for the first of two rooms a verb writes to: the answer to the request is stored with the last. */
  first?: boolean;
  /** Stored with the change, in the same transaction. */
  effects?: Effects | null;
}

/** The room for annotations of a kind: that of the layer or the meeting, or the caller's private one. */
export function placeOf({ userId, layerId }: Caller, kind: AnnotationKind, isPrivate: boolean): RoomOf {
  if (isPrivate) return { part: 'notes', of: userId };
  return layerId === null ? { part: rootOf[kind], of: null } : { part: 'layer', of: layerId };
}

/** Throws unless the caller may make this call; reveals nothing about a meeting or layer they may not read. */
export async function callerOf(
  ctx: Ctx,
  verb: LayerVerb,
  id: string,
  manner: { privately?: boolean } = {},
): Promise<Caller> {
  const userId = signedIn(ctx).person.id;
  const access = await accessById(ctx, verb, id, manner);
  const { layerId } = access;
  const reviewerId = layerId === null ? null : await ctx.db.ask((sql) => anonymousAuthor(sql, layerId, userId));
  return { ...manner, ...access, userId, reviewerId, verb };
}

/** The same for calls that accept no layer's id. */
export async function meetingCallerOf(ctx: Ctx, verb: MeetingVerb, id: string): Promise<Caller> {
  const held = await accessTo(ctx, verb, id);
  return { meetingId: id, layerId: null, reviewerId: null, held, userId: signedIn(ctx).person.id, verb };
}

/**
 * Changes a room once: the change and the answer to the request are stored together as the next row of the room's log,
 * and clients with the room open see it at once.
 */
export async function writeRoom<T extends object | null>(
  ctx: Ctx,
  { place, origin, who, write, first = false, effects = null }: Writing<T>,
): Promise<T> {
  const { meetingId } = who;
  if (place.part !== 'notes' && place.part !== 'transcript') await noteAuthor(ctx, meetingId, who.userId);
  if (place.part === 'layer') await beginAssessing(ctx, meetingId, who.layerId ?? '');
  const { result } = await writeNextRow(ctx, {
    meetingId,
    place,
    origin,
    call: who,
    last: !first,
    write: (doc, held) => write(doc, { ...who, held }),
    answering: async () => (result) => answerOf(result),
    effects,
  });
  return result;
}

/** Reads the stored state of a room. */
export const readRoom = <T>(ctx: Ctx, meetingId: string, place: RoomOf, work: (doc: Y.Doc) => T): Promise<T> =>
  ctx.documents.inRoom(meetingId, (room) => room.read(work), place);
