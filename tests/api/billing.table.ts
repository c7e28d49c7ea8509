import { expect } from 'vitest';
import { newLot, post, purseOf } from '#server/billing/ledger.ts';
import { transaction } from '#server/context.ts';
import { balanceView, transactionsView, trialMinutes, type TransactionsView } from '#shared/billing.ts';
import { newId } from '#shared/ids.ts';
import { giveCredits } from '#tests/support/billing.ts';
import { makeMeeting } from '#tests/support/meetings.ts';
import type { Answer } from '#tests/support/people.ts';
import { unknownParameter, type Row, type Scene, type Table } from '#tests/support/table.ts';

const nobody: Row = { when: 'nobody', status: 401, code: 'UNAUTH' };

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
        expect(rows[0]).toBe('Date,Kind,USD,Free minutes,Paid minutes,Document,Uploader,Details,Receipt');
        expect(rows[1]).toMatch(/^[\d-]+T[\d:.]+Z,transcription,-1\.234567,0,1\.5,,,"'=HYPERLINK\(""x""\)",$/);
        expect(rows[3]).toContain('"transcription, 61 s"');
        expect(rows[5]).toContain(`,trial,0.00,${trialMinutes},0,`);
      },
    },
  ],
} satisfies Table;
