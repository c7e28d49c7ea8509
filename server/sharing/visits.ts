import { and, eq, isNull } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { invitations } from '#db/schema/accounts.ts';
import { transaction, type Ctx, type Person } from '../context.ts';
import { dropRow, holdShared, putRow, rowsOf, type Shared } from './rows.ts';

/**
 * Records the first visit of a person: an address they confirmed becomes their account, and the sharer sees their name.
 * Checked at every opening, written once.
 */
export async function noteVisit(ctx: Ctx, shared: Shared): Promise<void> {
  const { person } = ctx;
  if (!person) return;
  const waiting = await ctx.db.ask((db) => {
    const rows =
      shared.kind === 'meeting'
        ? db`meeting_access where meeting_id = ${shared.id}`
        : db`folder_access where folder_id = ${shared.id}`;
    return db`
      select 1 from ${rows} and (
        (kind = 'user' and principal_id = ${person.id} and seen_at is null)
        or (kind = 'pending' and ${person.confirmed} and principal_id = ${person.emailKey}))`;
  });
  if (waiting.length > 0) await transaction(ctx, (tx) => takeUp(ctx, tx, shared, person));
}

/** Runs in the transaction that confirms the address; false if nothing is shared with the person. */
export async function takeUp(
  ctx: Pick<Ctx, 'clock'>,
  tx: Orm,
  shared: Shared,
  { id, emailKey }: Pick<Person, 'id' | 'emailKey'>,
): Promise<boolean> {
  // The lock keeps a removal at this moment from being undone.
  await holdShared(tx, shared);
  const rows = await rowsOf(tx, shared);
  const find = (kind: string, principalId: string) =>
    rows.find((row) => row.kind === kind && row.principalId === principalId);
  const named = find('user', id);
  const waited = find('pending', emailKey);
  // Only one of two simultaneous visits converts the row.
  if (waited && (await dropRow(tx, shared, waited))) {
    const { permissions, email } = named ?? waited;
    const seenAt = named?.seenAt ?? ctx.clock.now();
    // A person named by account and by address gets the permissions of both.
    const both = [...new Set([...permissions, ...waited.permissions])];
    await putRow(tx, shared, { ...waited, kind: 'user', principalId: id, permissions: both, email, seenAt });
    // Visiting answers the invitation.
    await tx
      .update(invitations)
      .set({ acceptedAt: ctx.clock.now(), acceptedBy: id })
      .where(
        and(
          eq(invitations.kind, shared.kind),
          eq(invitations.targetId, shared.id),
          eq(invitations.emailKey, emailKey),
          isNull(invitations.acceptedAt),
          isNull(invitations.revokedAt),
        ),
      );
    return true;
  }
  if (named && named.seenAt === null) await putRow(tx, shared, { ...named, seenAt: ctx.clock.now() });
  return named !== undefined;
}
