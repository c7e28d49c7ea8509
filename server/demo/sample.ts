import { setTimeout as sleep } from 'node:timers/promises';
import { and, eq } from 'drizzle-orm';
import { intakes } from '#db/schema/intake.ts';
import { meetings } from '#db/schema/meetings.ts';
import { newId } from '#shared/ids.ts';
import { externalModel } from '#shared/intake.ts';
import { Problem } from '#shared/problems.ts';
import { after } from '../clock.ts';
import { signedIn, transaction, type Ctx, type Signed } from '../context.ts';
import { rules } from '../limits.ts';
import { fillTalk } from './talk.ts';

/** Names a person's sample among their intakes; no request can have an id as short. */
const requestId = 'sample';
/** Seconds after which an unfinished sample was left by a process that ended. */
const abandonedAfter = 60;
const retryAfter = 1;
/** How long a request waits for another one that makes the same sample, and how often it looks, in milliseconds. */
const patience = 20_000;
const lookEvery = 100;

/** The caller's own copy of the sample recording: made at the first call, restored if it was deleted; it costs nothing. */
export async function openSample(ctx: Ctx): Promise<{ id: string }> {
  const signed = signedIn(ctx);
  for (const until = performance.now() + patience; ;) {
    const id = await findOrMake(signed);
    if (id !== null) return { id };
    if (performance.now() > until) throw new Problem('UNAVAILABLE', { retryAfter });
    await sleep(lookEvery);
  }
}

/** Null while another request is making it. */
async function findOrMake(ctx: Signed): Promise<string | null> {
  const existing = await findSample(ctx);
  if (!existing) return makeSample(ctx);
  const { id, state, deletedAt } = existing;
  if (state === 'ready') {
    if (deletedAt)
      await ctx.db.orm.update(meetings).set({ deletedAt: null, deletedWith: null }).where(eq(meetings.id, id));
    return id;
  }
  if (existing.createdAt > after(ctx.clock.now(), -abandonedAfter)) return null;
  await ctx.db.orm.delete(meetings).where(eq(meetings.id, id));
  return makeSample(ctx);
}

async function findSample({ db, person }: Signed) {
  const [row] = await db.orm
    .select({
      id: meetings.id,
      state: intakes.state,
      createdAt: intakes.createdAt,
      deletedAt: meetings.deletedAt,
    })
    .from(intakes)
    .innerJoin(meetings, eq(meetings.id, intakes.meetingId))
    .where(and(eq(intakes.ownerId, person.id), eq(intakes.requestId, requestId)));
  return row;
}

/** No list shows it before it is whole. Null where another request has begun to make it. */
async function makeSample(ctx: Signed): Promise<string | null> {
  await ctx.limits.take(rules.samples, ctx.person.id);
  const id = newId();
  const ownerId = ctx.person.id;
  const createdAt = ctx.clock.now();
  const begun = await transaction(ctx, async (tx) => {
    await tx.insert(meetings).values({ id, ownerId, createdAt });
    const claimed = await tx
      .insert(intakes)
      .values({
        meetingId: id,
        ownerId,
        requestId,
        requestDigest: Buffer.alloc(0),
        state: 'created',
        title: '',
        model: externalModel,
        lang: 'en-US',
        speakers: 0,
        vocabulary: '',
        transcriptEntered: true,
        createdAt,
      })
      .onConflictDoNothing({ target: [intakes.ownerId, intakes.requestId] })
      .returning({ id: intakes.meetingId });
    if (claimed.length === 0) await tx.delete(meetings).where(eq(meetings.id, id));
    return claimed.length > 0;
  });
  if (!begun) return null;
  try {
    await fillTalk(ctx, id);
    await ctx.db.orm
      .update(intakes)
      .set({ state: 'ready', percentage: 100, finishedAt: ctx.clock.now() })
      .where(eq(intakes.meetingId, id));
  } catch (error) {
    await ctx.db.orm.delete(meetings).where(eq(meetings.id, id));
    throw error;
  }
  return id;
}
