// Random histories of money, compared with what the payment service and the people really did (server/billing).
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { MoneyHistory } from '#tests/support/money-history.ts';

// One history again: SEED=4711 npm test -- tests/api/money-histories.test.ts
const only = process.env['SEED'];
const count = Number(process.env['MONEY_SEEDS'] ?? 20);
const keptAt = new URL('money-seeds.json', import.meta.url);
const steps = 20;

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
});

test.for([
  [
    'books an event as often as it comes',
    'ledger_postings',
    "if new.key like 'stripe:%' then new.key := new.key || gen_random_uuid(); end if; return new;",
  ],
  ['forgets refunds', 'ledger_postings', "if new.kind = 'refund' then return null; else return new; end if;"],
  [
    'writes half of the lines',
    'ledger_lines',
    'if new.nth % 2 = 0 then return null; else return new; end if;',
    'alter table ledger_postings disable trigger ledger_postings_whole; alter table holds disable trigger holds_whole',
  ],
] as const)('a house that %s is noticed', async ([, table, body, off = 'select 1']) => {
  const history = await MoneyHistory.open();
  try {
    await history.spoil(`
      create function spoil() returns trigger language plpgsql as $$ begin ${body} end $$;
      create trigger spoil before insert on ${table} for each row execute function spoil(); ${off}`);
    let noticed: string | null = null;
    for (let seed = 1; noticed === null && seed <= 10; seed += 1) noticed = await history.live(seed, steps);
    expect(noticed).not.toBeNull();
  } finally {
    // Its books are wrong, as they are to be.
    await history.close().catch(() => null);
  }
});
