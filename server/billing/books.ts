import type { Sql, TransactionSql } from 'postgres';
import type { House } from '../context.ts';

interface Check {
  /** Fault of each row that the query finds. */
  law: string;
  find: (sql: TransactionSql) => Promise<Record<string, unknown>[]>;
}

/** Differences that one check lists at most. */
const most = 20;

/**
 * Recomputes everything from the transfers alone, without what the database computes from them itself: its triggers
 * and views are what is checked.
 */
const checks: Check[] = [
  {
    law: 'a balance differs from its transfers',
    find: (sql) => sql`
      select a.id as account, a.balance::text as stored, coalesce(t.sum, 0)::text as moved
      from ledger_accounts a full join (
        select account, sum(delta) as sum from (
          select to_account as account, amount as delta from ledger_transfers
          union all select from_account, -amount from ledger_transfers) x group by account
      ) t on t.account = a.id
      where a.purse_id is not null and a.balance <> coalesce(t.sum, 0) or a.id is null limit ${most}`,
  },
  {
    law: 'an account of the house keeps a balance',
    find: (sql) =>
      sql`select id as account, balance::text as stored from ledger_accounts where purse_id is null and balance <> 0 limit ${most}`,
  },
  {
    law: 'a balance is below zero, or a debt above it',
    find: (sql) => sql`
      select id as account, balance::text as stored from ledger_accounts
      where case when name = 'debt' then balance > 0 else balance < 0 end limit ${most}`,
  },
  {
    law: 'a purse owes something beside its credits',
    find: (sql) => sql`
      select c.purse_id as purse, c.balance::text as credits, d.balance::text as debt
      from ledger_accounts c join ledger_accounts d on d.purse_id = c.purse_id and d.name = 'debt'
      where c.name = 'credits' and c.balance > 0 and d.balance < 0 limit ${most}`,
  },
  {
    law: 'an amount is not positive, stays where it is, or changes its unit',
    find: (sql) => sql`
      select t.posting_id::text as posting, t.nth from ledger_transfers t
      left join ledger_accounts f on f.id = t.from_account left join ledger_accounts o on o.id = t.to_account
      where t.amount <= 0 or t.from_account = t.to_account or f.unit is distinct from t.unit or o.unit is distinct from t.unit limit ${most}`,
  },
  {
    law: 'an event moves nothing',
    find: (sql) => sql`
      select p.id::text as posting from ledger_postings p
      where not exists (select 1 from ledger_transfers t where t.posting_id = p.id) limit ${most}`,
  },
  {
    law: 'lines differ from the transfers of their event',
    find: (sql) => sql`
      with due as (
        select x.posting_id, a.purse_id,
          sum(case when a.unit = 'usd' then x.delta else 0 end) as usd,
          sum(case when a.name = 'heldFree' or (a.name = 'lot' and not a.paid) then x.delta else 0 end) as free,
          sum(case when a.name = 'heldPaid' or (a.name = 'lot' and a.paid) then x.delta else 0 end) as paid
        from (
          select posting_id, to_account as account, amount as delta from ledger_transfers
          union all select posting_id, from_account, -amount from ledger_transfers) x
        join ledger_accounts a on a.id = x.account where a.purse_id is not null
        group by x.posting_id, a.purse_id
      )
      select coalesce(d.posting_id, l.posting_id)::text as posting, coalesce(d.purse_id, l.purse_id) as purse
      from due d full join ledger_lines l on l.posting_id = d.posting_id and l.purse_id = d.purse_id
      where coalesce(d.usd, 0) <> coalesce(l.usd, 0) or coalesce(d.free, 0) <> coalesce(l.free_seconds, 0)
        or coalesce(d.paid, 0) <> coalesce(l.paid_seconds, 0) limit ${most}`,
  },
  {
    law: 'the lines of a purse are not numbered from 1 on',
    find: (sql) => sql`
      select purse_id as purse, count(*)::int as lines, max(nth) as last from ledger_lines group by purse_id
      having count(*) <> max(nth) or min(nth) <> 1 limit ${most}`,
  },
  {
    law: 'what is reserved differs from the open holds',
    find: (sql) => sql`
      with moved as (
        select p.hold_id, x.account, sum(x.delta) as net, bool_or(x.delta < 0) as returned
        from ledger_postings p join (
          select posting_id, to_account as account, amount as delta from ledger_transfers
          union all select posting_id, from_account, -amount from ledger_transfers) x on x.posting_id = p.id
        join ledger_accounts a on a.id = x.account and a.name in ('heldCredits', 'heldFree', 'heldPaid')
        group by p.hold_id, x.account
      )
      select h.id as hold, m.account, h.state from holds h left join moved m on m.hold_id = h.id
      where case when h.state = 'open' then m.net is null or m.net <= 0 or m.returned else coalesce(m.net, 0) <> 0 end
      union all
      select null, account, null from moved where hold_id is null limit ${most}`,
  },
  {
    law: 'what a member used of a quota differs from what the team paid and reserved',
    find: (sql) => sql`
      with paid as (
        select h.group_id, h.member_id, sum(case when o.name = 'heldCredits' then t.amount else -t.amount end) as sum
        from holds h join ledger_postings p on p.hold_id = h.id join ledger_transfers t on t.posting_id = p.id
        join ledger_accounts f on f.id = t.from_account join ledger_accounts o on o.id = t.to_account
        where h.group_id is not null
          and (o.name = 'heldCredits' or f.name = 'heldCredits' and o.name in ('credits', 'debt'))
        group by h.group_id, h.member_id
      )
      select a.group_id as team, a.user_id as member, a.used::text as stored, coalesce(paid.sum, 0)::text as moved
      from allowances a left join paid on paid.group_id = a.group_id and paid.member_id = a.user_id
      where a.used <> coalesce(paid.sum, 0) or a.used > a.quota limit ${most}`,
  },
  {
    law: 'work and its hold do not know each other',
    find: (sql) => sql`
      select i.meeting_id as meeting, h.id as hold from intakes i full join holds h on h.id = i.hold_id
      where (i.hold_id is not null and (coalesce(h.state, '') <> 'open' or i.state <> 'processing' or h.meeting_id <> i.meeting_id))
        or (h.state = 'open' and h.purpose in ('transcription', 'human') and i.meeting_id is null
          and exists (select 1 from meetings m where m.id = h.meeting_id)) limit ${most}`,
  },
  {
    law: 'a question or a search and its hold do not know each other',
    find: (sql) => sql`
      select r.id as run, h.id as hold from ai_runs r full join holds h on h.id = r.hold_id
      where (r.hold_id is not null and (h.id is null or h.meeting_id <> r.meeting_id
          or h.purpose <> case r.kind when 'detect' then 'detect' else 'question' end
          or h.state = 'open' and r.state not in ('waiting', 'running')
          or h.state = 'captured' and r.state not in ('done', 'stopped')))
        or (h.state = 'open' and h.purpose in ('question', 'detect') and r.id is null
          and exists (select 1 from meetings m where m.id = h.meeting_id)) limit ${most}`,
  },
];

/** Everything that is wrong with the books, read in one snapshot; nothing is changed. */
export async function differencesIn(sql: Sql): Promise<string[]> {
  return await sql.begin('isolation level repeatable read read only', async (tx) => {
    // A database of years takes longer than a request may.
    await tx`set local statement_timeout = 0`;
    const found: string[] = [];
    for (const { law, find } of checks) for (const row of await find(tx)) found.push(`${law}: ${JSON.stringify(row)}`);
    return found;
  });
}

const everyMs = 86_400_000;

/** Checks the books in the first round after a start and then once a day; logs what is wrong, and counts it. */
export function booksKeeper({
  db,
  clock,
  log,
  metrics,
}: Pick<House, 'db' | 'clock' | 'log' | 'metrics'>): () => Promise<void> {
  let last = -Infinity;
  return async () => {
    const now = clock.now().getTime();
    if (now - last < everyMs) return;
    const found = await differencesIn(db.sql);
    last = now;
    metrics.booksDifferences.set(found.length);
    if (found.length > 0) log.error({ differences: found }, 'the books are wrong');
  };
}
