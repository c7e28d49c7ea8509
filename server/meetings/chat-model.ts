import { and, eq, isNull } from 'drizzle-orm';
import type { Holder } from '#db/access.ts';
import { meetings } from '#db/schema/meetings.ts';
import { invalid, Problem } from '#shared/problems.ts';
import { keepResult } from '../http/once.ts';
import { signedIn, transaction, type Ctx } from '../context.ts';
import { isOffered } from '../outside/assistant.ts';
import { accessByCall } from '../rooms/access.ts';
import { Holding, holdRights } from '../rooms/holding.ts';
import { appendRow, holdTranscript } from '../sharing/change.ts';
import { markerOf } from './view.ts';
import { refuseFuture, type Written } from './write.ts';

// The assistant that a recording is asked about by default. It is kept beside the document; a row without an update raises
// the version that programs compare, as with sharing.

interface Setting {
  id: string;
  /** Id of the assistant; null for the first that is offered. */
  model: string | null;
}

const field = 'meeting.chat_model_id';

/** Refuses an assistant that is not offered; true if another person has changed the choice since `version`. */
export async function judgeChatModel(
  { db, assistants }: Pick<Ctx, 'db' | 'assistants'>,
  { id, model, version }: Setting & { version: number },
): Promise<boolean> {
  if (model !== null && !(await isOffered(assistants, model))) throw invalid({ field, code: 'unknown' });
  const [now] = await db.orm
    .select({ model: meetings.chatModelId, at: meetings.chatModelVersion })
    .from(meetings)
    .where(eq(meetings.id, id));
  return now !== undefined && now.model !== model && now.at > version;
}

/** Sets it alone, while the caller may write; `version`: the one that the caller has read. */
export async function setChatModel(ctx: Ctx, setting: Setting & { version: number }): Promise<Written> {
  const { id, model } = setting;
  const ask = () => accessByCall(ctx, 'PUT /api/meetings/:id', id);
  const access = await ask();
  const mark = await markerOf(ctx, access, model);
  const holding = new Holding(ctx, access, async () => (await ask()).held);
  return holding.during((holder) => store(ctx, setting, holder, mark));
}

function store(
  ctx: Ctx,
  { id, model, version }: Setting & { version: number },
  holder: Holder,
  mark: Awaited<ReturnType<typeof markerOf>>,
): Promise<Written> {
  const { person } = signedIn(ctx);
  return transaction(ctx, async (tx) => {
    const [meeting] = await tx
      .select({ model: meetings.chatModelId, at: meetings.chatModelVersion, closedAt: meetings.closedAt })
      .from(meetings)
      .where(and(eq(meetings.id, id), isNull(meetings.deletedAt)))
      .for('update');
    if (!meeting) throw new Problem('NO_ACCESS');
    if (meeting.closedAt !== null) throw new Problem('CLOSED');
    await holdRights(tx, holder, ['read', 'write']);
    const now = await holdTranscript(tx, id);
    refuseFuture(version, now);
    if (meeting.model !== model && meeting.at > version)
      throw new Problem('CONFLICT', { errors: [{ field, code: 'changed' }], info: { version: now.version } });
    const isSame = meeting.model === model;
    const state = isSame ? now : await appendRow(ctx, tx, { meetingId: id, userId: person.id });
    if (!isSame)
      await tx.update(meetings).set({ chatModelId: model, chatModelVersion: state.version }).where(eq(meetings.id, id));
    const etag = mark(state);
    await keepResult(ctx, tx, { version: state.version }, etag);
    return { version: state.version, etag };
  });
}
