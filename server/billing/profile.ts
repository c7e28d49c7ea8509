import { and, eq, isNull } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { billingProfiles } from '#db/schema/payments.ts';
import type { BillingInfo } from '#shared/payments.ts';
import { invalid } from '#shared/problems.ts';
import { signedIn, type Ctx, type House } from '../context.ts';
import { TaxIdRefused, type Payments } from '../outside/payments.ts';
import { paymentHouseOf } from './payment-house.ts';

/** Text that a person wants on invoices; null: nothing. */
export async function billingInfoOf(orm: Orm, userId: string): Promise<BillingInfo | null> {
  const [row] = await orm.select().from(billingProfiles).where(eq(billingProfiles.userId, userId));
  return row ? billingInfoFrom(row) : null;
}

export type StoredBillingInfo = Pick<typeof billingProfiles.$inferSelect, 'name' | 'address' | 'taxIds'>;

export function billingInfoFrom({ name, address, taxIds }: StoredBillingInfo): BillingInfo {
  const blank = { line1: '', line2: '', city: '', state: '', postal_code: '', country: '' };
  return { name, address: { ...blank, ...address }, tax_id_data: taxIds };
}

/** A change forgets the person at the payment service, so that the next invoice shows what is new. */
export async function saveProfile(tx: Orm, userId: string, info: BillingInfo): Promise<void> {
  const before = await billingInfoOf(tx, userId);
  if (before && JSON.stringify(before) === JSON.stringify(info)) return;
  const fields = { name: info.name, address: info.address, taxIds: info.tax_id_data, customer: null };
  await tx
    .insert(billingProfiles)
    .values({ userId, ...fields })
    .onConflictDoUpdate({ target: billingProfiles.userId, set: fields });
}

export async function changeProfile(ctx: Ctx, info: BillingInfo): Promise<BillingInfo> {
  const { person } = signedIn(ctx);
  await saveProfile(ctx.db.orm, person.id, info);
  return info;
}

/** The person at the payment service, for invoices with name, address and tax ids; null without a profile. */
export async function customerOf(
  { db }: Pick<House, 'db'>,
  payments: Payments,
  { id, email }: { id: string; email: string },
  key: string,
): Promise<string | null> {
  const [row] = await db.orm
    .select({ customer: billingProfiles.customer })
    .from(billingProfiles)
    .where(eq(billingProfiles.userId, id));
  const info = row ? await billingInfoOf(db.orm, id) : null;
  if (!row || !info) return null;
  if (row.customer !== null) return row.customer;
  const { id: houseId } = await paymentHouseOf(db.orm);
  const customer = await payments.customer(email, info, houseId, key).catch((error: unknown) => {
    if (error instanceof TaxIdRefused) throw invalid({ field: 'billingInfo.tax_id_data', code: 'tax_id' });
    throw error;
  });
  await db.orm
    .update(billingProfiles)
    .set({ customer })
    .where(and(eq(billingProfiles.userId, id), isNull(billingProfiles.customer)));
  return customer;
}
