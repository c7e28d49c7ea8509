import { eq } from 'drizzle-orm';
import { meetings } from '#db/schema/meetings.ts';
import type { UndoneAnswer } from '#shared/actions.ts';
import { Problem } from '#shared/problems.ts';
import type { Permission } from '#shared/roles.ts';
import { signedIn, transaction, type Ctx } from '../context.ts';
import { livingGroupsOf } from '../groups/members.ts';
import { keepResult } from '../http/once.ts';
import { noteUndone, type ShareChange } from '../people/noted.ts';
import { accessTo, grantedOn } from '../rooms/access.ts';
import type { Target } from './change.ts';
import { sharableFolder } from './folders.ts';
import { alike, rowFrom, sameRow } from './noted-share.ts';
import type { AccessRow } from './rows.ts';
import { meetingTarget, writeList } from './share.ts';

// Undoing a change of who has access: the list gets back the rows of before, by the rights of today.

async function targetOf(ctx: Ctx, change: ShareChange): Promise<{ target: Target; granted: ReadonlySet<Permission> }> {
  if ('folder' in change) return sharableFolder(ctx, change.folder);
  await accessTo(ctx, 'POST /api/meetings/:id/acl', change.meeting);
  return { target: meetingTarget(change.meeting), granted: await grantedOn(ctx, change.meeting) };
}

/** Gives the list back all that the action changed in it; refused where any of that was changed again. */
export async function undoShare(ctx: Ctx, id: string, changes: readonly ShareChange[]): Promise<UndoneAnswer> {
  const signed = signedIn(ctx);
  const [change] = changes;
  if (!change) throw new Problem('CONFLICT');
  const { target, granted } = await targetOf(ctx, change);
  return transaction(ctx, async (tx) => {
    const held = await target.hold(signed, tx);
    const still = change.rows.every(({ after, ...at }) => {
      const row = held.rows.find((one) => sameRow(one, at));
      // An address that waits and one that declined are one principal: it must not come back beside itself.
      const namedAnew = held.rows.some(
        (one) =>
          one.principalId === at.principalId && one.kind !== at.kind && !change.rows.some((its) => sameRow(one, its)),
      );
      if (namedAnew) return false;
      return after === null ? row === undefined : row !== undefined && alike(row, rowFrom(at, after));
    });
    if (!still || (change.history && change.history.after !== held.history)) throw new Problem('CONFLICT');
    const back = change.rows.flatMap(({ before, ...at }) => {
      if (before === null) return [];
      const seenAt = held.rows.find((one) => sameRow(one, at))?.seenAt;
      const row = rowFrom(at, before);
      return [{ ...row, seenAt: seenAt ?? row.seenAt }];
    });
    // Nobody can grant permissions they do not have.
    const may: ReadonlySet<string> = granted;
    // Groups are named again as they are in sharing: those of the caller, and those in the list.
    const groups = new Set((await livingGroupsOf(tx, signed.person.id)).map((group) => group.id));
    const mayName = (row: AccessRow) =>
      row.kind !== 'group' || groups.has(row.principalId) || held.rows.some((one) => sameRow(one, row));
    if (back.some((row) => !mayName(row) || row.permissions.some((one) => !may.has(one))))
      throw new Problem('NO_PERM', { message: 'No permissions to share' });
    const others = held.rows.filter((row) => !change.rows.some((at) => sameRow(row, at)));
    await writeList(signed, tx, target, held, [...others, ...back]);
    if (change.history)
      await tx.update(meetings).set({ historyNeeds: change.history.before }).where(eq(meetings.id, target.id));
    await target.raise(signed, tx);
    await noteUndone(signed, tx, id, [target.id]);
    const answer = { undone: 1, failed: [], next: null };
    await keepResult(ctx, tx, answer);
    return answer;
  });
}
