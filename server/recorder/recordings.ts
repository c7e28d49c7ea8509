import { createHash } from 'node:crypto';
import { and, asc, eq, exists, inArray, isNull, lt, sql } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { users } from '#db/schema/accounts.ts';
import { intakes } from '#db/schema/intake.ts';
import { meetings } from '#db/schema/meetings.ts';
import { liveRecordings, takePieces, takes } from '#db/schema/recorder.ts';
import { newId } from '#shared/ids.ts';
import { mostRecordingMs, wrongOptions } from '#shared/intake.ts';
import { Problem } from '#shared/problems.ts';
import { recorderLimits, type LiveInput, type LiveView } from '#shared/recorder.ts';
import type { MeetingVerb } from '#shared/roles.ts';
import { after } from '../clock.ts';
import { signedIn, transaction, type Ctx, type House } from '../context.ts';
import { offersOf } from '../engines/engines.ts';
import { assembleJob } from '../intake/live.ts';
import { nameDocument } from '../intake/naming.ts';
import { queueJob } from '../jobs.ts';
import { rules } from '../limits.ts';
import { scopeOf } from '../people/sessions.ts';
import { accessTo } from '../rooms/access.ts';
import { isComplete } from './assemble-soon.ts';
import { tellTakes } from './signals.ts';

type LiveRecording = typeof liveRecordings.$inferSelect;

/** Speakers of a recording whose number nobody has told; engines that count them ignore it. */
const usualSpeakers = 2;
const keptAfterAssembly = 86_400;
const sweptAtOnce = 50;

/** Makes a meeting for sound that is about to be recorded. A repeated request finds the same meeting. */
export async function beginRecording(ctx: Ctx, input: LiveInput): Promise<{ id: string }> {
  const signed = signedIn(ctx);
  const { person } = signed;
  const { title, language: lang, model, consent, tracks } = input;
  const errors = wrongOptions({ model, lang, speakers: usualSpeakers }, offersOf(ctx).models);
  const named = errors.map(({ field, code }) => ({ field: field === 'lang' ? 'language' : field, code }));
  if (named.length > 0) throw new Problem('INVALID', { errors: named });
  const requestDigest = createHash('sha256').update(JSON.stringify(input)).digest();
  const before = await sameRequest(ctx, person.id, requestDigest);
  if (before) return before;
  await ctx.limits.take(rules.liveRecordings, person.id);
  const scopeId = await scopeOf(signed);
  const now = ctx.clock.now();
  const id = newId();
  const intake = {
    meetingId: id,
    ownerId: person.id,
    requestId: ctx.requestId,
    requestDigest,
    state: 'recording',
    title,
    model,
    lang,
    speakers: usualSpeakers,
    vocabulary: '',
    createdAt: now,
  } as const;
  try {
    const made = await transaction(ctx, async (tx) => {
      await tx.insert(meetings).values({ id, ownerId: person.id, createdAt: now });
      const [row] = await tx.insert(intakes).values(intake).returning();
      await tx.insert(liveRecordings).values({
        meetingId: id,
        personId: person.id,
        state: 'recording',
        tracks,
        model,
        lang,
        consentVersion: consent,
        consentAt: now,
        scopeId,
        startedAt: now,
      });
      return row;
    });
    if (made) await nameDocument(ctx, made, {});
    return { id };
  } catch (error) {
    // A concurrent copy of the request has made it.
    const meanwhile = await sameRequest(ctx, person.id, requestDigest);
    if (meanwhile) return meanwhile;
    throw error;
  }
}

async function sameRequest(ctx: Ctx, ownerId: string, digest: Buffer): Promise<{ id: string } | null> {
  const [row] = await ctx.db.orm
    .select({ id: intakes.meetingId, digest: intakes.requestDigest })
    .from(intakes)
    .where(and(eq(intakes.ownerId, ownerId), eq(intakes.requestId, ctx.requestId)));
  if (!row) return null;
  if (!row.digest.equals(digest)) throw new Problem('IDEMP');
  return { id: row.id };
}

/** The recording of a meeting, for a caller who may make this call; with `mine` only for who began it. */
export async function recordingFor(
  ctx: Ctx,
  name: MeetingVerb,
  id: string,
  { mine = false }: { mine?: boolean } = {},
): Promise<LiveRecording> {
  await accessTo(ctx, name, id);
  const [row] = await ctx.db.orm.select().from(liveRecordings).where(eq(liveRecordings.meetingId, id));
  if (!row) throw new Problem('NOT_FOUND');
  if (mine && row.personId !== ctx.person?.id)
    throw new Problem('NO_PERM', { message: 'Only the person who began it can record' });
  return row;
}

/** State of a recording; its takes are for the person who records. */
export async function viewRecording(ctx: Ctx, { id }: { id: string }): Promise<LiveView> {
  const live = await recordingFor(ctx, 'GET /api/meetings/:id/live', id);
  const mine = live.personId === ctx.person?.id;
  const [who] = await ctx.db.orm
    .select({ firstName: users.firstName, lastName: users.lastName })
    .from(users)
    .where(eq(users.id, live.personId));
  const rows = mine
    ? await ctx.db.orm
        .select()
        .from(takes)
        .where(eq(takes.meetingId, id))
        .orderBy(asc(takes.offsetMs), asc(takes.createdAt), asc(takes.id))
    : [];
  return {
    state: live.state,
    name: `${who?.firstName ?? ''} ${who?.lastName ?? ''}`.trim(),
    mine,
    startedAt: live.startedAt.toISOString(),
    tracks: live.tracks,
    gaps: live.gaps,
    takes: rows.map(({ id: take, track, offsetMs: offset, kept, endedAt }) => ({
      take,
      track,
      offset,
      kept,
      ended: endedAt !== null,
    })),
  };
}

export const hasEnded = (): Problem =>
  new Problem('CONFLICT', { message: 'The recording has ended', info: { reason: 'RECORDING_ENDED' } });

/** Changes between recording and paused, which is only shown: pieces are taken in both states. */
async function change(ctx: Ctx, name: MeetingVerb, id: string, state: 'recording' | 'paused'): Promise<void> {
  await recordingFor(ctx, name, id, { mine: true });
  const changed = await ctx.db.orm
    .update(liveRecordings)
    .set({ state })
    .where(and(eq(liveRecordings.meetingId, id), inArray(liveRecordings.state, ['recording', 'paused'])))
    .returning({ id: liveRecordings.meetingId });
  if (changed.length === 0) throw hasEnded();
}

export const pauseRecording = (ctx: Ctx, { id }: { id: string }) =>
  change(ctx, 'POST /api/meetings/:id/live/pause', id, 'paused');
export const resumeRecording = (ctx: Ctx, { id }: { id: string }) =>
  change(ctx, 'POST /api/meetings/:id/live/resume', id, 'recording');

/** Ends a recording. Its file is made at once, or after a while where pieces are still missing. */
export async function endRecording(ctx: Ctx, { id }: { id: string }): Promise<void> {
  await recordingFor(ctx, 'POST /api/meetings/:id/live/end', id);
  const ended = await transaction(ctx, (tx) => end(tx, id, ctx.clock.now(), recorderLimits.lateSeconds));
  if (!ended) throw hasEnded();
}

/** Asks the person who records to stop. */
export async function askToStop(ctx: Ctx, { id }: { id: string }): Promise<void> {
  const { person } = signedIn(ctx);
  const { state } = await recordingFor(ctx, 'POST /api/meetings/:id/live/ask-to-stop', id);
  if (state !== 'recording' && state !== 'paused') throw hasEnded();
  await ctx.limits.take(rules.askToStop, person.id);
  await tellTakes(ctx.db.orm, { meeting: id, stop: 'asked' });
}

async function end(tx: Orm, id: string, now: Date, lateSeconds: number): Promise<boolean> {
  const ended = await tx
    .update(liveRecordings)
    .set({ state: 'ended', endedAt: now })
    .where(and(eq(liveRecordings.meetingId, id), inArray(liveRecordings.state, ['recording', 'paused'])))
    .returning({ id: liveRecordings.meetingId });
  if (ended.length === 0) return false;
  await tx.update(intakes).set({ state: 'processing', percentage: 0 }).where(eq(intakes.meetingId, id));
  await queueJob(tx, assembleJob, id, now, (await isComplete(tx, id)) ? now : after(now, lateSeconds));
  await tellTakes(tx, { meeting: id, stop: 'ended' });
  return true;
}

/** Ends recordings that sent nothing for a while, and those as long as a recording may be. */
export async function endForgotten(house: House): Promise<void> {
  const now = house.clock.now();
  const last = sql`coalesce((select max(${takes.lastPieceAt}) from ${takes} where ${takes.meetingId} = ${liveRecordings.meetingId}), ${liveRecordings.startedAt})`;
  const quietSince = after(now, -recorderLimits.quietSeconds).toISOString();
  const longSince = after(now, -mostRecordingMs / 1000).toISOString();
  const forgotten = await house.db.orm
    .select({ id: liveRecordings.meetingId })
    .from(liveRecordings)
    .innerJoin(meetings, and(eq(meetings.id, liveRecordings.meetingId), isNull(meetings.deletedAt)))
    .where(
      and(
        inArray(liveRecordings.state, ['recording', 'paused']),
        sql`(${last} < ${quietSince}::timestamptz or ${liveRecordings.startedAt} < ${longSince}::timestamptz)`,
      ),
    );
  for (const { id } of forgotten) await transaction(house, (tx) => end(tx, id, now, 0));
}

/** Deletes pieces a day after the file that has their sound was verified, of some takes in each round. */
export async function sweepPieces({ db, clock }: Pick<House, 'db' | 'clock'>): Promise<void> {
  const old = db.orm
    .select({ id: takes.id })
    .from(takes)
    .innerJoin(liveRecordings, eq(liveRecordings.meetingId, takes.meetingId))
    .where(
      and(
        eq(liveRecordings.state, 'assembled'),
        lt(liveRecordings.assembledAt, after(clock.now(), -keptAfterAssembly)),
        exists(db.orm.select().from(takePieces).where(eq(takePieces.takeId, takes.id))),
      ),
    )
    .limit(sweptAtOnce);
  await db.orm.delete(takePieces).where(inArray(takePieces.takeId, old));
}
