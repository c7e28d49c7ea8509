import { and, eq, gte } from 'drizzle-orm';
import type * as Y from 'yjs';
import type { ActionEffect } from '#db/answers.ts';
import { undoableActions } from '#db/schema/finding.ts';
import { isPartFailure, type ActionKind, type FailedRecording } from '#shared/actions.ts';
import type { VerbName } from '#shared/roles.ts';
import { Problem } from '#shared/problems.ts';
import { signedIn, type Ctx } from '../context.ts';
import { answerOf } from '../http/once.ts';
import { accessByCall } from '../rooms/access.ts';
import type { State } from '../rooms/documents.ts';
import { writeNextRow } from '../rooms/write.ts';

// Changes of many recordings that are one action: each recording is a part of it, which succeeds or fails for itself.

interface Part<T> {
  /** The call whose rights the change takes. */
  verb: VerbName;
  recording: string;
  origin: string;
  /** Reads what the change needs and what would take long in it, once the rights are known. */
  prepare?: (meetingId: string) => Promise<void>;
  /** Changes the transcript's document; nothing of it is stored if it throws. */
  write(doc: Y.Doc): T;
  /** Stored with the change, in its transaction. */
  action(done: T): ActionEffect;
}

/** Changes one recording, by the rights of now. */
export async function writePart<T>(ctx: Ctx, { verb, recording, origin, prepare, write, action }: Part<T>): Promise<T> {
  const { meetingId, layerId, held } = await accessByCall(ctx, verb, recording);
  await prepare?.(meetingId);
  // The effect is of what is written, which the document tells: it is filled in before the row is stored.
  const effects: { action?: ActionEffect } = {};
  const { result } = await writeNextRow<T>(ctx, {
    meetingId,
    origin,
    call: { verb, held, layerId },
    last: false,
    effects,
    write: (doc) => {
      const done = write(doc);
      effects.action = action(done);
      return done;
    },
    answering: () => Promise.resolve((_: T, { version }: State) => answerOf({ version })),
  });
  return result;
}

/** Milliseconds for which requests continue an action. */
const continuedFor = 3_600_000;

/** Refuses to add to an action that is not the caller's, or is about something else, or is undone. */
export async function requireSameAction(
  ctx: Ctx,
  id: string,
  { kind, what }: { kind: ActionKind; what: Readonly<Record<string, unknown>> },
): Promise<void> {
  const [row] = await ctx.db.orm
    .select({ what: undoableActions.what, undoneAt: undoableActions.undoneAt })
    .from(undoableActions)
    .where(
      and(
        eq(undoableActions.id, id),
        eq(undoableActions.userId, signedIn(ctx).person.id),
        eq(undoableActions.kind, kind),
        gte(undoableActions.at, new Date(ctx.clock.now().getTime() - continuedFor)),
      ),
    );
  const names = Object.keys(what);
  const asText = (of: Readonly<Record<string, unknown>>) => JSON.stringify(names.map((name) => of[name]));
  if (!row || row.undoneAt !== null || asText(row.what) !== asText(what)) throw new Problem('NO_ACCESS');
}

/** Reason why a part was not done; other errors end the whole. */
export function reasonOf(error: unknown): FailedRecording['code'] {
  if (error instanceof Problem && isPartFailure(error.code)) return error.code;
  throw error;
}
