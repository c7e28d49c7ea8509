import { and, eq, inArray, isNull, sql } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { users } from '#db/schema/accounts.ts';
import { reviewNotices } from '#db/schema/reviews.ts';
import { lifetimes } from '#shared/accounts.ts';
import { after } from '../clock.ts';
import { transaction, type House } from '../context.ts';
import type { ReviewMailKind } from '../mail/compose.ts';
import { queueMail } from '../mail/queue.ts';
import { startRounds } from '../rounds.ts';
import { teamMailsOf } from './mails.ts';
import { dayAfter, remindOfReviews } from './reminders.ts';
import { beginSecondPasses } from './second-pass.ts';

// Mails on reviews to members of a team that wants one mail a day: the first notice is mailed soon, those of the day behind
// it together.

const daySeconds = 86_400;
const every = 30_000;
const atOnce = 200;

/** Sends the digests that are due: a day after the last one, or at once where the person's team does not gather any more. */
export async function tellReviews(house: Pick<House, 'db' | 'clock' | 'origin'>): Promise<void> {
  const aDayAgo = after(house.clock.now(), -daySeconds).toISOString();
  const { orm } = house.db;
  await orm.execute(sql`delete from review_notices where told_at <= ${aDayAgo}::timestamptz`);
  const due = await orm.execute<{ id: string }>(sql`
    select n.user_id as id from (
      select user_id, max(told_at) as told, min(at) as first from review_notices group by user_id
      having bool_or(told_at is null)) n
    where n.told is null or coalesce((
      select t.assessment_mails from group_members m
        join groups g on g.id = m.group_id and g.type = 'team' and g.archived_at is null
        join teams t on t.group_id = g.id
      where m.user_id = n.user_id order by m.joined_at, g.id limit 1), '') <> 'daily'
    order by n.first, n.user_id limit ${atOnce}`);
  for (const { id } of due) await transaction(house, (tx) => tellPerson(house, tx, id));
}

async function tellPerson(house: Pick<House, 'clock' | 'origin'>, tx: Orm, personId: string): Promise<void> {
  // One process at a time: another one that looked as early sends nothing more.
  const [lock] = await tx.execute<{ got: boolean }>(
    sql`select pg_try_advisory_xact_lock(hashtextextended(${`review-notices:${personId}`}, 0)) as got`,
  );
  if (!lock?.got) return;
  const team = (await teamMailsOf(tx, [personId])).get(personId);
  const tomorrow = dayAfter(house.clock.now());
  const rows = await tx.execute<Notice>(sql`
    select n.id, n.what, n.meeting_id as "meetingId", n.review_id as "reviewId",
      coalesce(trim(u.first_name || ' ' || u.last_name), '') as by,
      r.deleted_at is null and m.deleted_at is null and (r.leader_id = n.user_id and n.what <> 'due' or exists (
        select 1 from reviewers p join users me on me.id = n.user_id where p.review_id = r.id
          and (p.kind = 'user' and p.principal_id = me.id or p.kind = 'pending' and p.principal_id = me.email_key)
          and (n.what <> 'due' or p.status <> 'complete' and r.opened_at is null and r.due = ${tomorrow}))) as stands
    from review_notices n join reviews r on r.id = n.review_id join meetings m on m.id = n.meeting_id
      left join users u on u.id = n.by_id
    where n.user_id = ${personId} and n.told_at is null
      and (${team?.times ?? ''} <> 'daily' or not exists (
        select 1 from review_notices o where o.user_id = n.user_id and o.told_at is not null))
    order by n.at, n.id`);
  if (rows.length === 0) return;
  const ids = rows.map(({ id }) => id);
  await tx
    .update(reviewNotices)
    .set({ toldAt: house.clock.now() })
    .where(and(inArray(reviewNotices.id, ids), isNull(reviewNotices.toldAt)));
  // Nobody is told of something that was taken back meanwhile.
  const notices = rows.filter(({ stands }) => stands);
  const [person] = await tx.select().from(users).where(eq(users.id, personId));
  if (!person || notices.length === 0 || team?.times === 'off') return;
  await queueMail(house, tx, {
    to: person.email,
    language: person.language,
    mail: { kind: 'review-digest', firstName: person.firstName, notices, ...(team?.words && { team }) },
    lifetime: lifetimes.notice,
  });
}

interface Notice extends Record<string, unknown> {
  id: string;
  what: ReviewMailKind;
  by: string;
  meetingId: string;
  reviewId: string;
  stands: boolean;
}

/** Looks for second passes, reminders and digests that are due, for as long as the process sends mail. */
export function startReviewMails(house: House): { stop(): Promise<void> } {
  return startRounds(every, async () => {
    for (const step of [beginSecondPasses, remindOfReviews, tellReviews])
      await step(house).catch((error: unknown) =>
        house.log.warn({ err: error }, 'second passes or mails on reviews could not be made; tried again later'),
      );
    house.wakeMail();
  });
}
