import { Readable } from 'node:stream';
import { and, asc, eq, isNotNull, isNull, lt, or } from 'drizzle-orm';
import { attachments } from '#db/schema/attachments.ts';
import { storeLeftovers } from '#db/schema/media.ts';
import { users } from '#db/schema/accounts.ts';
import { meetings } from '#db/schema/meetings.ts';
import { attachmentForm, attachmentIdIn, attachmentPath } from '#shared/attachments.ts';
import { newId } from '#shared/ids.ts';
import { readAnnotation, type AnnotationKind } from '#shared/meetings/annotations.ts';
import { invalid, Problem } from '#shared/problems.ts';
import { signedIn, transaction, type Ctx, type House } from '../context.ts';
import { fieldErrors } from '../http/body.ts';
import { fieldText, type FormPart } from '../http/multipart.ts';
import { rules } from '../limits.ts';
import { accessById } from '../rooms/access.ts';
import { deleteFile, fileReach, mayPutBeside, refusedFile, requirePlace, sharedRoom, type Reach } from './files.ts';
import { checkRoom, find, idOfPlace, inPlace, type Attachment, type AttachmentPlace } from './rows.ts';
import type { SentFile, Sound } from './sound.ts';

/** Age in milliseconds after which an attachment without an annotation is deleted. */
const unusedFor = 86_400_000;
const longestField = 100;

/**
 * Stores a voice note, which only its sender can hear until an annotation of theirs carries it, or a file beside the
 * recording or on a comment of its sender.
 */
export async function addAttachment(
  ctx: Ctx,
  { id, form }: { id: string; form: AsyncIterable<FormPart> },
): Promise<{ url: string }> {
  const { person } = signedIn(ctx);
  const { held, ...place } = await accessById(ctx, 'POST /api/meetings/:id/attachment', id);
  const { meetingId, layerId } = place;
  const sentBefore = async () => {
    const { userId, requestId } = attachments;
    const same = and(inPlace(place), eq(userId, person.id), eq(requestId, ctx.requestId));
    const [row] = await ctx.db.orm.select({ id: attachments.id }).from(attachments).where(same);
    return row ? { url: attachmentPath(id, row.id) } : null;
  };
  const before = await sentBefore();
  if (before) return before;
  await ctx.limits.take(rules.attachments, person.id);
  await checkRoom(ctx, place, person.id);
  const { sent, comment } = await readForm(ctx, form, (fields) => {
    if (fields['type'] === 'file' && fields['comment'] === undefined && !mayPutBeside(place, held)) throw refusedFile();
  });
  // Access is checked again, because reading the form may have taken a while.
  const still = await accessById(ctx, 'POST /api/meetings/:id/attachment', id);
  if ('name' in sent) await requirePlace(ctx, place, comment, still.held);
  const storeKey = newId();
  // Registered first: if this process ends now, housekeeping deletes the file.
  await ctx.db.orm.insert(storeLeftovers).values({ key: storeKey });
  const { bytes } = await ctx.store.put(storeKey, Readable.from([sent.bytes]));
  try {
    const now = ctx.clock.now();
    const { requestId } = ctx;
    const row = { id: newId(), meetingId, layerId, userId: person.id, type: sent.type, bytes, storeKey, requestId };
    const about =
      'name' in sent
        ? { name: sent.name, ...(comment !== null && { annotationKind: 'comment' as const, itemId: comment }) }
        : { durationMs: sent.durationMs };
    await transaction(ctx, async (tx) => {
      const ours = eq(storeLeftovers.key, storeKey);
      const unregistered = await tx.delete(storeLeftovers).where(ours).returning({ key: storeLeftovers.key });
      if (unregistered.length === 0) throw new Problem('UNAVAILABLE', { retryAfter: 1 });
      // The lock serializes uploads that count towards one limit, so that two concurrent ones both count.
      if (layerId === null)
        await tx.select({ id: meetings.id }).from(meetings).where(eq(meetings.id, meetingId)).for('no key update');
      else await tx.select({ id: users.id }).from(users).where(eq(users.id, person.id)).for('no key update');
      await checkRoom({ db: { orm: tx } }, place, person.id);
      await tx.insert(attachments).values({ ...row, ...about, createdAt: now, lookedAt: now });
    });
    return { url: attachmentPath(id, row.id) };
  } catch (error) {
    // A refused file has no row. After a lost database response the row may exist; otherwise housekeeping deletes the
    // file.
    if (error instanceof Problem) await ctx.store.remove(storeKey).catch(() => {});
    // A concurrent request with the same id has stored it.
    const taken = await sentBefore();
    if (taken) return taken;
    throw error;
  }
}

type Sent = Sound | SentFile;

/** Reads the form; `before` is called with the fields so far before the file is read. */
async function readForm(
  ctx: Ctx,
  form: AsyncIterable<FormPart>,
  before: (fields: Readonly<Record<string, string>>) => void,
): Promise<{ sent: Sent; comment: string | null }> {
  const fields = Object.create(null) as Record<string, string>;
  let sent: Sent | null = null;
  for await (const { name, fileName, content } of form) {
    if (name === 'file' && fileName !== null) {
      if (sent) throw invalid({ field: 'file', code: 'duplicate_key' });
      before(fields);
      sent = await (fields['type'] === 'file' ? ctx.sounds.takeFile(content, fileName) : ctx.sounds.take(content));
    } else {
      const value = await fieldText(content, longestField);
      if (name in fields) throw invalid({ field: name.slice(0, 100), code: 'duplicate_key' });
      fields[name] = value;
    }
  }
  const parsed = attachmentForm.safeParse({ ...fields });
  if (!parsed.success) throw new Problem('INVALID', { errors: fieldErrors(parsed.error) });
  if (!sent) throw invalid({ field: 'file', code: 'required' });
  const { type, comment } = parsed.data;
  // The type has to come before the file, which is judged by it.
  if ((type === 'file') !== 'name' in sent) throw invalid({ field: 'type', code: 'invalid' });
  if (type !== 'file' && comment !== undefined) throw invalid({ field: 'comment', code: 'invalid' });
  return { sent, comment: comment ?? null };
}

/** Audience of an attachment, read from the annotation it belongs to, so that it follows the annotation at once. */
async function reachOf(house: Pick<House, 'db' | 'documents'>, row: Attachment): Promise<Reach> {
  const { documents } = house;
  if (row.name !== null) return fileReach(house, row);
  const { meetingId, userId, annotationKind: kind, itemId } = row;
  if (kind === null || itemId === null) return 'none';
  const url = attachmentPath(idOfPlace(row), row.id);
  const carried = (visibility: 'shared' | 'private') =>
    documents.inRoom(
      meetingId,
      (room) => room.read((doc) => readAnnotation(doc, kind, itemId, visibility)?.url === url),
      visibility === 'shared' ? sharedRoom(row, kind) : { part: 'notes', of: userId },
    );
  // Private before shared: an annotation being published is in both rooms for a moment, then in the shared one alone.
  // The other order could miss it in both.
  const alone = userId !== null && (await carried('private'));
  if (await carried('shared')) return 'all';
  return alone ? 'own' : 'none';
}

/** Opens an attachment for readers of its annotation; without an annotation, for its sender. */
export async function openAttachment(
  ctx: Ctx,
  { id, attachmentId }: { id: string; attachmentId: string },
): Promise<Attachment> {
  const place = await accessById(ctx, 'GET /api/meetings/:id/attachments/:attachmentId', id);
  const row = await find(ctx, place, attachmentId);
  if (!row) throw new Problem('NOT_FOUND');
  const mine = ctx.person !== null && row.userId === ctx.person.id;
  const alone = row.itemId === null && row.name === null;
  if (alone ? mine : await mayOpen(ctx, row, mine)) return row;
  throw new Problem('NOT_FOUND');
}

async function mayOpen(ctx: Ctx, row: Attachment, mine: boolean): Promise<boolean> {
  const reach = await reachOf(ctx, row);
  return reach === 'all' || (reach === 'own' && mine);
}

/** Deletes the caller's own voice note that no annotation carries, or a file. */
export async function deleteAttachment(ctx: Ctx, { id, url }: { id: string; url: string }): Promise<void> {
  const { person } = signedIn(ctx);
  const place = await accessById(ctx, 'POST /api/meetings/:id/delete-attachment', id);
  const attachmentId = attachmentIdIn(url, id);
  const row = attachmentId === null ? null : await find(ctx, place, attachmentId);
  if (row?.name != null) return deleteFile(ctx, row);
  if (!row || row.userId !== person.id) throw new Problem('NOT_FOUND');
  if ((await reachOf(ctx, row)) !== 'none') throw new Problem('CONFLICT', { message: 'An item carries it' });
  // The condition fails if an annotation has claimed it meanwhile.
  const same = row.itemId === null ? isNull(attachments.itemId) : eq(attachments.itemId, row.itemId);
  const gone = await ctx.db.orm
    .delete(attachments)
    .where(and(eq(attachments.id, row.id), same))
    .returning({ id: attachments.id });
  if (gone.length === 0) throw new Problem('CONFLICT', { message: 'An item carries it' });
}

/** An annotation, with the place by whose id it is made or changed. */
interface Carrier extends AttachmentPlace {
  kind: AnnotationKind;
  itemId: string;
}

/** Reserves an attachment for an annotation: it must be the author's, of this place, and in no other annotation. */
export async function claimAttachment(ctx: Ctx, { kind, itemId, ...place }: Carrier, url: string): Promise<void> {
  const { person } = signedIn(ctx);
  const unknown = () => invalid({ field: kind === 'outcome' ? 'outcome.url' : 'url', code: 'unknown' });
  const id = attachmentIdIn(url, idOfPlace(place));
  const row = id === null ? null : await find(ctx, place, id);
  if (!row || row.userId !== person.id || row.name !== null) throw unknown();
  const same = row.annotationKind === kind && row.itemId === itemId;
  if (same) return;
  // Free to claim only if its previous annotation was refused or deleted.
  if ((await reachOf(ctx, row)) !== 'none') throw unknown();
  const before = row.itemId === null ? isNull(attachments.itemId) : eq(attachments.itemId, row.itemId);
  const claimed = await ctx.db.orm
    .update(attachments)
    .set({ annotationKind: kind, itemId, lookedAt: ctx.clock.now() })
    .where(and(eq(attachments.id, row.id), before))
    .returning({ id: attachments.id });
  if (claimed.length === 0) throw unknown();
}

/** Deletes the attachments of a deleted annotation; housekeeping deletes them if this call is never reached. */
export async function dropAttachment(
  ctx: Ctx,
  { kind, itemId, ...place }: Carrier,
  /** The URL as the annotation had it; a private annotation may have any text there. */
  { url, isPrivate }: { url: string | null; isPrivate: boolean },
): Promise<void> {
  const id = url === null ? null : attachmentIdIn(url, idOfPlace(place));
  const { id: attachmentId, annotationKind, itemId: item, userId, name } = attachments;
  await ctx.db.orm
    .delete(attachments)
    .where(
      and(
        // Its voice note, and all files on it.
        or(id === null ? undefined : eq(attachmentId, id), isNotNull(name)),
        inPlace(place),
        eq(annotationKind, kind),
        eq(item, itemId),
        isPrivate ? eq(userId, signedIn(ctx).person.id) : undefined,
      ),
    )
    .catch((error: unknown) => ctx.log.warn({ err: error }, 'an attachment is still there; it goes later'));
}

const batch = 200;

/** Deletes attachments without an annotation: unclaimed ones after a day, and those of deleted annotations. */
export async function sweepAttachments(house: House): Promise<void> {
  const { orm } = house.db;
  const { id, itemId, userId, createdAt, lookedAt, name, deletedAt } = attachments;
  await house.sounds.sweep();
  const now = house.clock.now();
  const dayBefore = new Date(now.getTime() - unusedFor);
  await orm.delete(attachments).where(and(isNull(name), isNull(itemId), or(isNull(userId), lt(createdAt, dayBefore))));
  await orm.delete(attachments).where(lt(deletedAt, dayBefore));
  const due = await orm
    .select({ row: attachments })
    .from(attachments)
    .innerJoin(meetings, and(eq(meetings.id, attachments.meetingId), isNull(meetings.deletedAt)))
    .where(and(isNotNull(itemId), isNull(deletedAt), lt(lookedAt, dayBefore)))
    .orderBy(asc(lookedAt), asc(id))
    .limit(batch);
  for (const { row } of due) {
    const gone = await reachOf(house, row).then(
      (reach) => reach === 'none',
      // An unreadable room proves nothing: the attachment is kept.
      (error: unknown) => (house.log.warn({ err: error }, 'the item of an attachment could not be read'), false),
    );
    const same = and(eq(id, row.id), row.itemId === null ? isNull(itemId) : eq(itemId, row.itemId));
    if (gone) await orm.delete(attachments).where(same);
    else await orm.update(attachments).set({ lookedAt: now }).where(same);
  }
}
