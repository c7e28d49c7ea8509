import type * as Y from 'yjs';
import type { Effects } from '#db/answers.ts';
import { rootOf, type AnnotationKind } from '#shared/meetings/annotations.ts';
import type { Asking } from '#shared/meetings/annotation-rules.ts';
import type { VerbName } from '#shared/roles.ts';
import { signedIn, type Ctx } from '../context.ts';
import { answerOf } from '../http/once.ts';
import { accessTo } from '../rooms/access.ts';
import type { RoomOf } from '../rooms/documents.ts';
import { writeNextRow, type WritingCall } from '../rooms/write.ts';
import { noteAuthor } from './authors.ts';

/** Author of a call, with the permissions held when it was accepted. */
export type Caller = Asking & WritingCall;

interface Writing<T> {
  id: string;
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

/** The room for annotations of a kind: the shared one, or the caller's private one. */
export const placeOf = (ctx: Ctx, kind: AnnotationKind, isPrivate: boolean): RoomOf =>
  isPrivate ? { part: 'notes', userId: signedIn(ctx).person.id } : { part: rootOf[kind], userId: null };

/** Throws unless the caller may make this call; reveals nothing about a meeting they may not read. */
export async function callerOf(
  ctx: Ctx,
  verb: VerbName,
  id: string,
  reach: { privately?: boolean } = {},
): Promise<Caller> {
  const held = await accessTo(ctx, verb, id, reach);
  return { ...reach, userId: signedIn(ctx).person.id, verb, held };
}

/**
 * Changes a room once: the change and the answer to the request are stored together as the next row of the room's log,
 * and clients with the room open see it at once.
 */
export async function writeRoom<T extends object | null>(
  ctx: Ctx,
  { id, place, origin, who, write, first = false, effects = null }: Writing<T>,
): Promise<T> {
  if (place.part === 'outcomes' || place.part === 'comments') await noteAuthor(ctx, id, signedIn(ctx).person.id);
  const { result } = await writeNextRow(ctx, {
    meetingId: id,
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
export const readRoom = <T>(ctx: Ctx, id: string, place: RoomOf, work: (doc: Y.Doc) => T): Promise<T> =>
  ctx.documents.inRoom(id, (room) => room.read(work), place);
