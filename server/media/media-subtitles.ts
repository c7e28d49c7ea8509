import { spokenDocument } from '#shared/formats/spoken.ts';
import { writeTranscript } from '#shared/formats/write.ts';
import { chosenOf } from '#shared/formats/formats.ts';
import type { Ctx } from '../context.ts';
import { accessById } from '../rooms/access.ts';

export const subtitlesPath = (id: string): string => `/api/meetings/${id}/vtt`;

/** Subtitles from the stored transcript; null if the caller has this version. */
export async function subtitlesOf(
  ctx: Ctx,
  { id, knows }: { id: string; knows: (etag: string) => boolean },
): Promise<{ etag: string; text: string | null }> {
  const { meetingId } = await accessById(ctx, 'GET /api/meetings/:id/vtt', id);
  return ctx.documents.read(meetingId, (doc, { version, seq }) => {
    const etag = `"vtt-${version}-${seq}"`;
    if (knows(etag)) return { etag, text: null };
    const page = writeTranscript('VTT', spokenDocument(doc), chosenOf('VTT', {}));
    return { etag, text: page.kind === 'text' ? page.text : '' };
  });
}
