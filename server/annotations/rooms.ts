import type * as Y from 'yjs';
import { appendAnswered, type Asked } from '#db/answers.ts';
import { rootOf, type ItemKind } from '#shared/meetings/items.ts';
import type { Asking } from '#shared/meetings/item-rules.ts';
import { Problem } from '#shared/problems.ts';
import { Refused } from '#sync/server/inspect.ts';
import { NotTaken } from '#sync/server/room.ts';
import { signedIn, type Ctx } from '../context.ts';
import { answerOf } from '../http/once.ts';
import { accessTo } from '../meetings/access.ts';
import { roomProblems, type RoomOf } from '../meetings/documents.ts';
import { noteAuthor } from './authors.ts';

export interface Writing<T> {
  id: string;
  place: RoomOf;
  origin: string;
  /** Judges and writes; nothing of it is kept when it throws. What it answers is what the request is answered. */
  write(doc: Y.Doc): T;
  /** Of a verb that writes into two rooms, the first: the answer to the request is kept with the last. */
  first?: boolean;
}

/** Where items of a kind stand: those of all, or the caller's own. */
export const placeOf = (ctx: Ctx, kind: ItemKind, own: boolean): RoomOf =>
  own ? { part: 'notes', userId: signedIn(ctx).person.id } : { part: rootOf[kind], userId: null };

/** What the caller may do; who may not read the meeting is told no more. */
export async function asking(ctx: Ctx, id: string): Promise<Asking> {
  const { person } = signedIn(ctx);
  return { userId: person.id, held: await accessTo(ctx, id) };
}

/**
 * One change of what is said about a meeting: stored as the very next row of its room together with the answer to the
 * request, and seen at once by whoever has the room open.
 */
export async function writeRoom<T extends object | null>(
  ctx: Ctx,
  { id, place, origin, write, first = false }: Writing<T>,
): Promise<T> {
  const { person } = signedIn(ctx);
  const { once, requestId } = ctx;
  if (place.part === 'outcomes' || place.part === 'comments') await noteAuthor(ctx, id, person.id);
  const asked: Asked =
    once && !first
      ? once.asked
      : { userId: person.id, requestId: first ? `${requestId}:first` : requestId, fingerprint: Buffer.alloc(0) };
  return roomProblems(() =>
    ctx.documents.inRoom(
      id,
      async (room) => {
        const { result } = await room
          .changeNext({ userId: person.id, origin }, write, async (row, after, answer) => {
            const stored = await appendAnswered(ctx.db.sql, row, after, asked, answerOf(answer));
            if (once && !first && typeof stored === 'number') once.kept = true;
            return stored;
          })
          .catch((error: unknown) => {
            // Asked twice at once: the other's answer is there.
            if (error instanceof NotTaken) throw new Problem('UNAVAILABLE', { retryAfter: 1, cause: error });
            if (error instanceof Refused) throw new Problem('BIG', { cause: error });
            throw error;
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
