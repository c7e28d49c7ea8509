import { and, eq, gte, inArray, isNull, or } from 'drizzle-orm';
import { meetings } from '#db/schema/meetings.ts';
import type { ManyAnswer, PlaceAt } from '#shared/folders.ts';
import { folderNeeds } from '#shared/library.ts';
import { moneyTransaction } from '../billing/ledger.ts';
import { transaction, type Ctx } from '../context.ts';
import { keepResult } from '../http/once.ts';
import { dropIntake } from '../intake/drafts.ts';
import { accessTo, accessToMany, refusalOf, type Refused } from '../rooms/access.ts';
import { oldestInTrash } from './trash.ts';
import { placeFor } from '../folders/places.ts';
import { changeFolders, placesIn, type Change } from './folders.ts';
import { idOf, type Place } from '../folders/libraries.ts';
import { noteAction, type MoveChange } from '../people/noted.ts';

/** Deletes meetings as if each were deleted alone; one that is refused does not stop the others. */
export async function deleteMeetings(ctx: Ctx, { ids }: { ids: readonly string[] }): Promise<ManyAnswer> {
  const { allowed: mine, failed } = await accessToMany(ctx, 'POST /api/meetings/delete', ids);
  return moneyTransaction(ctx, async (tx) => {
    for (const id of mine) await dropIntake(ctx, tx, id, false);
    await tx
      .update(meetings)
      .set({ deletedAt: ctx.clock.now() })
      .where(and(inArray(meetings.id, mine), isNull(meetings.deletedAt)));
    const answer = { done: mine, failed };
    await keepResult(ctx, tx, answer);
    return answer;
  });
}

export async function restoreMeetings(ctx: Ctx, { ids }: { ids: readonly string[] }): Promise<ManyAnswer> {
  const name = 'POST /api/meetings/restore';
  const [deleted, living] = [await accessToMany(ctx, name, ids, 'deleted'), await accessToMany(ctx, name, ids)];
  return transaction(ctx, async (tx) => {
    const back = await tx
      .update(meetings)
      .set({ deletedAt: null, deletedWith: null })
      .where(and(inArray(meetings.id, deleted.allowed), gte(meetings.deletedAt, oldestInTrash(ctx))))
      .returning({ id: meetings.id });
    // Meetings that are restored already, by a repeated click, count as done.
    const done = [...back.map(({ id }) => id), ...living.allowed];
    const answer = { done, failed: living.failed.filter(({ id }) => !done.includes(id)) };
    await keepResult(ctx, tx, answer);
    return answer;
  });
}

type Asked = PlaceAt & { ids: readonly string[] };
const refusal = 'No permissions to move';

/**
 * Moves recordings into a folder where the person can add: their own, and other people's between folders of one library
 * in which they have all permissions. The owner of a recording does not change.
 */
async function moveInto({ ids, ...at }: Asked, change: Change): Promise<string[]> {
  const to = placeFor(change.libraries, at, folderNeeds.add, refusal);
  const moved = await moveTo(change, ids, to);
  const changes = moved.filter((one) => one.from !== one.to);
  const what = { to: to.folder?.name ?? (to.library.name || null) };
  await noteAction(change.ctx, change.tx, { kind: 'move', what, changes });
  return moved.map(({ meeting }) => meeting).toSorted();
}

/** Moves those of the recordings that the person can move there. */
export async function moveTo(
  { tx, libraries, ctx: { person } }: Change,
  ids: readonly string[],
  to: Place,
): Promise<MoveChange[]> {
  const folderId = idOf(to);
  const from = placesIn(libraries).flatMap(({ library, folder }) => {
    const same = library.owner.id === to.library.owner.id;
    return same && library.held(folder).has(folderNeeds.move) ? (folder?.id ?? library.sid ?? []) : [];
  });
  const mine = eq(meetings.ownerId, person.id);
  const moved = await tx
    .select({ meeting: meetings.id, from: meetings.folderId })
    .from(meetings)
    .where(
      and(
        inArray(meetings.id, [...ids]),
        isNull(meetings.deletedAt),
        // Only own recordings can move to the top of a library, because its owner could not find other people's there.
        folderId === null ? mine : or(mine, inArray(meetings.folderId, from)),
      ),
    )
    .orderBy(meetings.id)
    .for('update');
  const found = moved.map(({ meeting }) => meeting);
  await tx.update(meetings).set({ folderId }).where(inArray(meetings.id, found));
  return moved.map((one) => ({ ...one, to: folderId }));
}

export async function moveMeetings(ctx: Ctx, asked: Asked): Promise<ManyAnswer> {
  const { allowed: mine, failed } = await accessToMany(ctx, 'POST /api/meetings/move', asked.ids);
  return changeFolders(ctx, asked.sid, async (change) => {
    const done = await moveInto({ ...asked, ids: mine }, change);
    const others = mine.filter((id) => !done.includes(id));
    return { done, failed: [...failed, ...others.map((id): Refused => ({ id, code: 'NO_PERM' }))] };
  });
}

export async function moveMeeting(ctx: Ctx, { id, ...to }: PlaceAt & { id: string }): Promise<void> {
  await accessTo(ctx, 'PUT /api/meetings/:id/move', id);
  await changeFolders(ctx, to.sid, async (change) => {
    const done = await moveInto({ ids: [id], ...to }, change);
    if (done.length === 0) throw refusalOf('PUT /api/meetings/:id/move');
    return null;
  });
}
