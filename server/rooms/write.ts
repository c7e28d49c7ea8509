import type * as Y from 'yjs';
import { appendAnswered, type Answer, type Asked, type Effects, type Next } from '#db/answers.ts';
import type { PendingRow } from '#db/updates.ts';
import { newId } from '#shared/ids.ts';
import { Problem } from '#shared/problems.ts';
import type { Permission } from '#shared/roles.ts';
import { Refused } from '#sync/server/inspect.ts';
import { NotTaken } from '#sync/server/server-writes.ts';
import { signedIn, type Ctx } from '../context.ts';
import { accessAgain, type WritingCall } from './access.ts';
import type { RoomOf, State } from './documents.ts';
import { Holding } from './holding.ts';
import { versionOf } from './version.ts';

interface Writing<T> {
  meetingId: string;
  /** The room; default: the transcript. */
  place?: RoomOf;
  origin: string;
  call: WritingCall;
  /** False for the first of two writes of one call: the answer to the request is stored with the last one. */
  last?: boolean;
  /**
   * Judges and writes; nothing of it is stored if it throws. Runs again on the newer state, or with the permissions held by
   * then, if one of them changed before the row was stored.
   */
  write(doc: Y.Doc, held: ReadonlySet<Permission>, state: State): T;
  /** Gives the function that makes the stored answer, from the result and the state after the write. */
  answering(): Promise<(result: T, after: State) => Answer>;
  /** Stored with the row, in the same transaction. */
  effects?: Effects | null;
}

/**
 * Changes a room for a REST verb: checked against everything stored by any process, and stored as the next row of the
 * log together with the answer to the request, only while the caller has the permission.
 */
export async function writeNextRow<T>(
  ctx: Ctx,
  { meetingId, place, origin, call, last = true, write, answering, effects = null }: Writing<T>,
): Promise<{ result: T; state: State }> {
  const { person } = signedIn(ctx);
  const asked = askedBy(ctx, last);
  const { held, layerId = null } = call;
  const holding = new Holding(ctx, { meetingId, layerId, held }, () => accessAgain(ctx, call, meetingId));
  let refusal: Problem | null = null;
  const store = async (row: PendingRow, after: number, answer: Answer): Promise<Next> => {
    const stored = await appendAnswered(ctx.db.sql, row, after, asked, answer, holding.holder, effects);
    if (typeof stored === 'number') {
      if (ctx.once && last) ctx.once.kept = true;
      return stored;
    }
    if (stored === 'moved' || stored === 'gone' || stored === 'refused') return stored;
    try {
      await holding.again(stored);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      refusal = error;
      return 'refused';
    }
    return 'moved';
  };
  return ctx.documents.inRoom(
    meetingId,
    async (room, row) => {
      const answerOf = await answering();
      const { generation, mends } = room;
      const base = Number(row.base);
      const at = (seq: number): State => ({ version: versionOf({ base, seq, mends }), generation, seq });
      try {
        const { result, seq } = await room.changeNext(
          { userId: person.id, origin },
          (doc, after) => write(doc, holding.held, at(after)),
          (row, after, written) => store(row, after, answerOf(written, at(after + 1))),
        );
        return { result, state: at(seq) };
      } catch (error) {
        if (error instanceof NotTaken && refusal) throw refusal;
        // The same request came twice at once: the answer of the other one is stored.
        if (error instanceof NotTaken) throw new Problem('UNAVAILABLE', { retryAfter: 1, cause: error });
        if (error instanceof Refused) throw new Problem('BIG', { cause: error });
        throw error;
      }
    },
    place,
  );
}

/**
 * The request that the row's answer is stored for. Every row has one, also without an X-Request-ID: it tells whether a row
 * that may not have been stored was.
 */
function askedBy(ctx: Ctx, last: boolean): Asked {
  const { once, requestId } = ctx;
  if (once && last) return once.asked;
  const userId = signedIn(ctx).person.id;
  return { userId, requestId: last ? requestId : `${requestId}:${newId()}`, fingerprint: Buffer.alloc(0) };
}
