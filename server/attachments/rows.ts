import { and, count, eq, isNull } from 'drizzle-orm';
import type { AccessById } from '#db/access.ts';
import { attachments } from '#db/schema/attachments.ts';
import { mostAttachments, mostOwnAttachments } from '#shared/attachments.ts';
import { invalid } from '#shared/problems.ts';
import type { House } from '../context.ts';

export type Attachment = typeof attachments.$inferSelect;

/** A recording, or one of its layers, whose attachments are apart. */
export type AttachmentPlace = Pick<AccessById, 'meetingId' | 'layerId'>;

/** Id that stands for the place in addresses. */
export const idOfPlace = ({ meetingId, layerId }: AttachmentPlace): string => layerId ?? meetingId;

export const inPlace = ({ meetingId, layerId }: AttachmentPlace) =>
  and(
    eq(attachments.meetingId, meetingId),
    layerId === null ? isNull(attachments.layerId) : eq(attachments.layerId, layerId),
  );

/**
 * Refuses a further attachment where there are too many; deleted ones do not count. In a layer each person has a limit of
 * their own alone, so that nobody learns by it of another.
 */
export async function checkRoom(
  { db: { orm } }: { db: Pick<House['db'], 'orm'> },
  place: AttachmentPlace,
  userId: string,
): Promise<void> {
  const here = and(inPlace(place), isNull(attachments.deletedAt));
  const number = async (which = here) =>
    (await orm.select({ number: count() }).from(attachments).where(which))[0]?.number ?? 0;
  if (place.layerId === null && (await number()) >= mostAttachments) throw invalid({ field: 'file', code: 'too_many' });
  const mine = and(here, eq(attachments.userId, userId));
  if ((await number(mine)) >= mostOwnAttachments) throw invalid({ field: 'file', code: 'too_many' });
}

export const find = async (
  { db: { orm } }: Pick<House, 'db'>,
  place: AttachmentPlace,
  id: string,
): Promise<Attachment | null> =>
  (
    await orm
      .select()
      .from(attachments)
      .where(and(inPlace(place), eq(attachments.id, id)))
  )[0] ?? null;
