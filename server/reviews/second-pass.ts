import { and, asc, eq, inArray, isNotNull, isNull, sql } from 'drizzle-orm';
import { accessesOf } from '#db/access.ts';
import type { Orm } from '#db/open.ts';
import { users } from '#db/schema/accounts.ts';
import { groupMembers, groups, teams } from '#db/schema/groups.ts';
import { meetings } from '#db/schema/meetings.ts';
import { reviews } from '#db/schema/reviews.ts';
import { isOwnModel } from '#shared/account-choices.ts';
import { newId } from '#shared/ids.ts';
import { allows } from '#shared/roles.ts';
import type { Review } from '#shared/reviews/review.ts';
import { transaction, type House, type Signed } from '../context.ts';
import { mayUseSet } from '../outcome-models/models.ts';
import { onBehalfOf } from '../people/on-behalf.ts';
import { workOnEach } from '../rounds.ts';
import { isLiving } from './part.ts';
import { storeReview } from './request.ts';
import { loadReview, principalOf, type ReviewRow } from './rows.ts';

// Second passes: a team has a share of its reviews assessed once more, by a person who knows nothing of the first
// assessments. Neither their reviewers, nor the person assessed, nor who owns the recording learn of it. It begins in the
// background, so that opening a review takes as long with it as without.

const atOnce = 200;

/** Decides on the reviews that have opened since the last round, once each. */
export async function beginSecondPasses(house: House): Promise<void> {
  const items = await house.db.orm
    .select({ id: reviews.id, meetingId: reviews.meetingId })
    .from(reviews)
    .innerJoin(meetings, and(eq(meetings.id, reviews.meetingId), isNull(meetings.deletedAt)))
    .where(
      and(
        isNull(reviews.secondDecidedAt),
        isNull(reviews.secondOf),
        isNotNull(reviews.openedAt),
        isNull(reviews.deletedAt),
      ),
    )
    .orderBy(asc(reviews.openedAt), asc(reviews.id))
    .limit(atOnce);
  await workOnEach(house, {
    items,
    failure: 'a second pass could not begin; tried again later',
    work: async ({ id, meetingId }) => {
      const asked = await askedFor(house, { meetingId, reviewId: id });
      await transaction(house, (tx) => decide(house, tx, { meetingId, reviewId: id }, asked));
    },
  });
}

interface Named {
  meetingId: string;
  reviewId: string;
}

interface Asked {
  leader: Signed;
  /** Account that assesses. */
  reader: string;
}

/** People of the second pass of a review; null if it gets none. They are looked up before, on connections of their own. */
async function askedFor(house: House, named: Named): Promise<Asked | null> {
  const { orm } = house.db;
  const first = await loadReview(orm, named);
  const leaderId = first && leaderOf(first.review);
  if (!first || !leaderId) return null;
  const team = await teamOfLeader(orm, first.row.leaderId);
  if (!team || !isChosen(house, team, first.row.id) || !(await isOfTeam(orm, first.row, team))) return null;
  const [held = null] = await house.db.ask((sql) =>
    accessesOf(sql, [{ meetingId: named.meetingId, userId: first.row.leaderId }]),
  );
  if (!held || !allows('POST /api/meetings/:id/reviews', held)) return null;
  const leader = await onBehalfOf(house, leaderId, newId());
  const reader = await readerFor(house, first.row, team);
  return leader?.person.confirmed && reader !== null ? { leader, reader } : null;
}

/**
 * Account that leads the second pass of a review and reads both: its leader, who is often a reviewer or assessed, or else
 * one of its supervisors.
 */
function leaderOf({ leader, student, reviewers }: Review): string | null {
  const isFree = (person: string) =>
    person !== student?.principal &&
    reviewers.every(({ principal, role }) => principal !== person || role === 'supervisor');
  const supervisors = reviewers.flatMap(({ principal, role }) => (role === 'supervisor' ? principal : []));
  return [leader, ...supervisors].find((one) => principalOf(one).kind === 'user' && isFree(one)) ?? null;
}

async function decide(house: House, tx: Orm, named: Named, asked: Asked | null): Promise<void> {
  const first = await loadReview(tx, named, true);
  // Another process was faster, or it is not open any more.
  if (!first || first.row.openedAt === null || first.row.secondDecidedAt !== null) return;
  await tx.update(reviews).set({ secondDecidedAt: house.clock.now() }).where(eq(reviews.id, first.row.id));
  if (!asked || !(await isLiving(tx, named.meetingId))) return;
  const { leader, reader } = asked;
  const team = await teamOfLeader(tx, first.row.leaderId);
  const stillFit =
    team && (await isOfTeam(tx, first.row, team)) && (await fitReaders(tx, first.row, team)).includes(reader);
  if (!stillFit || leaderOf(first.review) !== leader.person.id) throw new Error('people have changed meanwhile');
  const { outcomeModel, coverage } = first.row;
  const isForeign = isOwnModel(outcomeModel) && !(await mayUseSet(tx, leader.person.id, outcomeModel));
  await storeReview(
    leader,
    tx,
    named.meetingId,
    { policy: 'strict', outcomeModel: isForeign ? null : outcomeModel, coverage, secondOf: first.row.id },
    {
      ...{ leaderId: leader.person.id, student: null, addresses: new Map() },
      reviewers: [{ id: newId(), principal: reader, role: 'required' }],
    },
  );
}

interface ChoosingTeam {
  id: string;
  secondPass: number;
  secondReaders: readonly string[];
}

/** The team of a leader that decides: of several, the one joined first. */
async function teamOfLeader(tx: Orm, leaderId: string): Promise<ChoosingTeam | null> {
  const [team] = await tx
    .select({ id: groups.id, secondPass: teams.secondPass, secondReaders: teams.secondReaders })
    .from(groupMembers)
    .innerJoin(groups, and(eq(groups.id, groupMembers.groupId), eq(groups.type, 'team'), isNull(groups.archivedAt)))
    .innerJoin(teams, eq(teams.groupId, groups.id))
    .where(eq(groupMembers.userId, leaderId))
    .orderBy(groupMembers.joinedAt, groups.id)
    .limit(1);
  return team ?? null;
}

/** Whether a team may have its people read a recording: its owner is one of them. */
const isOfTeam = async (tx: Orm, { meetingId }: ReviewRow, team: ChoosingTeam): Promise<boolean> =>
  (await tx.$count(
    groupMembers,
    and(
      eq(groupMembers.groupId, team.id),
      sql`${groupMembers.userId} = (select m.owner_id from meetings m where m.id = ${meetingId})`,
    ),
  )) > 0;

/** Number from 0 up to but not including 1 that nobody can foresee without the key of the house. */
const lot = ({ keys }: Pick<House, 'keys'>, what: string): number =>
  keys.mac('second pass', what).readUInt32BE(0) / 2 ** 32;

export const isChosen = (
  house: Pick<House, 'keys'>,
  { id, secondPass }: Pick<ChoosingTeam, 'id' | 'secondPass'>,
  reviewId: string,
): boolean => lot(house, `${id} ${reviewId}`) * 100 < secondPass;

/** Members of the team for its second passes, with no part in any review of the recording, and no knowledge of its assessments. */
async function fitReaders(tx: Orm, row: ReviewRow, team: ChoosingTeam): Promise<string[]> {
  if (team.secondReaders.length === 0) return [];
  const found = await tx
    .select({ id: users.id })
    .from(users)
    .innerJoin(groupMembers, and(eq(groupMembers.userId, users.id), eq(groupMembers.groupId, team.id)))
    .where(and(inArray(users.id, [...team.secondReaders]), isNotNull(users.confirmedAt), knowsNothing(row)));
  return found.map(({ id }) => id);
}

/** One of them by lot, without a right by which they would see that there is a first review. */
async function readerFor(house: House, row: ReviewRow, team: ChoosingTeam): Promise<string | null> {
  const ids = await fitReaders(house.db.orm, row, team);
  const held = await house.db.ask((sql) =>
    accessesOf(
      sql,
      ids.map((userId) => ({ meetingId: row.meetingId, userId })),
    ),
  );
  const owns = (nth: number) => allows('POST /api/meetings/:id/reviews', held[nth] ?? new Set());
  const [chosen] = ids
    .filter((_, nth) => !owns(nth))
    .map((id) => ({ id, at: lot(house, `${row.id} ${id}`) }))
    .toSorted((one, other) => one.at - other.at);
  return chosen?.id ?? null;
}

const knowsNothing = ({ meetingId }: ReviewRow) => sql`not exists (
  select 1 from reviews r where r.meeting_id = ${meetingId} and (
    r.leader_id = ${users.id} or r.have_read && array[${users.id}, 'mail:' || ${users.emailKey}]
    or exists (
      select 1 from (
        select review_id, kind, principal_id from reviewers
        union all select review_id, kind, principal_id from removed_reviewers
      ) p
      where p.review_id = r.id and ((p.kind = 'user' and p.principal_id = ${users.id})
        or (p.kind = 'pending' and p.principal_id = ${users.emailKey})))))`;
