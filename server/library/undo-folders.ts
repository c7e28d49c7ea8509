import { and, inArray, isNull, sql } from 'drizzle-orm';
import { meetings } from '#db/schema/meetings.ts';
import type { FailedRecording, Undone, UndoneAnswer } from '#shared/actions.ts';
import { folderNeeds } from '#shared/library.ts';
import { Problem } from '#shared/problems.ts';
import type { Permission } from '#shared/roles.ts';
import type { Ctx } from '../context.ts';
import { idOf, type Libraries, type Place } from '../folders/libraries.ts';
import type { Folder } from '../folders/tree.ts';
import { accessToMany } from '../rooms/access.ts';
import { changeFolders, moveIn, renameIn, restoreIn, type Change } from './folders.ts';
import { moveTo } from './many.ts';
import { noteUndone, type FolderChange, type MoveChange } from '../people/noted.ts';

// Undoing moves and changes of folders: the ordinary change with what was before, by the rights of today.

const changed = (): Problem => new Problem('CONFLICT');

/** A folder by its id, or the top of the person's own library; undefined where they see no such folder now. */
const placeOf = ({ own, byId }: Libraries, id: string | null): Place | undefined =>
  id === null ? { library: own, folder: null } : byId(id);

function permitted({ libraries }: Change, id: string | null, needs: Permission): Place {
  const place = placeOf(libraries, id);
  if (!place) throw changed();
  if (!place.library.held(place.folder).has(needs)) throw new Problem('NO_PERM');
  return place;
}

/** Moves recordings back that are still where the action put them. */
export async function undoMove(ctx: Ctx, id: string, changes: readonly MoveChange[]): Promise<Undone> {
  const { allowed, failed: refused } = await accessToMany(
    ctx,
    'POST /api/meetings/move',
    changes.map(({ meeting }) => meeting),
  );
  const failed: FailedRecording[] = refused.map((one) => ({ recording: one.id, places: 1, code: one.code }));
  const byFolder = new Map<string | null, MoveChange[]>();
  for (const one of changes)
    if (allowed.includes(one.meeting)) byFolder.set(one.from, [...(byFolder.get(one.from) ?? []), one]);
  let undone = 0;
  for (const [from, some] of byFolder) {
    const done = await changeBack(ctx, from, async (change) => {
      const to = permitted(change, from, folderNeeds.add);
      const still = await change.tx
        .select({ id: meetings.id })
        .from(meetings)
        .where(
          and(
            isNull(meetings.deletedAt),
            inArray(
              meetings.id,
              some.map(({ meeting }) => meeting),
            ),
            sql`${meetings.folderId} is not distinct from ${some[0]?.to ?? null}`,
          ),
        );
      const moved = await moveTo(
        change,
        still.map((one) => one.id),
        to,
      );
      const ids = moved.map(({ meeting }) => meeting);
      if (ids.length > 0) await noteUndone(change.ctx, change.tx, id, ids);
      return ids;
    });
    undone += done.ids.length;
    for (const { meeting } of some)
      if (!done.ids.includes(meeting)) failed.push({ recording: meeting, places: 1, code: done.code });
  }
  return { undone, failed };
}

type Reason = FailedRecording['code'];

/** One transaction of an undo; a refusal is its result, so that others can still be undone. */
async function changeBack(
  ctx: Ctx,
  folderId: string | null,
  work: (change: Change) => Promise<string[]>,
): Promise<{ ids: string[]; code: Reason }> {
  try {
    // The answer of the request is stored by its route, as there may be several changes.
    const { once: _, ...rest } = ctx;
    return { ids: await changeFolders(rest, folderId, work), code: 'CONFLICT' };
  } catch (error) {
    if (error instanceof Problem && (error.code === 'NO_PERM' || error.code === 'CONFLICT'))
      return { ids: [], code: error.code };
    throw error;
  }
}

type FolderKind = 'folder_rename' | 'folder_move' | 'folder_delete';

/** Gives a folder its name or place back, or restores it. */
export async function undoFolder(
  ctx: Ctx,
  id: string,
  kind: FolderKind,
  changes: readonly FolderChange[],
): Promise<UndoneAnswer> {
  const [one] = changes;
  if (!one) throw changed();
  return changeFolders(ctx, one.folder, async (change) => {
    await asFree(() => (kind === 'folder_delete' ? restore(change, one) : changeFolder(change, kind, one)));
    await noteUndone(change.ctx, change.tx, id, [one.folder]);
    return { undone: 1, failed: [], next: null };
  });
}

async function restore(change: Change, { folder }: FolderChange): Promise<void> {
  if (change.libraries.byId(folder)) throw changed();
  await restoreIn(change, folder);
}

async function changeFolder(
  change: Change,
  kind: FolderKind,
  { folder: id, before, after }: FolderChange,
): Promise<void> {
  const folder: Folder | undefined = change.tree.byId(id);
  if (!folder || (kind === 'folder_rename' ? folder.name : folder.parentId) !== after) throw changed();
  if (kind === 'folder_rename') {
    permitted(change, id, folderNeeds.rename);
    await renameIn(change, folder, before ?? '');
    return;
  }
  permitted(change, id, folderNeeds.move);
  const to = permitted(change, before, folderNeeds.add);
  if (idOf(to) !== before) throw changed();
  await moveIn(change, folder, to);
}

/** The name or place of before is taken by now: it is no longer as the action left it. */
async function asFree(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw error instanceof Problem && error.code === 'INVALID' ? new Problem('CONFLICT', { cause: error }) : error;
  }
}
