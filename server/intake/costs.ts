import { and, eq, gte, sql } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { users } from '#db/schema/accounts.ts';
import { externalModel, humanModel, intakeFailures, noModel, type CostOption } from '#shared/intake.ts';
import { Problem } from '#shared/problems.ts';
import type { Person } from '../context.ts';

/** Work to be paid for. */
export interface Order {
  model: string;
  /** Null if the duration is unknown. */
  seconds: number | null;
}

/** Reserved minutes of an order, released if it fails. */
interface Held {
  minutes: number;
}

/** Computes prices and takes payment, in whole micro-dollars. */
export interface CostDesk {
  /** Payment options of this person; the first is the default. */
  options(orm: Orm, person: Person, order: Order): Promise<CostOption[]>;
  /** Reserves within the caller's transaction; refuses if the balance no longer suffices. */
  hold(tx: Orm, person: Person, order: Order, option: CostOption): Promise<Held>;
  release(tx: Orm, payerId: string, held: Held): Promise<void>;
  /** The part of a reservation that a recording of the measured length costs; null if it costs more than reserved. */
  taken(order: Order, held: Held): Held | null;
}

/** Micro-dollars a minute. A transcript that a person adds is free. */
export const minutePrices: Readonly<Record<string, number>> = { [externalModel]: 0 };

export const microsOf = (dollars: number): number => Math.round(dollars * 1e6);

/**
 * Implements trial minutes and a price list; there are no balances yet. Trial minutes do not pay for human transcripts,
 * whose work has to be paid to somebody.
 */
export function trialDesk(prices: () => Readonly<Record<string, number>> = () => minutePrices): CostDesk {
  const minutesOf = ({ model, seconds }: Order): { price: number; minutes: number } => {
    // A recording without a transcript is free.
    const price = model === noModel ? 0 : prices()[model];
    if (price === undefined) throw new Problem('INVALID', { errors: [{ field: 'model', code: 'model' }] });
    if (price > 0 && seconds === null)
      throw new Problem('INVALID', {
        message: `${intakeFailures.unsupported}: nothing tells how long it is, and by that it is paid for`,
        errors: [{ field: 'file', code: 'file_type' }],
      });
    return { price, minutes: price === 0 ? 0 : Math.ceil((seconds ?? 0) / 60) };
  };
  return {
    async options(orm, person, order) {
      const { price, minutes } = minutesOf(order);
      const [row] = await orm.select({ left: users.trialMinutes }).from(users).where(eq(users.id, person.id));
      const freeMinutes = order.model === humanModel ? 0 : Math.min(row?.left ?? 0, minutes);
      const micros = (minutes - freeMinutes) * price;
      return [
        {
          cost: micros / 1e6,
          isDelegated: false,
          isEnough: micros === 0,
          isEnoughQuota: true,
          freeMinutes,
          professionalMinutes: 0,
          subscriptionMinutes: 0,
          balance: 0,
          recommendedBalanceTopUp: micros / 1e6,
          organizationName: null,
          payer: null,
        },
      ];
    },
    async hold(tx, person, _order, { freeMinutes, isEnough }) {
      if (!isEnough) throw new Problem('FUNDS');
      if (freeMinutes === 0) return { minutes: 0 };
      const taken = await tx
        .update(users)
        .set({ trialMinutes: sql`${users.trialMinutes} - ${freeMinutes}` })
        .where(and(eq(users.id, person.id), gte(users.trialMinutes, freeMinutes)))
        .returning({ id: users.id });
      if (taken.length === 0) throw new Problem('FUNDS');
      return { minutes: freeMinutes };
    },
    async release(tx, payerId, { minutes }) {
      if (minutes === 0) return;
      await tx
        .update(users)
        .set({ trialMinutes: sql`${users.trialMinutes} + ${minutes}` })
        .where(eq(users.id, payerId));
    },
    taken(order, held) {
      // A model that is no longer offered fails later, and returns everything.
      if (prices()[order.model] === undefined) return held;
      const { minutes } = minutesOf(order);
      return minutes <= held.minutes ? { minutes } : null;
    },
  };
}
