import { and, eq, isNull, or, sql } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { accountDeletions, feedback, users } from '#db/schema/accounts.ts';
import { outcomeModels } from '#db/schema/outcome-models.ts';
import { dropUnnamedSets } from '#db/unnamed-sets.ts';
import { lifetimes, type DeleteAccountInput } from '#shared/accounts.ts';
import { newId } from '#shared/ids.ts';
import { Problem } from '#shared/problems.ts';
import { leaveAnnotations } from '../annotations/authors.ts';
import { closePurse } from '../billing/closing.ts';
import { moneyTransaction } from '../billing/ledger.ts';
import { inPerson, type Ctx } from '../context.ts';
import { leaveAllGroups } from '../groups/groups.ts';
import { queueMail } from '../mail/queue.ts';
import { stayUnnamed } from '../reviews/leave-address.ts';
import { handOver } from './leaving.ts';
import { proveAgain } from './proof.ts';

/** Recordings that one statement deletes. */
const atOnce = 500;

/**
 * Deletes the account with all its data; only the reason, a keyed hash of the address, and recordings that were given to
 * others remain. Refused while a recording that others have access to is neither given to somebody nor to be deleted.
 */
export async function deleteAccount(ctx: Ctx, input: DeleteAccountInput): Promise<void> {
  const signed = inPerson(ctx);
  const { person } = signed;
  await proveAgain(ctx, input.password);
  await moneyTransaction(ctx, async (tx) => {
    await tx.update(feedback).set({ contact: null }).where(eq(feedback.userId, person.id));
    // Somebody giving this person a recording now waits for the end, and so does a change of who has access.
    await tx.execute(sql`select 1 from users where id = ${person.id} for update`);
    await tx.execute(sql`select 1 from meetings where owner_id = ${person.id} order by id for update`);
    // First, because groups that the person leaves would no longer name the people in them.
    await handOver(signed, tx, input.recordings, input.others);
    await leaveAllGroups(ctx, tx, person.id);
    await leaveAnnotations(tx, person.id);
    await releaseHolds(ctx, tx, person.id);
    await deleteRecordings(tx, person.id);
    await dropSets(tx, person.id);
    await closePurse(ctx, tx, person.id);
    await stayUnnamed(tx, person.id, ctx.clock.now());
    const [deleted] = await tx.delete(users).where(eq(users.id, person.id)).returning();
    if (!deleted) throw new Problem('UNAUTH');
    // An unconfirmed account may have somebody else's address: that person gets no mail and keeps the trial.
    if (!deleted.confirmedAt) return;
    await tx.insert(accountDeletions).values({
      id: newId(),
      emailHash: ctx.keys.mac('deleted-address', deleted.emailKey),
      reason: input.reason,
      comment: input.comment ?? null,
      at: ctx.clock.now(),
    });
    await queueMail(ctx, tx, {
      to: deleted.email,
      language: deleted.language,
      mail: { kind: 'account-deleted', firstName: deleted.firstName },
      lifetime: lifetimes.notice,
    });
  });
  ctx.wakeMail();
}

/**
 * Sets whose words are read in recordings of others stay, without an owner; those that were left so before, as of a team
 * whose recordings are deleted with it, go once nothing names them.
 */
async function dropSets(tx: Orm, ownerId: string): Promise<void> {
  const ownerless = and(isNull(outcomeModels.ownerId), isNull(outcomeModels.groupId));
  await dropUnnamedSets(tx, or(eq(outcomeModels.ownerId, ownerId), ownerless) ?? sql`false`);
}

/** Returns reserves for work on recordings that are deleted with the account, and for answers nobody waits for any more; a team may have paid for it. */
async function releaseHolds(ctx: Ctx, tx: Orm, ownerId: string): Promise<void> {
  const open = await tx.execute<{ id: string }>(sql`
    select h.id from holds h left join meetings m on m.id = h.meeting_id left join ai_runs r on r.hold_id = h.id
    where h.state = 'open' and (m.owner_id = ${ownerId} or r.user_id = ${ownerId}) order by h.id`);
  for (const { id } of open) await ctx.costs.release(tx, id);
}

/** Deletes them before the account does: thousands, with all that belongs to them, take too long for one statement. */
async function deleteRecordings(tx: Orm, ownerId: string): Promise<void> {
  for (;;) {
    const deleted = await tx.execute(sql`
      delete from meetings where id = any(array(select id from meetings where owner_id = ${ownerId} limit ${atOnce}))
      returning id`);
    if (deleted.length < atOnce) return;
  }
}
