import { and, eq, isNull } from 'drizzle-orm';
import type { TransactionSql } from 'postgres';
import * as Y from 'yjs';
import { standingOf, type Holder, type Standing } from '#db/access.ts';
import { storeAnswer } from '#db/answers.ts';
import { attachments } from '#db/schema/attachments.ts';
import { checksum } from '#db/updates.ts';
import { attachmentIdIn, attachmentPath } from '#shared/attachments.ts';
import { newId } from '#shared/ids.ts';
import { anchorInCopy } from '#shared/meetings/anchors.ts';
import {
  rootOf,
  writeAnnotation,
  type Annotation,
  type AnnotationKind,
  type Author,
  type Comment,
} from '#shared/meetings/annotations.ts';
import { longestVersionName } from '#shared/meetings/history.ts';
import type { CopyInput } from '#shared/meetings/meeting.ts';
import type { Part } from '#shared/meetings/parts.ts';
import { Problem } from '#shared/problems.ts';
import { packUpdates } from '#sync/protocol.ts';
import { RightsEnded } from '#sync/server/generations.ts';
import { Refused } from '#sync/server/inspect.ts';
import { roomName } from '#sync/server/rooms.ts';
import { annotationsMark, sharedIn, type AnnotationsMark } from '../annotations/read.ts';
import { signedIn, type Ctx } from '../context.ts';
import { answerOf } from '../http/once.ts';
import { intakeOf } from '../intake/drafts.ts';
import { upgradeOf } from '../intake/upgrade.ts';
import { rules } from '../limits.ts';
import { accessTo } from '../rooms/access.ts';
import { roomProblems } from '../rooms/documents.ts';
import { Holding } from '../rooms/holding.ts';
import { updateProjection } from '../rooms/projection.ts';

type Wanted = CopyInput & { id: string };

/** A room of the copy, as the one update that makes it. */
interface CopiedRoom {
  part: Part;
  bytes: Uint8Array;
  clientIds: readonly number[];
}

/** A file of the store, under a row of the copy. */
interface CopiedRow {
  from: string;
  id: string;
  /** The copy does not tell who sent it, as with the author of its comment. */
  nameless: boolean;
}

/**
 * Copies a meeting: its document, which keeps the ids of its characters, its shared annotations, and rows that name the
 * same files of the store. What deletes a row leaves a file alone that another row names (leftovers.ts).
 */
export async function copyMeeting(ctx: Ctx, wanted: Wanted): Promise<{ id: string }> {
  const { person } = signedIn(ctx);
  const { id } = wanted;
  const ask = () => accessTo(ctx, 'POST /api/meetings/:id/clone', id);
  const holding = new Holding(ctx, { meetingId: id, layerId: null, held: await ask() }, ask);
  const state = (await intakeOf(ctx.db.orm, id))?.state;
  if (state !== undefined && state !== 'ready')
    throw new Problem('CONFLICT', { message: 'It is not ready yet', info: { reason: 'NOT_READY' } });
  if ((await upgradeOf(ctx.db.orm, id)) !== null)
    throw new Problem('FUNDS', {
      message: 'Free trial recordings are not allowed to clone',
      info: { reason: 'FREE_TRIAL' },
    });
  await ctx.limits.take(rules.copies, person.id);
  const copy = newId();
  const { pieces, state: of } = await ctx.documents.stored(id);
  const [transcript, { rooms, rows }] = await Promise.all([
    transcriptOf(ctx, pieces, of.generation, wanted),
    annotationsOf(ctx, wanted, copy, of.generation),
  ]);
  if (transcript.clientIds.length > 0) rooms.push(transcript);
  const { title } = transcript;
  await holding.during((holder) => store(ctx, { ...wanted, copy, title, rooms, rows, holder }));
  await updateProjection(ctx, copy);
  return { id: copy };
}

const transcriptOf = (
  ctx: Ctx,
  pieces: Uint8Array[],
  generation: number,
  { title, removeMarkup }: CopyInput,
): Promise<CopiedRoom & { title: string }> =>
  roomProblems(async () => {
    const copying = { generation, title: title ?? null, removeMarkup, limits: ctx.rooms.limits };
    try {
      const { seed, clientIds, title: named } = await ctx.wholes.do('copied', pieces, copying);
      return { part: 'transcript', bytes: seed, clientIds, title: named };
    } catch (error) {
      if (error instanceof Refused) throw new Problem('BIG', { cause: error });
      throw error;
    }
  });

const nobody: Author = { id: '', kind: 'deleted', name: '' };

/** The shared outcomes and comments, and the attachments that they and the recording have. */
async function annotationsOf(
  ctx: Ctx,
  { id, removeMarkup, clearCommentAuthors }: Wanted,
  copy: string,
  generation: number,
): Promise<{ rooms: CopiedRoom[]; rows: CopiedRow[] }> {
  const place = { meetingId: id, layerId: null };
  const [mark, files] = await Promise.all([
    removeMarkup ? ([] as AnnotationsMark) : annotationsMark(ctx, place),
    ctx.db.orm
      .select()
      .from(attachments)
      .where(and(eq(attachments.meetingId, id), isNull(attachments.layerId), isNull(attachments.deletedAt))),
  ]);
  const [outcomes, comments] = await Promise.all([
    sharedIn(ctx, place, mark, 'outcome'),
    sharedIn(ctx, place, mark, 'comment'),
  ]);
  const spoken = (list: readonly { url: string | null }[]) =>
    new Set(list.flatMap(({ url }) => (url === null ? [] : (attachmentIdIn(url, id) ?? []))));
  const [onOutcomes, onComments] = [spoken(outcomes), spoken(comments)];
  const commented = new Set(comments.map((one) => one.id));
  const rows = files.flatMap((file): CopiedRow[] => {
    const spokenInComment = onComments.has(file.id);
    const isFile = file.name !== null;
    // A file of a comment is opened for its author's sake (fileReach): without one it stays behind.
    const onComment = isFile && file.itemId !== null && commented.has(file.itemId) && !clearCommentAuthors;
    const beside = isFile && file.itemId === null;
    if (!spokenInComment && !onComment && !beside && !onOutcomes.has(file.id)) return [];
    return [{ from: file.id, id: newId(), nameless: spokenInComment && clearCommentAuthors }];
  });
  const now = new Map(rows.map((row) => [row.from, row.id]));
  const urlInCopy = (url: string | null): string | null => {
    const to = now.get((url && attachmentIdIn(url, id)) ?? '');
    return to === undefined ? null : attachmentPath(copy, to);
  };
  const moved = <T extends Annotation & { url: string | null }>(item: T): T => ({
    ...item,
    anchor: item.anchor && anchorInCopy(item.anchor, generation),
    url: urlInCopy(item.url),
  });
  const nameless = (item: Comment): Comment => ({
    ...item,
    author: nobody,
    resolved: item.resolved && { ...item.resolved, by: nobody },
  });
  const rooms = [
    roomOf('outcome', outcomes.map(moved)),
    roomOf(
      'comment',
      comments.map((one) => (clearCommentAuthors ? nameless(moved(one)) : moved(one))),
    ),
  ].filter((room) => room !== null);
  return { rooms, rows };
}

function roomOf<K extends AnnotationKind>(
  kind: K,
  items: readonly Parameters<typeof writeAnnotation<K>>[2][],
): CopiedRoom | null {
  if (items.length === 0) return null;
  const doc = new Y.Doc();
  doc.transact(() => {
    for (const item of items) writeAnnotation(doc, kind, item, 'shared', 'copy');
  }, 'copy');
  const room = { part: rootOf[kind], bytes: Y.encodeStateAsUpdate(doc), clientIds: [doc.clientID] };
  doc.destroy();
  return room;
}

interface Storing extends Pick<Wanted, 'id' | 'isBackup'> {
  copy: string;
  title: string;
  rooms: readonly CopiedRoom[];
  rows: readonly CopiedRow[];
  holder: Holder;
}

/** Stores all of the copy and the answer in one transaction, while the caller has the rights. */
async function store(ctx: Ctx, { id, copy, title, isBackup, rooms, rows, holder }: Storing): Promise<void> {
  const { person } = signedIn(ctx);
  const { once } = ctx;
  const now = ctx.clock.now();
  const at = now.toISOString();
  await ctx.db.sql.begin(async (tx) => {
    const [rights] = await tx<{ standing: Standing }[]>`select ${standingOf(tx, holder)} as standing`;
    if (rights && rights.standing !== 'held') throw new RightsEnded(rights.standing);
    if (once && !(await storeAnswer(tx, once.asked, answerOf({ id: copy }), now)))
      throw new Problem('UNAVAILABLE', { retryAfter: 1 });
    // The lock keeps the files: what deletes the original waits, and then finds the rows of the copy.
    const [original] = await tx<{ folder_id: string | null; chat_model_id: string | null }[]>`
      select case when ${isBackup}::boolean and owner_id = ${person.id} then folder_id end as folder_id, chat_model_id
      from meetings where id = ${id} and deleted_at is null for share`;
    if (!original) throw new Problem('NO_ACCESS');
    await tx`
      insert into meetings (id, owner_id, created_at, folder_id, cloned_from, chat_model_id)
      values (${copy}, ${person.id}, ${at}::timestamptz, ${original.folder_id}, ${id}, ${original.chat_model_id})`;
    for (const room of rooms) await storeRoom(tx, copy, room, at);
    if (isBackup) await closeCopy(tx, { copy, title, rooms, by: person.id, at });
    await storeMedia(tx, id, copy);
    await storeAttachments(tx, id, copy, rows, at);
    await tx`insert into meeting_sets (meeting_id, set_id) select ${copy}, set_id from meeting_sets where meeting_id = ${id}`;
    // People who delete their account have their name taken out of the copy, too.
    await tx`
      insert into item_authors (meeting_id, user_id, gone)
      select ${copy}, user_id, gone from item_authors where meeting_id = ${id}`;
  });
  if (once) once.kept = true;
}

interface Closing extends Pick<Storing, 'copy' | 'title' | 'rooms'> {
  by: string;
  at: string;
}

/** A backup is closed from its first version on, which has the title as its name. */
async function closeCopy(tx: TransactionSql, { copy, title, rooms, by, at }: Closing): Promise<void> {
  const version = rooms.some(({ part }) => part === 'transcript') ? 1 : 0;
  await tx`
    update meetings set closed_at = ${at}::timestamptz, closed_by = ${by}, closed_version = ${version}
    where id = ${copy}`;
  const name = title.slice(0, longestVersionName).trim();
  if (name !== '' && version > 0)
    await tx`
      insert into version_names (meeting_id, version, name, user_id, at)
      values (${copy}, ${version}, ${name}, ${by}, ${at}::timestamptz)`;
}

/** The ids of the document belong to nobody: under generation 0 they do not count towards what a document may have. */
async function storeRoom(tx: TransactionSql, copy: string, { part, bytes, clientIds }: CopiedRoom, at: string) {
  const name = roomName(copy, part, null);
  const packed = Buffer.from(packUpdates([bytes]));
  const ids = [...clientIds].join(',');
  await tx`insert into rooms (name, meeting_id, part, seq, created_at) values (${name}, ${copy}, ${part}, 1, ${at}::timestamptz)`;
  await tx`
    insert into room_updates (room, generation, seq, user_id, client_ids, bytes, checksum, at)
    values (${name}, 1, 1, null, string_to_array(${ids}, ',')::bigint[], ${packed}, ${checksum(name, 1, 1, packed)},
      ${at}::timestamptz)`;
  await tx`
    insert into room_clients (room, generation, client_id, user_id, at)
    select ${name}, 0, k.id, '', ${at}::timestamptz from unnest(string_to_array(${ids}, ',')::bigint[]) as k(id)`;
}

async function storeMedia(tx: TransactionSql, id: string, copy: string): Promise<void> {
  const found = await tx<{ id: string }[]>`select id from media where meeting_id = ${id} for share`;
  await tx`
    insert into media (id, meeting_id, tag, name, type, bytes, duration_ms, store_key, created_at)
    select n.id, ${copy}, m.tag, m.name, m.type, m.bytes, m.duration_ms, m.store_key, m.created_at
    from unnest(${found.map((one) => one.id)}::text[], ${found.map(() => newId())}::text[]) as n(was, id)
    join media m on m.id = n.was`;
}

async function storeAttachments(
  tx: TransactionSql,
  id: string,
  copy: string,
  rows: readonly CopiedRow[],
  at: string,
): Promise<void> {
  if (rows.length === 0) return;
  await tx`select 1 from attachments where meeting_id = ${id} for share`;
  const nameless = rows.filter((one) => one.nameless).map((one) => one.from);
  await tx`
    insert into attachments
      (id, meeting_id, user_id, type, name, bytes, duration_ms, store_key, item_kind, item_id, created_at, looked_at)
    select n.id, ${copy}, case when a.id <> all(${nameless}::text[]) then a.user_id end, a.type, a.name, a.bytes,
      a.duration_ms, a.store_key, a.item_kind, a.item_id, a.created_at, ${at}::timestamptz
    from unnest(${rows.map((one) => one.from)}::text[], ${rows.map((one) => one.id)}::text[]) as n(was, id)
    join attachments a on a.id = n.was and a.deleted_at is null`;
}
