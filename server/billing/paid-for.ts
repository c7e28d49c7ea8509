import { sql as query } from 'drizzle-orm';
import type { Fragment, Sql } from 'postgres';
import type { Orm } from '#db/open.ts';
import { microsPerCredit } from '#shared/money.ts';

/** Sums (usd in micro-dollars, seconds) that a person has paid from their own purse for recording `m (id)`, as a row `paid`. */
export const paidFor = (sql: Sql, m: string, personId: string): Fragment => sql`(
  select (-sum(l.usd))::text as usd, (-sum(l.free_seconds + l.paid_seconds))::text as seconds
  from holds h join ledger_postings o on o.hold_id = h.id
  join ledger_lines l on l.posting_id = o.id and l.purse_id = h.purse_id
  where h.meeting_id = ${sql.unsafe(m)}.id and h.state = 'captured'
    and h.purse_id = (select id from purses where user_id = ${personId}) offset 0
) paid`;

/** Credits that were taken of a hold, whether a person or a team pays; none while it is open or once it is released. */
export async function creditsTaken(db: Orm, holdId: string): Promise<number> {
  const [row] = await db.execute<{ micros: string }>(query`
    select coalesce(sum(t.amount), 0)::text as micros
    from holds h join ledger_postings p on p.hold_id = h.id and p.key = 'settle:' || h.id
    join ledger_transfers t on t.posting_id = p.id and t.to_account = 'revenue'
    where h.id = ${holdId} and h.state = 'captured'`);
  return Number(row?.micros ?? 0) / Number(microsPerCredit);
}
