import { and, eq, gte, inArray, isNull, lt, ne, sql } from 'drizzle-orm';
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
import { folderNeeds, folderLimits, nameKey, pathTo, plainName, rootPath, segmentsOf } from '#shared/library.ts';
import { invalid, Problem } from '#shared/problems.ts';
import { permissions, type Permission } from '#shared/roles.ts';
import { moneyTransaction } from '../billing/ledger.ts';
import { signedIn, type Ctx, type House, type Signed } from '../context.ts';
import { keepResult } from '../http/once.ts';
import { dropIntake } from '../intake/drafts.ts';
import { noteAction } from '../people/noted.ts';
import { oldestInTrash } from './trash.ts';
import { lockFolders, ownerOfFolder, placeFor } from '../folders/places.ts';
import {
  belowPlace,
  findPlace,
  grantedOn,
  idOf,
  readLibraries,
  type Libraries,
  type Place,
} from '../folders/libraries.ts';
import { readTree, type Folder, type Tree } from '../folders/tree.ts';

/** Number of recordings directly in each folder, without uploads that are not submitted yet. */
async function countMeetings(orm: Orm, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  // Looks up each row by its key (`offset 0` keeps the planner to that).
  const rows = await orm.execute<{ id: string; count: number }>(sql`
    select m.folder_id as id, count(*)::int as count from meetings m
    left join lateral (select state from intakes i where i.meeting_id = m.id offset 0) i on true
    where m.folder_id in ${ids} and m.deleted_at is null and coalesce(i.state, '') <> 'created'
    group by m.folder_id`);
  return new Map([...rows].map(({ id, count }) => [id, count]));
}

/** Folders as lists show them. */
export async function viewFolders(orm: Orm, { given }: Libraries, shown: readonly Place[]): Promise<FolderView[]> {
  const whole = shown.map((place) => ({ place, ids: belowPlace(place).flatMap((one) => idOf(one) ?? []) }));
  const ids = [...new Set(whole.flatMap((one) => one.ids))];
  if (ids.length === 0) return [];
  const counts = await countMeetings(orm, ids);
  return whole.map(({ place: { library, folder }, ids: [id = '', ...below] }) => ({
    id,
    name: folder?.name ?? library.name,
    path: folder?.path ?? rootPath,
    sid: library.sid ?? (given.has(id) ? id : null),
    owner: library.owner,
    permissions: permissions.filter((one) => library.held(folder).has(one)),
    named: folder === null && library.named,
    meetings: [id, ...below].reduce((sum, one) => sum + (counts.get(one) ?? 0), 0),
    folders: below.length,
  }));
}

/** All folders the person sees; the top of their own library is not one. */
export const placesIn = ({ own, shared }: Libraries): Place[] => [
  ...own.tree.all.map((folder) => ({ library: own, folder })),
  ...shared.flatMap((library) => belowPlace({ library, folder: null })),
];

export async function listFolders(ctx: Ctx): Promise<z.infer<typeof foldersAnswer>> {
  const { person } = signedIn(ctx);
  const libraries = await readLibraries(ctx.db.orm, person);
  return { folders: await viewFolders(ctx.db.orm, libraries, placesIn(libraries)) };
}

export async function breadcrumbs(ctx: Ctx, at: PlaceAt): Promise<z.infer<typeof breadcrumbsAnswer>> {
  const { person } = signedIn(ctx);
  const libraries = await readLibraries(ctx.db.orm, person);
  const place = findPlace(libraries, at);
  if (!place) throw new Problem('NO_ACCESS');
  const { library, folder } = place;
  const { sid, tree } = library;
  const names = folder?.segments ?? [];
  const above = names.map((_, i) => tree.at(pathTo(names.slice(0, i + 1))));
  return {
    breadcrumbs: [
      ...(sid === null ? [] : [{ name: library.name, path: rootPath, sid }]),
      ...above.flatMap((one) =>
        one ? [{ name: one.name, path: one.path, sid: sid ?? (libraries.given.has(one.id) ? one.id : null) }] : [],
      ),
    ],
  };
}

export interface Change {
  ctx: Signed;
  tx: Orm;
  libraries: Libraries;
  /** All folders of the owner, whether the person sees them or not. */
  tree: Tree;
  ownerId: string;
}

/**
 * Runs one change at a time on the folders of one owner, in all processes, so that checks still hold when the change is
 * written. The folder `sid` tells the owner.
 */
export async function changeFolders<T extends object | null>(
  ctx: Ctx,
  sid: string | null | undefined,
  work: (change: Change) => Promise<T>,
): Promise<T> {
  const signed = signedIn(ctx);
  // Deleting a folder stops work in it, and returns what is reserved for that.
  return moneyTransaction(ctx, async (tx) => {
    const ownerId = (await ownerOfFolder(tx, sid)) ?? signed.person.id;
    await lockFolders(tx, ownerId);
    const libraries = await readLibraries(tx, signed.person);
    const tree = ownerId === signed.person.id ? libraries.own.tree : await readTree(tx, ownerId);
    const result = await work({ ctx: signed, tx, libraries, tree, ownerId });
    await keepResult(ctx, tx, result);
    return result;
  });
}

/** The folder of a place; null is the top of the person's own library. */
const inTree = (tree: Tree, place: Place): Folder | null => tree.byId(idOf(place)) ?? null;

/** A folder to be changed itself: one of the person's own, or one within a folder shared with them. */
function folderFor({ libraries, tree }: Change, at: FolderAt, needs: Permission, refusal: string): Folder {
  const place = placeFor(libraries, at, needs, refusal);
  const folder = place.folder && inTree(tree, place);
  if (!folder) throw new Problem('NO_PERM', { message: refusal });
  return folder;
}

function refuseTaken(tree: Tree, parent: Folder | null, name: string, field: string, self?: Folder): void {
  const key = nameKey(name);
  if (tree.children(parent).some((one) => one.id !== self?.id && one.nameKey === key))
    throw invalid({ field, code: 'folder_taken' });
}

/** The folder after the change. */
async function viewById(ctx: Signed, tx: Orm, id: string): Promise<FolderView> {
  const libraries = await readLibraries(tx, ctx.person);
  const place = libraries.byId(id);
  if (!place) throw new Problem('NO_ACCESS');
  const [view] = await viewFolders(tx, libraries, [place]);
  return view as FolderView;
}

export function createFolder(ctx: Ctx, { path, sid }: z.infer<typeof folderInput>): Promise<FolderView> {
  return changeFolders(ctx, sid, async ({ ctx: signed, tx, libraries, tree, ownerId }) => {
    const names = segmentsOf(path);
    const above = { path: pathTo(names.slice(0, -1)), sid };
    const parent = inTree(tree, placeFor(libraries, above, folderNeeds.add, 'No permissions to add folder'));
    const name = plainName(names.at(-1) ?? '');
    refuseTaken(tree, parent, name, 'path');
    if ((parent?.segments.length ?? 0) >= folderLimits.depth) throw invalid({ field: 'path', code: 'too_deep' });
    if (tree.all.length >= folderLimits.most) throw invalid({ field: 'path', code: 'folders_full' });
    const id = newId();
    const parentId = parent?.id ?? null;
    await tx
      .insert(folders)
      .values({ id, ownerId, parentId, name, nameKey: nameKey(name), createdAt: ctx.clock.now() });
    return viewById(signed, tx, id);
  });
}

export function renameFolder(ctx: Ctx, { name, ...at }: z.infer<typeof renameFolderInput>): Promise<FolderView> {
  return changeFolders(ctx, at.sid, async (change) => {
    const { ctx: signed, tx } = change;
    const folder = folderFor(change, at, folderNeeds.rename, 'No permissions to rename');
    await renameIn(change, folder, name);
    const names = { before: folder.name, after: name };
    if (folder.name !== name)
      await noteAction(signed, tx, { kind: 'folder_rename', what: names, changes: [{ folder: folder.id, ...names }] });
    return viewById(signed, tx, folder.id);
  });
}

export async function renameIn({ tx, tree }: Change, folder: Folder, name: string): Promise<void> {
  refuseTaken(tree, tree.byId(folder.parentId) ?? null, name, 'name', folder);
  await tx
    .update(folders)
    .set({ name, nameKey: nameKey(name) })
    .where(eq(folders.id, folder.id));
}

/** Moves a folder within one library, so that the owner of a shared folder keeps its contents. */
export function moveFolder(ctx: Ctx, { dest, ...at }: z.infer<typeof moveFolderInput>): Promise<FolderView> {
  const refusal = 'No permissions to move';
  return changeFolders(ctx, at.sid, async (change) => {
    const { ctx: signed, tx, libraries, ownerId } = change;
    const folder = folderFor(change, at, folderNeeds.move, refusal);
    const sid = ownerId === signed.person.id ? null : at.sid;
    const to = placeFor(libraries, { path: dest, sid }, folderNeeds.add, refusal);
    const after = idOf(to);
    await moveIn(change, folder, to);
    if (folder.parentId !== after)
      await noteAction(signed, tx, {
        kind: 'folder_move',
        what: { name: folder.name },
        changes: [{ folder: folder.id, before: folder.parentId, after }],
      });
    return viewById(signed, tx, folder.id);
  });
}

export async function moveIn({ tx, tree }: Change, folder: Folder, to: Place): Promise<void> {
  const parent = inTree(tree, to);
  if (parent && tree.below(folder).some(({ id }) => id === parent.id))
    throw invalid({ field: 'dest', code: 'inside_itself' });
  refuseTaken(tree, parent, folder.name, 'dest', folder);
  if ((parent?.segments.length ?? 0) + tree.height(folder) > folderLimits.depth)
    throw invalid({ field: 'dest', code: 'too_deep' });
  await tx
    .update(folders)
    .set({ parentId: parent?.id ?? null })
    .where(eq(folders.id, folder.id));
}

/**
 * Deletes a folder with its contents; for thirty days it can be restored as a whole. Recordings of other people return
 * to the top of their own libraries.
 */
export function deleteFolder(ctx: Ctx, at: FolderAt): Promise<z.infer<typeof deletedFolderView>> {
  return changeFolders(ctx, at.sid, async (change) => {
    const { ctx: signed, tx, tree, ownerId } = change;
    const folder = folderFor(change, at, folderNeeds.delete, 'No permissions to delete');
    const ids = tree.below(folder).map(({ id }) => id);
    const deletion = { deletedAt: ctx.clock.now(), deletedWith: folder.id };
    await tx.update(folders).set(deletion).where(inArray(folders.id, ids));
    await tx
      .update(meetings)
      .set({ folderId: null })
      .where(and(inArray(meetings.folderId, ids), ne(meetings.ownerId, ownerId)));
    const inside = and(
      eq(meetings.ownerId, ownerId),
      inArray(meetings.folderId, ids),
      isNull(meetings.deletedAt),
      // Uploads in progress are not deleted; they will appear at the top.
      sql`not exists (select 1 from intakes i where i.meeting_id = ${meetings.id} and i.state = 'created')`,
    );
    const working = await tx
      .select({ id: meetings.id })
      .from(meetings)
      .innerJoin(intakes, and(eq(intakes.meetingId, meetings.id), eq(intakes.state, 'processing')))
      .where(inside)
      .orderBy(meetings.id);
    for (const { id } of working) await dropIntake(ctx, tx, id, false);
    const taken = await tx.update(meetings).set(deletion).where(inside).returning({ id: meetings.id });
    await noteAction(signed, tx, {
      kind: 'folder_delete',
      what: { name: folder.name, recordings: taken.length },
      changes: [{ folder: folder.id, before: folder.parentId, after: null }],
    });
    return { id: folder.id, meetings: taken.length, folders: ids.length - 1 };
  });
}

/** Restores a folder to its place; to the top if that place is gone, and under another name if its name is taken. */
export function restoreFolder(ctx: Ctx, { id }: { id: string }): Promise<FolderView> {
  return changeFolders(ctx, id, async (change) => {
    // Already restored, by a repeated click.
    if (!change.libraries.byId(id)) await restoreIn(change, id);
    return viewById(change.ctx, change.tx, id);
  });
}

export async function restoreIn({ ctx: signed, tx, libraries, tree, ownerId }: Change, id: string): Promise<void> {
  const since = oldestInTrash(signed);
  const [row] = await tx
    .select()
    .from(folders)
    .where(
      and(eq(folders.id, id), eq(folders.ownerId, ownerId), eq(folders.deletedWith, id), gte(folders.deletedAt, since)),
    );
  // Other people's folders are restored by those who see the place and could delete there.
  const formerPlace = row?.parentId ? libraries.byId(row.parentId) : undefined;
  const { person } = signed;
  const mine =
    ownerId === person.id ||
    formerPlace?.library.held(formerPlace.folder).has(folderNeeds.delete) ||
    (formerPlace && (await grantedOn(tx, person, id)).has(folderNeeds.delete));
  if (!row || !mine) throw new Problem('NO_ACCESS');
  const parent = await parentFor(tx, tree, row);
  const taken = new Set(tree.children(parent).map((one) => one.nameKey));
  const name = freeName(row.name, taken);
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
}

/** The former parent, or null if it is gone or has become too deep to hold the folder. */
async function parentFor(
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

/**
 * Deletes folders whose days in the trash are over. Their deleted contents are cleared by other steps; contents
 * restored from them are at the top from now on.
 */
export async function sweepFolders(house: House): Promise<void> {
  await house.db.orm.delete(folders).where(lt(folders.deletedAt, oldestInTrash(house)));
}
