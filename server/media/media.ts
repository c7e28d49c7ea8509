import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { and, asc, eq, max, ne } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { media } from '#db/schema/media.ts';
import { newId } from '#shared/ids.ts';
import { Problem } from '#shared/problems.ts';
import { trackTag, type MediaTag } from '#shared/meetings/media.ts';
import type { Ctx, House } from '../context.ts';
import type { ByteRange } from '../outside/store.ts';
import { accessById } from '../rooms/access.ts';

export type Medium = Omit<typeof media.$inferSelect, 'tag'> & { tag: MediaTag };

interface NewMedium {
  tag: MediaTag;
  name: string;
  type: string;
  durationMs: number | null;
}

/** Stores the bytes before the row, so that every listed recording can be played. */
export async function addMedium(house: House, meetingId: string, given: NewMedium, content: Readable): Promise<Medium> {
  const storeKey = newId();
  const { bytes } = await house.store.put(storeKey, content);
  try {
    const [row] = await house.db.orm
      .insert(media)
      .values({ id: newId(), meetingId, ...given, bytes, storeKey, createdAt: house.clock.now() })
      .returning();
    if (!row) throw new Error('the medium could not be stored');
    return row as Medium;
  } catch (error) {
    await house.store.remove(storeKey);
    throw error;
  }
}

export const addMediumFile = (house: House, meetingId: string, given: NewMedium, path: string): Promise<Medium> =>
  addMedium(house, meetingId, given, createReadStream(path));

/** Media of a meeting, without the tracks its sound was mixed from. */
export async function mediaOf(house: House, meetingId: string): Promise<Medium[]> {
  const rows = await house.db.orm
    .select()
    .from(media)
    .where(and(eq(media.meetingId, meetingId), shown))
    .orderBy(asc(media.createdAt), asc(media.id));
  return rows as Medium[];
}

const shown = ne(media.tag, trackTag);

/** Duration of the recording in milliseconds, if known. */
export function lengthOf(media: readonly Pick<Medium, 'durationMs'>[]): number | undefined {
  const lengths = media.flatMap(({ durationMs }) => durationMs ?? []);
  return lengths.length > 0 ? Math.max(...lengths) : undefined;
}

/** The same, read in a transaction; null if unknown. */
export async function lengthIn(tx: Orm, meetingId: string): Promise<number | null> {
  const [row] = await tx
    .select({ ms: max(media.durationMs) })
    .from(media)
    .where(and(eq(media.meetingId, meetingId), shown));
  return row?.ms ?? null;
}

/** Opens a recording; the permission is checked again for each requested range. */
export async function openMedium(ctx: Ctx, { id, mediaId }: { id: string; mediaId: string }): Promise<Medium> {
  const { meetingId } = await accessById(ctx, 'GET /api/meetings/:id/media/:mediaId', id);
  const [row] = await ctx.db.orm
    .select()
    .from(media)
    .where(and(eq(media.meetingId, meetingId), eq(media.id, mediaId), shown));
  if (!row) throw new Problem('NOT_FOUND');
  return row as Medium;
}

/**
 * Parses a range of bytes; null for an unsupported header, which is answered with the whole file; false beyond the end.
 */
export function readRange(header: string | undefined, size: number): ByteRange | null | false {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec((header ?? '').trim());
  if (!match) return null;
  const [, first = '', last = ''] = match;
  if (first === '' && last === '') return null;
  if (first === '') {
    const length = Number(last);
    return length === 0 || size === 0 ? false : { from: Math.max(0, size - length), to: size - 1 };
  }
  const from = Number(first);
  const to = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < from) return null;
  return from >= size ? false : { from, to };
}
