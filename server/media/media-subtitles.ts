import type { Ctx } from '../context.ts';
import { accessById } from '../rooms/access.ts';
import type { State } from '../rooms/documents.ts';
import { askerOf } from '../rooms/whole-documents.ts';

export const subtitlesPath = (id: string): string => `/api/meetings/${id}/vtt`;

const etagOf = ({ version, seq }: State): string => `"vtt-${version}-${seq}"`;

/** Subtitles from the stored transcript; null if the caller has this version. */
export async function subtitlesOf(
  ctx: Ctx,
  { id, knows }: { id: string; knows: (etag: string) => boolean },
): Promise<{ etag: string; text: Uint8Array<ArrayBuffer> | null }> {
  const { meetingId } = await accessById(ctx, 'GET /api/meetings/:id/vtt', id);
  const known = await ctx.documents.state(meetingId);
  if (known && knows(etagOf(known))) return { etag: etagOf(known), text: null };
  const { state, answer } = await ctx.documents.answer(meetingId, askerOf(ctx), 'subtitles');
  return { etag: etagOf(state), text: answer };
}
