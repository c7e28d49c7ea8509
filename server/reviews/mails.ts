import { and, eq, inArray, isNull, sql } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { groupMembers, groups, teams } from '#db/schema/groups.ts';
import { reviewNotices } from '#db/schema/reviews.ts';
import { emailKey, lifetimes } from '#shared/accounts.ts';
import { newId } from '#shared/ids.ts';
import type { ReviewMail } from '#shared/reviews/machine.ts';
import type { PrincipalKey } from '#shared/reviews/review.ts';
import type { MailTime } from '#shared/team-rules.ts';
import type { House, Signed } from '../context.ts';
import { rules } from '../limits.ts';
import type { ReviewMailKind } from '../mail/compose.ts';
import { mayMail } from '../mail/may-mail.ts';
import { queueMail } from '../mail/queue.ts';
import { ownerOf } from '../people/addresses.ts';
import { accountsOf } from './people.ts';
import { principalOf, type ReviewRow } from './rows.ts';

/** Person because of whom mails are sent. */
interface Sender {
  id: string;
  name: string;
  language: string | null;
}

const senderOf = ({ person: { id, firstName, lastName }, language }: Signed): Sender => ({
  ...{ id, language },
  name: `${firstName} ${lastName}`.trim(),
});

/** Sender of the mails of an anonymous review: who caused them may be a reviewer. */
async function leaderOf(tx: Orm, { leaderId }: ReviewRow): Promise<Sender> {
  const leader = (await accountsOf(tx, [leaderId])).get(leaderId);
  return { id: leaderId, name: leader?.name ?? '', language: leader?.language ?? null };
}

/** Mails of a transition, in its transaction. */
export async function sendMails(ctx: Signed, tx: Orm, row: ReviewRow, mails: readonly ReviewMail[]): Promise<void> {
  const people = await addresseesOf(tx, [...new Set(mails.map(({ to }) => to))]);
  const from = row.anonymous ? await leaderOf(tx, row) : senderOf(ctx);
  for (const { kind, to } of mails) {
    const person = people.get(to);
    if (person && person.id !== ctx.person.id) await tell(ctx, tx, { ...aboutOf(row), what: kind }, from, person);
  }
}

/** Tells the leader that a person wants to be added. */
export async function askLeader(ctx: Signed, tx: Orm, row: ReviewRow): Promise<void> {
  if (!ctx.person.confirmed) return;
  const leader = (await addresseesOf(tx, [row.leaderId])).get(row.leaderId);
  if (leader) await tell(ctx, tx, { ...aboutOf(row), what: 'join' }, senderOf(ctx), leader);
}

const aboutOf = ({ id, meetingId }: ReviewRow) => ({ meetingId, reviewId: id });

/** Causes by which others are asked for something; each person may send a limited number of them. */
const asking: readonly ReviewMailKind[] = ['asked', 'join'];

const daySeconds = 86_400;

interface Notice {
  what: ReviewMailKind;
  meetingId: string;
  reviewId: string;
}

type Mailing = Pick<House, 'clock' | 'origin' | 'limits'>;

/** Tells a person by mail, now or with the next digest, as the person's team says. */
export async function tell(house: Mailing, tx: Orm, about: Notice, from: Sender, to: Addressee): Promise<void> {
  const { team } = to;
  if (team?.times === 'off') return;
  // Beyond the limits people find the review in their library.
  if (asking.includes(about.what)) {
    if (!(await house.limits.allow(rules.shareMails, from.id, tx))) return;
    if (!(await mayMail(house, tx, { purpose: 'shared', to: emailKey(to.email), from: from.id }))) return;
  }
  if (about.what === 'due' && !(await house.limits.allow(rules.reminders, emailKey(to.email), tx))) return;
  if (team?.times === 'daily' && to.id !== null) {
    const notice = { id: newId(), userId: to.id, byId: from.id, at: house.clock.now() };
    await tx.insert(reviewNotices).values({ ...notice, ...about });
    return;
  }
  await queueMail(house, tx, {
    to: to.email,
    language: to.language ?? from.language,
    mail: { kind: 'review', by: from.name, ...about, ...(team?.words && { team }) },
    // Later it would name the wrong day.
    lifetime: about.what === 'due' ? daySeconds : lifetimes.notice,
  });
}

interface Addressee {
  /** An unconfirmed address has null. */
  id: string | null;
  email: string;
  language: string | null;
  team: TeamMails | null;
}

export async function addresseesOf(tx: Orm, keys: readonly PrincipalKey[]): Promise<Map<PrincipalKey, Addressee>> {
  const accounts = await accountsOf(
    tx,
    keys.filter((key) => principalOf(key).kind === 'user'),
  );
  const found: [PrincipalKey, Omit<Addressee, 'team'>][] = [];
  for (const key of keys) {
    const { kind, principalId } = principalOf(key);
    const account = accounts.get(key);
    if (account) found.push([key, { id: key, email: account.email, language: account.language }]);
    else if (kind === 'pending') {
      const owner = await ownerOf(tx, principalId);
      found.push([key, { id: owner?.id ?? null, email: principalId, language: owner?.language ?? null }]);
    }
  }
  const mails = await teamMailsOf(
    tx,
    found.flatMap(([, { id }]) => id ?? []),
  );
  return new Map(found.map(([key, one]) => [key, { ...one, team: mails.get(one.id ?? '') ?? null }]));
}

/** Settings of a team for mails on reviews to its members. */
interface TeamMails {
  name: string;
  words: string;
  times: MailTime;
}

/** The team of each person that decides on mails on reviews: of several, the one joined first. */
export async function teamMailsOf(tx: Orm, people: readonly string[]): Promise<Map<string, TeamMails>> {
  if (people.length === 0) return new Map();
  const rows = await tx
    .selectDistinctOn([groupMembers.userId], {
      ...{ id: groupMembers.userId, name: groups.name },
      ...{ words: teams.assessmentEmail, times: teams.assessmentMails },
    })
    .from(groupMembers)
    .innerJoin(groups, and(eq(groups.id, groupMembers.groupId), eq(groups.type, 'team'), isNull(groups.archivedAt)))
    .innerJoin(teams, eq(teams.groupId, groups.id))
    .where(inArray(groupMembers.userId, [...people]))
    .orderBy(sql`${groupMembers.userId}, ${groupMembers.joinedAt}, ${groups.id}`);
  return new Map(rows.map(({ id, ...team }) => [id, team]));
}
