import { accessesOf } from '#db/access.ts';
import type { TransactionsQuery, TransactionsView, TransactionView } from '#shared/billing.ts';
import { csvMark, csvRow } from '#shared/csv.ts';
import { creditsText, minutesOf } from '#shared/money.ts';
import { signedIn, type Ctx } from '../context.ts';
import { paymentHouseOf } from './payment-house.ts';

interface Row {
  nth: number;
  usd: string;
  free: string;
  paid: string;
  /** As the database writes it. */
  at: string;
  kind: string;
  seconds: string | null;
  reason: string | null;
  payment: string | null;
  /** Address that the caller transferred credits to. */
  gift_to: string | null;
  gift_from: string | null;
  meeting_id: string | null;
  title: string | null;
  /** The caller's folder that was shared. */
  folder_id: string | null;
  folder_name: string | null;
  uploader: string | null;
  group_id: string | null;
  group_name: string | null;
}

/** The caller's transactions, newest first. A page is found by its numbers, however many come before it. */
export async function listTransactions(ctx: Ctx, { skip, count }: TransactionsQuery): Promise<TransactionsView> {
  const { person } = signedIn(ctx);
  const [purse] = await ctx.db.ask(
    (sql) => sql<{ id: string; total: number }[]>`
      select p.id, coalesce((select l.nth from ledger_lines l where l.purse_id = p.id order by l.nth desc limit 1), 0) as total
      from purses p where p.user_id = ${person.id}`,
  );
  if (!purse) return { transactions: [], total: 0 };
  const { id, total } = purse;
  return { transactions: await linesBelow(ctx, id, total - skip, count), total };
}

/** Lines of a purse with this number and below. */
async function linesBelow(ctx: Ctx, purse: string, from: number, count: number): Promise<TransactionView[]> {
  const { person } = signedIn(ctx);
  const rows = await ctx.db.ask(
    (sql) => sql<Row[]>`
      select l.nth, l.usd::text as usd, l.free_seconds::text as free, l.paid_seconds::text as paid, p.at, p.kind,
        p.details->>'seconds' as seconds, p.details->>'reason' as reason, p.details->>'payment' as payment,
        case when l.purse_id = g.from_purse then g.email end as gift_to,
        case when l.purse_id = g.to_purse then nullif(trim(s.first_name || ' ' || s.last_name), '') end as gift_from,
        m.id as meeting_id, mp.title, d.id as folder_id, d.name as folder_name, nullif(trim(u.first_name || ' ' || u.last_name), '') as uploader,
        p.group_id, t.name as group_name
      from ledger_lines l join ledger_postings p on p.id = l.posting_id
      left join meetings m on m.id = p.meeting_id and m.deleted_at is null
      left join meeting_projections mp on mp.meeting_id = m.id left join holds h on h.id = p.hold_id
      left join folders d on p.kind = 'share' and d.id = p.meeting_id and d.owner_id = ${person.id} and d.deleted_at is null
      left join users u on u.id = coalesce(h.member_id, m.owner_id) left join groups t on t.id = p.group_id
      left join gifts g on g.id = p.details->>'gift' left join purses f on f.id = g.from_purse left join users s on s.id = f.user_id
      where l.purse_id = ${purse} and l.nth <= ${from} order by l.nth desc limit ${count}`,
  );
  // A payer of another's recording learns its title only with permission to read it.
  const ids = [...new Set(rows.flatMap(({ meeting_id: meeting }) => meeting ?? []))];
  const held = await ctx.db.ask((sql) =>
    accessesOf(
      sql,
      ids.map((meetingId) => ({ meetingId, userId: person.id })),
    ),
  );
  const readable = new Set(ids.filter((_, i) => held[i]?.has('read')));
  return rows.map((row) => {
    const meetingId = row.meeting_id !== null && readable.has(row.meeting_id) ? row.meeting_id : null;
    const { kind, seconds, payment } = row;
    const note = row.reason ?? row.gift_to ?? row.gift_from;
    return {
      nth: row.nth,
      date: new Date(row.at).getTime(),
      kind,
      balance: creditsText(BigInt(row.usd)),
      freeMinutes: minutesOf(BigInt(row.free)),
      professionalMinutes: minutesOf(BigInt(row.paid)),
      meetingId,
      meetingName: meetingId === null ? null : row.title,
      folder: row.folder_id === null ? null : { id: row.folder_id, name: row.folder_name ?? '' },
      uploader: row.uploader,
      groupId: row.group_name === null ? null : row.group_id,
      organizationName: row.group_name,
      note,
      details: note ?? (seconds === null ? kind : `${kind}, ${seconds} s`),
      paymentId: payment,
    };
  });
}

const header = [
  ...['Date', 'Kind', 'USD', 'Free minutes', 'Paid minutes', 'Document', 'Uploader', 'Details', 'Receipt'],
  'Team',
];
/** Column of servers on which no money moves. */
const testHeader = 'Test payment';
const linesAtOnce = 1000;

/** All transactions of the caller as CSV, read page by page while it is sent. */
export async function* transactionsCsv(ctx: Ctx): AsyncGenerator<string> {
  const { mode } = await paymentHouseOf(ctx.db.orm);
  const isTest = mode !== null && mode !== 'live';
  yield csvMark + csvRow(isTest ? [...header, testHeader] : header);
  const { total } = await listTransactions(ctx, { skip: 0, count: 0 });
  for (let skip = 0; skip < total;) {
    // Later lines do not shift what is read: numbers are counted from the first line on.
    const { transactions, total: now } = await listTransactions(ctx, { skip, count: linesAtOnce });
    const rows = transactions.filter(({ nth }) => nth <= total);
    for (const { date, ...row } of rows)
      yield csvRow([
        new Date(date).toISOString(),
        ...[row.kind, { decimal: row.balance }, row.freeMinutes, row.professionalMinutes],
        ...[
          row.meetingName ?? row.folder?.name ?? '',
          row.uploader ?? '',
          row.details,
          row.paymentId ?? '',
          row.organizationName ?? '',
        ],
        ...(isTest ? [row.paymentId === null ? '' : 'yes'] : []),
      ]);
    const last = rows.at(-1);
    if (!last || last.nth === 1) return;
    skip = now - last.nth + 1;
  }
}
