import { and, eq, gte, inArray, isNull, or } from 'drizzle-orm';
import { accessesOf } from '#db/access.ts';
import { meetings } from '#db/schema/meetings.ts';
import type { ManyAnswer, PlaceAt } from '#shared/folders.ts';
import { folderNeeds } from '#shared/library.ts';
import { Problem } from '#shared/problems.ts';
import { signedIn, transaction, type Ctx } from '../context.ts';
import { keepResult } from '../http/once.ts';
import { dropIntake } from '../intake/drafts.ts';
import { accessTo } from '../rooms/access.ts';
import { oldestInTrash } from './trash.ts';
import { placeFor } from '../folders/places.ts';
import { changeFolders, placesIn, type Change } from './folders.ts';
import { idOf } from '../folders/libraries.ts';

type Refused = ManyAnswer['failed'][number];

/** Those the caller may decide about, and why not about the others. */
async function sort(ctx: Ctx, ids: readonly string[], which: 'living' | 'deleted') {
  const { person } = signedIn(ctx);
  const asked = [...new Set(ids)].toSorted();
  const held = await ctx.db.ask((sql) =>
    accessesOf(
      sql,
      asked.map((meetingId) => ({ meetingId, userId: person.id })),
      which,
    ),
  );
  const failed = asked.flatMap((id, i): Refused[] =>
    held[i]?.has('own') ? [] : [{ id, code: which === 'living' && held[i]?.has('read') ? 'NO_PERM' : 'NO_ACCESS' }],
  );
  return { mine: asked.filter((_, i) => held[i]?.has('own')), failed };
}

/** Each as if it had been deleted alone; what may not be deleted keeps no other. */
export async function deleteMeetings(ctx: Ctx, { ids }: { ids: readonly string[] }): Promise<ManyAnswer> {
  const { mine, failed } = await sort(ctx, ids, 'living');
  return transaction(ctx, async (tx) => {
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
  const [gone, living] = [await sort(ctx, ids, 'deleted'), await sort(ctx, ids, 'living')];
  return transaction(ctx, async (tx) => {
    const back = await tx
      .update(meetings)
      .set({ deletedAt: null, deletedWith: null })
      .where(and(inArray(meetings.id, gone.mine), gte(meetings.deletedAt, oldestInTrash(ctx))))
      .returning({ id: meetings.id });
    // Pressed twice: what is there already need not be brought back.
    const done = [...back.map(({ id }) => id), ...living.mine];
    const answer = { done, failed: living.failed.filter(({ id }) => !done.includes(id)) };
    await keepResult(ctx, tx, answer);
    return answer;
  });
}

type Asked = PlaceAt & { ids: readonly string[] };
const refusal = 'No permissions to move';

/**
 * Into a folder where one may add: one's own recordings, and those of others from one folder of a library into another of
 * the same, for whoever may do all there. It stays its owner's, wherever it lies.
 */
async function place({ ids, ...at }: Asked, { tx, libraries, ctx: { person } }: Change): Promise<string[]> {
  const to = placeFor(libraries, at, folderNeeds.add, refusal);
  const folderId = idOf(to);
  const from = placesIn(libraries).flatMap(({ library, folder }) => {
    const same = library.owner.id === to.library.owner.id;
    return same && library.held(folder).has(folderNeeds.move) ? (folder?.id ?? library.sid ?? []) : [];
  });
  const mine = eq(meetings.ownerId, person.id);
  const moved = await tx
    .update(meetings)
    .set({ folderId })
    .where(
      and(
        inArray(meetings.id, [...ids]),
        isNull(meetings.deletedAt),
        // At the top of a library stands nothing of somebody else's: that one could not be found by anybody there.
        folderId === null ? mine : or(mine, inArray(meetings.folderId, from)),
      ),
    )
    .returning({ id: meetings.id });
  return moved.map(({ id }) => id).toSorted();
}

export async function moveMeetings(ctx: Ctx, asked: Asked): Promise<ManyAnswer> {
  const { failed, mine } = await sort(ctx, asked.ids, 'living');
  return changeFolders(ctx, asked.sid, async (change) => {
    const done = await place({ ...asked, ids: mine }, change);
    const others = mine.filter((id) => !done.includes(id));
    return { done, failed: [...failed, ...others.map((id): Refused => ({ id, code: 'NO_PERM' }))] };
  });
}

export async function moveMeeting(ctx: Ctx, { id, ...to }: PlaceAt & { id: string }): Promise<void> {
  await accessTo(ctx, id, 'own', refusal);
  await changeFolders(ctx, to.sid, async (change) => {
    const done = await place({ ids: [id], ...to }, change);
    if (done.length === 0) throw new Problem('NO_PERM', { message: refusal });
    return null;
  });
}
