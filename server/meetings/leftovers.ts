import { asc, gt, inArray } from 'drizzle-orm';
import { attachments } from '#db/schema/attachments.ts';
import { uploads } from '#db/schema/intake.ts';
import { media, storeLeftovers } from '#db/schema/media.ts';
import type { House } from '../context.ts';

const batch = 500;

/** Removes the files whose rows are gone. One that cannot be removed is tried again next time, and stops no other. */
export async function sweepLeftovers({ db: { orm }, store, log }: Pick<House, 'db' | 'store' | 'log'>): Promise<void> {
  const { key } = storeLeftovers;
  for (let after: string | undefined = ''; after !== undefined;) {
    const left: { key: string }[] = await orm
      .select()
      .from(storeLeftovers)
      .where(gt(key, after))
      .orderBy(asc(key))
      .limit(batch);
    const removed: string[] = [];
    const keys = left.map((one) => one.key);
    const inUse = await orm.select({ key: media.storeKey }).from(media).where(inArray(media.storeKey, keys));
    const fetched = await orm.select({ key: uploads.storeKey }).from(uploads).where(inArray(uploads.storeKey, keys));
    const spoken = await orm
      .select({ key: attachments.storeKey })
      .from(attachments)
      .where(inArray(attachments.storeKey, keys));
    // What an upload or a job has left, and a recording or an upload has taken over since.
    const taken = new Set([...inUse, ...fetched, ...spoken].map((one) => one.key));
    for (const one of left) {
      try {
        if (!taken.has(one.key)) await store.remove(one.key);
        removed.push(one.key);
      } catch (error) {
        log.warn({ err: error, key: one.key }, 'a file could not be removed; tried again later');
      }
    }
    if (removed.length > 0) await orm.delete(storeLeftovers).where(inArray(key, removed));
    after = left.at(-1)?.key;
  }
}
