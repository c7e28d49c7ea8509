import { asc, eq, gt, sql } from 'drizzle-orm';
import { attachments } from '#db/schema/attachments.ts';
import { uploads } from '#db/schema/intake.ts';
import { media, storeLeftovers } from '#db/schema/media.ts';
import type { House } from '../context.ts';

const batch = 500;
const { key } = storeLeftovers;

/** Removes the files whose rows are gone. One that cannot be removed is tried again next time, and stops no other. */
export async function sweepLeftovers(house: Pick<House, 'db' | 'store' | 'log'>): Promise<void> {
  for (let after: string | undefined = ''; after !== undefined;) {
    const left: { key: string }[] = await house.db.orm
      .select()
      .from(storeLeftovers)
      .where(gt(key, after))
      .orderBy(asc(key))
      .limit(batch);
    for (const one of left)
      await clear(house, one.key).catch((error: unknown) =>
        house.log.warn({ err: error, key: one.key }, 'a file could not be removed; tried again later'),
      );
    after = left.at(-1)?.key;
  }
}

/**
 * The row is held while its file goes: who takes a file over takes its row away, and then either finds none and gives up,
 * or has done so before, and there is nothing here to remove.
 */
async function clear({ db: { orm }, store }: Pick<House, 'db' | 'store'>, fileKey: string): Promise<void> {
  await orm.transaction(async (tx) => {
    const used = [media, uploads, attachments].map(
      (table) => sql`exists (select 1 from ${table} where ${table.storeKey} = ${fileKey})`,
    );
    const [row] = await tx
      // What an upload or a job has left, and a recording or an upload has taken over since.
      .select({ used: sql<boolean>`${sql.join(used, sql` or `)}` })
      .from(storeLeftovers)
      .where(eq(key, fileKey))
      .for('update', { skipLocked: true });
    if (!row) return;
    if (!row.used) await store.remove(fileKey);
    await tx.delete(storeLeftovers).where(eq(key, fileKey));
  });
}
