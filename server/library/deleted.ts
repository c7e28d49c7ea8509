import { and, eq, inArray, isNotNull, isNull, notInArray } from 'drizzle-orm';
import { folders } from '#db/schema/library.ts';
import { meetings } from '#db/schema/meetings.ts';
import type { ManyAnswer } from '#shared/folders.ts';
import { trashDays, type DeletedAnswer, type DeletedQuery } from '#shared/meetings/meeting.ts';
import { after } from '../clock.ts';
import { signedIn, transaction, type Ctx } from '../context.ts';
import { keepResult } from '../http/once.ts';
import { shownTitle } from '../rooms/projection.ts';
import { oldestInTrash } from './trash.ts';

interface Row {
  kind: 'meeting' | 'folder';
  id: string;
  title: string;
  deleted_at: string;
  meetings: number;
  total: number;
}

/**
 * The person's own deleted items that can be restored, the latest first; a folder is one entry together with what was
 * deleted with it.
 */
export async function listDeleted(ctx: Ctx, { start, size }: DeletedQuery): Promise<DeletedAnswer> {
  const { person } = signedIn(ctx);
  const since = oldestInTrash(ctx).toISOString();
  const rows = await ctx.db.ask(
    (sql) => sql<Row[]>`
      with gone as (
        select 'meeting' as kind, m.id, ${shownTitle(sql)} as title, m.deleted_at, 0 as meetings
        from meetings m
        left join meeting_projections p on p.meeting_id = m.id
        left join intakes i on i.meeting_id = m.id
        where m.owner_id = ${person.id} and m.deleted_at >= ${since}::timestamptz and m.deleted_with is null
          and coalesce(i.state, '') <> 'created'
        union all
        select 'folder', f.id, f.name, f.deleted_at,
          (select count(*)::int from meetings w where w.deleted_with = f.id and w.deleted_at is not null)
        from folders f
        where f.owner_id = ${person.id} and f.deleted_at >= ${since}::timestamptz and f.deleted_with = f.id
      ), counted as (select count(*)::int as total from gone)
      select g.*, c.total from counted c
      left join (select * from gone order by deleted_at desc, id limit ${size} offset ${start}) g on true`,
  );
  return {
    items: rows.flatMap(({ kind, id, title, deleted_at: at, meetings: count }) =>
      // Beyond the last page a row holds only the count.
      id === null
        ? []
        : [
            {
              kind,
              id,
              title,
              meetings: count,
              deletedAt: new Date(at).toISOString(),
              until: after(new Date(at), trashDays * 86_400).toISOString(),
            },
          ],
    ),
    total: rows[0]?.total ?? 0,
  };
}

/** Permanently deletes recordings and folders from the person's own trash before their days are over. */
export async function removeDeleted(ctx: Ctx, { ids }: { ids: readonly string[] }): Promise<ManyAnswer> {
  const { person } = signedIn(ctx);
  const requested = [...new Set(ids)];
  return transaction(ctx, async (tx) => {
    const mine = and(eq(meetings.ownerId, person.id), isNotNull(meetings.deletedAt));
    const deletedFolders = await tx
      .select({ id: folders.id })
      .from(folders)
      .where(and(eq(folders.ownerId, person.id), inArray(folders.id, requested), eq(folders.deletedWith, folders.id)))
      .for('update');
    const folderIds = deletedFolders.map(({ id }) => id);
    // Files are deleted later (leftovers.ts), once the rows are certainly gone.
    const deletedMeetings = await tx
      .delete(meetings)
      .where(and(mine, isNull(meetings.deletedWith), inArray(meetings.id, requested)))
      .returning({ id: meetings.id });
    await tx.delete(meetings).where(and(mine, inArray(meetings.deletedWith, folderIds)));
    // Folders within them that were deleted earlier stay in the trash; restored, they return to the top.
    const foldersWithin = and(eq(folders.ownerId, person.id), inArray(folders.deletedWith, folderIds));
    const parents = tx.select({ id: folders.id }).from(folders).where(foldersWithin);
    await tx
      .update(folders)
      .set({ parentId: null })
      .where(
        and(
          eq(folders.ownerId, person.id),
          inArray(folders.parentId, parents),
          isNotNull(folders.deletedWith),
          notInArray(folders.deletedWith, folderIds),
        ),
      );
    await tx.delete(folders).where(foldersWithin);
    const done = [...deletedMeetings.map(({ id }) => id), ...folderIds];
    const failed = requested.filter((id) => !done.includes(id)).map((id) => ({ id, code: 'NO_ACCESS' as const }));
    const answer = { done, failed };
    await keepResult(ctx, tx, answer);
    return answer;
  });
}
