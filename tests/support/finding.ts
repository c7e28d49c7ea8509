import { indexRoom, roomsBehind, type BehindRoom } from '#server/finding/indexing.ts';
import { updateProjection } from '#server/rooms/projection.ts';
import { writeAbout } from '#shared/meetings/about.ts';
import { textOf } from '#shared/meetings/transcript.ts';
import type { SharedHouse, TestHouse } from './house.ts';
import { makeMeeting } from './meetings.ts';
import type { Person } from './people.ts';

const by = { userId: null, origin: 'test' };

/** Creates a recording of these paragraphs. */
export async function makeSaid(
  house: SharedHouse,
  owner: Person,
  said: readonly string[],
  about: { title?: string; lang?: string } = {},
): Promise<string> {
  const id = await makeMeeting(house, owner);
  await house.house.rooms.change(id, 'transcript', by, (doc) => {
    writeAbout(doc, about, 'test');
    for (const [nth, text] of said.entries()) {
      textOf(doc).insertEmbed(textOf(doc).length, { s: `s${nth}`, p: 'a' });
      textOf(doc).insert(textOf(doc).length, text);
    }
  });
  await updateProjection(house.house, id);
  return id;
}

/** Indexes at once what would be indexed seconds later. */
export async function indexAll({ house }: Pick<TestHouse, 'house'>): Promise<void> {
  for (let after: BehindRoom | null | undefined = null; after !== undefined;) {
    const behind: BehindRoom[] = await roomsBehind(house.db.sql, null, after);
    for (const room of behind) await indexRoom(house, room);
    after = behind.at(-1);
  }
}
