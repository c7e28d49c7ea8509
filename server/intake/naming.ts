import type * as Y from 'yjs';
import { readAbout, writeAbout, type About } from '#shared/meetings/about.ts';
import type { House } from '../context.ts';
import { updateProjection } from '../rooms/projection.ts';
import type { Intake } from './drafts.ts';

const inDocument = ({ documents }: Pick<House, 'documents'>, meetingId: string, write: (doc: Y.Doc) => void) =>
  documents.inRoom(meetingId, (room) => room.change({ userId: null, origin: 'seed' }, write));

/** Says in a document what is known of it; what somebody has said of it since it was added stays. */
export async function fillAbout(
  house: Pick<House, 'documents'>,
  { meetingId, title, lang }: Pick<Intake, 'meetingId' | 'title' | 'lang'>,
): Promise<void> {
  await inDocument(house, meetingId, (doc) => {
    const now = readAbout(doc);
    writeAbout(doc, { title: now.title || title, lang: now.lang || lang }, 'seed');
  });
}

/**
 * From the moment it is processed a recording is called in its document what it was added under, and is found by that;
 * `said` is what whoever has it processed has just said of it.
 */
export async function nameDocument(house: House, intake: Intake, said: Partial<About>): Promise<void> {
  const { meetingId } = intake;
  try {
    await inDocument(house, meetingId, (doc) => writeAbout(doc, said, 'seed'));
    await fillAbout(house, intake);
    await updateProjection(house, meetingId);
  } catch (error) {
    // It is paid for and under way: the job says it again before it writes.
    house.log.warn({ err: error, meeting: meetingId }, 'a recording could not be named in its document');
  }
}

/** What a recording is called by now. */
export async function titleOf({ documents, log }: House, { meetingId, title }: Intake): Promise<string> {
  try {
    return (await documents.read(meetingId, (doc) => readAbout(doc).title)) || title;
  } catch (error) {
    log.warn({ err: error, meeting: meetingId }, 'a recording is called what it was added under');
    return title;
  }
}
