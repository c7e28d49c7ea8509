import type * as Y from 'yjs';
import { readAbout, writeAbout, type About } from '#shared/meetings/about.ts';
import type { House } from '../context.ts';
import { bringSet } from '../outcome-models/named.ts';
import { updateProjection } from '../rooms/projection.ts';
import type { Intake } from './drafts.ts';

const inDocument = ({ documents }: Pick<House, 'documents'>, meetingId: string, write: (doc: Y.Doc) => void) =>
  documents.inRoom(meetingId, (room) => room.change({ userId: null, origin: 'seed' }, write));

/** Writes title and language into a document unless a person has changed them since. */
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
 * Writes the title into the document when processing starts, for searches, and the set of outcome types that its owner
 * works with; `entered` has values the requesting person has just entered.
 */
export async function nameDocument(house: House, intake: Intake, entered: Partial<About>): Promise<void> {
  const { meetingId } = intake;
  try {
    await inDocument(house, meetingId, (doc) => writeAbout(doc, entered, 'seed'));
    await fillAbout(house, intake);
    await bringSet(house, intake);
    await updateProjection(house, meetingId);
  } catch (error) {
    // Processing has started, so the error is only logged: the job writes the title again before the transcript.
    house.log.warn({ err: error, meeting: meetingId }, 'a recording could not be named in its document');
  }
}

/** The current title of a recording. */
export async function titleOf({ documents, log }: House, { meetingId, title }: Intake): Promise<string> {
  try {
    return (await documents.read(meetingId, (doc) => readAbout(doc).title)) || title;
  } catch (error) {
    log.warn({ err: error, meeting: meetingId }, 'a recording is called what it was added under');
    return title;
  }
}
