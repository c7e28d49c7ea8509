import { and, eq, gt, isNull, lt, lte, or, sql } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { promoCodes, promoUses } from '#db/schema/payments.ts';
import { creditsText } from '#shared/money.ts';
import { invalid } from '#shared/problems.ts';
import { signedIn, type Ctx } from '../context.ts';
import { rules } from '../limits.ts';
import { findPurse } from './ledger.ts';

/** One answer for codes that are unknown, used up, used before or too old, so that nobody learns codes by trying. */
const unknownCode = () => invalid({ field: 'promoCode', code: 'promo' });

/** The code itself, however a person typed it. */
export const codeOf = (typed: string): string => typed.trim().normalize('NFKC').toUpperCase();

const usable = (code: string, amount: bigint, now: Date) =>
  and(
    eq(promoCodes.code, code),
    lt(promoCodes.used, promoCodes.limit),
    lte(promoCodes.least, amount),
    or(isNull(promoCodes.expiresAt), gt(promoCodes.expiresAt, now)),
  );

/** Reserves a code for a purchase in its transaction; answers the credits that it adds. */
export async function reservePromo(
  tx: Orm,
  typed: string,
  { purseId, purchaseId, amount, now }: { purseId: string; purchaseId: string; amount: bigint; now: Date },
): Promise<{ code: string; bonus: bigint }> {
  const code = codeOf(typed);
  const [taken] = await tx
    .update(promoCodes)
    .set({ used: sql`${promoCodes.used} + 1` })
    .where(usable(code, amount, now))
    .returning({ bonus: promoCodes.bonus });
  if (!taken) throw unknownCode();
  const used = await tx
    .insert(promoUses)
    .values({ code, purseId, purchaseId })
    .onConflictDoNothing()
    .returning({ code: promoUses.code });
  if (used.length === 0) throw unknownCode();
  return { code, bonus: taken.bonus };
}

/** Gives a code back whose purchase will not be paid. */
export async function releasePromo(tx: Orm, purchaseId: string): Promise<void> {
  const freed = await tx
    .delete(promoUses)
    .where(eq(promoUses.purchaseId, purchaseId))
    .returning({ code: promoUses.code });
  for (const { code } of freed)
    await tx
      .update(promoCodes)
      .set({ used: sql`${promoCodes.used} - 1` })
      .where(eq(promoCodes.code, code));
}

/** Bonus of a code for a purchase. */
export async function promoBonus(ctx: Ctx, { code: typed, balance }: { code: string; balance: bigint }) {
  const { person } = signedIn(ctx);
  await ctx.limits.take(rules.promoCodes, person.id);
  const code = codeOf(typed);
  const [found] = await ctx.db.orm
    .select({ bonus: promoCodes.bonus })
    .from(promoCodes)
    .where(usable(code, balance, ctx.clock.now()));
  const purse = await findPurse(ctx.db.orm, person.id);
  const [before] =
    purse === null
      ? []
      : await ctx.db.orm
          .select({ code: promoUses.code })
          .from(promoUses)
          .where(and(eq(promoUses.code, code), eq(promoUses.purseId, purse)));
  if (!found || before) throw unknownCode();
  return { bonus: creditsText(found.bonus) };
}
