import { expect } from 'vitest';
import { newLot, post, purseOf } from '#server/billing/ledger.ts';
import { transaction } from '#server/context.ts';
import { balanceView, transactionsView, trialMinutes, type TransactionsView } from '#shared/billing.ts';
import { newId } from '#shared/ids.ts';
import { creditsLeft, giveCredits } from '#tests/support/billing.ts';
import { rules } from '#server/limits.ts';
import { giftView, referralView } from '#shared/giving.ts';
import { inviteTo, makeGroup } from '#tests/support/groups.ts';
import { makeMeeting } from '#tests/support/meetings.ts';
import type { Answer } from '#tests/support/people.ts';
import { unknownParameter, type Row, type Scene, type Table } from '#tests/support/table.ts';

const nobody: Row = { when: 'nobody', status: 401, code: 'UNAUTH' };

/** Recipients, by the caller who gives to them. */
const given = new Map<string, { id: string; email: string }>();

/** Three more lines: paid for a recording that the caller may read, for one of somebody else, and for a formula. */
async function spend({ house, caller, person }: Scene): Promise<string> {
  await giveCredits(house, caller, '10');
  const [mine, theirs] = [await makeMeeting(house, caller), await makeMeeting(house, await person())];
  await transaction(house.house, async (tx) => {
    const purse = await purseOf(house.house, tx, caller.id);
    const lot = await newLot(house.house, tx, purse, { paid: true, lapsesAt: null, source: 'test' });
    for (const [meetingId, details] of [
      [mine, { seconds: 61 }],
      [theirs, {}],
      [null, { reason: '=HYPERLINK("x")' }],
    ] as const)
      await post(house.house, tx, {
        ...{ key: newId(), kind: 'transcription', by: caller.id, meetingId, details },
        transfers: [
          { from: { purse, kind: 'credits' }, to: { house: 'revenue' }, amount: 1_234_567n },
          { from: { house: 'minted' }, to: { purse, lot }, amount: 90n },
        ],
      });
  });
  return '';
}

export default {
  'GET /api/balance': [
    unknownParameter,
    nobody,
    {
      when: 'somebody new: the trial',
      as: 'session',
      status: 200,
      then: ({ body }: Answer) => {
        expect(balanceView.strict().parse(body)).toEqual(body);
        expect(body).toMatchObject({
          ...{ balance: '0.00', debt: '0.00', totalMinutes: trialMinutes, freeMinutes: trialMinutes },
          lots: [{ minutes: trialMinutes, paid: false, source: 'trial', until: null }],
        });
      },
    },
    {
      when: 'somebody with credits: what they pay for, too',
      as: 'token',
      query: async ({ house, caller }: Scene) => {
        await giveCredits(house, caller, '1.57');
        return '';
      },
      status: 200,
      then: ({ body }: Answer) => expect(body).toMatchObject({ balance: '1.57', minutesForBalance: 10 }),
    },
    { when: 'an address that is not confirmed', as: 'unconfirmed', status: 200 },
  ],

  'GET /api/transactions': [
    unknownParameter,
    nobody,
    {
      when: 'newest first, with titles of what the caller may read alone',
      as: 'session',
      query: spend,
      status: 200,
      then: ({ body }: Answer) => {
        expect(transactionsView.strict().parse(body)).toEqual(body);
        const { transactions, total } = body as TransactionsView;
        expect(total).toBe(5);
        expect(
          transactions.map(({ nth, balance, professionalMinutes }) => [nth, balance, professionalMinutes]),
        ).toEqual([
          [5, '-1.234567', 1.5],
          [4, '-1.234567', 1.5],
          [3, '-1.234567', 1.5],
          [2, '10.00', 0],
          [1, '0.00', 0],
        ]);
        expect(transactions.map(({ meetingId }) => meetingId === null)).toEqual([true, true, false, true, true]);
        expect(transactions.map(({ kind }) => kind)).toEqual([
          ...['transcription', 'transcription', 'transcription', 'grant', 'trial'],
        ]);
      },
    },
    {
      when: 'one page of them',
      as: 'session',
      query: async (scene: Scene) => {
        await spend(scene);
        return '?skip=1&count=2';
      },
      status: 200,
      then: ({ body }: Answer) => {
        const { transactions, total } = body as TransactionsView;
        expect([total, transactions.map(({ nth }) => nth)]).toEqual([5, [4, 3]]);
      },
    },
    {
      when: 'beyond the last one',
      as: 'session',
      query: '?skip=100',
      status: 200,
      then: ({ body }: Answer) => expect(body).toEqual({ transactions: [], total: 1 }),
    },
    ...['-1', '1e1', '１', '1.5', '0x1', 'NaN', ''].map((skip): Row => ({
      when: `skip=${skip}`,
      as: 'session',
      query: `?${new URLSearchParams({ skip })}`,
      status: 422,
      code: 'INVALID',
      fields: { skip: 'invalid' },
    })),
    {
      when: 'more at once than one page may have',
      as: 'session',
      query: '?count=1001',
      status: 422,
      code: 'INVALID',
      fields: { count: 'invalid' },
    },
  ],

  'GET /api/transactions.csv': [
    unknownParameter,
    nobody,
    {
      when: 'all of them, where a formula is text',
      as: 'session',
      query: spend,
      status: 200,
      then: ({ text }: Answer) => {
        const rows = text.trimEnd().split('\r\n');
        expect(rows).toHaveLength(6);
        expect(rows[0]).toBe(
          '"Date","Kind","USD","Free minutes","Paid minutes","Document","Uploader","Details","Receipt","Team"',
        );
        expect(rows[1]).toMatch(
          /^"[\d-]+T[\d:.]+Z","transcription",-1\.234567,0,1\.5,"","","'=HYPERLINK\(""x""\)","",""$/,
        );
        expect(rows[3]).toContain('"transcription, 61 s"');
        expect(rows[5]).toContain(`,"trial",0.00,${trialMinutes},0,`);
      },
    },
  ],

  'POST /api/gift': [
    nobody,
    {
      when: 'somebody has the address: both sides at once, and a mail',
      as: 'session',
      body: async (scene: Scene) => {
        await giveCredits(scene.house, scene.caller, '10');
        const { id, email } = await scene.person();
        given.set(scene.caller.id, { id, email });
        return { recipient: ` ${email.toUpperCase()} `, balance: '2,5' };
      },
      status: 200,
      then: async ({ body }: Answer, { house, caller }: Scene) => {
        expect(giftView.strict().parse(body)).toEqual({ balance: '7.50' });
        const { id, email } = given.get(caller.id) ?? { id: '', email: '' };
        expect(await creditsLeft(house, { id })).toBe(2.5);
        const [mail] = await house.mails(email);
        expect(mail).toMatchObject({ subject: 'Ann Test transferred credits to you' });
        expect(mail?.text).toContain('/balance');
      },
    },
    {
      when: 'nobody has the address: the same answer, and a mail that leads to an account',
      as: 'token',
      body: async ({ house, caller }: Scene) => {
        await giveCredits(house, caller, '10');
        return { recipient: `${caller.id}@nobody.test`, balance: 2.5 };
      },
      status: 200,
      then: async ({ body }: Answer, { house, caller }: Scene) => {
        expect(body).toEqual({ balance: '7.50' });
        const [mail] = await house.mails(`${caller.id}@nobody.test`);
        expect(mail?.text).toContain('/signup');
      },
    },
    {
      when: 'more than there is',
      as: 'session',
      body: async ({ house, caller }: Scene) => {
        await giveCredits(house, caller, '1');
        return { recipient: 'ben@nobody.test', balance: '1.01' };
      },
      status: 402,
      code: 'FUNDS',
      then: ({ problem }: Answer) => expect(problem.info).toMatchObject({ balance: '1.00', debt: '0.00' }),
    },
    {
      when: 'the sender has not confirmed their address',
      as: 'unconfirmed',
      body: { recipient: 'ben@nobody.test', balance: 1 },
      status: 403,
      code: 'NO_PERM',
    },
    {
      when: 'to oneself',
      as: 'session',
      body: ({ caller }: Scene) => ({ recipient: caller.email, balance: 1 }),
      status: 422,
      code: 'INVALID',
      fields: { recipient: 'gift_self' },
    },
    {
      when: 'to a member who has not joined yet',
      as: 'session',
      body: async ({ house, caller, person }: Scene) => {
        await giveCredits(house, caller, '1');
        const { email } = await person();
        await inviteTo(caller, await makeGroup(caller), email);
        return { recipient: email, balance: 1 };
      },
      status: 422,
      code: 'INVALID',
      fields: { recipient: 'gift_pending' },
    },
    ...['0', '-1', '+1', '1e2', '１', '٣', '0x1', 'NaN', '1.234', '1000000.01', '', null].map((balance): Row => ({
      when: `an amount of ${balance}`,
      as: 'session',
      body: { recipient: 'ben@nobody.test', balance },
      status: 422,
      code: 'INVALID',
      fields: { balance: 'amount' },
    })),
    {
      when: 'an address that is none',
      as: 'session',
      body: { recipient: 'ben', balance: 1 },
      status: 422,
      code: 'INVALID',
      fields: { recipient: 'email' },
    },
    {
      when: 'the request id of another transfer',
      as: 'session',
      body: async ({ house, caller }: Scene) => {
        await giveCredits(house, caller, '5');
        await caller.post(
          '/api/gift',
          { recipient: 'ben@nobody.test', balance: 1 },
          { headers: { 'X-Request-ID': caller.id } },
        );
        return { recipient: 'ben@nobody.test', balance: 2 };
      },
      send: ({ caller }: Scene) => Promise.resolve({ headers: { 'X-Request-ID': caller.id } }),
      status: 422,
      code: 'IDEMP',
    },
    {
      when: 'too often',
      as: 'session',
      body: { recipient: 'ben@nobody.test', balance: 1 },
      send: async ({ caller, exhaust }: Scene) => {
        await exhaust(rules.payments, caller.id);
        return {};
      },
      status: 429,
      code: 'RATE',
    },
  ],

  'POST /api/referrals': [
    nobody,
    {
      when: 'always the same link',
      as: 'token',
      status: 200,
      then: async ({ body }: Answer, { house, caller }: Scene) => {
        expect(referralView.strict().parse(body)).toEqual(body);
        expect(body.url).toMatch(new RegExp(`^${house.house.origin()}/signup\\?ref=[\\w-]{12,60}$`));
        expect((await caller.post('/api/referrals')).body).toEqual(body);
      },
    },
    { when: 'the address is not confirmed', as: 'unconfirmed', status: 403, code: 'NO_PERM' },
  ],
} satisfies Table;
