import { and, eq, isNull, sql } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { freeWork } from '#db/schema/groups.ts';
import { newId } from '#shared/ids.ts';
import type { Clock } from '../clock.ts';
import type { Asker } from './quote.ts';

// Free work has no payer, and the books know nothing of it. A team counts it all the same: that of a member who works in
// the scope of the team. What is done in the personal scope stays personal.

const underWay = (meetingId: string) => and(eq(freeWork.meetingId, meetingId), isNull(freeWork.endedAt));

/** Forgets work of a recording that did not come to its end: it is begun anew. */
export async function forgetFreeWork(tx: Orm, meetingId: string): Promise<void> {
  await tx.delete(freeWork).where(underWay(meetingId));
}

/** Notes that free work of a recording begins, where its member is in the scope of an active team. */
export async function beginFreeWork(
  { clock }: { clock: Clock },
  tx: Orm,
  { id: memberId, scopeId = null }: Asker,
  meetingId: string,
): Promise<void> {
  if (scopeId === null) return;
  const now = clock.now().toISOString();
  await tx.execute(sql`
    insert into free_work (id, group_id, member_id, meeting_id, begun_at)
    select ${newId()}, g.id, m.user_id, ${meetingId}, ${now}::timestamptz
    from group_members m join groups g on g.id = m.group_id and g.type = 'team' and g.archived_at is null
    where m.user_id = ${memberId} and g.id = ${scopeId}`);
}

/** The member who works on a recording at no cost, in the scope of their team; null: nobody, or in the personal scope. */
export async function freeWorkerOf(orm: Orm, meetingId: string): Promise<Asker | null> {
  const [row] = await orm
    .select({ id: freeWork.memberId, scopeId: freeWork.groupId })
    .from(freeWork)
    .where(underWay(meetingId));
  return row ?? null;
}

/** Ends free work, with the length of what was transcribed. */
export async function endFreeWork(
  { clock }: { clock: Clock },
  tx: Orm,
  meetingId: string,
  seconds: number | null,
): Promise<void> {
  const length = seconds === null ? null : Math.ceil(seconds);
  await tx.update(freeWork).set({ endedAt: clock.now(), seconds: length }).where(underWay(meetingId));
}
