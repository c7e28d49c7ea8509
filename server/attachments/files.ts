import { and, asc, eq, isNotNull, isNull } from 'drizzle-orm';
import { isAuthorsRow } from '#db/access.ts';
import { users } from '#db/schema/accounts.ts';
import { attachments } from '#db/schema/attachments.ts';
import { attachmentPath, type FileView } from '#shared/attachments.ts';
import { readAnnotation, rootOf, type AnnotationKind, type Comment } from '#shared/meetings/annotations.ts';
import { invalid, Problem } from '#shared/problems.ts';
import { holds, type Permission } from '#shared/roles.ts';
import { signedIn, transaction, type Ctx, type House } from '../context.ts';
import { accessById } from '../rooms/access.ts';
import type { RoomOf } from '../rooms/documents.ts';
import { checkRoom, find, idOfPlace, inPlace, type Attachment, type AttachmentPlace } from './rows.ts';

// Files beside a recording, for all who read it, and files on a comment. Where the comment is decides who opens its
// files: those of a private comment are its author's alone, and follow it when it is published or deleted. Beside a layer
// there are none.

export type Reach = 'all' | 'own' | 'none';

type Held = ReadonlySet<Permission>;

export const refusedFile = (): Problem => new Problem('NO_PERM', { message: 'No permissions to update' });

export const mayPutBeside = ({ layerId }: Pick<AttachmentPlace, 'layerId'>, held: Held): boolean =>
  layerId === null && holds(held, 'write');

/** Refuses a file that the caller may not put there. */
export async function requirePlace(
  ctx: Ctx,
  { meetingId, layerId }: AttachmentPlace,
  comment: string | null,
  held: Held,
): Promise<void> {
  const { person } = signedIn(ctx);
  if (comment === null) {
    if (!mayPutBeside({ layerId }, held)) throw refusedFile();
    return;
  }
  const named = { meetingId, layerId, itemId: comment, userId: person.id };
  const found = (await commentIn(ctx, named, 'shared')) ?? (await commentIn(ctx, named, 'private'));
  if (!found || !(await isBy(ctx, found, person.id))) throw invalid({ field: 'comment', code: 'unknown' });
}

/** Whether a comment is by this account, or by a row of theirs in an anonymous review. */
async function isBy({ db }: Pick<House, 'db'>, { author }: Comment, userId: string): Promise<boolean> {
  const { kind, id } = author;
  return kind === 'reviewer' ? db.ask((sql) => isAuthorsRow(sql, id, userId)) : kind === 'user' && id === userId;
}

interface OnComment extends AttachmentPlace {
  itemId: string;
  userId: string | null;
}

const commentIn = (
  { documents }: Pick<House, 'documents'>,
  { meetingId, layerId, itemId, userId }: OnComment,
  visibility: 'shared' | 'private',
): Promise<Comment | null> =>
  documents.inRoom(
    meetingId,
    (room) => room.read((doc) => readAnnotation(doc, 'comment', itemId, visibility)),
    visibility === 'shared' ? sharedRoom({ layerId }, 'comment') : { part: 'notes', of: userId },
  );

/** Room of the annotations that all who read the recording or layer share. */
export const sharedRoom = ({ layerId }: Pick<AttachmentPlace, 'layerId'>, kind: AnnotationKind): RoomOf =>
  layerId === null ? { part: rootOf[kind], of: null } : { part: 'layer', of: layerId };

/** Audience of a file. A comment of another person with the same id does not carry it. */
export async function fileReach(house: Pick<House, 'db' | 'documents'>, row: Attachment): Promise<Reach> {
  const { meetingId, layerId, itemId, userId, deletedAt } = row;
  if (deletedAt !== null) return 'none';
  if (itemId === null) return 'all';
  const place = { meetingId, layerId, itemId, userId };
  // Private before shared, as a comment being published is in both rooms for a moment.
  const alone = userId !== null && (await commentIn(house, place, 'private')) !== null;
  const shared = await commentIn(house, place, 'shared');
  const stays = shared && (userId === null ? shared.author.kind !== 'deleted' : await isBy(house, shared, userId));
  if (stays) return 'all';
  return alone ? 'own' : 'none';
}

/** Files that the caller may open, oldest first. */
export async function listFiles(ctx: Ctx, { id }: { id: string }): Promise<{ files: FileView[] }> {
  const place = await accessById(ctx, 'GET /api/meetings/:id/attachments', id);
  const rows = await ctx.db.orm
    .select({ row: attachments, firstName: users.firstName, lastName: users.lastName })
    .from(attachments)
    .leftJoin(users, eq(users.id, attachments.userId))
    .where(and(inPlace(place), isNotNull(attachments.name), isNull(attachments.deletedAt)))
    .orderBy(asc(attachments.createdAt), asc(attachments.id));
  const files: FileView[] = [];
  // In an assessment the comment tells who wrote it, to those who may know.
  const isTold = ({ layerId, userId }: Attachment) => layerId === null || userId === ctx.person?.id;
  for (const { row, firstName, lastName } of rows) {
    const reach = await fileReach(ctx, row);
    if (reach === 'none' || (reach === 'own' && row.userId !== ctx.person?.id)) continue;
    files.push({
      id: row.id,
      url: attachmentPath(id, row.id),
      name: row.name ?? '',
      type: row.type,
      bytes: row.bytes,
      by:
        row.userId === null || !isTold(row)
          ? null
          : { id: row.userId, name: `${firstName ?? ''} ${lastName ?? ''}`.trim() },
      at: row.createdAt.toISOString(),
      comment: row.itemId,
    });
  }
  return { files };
}

/** Deletes a file, which can be restored for a day. */
export async function deleteFile(ctx: Ctx, row: Attachment): Promise<void> {
  await requireKeeper(ctx, row, 'POST /api/meetings/:id/delete-attachment');
  if (row.deletedAt !== null) return;
  await ctx.db.orm.update(attachments).set({ deletedAt: ctx.clock.now() }).where(eq(attachments.id, row.id));
}

export async function restoreFile(ctx: Ctx, { id, attachmentId }: { id: string; attachmentId: string }): Promise<void> {
  const call = 'POST /api/meetings/:id/attachments/:attachmentId/restore';
  const place = await accessById(ctx, call, id);
  const row = await find(ctx, place, attachmentId);
  if (row?.name == null) throw new Problem('NOT_FOUND');
  await requireKeeper(ctx, row, call);
  if (row.deletedAt === null) return;
  await transaction(ctx, async (tx) => {
    await checkRoom({ db: { orm: tx } }, place, row.userId ?? '');
    await tx.update(attachments).set({ deletedAt: null }).where(eq(attachments.id, row.id));
  });
}

/** Allows the sender, and for a file beside the recording all who may edit; to others a file on a comment does not exist. */
async function requireKeeper(
  ctx: Ctx,
  row: Attachment,
  call: 'POST /api/meetings/:id/delete-attachment' | 'POST /api/meetings/:id/attachments/:attachmentId/restore',
): Promise<void> {
  const { person } = signedIn(ctx);
  const { held } = await accessById(ctx, call, idOfPlace(row));
  if (row.userId === person.id) return;
  if (row.itemId !== null) throw new Problem('NOT_FOUND');
  if (!mayPutBeside(row, held)) throw refusedFile();
}
