import { createHash } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { and, eq, isNull, or } from 'drizzle-orm';
import type { z } from 'zod';
import type { Orm } from '#db/open.ts';
import { intakes, recordingImports, uploads } from '#db/schema/intake.ts';
import { meetings } from '#db/schema/meetings.ts';
import { folderNeeds } from '#shared/library.ts';
import { emailKey } from '#shared/accounts.ts';
import { newId } from '#shared/ids.ts';
import { transcriptTypes } from '#shared/formats/formats.ts';
import {
  extensionOf,
  externalModel,
  fileLimits,
  intakeFailures,
  meetingForm,
  noModel,
  uploadInput,
  wrongOptions,
  type CreatedView,
  type MeetingForm,
} from '#shared/intake.ts';
import { invalid, Problem, type FieldError } from '#shared/problems.ts';
import { askerOf } from '../billing/quote.ts';
import { signedIn, transaction, type Ctx, type House, type Signed } from '../context.ts';
import { offersOf } from '../engines/engines.ts';
import { fieldErrors } from '../http/body.ts';
import { fieldBytes, fieldText, type FormPart } from '../http/multipart.ts';
import { placeFor } from '../folders/places.ts';
import { idOf, readLibraries } from '../folders/libraries.ts';
import { JobFailed } from '../jobs.ts';
import type { Intake } from './drafts.ts';
import { findPrograms } from '../media/ffmpeg.ts';
import { refuseTooLong } from './longest.ts';
import { findImport, importedBefore, importNamed, importOf, type NewImport, type RecordingImport } from './imports.ts';
import { askedForRecording } from '../people/invitations.ts';
import { isOffered } from '../outside/assistant.ts';
import { kindOf } from '../media/kinds.ts';
import { probe } from '../media/probe.ts';
import { readHeaders } from '../media/headers.ts';
import { noTwin, twinIn, type Twin } from './twins.ts';
import { completeUpload, dropUpload, takeAlong, type Upload } from './uploads.ts';

const longestField = 64 * 1024;
const mostTranscript = 20 * 1024 * 1024;

/** A transcript file added by a person. */
export interface Brought {
  name: string;
  bytes: Buffer;
}

interface Received {
  fields: Record<string, string>;
  transcript: Brought | null;
  /** A recording sent within the form. */
  upload: Upload | null;
}

/** Reads the form in order; a requested file goes straight to the store. */
export async function readMeetingForm(
  ctx: Signed,
  form: AsyncIterable<FormPart>,
  /** Length of the whole form, which limits its file; null if no file is accepted. */
  fileLength: number | null,
): Promise<Received> {
  const fields = Object.create(null) as Record<string, string>;
  let transcript: Brought | null = null;
  let upload: Upload | null = null;
  for await (const { name, fileName, content } of form) {
    // An empty file input.
    if (fileName === '') continue;
    if (name === 'file' && fileName !== null && fileLength !== null) {
      if (upload) throw invalid({ field: 'file', code: 'duplicate_key' });
      const given = uploadInput.safeParse({
        fileName,
        contentLength: Math.min(fileLimits.mostBytes, Math.max(fileLimits.leastBytes, fileLength)),
      });
      if (!given.success) throw new Problem('INVALID', { errors: renamed(given.error, 'file') });
      upload = await ctx.filesAlong.take(() => takeAlong(ctx, given.data, content));
    } else if (name === 'transcript' && fileName !== null) {
      if (transcript) throw invalid({ field: 'transcript', code: 'duplicate_key' });
      transcript = { name: fileName.slice(0, 300), bytes: await fieldBytes(content, mostTranscript) };
    } else {
      const value = await fieldText(content, longestField);
      if (value.includes('\0')) throw invalid({ field: name.slice(0, 100), code: 'character' });
      if (name in fields) throw invalid({ field: name.slice(0, 100), code: 'duplicate_key' });
      fields[name] = value;
    }
  }
  return { fields, transcript, upload };
}

/** Converts errors of fields; an unknown format is reported like an unreadable transcript. */
export function formProblem(error: z.ZodError): Problem {
  const errors = fieldErrors(error);
  const unknown = errors.some(({ code }) => code === 'transcript_type');
  return new Problem('INVALID', {
    errors,
    ...(unknown && { message: `Invalid transcript: expected a transcriptType of ${transcriptTypes.join(', ')}` }),
  });
}

const renamed = (error: z.ZodError, field: string): FieldError[] =>
  fieldErrors(error).map(({ code }) => ({ field, code }));

/**
 * Creates a meeting from a recording, a transcript or both; processing starts only after a payment option is chosen.
 */
export async function createMeeting(ctx: Ctx, parts: AsyncIterable<FormPart>, length: number): Promise<CreatedView> {
  const signed = signedIn(ctx);
  const { fields, transcript, upload: along } = await readMeetingForm(signed, parts, length);
  try {
    return await create(signed, fields, transcript, along);
  } catch (error) {
    // The uploaded file is kept: the form can be repeated with its name instead of the file.
    if (along && error instanceof Problem && error.status < 500)
      throw new Problem(error.code, {
        message: error.message,
        errors: error.errors,
        info: { ...error.info, uploadId: along.id },
        cause: error,
      });
    throw error;
  }
}

async function create(
  ctx: Signed,
  fields: Record<string, string>,
  transcript: Brought | null,
  along: Upload | null,
): Promise<CreatedView> {
  const parsed = meetingForm.safeParse({ ...fields });
  if (!parsed.success) throw formProblem(parsed.error);
  const form = parsed.data;
  const named = importNamed(form);
  await check(ctx, form, transcript, along, named !== null);
  const upload = along ?? (form.uploadId === '' ? null : await completeUpload(ctx, form.uploadId));
  const requestDigest = digestOf(form, transcript, upload);

  const before = await findByRequest(ctx);
  if (before) return sameAgain(ctx, before, requestDigest, along);
  const invitation = form.invite === '' ? null : await askedForRecording(ctx, ctx.db.orm, form.invite);
  if (form.invite !== '' && !invitation) throw new Problem('NO_PERM', { message: 'No permissions to add' });
  const folderId = await folderFor(ctx, form);
  const found = named && (await findImport(ctx, named));
  // Checked before anything is created, so that a refusal leaves nothing that uses the file.
  const { model, transcriptType } = form;
  const read = { model, measuredMs: null, transcript: transcript?.bytes ?? null, transcriptType };
  const judged = await judge(ctx, read, upload, found);

  const now = ctx.clock.now();
  const chatModelId = form.chatModelId || null;
  const title = form.title || found?.title || titleOf(upload?.name ?? transcript?.name ?? '');
  try {
    const id = await transaction(ctx, async (tx) => {
      const values = {
        requestId: ctx.requestId,
        requestDigest,
        title,
        model: form.model,
        lang: form.lang,
        speakers: form.spk_num,
        vocabulary: form.vocab,
        mentor: form.mentor || null,
        invitationId: invitation?.id ?? null,
        transcript: transcript?.bytes ?? null,
        transcriptName: transcript?.name ?? null,
        transcriptType: form.transcriptType,
        createdAt: now,
      };
      // The answer to an earlier form was lost: processing has not started, so that its meeting takes the new values.
      const draft = upload && (await draftOf(tx, ctx, upload));
      if (draft) {
        // A deleted draft is restored: the new form counts.
        const anew = { folderId, chatModelId, createdAt: now, deletedAt: null, deletedWith: null };
        await tx.update(meetings).set(anew).where(eq(meetings.id, draft));
        await tx.update(intakes).set(values).where(eq(intakes.meetingId, draft));
        return draft;
      }
      const made = newId();
      const ownerId = ctx.person.id;
      await tx.insert(meetings).values({ id: made, ownerId, folderId, chatModelId, createdAt: now });
      await tx.insert(intakes).values({ meetingId: made, ownerId, state: 'created', ...values });
      if (found) {
        const { title: _, ...wanted } = found;
        await tx.insert(recordingImports).values({ meetingId: made, ...wanted });
      }
      if (!upload) return made;
      // A file becomes one meeting: a concurrent request may have taken it.
      const taken = await tx
        .update(uploads)
        .set({ meetingId: made })
        .where(and(eq(uploads.id, upload.id), isNull(uploads.meetingId)))
        .returning({ id: uploads.id });
      if (taken.length === 0)
        throw new Problem('CONFLICT', {
          message: 'A meeting was made of this upload already',
          info: { reason: 'UPLOAD_USED' },
        });
      return made;
    });
    return { id, ...judged, ...(await duplicateOf(ctx, id, upload, found)) };
  } catch (error) {
    // A concurrent copy of the request has created it.
    const meanwhile = await findByRequest(ctx);
    if (meanwhile) return sameAgain(ctx, meanwhile, requestDigest, along);
    throw error;
  }
}

/** The unprocessed meeting made of an upload. */
async function draftOf(tx: Orm, { person }: Signed, { id }: Upload): Promise<string | null> {
  // The lock waits for a concurrent request that makes a meeting of the upload.
  const [taken] = await tx
    .select({ meetingId: uploads.meetingId })
    .from(uploads)
    .where(eq(uploads.id, id))
    .for('update');
  if (!taken?.meetingId) return null;
  const [draft] = await tx
    .select({ state: intakes.state })
    .from(intakes)
    .where(and(eq(intakes.meetingId, taken.meetingId), eq(intakes.ownerId, person.id)))
    .for('update');
  return draft?.state === 'created' ? taken.meetingId : null;
}

async function check(
  ctx: Signed,
  form: MeetingForm,
  transcript: Brought | null,
  along: Upload | null,
  imported: boolean,
): Promise<void> {
  const { models } = offersOf(ctx);
  const errors = wrongOptions({ model: form.model, lang: form.lang, speakers: form.spk_num }, models);
  if (errors.length > 0) throw new Problem('INVALID', { errors });
  if (form.model === externalModel && !transcript) errors.push({ field: 'transcript', code: 'required' });
  // A transcript would never be entered.
  if (form.model === noModel && transcript) errors.push({ field: 'transcript', code: 'invalid' });
  if (form.model !== externalModel && !along && form.uploadId === '' && !imported)
    errors.push({ field: 'file', code: 'required' });
  if ((along || imported) && form.uploadId !== '') errors.push({ field: 'uploadId', code: 'invalid' });
  if (along && imported) errors.push({ field: 'file', code: 'invalid' });
  if (isOneself(ctx, form)) errors.push({ field: 'mentor', code: 'student' });
  if (form.chatModelId !== '' && !(await isOffered(ctx.assistants, form.chatModelId)))
    errors.push({ field: 'chatModelId', code: 'unknown' });
  if (errors.length > 0) throw new Problem('INVALID', { errors });
  // These features do not exist, so that nobody has the permission.
  if (form.circle_id) throw new Problem('NO_PERM', { message: 'No permissions to add' });
}

/** Nobody is their own mentor. */
export const isOneself = ({ person }: Signed, { mentor = '' }: { mentor?: string | undefined }): boolean =>
  mentor !== '' && emailKey(mentor) === person.emailKey;

/** The folder for the meeting; if it is being deleted now, the meeting appears at the top level. */
async function folderFor(
  { db, person }: Signed,
  { folder: path, shared_folder: sid }: MeetingForm,
): Promise<string | null> {
  const libraries = await readLibraries(db.orm, person);
  return idOf(placeFor(libraries, { path, sid }, folderNeeds.add, 'No permissions to add'));
}

function digestOf(form: MeetingForm, transcript: Brought | null, upload: Upload | null): Buffer {
  const { uploadId: _, ...content } = form;
  const file = upload ? [upload.name, upload.bytes, upload.digest?.toString('hex') ?? upload.id] : null;
  const hash = createHash('sha256').update(JSON.stringify([content, transcript?.name ?? null, file]));
  return hash.update(transcript?.bytes ?? '').digest();
}

async function findByRequest(ctx: Signed): Promise<Intake | undefined> {
  const [row] = await ctx.db.orm
    .select()
    .from(intakes)
    .where(and(eq(intakes.ownerId, ctx.person.id), eq(intakes.requestId, ctx.requestId)));
  return row;
}

/** Answers a repeated request with the same meeting, and drops a file that was sent again. */
async function sameAgain(ctx: Signed, intake: Intake, digest: Buffer, along: Upload | null): Promise<CreatedView> {
  if (along) await dropUpload(ctx, along);
  if (!intake.requestDigest.equals(digest)) throw new Problem('IDEMP');
  const { meetingId } = intake;
  const [upload = null] = await ctx.db.orm.select().from(uploads).where(eq(uploads.meetingId, meetingId));
  const wanted = (upload ? undefined : await importOf(ctx.db.orm, meetingId)) ?? null;
  const judged = await judge(ctx, intake, upload, wanted);
  return { id: meetingId, ...judged, ...(await duplicateOf(ctx, meetingId, upload, wanted)) };
}

/**
 * Computes the price and checks an added transcript. Processing reads it again; the check here reports errors at once.
 */
async function judge(
  ctx: Signed,
  {
    model,
    measuredMs,
    transcript,
    transcriptType,
  }: Pick<Intake, 'model' | 'measuredMs' | 'transcript' | 'transcriptType'>,
  upload: Upload | null,
  wanted: NewImport | RecordingImport | null,
): Promise<Pick<CreatedView, 'costs' | 'notes' | 'readAs'>> {
  const seconds = await orderedSeconds(ctx, { model, measuredMs }, upload, wanted);
  await refuseTooLong(ctx, seconds);
  const hasRecording = upload !== null || wanted !== null;
  const mediaMs = hasRecording && seconds !== null ? Math.round(seconds * 1000) : undefined;
  const read =
    transcript &&
    transcriptType &&
    (await ctx.transcripts.read({ bytes: transcript, format: transcriptType, personId: ctx.person.id, mediaMs }));
  return {
    // The price does not depend on the meeting, which may not exist yet.
    costs: await ctx.costs.options(ctx.db.orm, await askerOf(ctx), { meetingId: '', model, seconds }),
    notes: read ? read.notes : [],
    readAs: read ? read.readAs : null,
  };
}

/**
 * Duration to pay for: as measured, if an earlier attempt has done so, else as the file's headers or, for a recording at
 * another service, the service report it. The recording job measures it before any work is done.
 */
export async function orderedSeconds(
  house: Pick<House, 'store' | 'config'>,
  { model, measuredMs }: Pick<Intake, 'model' | 'measuredMs'>,
  upload: Upload | null | undefined,
  wanted: Pick<RecordingImport, 'seconds'> | null | undefined,
): Promise<number | null> {
  if (measuredMs !== null) return measuredMs / 1000;
  if (upload) return secondsOf(house, upload, model !== externalModel && model !== noModel);
  return wanted ? wanted.seconds : 0;
}

/** Duration before processing, from the file's headers; with `paid`, also from a program that reads it. */
export async function secondsOf(
  house: Pick<House, 'store' | 'config'>,
  upload: Upload,
  paid = false,
): Promise<number | null> {
  const { store } = house;
  const { storeKey, name, bytes } = upload;
  const readAt = async (from: number, length: number): Promise<Buffer> => {
    if (from >= bytes) return Buffer.alloc(0);
    const pieces: Buffer[] = [];
    const range = { from, to: Math.min(bytes, from + length) - 1 };
    for await (const piece of (await store.read(storeKey, range)) as AsyncIterable<Buffer>) pieces.push(piece);
    return Buffer.concat(pieces);
  };
  const kind = kindOf(await readAt(0, 64), name);
  const headers = kind ? await readHeaders(kind, readAt, bytes) : null;
  if (headers) return headers.durationMs / 1000;
  if (!kind && paid && extensionOf(name) === 'arf')
    throw new Problem('INVALID', { message: intakeFailures.arf, errors: [{ field: 'file', code: 'file_type' }] });
  return kind && paid ? probedSeconds(house, upload) : null;
}

const longestLook = 60_000;

async function probedSeconds(
  { store, config }: Pick<House, 'store' | 'config'>,
  { storeKey, name, bytes }: Upload,
): Promise<number | null> {
  const programs = await findPrograms(config.path);
  if (!programs) return null;
  const folder = join(config.dataDir, 'work', newId());
  try {
    await mkdir(folder, { recursive: true });
    const path = await store.local(storeKey, folder);
    const where = { path, fileName: name, bytes, folder, signal: AbortSignal.timeout(longestLook) };
    const { durationMs } = await probe(programs, where);
    return durationMs === null ? null : durationMs / 1000;
  } catch (error) {
    // Processing reports errors of the file.
    if (error instanceof JobFailed) return null;
    throw error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The meeting made of the same recording, where the caller may read one. */
async function duplicateOf(
  ctx: Signed,
  meetingId: string,
  upload: Upload | null,
  wanted: NewImport | RecordingImport | null,
): Promise<Twin> {
  if (upload) return uploadedBefore(ctx, upload, meetingId);
  return wanted ? importedBefore(ctx, { ...wanted, meetingId }) : noTwin;
}

/** Compares contents if the store knows them, else name and length; the latter of the caller's own files alone. */
function uploadedBefore(ctx: Signed, upload: Upload, meetingId: string): Promise<Twin> {
  const { digest, name, bytes } = upload;
  const named = and(eq(uploads.ownerId, ctx.person.id), eq(uploads.name, name));
  const same = digest ? or(eq(uploads.digest, digest), and(isNull(uploads.digest), named)) : named;
  return twinIn(
    ctx,
    meetingId,
    ctx.db.orm
      .select({ id: uploads.meetingId })
      .from(uploads)
      .where(and(eq(uploads.bytes, bytes), same)),
  );
}

/** Title of a recording without a given one. */
const titleOf = (fileName: string): string => {
  const dot = fileName.lastIndexOf('.');
  return (dot > 0 ? fileName.slice(0, dot) : fileName).trim() || 'Recording';
};
