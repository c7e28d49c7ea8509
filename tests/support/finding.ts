import * as Y from 'yjs';
import { indexRoom, roomsBehind, type BehindRoom } from '#server/finding/indexing.ts';
import { updateProjection } from '#server/rooms/projection.ts';
import { writeAbout } from '#shared/meetings/about.ts';
import { seedState } from '#shared/meetings/seed.ts';
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

/** Creates a recording of these paragraphs, each as its words, of which one takes half a second. */
export async function makeTimed(
  house: SharedHouse,
  owner: Person,
  paragraphs: readonly (readonly string[])[],
  about: { title?: string; lang?: string; joint?: string } = {},
): Promise<string> {
  const { joint = ' ', ...rest } = about;
  const id = await makeMeeting(house, owner);
  const clock = paragraphs.map((_, s) => paragraphs.slice(0, s).reduce((sum, { length }) => sum + length, 0) / 2);
  const seed = seedState({
    about: rest,
    speakers: [{ id: 'a', name: 'Ann', color: 0, sortId: 0 }],
    segments: paragraphs.map((words, s) => ({
      id: `s${s}`,
      speaker: 'a',
      words: words.map((w, n) => ({ w, f: (clock[s] ?? 0) + n / 2, t: (clock[s] ?? 0) + n / 2 + 0.4 })),
      text: words.join(joint),
    })),
  });
  await house.house.rooms.change(id, 'transcript', by, (doc) => Y.applyUpdate(doc, seed));
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
