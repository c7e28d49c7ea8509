import { eq, sql } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { folders } from '#db/schema/library.ts';
import type { PlaceAt } from '#shared/folders.ts';
import { Problem } from '#shared/problems.ts';
import type { Permission } from '#shared/roles.ts';
import { findPlace, type Libraries, type Place } from './libraries.ts';

export const lockFolders = (tx: Orm, ownerId: string) =>
  tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`folders of ${ownerId}`}, 0))`);

/** Id of a folder's owner; undefined for a person's own library. */
export async function ownerOfFolder(tx: Orm, id: string | null | undefined): Promise<string | undefined> {
  if (!id) return undefined;
  const [folder] = await tx.select({ ownerId: folders.ownerId }).from(folders).where(eq(folders.id, id));
  return folder?.ownerId;
}

/** A place where the person has this permission; the refusal is the same whether it is missing or forbidden. */
export function placeFor(libraries: Libraries, at: PlaceAt, needs: Permission, refusal: string): Place {
  const place = findPlace(libraries, at);
  if (!place?.library.held(place.folder).has(needs)) throw new Problem('NO_PERM', { message: refusal });
  return place;
}
