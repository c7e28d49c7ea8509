import { and, eq, sql } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { users } from '#db/schema/accounts.ts';
import { groupMembers, groups, teams } from '#db/schema/groups.ts';
import { lifetimes } from '#shared/accounts.ts';
import { creditsText } from '#shared/money.ts';
import { after } from '../clock.ts';
import { transaction, type House } from '../context.ts';
import { startRounds } from '../rounds.ts';
import type { MailKind } from '../mail/compose.ts';
import { queueMail } from '../mail/queue.ts';
import { noteLow, teamBalances } from './teams.ts';

const daySeconds = 86_400;
/** Seconds within which a reservation that is stamped already may still be committed. */
const underWay = 20;
const atOnce = 200;

type Around = Pick<House, 'db' | 'clock' | 'origin'>;
interface Admin {
  id: string;
  firstName: string;
}

/** Writes a mail to the admins of a team, each in their language; null: not to this one. */
async function mailAdmins(
  house: Around,
  tx: Orm,
  { groupId, key }: { groupId: string; key: string },
  mailTo: (admin: Admin, team: string) => MailKind | null,
): Promise<void> {
  const admins = await tx
    .select({
      ...{ id: users.id, email: users.email, firstName: users.firstName, language: users.language },
      team: groups.name,
    })
    .from(groupMembers)
    .innerJoin(users, eq(users.id, groupMembers.userId))
    .innerJoin(groups, eq(groups.id, groupMembers.groupId))
    .where(and(eq(groupMembers.groupId, groupId), eq(groupMembers.role, 'admin')));
  for (const { email: to, language, team, ...admin } of admins) {
    const mail = mailTo(admin, team);
    if (mail === null) continue;
    const dedupeKey = `${key}:${admin.id}`;
    await queueMail(house, tx, { to, language, mail, dedupeKey, lifetime: lifetimes.notice });
  }
}

/** Tells admins when the payer's credits fall below the threshold of a team: once, until they have been above it again. */
export async function tellLowBalances(house: Around): Promise<void> {
  const now = house.clock.now();
  await house.db.orm.execute(sql`
    update teams t set low_since = null from (${teamBalances}) b
    where b.group_id = t.group_id and t.low_since is not null
      and coalesce(b.credits >= t.balance_threshold, true)`);
  const rows = await house.db.orm.execute<{ id: string }>(sql`
    select b.group_id as id from (${teamBalances}) b
    where b.low_since is null and b.credits < b.balance_threshold order by b.group_id limit ${atOnce}`);
  for (const { id: groupId } of rows)
    await transaction(house, async (tx) => {
      const low = await noteLow(tx, groupId, now);
      if (!low) return;
      const amounts = { balance: creditsText(low.left), limit: creditsText(low.limit) };
      const key = `team-low:${groupId}:${now.getTime()}`;
      await mailAdmins(house, tx, { groupId, key }, ({ firstName }, team) => ({
        ...{ kind: 'team-low' as const, firstName, team, groupId },
        ...amounts,
      }));
    });
}

/** Tells admins of the recordings that members add in the team, paid by it or free: soon after they were added, or once a day. */
export async function tellUploads(house: Around): Promise<void> {
  const now = house.clock.now();
  const until = after(now, -underWay).toISOString();
  const aDayAgo = after(now, -daySeconds).toISOString();
  const rows = await house.db.orm.execute<{ id: string }>(sql`
    select t.group_id as id from teams t join groups g on g.id = t.group_id and g.type = 'team' and g.archived_at is null
    where t.uploads_told < ${until}::timestamptz and (t.upload_mails = 'daily' and t.uploads_told <= ${aDayAgo}::timestamptz
      or t.upload_mails = 'once' and (exists (
        select 1 from ledger_postings p where p.group_id = t.group_id and p.kind = 'hold'
          and p.at > t.uploads_told and p.at <= ${until}::timestamptz)
        or exists (select 1 from free_work f where f.group_id = t.group_id
          and f.begun_at > t.uploads_told and f.begun_at <= ${until}::timestamptz)))
    order by t.uploads_told, t.group_id limit ${atOnce}`);
  for (const { id: groupId } of rows)
    await transaction(house, async (tx) => {
      const [team] = await tx
        .select({ since: teams.uploadsTold })
        .from(teams)
        .where(eq(teams.groupId, groupId))
        .for('update', { skipLocked: true });
      if (!team || team.since >= new Date(until)) return;
      await tx
        .update(teams)
        .set({ uploadsTold: new Date(until) })
        .where(eq(teams.groupId, groupId));
      const counts = await tx.execute<{ id: string; name: string; recordings: number }>(sql`
        with added as (
          select h.member_id, h.meeting_id from ledger_postings p join holds h on h.id = p.hold_id
          where p.group_id = ${groupId} and p.kind = 'hold' and h.purpose in ('transcription', 'human')
            and p.at > ${team.since.toISOString()}::timestamptz and p.at <= ${until}::timestamptz
          union
          select member_id, meeting_id from free_work where group_id = ${groupId}
            and begun_at > ${team.since.toISOString()}::timestamptz and begun_at <= ${until}::timestamptz
        )
        select u.id, coalesce(nullif(trim(u.first_name || ' ' || u.last_name), ''), u.email) as name,
          count(*)::int as recordings
        from added a join users u on u.id = a.member_id group by u.id order by name`);
      const key = `team-uploads:${groupId}:${until}`;
      await mailAdmins(house, tx, { groupId, key }, ({ id, firstName }, team) => {
        // Nobody is told of what they added themselves.
        const members = counts.filter((one) => one.id !== id).map(({ name, recordings }) => `${name} (${recordings})`);
        return members.length === 0 ? null : { kind: 'team-uploads', firstName, team, groupId, members };
      });
    });
}

const every = 30_000;

/** Looks at the teams at intervals, for as long as the process sends mail. */
export function startTeamMails(house: House): { stop(): Promise<void> } {
  const look = async () => {
    for (const tell of [tellLowBalances, tellUploads])
      await tell(house).catch((error: unknown) =>
        house.log.warn({ err: error }, 'admins of teams could not be told; tried again later'),
      );
    house.wakeMail();
  };
  return startRounds(every, look);
}
