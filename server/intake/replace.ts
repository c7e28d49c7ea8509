import { createHash } from 'node:crypto';
import { z } from 'zod';
import { findAnswer, type Asked } from '#db/answers.ts';
import { defaultFormat, transcriptTypes } from '#shared/formats/formats.ts';
import { invalid, Problem } from '#shared/problems.ts';
import { Overtaken, type Begun } from '#sync/server/generations.ts';
import { signedIn, type Ctx } from '../context.ts';
import type { FormPart } from '../http/multipart.ts';
import { answerOf } from '../http/once.ts';
import { accessTo } from '../rooms/access.ts';
import { roomProblems } from '../rooms/documents.ts';
import { Holding } from '../rooms/holding.ts';
import { lengthOf, mediaOf } from '../media/media.ts';
import { updateProjection } from '../rooms/projection.ts';
import { versionOf } from '../rooms/version.ts';
import { besides } from '../rooms/whole-works.ts';
import { formProblem, readMeetingForm, type Brought } from './create.ts';
import { lookForDrift } from './drift.ts';
import { intakeOf } from './drafts.ts';
import { noteReplaced } from './enter.ts';
import type { ReadTranscript } from './read-transcript.ts';

const replaceForm = z.object({ transcriptType: z.enum(transcriptTypes, 'transcript_type').default(defaultFormat) });

/** Attempts while people change content beside the text; a person pauses between changes, a program might not. */
const mostTries = 5;

interface Replaced extends Pick<ReadTranscript, 'notes' | 'readAs'> {
  version: number;
}

/**
 * Replaces a transcript by a new generation, so that clients with the old one reconnect instead of merging both. The
 * old one stays in the log, and content beside the text carries over, including changes made until that moment. A
 * repeated request with the same id returns the same answer and starts no other generation.
 */
export async function replaceTranscript(
  ctx: Ctx,
  { id, form }: { id: string; form: AsyncIterable<FormPart> },
): Promise<Replaced> {
  const signed = signedIn(ctx);
  const ask = () => accessTo(ctx, 'POST /api/meetings/:id/replace', id);
  await ask();
  const { fields, transcript } = await readMeetingForm(signed, form, null);
  const parsed = replaceForm.safeParse({ ...fields });
  if (!parsed.success) throw formProblem(parsed.error);
  if (!transcript) throw invalid({ field: 'transcript', code: 'required' });
  const format = parsed.data.transcriptType;
  const asked: Asked = {
    userId: signed.person.id,
    requestId: ctx.requestId,
    fingerprint: fingerprint(id, format, transcript),
  };
  const before = await answeredBefore(ctx, asked);
  if (before) return before;
  await notProcessing(ctx, id);
  const media = await mediaOf(ctx, id);
  const about = await ctx.wholes.do('about', (await ctx.documents.stored(id)).pieces);
  const { state, notes, readAs } = await ctx.transcripts.read({
    bytes: transcript.bytes,
    format,
    personId: signed.person.id,
    mediaMs: lengthOf(media),
    about,
  });
  // Permissions are checked again, because reading the form may have taken a while.
  const holding = new Holding(ctx, { meetingId: id, layerId: null, held: await ask() }, ask);
  const begun = await roomProblems(async () => {
    for (let tries = 0; tries < mostTries; tries += 1) {
      const old = await ctx.documents.stored(id);
      const { generation, seq } = old.state;
      const replacing = { state, about, generation, limits: ctx.rooms.limits };
      const { seed, clientIds } = await ctx.wholes.do('replaced', old.pieces, replacing);
      const mayGo = (late: readonly Uint8Array[]) => !besides(old.pieces, late);
      try {
        return await holding.during(async (holder) => {
          // Processing may begin while a file is read.
          await notProcessing(ctx, id);
          return ctx.rooms.renew(id, 'transcript', { userId: signed.person.id }, seed, {
            answered: { asked, answer: (one) => answerOf(replaced(one, { notes, readAs })) },
            since: { generation, seq, mayGo },
            proved: clientIds,
            holder,
          });
        });
      } catch (error) {
        if (!(error instanceof Overtaken)) throw error;
      }
    }
    throw new Problem('UNAVAILABLE', { retryAfter: 1 });
  });
  await noteReplaced(ctx, id);
  await lookForDrift(ctx, id, media.find(({ tag }) => tag === 'histogram')?.storeKey);
  await updateProjection(ctx, id);
  return replaced(begun, { notes, readAs });
}

async function notProcessing(ctx: Ctx, id: string): Promise<void> {
  if ((await intakeOf(ctx.db.orm, id))?.state === 'processing')
    throw new Problem('CONFLICT', { message: 'It is being processed' });
}

const replaced = ({ base, mends }: Begun, read: Pick<Replaced, 'notes' | 'readAs'>): Replaced => ({
  version: versionOf({ base, seq: 1, mends }),
  ...read,
});

/** Hash of the request, computed from the complete form. */
const fingerprint = (id: string, format: string, { bytes }: Brought): Buffer =>
  createHash('sha256').update(`replace ${id} ${format}\n`).update(bytes).digest();

async function answeredBefore(ctx: Ctx, asked: Asked): Promise<Replaced | null> {
  const before = await ctx.db.ask((sql) => findAnswer(sql, asked));
  if (!before) return null;
  if (!before.fingerprint.equals(asked.fingerprint)) throw new Problem('IDEMP');
  return JSON.parse(before.body ?? '') as Replaced;
}
