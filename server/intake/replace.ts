import { z } from 'zod';
import { defaultFormat, importFormats } from '#shared/formats/formats.ts';
import { readAbout } from '#shared/meetings/about.ts';
import { invalid, Problem } from '#shared/problems.ts';
import { signedIn, type Ctx } from '../context.ts';
import { fieldErrors } from '../http/body.ts';
import type { FormPart } from '../http/multipart.ts';
import { accessTo } from '../meetings/access.ts';
import { roomProblems } from '../meetings/documents.ts';
import { mediaOf } from '../meetings/media.ts';
import { updateProjection } from '../meetings/projection.ts';
import { readMeetingForm } from './create.ts';
import { lookForDrift } from './drift.ts';
import { intakeOf } from './drafts.ts';

const replaceForm = z.object({ transcriptType: z.enum(importFormats, 'transcript_type').default(defaultFormat) });

/**
 * Another text in the place of a meeting's: as a new generation, so that whoever has the old one open is sent to the new
 * one instead of writing both into each other. The old one stays in the log.
 */
export async function replaceTranscript(
  ctx: Ctx,
  { id, form }: { id: string; form: AsyncIterable<FormPart> },
): Promise<{ version: number }> {
  const signed = signedIn(ctx);
  await accessTo(ctx, id, 'write', 'No permissions to update');
  const { fields, transcript } = await readMeetingForm(signed, form, null);
  const parsed = replaceForm.safeParse({ ...fields });
  if (!parsed.success) throw new Problem('INVALID', { errors: fieldErrors(parsed.error) });
  if (!transcript) throw invalid({ field: 'transcript', code: 'required' });
  if ((await intakeOf(ctx.db.orm, id))?.state === 'processing')
    throw new Problem('CONFLICT', { message: 'It is being processed' });
  const media = await mediaOf(ctx, id);
  const lengths = media.flatMap(({ durationMs }) => durationMs ?? []);
  const about = await ctx.documents.read(id, (doc) => readAbout(doc));
  const { state } = await ctx.transcripts.read({
    bytes: transcript.bytes,
    format: parsed.data.transcriptType,
    mediaMs: lengths.length > 0 ? Math.max(...lengths) : undefined,
    about,
  });
  // Reading the form may have taken a while.
  await accessTo(ctx, id, 'write', 'No permissions to update');
  await roomProblems(() => ctx.rooms.renew(id, 'transcript', { userId: signed.person.id }, state));
  await lookForDrift(ctx, id, media.find(({ tag }) => tag === 'histogram')?.storeKey);
  await updateProjection(ctx, id);
  return ctx.documents.read(id, (_doc, { version }) => ({ version }));
}
