import { eq } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { liveRecordings } from '#db/schema/recorder.ts';

/** Job that makes the file of a recording from the sound that a browser sent (server/recorder/assemble.ts). */
export const assembleJob = 'assemble';

/** Whether a meeting is recorded in a browser, so that its file is made by that job. */
export async function isRecordedLive(orm: Orm, meetingId: string): Promise<boolean> {
  const [row] = await orm
    .select({ id: liveRecordings.meetingId })
    .from(liveRecordings)
    .where(eq(liveRecordings.meetingId, meetingId));
  return row !== undefined;
}
