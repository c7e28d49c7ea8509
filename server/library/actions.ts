import { and, desc, eq, gte, lt } from 'drizzle-orm';
import { undoableActions } from '#db/schema/finding.ts';
import { actionDays, type ActionView, type ActionsAnswer, type UndoneAnswer } from '#shared/actions.ts';
import type { DeletedQuery } from '#shared/meetings/meeting.ts';
import { Problem } from '#shared/problems.ts';
import { signedIn, type Ctx, type House } from '../context.ts';
import { undoFix, type FixChange } from './fix.ts';

// What a person did and can undo. Each row is written in the transaction of its change, and undoing is the ordinary change
// with what was before, judged by the rights of today.

const oldest = ({ clock }: Pick<House, 'clock'>): Date => new Date(clock.now().getTime() - actionDays * 86_400_000);

const mine = (ctx: Ctx) =>
  and(eq(undoableActions.userId, signedIn(ctx).person.id), gte(undoableActions.at, oldest(ctx)));

/** What the caller did, newest first. */
export async function listActions(ctx: Ctx, { start, size }: DeletedQuery): Promise<ActionsAnswer> {
  const { orm } = ctx.db;
  const [rows, total] = [
    await orm
      .select()
      .from(undoableActions)
      .where(mine(ctx))
      .orderBy(desc(undoableActions.at), undoableActions.id)
      .limit(size)
      .offset(start),
    await orm.$count(undoableActions, mine(ctx)),
  ];
  return { actions: rows.map(viewOf), total };
}

function viewOf({ id, at, undoneAt, what, changes }: typeof undoableActions.$inferSelect): ActionView {
  const parts = changes as FixChange[];
  return {
    kind: 'fix',
    id,
    at: at.toISOString(),
    undoneAt: undoneAt?.toISOString() ?? null,
    what: {
      query: String(what['query']),
      replacement: String(what['replacement']),
      places: parts.reduce((sum, { places }) => sum + places.length, 0),
      recordings: parts.length,
    },
  };
}

/** Undoes what can be undone of an action; refused where nothing is as the action left it. */
export async function undoAction(ctx: Ctx, { id }: { id: string }): Promise<UndoneAnswer> {
  const { person } = signedIn(ctx);
  const [action] = await ctx.db.orm
    .select()
    .from(undoableActions)
    .where(
      and(eq(undoableActions.id, id), eq(undoableActions.userId, person.id), gte(undoableActions.at, oldest(ctx))),
    );
  // The same answer for another person's action.
  if (!action) throw new Problem('NO_ACCESS');
  if (action.undoneAt !== null) throw new Problem('CONFLICT');
  const answer = await undoFix(ctx, id, action.changes as FixChange[]);
  const [first] = answer.failed;
  if (answer.undone === 0 && first) throw new Problem(first.code);
  return answer;
}

/** Deletes actions that can no longer be undone. */
export const sweepActions = (house: House) =>
  house.db.orm.delete(undoableActions).where(lt(undoableActions.at, oldest(house)));
