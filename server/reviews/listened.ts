import { sql } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { invalid, Problem } from '#shared/problems.ts';
import {
  fastestListening,
  shareOf,
  type ListenedAnswer,
  type ListenedInput,
  type ListenedPartsAnswer,
  type Part,
  type ShowListenedInput,
} from '#shared/reviews/listened.ts';
import { isCounted, type PrincipalKey } from '#shared/reviews/review.ts';
import { signedIn, transaction, type Ctx } from '../context.ts';
import { keepResult } from '../http/once.ts';
import { rules } from '../limits.ts';
import { lengthIn } from '../media/media.ts';
import { accessById } from '../rooms/access.ts';
import { noPart, ownsMeeting, partIn, type ReviewId } from './part.ts';
import { keyOf, layersIn, principalOf, type LayerRow, type StoredReview } from './rows.ts';
import { whatIsSeen } from './seen.ts';

// Parts of a recording that people have listened to while they assess, whether these are as much as the review asks for, and
// who sees them. Of people who do not show them, only the sum that a review asks for is told, and without one nothing is kept.

/** Milliseconds by which the clocks of a page and the server may differ. */
const slack = 2000;
/** Separate parts that are kept for a person; nobody who listens comes near. */
const mostRanges = 5000;

/** Adds parts that the caller has listened to, in a layer that they annotate; none where nobody asks for them. */
export async function addListened(ctx: Ctx, { id, heard }: ListenedInput & { id: string }): Promise<ListenedAnswer> {
  const { person } = signedIn(ctx);
  await ctx.limits.take(rules.write, person.id);
  const { meetingId, layerId } = await accessById(ctx, 'PUT /api/meetings/:id/listened', id);
  if (layerId === null) throw new Problem('NOT_FOUND');
  const parts = `{${heard.map(([from, to]) => `[${from},${to})`).join(',')}}`;
  const now = ctx.clock.now();
  return transaction(ctx, async (tx) => {
    const length = await lengthIn(tx, meetingId);
    const current = async () => {
      const [row] = await tx.execute<{ before: number; after: number; ranges: number; at: string }>(sql`
        select at, (select count(*) from unnest(heard + ${within(parts, length)})) as ranges,
          ${lengthSql(sql`heard`)} as before, ${lengthSql(sql`heard + ${within(parts, length)}`)} as after
        from listened where layer_id = ${layerId} and user_id = ${person.id} for update`);
      return row;
    };
    const row = (await current()) ?? ((await beginListening(tx, layerId, person.id)) ? await current() : undefined);
    if (!row) return notKept(ctx, tx, layerId);
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

/**
 * Adds the row of somebody who is asked to listen. The review is held meanwhile: a change that asks no more, or takes them
 * out of it, deletes the rows that are there then.
 */
async function beginListening(tx: Orm, layerId: string, personId: string): Promise<boolean> {
  await tx.execute(sql`
    select 1 from reviews where id = (select review_id from layers where id = ${layerId}) for share`);
  const added = await tx.execute(sql`
    insert into listened (layer_id, user_id, heard, at)
    select l.id, u.id, '{}'::int4multirange, r.created_at
    from layers l join reviews r on r.id = l.review_id join users u on u.id = ${personId}
    where l.id = ${layerId} and l.kind in ('own', 'shared') and r.coverage is not null and exists (
      select 1 from layer_access a where a.layer_id = l.id and (
        (a.kind = 'user' and a.principal_id = u.id)
        or (a.kind = 'pending' and u.confirmed_at is not null and a.principal_id = u.email_key)))
    on conflict (layer_id, user_id) do nothing returning 1`);
  return added.length > 0;
}

async function notKept(ctx: Ctx, tx: Orm, layerId: string): Promise<ListenedAnswer> {
  const [assessed] = await tx.execute(sql`select 1 from layers where id = ${layerId} and kind in ('own', 'shared')`);
  if (!assessed) throw new Problem('NOT_FOUND');
  const answer = { heard: null };
  await keepResult(ctx, tx, answer);
  return answer;
}

const lengthSql = (parts: ReturnType<typeof sql>) =>
  sql`(select coalesce(sum(upper(part) - lower(part)), 0) from unnest(${parts}) part)`;

/** Parts inside the recording. */
const within = (parts: string, length: number | null) =>
  length === null
    ? sql`${parts}::int4multirange`
    : sql`${parts}::int4multirange * int4multirange(int4range(0, ${length}::int))`;

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

/** Layer for which a person listens: their own, or the shared one for those who assess in it; watchers have none. */
function listensIn({ people, row }: StoredReview, layers: readonly LayerRow[], key: PrincipalKey): LayerRow | null {
  const one = people.find((person) => keyOf(person) === key);
  const layer = one && assessedIn(layers, row.id, one.id);
  if (!one || !layer || one.role === 'watcher') return null;
  return layer.kind === 'own' || (one.role !== 'student' && isCounted({ role: one.role })) ? layer : null;
}

/** The caller's own parts, and those of people who show theirs and whose assessment the caller reads. */
export async function viewListened(ctx: Ctx, named: ReviewId): Promise<ListenedPartsAnswer> {
  const { orm } = ctx.db;
  const found = await partIn(ctx, orm, named, { owns: ownsMeeting(ctx, named.id) });
  return listenedFor(ctx, orm, found);
}

type Found = Awaited<ReturnType<typeof partIn>>;

async function listenedFor(ctx: Ctx, tx: Orm, found: Found): Promise<ListenedPartsAnswer> {
  const { row, people, review, by } = found;
  const { layers, access } = await layersIn(tx, [row.id]);
  const reads = new Set(access.flatMap((held) => (keyOf(held) === by.principal ? held.layerId : [])));
  const role = people.find((one) => keyOf(one) === by.principal)?.role ?? null;
  const sees = whatIsSeen(review, by, role, review.leader === by.principal && role !== 'student');
  const own = listensIn(found, layers, by.principal);
  const readable = layers.filter(({ id }) => reads.has(id));
  const rows = await partsIn(tx, own ? [...readable, own] : readable);
  const ownKeys = [by.principal, signedIn(ctx).person.id];
  const mine = own && rows.find(({ layer, keys }) => layer === own.id && keys.some((key) => ownKeys.includes(key)));
  return {
    duration: await lengthIn(tx, row.meetingId),
    mine: own && { shared: mine?.shared ?? false, heard: mine?.heard ?? [] },
    people: people.flatMap((one) => {
      const key = keyOf(one);
      const isListed = sees.names || one.role === 'student';
      const layer = key === by.principal || !isListed ? null : listensIn(found, layers, key);
      const shown = layer && rows.find((parts) => parts.shared && parts.layer === layer.id && parts.keys.includes(key));
      return shown && reads.has(shown.layer)
        ? [{ id: one.id, isStudent: one.role === 'student', heard: shown.heard }]
        : [];
    }),
  };
}

/** Parts that are kept in layers, each with the keys of its person. */
async function partsIn(tx: Orm, layers: readonly Pick<LayerRow, 'id'>[]) {
  const ids = layers.map(({ id }) => id);
  const rows = await tx.execute<{
    layer: string;
    account: string;
    address: string | null;
    shared: boolean;
    heard: Part[];
  }>(sql`
    select layer_id as layer, user_id as account, case when u.confirmed_at is not null then u.email_key end as address, shared,
      (select coalesce(jsonb_agg(jsonb_build_array(lower(part), upper(part)) order by lower(part)), '[]') from unnest(heard) part) as heard
    from listened join users u on u.id = user_id where layer_id = any(${sql.param(ids)}::text[])`);
  return [...rows].map(({ account, address, ...parts }) => ({
    ...parts,
    keys: [account, ...(address === null ? [] : [keyOf({ kind: 'pending', principalId: address })])],
  }));
}

/**
 * Shows what the caller has listened to, to those who read their assessment, or hides it. What is hidden is deleted, unless
 * the review asks for it.
 */
export async function showListened(
  ctx: Ctx,
  { shared, ...named }: ShowListenedInput & ReviewId,
): Promise<ListenedPartsAnswer> {
  const { person } = signedIn(ctx);
  await ctx.limits.take(rules.write, person.id);
  const owns = await ownsMeeting(ctx, named.id);
  return transaction(ctx, async (tx) => {
    const found = await partIn(ctx, tx, named, { owns });
    const { layers } = await layersIn(tx, [found.row.id]);
    const layer = listensIn(found, layers, found.by.principal);
    if (!layer) throw noPart();
    if (shared)
      await tx.execute(sql`
        insert into listened (layer_id, user_id, heard, at, shared)
        values (${layer.id}, ${person.id}, '{}'::int4multirange, ${found.row.createdAt.toISOString()}::timestamptz, true)
        on conflict (layer_id, user_id) do update set shared = true`);
    else if (found.row.coverage === null)
      await tx.execute(sql`delete from listened where layer_id = ${layer.id} and user_id = ${person.id}`);
    else
      await tx.execute(sql`update listened set shared = false where layer_id = ${layer.id} and user_id = ${person.id}`);
    const answer = await listenedFor(ctx, tx, found);
    await keepResult(ctx, tx, answer);
    return answer;
  });
}

/** Deletes what a review asks for no more, but for those who show it. */
export const forgetHidden = (tx: Orm, reviewId: string) =>
  tx.execute(sql`
    delete from listened where not shared and layer_id in (select id from layers where review_id = ${reviewId})`);

/** Deletes what people have listened to who are removed from a review, or assess no more. */
export async function forgetListened(tx: Orm, reviewId: string, keys: readonly PrincipalKey[]): Promise<void> {
  const principals = keys.map(principalOf);
  const of = (wanted: 'user' | 'pending') =>
    sql.param(principals.flatMap(({ kind, principalId }) => (kind === wanted ? principalId : [])));
  await tx.execute(sql`
    delete from listened where layer_id in (select id from layers where review_id = ${reviewId}) and user_id in (
      select id from users where id = any(${of('user')}::text[])
        or (confirmed_at is not null and email_key = any(${of('pending')}::text[])))`);
}

interface OwnParts {
  shared: boolean;
  heard: Part[];
}

/** The caller's own parts in layers, for their archive. */
export async function ownParts(ctx: Ctx, layerIds: readonly string[]): Promise<ReadonlyMap<string, OwnParts>> {
  const { person } = signedIn(ctx);
  const rows = await partsIn(
    ctx.db.orm,
    layerIds.map((id) => ({ id })),
  );
  return new Map(
    rows.flatMap(({ layer, keys, shared, heard }) => (keys[0] === person.id ? [[layer, { shared, heard }]] : [])),
  );
}

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
