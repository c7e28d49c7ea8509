import { and, asc, eq, inArray, isNull, or } from 'drizzle-orm';
import { attachments } from '#db/schema/attachments.ts';
import { roomOrigins, versionNames } from '#db/schema/history.ts';
import { meetings } from '#db/schema/meetings.ts';
import { outcomeModels } from '#db/schema/outcome-models.ts';
import { namelessFor, readableLayers } from '#db/access.ts';
import type { AnnotationsContent, HistoryLine, RecordingContent } from '#shared/archive-content.ts';
import { anchorInCopy } from '#shared/meetings/anchors.ts';
import type { Annotation } from '#shared/meetings/annotations.ts';
import type { MediaTag } from '#shared/meetings/media.ts';
import { readNotes } from '#shared/meetings/notes.ts';
import { readSummary } from '#shared/meetings/summary.ts';
import { Problem } from '#shared/problems.ts';
import { allows, holds, type Permission } from '#shared/roles.ts';
import { roomName } from '#sync/server/rooms.ts';
import { annotationsMark, gradesIn, readableIn, sharedIn } from '../annotations/read.ts';
import { openAttachment } from '../attachments/attachments.ts';
import { signedIn, type Ctx } from '../context.ts';
import { exportFile } from '../export/export.ts';
import { mediaOf } from '../media/media.ts';
import { peopleBy } from '../people/names.ts';
import { setsAt } from '../outcome-models/named.ts';
import { roomProblems, type State } from '../rooms/documents.ts';
import { ownParts } from '../reviews/listened.ts';
import { aclOf } from '../sharing/acl.ts';
import type { ZipFile } from './zip.ts';

// The files of one recording in an archive: what its maker may read of it, and nothing else.

type Held = ReadonlySet<Permission>;

export interface ArchivedRecording {
  title: string;
  files: ZipFile[];
}

const json = (value: unknown): Buffer => Buffer.from(`${JSON.stringify(value, null, 1)}\n`);

/** Reads a recording; its media are read from the store when the files are written. */
export async function recordingFiles(ctx: Ctx, id: string, held: Held): Promise<ArchivedRecording> {
  const { pieces, state } = await ctx.documents.stored(id);
  const history = allows('GET /api/meetings/:id/versions', held) ? await historyOf(ctx, id, state) : null;
  // With the history, characters and highlights keep their generation; without, the document is the first one of its own.
  const generation = history ? state.generation : 1;
  const anchored = <T extends Annotation>(one: T): T =>
    history || !one.anchor ? one : { ...one, anchor: anchorInCopy(one.anchor, state.generation) };
  const document = history
    ? await ctx.wholes.do('clean', pieces)
    : await roomProblems(async () => {
        const copying = { generation: state.generation, title: null, removeMarkup: false, limits: ctx.rooms.limits };
        return (await ctx.wholes.do('copied', pieces, copying)).seed;
      });
  const annotations = await annotationsOf(ctx, id, anchored);
  const [{ title }, notes, plain, files] = [
    await ctx.wholes.do('about', pieces),
    await ctx.documents.read(id, readNotes, { part: 'notes', of: signedIn(ctx).person.id }),
    await ctx.documents.plain(id),
    await filesOf(
      ctx,
      id,
      annotations.layers.map((layer) => layer.id),
    ),
  ];
  if (!('fields' in plain)) throw new Error('a transcript was asked for and is not there');
  const about = await aboutOf(ctx, { id, held, title, generation, history, annotations, ...files });
  const word = await exportFile(ctx, { meetingId: id, layerId: null }, 'RAE', {
    ...{ fileType: 'docx', summary: true, contents: true, outcomes: true, comments: true, private: true },
  });
  const at = (name: string): string => `recordings/${id}/${name}`;
  return {
    title,
    files: [
      { name: at('recording.json'), content: json(about) },
      { name: at('document.yjs'), content: Buffer.from(document) },
      { name: at('transcript.json'), content: Buffer.concat([Buffer.from('{'), plain.fields, Buffer.from('}')]) },
      { name: at('transcript.docx'), content: word.bytes },
      { name: at('annotations.json'), content: json(annotations) },
      { name: at('notes.json'), content: json(notes) },
      ...(history ? [{ name: at('history.jsonl'), content: history.lines }] : []),
      ...[...files.media, ...files.attached].flatMap(({ path, bytes, storeKey }): ZipFile[] =>
        path === null ? [] : [{ name: at(path), content: { bytes, chunks: chunksOf(ctx, storeKey) } }],
      ),
    ],
  };
}

async function* chunksOf({ store }: Pick<Ctx, 'store'>, key: string): AsyncGenerator<Buffer> {
  yield* (await store.read(key)) as AsyncIterable<Buffer>;
}

interface History extends NonNullable<RecordingContent['history']> {
  lines: Buffer;
  people: (string | null)[];
}

/** All rows of the log up to this state; null where rows were set aside, because the rest does not stand alone. */
async function historyOf(ctx: Ctx, id: string, { generation, seq }: State): Promise<History | null> {
  const name = roomName(id, 'transcript', null);
  const [room] = await ctx.db.ask(
    (sql) => sql<{ generation: number; base: string; mends: number }[]>`
      select generation, base, mends from rooms where name = ${name}`,
  );
  if (!room || room.mends > 0) return null;
  // Replaced meanwhile: read again.
  if (room.generation !== generation) throw new Problem('UNAVAILABLE', { retryAfter: 1 });
  const lines: Buffer[] = [];
  const people = new Set<string | null>();
  // The ids in the bytes would name those whose corrections have no name.
  if ((await ctx.db.ask((sql) => namelessFor(sql, id, ctx.person?.id ?? null))).length > 0) return null;
  const rows = ctx.db.sql<
    { generation: number; seq: string; user_id: string | null; client_ids: string[] | null; bytes: Buffer; at: Date }[]
  >`
    select generation, seq, user_id, client_ids, bytes, at from room_updates
    where room = ${name} and (generation < ${generation} or (generation = ${generation} and seq <= ${seq}))
    order by generation, seq`.cursor(500);
  for await (const batch of rows)
    for (const row of batch) {
      const at = new Date(row.at);
      people.add(row.user_id);
      const line: HistoryLine = {
        ...{ generation: row.generation, seq: Number(row.seq), by: row.user_id },
        at: at.toISOString(),
        clients: (row.client_ids ?? []).map(Number),
        bytes: Buffer.from(row.bytes).toString('base64'),
      };
      lines.push(Buffer.from(`${JSON.stringify(line)}\n`));
    }
  const names = await ctx.db.orm
    .select()
    .from(versionNames)
    .where(eq(versionNames.meetingId, id))
    .orderBy(asc(versionNames.version));
  const origins = await ctx.db.orm
    .select()
    .from(roomOrigins)
    .where(eq(roomOrigins.room, name))
    .orderBy(asc(roomOrigins.generation));
  return {
    ...{ lines: Buffer.concat(lines), seq, base: Number(room.base), people: [...people] },
    origins: origins.map(({ generation: number, fromGeneration, fromSeq }) => ({
      ...{ generation: number, fromGeneration, fromSeq },
    })),
    names: names.map(({ version, name: text, userId, at }) => ({
      ...{ version, name: text, by: userId, at: at.toISOString() },
    })),
  };
}

/** Shared annotations, the caller's own, and those of layers that they may read, with the sets of their types. */
async function annotationsOf(
  ctx: Ctx,
  id: string,
  anchored: <T extends Annotation>(one: T) => T,
): Promise<AnnotationsContent> {
  const { person } = signedIn(ctx);
  const place = { meetingId: id, layerId: null };
  const mark = await annotationsMark(ctx, place);
  const layers = await ctx.db.ask((sql) => readableLayers(sql, person.id, id));
  const sets = await setsOf(ctx, place);
  const listened = await ownParts(
    ctx,
    layers.map((layer) => layer.id),
  );
  return {
    sets,
    outcomes: (await readableIn(ctx, place, mark, 'outcome')).map(anchored),
    comments: (await readableIn(ctx, place, mark, 'comment')).map(anchored),
    summary: await ctx.documents.read(id, (doc) => readSummary(doc, 'private'), { part: 'notes', of: person.id }),
    layers: await Promise.all(
      layers.map(async (layer) => {
        const of = { meetingId: id, layerId: layer.id };
        const marked = await annotationsMark(ctx, of);
        return {
          ...{ id: layer.id, review: layer.reviewId, kind: layer.kind },
          sets: (await setsOf(ctx, of)).filter((set) => !sets.some((one) => one.id === set.id)),
          outcomes: (await sharedIn(ctx, of, marked, 'outcome')).map(anchored),
          comments: (await sharedIn(ctx, of, marked, 'comment')).map(anchored),
          grades: (await gradesIn(ctx, of, marked)).map((one) => ({ ...one })),
          listened: listened.get(layer.id) ?? null,
        };
      }),
    ),
  };
}

/** Sets of outcome types that people made, where their types can be chosen: outcomes there have types of no others. */
async function setsOf(ctx: Ctx, place: Parameters<typeof setsAt>[1]): Promise<AnnotationsContent['sets']> {
  const ids = (await setsAt(ctx, place)).sets.map((set) => set.id);
  if (ids.length === 0) return [];
  const { id, name, language, types } = outcomeModels;
  return ctx.db.orm.select({ id, name, language, types }).from(outcomeModels).where(inArray(id, ids)).orderBy(asc(id));
}

/** A file of the store; `path` is null where its bytes are not there. */
interface Stored {
  id: string;
  path: string | null;
  name: string;
  type: string;
  bytes: number;
  durationMs: number | null;
  createdAt: Date;
  storeKey: string;
}

interface Files {
  media: (Stored & { tag: MediaTag })[];
  attached: (Stored & { kind: string | null; item: string | null; by: string | null; layer: string | null })[];
}

async function filesOf(ctx: Ctx, id: string, layers: readonly string[]): Promise<Files> {
  const { meetingId, layerId, deletedAt } = attachments;
  const rows = await ctx.db.orm
    .select()
    .from(attachments)
    .where(and(eq(meetingId, id), isNull(deletedAt), or(isNull(layerId), inArray(layerId, [...layers]))))
    .orderBy(asc(attachments.createdAt), attachments.id);
  const files: Files = { media: [], attached: [] };
  for (const { tag, ...one } of await mediaOf(ctx, id))
    files.media.push({ tag, ...(await storedIn(ctx, 'media', one)) });
  for (const one of rows) {
    if (!(await mayOpen(ctx, one))) continue;
    const stored = await storedIn(ctx, 'attachments', { ...one, name: one.name ?? '' });
    // In an assessment the annotation tells who made it, to those who may know.
    const by = one.layerId === null || one.userId === signedIn(ctx).person.id ? one.userId : null;
    files.attached.push({ ...stored, kind: one.annotationKind, item: one.itemId, by, layer: one.layerId });
  }
  return files;
}

async function storedIn(
  { store, log }: Pick<Ctx, 'store' | 'log'>,
  folder: string,
  { id, name, type, bytes, durationMs, createdAt, storeKey }: Omit<Stored, 'path'>,
): Promise<Stored> {
  const isThere = (await store.size(storeKey)) === bytes;
  if (!isThere) log.warn({ key: storeKey }, 'a file is not in the store as its row says');
  const path = isThere ? `${folder}/${id}.${endingOf(name, type)}` : null;
  return { id, path, name, type, bytes, durationMs, createdAt, storeKey };
}

const endings: Record<string, string> = { 'audio/mpeg': 'mp3', 'audio/webm': 'webm', 'audio/ogg': 'ogg' };

const endingOf = (name: string, type: string): string =>
  /\.([A-Za-z0-9]{1,8})$/.exec(name)?.[1]?.toLowerCase() ?? endings[type] ?? 'bin';

async function mayOpen(ctx: Ctx, { id, meetingId, layerId }: typeof attachments.$inferSelect): Promise<boolean> {
  // A layer that was closed to its reader meanwhile takes nothing else from the archive.
  const refusals = layerId === null ? ['NOT_FOUND'] : ['NOT_FOUND', 'NO_ACCESS'];
  try {
    await openAttachment(ctx, { id: layerId ?? meetingId, attachmentId: id });
    return true;
  } catch (error) {
    if (error instanceof Problem && refusals.includes(error.code)) return false;
    throw error;
  }
}

interface About extends Files {
  id: string;
  held: Held;
  title: string;
  generation: number;
  history: History | null;
  annotations: AnnotationsContent;
}

async function aboutOf(ctx: Ctx, of: About): Promise<RecordingContent> {
  const { id, held, title, generation, history, annotations } = of;
  const { person } = signedIn(ctx);
  const [meeting] = await ctx.db.orm.select().from(meetings).where(eq(meetings.id, id));
  if (!meeting) throw new Problem('NO_ACCESS');
  const sharing = allows('GET /api/meetings/:id/acl', held) ? await aclOf(ctx.db.orm, { kind: 'meeting', id }) : null;
  const addresses = new Map([
    ...(sharing ?? []).flatMap(({ principal }) =>
      principal.kind === 'user' && principal.email !== null ? [[principal.id, principal.email] as const] : [],
    ),
    [person.id, person.email] as const,
  ]);
  const every = [...annotations.layers, annotations].flatMap(({ outcomes, comments }) => [
    ...outcomes.map(({ author }) => author.id),
    ...comments.flatMap(({ author, resolved }) => [author.id, resolved?.by.id ?? null]),
  ]);
  const ids = [meeting.ownerId, ...every, ...of.attached.map(({ by }) => by), ...(history?.people ?? [])];
  const people = await peopleBy(
    ctx,
    ids.filter((one) => one !== ''),
  );
  const shown = ({ id: file, path, name, type, bytes, durationMs, createdAt: at }: Stored) => ({
    ...{ id: file, path, name, type, bytes, durationMs },
    createdAt: at.toISOString(),
  });
  return {
    ...{ id, title, generation },
    createdAt: meeting.createdAt.toISOString(),
    owner: meeting.ownerId,
    closedAt: meeting.closedAt?.toISOString() ?? null,
    permissions: [...held].filter((one) => holds(held, one)),
    history: history && {
      ...{ seq: history.seq, base: history.base },
      ...{ origins: history.origins, names: history.names },
    },
    media: of.media.map((one) => ({ ...shown(one), tag: one.tag })),
    attachments: of.attached.map((one) => ({
      ...{ ...shown(one), kind: one.kind },
      ...{ item: one.item, by: one.by, layer: one.layer },
    })),
    people: people.map(({ id: of_, name }) => ({ id: of_, name, email: addresses.get(of_) ?? null })),
    sharing: sharing && sharing.map(({ principal, permissions }) => ({ principal: { ...principal }, permissions })),
  };
}
