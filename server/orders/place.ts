import { and, inArray, isNotNull } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { users } from '#db/schema/accounts.ts';
import { orders } from '#db/schema/orders.ts';
import { lifetimes } from '#shared/accounts.ts';
import { newId } from '#shared/ids.ts';
import type { House } from '../context.ts';
import type { Intake } from '../intake/drafts.ts';
import { JobFailed } from '../jobs.ts';
import { queueMail } from '../mail/queue.ts';

/** Places an order once the recording can be played, and notifies the operators. */
export async function placeOrder(
  house: House,
  tx: Orm,
  { meetingId, title, lang, speakers, vocabulary }: Intake,
  durationMs: number | null,
): Promise<void> {
  const { human } = house.config;
  if (!human) throw new JobFailed('engine_gone');
  const id = newId();
  const createdAt = house.clock.now();
  const wanted = { meetingId, title, lang, speakers, vocabulary, durationMs };
  await tx.insert(orders).values({ id, state: 'open', ...wanted, createdAt });
  const keys = human.operators.map(({ key }) => key);
  const known = await tx
    .select()
    .from(users)
    .where(and(inArray(users.emailKey, keys), isNotNull(users.confirmedAt)));
  for (const { email, key } of human.operators) {
    const person = known.find(({ emailKey }) => emailKey === key);
    await queueMail(house, tx, {
      to: email,
      language: person?.language ?? null,
      mail: { kind: 'order-placed', firstName: person?.firstName ?? '' },
      lifetime: lifetimes.notice,
      dedupeKey: `order:${id}:${key}`,
    });
  }
}
