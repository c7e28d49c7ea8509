import { writeTags } from '#shared/meetings/about.ts';
import { indexAll } from './finding.ts';
import type { SharedHouse } from './house.ts';
import { makeMeeting } from './meetings.ts';
import type { Person } from './people.ts';

/** Creates a recording with these tags, and indexes it. */
export async function tagged(house: SharedHouse, owner: Person, tags: readonly string[]): Promise<string> {
  const id = await makeMeeting(house, owner);
  const by = { userId: null, origin: 'test' };
  await house.house.rooms.change(id, 'transcript', by, (doc) => writeTags(doc, tags, 'test'));
  await indexAll(house);
  return id;
}

export const tagsOf = async (person: Person, id: string): Promise<string[]> =>
  (await person.get(`/api/meetings/${id}`)).body.doc.tags;
