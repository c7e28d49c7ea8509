import type * as Y from 'yjs';
import type { Asked } from '#db/answers.ts';
import { rootOf, type AnnotationKind } from '#shared/meetings/annotations.ts';
import { newId } from '#shared/ids.ts';
import type { Asking } from '#shared/meetings/annotation-rules.ts';
import type { VerbName } from '#shared/roles.ts';
import { signedIn, type Ctx } from '../context.ts';
import { answerOf } from '../http/once.ts';
import { accessTo } from '../rooms/access.ts';
import { roomProblems, type RoomOf } from '../rooms/documents.ts';
import { Holding } from '../rooms/holding.ts';
import { takeTurn } from '../rooms/turn.ts';
import { noteAuthor } from './authors.ts';

/** Who makes a call, and what they held when they were let in. */
export interface Caller extends Asking {
  verb: VerbName;
  /** They alone will see what is written. */
  privately?: boolean;
}

interface Writing<T> {
  id: string;
  place: RoomOf;
  origin: string;
  who: Caller;
  /**
   * Judges by what the caller holds at that moment, and writes; nothing of it is kept when it throws. What it answers is what
   * the request is answered.
   */
  write(doc: Y.Doc, who: Caller): T;
  /** Of a verb that writes into two rooms, the first: the answer to the request is kept with the last. */
  first?: boolean;
}

/** Where items of a kind stand: those of all, or the caller's own. */
export const placeOf = (ctx: Ctx, kind: AnnotationKind, own: boolean): RoomOf =>
  own ? { part: 'notes', userId: signedIn(ctx).person.id } : { part: rootOf[kind], userId: null };

/** The caller may make this call; who may not read the meeting is told no more. */
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
 * One change of what is said about a meeting: stored as the very next row of its room together with the answer to the
 * request, and seen at once by whoever has the room open.
 */
export async function writeRoom<T extends object | null>(
  ctx: Ctx,
  { id, place, origin, who, write, first = false }: Writing<T>,
): Promise<T> {
  const { person } = signedIn(ctx);
  const { once, requestId } = ctx;
  if (place.part === 'outcomes' || place.part === 'comments') await noteAuthor(ctx, id, person.id);
  const asked: Asked =
    once && !first
      ? once.asked
      : { userId: person.id, requestId: first ? `${requestId}:${newId()}` : requestId, fingerprint: Buffer.alloc(0) };
  const holding = new Holding(ctx, id, who.held, () => accessTo(ctx, who.verb, id, who));
  return roomProblems(() =>
    ctx.documents.inRoom(
      id,
      async (room) => {
        const { result } = await takeTurn(ctx, room, {
          origin,
          holding,
          asked,
          last: !first,
          work: (doc) => write(doc, { ...who, held: holding.held }),
          answer: (answered) => answerOf(answered),
        });
        return result;
      },
      place,
    ),
  );
}

/** Reads one of the rooms as it is stored. */
export const readRoom = <T>(ctx: Ctx, id: string, place: RoomOf, work: (doc: Y.Doc) => T): Promise<T> =>
  ctx.documents.inRoom(id, (room) => room.read(work), place);
