import { eq, sql } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { users } from '#db/schema/accounts.ts';
import { folderNeeds, rootPath } from '#shared/library.ts';
import { permissions } from '#shared/roles.ts';
import type { InheritedEntry } from '#shared/sharing.ts';
import { readLibraries, type Libraries } from '../folders/libraries.ts';
import type { Signed } from '../context.ts';
import { aclOf } from './acl.ts';

/**
 * Everybody with permissions through a folder: `folderId` itself, or one above it. Owners and sharers of its contents
 * see all of these people; addresses, and names of folders they do not see, are shown only to those who can share these
 * folders.
 */
export async function inheritedBy(
  ctx: Signed,
  tx: Orm,
  folderId: string | null,
  /** Owner of the contents. */
  ownerId: string,
): Promise<InheritedEntry[]> {
  if (folderId === null) return [];
  const above = await tx.execute<{ id: string; owner_id: string }>(
    sql`select id, owner_id from folders_above(${folderId})`,
  );
  if (above.length === 0) return [];
  const libraries = await readLibraries(tx, ctx.person);
  const all: InheritedEntry[] = [];
  const [{ owner_id: folderOwner } = { owner_id: ownerId }] = above;
  if (folderOwner !== ownerId) {
    const { id, firstName, lastName } = users;
    const [maker] = await tx.select({ id, firstName, lastName }).from(users).where(eq(users.id, folderOwner));
    if (maker)
      all.push({
        principal: {
          id: maker.id,
          kind: 'user',
          email: null,
          first_name: maker.firstName,
          last_name: maker.lastName,
          name: '',
        },
        permissions: [...permissions],
        folder: folderOf(libraries, folderId),
        owner: true,
      });
  }
  for (const { id } of above) {
    const place = libraries.byId(id);
    const tells = place?.library.held(place.folder).has(folderNeeds.share) ?? false;
    for (const entry of await aclOf(tx, { kind: 'folder', id })) {
      const { principal, declined } = entry;
      // People who declined are shown only to those who change the folder's own list.
      if (declined) continue;
      const shown = tells ? principal : { ...principal, email: null };
      all.push({ ...entry, principal: shown, folder: folderOf(libraries, id), owner: false });
    }
  }
  return all;
}

/** Null for a folder the person does not see. */
function folderOf({ byId }: Libraries, id: string): InheritedEntry['folder'] {
  const place = byId(id);
  if (!place) return null;
  const { library, folder } = place;
  return { name: folder?.name ?? library.name, path: folder?.path ?? rootPath, sid: library.sid };
}
