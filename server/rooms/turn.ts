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
  /** Whether what is kept is the answer to the request. */
  last: boolean;
  /** Runs anew on what stands by then, and with what is held by then, where either has changed before it was stored. */
  work(doc: Y.Doc, seq: number): T;
  answer(result: T, after: number): Answer;
}

/**
 * One change of a room by a verb of REST, whichever room it is: judged by all that is stored at any process, and stored as
 * the very next row of the log together with the answer to the request, as long as the caller may do it.
 */
export async function takeTurn<T>(
  ctx: Ctx,
  room: Room,
  { origin, holding, asked, last, work, answer }: Turn<T>,
): Promise<{ result: T; seq: number }> {
  const { person } = signedIn(ctx);
  const { once } = ctx;
  const told: { refusal?: Problem } = {};
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
        told.refusal = error;
        return 'refused';
      }
      return 'moved';
    });
  } catch (error) {
    if (error instanceof NotTaken && told.refusal) throw told.refusal;
    // Asked twice at once: the other's answer is there.
    if (error instanceof NotTaken) throw new Problem('UNAVAILABLE', { retryAfter: 1, cause: error });
    if (error instanceof Refused) throw new Problem('BIG', { cause: error });
    throw error;
  }
}
