import { and, eq, isNotNull, or } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { users } from '#db/schema/accounts.ts';
import { orders } from '#db/schema/orders.ts';
import { lifetimes } from '#shared/accounts.ts';
import type { House } from '../context.ts';
import { queueMail } from '../mail/queue.ts';

/** Withdraws the order of a deleted recording, and notifies its operator. */
export async function withdrawOrder(house: Pick<House, 'clock' | 'origin'>, tx: Orm, meetingId: string): Promise<void> {
  const underWay = or(eq(orders.state, 'open'), and(eq(orders.state, 'delivered'), isNotNull(orders.transcript)));
  const withdrawn = await tx
    .update(orders)
    .set({ state: 'withdrawn', transcript: null, finishedAt: house.clock.now() })
    .where(and(eq(orders.meetingId, meetingId), underWay))
    .returning({ id: orders.id, title: orders.title, holderId: orders.holderId });
  for (const { id, title, holderId } of withdrawn) {
    const [holder] = holderId === null ? [] : await tx.select().from(users).where(eq(users.id, holderId));
    if (!holder) continue;
    await queueMail(house, tx, {
      to: holder.email,
      language: holder.language,
      mail: { kind: 'order-withdrawn', firstName: holder.firstName, title },
      lifetime: lifetimes.notice,
      dedupeKey: `order-withdrawn:${id}`,
    });
  }
}
