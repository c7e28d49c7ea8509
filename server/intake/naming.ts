import { readAbout, writeAbout } from '#shared/meetings/about.ts';
import type { House } from '../context.ts';
import type { Intake } from './drafts.ts';

/** Says in a document what is known of it; what somebody has said of it since it was added stays. */
export async function fillAbout(
  { documents }: Pick<House, 'documents'>,
  { meetingId, title, lang }: Pick<Intake, 'meetingId' | 'title' | 'lang'>,
): Promise<void> {
  await documents.inRoom(meetingId, (room) =>
    room.change({ userId: null, origin: 'seed' }, (doc) => {
      const now = readAbout(doc);
      writeAbout(doc, { title: now.title || title, lang: now.lang || lang }, 'seed');
    }),
  );
}
