import { and, asc, desc, eq, gte, inArray, isNull, or } from 'drizzle-orm';
import { z } from 'zod';
import type { Orm } from '#db/open.ts';
import { users } from '#db/schema/accounts.ts';
import { intakes } from '#db/schema/intake.ts';
import { orders } from '#db/schema/orders.ts';
import { defaultFormat, transcriptTypes } from '#shared/formats/formats.ts';
import {
  failureOf,
  finishedDays,
  type AnsweredOrder,
  type OrderRecording,
  type OrderView,
  type Refusal,
  type RefuseInput,
} from '#shared/orders.ts';
import { invalid, Problem } from '#shared/problems.ts';
import { moneyTransaction } from '../billing/ledger.ts';
import { after } from '../clock.ts';
import { transaction, type Ctx, type Signed } from '../context.ts';
import { fieldErrors } from '../http/body.ts';
import type { FormPart } from '../http/multipart.ts';
import { readMeetingForm } from '../intake/create.ts';
import { endFailed } from '../intake/ending.ts';
import { queueJob } from '../jobs.ts';
import { mediaOf, type Medium } from '../media/media.ts';
import { addressSeconds } from '../outside/store.ts';
import { deliveryJob } from './delivery.ts';
import { isOperator, operator } from './operators.ts';

type Order = typeof orders.$inferSelect;

const mostListed = 500;
const shownStates: Order['state'][] = ['open', 'delivered', 'refused'];

/** All open orders, the oldest first, followed by the recently finished ones. */
export async function listOrders(ctx: Ctx): Promise<OrderView[]> {
  const { person } = operator(ctx);
  const lately = gte(orders.finishedAt, after(ctx.clock.now(), -finishedDays * 86_400));
  const rows = await ctx.db.orm
    .select({ order: orders, holder: users })
    .from(orders)
    .leftJoin(users, eq(users.id, orders.holderId))
    .where(or(eq(orders.state, 'open'), and(inArray(orders.state, shownStates), lately)))
    .orderBy(desc(eq(orders.state, 'open')), asc(orders.createdAt), asc(orders.id))
    .limit(mostListed);
  return rows.map(({ order, holder }) => viewOf(order, holder, person.id));
}

function viewOf(order: Order, holder: Pick<Row, 'id' | 'firstName' | 'lastName'> | null, personId: string): OrderView {
  const { id, state, title, lang, speakers, vocabulary, durationMs, createdAt, finishedAt, failure } = order;
  return {
    id,
    state: state === 'open' ? (holder ? 'taken' : 'waiting') : state === 'refused' ? 'refused' : 'delivered',
    title,
    lang,
    speakers,
    vocabulary,
    duration: durationMs === null ? null : durationMs / 1000,
    ordered: createdAt.getTime(),
    holder: holder && { name: `${holder.firstName} ${holder.lastName}`.trim(), isMe: holder.id === personId },
    finished: finishedAt?.getTime() ?? null,
    refusal: order.refusal as Refusal | null,
    returned: state === 'open' && failure !== null,
  };
}
type Row = typeof users.$inferSelect;

/** The current order; a withdrawn one counts as missing. */
async function orderOf(orm: Orm, id: string): Promise<Order> {
  const [row] = await orm.select().from(orders).where(eq(orders.id, id));
  if (!row || row.state === 'withdrawn') throw new Problem('NOT_FOUND');
  return row;
}

async function view(ctx: Signed, id: string): Promise<OrderView> {
  const order = await orderOf(ctx.db.orm, id);
  const [holder] =
    order.holderId === null ? [] : await ctx.db.orm.select().from(users).where(eq(users.id, order.holderId));
  return viewOf(order, holder ?? null, ctx.person.id);
}

const done = (): Problem => new Problem('CONFLICT', { message: 'This order is done', info: { reason: 'ORDER_DONE' } });
const anothers = (): Problem =>
  new Problem('CONFLICT', { message: 'Somebody else has this order', info: { reason: 'ORDER_TAKEN' } });

/** Condition: the order is open and nobody else has taken it. */
const isFor = (personId: string) =>
  and(eq(orders.state, 'open'), or(isNull(orders.holderId), eq(orders.holderId, personId)));

/** An open order that the caller can work on; throws the reason otherwise. */
async function openFor({ db, person }: Signed, id: string): Promise<Order> {
  const order = await orderOf(db.orm, id);
  if (order.state !== 'open') throw done();
  if (order.holderId !== null && order.holderId !== person.id) throw anothers();
  return order;
}

/** Takes an order; taking it again changes nothing. */
export async function takeOrder(ctx: Ctx, { id }: { id: string }): Promise<OrderView> {
  const signed = operator(ctx);
  await openFor(signed, id);
  const taken = await ctx.db.orm
    .update(orders)
    .set({ holderId: signed.person.id })
    .where(and(eq(orders.id, id), isFor(signed.person.id)))
    .returning({ id: orders.id });
  if (taken.length === 0) await openFor(signed, id);
  return view(signed, id);
}

/** Returns an order to the queue. Any operator can do so, because its holder may be absent. */
export async function giveBackOrder(ctx: Ctx, { id }: { id: string }): Promise<OrderView> {
  const signed = operator(ctx);
  const given = await ctx.db.orm
    .update(orders)
    .set({ holderId: null })
    .where(and(eq(orders.id, id), eq(orders.state, 'open')))
    .returning({ id: orders.id });
  if (given.length === 0) {
    await orderOf(ctx.db.orm, id);
    throw done();
  }
  return view(signed, id);
}

/** Refuses an order: its owner gets the money back and a mail with the reason. */
export async function refuseOrder(ctx: Ctx, { id, reason }: RefuseInput & { id: string }): Promise<OrderView> {
  const signed = operator(ctx);
  const { person } = signed;
  const before = await orderOf(ctx.db.orm, id);
  if (before.state === 'refused' && before.refusal === reason && before.holderId === person.id) return view(signed, id);
  await openFor(signed, id);
  await moneyTransaction(ctx, async (tx) => {
    await lockIntake(tx, before.meetingId);
    const refused = await tx
      .update(orders)
      .set({ state: 'refused', refusal: reason, holderId: person.id, finishedAt: ctx.clock.now() })
      .where(and(eq(orders.id, id), isFor(person.id)))
      .returning({ id: orders.id });
    if (refused.length === 0) throw done();
    await endFailed(ctx, tx, { id, meetingId: before.meetingId }, failureOf(reason));
  });
  ctx.wakeMail();
  return view(signed, id);
}

/**
 * Locks the intake, so that a deletion of the meeting at the same moment either waits or wins; returns the
 * milliseconds heard.
 */
async function lockIntake(tx: Orm, meetingId: string): Promise<number> {
  const [intake] = await tx.select().from(intakes).where(eq(intakes.meetingId, meetingId)).for('update');
  if (intake?.state !== 'processing') throw done();
  return intake.heardMs;
}

const answerForm = z.object({ transcriptType: z.enum(transcriptTypes, 'transcript_type').default(defaultFormat) });

/**
 * Accepts a transcript for an order. It is parsed at once, so that its author hears of mistakes; a job adds it to the
 * meeting.
 */
export async function answerOrder(
  ctx: Ctx,
  { id, form }: { id: string; form: AsyncIterable<FormPart> },
): Promise<AnsweredOrder> {
  const signed = operator(ctx);
  const { person, requestId } = signed;
  const before = await orderOf(ctx.db.orm, id);
  // A repeated request whose first answer was lost.
  if (before.state === 'delivered' && before.requestId === requestId && before.holderId === person.id)
    return { ...(await view(signed, id)), notes: [] };
  const { meetingId, title, lang, durationMs } = await openFor(signed, id);
  const { fields, transcript } = await readMeetingForm(signed, form, null);
  const parsed = answerForm.safeParse({ ...fields });
  if (!parsed.success) throw new Problem('INVALID', { errors: fieldErrors(parsed.error) });
  if (!transcript) throw invalid({ field: 'transcript', code: 'required' });
  const { bytes } = transcript;
  const { transcriptType: format } = parsed.data;
  const about = { title, lang };
  const { notes } = await ctx.transcripts.read({
    ...{ bytes, format, about, personId: person.id },
    mediaMs: durationMs ?? undefined,
  });
  await transaction(ctx, async (tx) => {
    const heardFrom = await lockIntake(tx, meetingId);
    const now = ctx.clock.now();
    const answered = await tx
      .update(orders)
      .set({
        state: 'delivered',
        holderId: person.id,
        transcript: bytes,
        transcriptType: format,
        requestId,
        heardFrom,
        failure: null,
        finishedAt: now,
      })
      .where(and(eq(orders.id, id), isFor(person.id)))
      .returning({ id: orders.id });
    if (answered.length === 0) throw done();
    await queueJob(tx, deliveryJob, meetingId, now);
  });
  return { ...(await view(signed, id)), notes };
}

/** Address of the recording for the operator of an order, valid for five minutes. */
export async function recordingOf(ctx: Ctx, { id }: { id: string }): Promise<OrderRecording> {
  const signed = operator(ctx);
  const { meetingId } = await openFor(signed, id);
  const media = await mediaOf(ctx, meetingId);
  const played = media.find(({ tag }) => tag === 'audio' || tag === 'video');
  const medium = played ?? media.find(({ tag }) => tag === 'source');
  if (!medium) throw new Problem('NOT_FOUND');
  const claims = { medium: medium.id, by: signed.person.id };
  const { token } = await ctx.keys.sign('recording', id, addressSeconds.read, claims);
  const { name, type, bytes } = medium;
  const until = ctx.clock.now().getTime() + addressSeconds.read * 1000;
  return { url: `${recordingPath}${token}`, name, type, bytes, plays: played !== undefined, until };
}

/** Path of recordings for operators; a token follows. */
export const recordingPath = '/store/recordings/';

/** The recording of such an address, while its operator can work on the order. */
export async function openRecording(ctx: Ctx, token: string): Promise<Medium> {
  const gone = new Problem('GONE');
  const signed = await ctx.keys.verify('recording', token);
  if (!signed) throw gone;
  const by = String(signed.claims['by']);
  const [row] = await ctx.db.orm
    .select({ meetingId: orders.meetingId, person: users })
    .from(orders)
    .innerJoin(users, eq(users.id, by))
    .where(and(eq(orders.id, signed.subject), isFor(by)));
  if (!row || !isOperator(ctx.config, { ...row.person, confirmed: row.person.confirmedAt !== null })) throw gone;
  const media = await mediaOf(ctx, row.meetingId);
  const medium = media.find(({ id }) => id === signed.claims['medium']);
  if (!medium) throw gone;
  return medium;
}
