import type * as Y from 'yjs';
import type { Asked } from '#db/answers.ts';
import { invalid, Problem } from '#shared/problems.ts';
import type { VerbName } from '#shared/roles.ts';
import { signedIn, type Ctx } from '../context.ts';
import { answerOf } from '../http/once.ts';
import { accessTo } from '../rooms/access.ts';
import { roomProblems } from '../rooms/documents.ts';
import { Holding } from '../rooms/holding.ts';
import { takeTurn } from '../rooms/turn.ts';
import { versionOf } from '../rooms/version.ts';
import { markerOf } from './view.ts';

/** What came of a write: the version that has it, and the mark of the meeting at that version. */
export interface Written {
  version: number;
  etag: string;
}

interface Writing<S> {
  id: string;
  verb: VerbName;
  /** What the caller has read; left out by who writes whatever stands there. */
  version?: number;
  origin: string;
  /** What of an older state the write has to know. */
  see(doc: Y.Doc): S;
  /**
   * Judges and writes; nothing of it is kept when it throws. `seen` answers what the caller saw, or null where that is how
   * the document still is.
   */
  write(doc: Y.Doc, seen: () => S | null, now: number, generation: number): void;
}

/** The state the caller has seen is an older one, and has to be read first. */
class Behind extends Error {}

/**
 * One change of the live document by a verb of REST: judged by all that is stored at any process, stored as the very next
 * row of the log together with the answer to the request, seen at once by whoever has the document open.
 */
export async function writeDocument<S>(ctx: Ctx, writing: Writing<S>): Promise<Written> {
  const { id, verb, version } = writing;
  const ask = () => accessTo(ctx, verb, id);
  const held = await ask();
  const holding = new Holding(ctx, id, held, ask);
  // Asked while the room is entered.
  const marking = markerOf(ctx, id, held);
  marking.catch(() => {});
  try {
    return await writeNext(ctx, writing, holding, marking, null);
  } catch (error) {
    if (!(error instanceof Behind) || version === undefined) throw error;
    const then = await ctx.versions.docAt(id, version).catch((cause: unknown) => {
      throw cause instanceof Problem && cause.code === 'NOT_FOUND' ? unknownVersion() : cause;
    });
    return writeNext(ctx, writing, holding, marking, { seen: writing.see(then.doc) });
  }
}

const unknownVersion = (): Problem => invalid({ field: 'version', code: 'unknown' });

async function writeNext<S>(
  ctx: Ctx,
  { id, version, origin, write }: Writing<S>,
  holding: Holding,
  marking: ReturnType<typeof markerOf>,
  then: { seen: S } | null,
): Promise<Written> {
  const { person } = signedIn(ctx);
  const { once, requestId } = ctx;
  // Without an id of its own it is kept all the same: it tells whether a row that may not have been stored was.
  const asked: Asked = once?.asked ?? { userId: person.id, requestId, fingerprint: Buffer.alloc(0) };
  return roomProblems(() =>
    ctx.documents.inRoom(id, async (room) => {
      const mark = await marking;
      const { generation, mends } = room;
      const at = (seq: number): Written => {
        const state = { version: versionOf({ generation, seq, mends }), generation, seq };
        return { version: state.version, etag: mark(state) };
      };
      const work = (doc: Y.Doc, seq: number): void => {
        const now = versionOf({ generation, seq, mends });
        if (version !== undefined && version > now) throw unknownVersion();
        const seen = () => {
          if (version === undefined || version === now) return null;
          if (!then) throw new Behind();
          return then.seen;
        };
        write(doc, seen, now, generation);
      };
      const { seq } = await takeTurn(ctx, room, {
        origin,
        holding,
        asked,
        last: true,
        work,
        answer: (_, after) => {
          const { version: next, etag } = at(after + 1);
          return answerOf({ version: next }, etag);
        },
      });
      return at(seq);
    }),
  );
}
