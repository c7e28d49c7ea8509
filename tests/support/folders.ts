import { eq } from 'drizzle-orm';
import { folderAccess } from '#db/schema/library.ts';
import { meetings } from '#db/schema/meetings.ts';
import type { Permission } from '#shared/roles.ts';
import type { SharedHouse } from './house.ts';
import { makeMeeting } from './meetings.ts';
import type { Person } from './people.ts';

/** Folders of somebody's, the ones above first; answers the ids. */
export async function makeFolders(person: Person, ...paths: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const path of paths) {
    const { status, body, text } = await person.post('/api/folders', { path });
    if (status !== 200) throw new Error(`no folder: ${text}`);
    ids.push(body.id);
  }
  return ids;
}

/** Lets somebody in who has come before, without a word to them. */
export async function giveFolder(
  house: SharedHouse,
  folderId: string,
  person: Person,
  permissions: readonly Permission[],
): Promise<void> {
  const named = { permissions: [...permissions], seenAt: new Date() };
  await house.database.orm
    .insert(folderAccess)
    .values({ folderId, kind: 'user', principalId: person.id, ...named })
    .onConflictDoUpdate({ target: [folderAccess.folderId, folderAccess.kind, folderAccess.principalId], set: named });
}

/** A recording of somebody's that lies in a folder, whoever that belongs to. */
export async function meetingIn(house: SharedHouse, folderId: string | null, owner: Person): Promise<string> {
  const id = await makeMeeting(house, owner);
  await house.database.orm.update(meetings).set({ folderId }).where(eq(meetings.id, id));
  return id;
}
