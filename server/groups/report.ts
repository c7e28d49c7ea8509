import { sql } from 'drizzle-orm';
import { csvOf, inFileName } from '#shared/csv.ts';
import type { ReportQuery } from '#shared/groups.ts';
import { microsPerCredit } from '#shared/money.ts';
import { invalid } from '#shared/problems.ts';
import { signedIn, type Ctx } from '../context.ts';
import { groupFor, roleNamed } from './members.ts';
import { reportWords } from './report-words.ts';

/** A person who is in the team, was in it, or has used it. */
interface Row extends Record<string, unknown> {
  first_name: string | null;
  last_name: string | null;
  email: string | null;
  role: string | null;
  is_member: boolean;
  quota: string | null;
  recordings: number;
  seconds: string;
  micros: string;
  last: string | null;
}

const day = (at: Date): string => at.toISOString().slice(0, 10);

/** A table of what a team paid for in a time, and of what cost it nothing, by member. Recordings are counted and not named: admins may not read them. */
export async function reportActivity(
  ctx: Ctx,
  { id, fromDate, toDate }: ReportQuery & { id: string },
): Promise<{ name: string; text: string }> {
  const signed = signedIn(ctx);
  const { orm } = ctx.db;
  const { group } = await groupFor(signed, orm, 'GET /api/groups/:id/activity-report', id);
  if (group.type !== 'team') throw invalid({ field: '', code: 'team_only' });
  // The last second of the time belongs to it as a whole.
  const end = new Date(toDate.getTime() + 1000);
  const rows = await orm.execute<Row>(sql`
    with work as (
      select h.member_id as user_id, h.meeting_id, p.at, t.amount as micros,
        t.amount * 60.0 / nullif(h.minute_price, 0) as seconds
      from ledger_postings p join holds h on h.id = p.hold_id
      join ledger_transfers t on t.posting_id = p.id and t.to_account = 'revenue'
      where p.group_id = ${id} and p.at >= ${fromDate.toISOString()}::timestamptz
        and p.at < ${end.toISOString()}::timestamptz
      union all
      select member_id, meeting_id, ended_at, 0, seconds from free_work
      where group_id = ${id} and ended_at >= ${fromDate.toISOString()}::timestamptz
        and ended_at < ${end.toISOString()}::timestamptz
    ), paid as (
      select user_id, count(distinct meeting_id)::int as recordings, max(at) as last, sum(micros)::text as micros,
        round(sum(seconds))::text as seconds
      from work group by user_id
    ), people as (
      select user_id, role, true as is_member, joined_at as since from group_members where group_id = ${id}
      union all
      select user_id, role, false, joined_at from former_members where group_id = ${id}
    )
    select u.first_name, u.last_name, u.email, p.role, coalesce(p.is_member, false) as is_member, a.quota::text as quota,
      coalesce(paid.recordings, 0) as recordings, coalesce(paid.seconds, '0') as seconds,
      coalesce(paid.micros, '0') as micros, to_char(paid.last at time zone 'UTC', 'YYYY-MM-DD') as last
    from people p full join paid on paid.user_id = p.user_id
    left join users u on u.id = coalesce(p.user_id, paid.user_id)
    left join allowances a on a.group_id = ${id} and a.user_id = coalesce(p.user_id, paid.user_id)
    order by p.is_member desc nulls last, p.since, u.id`);
  const table = reportWords[ctx.language];
  const credits = (micros: string) => Number(micros) / Number(microsPerCredit);
  const lines = [...rows].map((row) => [
    row.email === null ? table.deleted : `${row.first_name} ${row.last_name}`.trim(),
    row.email ?? '',
    row.role === null ? '' : table.roles[roleNamed(row.role)],
    row.is_member ? table.yes : table.former,
    row.recordings,
    Math.round((Number(row.seconds) / 60) * 100) / 100,
    credits(row.micros),
    row.quota === null ? '' : credits(row.quota),
    row.last ?? '',
  ]);
  const { name, email, role: roles, member, recordings, minutes, credits: paid, quota, lastDay } = table;
  const header = [name, email, roles, member, recordings, minutes, paid, quota, lastDay];
  return {
    name: `${inFileName(group.name)}_${day(fromDate)}_${day(toDate)}.csv`,
    text: csvOf([header, ...lines]),
  };
}
