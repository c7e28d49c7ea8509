import { createDesk } from '#server/billing/desk.ts';
import { newLot, post, purseOf, type Transfer } from '#server/billing/ledger.ts';
import { contentsOf, secondsIn } from '#server/billing/purse.ts';
import { systemClock, type Clock } from '#server/clock.ts';
import { transaction } from '#server/context.ts';
import { newId } from '#shared/ids.ts';
import { microsFrom } from '#shared/money.ts';
import type { SharedHouse } from './house.ts';
import type { Person } from './people.ts';

type Billed = Pick<SharedHouse, 'database'>;
const books = { clock: systemClock };
type Who = Pick<Person, 'id'>;

/** Gives a person credits, as an operator would. */
export const giveCredits = ({ database }: Billed, { id }: Who, credits: string): Promise<void> =>
  transaction({ db: database }, async (tx) => {
    const purse = await purseOf(books, tx, id);
    const amount = microsFrom(credits) ?? 0n;
    const transfers: Transfer[] = [{ from: { house: 'granted' }, to: { purse, kind: 'credits' }, amount }];
    await post(books, tx, { key: newId(), kind: 'grant', by: null, transfers });
  });

/** Leaves a person with so many free minutes, and no other ones. */
export const setFreeMinutes = ({ database }: Billed, { id }: Who, minutes: number): Promise<void> =>
  transaction({ db: database }, async (tx) => {
    const purse = await purseOf(books, tx, id);
    const { lots } = await contentsOf(tx, id, books.clock.now());
    const transfers = lots.map(({ id: lot, seconds }): Transfer => ({
      from: { purse, lot },
      to: { house: 'lapsed' },
      amount: seconds,
    }));
    if (minutes > 0) {
      const lot = await newLot(books, tx, purse, { paid: false, lapsesAt: null, source: 'trial' });
      transfers.push({ from: { house: 'minted' }, to: { purse, lot }, amount: BigInt(minutes * 60) });
    }
    if (transfers.length > 0) await post(books, tx, { key: newId(), kind: 'grant', by: null, transfers });
  });

/** Minutes that a person can use. */
export const minutesLeft = async ({ database }: Billed, { id }: Who): Promise<number> =>
  Number(secondsIn((await contentsOf(database.orm, id, books.clock.now())).lots)) / 60;

/** Credits that a person can spend. */
export const creditsLeft = async ({ database }: Billed, { id }: Who): Promise<number> =>
  Number((await contentsOf(database.orm, id, books.clock.now())).credits) / 1e6;

/** A cent a second, at the time of the house where it has one. */
const deskOf = ({ clock = systemClock }: Timed) => createDesk({ clock }, () => ({ speech: 600_000 }));
type Timed = Billed & { clock?: Clock };

/** Reserves credits of a team's payer for work of a member. */
export const holdForTeam = (house: Timed, { id }: Who, groupId: string, credits: number): Promise<string | null> =>
  transaction({ db: house.database }, (tx) =>
    deskOf(house).hold(
      tx,
      { id },
      { meetingId: newId(), model: 'speech', seconds: credits * 100 },
      { cost: credits, groupId },
    ),
  );

/** Pays a minute of transcription of a recording with free minutes, with credits, or half with each. */
export async function payTranscript(
  house: Timed,
  who: Who,
  meetingId: string,
  how: 'free' | 'credits' | 'both',
): Promise<void> {
  await setFreeMinutes(house, who, { free: 1, credits: 0, both: 0.5 }[how]);
  if (how !== 'free') await giveCredits(house, who, '1');
  const order = { meetingId, model: 'speech', seconds: 60 };
  await transaction({ db: house.database }, async (tx) => {
    const desk = deskOf(house);
    const [option] = await desk.options(tx, { id: who.id }, order);
    if (!option) throw new Error('nothing is offered');
    await desk.capture(tx, (await desk.hold(tx, { id: who.id }, order, option)) ?? '');
  });
}

/** Uses so many credits of what a team pays for a member; its payer has them. */
export async function useQuota(house: Timed, who: Who, groupId: string, credits: number): Promise<void> {
  const hold = await holdForTeam(house, who, groupId, credits);
  if (hold !== null) await transaction({ db: house.database }, (tx) => deskOf(house).capture(tx, hold));
}
