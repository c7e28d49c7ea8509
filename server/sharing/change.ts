import { and, eq, isNull, sql } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { meetings } from '#db/schema/meetings.ts';
import { rooms } from '#db/schema/rooms.ts';
import { Problem } from '#shared/problems.ts';
import type { Permission, Role } from '#shared/roles.ts';
import { roomName } from '#sync/server/rooms.ts';
import type { Signed } from '../context.ts';
import { refusalOf } from '../rooms/access.ts';
import { versionOf } from '../rooms/version.ts';
import { rowsOf, type AccessRow, type Shared } from './rows.ts';

export interface Held {
  ownerId: string;
  /** In which the sharing was last changed. */
  aclVersion: number;
  /** By now; a document's rises with whatever is done to it. */
  version: number;
  rows: AccessRow[];
}

/** How the sharing of something is changed. */
export interface Target extends Shared {
  /** What a role holds here. */
  grantOf(role: Role): Permission[];
  /** Holds its sharing until the transaction ends. */
  hold(ctx: Signed, tx: Orm): Promise<Held>;
  /** Says that it was changed; answers the version there is from then on. */
  raise(ctx: Signed, tx: Orm): Promise<number>;
}

/**
 * Holds the sharing of a meeting until the transaction ends, so that of two who change it at once one sees what the other
 * did. Whoever lost the right to while they waited changes nothing.
 */
export async function holdSharing(ctx: Signed, tx: Orm, meetingId: string): Promise<Held> {
  const [meeting] = await tx
    .select({ ownerId: meetings.ownerId, aclVersion: meetings.aclVersion })
    .from(meetings)
    .where(and(eq(meetings.id, meetingId), isNull(meetings.deletedAt)))
    .for('update');
  if (!meeting) throw new Problem('NO_ACCESS');
  const rows = await rowsOf(tx, { kind: 'meeting', id: meetingId });
  const { person } = ctx;
  if (meeting.ownerId !== person.id) {
    const address = person.confirmed ? person.emailKey : '';
    const [mayOwn] = await tx.execute(sql`
      select 1 from meetings m where m.id = ${meetingId} and (
        exists (select 1 from meeting_access a where a.meeting_id = m.id and 'own' = any(a.permissions) and (
          (a.kind = 'user' and a.principal_id = ${person.id}) or (a.kind = 'pending' and a.principal_id = ${address})
          or (a.kind = 'group' and a.principal_id in (select g.id from groups_of(${person.id}) g))))
        or exists (select 1 from folder_grants(m.folder_id, ${person.id}, ${address}) g where 'own' = any(g.permissions)))`);
    if (!mayOwn) throw refusalOf('POST /api/meetings/:id/acl');
  }
  const name = roomName(meetingId, 'transcript', null);
  await tx.insert(rooms).values({ name, meetingId, part: 'transcript' }).onConflictDoNothing();
  const [room] = await tx.select().from(rooms).where(eq(rooms.name, name)).for('update');
  if (!room) throw new Problem('NO_ACCESS');
  return { ...meeting, version: versionOf(room), rows };
}

/**
 * A change of who may do what is a row of the document's log that holds no update, so that the one version programs go by
 * rises with it, in every process.
 */
export async function raiseVersion(ctx: Signed, tx: Orm, meetingId: string): Promise<number> {
  const [raised] = await tx.execute<{ generation: number; seq: string; mends: number }>(sql`
    with raised as (
      update rooms set seq = seq + 1 where name = ${roomName(meetingId, 'transcript', null)}
      returning name, generation, seq, mends
    ), appended as (
      insert into room_updates (room, generation, seq, user_id, client_ids, bytes, checksum, at)
      select name, generation, seq, ${ctx.person.id}, null, ''::bytea,
        sha256(convert_to(name || '|' || generation || '|' || seq || '|', 'UTF8')), ${ctx.clock.now().toISOString()}::timestamptz
      from raised
    )
    select generation, seq, mends from raised`);
  if (!raised) throw new Problem('NO_ACCESS');
  const version = versionOf({ ...raised, seq: Number(raised.seq) });
  await tx.update(meetings).set({ aclVersion: version }).where(eq(meetings.id, meetingId));
  return version;
}
