import { and, asc, eq, inArray, isNull } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { users } from '#db/schema/accounts.ts';
import { layerAccess, layers, reviewers, reviews } from '#db/schema/reviews.ts';
import type { PrincipalKey, Review } from '#shared/reviews/review.ts';
import type { Person } from '../context.ts';

// A review as its rows say it is, and people by one key: an account's id, or the key of an address without one.

export type ReviewRow = typeof reviews.$inferSelect;
type ReviewerRow = typeof reviewers.$inferSelect;
export type LayerRow = typeof layers.$inferSelect;
export type Principal = Pick<ReviewerRow, 'kind' | 'principalId'>;

export const keyOf = ({ kind, principalId }: Principal): PrincipalKey =>
  kind === 'user' ? principalId : `mail:${principalId}`;

export const principalOf = (key: PrincipalKey): Principal =>
  key.startsWith('mail:')
    ? { kind: 'pending', principalId: key.slice('mail:'.length) }
    : { kind: 'user', principalId: key };

export interface StoredReview {
  row: ReviewRow;
  people: ReviewerRow[];
  review: Review;
}

/** A review of this meeting that is not deleted; `lock`: nobody else changes it until the transaction ends. */
export async function loadReview(
  tx: Orm,
  { meetingId, reviewId }: { meetingId: string; reviewId: string },
  lock = false,
): Promise<StoredReview | null> {
  const found = tx
    .select()
    .from(reviews)
    .where(and(eq(reviews.id, reviewId), eq(reviews.meetingId, meetingId), isNull(reviews.deletedAt)));
  const [[row], all] = lock
    ? [await found.for('update'), await peopleOf(tx, [reviewId])]
    : await Promise.all([found, peopleOf(tx, [reviewId])]);
  if (!row) return null;
  const people = inListOrder(row, all);
  return { row, people, review: reviewOf(row, people) };
}

export const peopleOf = (tx: Orm, ids: readonly string[]): Promise<ReviewerRow[]> =>
  tx
    .select()
    .from(reviewers)
    .where(inArray(reviewers.reviewId, [...ids]))
    .orderBy(asc(reviewers.addedAt), asc(reviewers.id));

/**
 * People of a review in the order of its lists. In an anonymous one it follows from the random ids of their rows, which no
 * other review has; watchers are last, as they may come when all others have numbers.
 */
export function inListOrder(
  { anonymous }: Pick<ReviewRow, 'anonymous'>,
  people: readonly ReviewerRow[],
): ReviewerRow[] {
  if (!anonymous) return [...people];
  const keyIn = ({ id, role }: ReviewerRow) => `${role === 'watcher' ? 1 : 0} ${id}`;
  return people.toSorted((one, other) => (keyIn(one) < keyIn(other) ? -1 : 1));
}

const timeOf = (at: Date | null): number | null => at?.getTime() ?? null;

export function reviewOf(row: ReviewRow, people: readonly ReviewerRow[]): Review {
  const one = (person: ReviewerRow) => ({ id: person.id, principal: keyOf(person), status: person.status });
  const student = people.find(({ role }) => role === 'student');
  const { policy, anonymous, due, selfSkipped, blindRecord, haveRead } = row;
  return {
    ...{ policy, anonymous, due, selfSkipped, blindRecord, haveRead },
    leader: row.leaderId,
    keyOf: row.keyOf,
    secondOf: row.secondOf,
    student: student ? one(student) : null,
    reviewers: people.flatMap((person) => (person.role === 'student' ? [] : { ...one(person), role: person.role })),
    endedAt: timeOf(row.endedAt),
    openedAt: timeOf(row.openedAt),
    publishedAt: timeOf(row.publishedAt),
    deletedAt: timeOf(row.deletedAt),
  };
}

/** The key by which a person has a part in a review; that of their account where they have none. */
export function selfIn(
  review: Review,
  { id, emailKey, confirmed }: Pick<Person, 'id' | 'emailKey' | 'confirmed'>,
): PrincipalKey {
  const byAddress = keyOf({ kind: 'pending', principalId: emailKey });
  const all = [review.leader, review.student?.principal, ...review.reviewers.map(({ principal }) => principal)];
  return confirmed && !all.includes(id) && all.includes(byAddress) ? byAddress : id;
}

/** The same person, by account and by a confirmed address. */
export async function twinsOf(tx: Orm, keys: readonly PrincipalKey[]): Promise<Map<PrincipalKey, PrincipalKey>> {
  const ids = keys.flatMap((key) => (principalOf(key).kind === 'user' ? key : []));
  const addresses = keys.flatMap((key) => (principalOf(key).kind === 'pending' ? principalOf(key).principalId : []));
  if (ids.length === 0 || addresses.length === 0) return new Map();
  const rows = await tx
    .select({ id: users.id, emailKey: users.emailKey })
    .from(users)
    .where(and(inArray(users.id, ids), inArray(users.emailKey, addresses)));
  return new Map(rows.map(({ id, emailKey }) => [keyOf({ kind: 'pending', principalId: emailKey }), id]));
}

/** Layers of reviews, and the permissions on them. */
export async function layersIn(tx: Orm, ids: readonly string[]) {
  const isWanted = and(inArray(layers.reviewId, [...ids]), isNull(layers.deletedAt));
  const [found, access] = await Promise.all([
    tx.select().from(layers).where(isWanted).orderBy(asc(layers.id)),
    tx
      .select()
      .from(layerAccess)
      .where(inArray(layerAccess.layerId, tx.select({ id: layers.id }).from(layers).where(isWanted))),
  ]);
  return { layers: found, access };
}
