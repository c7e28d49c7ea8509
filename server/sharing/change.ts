import { and, eq, isNull, sql } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { meetings } from '#db/schema/meetings.ts';
import { rooms } from '#db/schema/rooms.ts';
import { Problem } from '#shared/problems.ts';
import type { Grant, HistoryNeeds, Role } from '#shared/roles.ts';
import { roomName } from '#sync/server/rooms.ts';
import type { Signed } from '../context.ts';
import { refusalOf } from '../rooms/access.ts';
import type { State } from '../rooms/documents.ts';
import { versionOf } from '../rooms/version.ts';
import { rowsOf, type AccessRow, type Shared } from './rows.ts';

export interface Held {
  ownerId: string;
  /** Version in which the sharing was last changed. */
  aclVersion: number;
  /** Current version; every change of a document raises it. */
  version: number;
  rows: AccessRow[];
  /** Meetings only. */
  history?: HistoryNeeds;
}

/** Operations to change the sharing of one kind of thing. */
export interface Target extends Shared {
  /** Permissions of a role here. */
  grantOf(role: Role): Grant[];
  /** Locks the sharing until the transaction ends. */
  hold(ctx: Signed, tx: Orm): Promise<Held>;
  /** Records a change and returns the new version. */
  raise(ctx: Signed, tx: Orm): Promise<number>;
}

/**
 * Locks the sharing of a meeting until the transaction ends, so that of two changes at once the second sees the first.
 * A person who lost the permission while waiting is refused.
 */
export async function holdSharing(ctx: Signed, tx: Orm, meetingId: string): Promise<Held> {
  const [meeting] = await tx
    .select({ ownerId: meetings.ownerId, aclVersion: meetings.aclVersion, history: meetings.historyNeeds })
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
  return { ...meeting, version: (await holdTranscript(tx, meetingId)).version, rows };
}

/** Locks the log of a meeting's transcript, behind its row in `meetings`, and answers where it ends. */
export async function holdTranscript(tx: Orm, meetingId: string): Promise<State> {
  const name = roomName(meetingId, 'transcript', null);
  await tx.insert(rooms).values({ name, meetingId, part: 'transcript' }).onConflictDoNothing();
  const [room] = await tx.select().from(rooms).where(eq(rooms.name, name)).for('update');
  if (!room) throw new Problem('NO_ACCESS');
  const { generation, seq } = room;
  return { version: versionOf(room), generation, seq };
}

/** Raises the version for a change of the sharing. */
export async function raiseVersion(ctx: Signed, tx: Orm, meetingId: string): Promise<number> {
  const version = await appendRightsRow(ctx, tx, meetingId);
  await tx.update(meetings).set({ aclVersion: version }).where(eq(meetings.id, meetingId));
  return version;
}

/**
 * Writes a change of permissions as a log row of the document without an update, so that the version programs compare
 * rises in every process.
 */
export const appendRightsRow = async (ctx: Signed, tx: Orm, meetingId: string): Promise<number> =>
  (await appendRow(ctx, tx, { meetingId, userId: ctx.person.id })).version;

/** The same for other things beside the document that its version counts. */
export async function appendRow(
  { clock }: Pick<Signed, 'clock'>,
  tx: Orm,
  { meetingId, userId }: { meetingId: string; userId: string },
): Promise<State> {
  const [raised] = await tx.execute<{ generation: number; base: string; seq: string; mends: number }>(sql`
    with raised as (
      update rooms set seq = seq + 1 where name = ${roomName(meetingId, 'transcript', null)}
      returning name, generation, base, seq, mends
    ), appended as (
      insert into room_updates (room, generation, seq, user_id, client_ids, bytes, checksum, at)
      select name, generation, seq, ${userId}, null, ''::bytea,
        sha256(convert_to(name || '|' || generation || '|' || seq || '|', 'UTF8')), ${clock.now().toISOString()}::timestamptz
      from raised
    )
    select generation, base, seq, mends from raised`);
  if (!raised) throw new Problem('NO_ACCESS');
  const { generation, base, seq, mends } = raised;
  const version = versionOf({ base: Number(base), seq: Number(seq), mends });
  return { version, generation, seq: Number(seq) };
}
