import { sql } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { invalid, Problem } from '#shared/problems.ts';
import { fastestListening, type ListenedAnswer, type ListenedInput } from '#shared/reviews/listened.ts';
import { isCounted, type PrincipalKey } from '#shared/reviews/review.ts';
import { signedIn, transaction, type Ctx } from '../context.ts';
import { keepResult } from '../http/once.ts';
import { rules } from '../limits.ts';
import { lengthIn } from '../media/media.ts';
import { accessById } from '../rooms/access.ts';
import { keyOf, layersIn, type LayerRow, type StoredReview } from './rows.ts';

// Parts of a recording that people have listened to while they assess, and whether these are as much as the review asks for.

/** Milliseconds by which the clocks of a page and the server may differ. */
const slack = 2000;
/** Separate parts that are kept for a person; nobody who listens comes near. */
const mostRanges = 5000;

/** Adds parts that the caller has listened to, in a layer that they annotate. */
export async function addListened(ctx: Ctx, { id, heard }: ListenedInput & { id: string }): Promise<ListenedAnswer> {
  const { person } = signedIn(ctx);
  await ctx.limits.take(rules.write, person.id);
  const { meetingId, layerId } = await accessById(ctx, 'PUT /api/meetings/:id/listened', id);
  if (layerId === null) throw new Problem('NOT_FOUND');
  const parts = `{${heard.map(([from, to]) => `[${from},${to})`).join(',')}}`;
  const now = ctx.clock.now();
  return transaction(ctx, async (tx) => {
    const length = await lengthIn(tx, meetingId);
    await tx.execute(sql`
      insert into listened (layer_id, user_id, heard, at)
      select l.id, ${person.id}, '{}'::int4multirange, r.created_at from layers l join reviews r on r.id = l.review_id
      where l.id = ${layerId} and l.kind in ('own', 'shared')
      on conflict (layer_id, user_id) do nothing`);
    const [row] = await tx.execute<{ before: number; after: number; ranges: number; at: string }>(sql`
      select at, (select count(*) from unnest(heard + ${within(parts, length)})) as ranges, ${lengthSql(sql`heard`)} as before, ${lengthSql(sql`heard + ${within(parts, length)}`)} as after
      from listened where layer_id = ${layerId} and user_id = ${person.id} for update`);
    if (!row) throw new Problem('NOT_FOUND');
    const [before, after] = [Number(row.before), Number(row.after)];
    const elapsed = now.getTime() - new Date(row.at).getTime();
    if (after - before > fastestListening * (elapsed + slack)) throw invalid({ field: 'heard', code: 'too_fast' });
    if (Number(row.ranges) > mostRanges) throw invalid({ field: 'heard', code: 'too_many' });
    if (after > before)
      await tx.execute(sql`
        update listened set heard = heard + ${within(parts, length)}, at = ${now.toISOString()}::timestamptz
        where layer_id = ${layerId} and user_id = ${person.id}`);
    const answer = { heard: length === null ? null : shareOf(after, length) };
    await keepResult(ctx, tx, answer);
    return answer;
  });
}

const lengthSql = (parts: ReturnType<typeof sql>) =>
  sql`(select coalesce(sum(upper(part) - lower(part)), 0) from unnest(${parts}) part)`;

/** Parts inside the recording. */
const within = (parts: string, length: number | null) =>
  length === null
    ? sql`${parts}::int4multirange`
    : sql`${parts}::int4multirange * int4multirange(int4range(0, ${length}::int))`;

/** Milliseconds that no page can count: its player and the house measure another length. */
const uncounted = 1000;

/** Percent, rounded down, so that it never says more than was heard. */
const shareOf = (heard: number, length: number): number =>
  heard + (heard > 0 ? uncounted : 0) >= length ? 100 : Math.floor((heard / length) * 100);

/** Percent that each person has listened to, by layer and their key; null where the length of the recording is not known. */
export type Heard = ((layerId: string, person: PrincipalKey) => number) | null;

export async function heardIn(tx: Orm, meetingId: string, layers: readonly Pick<LayerRow, 'id'>[]): Promise<Heard> {
  const length = await lengthIn(tx, meetingId);
  if (length === null) return null;
  const ids = layers.map(({ id }) => id);
  const rows = await tx.execute<{ layer: string; account: string; address: string | null; ms: string }>(sql`
    select layer_id as layer, user_id as account, case when u.confirmed_at is not null then u.email_key end as address,
      ${lengthSql(sql`heard`)} as ms
    from listened join users u on u.id = user_id where layer_id = any(${sql.param(ids)}::text[])`);
  const found = new Map<string, number>();
  for (const { layer, account, address, ms } of rows) {
    const keys = [account, ...(address === null ? [] : [keyOf({ kind: 'pending', principalId: address })])];
    for (const key of keys) found.set(`${layer} ${key}`, shareOf(Number(ms), length));
  }
  return (layerId, person) => found.get(`${layerId} ${person}`) ?? 0;
}

/** Layer in which a reviewer or the student assesses; what they have heard is kept with it. */
export const assessedIn = (layers: readonly LayerRow[], reviewId: string, personId: string): LayerRow | undefined => {
  const own = layers.filter((one) => one.reviewId === reviewId);
  return own.find(({ reviewerId }) => reviewerId === personId) ?? own.find(({ kind }) => kind === 'shared');
};

/** People of whom a review asks that they listen; supervisors read what others assess. */
export const mustListen = (role: StoredReview['people'][number]['role']): boolean =>
  role === 'student' || role === 'muted' || isCounted({ role });

/** Refuses to complete an assessment of who has listened to less than the review asks for. */
export async function refuseUnheard(
  ctx: Ctx,
  tx: Orm,
  { row, people }: StoredReview,
  reviewerId: string,
): Promise<void> {
  const me = people.find(({ id }) => id === reviewerId);
  if (row.coverage === null || !me || !mustListen(me.role)) return;
  const { layers } = await layersIn(tx, [row.id]);
  const layer = assessedIn(layers, row.id, reviewerId);
  const heard = await heardIn(tx, row.meetingId, layers);
  if (heard === null || !layer) return;
  const share = heard(layer.id, signedIn(ctx).person.id);
  if (share < row.coverage)
    throw new Problem('INVALID', {
      message: `You have listened to ${share} % of the recording; this review asks for ${row.coverage} %`,
      errors: [{ field: 'status', code: 'unheard' }],
    });
}
