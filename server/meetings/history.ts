import { and, eq } from 'drizzle-orm';
import * as Y from 'yjs';
import { versionNames } from '#db/schema/history.ts';
import type { NameVersionInput, RestoredAnswer } from '#shared/meetings/history.ts';
import type { MeetingView } from '#shared/meetings/meeting.ts';
import type { Begun } from '#sync/server/generations.ts';
import { ThreadFailed } from '#sync/server/thread.ts';
import { signedIn, type Ctx } from '../context.ts';
import { answerOf } from '../http/once.ts';
import { annotationsIn, annotationsMark, annotationsVersionOf } from '../annotations/read.ts';
import { outcomesSchema, readingOf } from '../annotations/schema.ts';
import { accessTo } from '../rooms/access.ts';
import { noSuchVersion } from '../rooms/at-version.ts';
import { roomProblems } from '../rooms/documents.ts';
import { Holding } from '../rooms/holding.ts';
import { updateProjection } from '../rooms/projection.ts';
import { noFlags } from '../rooms/segment-flags.ts';
import { versionOf } from '../rooms/version.ts';
import { askerOf } from '../rooms/whole-documents.ts';
import { read, type Given, type Readings } from '../rooms/whole-readings.ts';
import { besideDocument } from './view.ts';

interface Named {
  id: string;
  version: number;
}

/** The meeting with its document at a version, as JSON; everything besides the document is current. */
export async function viewVersion(ctx: Ctx, { id, version }: Named): Promise<Buffer<ArrayBuffer>> {
  const held = await accessTo(ctx, 'GET /api/meetings/:id/versions/:version', id);
  const access = { meetingId: id, layerId: null, held };
  const [then, { beside, doc }, { version: annotationsVersion, items }, reading] = await Promise.all([
    readAt(ctx, { id, version }, 'plain', pastFlags),
    besideDocument(ctx, access),
    annotationsMark(ctx, access).then(async (mark) => ({
      version: annotationsVersionOf(mark),
      items: await annotationsIn(ctx, access, mark),
    })),
    readingOf(ctx, access),
  ]);
  const schema = await outcomesSchema(ctx, then.outcomeModel, reading, items.outcomes);
  const around: BesideVersion = { version, annotationsVersion, ...beside };
  const inside = { ...doc, ...items, outcomesSchema: schema };
  const head = `${JSON.stringify(around).slice(0, -1)},"doc":${JSON.stringify(inside).slice(0, -1)},`;
  return Buffer.concat([Buffer.from(head), then.fields, Buffer.from('}}')]);
}

type BesideVersion = Omit<MeetingView, 'doc'>;

/** Makes an answer of the transcript at a version: of a long one in a thread. The caller checks the permission. */
export async function readAt<Kind extends keyof Readings>(
  ctx: Ctx,
  { id, version }: Named,
  kind: Kind,
  ...given: Given<Kind>
): Promise<ReturnType<Readings[Kind]>> {
  const { versions, wholes } = ctx;
  const count = await versions.count(id);
  const place = count.placeOf(version);
  if (!place) throw noSuchVersion();
  const pieces = await versions.stored(id, place, count.mends);
  try {
    if (wholes.isLong(pieces)) return await wholes.answer(askerOf(ctx), pieces, place.generation, kind, given);
  } catch (error) {
    if (!(error instanceof ThreadFailed)) throw error;
  }
  return read(await versions.docOf(id, place, count.mends), place.generation, kind, given);
}

/** Nobody changes what is past, not even the owner. */
const pastFlags = { ...noFlags, isBlocked: true };

/** Names a version, replacing its earlier name. */
export async function nameVersion(ctx: Ctx, { id, version, name }: NameVersionInput & Named): Promise<void> {
  const { person } = signedIn(ctx);
  await accessTo(ctx, 'PUT /api/meetings/:id/versions/:version/name', id);
  const count = await ctx.versions.count(id);
  if (!count.placeOf(version)) throw noSuchVersion();
  const fields = { name, userId: person.id, at: ctx.clock.now() };
  await ctx.db.orm
    .insert(versionNames)
    .values({ meetingId: id, version, ...fields })
    .onConflictDoUpdate({ target: [versionNames.meetingId, versionNames.version], set: fields });
}

export async function unnameVersion(ctx: Ctx, { id, version }: Named): Promise<void> {
  await accessTo(ctx, 'DELETE /api/meetings/:id/versions/:version/name', id);
  await ctx.db.orm.delete(versionNames).where(and(eq(versionNames.meetingId, id), eq(versionNames.version, version)));
}

/**
 * Restores a version as a new generation: the log is not rewritten, so that the replaced state stays in the history,
 * with everything typed until that moment.
 */
export async function restoreVersion(ctx: Ctx, { id, version }: Named): Promise<RestoredAnswer> {
  const { person } = signedIn(ctx);
  const ask = () => accessTo(ctx, 'POST /api/meetings/:id/versions/:version/restore', id);
  const holding = new Holding(ctx, { meetingId: id, layerId: null, held: await ask() }, ask);
  const { versions, wholes, rooms, once } = ctx;
  const count = await versions.count(id);
  const place = count.placeOf(version);
  if (!place) throw noSuchVersion();
  const { generation, seq } = place;
  const before = count.now;
  // Already at this version; nothing to restore.
  if (before.generation === generation && before.seq === seq) return { version, kept: version };
  const origin = { generation, seq };
  const answered = once ? { asked: once.asked, answer: (begun: Begun) => answerOf(restored(begun)) } : null;
  const pieces = await versions.stored(id, place, count.mends);
  const begun = await roomProblems(async () => {
    // A short document may have many structures: the rooms find out what building it costs.
    const { seed, clientIds: proved } = wholes.isLong(pieces)
      ? await wholes.do('restored', pieces, rooms.limits)
      : { seed: Y.encodeStateAsUpdate(await versions.docOf(id, place, count.mends)), clientIds: undefined };
    return holding.during((holder) =>
      rooms.renew(id, 'transcript', { userId: person.id }, seed, {
        origin,
        answered,
        holder,
        ...(proved && { proved }),
      }),
    );
  });
  if (once) once.kept = true;
  await updateProjection(ctx, id);
  return restored(begun);
}

const restored = ({ base, mends, left }: Begun): RestoredAnswer => ({
  version: versionOf({ base, seq: 1, mends }),
  kept: versionOf({ base: base - left, seq: left, mends }),
});
