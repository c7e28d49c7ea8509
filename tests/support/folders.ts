import { eq } from 'drizzle-orm';
import { folderAccess } from '#db/schema/library.ts';
import { meetings } from '#db/schema/meetings.ts';
import type { Permission } from '#shared/roles.ts';
import type { SharedHouse } from './house.ts';
import { makeMeeting } from './meetings.ts';
import type { Person } from './people.ts';

/** Creates folders for a person, parents first; returns their ids. */
export async function makeFolders(person: Person, ...paths: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const path of paths) {
    const { status, body, text } = await person.post('/api/folders', { path });
    if (status !== 200) throw new Error(`no folder: ${text}`);
    ids.push(body.id);
  }
  return ids;
}

/** Shares a folder with a person who already has an account, without sending a mail. */
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

/** Creates a person's recording in a folder, which may belong to another person. */
export async function meetingIn(house: SharedHouse, folderId: string | null, owner: Person): Promise<string> {
  const id = await makeMeeting(house, owner);
  await house.database.orm.update(meetings).set({ folderId }).where(eq(meetings.id, id));
  return id;
}
