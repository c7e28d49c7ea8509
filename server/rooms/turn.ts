import type * as Y from 'yjs';
import { appendAnswered, type Answer, type Asked } from '#db/answers.ts';
import { Problem } from '#shared/problems.ts';
import { Refused } from '#sync/server/inspect.ts';
import type { Room } from '#sync/server/room.ts';
import { NotTaken } from '#sync/server/server-writes.ts';
import { signedIn, type Ctx } from '../context.ts';
import type { Holding } from './holding.ts';

interface Turn<T> {
  origin: string;
  holding: Holding;
  asked: Asked;
  /** True if the stored answer is the answer to the request. */
  last: boolean;
  /** Runs again on the current document and permissions if either changed before the result was stored. */
  work(doc: Y.Doc, seq: number): T;
  answer(result: T, after: number): Answer;
}

/**
 * Changes a room for a REST verb: checked against everything stored by any process, and stored as the next row of the
 * log together with the answer to the request, only while the caller has the permission.
 */
export async function takeTurn<T>(
  ctx: Ctx,
  room: Room,
  { origin, holding, asked, last, work, answer }: Turn<T>,
): Promise<{ result: T; seq: number }> {
  const { person } = signedIn(ctx);
  const { once } = ctx;
  const lost: { refusal?: Problem } = {};
  try {
    return await room.changeNext({ userId: person.id, origin }, work, async (row, after, result) => {
      const stored = await appendAnswered(ctx.db.sql, row, after, asked, answer(result, after), holding.holder);
      if (typeof stored === 'number') {
        if (once && last) once.kept = true;
        return stored;
      }
      if (stored === 'moved' || stored === 'gone' || stored === 'refused') return stored;
      try {
        await holding.again(stored);
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        lost.refusal = error;
        return 'refused';
      }
      return 'moved';
    });
  } catch (error) {
    if (error instanceof NotTaken && lost.refusal) throw lost.refusal;
    // A concurrent copy of the request has stored its answer.
    if (error instanceof NotTaken) throw new Problem('UNAVAILABLE', { retryAfter: 1, cause: error });
    if (error instanceof Refused) throw new Problem('BIG', { cause: error });
    throw error;
  }
}
