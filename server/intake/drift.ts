import { noteDrift } from '#shared/meetings/drift.ts';
import { peaksView } from '#shared/meetings/media.ts';
import type { House } from '../context.ts';
import { driftOf } from '../rooms/whole-works.ts';

/**
 * Records in the document that times of words do not match the sound, if that is so; `storeKey` is the waveform's key.
 */
export async function lookForDrift(house: House, meetingId: string, storeKey: string | undefined): Promise<void> {
  if (storeKey === undefined) return;
  const pieces: Buffer[] = [];
  for await (const piece of (await house.store.read(storeKey)) as AsyncIterable<Buffer>) pieces.push(piece);
  const peaks = peaksView.parse(JSON.parse(Buffer.concat(pieces).toString()));
  const long = await house.documents.long(meetingId);
  const drift = long
    ? await house.wholes.do('drift', long.pieces, peaks)
    : await house.documents.read(meetingId, (doc) => driftOf(doc, peaks));
  if (!drift) return;
  house.log.info({ meeting: meetingId, ...drift }, 'text and sound lie apart');
  await house.rooms.change(meetingId, 'transcript', { userId: null, origin: 'seed' }, (doc) =>
    noteDrift(doc, drift, 'seed'),
  );
}
