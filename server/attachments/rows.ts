import { and, count, eq, isNull } from 'drizzle-orm';
import { attachments } from '#db/schema/attachments.ts';
import { mostAttachments, mostOwnAttachments } from '#shared/attachments.ts';
import { invalid } from '#shared/problems.ts';
import type { House } from '../context.ts';

export type Attachment = typeof attachments.$inferSelect;

/** Refuses a further attachment where there are too many; deleted ones do not count. */
export async function checkRoom({ db: { orm } }: { db: Pick<House['db'], 'orm'> }, meetingId: string, userId: string) {
  const ofMeeting = and(eq(attachments.meetingId, meetingId), isNull(attachments.deletedAt));
  const number = async (which = ofMeeting) =>
    (await orm.select({ number: count() }).from(attachments).where(which))[0]?.number ?? 0;
  if ((await number()) >= mostAttachments) throw invalid({ field: 'file', code: 'too_many' });
  const mine = and(ofMeeting, eq(attachments.userId, userId));
  if ((await number(mine)) >= mostOwnAttachments) throw invalid({ field: 'file', code: 'too_many' });
}

export const find = async (
  { db: { orm } }: Pick<House, 'db'>,
  meetingId: string,
  id: string,
): Promise<Attachment | null> =>
  (
    await orm
      .select()
      .from(attachments)
      .where(and(eq(attachments.meetingId, meetingId), eq(attachments.id, id)))
  )[0] ?? null;
