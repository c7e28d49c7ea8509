// Deleting an account with money in it (money.md 5, spec 1): nothing is lost from the books, no plan is charged again, and
// what comes back later does not lie in a purse that nobody owns.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { paymentCalls, subscriptions } from '#db/schema/payments.ts';
import { sweepClosedPurses } from '#server/billing/closing.ts';
import { createDesk } from '#server/billing/desk.ts';
import { purseOf } from '#server/billing/ledger.ts';
import { transaction } from '#server/context.ts';
import { newId } from '#shared/ids.ts';
import { giveCredits } from '#tests/support/billing.ts';
import { refusingIn } from '#tests/support/database.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { makeMeeting } from '#tests/support/meetings.ts';
import type { Person } from '#tests/support/people.ts';

let house: TestHouse;
beforeAll(async () => {
  house = await openHouse();
});
// Closing recomputes the books.
afterAll(() => house.close());

const purseId = (person: Person) => transaction(house.house, (tx) => purseOf(house.house, tx, person.id));
/** Reserves 100 seconds for work on a recording. */
const reserve = (person: Person, meetingId: string): Promise<string> =>
  transaction(house.house, async (tx) => {
    const desk = createDesk(house.house, () => ({ speech: 150_000 }));
    const order = { meetingId, model: 'speech', seconds: 100 };
    const hold = await desk.hold(tx, person, order, { cost: 0, groupId: null });
    if (hold === null) throw new Error('nothing was reserved');
    return hold;
  });
const remove = async (person: Person) => {
  const answer = await person.post('/api/principals/me/delete', { password: person.password, reason: 'tooSlow' });
  expect(answer.status, answer.text).toBe(204);
};
const inPurse = async (purse: string) =>
  Object.fromEntries(
    (
      await house.database.ask(
        (sql) => sql<{ name: string; sum: string }[]>`
          select name, sum(balance)::text as sum from ledger_accounts where purse_id = ${purse} and balance <> 0 group by name`,
      )
    ).map(({ name, sum }) => [name, Number(sum)]),
  );
const cameTo = async (account: string) => {
  const [row] = await house.database.ask(
    (sql) => sql<{ sum: string }[]>`
      select coalesce(sum(amount), 0)::text as sum from ledger_transfers where to_account = ${account}`,
  );
  return Number(row?.sum);
};

test('credits go to unclaimed, minutes lapse, and the plan ends at the payment service', async () => {
  const ann = await house.person('Ann');
  await giveCredits(house, ann, '12.5');
  const purse = await purseId(ann);
  const serviceId = `sub_${newId()}`;
  const at = house.clock.now();
  await house.database.orm.insert(subscriptions).values({
    ...{ id: newId(), purseId: purse, plan: 'professional', serviceId, state: 'active', cancelled: false },
    ...{ periodEnd: new Date(at.getTime() + 86_400_000), createdAt: at },
  });
  expect((await ann.get('/api/principals/me/closing')).body).toMatchObject({ plans: ['Professional'] });
  const before = [await cameTo('unclaimed'), await cameTo('lapsed')];
  await remove(ann);
  expect(await inPurse(purse)).toEqual({});
  expect([await cameTo('unclaimed'), await cameTo('lapsed')]).toEqual([
    (before[0] ?? 0) + 12_500_000,
    (before[1] ?? 0) + 90 * 60,
  ]);
  expect(await house.database.orm.select().from(paymentCalls)).toContainEqual(
    expect.objectContaining({ kind: 'end', object: serviceId }),
  );
  expect(await house.database.orm.select().from(subscriptions)).toContainEqual(
    expect.objectContaining({ serviceId, state: 'ended' }),
  );
});

test('a reserve for a recording that is deleted with the account is returned first', async () => {
  const ann = await house.person('Ann');
  await giveCredits(house, ann, '5');
  const purse = await purseId(ann);
  const meetingId = await makeMeeting(house, ann);
  await reserve(ann, meetingId);
  expect(await inPurse(purse)).toMatchObject({ heldFree: 100 });
  await remove(ann);
  expect(await inPurse(purse)).toEqual({});
});

test('a reserve for work that continues stays, and what is returned of it later is moved, too', async () => {
  const ann = await house.person('Ann');
  await giveCredits(house, ann, '5');
  const purse = await purseId(ann);
  const hold = await reserve(ann, newId());
  await remove(ann);
  expect(await inPurse(purse)).toEqual({ heldFree: 100 });
  await transaction(house.house, (tx) => house.house.costs.release(tx, hold));
  await sweepClosedPurses(house.house);
  await sweepClosedPurses(house.house);
  expect(await inPurse(purse)).toEqual({});
});

test('a purse that cannot be emptied at this moment keeps no other one from it', async () => {
  const left: string[] = [];
  for (const name of ['Ann', 'Ben']) {
    const person = await house.person(name);
    const hold = await reserve(person, newId());
    left.push(await purseId(person));
    await remove(person);
    await transaction(house.house, (tx) => house.house.costs.release(tx, hold));
  }
  // The first one of the sweep is stuck.
  const rows = await house.database.ask(
    (sql) => sql<{ id: string }[]>`select id from purses where id in ${sql(left)} order by id`,
  );
  const [stuck = '', other = ''] = rows.map(({ id }) => id);
  await refusingIn(house, `insert on ledger_postings for each row when (new.details->>'purse' = '${stuck}')`, () =>
    expect(sweepClosedPurses(house.house)).rejects.toThrow('could not be emptied yet'),
  );
  expect([await inPurse(stuck), await inPurse(other)]).toEqual([{ lot: 100 }, {}]);
  await sweepClosedPurses(house.house);
  expect(await inPurse(stuck)).toEqual({});
});
