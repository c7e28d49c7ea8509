import { and, desc, eq, gte, isNull, lt, or } from 'drizzle-orm';
import { archives } from '#db/schema/archive.ts';
import { accessesOf, readableLayers } from '#db/access.ts';
import {
  archiveDays,
  mostArchived,
  type ArchiveInput,
  type ArchivesAnswer,
  type ArchiveView,
} from '#shared/archives.ts';
import { newId } from '#shared/ids.ts';
import { invalid, Problem } from '#shared/problems.ts';
import { holds } from '#shared/roles.ts';
import { after } from '../clock.ts';
import { signedIn, transaction, type Ctx, type House } from '../context.ts';
import { belowPlace, findPlace, idOf } from '../folders/libraries.ts';
import { keepResult } from '../http/once.ts';
import { cancelSubject, queueSubject } from '../jobs.ts';
import { readSelection } from '../library/selection.ts';
import { rules } from '../limits.ts';

export const archiveJob = 'archive';

type Row = typeof archives.$inferSelect;

const endOf = (row: Pick<Row, 'finishedAt'>): Date | null =>
  row.finishedAt && after(row.finishedAt, archiveDays * 86_400);

const viewOf = ({ id, state, folder, recordings, done, missing, bytes, failure, ...row }: Row): ArchiveView => ({
  ...{ id, state, folder, recordings: recordings.length, done, missing, bytes, failure },
  createdAt: row.createdAt.toISOString(),
  until: state === 'ready' ? (endOf(row)?.toISOString() ?? null) : null,
});

const oldest = ({ clock }: Pick<House, 'clock'>): Date => after(clock.now(), -archiveDays * 86_400);

/** The caller's archives whose days are not over, newest first. */
export async function listArchives(ctx: Ctx): Promise<ArchivesAnswer> {
  const { person } = signedIn(ctx);
  const rows = await ctx.db.orm
    .select()
    .from(archives)
    .where(and(eq(archives.userId, person.id), or(isNull(archives.finishedAt), gte(archives.finishedAt, oldest(ctx)))))
    .orderBy(desc(archives.createdAt), archives.id);
  return { archives: rows.map(viewOf) };
}

/** Queues an archive of recordings that the caller reads whole: not those they have by a review alone. */
export async function makeArchive(ctx: Ctx, asked: ArchiveInput): Promise<ArchiveView> {
  const { person } = signedIn(ctx);
  await ctx.limits.take(rules.archives, person.id);
  const { ids, folder } = asked.ids === undefined ? await placed(ctx, asked) : await chosen(ctx, asked.ids);
  if (ids.length > mostArchived)
    throw invalid({ field: asked.folder === undefined ? 'all' : 'folder', code: 'too_many' });
  await requireSpace(ctx, ids);
  const now = ctx.clock.now();
  const id = newId();
  return transaction(ctx, async (tx) => {
    const [row] = await tx
      .insert(archives)
      .values({ id, userId: person.id, state: 'waiting', folder, recordings: ids, createdAt: now })
      .onConflictDoNothing()
      .returning();
    if (!row) throw new Problem('CONFLICT', { message: 'An archive is being made already' });
    await queueSubject(tx, archiveJob, id, now);
    const view = viewOf(row);
    await keepResult(ctx, tx, view);
    return view;
  });
}

interface Asked {
  ids: string[];
  folder: string | null;
}

async function chosen(ctx: Ctx, given: readonly string[]): Promise<Asked> {
  const { person } = signedIn(ctx);
  const ids = [...new Set(given)];
  const held = await ctx.db.ask((sql) =>
    accessesOf(
      sql,
      ids.map((meetingId) => ({ meetingId, userId: person.id })),
    ),
  );
  // One answer for what is not there and what the caller may not read.
  if (held.some((one) => one === null || !holds(one, 'read'))) throw new Problem('NO_ACCESS');
  return { ids, folder: null };
}

async function placed(ctx: Ctx, { folder, sid }: ArchiveInput): Promise<Asked> {
  const selection = await readSelection(ctx, { query: '', filters: {} }, { listing: false });
  const place = folder === undefined ? null : findPlace(selection.libraries, { path: folder, sid: sid ?? undefined });
  if (place === undefined) throw new Problem('NO_ACCESS');
  const within = place && belowPlace(place).flatMap((one) => idOf(one) ?? []);
  const rows = await ctx.db.ask(
    (sql) => sql<{ id: string }[]>`
      ${selection.tables(sql)} select c.id ${selection.rows(sql)} and c.whole
        ${within ? sql`and c.folder_id = any(${within}::text[])` : sql``}
      order by c.created_at desc, c.id limit ${mostArchived + 1}`,
  );
  if (rows.length === 0) throw invalid({ field: folder === undefined ? 'all' : 'folder', code: 'required' });
  return { ids: rows.map(({ id }) => id), folder: place && (place.folder?.name ?? place.library.name) };
}

/** Refuses what the disk has no room for; texts are few beside media, and count as much as their log. */
async function requireSpace(ctx: Ctx, ids: readonly string[]): Promise<void> {
  const free = await ctx.store.free();
  if (free === null) return;
  const readable = await ctx.db.ask((sql) => readableLayers(sql, signedIn(ctx).person.id));
  const layers = readable.map(({ id }) => id);
  const [row] = await ctx.db.ask(
    (sql) => sql<{ bytes: string }[]>`
      select coalesce((select sum(bytes) from media where meeting_id = any(${[...ids]}::text[])), 0)
        + coalesce((select sum(bytes) from attachments where meeting_id = any(${[...ids]}::text[])
            and (layer_id is null or layer_id = any(${layers}::text[]))), 0)
        + coalesce((select sum(octet_length(u.bytes)) from rooms r join room_updates u on u.room = r.name
            where r.meeting_id = any(${[...ids]}::text[])), 0) as bytes`,
  );
  if (Number(row?.bytes ?? 0) > free)
    throw new Problem('UNSAVED', { message: 'There is not enough space on the server', info: { reason: 'SPACE' } });
}

/** An archive that can be downloaded, by its maker alone; the same answer for all others. */
export async function openArchive(
  ctx: Ctx,
  { id }: { id: string },
): Promise<{ id: string; bytes: number; storeKey: string; name: string }> {
  const { person } = signedIn(ctx);
  const [row] = await ctx.db.orm
    .select()
    .from(archives)
    .where(and(eq(archives.id, id), eq(archives.userId, person.id), gte(archives.finishedAt, oldest(ctx))));
  if (!row || row.storeKey === null || row.bytes === null) throw new Problem('NO_ACCESS');
  const { bytes, storeKey, createdAt, folder } = row;
  return { id, bytes, storeKey, name: `${folder ?? 'Colloquy'} ${createdAt.toISOString().slice(0, 10)}.zip` };
}

/** Stops the making of an archive, or deletes it. */
export async function deleteArchive(ctx: Ctx, { id }: { id: string }): Promise<void> {
  const { person } = signedIn(ctx);
  await transaction(ctx, async (tx) => {
    const gone = await tx
      .delete(archives)
      .where(and(eq(archives.id, id), eq(archives.userId, person.id)))
      .returning({ id: archives.id });
    if (gone.length === 0) throw new Problem('NO_ACCESS');
    await cancelSubject(tx, archiveJob, id, ctx.clock.now());
  });
}

/** Deletes archives whose days are over; their files follow. */
export const sweepArchives = (house: House) =>
  house.db.orm.delete(archives).where(lt(archives.finishedAt, oldest(house)));
