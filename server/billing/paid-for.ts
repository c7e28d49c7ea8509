import type { Fragment, Sql } from 'postgres';

/** Sums (usd in micro-dollars, seconds) that a person has paid from their own purse for recording `m (id)`, as a row `paid`. */
export const paidFor = (sql: Sql, m: string, personId: string): Fragment => sql`(
  select (-sum(l.usd))::text as usd, (-sum(l.free_seconds + l.paid_seconds))::text as seconds
  from holds h join ledger_postings o on o.hold_id = h.id
  join ledger_lines l on l.posting_id = o.id and l.purse_id = h.purse_id
  where h.meeting_id = ${sql.unsafe(m)}.id and h.state = 'captured'
    and h.purse_id = (select id from purses where user_id = ${personId}) offset 0
) paid`;
