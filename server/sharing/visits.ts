import type { Orm } from '#db/open.ts';
import { transaction, type Ctx, type Person } from '../context.ts';
import { dropRow, holdShared, putRow, rowsOf, type Shared } from './rows.ts';

/**
 * Somebody something is shared with has come: an address that waited for them is theirs from now on, and who shares it may
 * know who they are. Asked with every opening, written once.
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

/** Within the transaction that shows the address to be theirs. False where nothing is shared with them. */
export async function takeUp(
  ctx: Pick<Ctx, 'clock'>,
  tx: Orm,
  shared: Shared,
  { id, emailKey }: Pick<Person, 'id' | 'emailKey'>,
): Promise<boolean> {
  // What is being taken from them at this moment is not brought back by it.
  await holdShared(tx, shared);
  const rows = await rowsOf(tx, shared);
  const find = (kind: string, principalId: string) =>
    rows.find((row) => row.kind === kind && row.principalId === principalId);
  const named = find('user', id);
  const waited = find('pending', emailKey);
  // Of two visits at once one takes it up.
  if (waited && (await dropRow(tx, shared, waited))) {
    const { permissions, email } = named ?? waited;
    const seenAt = named?.seenAt ?? ctx.clock.now();
    // Named twice, they hold what both say.
    const both = [...new Set([...permissions, ...waited.permissions])];
    await putRow(tx, shared, { ...waited, kind: 'user', principalId: id, permissions: both, email, seenAt });
    return true;
  }
  if (named && named.seenAt === null) await putRow(tx, shared, { ...named, seenAt: ctx.clock.now() });
  return named !== undefined;
}
