import { and, eq, isNull, sql } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { folders } from '#db/schema/library.ts';
import type { PlaceAt } from '#shared/folders.ts';
import { folderNeeds } from '#shared/library.ts';
import { invalid, Problem } from '#shared/problems.ts';
import type { Permission } from '#shared/roles.ts';
import {
  folderGrantOf,
  type FolderAclInput,
  type FolderSharingView,
  type PaidFolderInput,
  type PaidShareView,
  type SharedAnswer,
} from '#shared/sharing.ts';
import { revokeInvitations } from '../people/invitations.ts';
import { signedIn, transaction, type Ctx, type Signed } from '../context.ts';
import { keepResult } from '../http/once.ts';
import { lockFolders, ownerOfFolder } from '../folders/places.ts';
import { findPlace, idOf, readLibraries, type Place } from '../folders/libraries.ts';
import { aclOf } from './acl.ts';
import type { Held, Target } from './change.ts';
import { inheritedBy } from './inherited.ts';
import { noteShare } from './noted-share.ts';
import { payForFolder, sharingCost } from './paid-share.ts';
import { dropRow, rowsOf } from './rows.ts';
import { shareWith } from './share.ts';

const refusal = 'No permissions to share';

interface Found {
  id: string;
  place: Place;
  held: ReadonlySet<Permission>;
}

/** A folder the person sees; others are refused as if they did not exist. */
async function find(ctx: Signed, at: PlaceAt): Promise<Found> {
  const place = findPlace(await readLibraries(ctx.db.orm, ctx.person), at);
  if (!place) throw new Problem('NO_ACCESS');
  const id = idOf(place);
  // The library itself cannot be shared, only folders.
  if (id === null) throw invalid({ field: 'path', code: 'required' });
  return { id, place, held: place.library.held(place.folder) };
}

async function findOwn(ctx: Signed, at: PlaceAt): Promise<Found> {
  const found = await find(ctx, at);
  if (!found.held.has(folderNeeds.share)) throw new Problem('NO_PERM', { message: refusal });
  return found;
}

/** Everything that the sharing dialog shows. */
export async function viewFolderSharing(ctx: Ctx, at: PlaceAt): Promise<FolderSharingView> {
  const signed = signedIn(ctx);
  const { orm } = ctx.db;
  const { id, place } = await findOwn(signed, at);
  // The version is read first, so that changes during the other reads are detected when the dialog saves.
  const [folder] = await orm
    .select({ version: folders.aclVersion, parentId: folders.parentId })
    .from(folders)
    .where(eq(folders.id, id));
  if (!folder) throw new Problem('NO_ACCESS');
  const { owner } = place.library;
  const inherited = await inheritedBy(signed, orm, folder.parentId, owner.id);
  const entries = await aclOf(orm, { kind: 'folder', id });
  return { acl: { entries }, version: folder.version, owner, inherited, sharingCost: await sharingCost(ctx, orm, id) };
}

/** Replaces the list of people and groups with permissions on a folder and its contents. */
export async function shareFolder(ctx: Ctx, { path, sid, ...list }: FolderAclInput): Promise<SharedAnswer> {
  const { id, held } = await findOwn(signedIn(ctx), { path, sid });
  return shareWith(ctx, targetOf(id), held, list);
}

/** Pays for sharing a folder; the list of people is saved by its own call. */
export async function payForSharedFolder(ctx: Ctx, { path, sid, cost }: PaidFolderInput): Promise<PaidShareView> {
  const { id } = await findOwn(signedIn(ctx), { path, sid });
  return payForFolder(ctx, { id, cost });
}

/** A folder that the person may share, by its id. */
export async function sharableFolder(
  ctx: Ctx,
  id: string,
): Promise<{ target: Target; granted: ReadonlySet<Permission> }> {
  const place = (await readLibraries(ctx.db.orm, signedIn(ctx).person)).byId(id);
  if (!place) throw new Problem('NO_ACCESS');
  const granted = place.library.held(place.folder);
  if (!granted.has(folderNeeds.share)) throw new Problem('NO_PERM', { message: refusal });
  return { target: targetOf(id), granted };
}

const targetOf = (id: string): Target => ({
  kind: 'folder',
  id,
  grantOf: folderGrantOf,
  hold: async (ctx, tx) => {
    const held = await hold(ctx, tx, id);
    const place = (await readLibraries(tx, ctx.person)).byId(id);
    if (!place?.library.held(place.folder).has(folderNeeds.share)) throw new Problem('NO_PERM', { message: refusal });
    return held;
  },
  raise: (_, tx) => raise(tx, id),
});

/** Locks the folders of the owner, so that checks still hold when the change is written. */
async function hold({ person }: Signed, tx: Orm, id: string): Promise<Held> {
  await lockFolders(tx, (await ownerOfFolder(tx, id)) ?? person.id);
  const [folder] = await tx
    .select({ ownerId: folders.ownerId, aclVersion: folders.aclVersion })
    .from(folders)
    .where(and(eq(folders.id, id), isNull(folders.deletedAt)))
    .for('update');
  if (!folder) throw new Problem('NO_ACCESS');
  return { ...folder, version: folder.aclVersion, rows: await rowsOf(tx, { kind: 'folder', id }) };
}

async function raise(tx: Orm, id: string): Promise<number> {
  const [folder] = await tx
    .update(folders)
    .set({ aclVersion: sql`${folders.aclVersion} + 1` })
    .where(eq(folders.id, id))
    .returning({ version: folders.aclVersion });
  return folder?.version ?? 0;
}

/**
 * The owner ends all sharing of the folder, and can undo that; another named person leaves it, and keeps what they put
 * there.
 */
export async function unshareFolder(ctx: Ctx, at: PlaceAt): Promise<void> {
  const signed = signedIn(ctx);
  const { person } = signed;
  const { id } = await find(signed, at);
  await transaction(ctx, async (tx) => {
    const { ownerId, rows } = await hold(signed, tx, id);
    const address = person.confirmed ? person.emailKey : '';
    const mine = rows.filter(
      ({ kind, principalId }) =>
        ownerId === person.id ||
        (kind === 'user' && principalId === person.id) ||
        (kind === 'pending' && principalId === address),
    );
    // People with access through a group or a parent folder leave that instead.
    if (ownerId !== person.id && mine.length === 0)
      throw new Problem('NO_PERM', { message: 'No permissions to leave this folder' });
    for (const row of mine) {
      await dropRow(tx, { kind: 'folder', id }, row);
      if (row.kind === 'pending' || row.kind === 'declined')
        await revokeInvitations(ctx, tx, { kind: 'folder', targetId: id, email: row.principalId });
    }
    if (mine.length > 0) await raise(tx, id);
    // Leaving cannot be undone: the folder is no longer the person's to share.
    if (ownerId === person.id && mine.length > 0)
      await noteShare(signed, tx, { kind: 'folder', id }, { before: rows, after: [], history: null });
    await keepResult(ctx, tx, null);
  });
}
