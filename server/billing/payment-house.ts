import { isNull } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { paymentHouse } from '#db/schema/payments.ts';
import { Problem } from '#shared/problems.ts';
import type { House } from '../context.ts';
import type { PaymentMode, Payments } from '../outside/payments.ts';

interface Known {
  /** Name of this database at the payment service. */
  id: string;
  mode: PaymentMode | null;
}

export async function paymentHouseOf(orm: Orm): Promise<Known> {
  const [row] = await orm.select({ id: paymentHouse.id, mode: paymentHouse.mode }).from(paymentHouse);
  if (!row) throw new Error('the database has no name for the payment service');
  return row;
}

/** The mode that the database has taken payments in, if it is another one than now. */
export async function otherMode({ db, payments }: Pick<House, 'db' | 'payments'>): Promise<PaymentMode | null> {
  const { mode } = await paymentHouseOf(db.orm);
  return payments && mode !== null && mode !== payments.mode ? mode : null;
}

/**
 * Notes the mode of the first payment: money of another mode never enters the same books. Until the commit, nobody voids
 * test money.
 */
export async function keepMode(tx: Orm, mode: PaymentMode): Promise<void> {
  await tx.update(paymentHouse).set({ mode }).where(isNull(paymentHouse.mode));
  const [known] = await tx.select({ mode: paymentHouse.mode }).from(paymentHouse).for('share');
  if (known?.mode !== mode)
    throw new Error(`a payment of the mode ${mode} in a database of the mode ${known?.mode ?? 'none'}`);
}

/** The mode that payments were taken in so far; until the commit, none enters the books. */
export async function lockMode(tx: Orm): Promise<PaymentMode | null> {
  const [known] = await tx.select({ mode: paymentHouse.mode }).from(paymentHouse).for('update');
  return known?.mode ?? null;
}

/** The service that takes payments. */
export function paymentsOf({ payments }: Pick<House, 'payments'>): Payments {
  if (!payments) throw new Problem('PAYMENTS_OFF');
  return payments;
}
