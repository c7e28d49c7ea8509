import { and, eq } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { folderAccess, folders } from '#db/schema/library.ts';
import { meetingAccess, meetings } from '#db/schema/meetings.ts';

/** Things that can be shared; the kind is also that of their invitations. */
export interface Shared {
  kind: 'meeting' | 'folder';
  id: string;
}

export type AccessRow = Omit<typeof meetingAccess.$inferSelect, 'meetingId'>;

const noLink = { codeHash: null, codeId: null, expiresAt: null };

/** Serializes changes of the named people and first visits. */
export async function holdShared(tx: Orm, { kind, id }: Shared): Promise<void> {
  if (kind === 'meeting')
    await tx.select({ id: meetings.id }).from(meetings).where(eq(meetings.id, id)).for('no key update');
  else await tx.select({ id: folders.id }).from(folders).where(eq(folders.id, id)).for('no key update');
}

export async function ownerOfShared(tx: Orm, { kind, id }: Shared): Promise<string | undefined> {
  const table = kind === 'meeting' ? meetings : folders;
  const [found] = await tx.select({ ownerId: table.ownerId }).from(table).where(eq(table.id, id));
  return found?.ownerId;
}

/** Rows of all people and groups that are named. */
export async function rowsOf(tx: Orm, { kind, id }: Shared): Promise<AccessRow[]> {
  if (kind === 'meeting') return tx.select().from(meetingAccess).where(eq(meetingAccess.meetingId, id));
  const rows = await tx.select().from(folderAccess).where(eq(folderAccess.folderId, id));
  return rows.map((row) => ({ ...row, ...noLink }));
}

/** Sets the permissions of a principal; each has one row. */
export async function putRow(tx: Orm, { kind, id }: Shared, row: AccessRow): Promise<void> {
  if (kind === 'meeting') {
    await tx
      .insert(meetingAccess)
      .values({ meetingId: id, ...row })
      .onConflictDoUpdate({
        target: [meetingAccess.meetingId, meetingAccess.kind, meetingAccess.principalId],
        set: row,
      });
    return;
  }
  const { codeHash: _, codeId: __, expiresAt: ___, ...named } = row;
  await tx
    .insert(folderAccess)
    .values({ folderId: id, ...named })
    .onConflictDoUpdate({ target: [folderAccess.folderId, folderAccess.kind, folderAccess.principalId], set: named });
}

/** False if there was no such row. */
export async function dropRow(
  tx: Orm,
  { kind, id }: Shared,
  row: Pick<AccessRow, 'kind' | 'principalId'>,
): Promise<boolean> {
  const [table, of] =
    kind === 'meeting' ? [meetingAccess, meetingAccess.meetingId] : [folderAccess, folderAccess.folderId];
  const deleted = await tx
    .delete(table)
    .where(and(eq(of, id), eq(table.kind, row.kind), eq(table.principalId, row.principalId)))
    .returning({ kind: table.kind });
  return deleted.length > 0;
}
