import { writeAbout } from '#shared/meetings/about.ts';
import type { RenameInput } from '#shared/meetings/meeting.ts';
import type { Ctx } from '../context.ts';
import { updateProjection } from '../rooms/projection.ts';
import { writeDocument, type Written } from './write.ts';

/** Changes the title in the live document: people with the document open see it at once, lists with the answer. */
export async function renameMeeting(ctx: Ctx, { id, title }: RenameInput & { id: string }): Promise<Written> {
  const written = await writeDocument(ctx, {
    id,
    verb: 'POST /api/meetings/:id/rename',
    origin: 'rename',
    see: async () => null,
    write: (doc) => writeAbout(doc, { title }, 'rename'),
  });
  await updateProjection(ctx, id);
  return written;
}
