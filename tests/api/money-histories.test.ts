// Random histories of money and of teams that pay, compared with what the payment service and the people really did
// (server/billing, server/groups).
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { MoneyHistory } from '#tests/support/money-history.ts';
import { TeamHistory } from '#tests/support/team-history.ts';

// One history again: SEED=4711 npm test -- tests/api/money-histories.test.ts
const only = process.env['SEED'];
const count = Number(process.env['MONEY_SEEDS'] ?? 20);
const keptAt = new URL('money-seeds.json', import.meta.url);
const steps = 25;

/** Seeds that failed once; they run always. */
const readKept = () => JSON.parse(readFileSync(keptAt, 'utf8')) as number[];

test(`after each of ${count} histories with lost and doubled events, crashes and jumps of the clock, the books are right`, async () => {
  const seeds = only
    ? [Number(only)]
    : [...new Set([...readKept(), ...Array.from({ length: count }, (_, i) => i + 1)])];
  const history = await MoneyHistory.open();
  const found: string[] = [];
  try {
    for (const seed of seeds) {
      const wrong = await history.live(seed, steps);
      if (wrong === null) continue;
      found.push(`SEED=${seed} ${wrong}`);
      if (!readKept().includes(seed)) writeFileSync(keptAt, `${JSON.stringify([...readKept(), seed])}\n`);
      break;
    }
  } finally {
    await history.close();
  }
  expect(found).toEqual([]);
  // Each change of a team was made and work was refused, or the histories show nothing.
  const { seen } = TeamHistory;
  if (!only) expect(happenings.filter((one) => !((seen[one] ?? 0) > 0))).toEqual([]);
});

const happenings = [
  ...['work', 'work refused', 'payer', 'asked payer', 'role', 'leave', 'join', 'quota', 'quota refused'],
  ...['deactivate', 'activate', 'type group', 'type team', 'delete'],
];

/** A house, the first history that shows it, and what is wrong in it. */
test.for([
  [
    'books an event as often as it comes',
    1,
    'ledger_postings',
    "if new.key like 'stripe:%' then new.key := new.key || gen_random_uuid(); end if; return new;",
  ],
  ['forgets refunds', 2, 'ledger_postings', "if new.kind = 'refund' then return null; else return new; end if;"],
  [
    'keeps what nobody took',
    6,
    'ledger_postings',
    "if new.kind = 'giftReturned' then return null; else return new; end if;",
  ],
  [
    'writes half of the lines',
    1,
    'ledger_lines',
    'if new.nth % 2 = 0 then return null; else return new; end if;',
    'alter table ledger_postings disable trigger ledger_postings_whole; alter table holds disable trigger holds_whole',
  ],
  [
    'lets an admin pay who was only asked',
    5,
    'teams',
    'new.payer_id := coalesce(new.asked_payer_id, new.payer_id); return new;',
  ],
  ['lets a payer pay who left', 5, 'teams', 'new.payer_id := coalesce(new.payer_id, old.payer_id); return new;'],
  ['forgets what a member used', 1, 'allowances', 'new.used := least(new.used, old.used); return new;'],
  [
    'has members pay for each other',
    1,
    'holds',
    'if new.group_id is not null then new.member_id := (select user_id from group_members where group_id = new.group_id order by user_id limit 1); end if; return new;',
  ],
] as const)('a house that %s is noticed', async ([, first, table, body, off = 'select 1']) => {
  const history = await MoneyHistory.open();
  try {
    await history.spoil(`
      create function spoil() returns trigger language plpgsql as $$ begin ${body} end $$;
      create trigger spoil before ${table === 'teams' || table === 'allowances' ? 'update' : 'insert'} on ${table} for each row execute function spoil(); ${off}`);
    let noticed: string | null = null;
    // The first is enough as a rule; what happens also depends on where the connections end.
    for (let seed = first; noticed === null && seed < first + 30; seed += 1) noticed = await history.live(seed, steps);
    expect(noticed).not.toBeNull();
  } finally {
    // Its books are wrong, as they are to be.
    await history.close().catch(() => null);
  }
});
