import { and, eq, isNotNull } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { orders } from '#db/schema/orders.ts';
import type { House } from '../context.ts';
import { queueJob } from '../jobs.ts';
import { deliveryJob } from './delivery.ts';

/** Queues the delivery of a transcript whose job was lost; whether there is one to deliver. */
export async function deliverAgain({ clock }: Pick<House, 'clock'>, tx: Orm, meetingId: string): Promise<boolean> {
  const [order] = await tx
    .select({ id: orders.id })
    .from(orders)
    .where(and(eq(orders.meetingId, meetingId), eq(orders.state, 'delivered'), isNotNull(orders.transcript)));
  if (!order) return false;
  await queueJob(tx, deliveryJob, meetingId, clock.now());
  return true;
}
