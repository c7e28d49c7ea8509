import { createHash } from 'node:crypto';
import { eq } from 'drizzle-orm';
import type { AccessById } from '#db/access.ts';
import { users } from '#db/schema/accounts.ts';
import { aiAnalyses } from '#db/schema/ai.ts';
import { meetings } from '#db/schema/meetings.ts';
import type { PlainTranscript } from '#shared/meetings/plain.ts';
import type { MeetingView } from '#shared/meetings/meeting.ts';
import { Problem } from '#shared/problems.ts';
import { allows } from '#shared/roles.ts';
import type { Ctx } from '../context.ts';
import { aclOf } from '../sharing/acl.ts';
import { sharingCost } from '../sharing/paid-share.ts';
import { mediumView } from './about.ts';
import { closedColumns, closedViewOf, closers } from '../sharing/closed.ts';
import { copiesOf, readableOf } from './copies.ts';
import { reviewsBeside } from '../reviews/view.ts';
import { accessById } from '../rooms/access.ts';
import { processingCosts } from '../intake/processing-costs.ts';
import type { State } from '../rooms/documents.ts';
import { askerOf } from '../rooms/whole-documents.ts';
import { annotationsIn, annotationsMark, annotationsVersionOf, type AnnotationsMark } from '../annotations/read.ts';
import { outcomesSchema, readingOf, type Reading } from '../annotations/schema.ts';
import { intakeWithMedia, progressOf } from '../intake/drafts.ts';
import { editedSegments, withFlags } from '../rooms/segment-flags.ts';
import { subtitlesPath } from '../media/media-subtitles.ts';

/** Version of the answer's shape, incremented so that clients discard cached answers. */
const shape = 9;

type Beside = Omit<MeetingView, 'version' | 'annotationsVersion' | 'doc'>;
type BesideInDoc = Omit<
  MeetingView['doc'],
  keyof PlainTranscript | 'comments' | 'outcomes' | 'grades' | 'outcomesSchema'
>;

/** The meeting as JSON text with its ETag; only the ETag if the caller has this state. */
export async function viewMeeting(
  ctx: Ctx,
  { id, knows }: { id: string; knows: (etag: string) => boolean },
): Promise<{ etag: string; json: Buffer<ArrayBuffer> | null }> {
  const access = await accessById(ctx, 'GET /api/meetings/:id', id);
  const { meetingId, held } = access;
  const [{ beside, doc }, annotations, reading, edited] = await Promise.all([
    besideDocument(ctx, access),
    annotationsMark(ctx, access),
    readingOf(ctx, access),
    editedSegments(ctx, meetingId),
  ]);
  const [around, inside] = [JSON.stringify(beside), JSON.stringify(doc)];
  const etagOf = marker(around, inside + edited.join(' '), annotations, reading);
  const plain = await ctx.documents.plain(meetingId, askerOf(ctx), (state) => knows(etagOf(state)));
  const etag = etagOf(plain);
  if (!('fields' in plain)) return { etag, json: null };
  const { comments, outcomes, grades } = await annotationsIn(ctx, access, annotations);
  const schema = await outcomesSchema(ctx, plain.outcomeModel, reading, outcomes);
  const items = JSON.stringify({ comments, outcomes, grades, outcomesSchema: schema });
  // Concatenated as text, because the document is long and is JSON already.
  const beginning = [
    `"version":${plain.version},"annotationsVersion":${annotationsVersionOf(annotations)}`,
    around.slice(1, -1),
    `"doc":{${inside.slice(1, -1)}`,
    items.slice(1, -1),
  ];
  const head = Buffer.from(`{${beginning.join(',')},`);
  return {
    etag,
    json: Buffer.concat([
      head,
      withFlags(plain.fields, { blocked: !allows('POST /api/meetings/:id/edit', held), edited }),
      Buffer.from('}}'),
    ]),
  };
}

const marker =
  (around: string, inside: string, annotations: AnnotationsMark, reading: Reading) =>
  ({ version, seq }: State): string => {
    const mark = createHash('sha256')
      .update([shape, version, seq, around, inside, JSON.stringify([annotations, reading])].join('\n'))
      .digest('base64url');
    return `"${mark.slice(0, 27)}"`;
  };

/** Computes ETags of states that are not stored yet, for writers. */
export async function markerOf(
  ctx: Ctx,
  access: AccessById,
  /** The assistant of the recording that is being set; default: the stored one. */
  chatModel?: string | null,
): Promise<(state: State) => string> {
  const [{ beside, doc }, annotations, reading] = await Promise.all([
    besideDocument(ctx, access),
    annotationsMark(ctx, access),
    readingOf(ctx, access),
  ]);
  const inside = chatModel === undefined ? doc : { ...doc, chat_model_id: chatModel };
  return marker(JSON.stringify(beside), JSON.stringify(inside), annotations, reading);
}

/** Everything besides the document. Features that do not exist yet are empty. */
export async function besideDocument(
  ctx: Ctx,
  { meetingId, layerId, held }: AccessById,
): Promise<{ beside: Beside; doc: BesideInDoc }> {
  // By a layer, all addresses in the answer are the layer's.
  const id = layerId ?? meetingId;
  const [[meeting], { intake, media }, entries, reviews, clones, analysis] = await Promise.all([
    ctx.db.orm
      .select({
        createdAt: meetings.createdAt,
        clonedFrom: meetings.clonedFrom,
        chatModelId: meetings.chatModelId,
        ownerId: users.id,
        firstName: users.firstName,
        lastName: users.lastName,
        ...closedColumns,
      })
      .from(meetings)
      .innerJoin(users, eq(users.id, meetings.ownerId))
      .leftJoin(closers, eq(closers.id, meetings.closedBy))
      .where(eq(meetings.id, meetingId)),
    intakeWithMedia(ctx, meetingId),
    allows('GET /api/meetings/:id/acl', held) ? aclOf(ctx.db.orm, { kind: 'meeting', id: meetingId }) : null,
    reviewsBeside(ctx, meetingId, layerId === null && allows('POST /api/meetings/:id/reviews', held)),
    layerId === null ? copiesOf(ctx, meetingId) : [],
    layerId === null ? analysisOf(ctx, meetingId) : noAnalysis,
  ]);
  if (!meeting) throw new Problem('NO_ACCESS');
  const costs = await processingCosts(ctx, intake, held);
  const cost = allows('POST /api/meetings/:id/paid-share', held) ? await sharingCost(ctx, ctx.db.orm, id) : null;
  const clonedFrom = layerId === null ? meeting.clonedFrom : null;
  const [original] = clonedFrom === null ? [] : await readableOf(ctx, [clonedFrom]);
  const at = meeting.createdAt.toISOString();
  return {
    beside: {
      permissions: [...held],
      owner: { id: meeting.ownerId, name: `${meeting.firstName} ${meeting.lastName}`.trim() },
      media: media.map((medium) => mediumView(medium, id)),
      vtt: subtitlesPath(id),
      progress: progressOf(intake),
      closed: closedViewOf(meeting),
      costs,
      clones,
      reviews,
    },
    doc: {
      id,
      // Addresses of others are visible only to people who manage the sharing.
      acl: entries && { entries },
      date: at,
      upload_date: at,
      uploadDate: at,
      isCompleted: reviews.some(({ status }) => status === 'complete'),
      sharingCost: cost,
      cloned_from: original ?? null,
      cloned_private: clonedFrom !== null && original === undefined,
      chat_model_id: layerId === null ? meeting.chatModelId : null,
      aiQa: { analysis },
      activeCommenters: layerId === null ? ctx.rooms.seen(id, 'comments').map((one) => ({ ...one })) : [],
    },
  };
}

const noAnalysis = { answer: null, model: null, at: null };

/** Text of the stored analysis; its checked quotes are in a call of their own (server/ai/analysis.ts). */
async function analysisOf({ db }: Ctx, meetingId: string): Promise<MeetingView['doc']['aiQa']['analysis']> {
  const [stored] = await db.orm.select().from(aiAnalyses).where(eq(aiAnalyses.meetingId, meetingId));
  if (!stored) return noAnalysis;
  const answer = stored.parts.map(({ text }) => text).join('\n');
  return { answer, model: stored.model, at: stored.createdAt.toISOString() };
}
