// Random histories of money and of teams that pay, compared with what the payment service and the people really did
// (server/billing, server/groups).
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { MoneyHistory } from '#tests/support/money-history.ts';

// One history again: SEED=4711 npm test -- tests/api/money-histories.test.ts
const only = process.env['SEED'];
const count = Number(process.env['MONEY_SEEDS'] ?? 10);
/** Histories beyond those, of which some are lived while a happening is missing. */
const further = Math.max(30, count);
const keptAt = new URL('money-seeds.json', import.meta.url);
const steps = 25;
/** Steps in which most planted faults show: such a history costs a sixth of a whole one. */
const few = 6;
/** No assertion: a busy machine lives them slowly. */
const limit = 15 * 60_000;

const happenings = [
  ...['purchase', 'bonus', 'page: later', 'page: decline', 'page: leave', 'period', 'plan cancelled', 'bundle'],
  ...['hold', 'transcription', 'release', 'free minutes reserved', 'bought minutes reserved', 'credits reserved'],
  ...['recording ready', 'recording cancelled', 'recording unexpected', 'too little for work', 'lapse'],
  ...['gift', 'gift that waits', 'giftReturned', 'refund', 'refund failed', 'dispute', 'dispute won'],
  ...['debt', 'debt paid', 'debt paid by what work returned', 'crash', 'jump'],
  ...['work', 'work refused', 'payer', 'asked payer', 'role', 'leave', 'join', 'quota', 'quota refused'],
  ...['deactivate', 'activate', 'type group', 'type team', 'delete'],
];

/** Seeds that failed once; they run always. */
const readKept = () => JSON.parse(readFileSync(keptAt, 'utf8')) as number[];

test(
  `after each of ${count} histories with lost and doubled events, crashes and jumps of the clock, the books are right`,
  { timeout: limit },
  async () => {
    const seeds = only
      ? [Number(only)]
      : [...new Set([...readKept(), ...Array.from({ length: count + further }, (_, i) => i + 1)])];
    const history = await MoneyHistory.open();
    const found: string[] = [];
    // Each of these happens, or the histories show nothing.
    let missing: readonly string[] = only ? [] : happenings;
    try {
      for (const [nth, seed] of seeds.entries()) {
        // After the usual number of histories, further ones are lived only while a happening is missing.
        if (!only && nth >= seeds.length - further) {
          const happened = await history.happened();
          missing = happenings.filter((one) => !happened.includes(one));
          if (missing.length === 0) break;
        }
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
    expect(missing).toEqual([]);
  },
);

/** An error that ends a history is a sign as well: a house that is right has none. A fault that is no SQL is no sign. */
const noticedBy = (error: unknown): string => {
  const texts = [error, (error as Error).cause].map(String).join(' ');
  if (/does not exist|syntax error/.test(texts)) throw error;
  return texts;
};

/** Tables whose rows are spoiled when they change, and not when they are written. */
const updated: ReadonlySet<string> = new Set(['teams', 'allowances', 'ledger_accounts', 'intakes']);

/** A house, the first history that shows it, the steps of that, and what is wrong in it. */
test.for([
  [
    'books an event as often as it comes',
    2,
    few,
    'ledger_postings',
    "if new.key like 'stripe:%' then new.key := new.key || gen_random_uuid(); end if; return new;",
  ],
  ['forgets refunds', 3, few, 'ledger_postings', "if new.kind = 'refund' then return null; else return new; end if;"],
  [
    'keeps what nobody took',
    7,
    few,
    'ledger_postings',
    "if new.kind = 'giftReturned' then return null; else return new; end if;",
  ],
  [
    'writes half of the lines',
    1,
    few,
    'ledger_lines',
    'if new.nth % 2 = 0 then return null; else return new; end if;',
    'alter table ledger_postings disable trigger ledger_postings_whole; alter table holds disable trigger holds_whole',
  ],
  [
    'lets an admin pay who was only asked',
    4,
    few,
    'teams',
    'new.payer_id := coalesce(new.asked_payer_id, new.payer_id); return new;',
  ],
  ['lets a payer pay who left', 3, few, 'teams', 'new.payer_id := coalesce(new.payer_id, old.payer_id); return new;'],
  ['forgets what a member used', 1, few, 'allowances', 'new.used := least(new.used, old.used); return new;'],
  [
    'has members pay for each other',
    1,
    few,
    'holds',
    'if new.group_id is not null then new.member_id := (select user_id from group_members where group_id = new.group_id order by user_id limit 1); end if; return new;',
  ],
  ['forgets disputes', 2, few, 'ledger_postings', "if new.kind = 'dispute' then return null; else return new; end if;"],
  [
    'keeps another balance than was moved',
    1,
    few,
    'ledger_accounts',
    "if new.name = 'credits' then new.balance := new.balance + 1; end if; return new;",
  ],
  [
    'lets people spend what they do not have',
    7,
    few,
    'ledger_transfers',
    "if new.from_account like '%/credits' and new.to_account = 'gifts' then new.amount := new.amount * 1000; end if; return new;",
    'alter table ledger_accounts drop constraint ledger_accounts_funds',
  ],
  [
    'settles work without its money',
    1,
    few,
    'ledger_postings',
    "if new.key like 'settle:%' then return null; else return new; end if;",
    'alter table ledger_postings disable trigger ledger_postings_whole; alter table holds disable trigger holds_whole',
  ],
  [
    'is paid for what was reserved and not used',
    1,
    few,
    'ledger_transfers',
    "if new.from_account like '%/heldCredits' and new.to_account like '%/credits' then new.to_account := 'revenue'; end if; return new;",
  ],
  [
    'keeps what is reserved for a recording that ended',
    7,
    few,
    'intakes',
    'new.hold_id := coalesce(new.hold_id, old.hold_id); return new;',
  ],
  [
    'gives less with a code than was promised',
    1,
    steps,
    'ledger_transfers',
    "if new.from_account = 'promo' then new.amount := new.amount - 1; end if; return new;",
  ],
  [
    'gives fewer minutes than were paid',
    1,
    steps,
    'ledger_transfers',
    "if new.from_account = 'minted' then new.amount := new.amount - 60; end if; return new;",
  ],
  [
    'keeps minutes after their end',
    5,
    steps,
    'ledger_postings',
    "if new.kind = 'lapse' then return null; else return new; end if;",
  ],
  [
    'spends minutes without an end before those that lapse',
    3,
    steps,
    'ledger_transfers',
    `declare free text; begin
      select f.id into free from ledger_accounts f join ledger_accounts l on l.purse_id = f.purse_id
      where l.id = new.from_account and new.to_account like '%/heldPaid' and f.name = 'lot' and not f.paid
        and f.balance >= new.amount;
      if free is not null then
        new.from_account := free; new.to_account := replace(new.to_account, 'heldPaid', 'heldFree');
      end if;
      return new;
    end;`,
  ],
  [
    'pays no debts',
    2,
    steps,
    'ledger_transfers',
    "if new.to_account like '%/debt' then new.to_account := replace(new.to_account, '/debt', '/credits'); end if; return new;",
  ],
] as const)(
  'a house that %s is noticed',
  { timeout: limit },
  async ([, first, length, table, body, off = 'select 1']) => {
    const history = await MoneyHistory.open();
    try {
      await history.spoil(`
      create function spoil() returns trigger language plpgsql as $$ begin ${body} end $$;
      create trigger spoil before ${updated.has(table) ? 'update' : 'insert'} on ${table} for each row execute function spoil(); ${off}`);
      let noticed: string | null = null;
      // The first is enough as a rule; what happens also depends on where the connections end. After a change of what people
      // may do in a history, another seed may show the fault first: each whole history in vain costs two seconds of CPU.
      for (let seed = first; noticed === null && seed < first + 30; seed += 1)
        noticed = await history.live(seed, seed < first + 8 ? length : steps).catch(noticedBy);
      expect(noticed).not.toBeNull();
    } finally {
      // Its books are wrong, as they are to be.
      await history.close().catch(() => null);
    }
  },
);
