import { asc, eq, gt, sql } from 'drizzle-orm';
import { archives } from '#db/schema/archive.ts';
import { attachments } from '#db/schema/attachments.ts';
import { uploads } from '#db/schema/intake.ts';
import { media, storeLeftovers } from '#db/schema/media.ts';
import type { House } from '../context.ts';

const batch = 500;
const { key } = storeLeftovers;

/** Removes files whose rows were deleted. A failed removal is retried next time and does not stop the others. */
export async function sweepLeftovers(house: Pick<House, 'db' | 'store' | 'log'>): Promise<void> {
  for (let after: string | undefined = ''; after !== undefined;) {
    const rows: { key: string }[] = await house.db.orm
      .select()
      .from(storeLeftovers)
      .where(gt(key, after))
      .orderBy(asc(key))
      .limit(batch);
    for (const one of rows)
      await clear(house, one.key).catch((error: unknown) =>
        house.log.warn({ err: error, key: one.key }, 'a file could not be removed; tried again later'),
      );
    after = rows.at(-1)?.key;
  }
}

/**
 * The row is locked while its file is removed: a request that takes the file over deletes the row, and either finds
 * none and gives up, or was first, so that nothing is removed here.
 */
async function clear({ db: { orm }, store }: Pick<House, 'db' | 'store'>, fileKey: string): Promise<void> {
  await orm.transaction(async (tx) => {
    const used = [media, uploads, attachments, archives].map(
      (table) => sql`exists (select 1 from ${table} where ${table.storeKey} = ${fileKey})`,
    );
    const [row] = await tx
      // Files of uploads or jobs that a recording or an upload has taken over since.
      .select({ used: sql<boolean>`${sql.join(used, sql` or `)}` })
      .from(storeLeftovers)
      .where(eq(key, fileKey))
      .for('update', { skipLocked: true });
    if (!row) return;
    if (!row.used) await store.remove(fileKey);
    await tx.delete(storeLeftovers).where(eq(key, fileKey));
  });
}
