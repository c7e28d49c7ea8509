// Credits that people give (money.md 6): both sides at once, exactly what is there, and 14 days of waiting for an address
// without an account; minutes for inviting others, once for each of them.
import { desc } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { gifts } from '#db/schema/payments.ts';
import { lockPurse, newLot, post, purseOf } from '#server/billing/ledger.ts';
import { sweepGifts } from '#server/billing/gift.ts';
import { transaction } from '#server/context.ts';
import { trialMinutes } from '#shared/billing.ts';
import { newId } from '#shared/ids.ts';
import { creditsLeft, giveCredits as grant, minutesLeft } from '#tests/support/billing.ts';
import { refusingIn } from '#tests/support/database.ts';
import { inviteTo, makeGroup } from '#tests/support/groups.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { scriptedIdentity } from '#tests/support/identity.ts';
import { Person } from '#tests/support/people.ts';

let house: TestHouse;
beforeAll(async () => {
  house = await openHouse({ env: { TRUSTED_PROXIES: '127.0.0.1' }, house: { identity: scriptedIdentity() } });
});
afterAll(() => house.close());

let callers = 0;
/** Somebody new, from an address of their own. */
function stranger(email = `${newId(10).toLowerCase()}@example.test`): Person {
  callers += 1;
  return Object.assign(new Person(house.origin), { email, address: `10.9.${callers >> 8}.${callers & 255}` });
}
async function registered(person: Person, fields: Record<string, unknown> = {}): Promise<Person> {
  const answer = await person.register(fields);
  expect(answer.status, answer.text).toBe(200);
  person.id = answer.body.user.id;
  return person;
}
async function confirmed(person: Person): Promise<void> {
  const token = await house.tokenFor(person.email, '/confirm');
  expect((await person.post(`/api/confirm/${token}`)).status).toBe(200);
}
const give = (from: Person, recipient: string, balance: string, requestId = newId()) =>
  from.post('/api/gift', { recipient, balance }, { headers: { 'X-Request-ID': requestId } });
const linesOf = async (person: Person) => (await person.get('/api/transactions')).body.transactions;
const codeOf = async (person: Person) =>
  new URL((await person.post('/api/referrals')).body.url).searchParams.get('ref') ?? '';

test('fifty gifts at once from one purse give exactly what is there', async () => {
  const ann = await house.person('Ann');
  const others = await house.people(5);
  await grant(house, ann, '10');
  // Half a minute's allowance of one person, twice: the limit of rate is not what stops them.
  await house.database.ask((sql) => sql`delete from rate_limits where key like 'payments:%'`);
  const all = await Promise.all(
    Array.from({ length: 50 }, async (_, i) => {
      const to = others[i % others.length];
      for (;;) {
        const answer = await give(ann, to?.email ?? '', '0.70');
        if (answer.status === 429) {
          await house.database.ask((sql) => sql`delete from rate_limits where key like 'payments:%'`);
          continue;
        }
        // Too many at once for the connections there are: a caller comes again.
        if (answer.status !== 503) return answer.status;
      }
    }),
  );
  expect([all.filter((status) => status === 200).length, all.filter((status) => status === 402).length]).toEqual([
    14, 36,
  ]);
  expect(await creditsLeft(house, ann)).toBeCloseTo(0.2);
  const got = await Promise.all(others.map((one) => creditsLeft(house, one)));
  expect(got.reduce((sum, one) => sum + one, 0)).toBeCloseTo(9.8);
});

test('two people who give to each other at once both succeed', async () => {
  const [ann, ben] = [await house.person('Ann'), await house.person('Ben')];
  for (const one of [ann, ben]) await grant(house, one, '5');
  const both = Array.from({ length: 5 }, () => [give(ann, ben.email, '1'), give(ben, ann.email, '1')]).flat();
  expect((await Promise.all(both)).map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
  expect([await creditsLeft(house, ann), await creditsLeft(house, ben)]).toEqual([5, 5]);
});

test('a repeated request gives once, and each side sees the other in its transactions', async () => {
  const [ann, ben] = [await house.person('Ann'), await house.person('Ben')];
  await grant(house, ann, '5');
  const id = newId();
  const both = [await give(ann, ben.email, '2', id), await give(ann, ben.email, '2', id)];
  expect(both.map(({ body }) => body)).toEqual([{ balance: '3.00' }, { balance: '3.00' }]);
  expect((await linesOf(ann))[0]).toMatchObject({ kind: 'gift', balance: '-2.00', note: ben.email });
  expect((await linesOf(ben))[0]).toMatchObject({ kind: 'gift', balance: '2.00', note: 'Ann Test' });
});

test('who owes something gives nothing, and what they get pays it first', async () => {
  const [ann, ben] = [await house.person('Ann'), await house.person('Ben')];
  await grant(house, ann, '5');
  await transaction(house.house, async (tx) => {
    const purse = await purseOf(house.house, tx, ben.id);
    await lockPurse(tx, purse);
    await post(house.house, tx, {
      ...{ key: newId(), kind: 'dispute', by: null },
      transfers: [{ from: { purse, kind: 'debt' }, to: { house: 'stripe' }, amount: 3_000_000n }],
    });
  });
  expect((await give(ben, ann.email, '0.01')).problem).toMatchObject({ code: 'FUNDS', info: { debt: '3.00' } });
  expect((await give(ann, ben.email, '4')).status).toBe(200);
  expect((await ben.get('/api/balance')).body).toMatchObject({ balance: '1.00', debt: '0.00' });
});

test('a gift waits for its address, and the first to confirm it has it', async () => {
  const ann = await house.person('Ann');
  await grant(house, ann, '5');
  const chen = stranger();
  const known = await house.person('Ben');
  const [toNobody, toBen] = [await give(ann, chen.email, '2'), await give(ann, known.email, '1')];
  expect([toNobody.body, toBen.body]).toEqual([{ balance: '3.00' }, { balance: '2.00' }]);
  const [theirs, bens] = (await linesOf(ann)).toReversed().slice(-2);
  expect({ ...theirs, nth: 0, note: '', details: '', balance: '', date: 0 }).toEqual({
    ...{ ...bens, nth: 0, note: '', details: '', balance: '', date: 0 },
  });
  // Registering is not enough: anybody can do that with any address.
  const mallory = await registered(stranger(chen.email));
  await registered(chen);
  expect(await creditsLeft(house, mallory)).toBe(0);
  await confirmed(chen);
  expect([await creditsLeft(house, chen), await creditsLeft(house, mallory)]).toEqual([2, 0]);
  expect((await linesOf(chen))[0]).toMatchObject({ kind: 'gift', balance: '2.00', note: 'Ann Test' });
});

test('who declined the invitation to a team of the sender gets a gift', async () => {
  const [ann, ben] = [await house.person('Ann'), await house.person('Ben')];
  await grant(house, ann, '5');
  const group = await makeGroup(ann);
  await inviteTo(ann, group, ben.email);
  expect((await give(ann, ben.email, '1')).status).toBe(422);
  expect((await ben.post(`/api/groups/${group}/ignore`)).status).toBe(204);
  expect((await give(ann, ben.email, '1')).status).toBe(200);
  expect(await creditsLeft(house, ben)).toBe(1);
});

test('a mail of a gift is in the language of who reads it, else in that of who gives', async () => {
  const [ann, ben, chen] = await house.people(3);
  if (!ann || !ben || !chen) throw new Error('nobody');
  await grant(house, ann, '5');
  const said = async (to: string, subject: string, headers: Record<string, string> = {}) => {
    const id = newId();
    await ann.post('/api/gift', { recipient: to, balance: '1' }, { headers: { 'X-Request-ID': id, ...headers } });
    expect((await house.mails(to))[0]?.subject).toContain(subject);
  };
  expect((await ben.post('/api/principals/me', { language: 'ru' })).status).toBe(200);
  await said(ben.email, 'переводит вам');
  // Neither has chosen a language: the browser of who gives asks for one.
  await said(chen.email, 'te ha transferido', { 'Accept-Language': 'es-MX,es;q=0.9,en;q=0.8' });
  expect((await ann.post('/api/principals/me', { language: 'zh' })).status).toBe(200);
  await said(stranger().email, '转账', { 'Accept-Language': 'es' });
});

test('who changes to an address gets what waits for it', async () => {
  const [ann, ben] = [await house.person('Ann'), await house.person('Ben')];
  await grant(house, ann, '5');
  const newEmail = stranger().email;
  await give(ann, newEmail, '2');
  await ben.post('/api/principals/me/change-email/step1', { newEmail });
  const token = await house.tokenFor(newEmail, '/confirm-email-change');
  await ben.post('/api/principals/me/change-email/step2', { token, password: ben.password });
  expect(await creditsLeft(house, ben)).toBe(2);
});

test('after 14 days a gift comes back once, and the address gets nothing any more', async () => {
  const [ann, ben] = [await house.person('Ann'), await house.person('Ben')];
  const chen = stranger();
  for (const one of [ann, ben]) {
    await grant(house, one, '5');
    await give(one, chen.email, '2');
  }
  await sweepGifts(house.house);
  expect(await creditsLeft(house, ann)).toBe(3);
  // Nobody to return it to: the operator looks into it.
  expect((await ben.post('/api/principals/me/delete', { password: ben.password, reason: 'tooSlow' })).status).toBe(204);
  house.clock.forward(14 * 86_400 + 1);
  try {
    await Promise.all([sweepGifts(house.house), sweepGifts(house.house)]);
    await sweepGifts(house.house);
  } finally {
    house.clock.forward(-14 * 86_400 - 1);
  }
  expect(await creditsLeft(house, ann)).toBe(5);
  expect((await linesOf(ann))[0]).toMatchObject({ kind: 'giftReturned', balance: '2.00', note: chen.email });
  const [unclaimed] = await house.database.ask(
    (sql) => sql<{ sum: string }[]>`
      select sum(t.amount)::text as sum from ledger_transfers t join ledger_postings p on p.id = t.posting_id
      where t.to_account = 'unclaimed' and p.kind = 'giftReturned'`,
  );
  expect(unclaimed?.sum).toBe('2000000');
  await registered(chen);
  await confirmed(chen);
  expect(await creditsLeft(house, chen)).toBe(0);
});

test('a gift that cannot be returned at this moment keeps no other one from coming back', async () => {
  const [ann, ben] = [await house.person('Ann'), await house.person('Ben')];
  for (const one of [ann, ben]) {
    await grant(house, one, '5');
    await give(one, stranger().email, '2');
  }
  const [stuck] = await house.database.orm.select().from(gifts).orderBy(desc(gifts.createdAt)).offset(1).limit(1);
  house.clock.forward(14 * 86_400 + 1);
  try {
    await refusingIn(
      house,
      `insert on ledger_postings for each row when (new.key = 'gift-returned:${stuck?.id}')`,
      () => expect(sweepGifts(house.house)).rejects.toThrow('could not be returned yet'),
    );
    expect([await creditsLeft(house, ann), await creditsLeft(house, ben)]).toEqual([3, 5]);
    await sweepGifts(house.house);
    expect(await creditsLeft(house, ann)).toBe(5);
  } finally {
    house.clock.forward(-14 * 86_400 - 1);
  }
});

test('confirming while a gift is sent never leaves it waiting for an account that exists', async () => {
  const ann = await house.person('Ann');
  await grant(house, ann, '20');
  for (let round = 0; round < 6; round += 1) {
    const chen = await registered(stranger());
    const [sent] = await Promise.all([give(ann, chen.email, '1'), confirmed(chen)]);
    expect(sent.status).toBe(200);
    expect(await creditsLeft(house, chen)).toBe(1);
  }
  expect(await house.database.orm.select().from(gifts)).not.toContainEqual(
    expect.objectContaining({ state: 'waiting' }),
  );
});

test('an invited friend brings 20 minutes when they confirm, once', async () => {
  const ann = await house.person('Ann');
  const friend = await registered(stranger(), { referral: await codeOf(ann) });
  expect(await minutesLeft(house, ann)).toBe(trialMinutes);
  await confirmed(friend);
  expect(await minutesLeft(house, ann)).toBe(trialMinutes + 20);
  expect((await linesOf(ann))[0]).toMatchObject({ kind: 'referral', freeMinutes: 20 });
  expect(await minutesLeft(house, friend)).toBe(trialMinutes);
});

test('an address that had an account brings nothing', async () => {
  const ann = await house.person('Ann');
  const friend = await registered(stranger(), { referral: await codeOf(ann) });
  await confirmed(friend);
  await friend.post('/api/principals/me/delete', { password: friend.password, reason: 'tooSlow' });
  const again = await registered(stranger(friend.email), { referral: await codeOf(ann) });
  await confirmed(again);
  expect(await minutesLeft(house, ann)).toBe(trialMinutes + 20);
  expect(await minutesLeft(house, again)).toBe(0);
});

test('a code that nobody has, or of a deleted account, changes nothing', async () => {
  const ann = await house.person('Ann');
  const code = await codeOf(ann);
  const friend = await registered(stranger(), { referral: code });
  await ann.post('/api/principals/me/delete', { password: ann.password, reason: 'tooSlow' });
  await confirmed(friend);
  for (const referral of [code, 'nobody-has-this', 'x'.repeat(500), 7])
    await confirmed(await registered(stranger(), { referral }));
});

test('at most 50 friends a month bring minutes', async () => {
  const ann = await house.person('Ann');
  const code = await codeOf(ann);
  const rewarded = (count: number) =>
    transaction(house.house, async (tx) => {
      const purse = await purseOf(house.house, tx, ann.id);
      for (let nth = 0; nth < count; nth += 1) {
        const lot = await newLot(house.house, tx, purse, { paid: false, lapsesAt: null, source: 'referral' });
        await post(house.house, tx, {
          ...{ key: newId(), kind: 'referral', by: null },
          transfers: [{ from: { house: 'minted' }, to: { purse, lot }, amount: 1200n }],
        });
      }
    });
  await rewarded(48);
  const friends: Person[] = [];
  for (let nth = 0; nth < 3; nth += 1) friends.push(await registered(stranger(), { referral: code }));
  const last = await registered(stranger(), { referral: code });
  await Promise.all(friends.map(confirmed));
  expect(await minutesLeft(house, ann)).toBe(trialMinutes + 50 * 20);
  house.clock.forward(31 * 86_400);
  try {
    await last.post('/api/confirm', { email: last.email });
    await confirmed(last);
  } finally {
    house.clock.forward(-31 * 86_400);
  }
  expect(await minutesLeft(house, ann)).toBe(trialMinutes + 51 * 20);
});

test('an invitation that confirms the address gives the trial, the gift and the reward, too', async () => {
  const [ann, ben] = [await house.person('Ann'), await house.person('Ben')];
  await grant(house, ann, '5');
  const friend = await registered(stranger(), { referral: await codeOf(ann) });
  await give(ann, friend.email, '2');
  await inviteTo(ben, await makeGroup(ben), friend.email);
  const secret = await house.tokenFor(friend.email, '/invitation');
  expect((await friend.post(`/api/invitations/${secret}`)).body.result).toBe('ok');
  expect([await minutesLeft(house, friend), await creditsLeft(house, friend)]).toEqual([trialMinutes, 2]);
  expect(await minutesLeft(house, ann)).toBe(trialMinutes + 20);
});

test('who signs up by the identity provider brings minutes as well', async () => {
  const ann = await house.person('Ann');
  const friend = stranger();
  const away = await friend.get(`/api/login/oidc?${new URLSearchParams({ ref: await codeOf(ann) })}`);
  const state = new URL(away.headers.get('location') ?? '').searchParams.get('state') ?? '';
  await friend.get(`/api/login/oidc/callback?${new URLSearchParams({ state, code: 'x' })}`);
  expect((await friend.whoami()).body.principal.kind).toBe('user');
  expect(await minutesLeft(house, ann)).toBe(trialMinutes + 20);
});
