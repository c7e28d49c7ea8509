import { and, asc, count, eq, isNull } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { liveRecordings, takes } from '#db/schema/recorder.ts';
import { newId } from '#shared/ids.ts';
import { Problem } from '#shared/problems.ts';
import { recorderLimits, type LiveState, type TakeInput } from '#shared/recorder.ts';
import { after } from '../clock.ts';
import { signedIn, transaction, type Ctx, type House, type Signed } from '../context.ts';
import { accessTo } from '../rooms/access.ts';
import type { Outcome } from './piece-log.ts';
import { hasEnded, recordingFor } from './recordings.ts';
import { tellTakes } from './signals.ts';

/** Begins a take of a track; one that another tab records has to be taken over. */
export async function beginTake(
  ctx: Ctx,
  { id, track, type, offset, takeOver = false }: TakeInput & { id: string },
): Promise<{ take: string }> {
  const { state } = await recordingFor(ctx, 'POST /api/meetings/:id/takes', id, { mine: true });
  if (!isOpen(state)) throw hasEnded();
  const now = ctx.clock.now();
  return transaction(ctx, async (tx) => {
    const open = await tx
      .select()
      .from(takes)
      .where(and(eq(takes.meetingId, id), eq(takes.track, track), isNull(takes.endedAt)))
      .orderBy(asc(takes.id))
      .for('update');
    const alive = after(now, -recorderLimits.aliveSeconds);
    if (!takeOver && open.some(({ lastPieceAt, createdAt }) => (lastPieceAt ?? createdAt) > alive))
      throw new Problem('CONFLICT', {
        message: 'Another tab is recording',
        info: { reason: 'RECORDING_ELSEWHERE' },
      });
    await checkState(tx, id);
    for (const { id: other } of open) {
      await tx.update(takes).set({ endedAt: now }).where(eq(takes.id, other));
      await tellTakes(tx, { take: other, stop: 'elsewhere' });
    }
    const [counted] = await tx.select({ made: count() }).from(takes).where(eq(takes.meetingId, id));
    if ((counted?.made ?? 0) >= recorderLimits.takes)
      throw new Problem('CONFLICT', { message: 'Too many takes', info: { reason: 'TOO_MANY_TAKES' } });
    const take = newId();
    await tx.insert(takes).values({ id: take, meetingId: id, track, type, offsetMs: offset, createdAt: now });
    return { take };
  });
}

const isOpen = (state: LiveState): boolean => state === 'recording' || state === 'paused';

/** The state is locked: an end that runs at the same time comes before or after this take. */
async function checkState(tx: Orm, id: string): Promise<void> {
  const [live] = await tx
    .select({ state: liveRecordings.state })
    .from(liveRecordings)
    .where(eq(liveRecordings.meetingId, id))
    .for('share');
  if (!live || !isOpen(live.state)) throw hasEnded();
}

interface OwnTake {
  id: string;
  meetingId: string;
  kept: number;
}

/** A take of this person; null if it is somebody else's, or does not exist. */
export async function takeOf(house: Pick<House, 'db'>, personId: string, take: string): Promise<OwnTake | null> {
  const [row] = await house.db.orm
    .select({ id: takes.id, meetingId: takes.meetingId, kept: takes.kept })
    .from(takes)
    .innerJoin(liveRecordings, eq(liveRecordings.meetingId, takes.meetingId))
    .where(and(eq(takes.id, take), eq(liveRecordings.personId, personId)));
  return row ?? null;
}

async function ownTake(ctx: Signed, take: string): Promise<OwnTake> {
  const own = await takeOf(ctx, ctx.person.id, take);
  if (!own) throw new Problem('NO_ACCESS');
  // The person may have lost the meeting since.
  await accessTo(ctx, 'POST /api/meetings/:id/takes', own.meetingId);
  return own;
}

/** Stores one piece; the answer says up to where all pieces are stored. */
export async function putPiece(
  ctx: Ctx,
  { take, n, bytes }: { take: string; n: number; bytes: Uint8Array },
): Promise<{ kept: number }> {
  const own = await ownTake(signedIn(ctx), take);
  return keptOr(await ctx.pieces.add(own.id, [{ n, bytes }], { now: true }));
}

/** Ends a take with its number of pieces. */
export async function endTake(ctx: Ctx, { take, pieces }: { take: string; pieces: number }): Promise<{ kept: number }> {
  const own = await ownTake(signedIn(ctx), take);
  return keptOr(await ctx.pieces.add(own.id, [], { now: true, total: pieces }));
}

function keptOr(outcome: Outcome): { kept: number } {
  if ('kept' in outcome) return outcome;
  switch (outcome.refused) {
    case 'differs':
      throw new Problem('CONFLICT', { message: 'Another piece has this number', info: { reason: 'PIECE_DIFFERS' } });
    case 'ended':
      throw hasEnded();
    case 'full':
      throw new Problem('BIG');
    case 'gone':
      throw new Problem('NO_ACCESS');
  }
}
