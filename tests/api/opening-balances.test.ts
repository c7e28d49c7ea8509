// Migrations of the books: what people had before there were books is what they have in them (`opening_balances`), and
// debts of older books are paid by the credits beside them (`debts_beside_credits`).
import { rm } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { migrate } from '#db/migrate.ts';
import { openDatabase } from '#db/open.ts';
import { createDesk } from '#server/billing/desk.ts';
import { differencesIn } from '#server/billing/books.ts';
import { post, purseOf } from '#server/billing/ledger.ts';
import { contentsOf, freeMinutesIn } from '#server/billing/purse.ts';
import { systemClock } from '#server/clock.ts';
import { transaction } from '#server/context.ts';
import { newId } from '#shared/ids.ts';
import { giveCredits } from '#tests/support/billing.ts';
import { emptyDatabase } from '#tests/support/database.ts';
import { migrations, migrationsBefore } from '#tests/support/migrations.ts';

test('trial minutes become a lot, and minutes under way a hold that can be captured or returned', async () => {
  const { url, drop } = await emptyDatabase();
  const older = await migrationsBefore('opening_balances');
  await migrate(url, older);
  const database = openDatabase(url);
  const { sql, orm } = database;
  try {
    for (const [id, minutes] of [
      ['ann', 81],
      ['ben', 90],
      ['cleo', 0],
    ] as const)
      await sql`
        insert into users (id, email, email_key, first_name, last_name, trial_minutes, confirmed_at)
        values (${id}, ${`${id}@example.test`}, ${`${id}@example.test`}, ${id}, 'Test', ${minutes}, now())`;
    for (const [id, state, held, payer] of [
      ['one', 'processing', 5, 'ann'],
      ['two', 'processing', 4, 'ann'],
      ['three', 'processing', 7, 'cleo'],
      ['four', 'ready', 0, null],
      ['five', 'created', 0, null],
    ] as const) {
      await sql`insert into meetings (id, owner_id, created_at) values (${id}, 'ann', now())`;
      await sql`
        insert into intakes (meeting_id, owner_id, request_id, request_digest, state, title, model, lang, speakers, vocabulary,
          minutes_held, payer_id, created_at)
        values (${id}, 'ann', ${id}, ${Buffer.from(id)}, ${state}, ${id}, 'speech', 'en-US', 2, '', ${held}, ${payer}, now())`;
    }
    await migrate(url, migrations);
    const left = async (id: string) => freeMinutesIn(await contentsOf(orm, id, new Date()));
    const all = async () => Promise.all(['ann', 'ben', 'cleo'].map(left));
    expect(await all()).toEqual([81, 90, 0]);
    expect(await differencesIn(sql)).toEqual([]);
    const holdOf = async (meeting: string) =>
      (await sql<{ hold: string }[]>`select hold_id as hold from intakes where meeting_id = ${meeting}`)[0]?.hold ??
      null;
    expect(await holdOf('four')).toBeNull();

    const desk = createDesk({ clock: systemClock }, () => ({}));
    const house = { db: database };
    const end = async (meeting: string, how: 'capture' | 'release') => {
      const hold = (await holdOf(meeting)) ?? '';
      await transaction(house, async (tx) => {
        await desk[how](tx, hold);
        await tx.execute(`update intakes set hold_id = null, state = 'ready' where meeting_id = '${meeting}'`);
      });
    };
    await end('one', 'capture');
    await end('two', 'release');
    await end('three', 'release');
    expect(await all()).toEqual([85, 90, 7]);
    expect(await differencesIn(sql)).toEqual([]);
  } finally {
    await database.close();
    await drop();
    await rm(older, { recursive: true, force: true });
  }
});

test('a debt of an older database is paid by the credits beside it, which can be spent again; nothing else changes', async () => {
  const { url, drop } = await emptyDatabase();
  const older = await migrationsBefore('debts_beside_credits');
  await migrate(url, older);
  const database = openDatabase(url);
  const { sql, orm } = database;
  try {
    const desk = createDesk({ clock: systemClock }, () => ({ speech: 1_000_000 }));
    const order = (minutes: number) => ({ meetingId: newId(), model: 'speech', seconds: minutes * 60 });
    const hold = async (id: string, wanted: ReturnType<typeof order>) => {
      const [option] = await desk.options(orm, { id }, wanted);
      if (!option) throw new Error('nothing is offered');
      return transaction({ db: database }, async (tx) => (await desk.hold(tx, { id }, wanted, option)) ?? '');
    };
    let held = '';
    for (const [id, credits, debt] of [
      ['ann', '10', 3n],
      ['ben', '2', 5n],
      ['chen', '0', 4n],
      ['dana', '6', 0n],
    ] as const) {
      await sql`
        insert into users (id, email, email_key, first_name, last_name, confirmed_at)
        values (${id}, ${`${id}@example.test`}, ${`${id}@example.test`}, ${id}, 'Test', now())`;
      if (credits !== '0') await giveCredits({ database }, { id }, credits);
      if (id === 'ann') held = await hold(id, order(1));
      if (debt > 0n)
        await transaction({ db: database }, async (tx) => {
          const purse = await purseOf({ clock: systemClock }, tx, id);
          const owed = { from: { purse, kind: 'debt' }, to: { house: 'stripe' }, amount: debt * 1_000_000n } as const;
          await post({ clock: systemClock }, tx, { key: newId(), kind: 'dispute', by: null, transfers: [owed] });
        });
    }
    const all = async () => {
      const contents = await Promise.all(
        ['ann', 'ben', 'chen', 'dana'].map((id) => contentsOf(orm, id, systemClock.now())),
      );
      return contents.map(({ credits, debt, heldCredits }) =>
        [credits, debt, heldCredits].map((one) => Number(one) / 1e6),
      );
    };
    const lines = () => sql`select purse_id, nth, usd from ledger_lines order by purse_id, nth`;
    const before = [...(await lines())];
    expect(await all()).toEqual([
      [9, 3, 1],
      [2, 5, 0],
      [0, 4, 0],
      [6, 0, 0],
    ]);
    await expect(hold('ann', order(1))).rejects.toMatchObject({ code: 'FUNDS' });
    expect(await differencesIn(sql)).toHaveLength(2);

    await migrate(url, migrations);
    expect(await all()).toEqual([
      [6, 0, 1],
      [0, 3, 0],
      [0, 4, 0],
      [6, 0, 0],
    ]);
    expect([...(await lines())]).toEqual(before);
    await transaction({ db: database }, (tx) => desk.release(tx, held));
    await hold('ann', order(7));
    await expect(hold('ben', order(1))).rejects.toMatchObject({ code: 'FUNDS' });
    expect(await differencesIn(sql)).toEqual([]);
  } finally {
    await database.close();
    await drop();
    await rm(older, { recursive: true, force: true });
  }
});
