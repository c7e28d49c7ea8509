import { and, eq, gte, inArray, isNull, lt, sql } from 'drizzle-orm';
import type { z } from 'zod';
import type { Orm } from '#db/open.ts';
import { intakes } from '#db/schema/intake.ts';
import { folders } from '#db/schema/library.ts';
import { meetings } from '#db/schema/meetings.ts';
import type {
  breadcrumbsAnswer,
  deletedFolderView,
  FolderAt,
  folderInput,
  foldersAnswer,
  FolderView,
  moveFolderInput,
  PlaceAt,
  renameFolderInput,
} from '#shared/folders.ts';
import { newId } from '#shared/ids.ts';
import { folderLimits, nameKey, pathTo, plainName, segmentsOf } from '#shared/library.ts';
import { invalid, Problem } from '#shared/problems.ts';
import { signedIn, transaction, type Ctx, type House, type Signed } from '../context.ts';
import { keepResult } from '../http/once.ts';
import { dropIntake } from '../intake/drafts.ts';
import { oldestInTrash } from '../meetings/trash.ts';
import { readTree, type Folder, type Tree } from './tree.ts';

/** What lies below each folder, by its id. */
type Counts = ReadonlyMap<string, number>;

/** How many recordings lie in each folder itself; what was never chosen to be processed is not there yet. */
async function countMeetings(orm: Orm, ownerId: string): Promise<Counts> {
  const rows = await orm
    .select({ folderId: meetings.folderId, count: sql<number>`count(*)::int` })
    .from(meetings)
    .leftJoin(intakes, eq(intakes.meetingId, meetings.id))
    .where(
      and(
        eq(meetings.ownerId, ownerId),
        isNull(meetings.deletedAt),
        sql`${meetings.folderId} is not null`,
        sql`coalesce(${intakes.state}, '') <> 'created'`,
      ),
    )
    .groupBy(meetings.folderId);
  return new Map(rows.flatMap(({ folderId, count }) => (folderId === null ? [] : [[folderId, count] as const])));
}

function viewOf(tree: Tree, counts: Counts, folder: Folder): FolderView {
  const below = tree.below(folder);
  return {
    id: folder.id,
    name: folder.name,
    path: folder.path,
    sid: null,
    meetings: below.reduce((sum, { id }) => sum + (counts.get(id) ?? 0), 0),
    folders: below.length - 1,
  };
}

/** Folders of one's own as lists show them. */
export async function viewFolders(
  orm: Orm,
  ownerId: string,
  tree: Tree,
  shown: readonly Folder[],
): Promise<FolderView[]> {
  if (shown.length === 0) return [];
  const counts = await countMeetings(orm, ownerId);
  return shown.map((folder) => viewOf(tree, counts, folder));
}

export async function listFolders(ctx: Ctx): Promise<z.infer<typeof foldersAnswer>> {
  const { person } = signedIn(ctx);
  const tree = await readTree(ctx.db.orm, person.id);
  return { folders: await viewFolders(ctx.db.orm, person.id, tree, tree.all) };
}

/** Folders of others are spoken of by their `sid`, and nobody shares one: whichever it is, it is none of the caller's. */
export async function breadcrumbs(ctx: Ctx, { path, sid }: PlaceAt): Promise<z.infer<typeof breadcrumbsAnswer>> {
  const { person } = signedIn(ctx);
  const tree = await readTree(ctx.db.orm, person.id);
  if (sid || tree.at(path) === undefined) throw new Problem('NO_ACCESS');
  const names = segmentsOf(path);
  const above = names.map((_, i) => tree.at(pathTo(names.slice(0, i + 1))));
  return { breadcrumbs: above.flatMap((one) => (one ? [{ name: one.name, path: one.path, sid: null }] : [])) };
}

export interface Change {
  ctx: Signed;
  tx: Orm;
  tree: Tree;
}

/**
 * One change of somebody's folders after the other, in whatever process: what was judged still holds when it is written.
 */
export async function changeFolders<T extends object | null>(
  ctx: Ctx,
  work: (change: Change) => Promise<T>,
): Promise<T> {
  const signed = signedIn(ctx);
  const ownerId = signed.person.id;
  return transaction(ctx, async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`folders of ${ownerId}`}, 0))`);
    const result = await work({ ctx: signed, tx, tree: await readTree(tx, ownerId) });
    await keepResult(ctx, tx, result);
    return result;
  });
}

/** A folder of one's own, or the same answer whatever is in the way. */
export function folderAt(tree: Tree, { path, sid }: PlaceAt, refusal: string): Folder | null {
  const folder = sid ? undefined : tree.at(path);
  if (folder === undefined) throw new Problem('NO_PERM', { message: refusal });
  return folder;
}

function own(tree: Tree, at: FolderAt, refusal: string): Folder {
  const folder = folderAt(tree, at, refusal);
  if (folder === null) throw new Problem('NO_PERM', { message: refusal });
  return folder;
}

function refuseTaken(tree: Tree, parent: Folder | null, name: string, field: string, self?: Folder): void {
  const key = nameKey(name);
  if (tree.children(parent).some((one) => one.id !== self?.id && one.nameKey === key))
    throw invalid({ field, code: 'folder_taken' });
}

/** As it is after the change. */
async function viewById(ctx: Signed, tx: Orm, id: string): Promise<FolderView> {
  const tree = await readTree(tx, ctx.person.id);
  const folder = tree.byId(id);
  if (!folder) throw new Problem('NO_ACCESS');
  const [view] = await viewFolders(tx, ctx.person.id, tree, [folder]);
  return view as FolderView;
}

export function createFolder(ctx: Ctx, { path }: z.infer<typeof folderInput>): Promise<FolderView> {
  return changeFolders(ctx, async ({ ctx: signed, tx, tree }) => {
    const names = segmentsOf(path);
    const parent = folderAt(tree, { path: pathTo(names.slice(0, -1)) }, 'No permissions to add folder');
    const name = plainName(names.at(-1) ?? '');
    refuseTaken(tree, parent, name, 'path');
    if (tree.all.length >= folderLimits.most) throw invalid({ field: 'path', code: 'folders_full' });
    const id = newId();
    const parentId = parent?.id ?? null;
    const ownerId = signed.person.id;
    await tx
      .insert(folders)
      .values({ id, ownerId, parentId, name, nameKey: nameKey(name), createdAt: ctx.clock.now() });
    return viewById(signed, tx, id);
  });
}

export function renameFolder(ctx: Ctx, { name, ...at }: z.infer<typeof renameFolderInput>): Promise<FolderView> {
  return changeFolders(ctx, async ({ ctx: signed, tx, tree }) => {
    const folder = own(tree, at, 'No permissions to rename');
    refuseTaken(tree, tree.byId(folder.parentId) ?? null, name, 'name', folder);
    await tx
      .update(folders)
      .set({ name, nameKey: nameKey(name) })
      .where(eq(folders.id, folder.id));
    return viewById(signed, tx, folder.id);
  });
}

export function moveFolder(ctx: Ctx, { dest, ...at }: z.infer<typeof moveFolderInput>): Promise<FolderView> {
  const refusal = 'No permissions to move';
  return changeFolders(ctx, async ({ ctx: signed, tx, tree }) => {
    const folder = own(tree, at, refusal);
    const parent = folderAt(tree, { path: dest }, refusal);
    if (parent && tree.below(folder).some(({ id }) => id === parent.id))
      throw invalid({ field: 'dest', code: 'inside_itself' });
    refuseTaken(tree, parent, folder.name, 'dest', folder);
    if (segmentsOf(dest).length + tree.height(folder) > folderLimits.depth)
      throw invalid({ field: 'dest', code: 'too_deep' });
    await tx
      .update(folders)
      .set({ parentId: parent?.id ?? null })
      .where(eq(folders.id, folder.id));
    return viewById(signed, tx, folder.id);
  });
}

/** With whatever lies in it, as if each had been deleted; for thirty days all of it comes back at once. */
export function deleteFolder(ctx: Ctx, at: FolderAt): Promise<z.infer<typeof deletedFolderView>> {
  return changeFolders(ctx, async ({ ctx: signed, tx, tree }) => {
    const folder = own(tree, at, 'No permissions to delete');
    const ids = tree.below(folder).map(({ id }) => id);
    const gone = { deletedAt: ctx.clock.now(), deletedWith: folder.id };
    await tx.update(folders).set(gone).where(inArray(folders.id, ids));
    const inside = and(
      eq(meetings.ownerId, signed.person.id),
      inArray(meetings.folderId, ids),
      isNull(meetings.deletedAt),
      // What is being added at this moment is not lost: it will stand at the top.
      sql`not exists (select 1 from intakes i where i.meeting_id = ${meetings.id} and i.state = 'created')`,
    );
    const working = await tx
      .select({ id: meetings.id })
      .from(meetings)
      .innerJoin(intakes, and(eq(intakes.meetingId, meetings.id), eq(intakes.state, 'processing')))
      .where(inside)
      .orderBy(meetings.id);
    for (const { id } of working) await dropIntake(ctx, tx, id, false);
    const taken = await tx.update(meetings).set(gone).where(inside).returning({ id: meetings.id });
    return { id: folder.id, meetings: taken.length, folders: ids.length - 1 };
  });
}

/** Back where it was; at the top where that is gone, too, and under another name where somebody has its own by now. */
export function restoreFolder(ctx: Ctx, { id }: { id: string }): Promise<FolderView> {
  return changeFolders(ctx, async ({ ctx: signed, tx, tree }) => {
    // Pressed twice.
    if (tree.byId(id)) return viewById(signed, tx, id);
    const since = oldestInTrash(ctx);
    const [kept] = await tx
      .select()
      .from(folders)
      .where(
        and(
          eq(folders.id, id),
          eq(folders.ownerId, signed.person.id),
          eq(folders.deletedWith, id),
          gte(folders.deletedAt, since),
        ),
      );
    if (!kept) throw new Problem('NO_ACCESS');
    const parent = await placeFor(tx, tree, kept);
    const taken = new Set(tree.children(parent).map((one) => one.nameKey));
    const name = freeName(kept.name, taken);
    const back = { deletedAt: null, deletedWith: null };
    await tx
      .update(folders)
      .set({ ...back, parentId: parent?.id ?? null, name, nameKey: nameKey(name) })
      .where(eq(folders.id, id));
    await tx.update(folders).set(back).where(eq(folders.deletedWith, id));
    await tx
      .update(meetings)
      .set(back)
      .where(and(eq(meetings.deletedWith, id), gte(meetings.deletedAt, since)));
    return viewById(signed, tx, id);
  });
}

/** Where it was may lie deeper by now than there is room for. */
async function placeFor(
  tx: Orm,
  tree: Tree,
  { id, parentId }: Pick<typeof folders.$inferSelect, 'id' | 'parentId'>,
): Promise<Folder | null> {
  const parent = tree.byId(parentId) ?? null;
  if (!parent) return null;
  const [{ height } = { height: 0 }] = await tx.execute<{ height: number }>(sql`
    with recursive down as (
      select id, 1 as height from folders where id = ${id}
      union all
      select f.id, d.height + 1 from folders f join down d on f.parent_id = d.id where f.deleted_with = ${id}
    ) select max(height)::int as height from down`);
  return parent.segments.length + height > folderLimits.depth ? null : parent;
}

function freeName(name: string, taken: ReadonlySet<string>): string {
  for (let n = 1; ; n += 1) {
    const tail = n === 1 ? '' : ` (${n})`;
    const tried = name.slice(0, folderLimits.name - tail.length).replace(/\p{Surrogate}$/u, '') + tail;
    if (!taken.has(nameKey(tried))) return tried;
  }
}

/** What was in them is cleared away by itself; what somebody brought back out of one lies at the top from now on. */
export async function sweepFolders(house: House): Promise<void> {
  await house.db.orm.delete(folders).where(lt(folders.deletedAt, oldestInTrash(house)));
}
