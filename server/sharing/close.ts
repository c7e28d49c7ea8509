import { eq, sql } from 'drizzle-orm';
import { versionNames } from '#db/schema/history.ts';
import type { Orm } from '#db/open.ts';
import { intakes } from '#db/schema/intake.ts';
import { meetings } from '#db/schema/meetings.ts';
import type { CloseInput, ClosingAnswer } from '#shared/meetings/meeting.ts';
import { Problem } from '#shared/problems.ts';
import { roomName } from '#sync/server/rooms.ts';
import { signedIn, transaction, type Ctx, type Signed } from '../context.ts';
import { keepResult } from '../http/once.ts';
import { accessTo } from '../rooms/access.ts';
import { appendRightsRow, holdSharing } from './change.ts';
import { closedColumns, closedViewOf, closers } from './closed.ts';

/**
 * Closes the text of a recording: until it is reopened, nobody changes it, and annotating continues. The version that is
 * closed gets a name.
 */
export async function closeMeeting(ctx: Ctx, { id, name }: CloseInput & { id: string }): Promise<ClosingAnswer> {
  const signed = signedIn(ctx);
  await accessTo(ctx, 'POST /api/meetings/:id/close', id);
  return transaction(ctx, async (tx) => {
    if (await heldClosed(signed, tx, id)) throw new Problem('CLOSED');
    const answer = { version: await closeHeld(signed, tx, id, name), closed: await closedIn(tx, id) };
    await keepResult(ctx, tx, answer);
    return answer;
  });
}

/** Closes the text in the transaction of something that begins with it; a text that is closed stays as it is. */
export async function closeUnlessClosed(ctx: Signed, tx: Orm, id: string, name: string): Promise<void> {
  if (!(await heldClosed(ctx, tx, id))) await closeHeld(ctx, tx, id, name);
}

/** Whether the text is closed; it stays as it is until the transaction ends. */
async function heldClosed(ctx: Signed, tx: Orm, id: string): Promise<boolean> {
  await holdSharing(ctx, tx, id);
  return (await closedIn(tx, id)) !== null;
}

async function closeHeld(ctx: Signed, tx: Orm, id: string, name: string): Promise<number> {
  // A draft has no text yet, and one that is recorded or processed still gets some.
  const [intake] = await tx.select({ state: intakes.state }).from(intakes).where(eq(intakes.meetingId, id));
  const state = intake?.state ?? 'ready';
  if (state !== 'ready' && state !== 'failed') throw new Problem('CONFLICT', { message: 'It is being processed' });
  const named = await lastTextVersion(ctx, tx, id);
  const at = ctx.clock.now();
  const fields = { name, userId: ctx.person.id, at };
  await tx
    .insert(versionNames)
    .values({ meetingId: id, version: named, ...fields })
    .onConflictDoUpdate({ target: [versionNames.meetingId, versionNames.version], set: fields });
  await tx
    .update(meetings)
    .set({ closedAt: at, closedBy: ctx.person.id, closedVersion: named })
    .where(eq(meetings.id, id));
  return appendRightsRow(ctx, tx, id);
}

/** Permits changes of the text again; an open text stays as it is. */
export async function reopenMeeting(ctx: Ctx, { id }: { id: string }): Promise<ClosingAnswer> {
  const signed = signedIn(ctx);
  await accessTo(ctx, 'POST /api/meetings/:id/reopen', id);
  return transaction(ctx, async (tx) => {
    const before = await holdSharing(signed, tx, id);
    const closed = await closedIn(tx, id);
    if (closed)
      await tx.update(meetings).set({ closedAt: null, closedBy: null, closedVersion: null }).where(eq(meetings.id, id));
    const answer = { version: closed ? await appendRightsRow(signed, tx, id) : before.version, closed: null };
    await keepResult(ctx, tx, answer);
    return answer;
  });
}

async function closedIn(tx: Orm, id: string) {
  const [row] = await tx
    .select(closedColumns)
    .from(meetings)
    .leftJoin(closers, eq(closers.id, meetings.closedBy))
    .where(eq(meetings.id, id));
  return row ? closedViewOf(row) : null;
}

/** The last version that a list of versions shows: changes of permissions are no versions there. */
async function lastTextVersion(ctx: Ctx, tx: Orm, id: string): Promise<number> {
  const [row] = await tx.execute<{ generation: number; seq: string }>(sql`
    select generation, seq from room_updates where room = ${roomName(id, 'transcript', null)}
      and octet_length(bytes) > 0 and (user_id is not null or client_ids is not null)
    order by generation desc, seq desc limit 1`);
  if (!row) return 0;
  return (await ctx.versions.count(id)).versionOf({ generation: row.generation, seq: Number(row.seq) });
}
