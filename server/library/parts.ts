import type * as Y from 'yjs';
import type { ActionEffect } from '#db/answers.ts';
import { isPartFailure, type FailedRecording } from '#shared/actions.ts';
import type { VerbName } from '#shared/roles.ts';
import { Problem } from '#shared/problems.ts';
import type { Ctx } from '../context.ts';
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
  /** Changes the transcript's document; nothing of it is stored if it throws. */
  write(doc: Y.Doc): T;
  /** Stored with the change, in its transaction. */
  action(done: T): ActionEffect;
}

/** Changes one recording, by the rights of now. */
export async function writePart<T>(ctx: Ctx, { verb, recording, origin, write, action }: Part<T>): Promise<T> {
  const { meetingId, layerId, held } = await accessByCall(ctx, verb, recording);
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

/** Reason why a part was not done; other errors end the whole. */
export function reasonOf(error: unknown): FailedRecording['code'] {
  if (error instanceof Problem && isPartFailure(error.code)) return error.code;
  throw error;
}
