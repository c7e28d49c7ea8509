import { and, eq, inArray, sql } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { outcomeModels } from '#db/schema/outcome-models.ts';
import {
  layerAccess,
  layers,
  removedReviewers,
  reviewers,
  reviewLog,
  reviews,
  reviewStates,
} from '#db/schema/reviews.ts';
import { isOwnModel } from '#shared/account-choices.ts';
import { newId } from '#shared/ids.ts';
import { invalid, Problem } from '#shared/problems.ts';
import { grantsOf } from '#shared/reviews/grants.ts';
import { isTooMany, next, type Actor, type ReviewEvent, type ReviewMail } from '#shared/reviews/machine.ts';
import { isFrozen, libraryStateOf, type PrincipalKey, type Review } from '#shared/reviews/review.ts';
import type { House, Signed } from '../context.ts';
import { keepBlindRecord, type BlindReading } from './blind-record.ts';
import { noteWhoLearns, refuseByKey, refuseKnownToKey } from './key.ts';
import { notifyPages } from './news.ts';
import { keyOf, layersIn, principalOf, twinsOf, type Principal, type StoredReview } from './rows.ts';

// The only place where a review changes: `next` says what follows of an event, and all of it is written in the
// transaction that holds the lock on the review, or nothing is.

/** Events that only those learn of who may; the others raise the number that changes are judged by. */
const quiet: ReadonlySet<ReviewEvent['type']> = new Set(['annotate', 'complete', 'take-back']);

/** Details of new people that the rules do not need, by their key. */
export type Addresses = ReadonlyMap<PrincipalKey, string>;

interface Applied {
  review: Review;
  mails: readonly ReviewMail[];
}

/**
 * Applies events one after the other, all or none; `stored` is locked. Events that may open a review run in
 * `withBlindReading`, which gives the `reading`.
 */
export async function apply(
  ctx: Signed,
  tx: Orm,
  stored: StoredReview & { reading?: BlindReading | undefined },
  events: readonly ReviewEvent[],
  by: Actor,
  addresses: Addresses = new Map(),
): Promise<Applied> {
  const now = ctx.clock.now();
  const known = await withTwins(tx, stored.review, events);
  let review = known;
  const mails: ReviewMail[] = [];
  for (const event of events) {
    const step = next(review, event, by, now.getTime());
    if ('refused' in step) {
      if (step.refused === 'INVALID') {
        // People of a key, or beside one, get the same answer however far reviewers are.
        if (step.code === 'could_read') await refuseKnownToKey(tx, stored, comingBy(stored.review, events));
        throw invalid({ field: step.field, code: step.code });
      }
      throw new Problem(step.refused);
    }
    ({ review } = step);
    mails.push(...step.mails);
  }
  review = { ...review, haveRead: keptKeys(review, known, stored.review) };
  // People are counted after all events: roles may be exchanged, and a removed person makes room for another.
  refuseTooMany(ctx, stored.review, review);
  await refuseByKey(tx, stored, review);
  await save(ctx, tx, stored, review, events, addresses);
  await noteWhoLearns(tx, stored, review);
  if (stored.review.blindRecord === null && review.blindRecord !== null)
    await keepBlindRecord(tx, stored.row, stored.reading);
  return { review, mails };
}

const addedBy = (events: readonly ReviewEvent[]) =>
  events.flatMap((event) => (event.type === 'add' ? event.reviewers : []));

/** People whom events add or give another role. */
function comingBy(review: Review, events: readonly ReviewEvent[]) {
  const changed = events.flatMap((event) => {
    const one = event.type === 'role' && review.reviewers.find(({ id }) => id === event.reviewer);
    return one ? { principal: one.principal, role: event.role } : [];
  });
  return { added: addedBy(events), changed };
}

/** Events by which people come to assess who may have read another assessment. */
const bringing: ReadonlySet<ReviewEvent['type']> = new Set(['add', 'role', 'change']);

/** The review with both keys, by account and by address, of people in it who could read another assessment. */
async function withTwins(tx: Orm, review: Review, events: readonly ReviewEvent[]): Promise<Review> {
  const { haveRead, reviewers: known } = review;
  if (haveRead.length === 0 || !events.some(({ type }) => bringing.has(type))) return review;
  const people = [...known, ...addedBy(events)].map(({ principal }) => principal);
  const twins = [...(await twinsOf(tx, [...haveRead, ...people]))];
  return { ...review, haveRead: [...new Set([...haveRead, ...twins.filter(knownIn(haveRead)).flat()])] };
}

/** Keys to store: an address that stands for an account now may be another person's later. */
function keptKeys(review: Review, known: Review, before: Review): readonly PrincipalKey[] {
  const derived = known.haveRead.filter((key) => isAddress(key) && !before.haveRead.includes(key));
  return review.haveRead.filter((key) => !derived.includes(key));
}

const isAddress = (key: PrincipalKey): boolean => key.startsWith(keyOf({ kind: 'pending', principalId: '' }));

const knownIn = (keys: readonly PrincipalKey[]) => (pair: readonly PrincipalKey[]) =>
  pair.some((key) => keys.includes(key));

function refuseTooMany({ config }: Pick<House, 'config'>, before: Review, review: Review): void {
  const { strict, relaxed, student, supervisors } = config.reviews;
  if (isTooMany(review, { reviewers: { strict, relaxed, student, ai: relaxed }, supervisors }, before))
    throw invalid({ field: 'reviewers', code: 'too_many' });
}

/** Keeps which types the review asks for once somebody has begun, as their set may be changed afterwards. */
async function keepAsked(
  tx: Orm,
  { id, outcomeModel, askedTypes: before }: StoredReview['row'],
  review: Review,
): Promise<void> {
  const settled = isOwnModel(outcomeModel) && (isFrozen(review) || review.openedAt !== null);
  if (settled === (before !== null)) return;
  const [set] = settled
    ? await tx.select({ types: outcomeModels.types }).from(outcomeModels).where(eq(outcomeModels.id, outcomeModel))
    : [];
  const askedTypes = set?.types.filter(({ retired }) => !retired).map((type) => type.id) ?? null;
  await tx.update(reviews).set({ askedTypes }).where(eq(reviews.id, id));
}

const dateOf = (at: number | null): Date | null => (at === null ? null : new Date(at));

async function save(
  ctx: Signed,
  tx: Orm,
  { row, people, review: before }: StoredReview,
  review: Review,
  events: readonly ReviewEvent[],
  addresses: Addresses,
): Promise<void> {
  const now = ctx.clock.now();
  const { policy, anonymous, due, selfSkipped } = review;
  const raised = events.some(({ type }) => !quiet.has(type));
  await tx
    .update(reviews)
    .set({
      ...{ policy, anonymous, due, selfSkipped },
      endedAt: dateOf(review.endedAt),
      openedAt: dateOf(review.openedAt),
      publishedAt: dateOf(review.publishedAt),
      deletedAt: dateOf(review.deletedAt),
      blindRecord: review.blindRecord ? [...review.blindRecord] : null,
      haveRead: [...review.haveRead],
      rev: raised ? row.rev + 1 : row.rev,
    })
    .where(eq(reviews.id, row.id));
  await keepAsked(tx, row, review);
  await savePeople(tx, row.id, people, review, now, addresses);
  // A new review shows something to all its people.
  await notifyPages(tx, row, people.length === 0 ? { ...before, deletedAt: 0 } : before, review);
  await saveLayers(tx, row, review, now);
  await saveStates(tx, row, review);
  const [last] = await tx
    .select({ nth: sql<number>`coalesce(max(${reviewLog.nth}), 0)`.mapWith(Number) })
    .from(reviewLog)
    .where(eq(reviewLog.reviewId, row.id));
  if (events.length > 0)
    await tx.insert(reviewLog).values(
      events.map((event, i) => ({
        ...{ reviewId: row.id, nth: (last?.nth ?? 0) + i + 1, userId: ctx.person.id, event, at: now },
      })),
    );
}

async function savePeople(
  tx: Orm,
  reviewId: string,
  before: StoredReview['people'],
  review: Review,
  now: Date,
  addresses: Addresses,
): Promise<void> {
  const known = new Map(before.map((one) => [one.id, one]));
  const wanted = [...review.reviewers, ...(review.student ? [{ ...review.student, role: 'student' as const }] : [])];
  const gone = before.filter(({ id }) => !wanted.some((one) => one.id === id));
  if (gone.length > 0) {
    await tx.delete(reviewers).where(
      inArray(
        reviewers.id,
        gone.map(({ id }) => id),
      ),
    );
    await tx.insert(removedReviewers).values(
      gone.map(({ id, kind, principalId, role, addedAt }) => ({
        ...{ id, reviewId, kind, principalId, role, addedAt, removedAt: now },
      })),
    );
  }
  for (const { id, principal, role, status } of wanted) {
    const was = known.get(id);
    const completedAt = status === 'complete' ? (was?.completedAt ?? now) : null;
    if (!was)
      await tx.insert(reviewers).values({
        ...{ id, reviewId, ...principalOf(principal), email: addresses.get(principal) ?? null },
        ...{ role, status, completedAt, addedAt: now },
      });
    else if (was.role !== role || was.status !== status || keyOf(was) !== principal) {
      // With the new role they may count as one who looks on; what they corrected before stays without a name.
      if (was.role !== role) {
        const { kind, principalId, addedAt } = was;
        const past = { id: newId(), reviewId, kind, principalId, role: was.role, addedAt, removedAt: now };
        await tx.insert(removedReviewers).values(past);
      }
      await tx
        .update(reviewers)
        .set({ role, status, completedAt, ...principalOf(principal) })
        .where(eq(reviewers.id, id));
    }
  }
}

const permissionsOf = { read: ['read'], comment: ['read', 'comment'], write: ['read', 'write'] } as const;

/** Layers are made when somebody first has a right on them; only differences of rights are written. */
async function saveLayers(
  tx: Orm,
  { id: reviewId, meetingId }: StoredReview['row'],
  review: Review,
  now: Date,
): Promise<void> {
  const { layers: known, access } = await layersIn(tx, [reviewId]);
  const nameOf = (kind: string, of: string | null) => `${kind} ${of ?? ''}`;
  const idsByName = new Map(known.map(({ id, kind, reviewerId }) => [nameOf(kind, reviewerId), id]));
  const wanted = new Map<string, { layerId: string; principal: Principal; permissions: readonly string[] }>();
  for (const { layer, principal, permission } of grantsOf(review)) {
    const name = nameOf(layer.kind, layer.of);
    let layerId = idsByName.get(name);
    if (layerId === undefined) {
      layerId = newId();
      idsByName.set(name, layerId);
      await tx.insert(layers).values({ id: layerId, meetingId, reviewId, kind: layer.kind, reviewerId: layer.of });
    }
    wanted.set(`${layerId} ${principal}`, {
      ...{ layerId, principal: principalOf(principal), permissions: permissionsOf[permission] },
    });
  }
  const held = new Map(access.map((one) => [`${one.layerId} ${keyOf(one)}`, one]));
  const gone = [...held].flatMap(([key, one]) => (wanted.has(key) ? [] : one));
  const changed = [...wanted].flatMap(([key, one]) => {
    const was = held.get(key);
    return was && was.permissions.join(' ') === one.permissions.join(' ') ? [] : one;
  });
  const concerned = [...new Set([...gone, ...changed].map(({ layerId }) => layerId))].toSorted();
  if (concerned.length > 0)
    // Writes that hold one of these rights are stored before, or judged anew.
    await tx
      .select({ id: layers.id })
      .from(layers)
      .where(inArray(layers.id, concerned))
      .orderBy(layers.id)
      .for('no key update');
  for (const { layerId, kind, principalId } of gone)
    await tx
      .delete(layerAccess)
      .where(
        and(eq(layerAccess.layerId, layerId), eq(layerAccess.kind, kind), eq(layerAccess.principalId, principalId)),
      );
  if (changed.length > 0)
    await tx
      .insert(layerAccess)
      .values(
        changed.map(({ layerId, principal, permissions }) => ({
          ...{ layerId, meetingId, ...principal, permissions: [...permissions] },
        })),
      )
      .onConflictDoUpdate({
        target: [layerAccess.layerId, layerAccess.kind, layerAccess.principalId],
        set: { permissions: sql`excluded.permissions` },
      });
  // The layer of a removed reviewer is out of reach at once.
  const stays = new Set([...review.reviewers.map(({ id }) => id), review.student?.id]);
  const removed = known.filter(({ reviewerId }) => reviewerId !== null && !stays.has(reviewerId)).map(({ id }) => id);
  if (removed.length > 0) await tx.update(layers).set({ deletedAt: now }).where(inArray(layers.id, removed));
}

async function saveStates(tx: Orm, { id: reviewId, meetingId }: StoredReview['row'], review: Review): Promise<void> {
  const people = new Set([
    review.leader,
    ...(review.student ? [review.student.principal] : []),
    ...review.reviewers.map(({ principal }) => principal),
  ]);
  const wanted = new Map(
    [...people].flatMap((key) => {
      const state = libraryStateOf(review, key);
      return state === null ? [] : [[key, state] as const];
    }),
  );
  const held = await tx.select().from(reviewStates).where(eq(reviewStates.reviewId, reviewId));
  for (const one of held)
    if (!wanted.has(keyOf(one)))
      await tx
        .delete(reviewStates)
        .where(
          and(
            eq(reviewStates.reviewId, reviewId),
            eq(reviewStates.kind, one.kind),
            eq(reviewStates.principalId, one.principalId),
          ),
        );
  const before = new Map(held.map((one) => [keyOf(one), one.state]));
  const changed = [...wanted].filter(([key, state]) => before.get(key) !== state);
  if (changed.length > 0)
    await tx
      .insert(reviewStates)
      .values(changed.map(([key, state]) => ({ reviewId, meetingId, ...principalOf(key), state })))
      .onConflictDoUpdate({
        target: [reviewStates.reviewId, reviewStates.kind, reviewStates.principalId],
        set: { state: sql`excluded.state` },
      });
}
