import { and, asc, desc, eq, gt, gte, inArray, lt, sql } from 'drizzle-orm';
import { actionParts, undoableActions } from '#db/schema/finding.ts';
import {
  actionDays,
  mostUndone,
  type ActionView,
  type ActionsAnswer,
  type UndoInput,
  type Undone,
  type UndoneAnswer,
} from '#shared/actions.ts';
import type { DeletedQuery } from '#shared/meetings/meeting.ts';
import { Problem } from '#shared/problems.ts';
import { signedIn, type Ctx, type House } from '../context.ts';
import { undoGlossary } from '../glossary/undo.ts';
import { undoFix, type FixChange } from './fix.ts';
import type { FolderChange, GlossaryChange, MoveChange, ShareChange, SpeakersChange } from '../people/noted.ts';
import { undoShare } from '../sharing/undo-share.ts';
import { undoMerge } from './speakers.ts';
import { undoTags, type TagsChange } from './tags.ts';
import { undoFolder, undoMove } from './undo-folders.ts';

// Actions that a person can undo. Each row is written in the transaction of its change, and undoing is the ordinary
// change with what was before, judged by the rights of today.

const oldest = ({ clock }: Pick<House, 'clock'>): Date => new Date(clock.now().getTime() - actionDays * 86_400_000);

const mine = (ctx: Ctx) =>
  and(eq(undoableActions.userId, signedIn(ctx).person.id), gte(undoableActions.at, oldest(ctx)));

/** Actions of the caller, newest first. */
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
  const places = await placesOf(
    ctx,
    rows.flatMap(({ id, kind }) => (kind === 'fix' ? [id] : [])),
  );
  return { actions: rows.map((row) => viewOf(row, places.get(row.id) ?? 0)), total };
}

/** Number of places that these actions can still change back. */
async function placesOf({ db }: Ctx, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (ids.length === 0) return new Map();
  const { actionId, change } = actionParts;
  const rows = await db.orm
    .select({ actionId, places: sql<number>`sum(jsonb_array_length(${change} -> 'places'))::int` })
    .from(actionParts)
    .where(inArray(actionId, [...ids]))
    .groupBy(actionId);
  return new Map(rows.map((row) => [row.actionId, row.places]));
}

type Row = typeof undoableActions.$inferSelect;

function viewOf({ id, kind, at, undoneAt, what, parts: recordings }: Row, places: number): ActionView {
  const action = { id, at: at.toISOString(), undoneAt: undoneAt?.toISOString() ?? null };
  const text = (name: string) => String(what[name]);
  switch (kind) {
    case 'fix': {
      const words = { query: text('query'), replacement: text('replacement') };
      return { kind, ...action, what: { ...words, places, recordings } };
    }
    case 'move':
      return { kind, ...action, what: { to: what['to'] === null ? null : text('to'), recordings } };
    case 'folder_rename':
      return { kind, ...action, what: { before: text('before'), after: text('after') } };
    case 'folder_move':
      return { kind, ...action, what: { name: text('name') } };
    case 'folder_delete':
      return { kind, ...action, what: { name: text('name'), recordings: Number(what['recordings']) } };
    case 'share':
      return { kind, ...action, what: { of: what['of'] === 'folder' ? 'folder' : 'meeting', name: text('name') } };
    case 'speakers':
      return { kind, ...action, what: { name: text('name'), into: text('into'), title: text('title') } };
    case 'glossary':
      return { kind, ...action, what: { terms: listOf(what['terms']), removed: what['removed'] === true } };
    case 'tags': {
      const tags = listOf(what['tags']);
      return { kind, ...action, what: { tags, to: what['to'] === null ? null : text('to'), recordings } };
    }
  }
}

const listOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

function undo(ctx: Ctx, { id, kind }: Row, changes: readonly unknown[]): Promise<Undone> {
  if (kind === 'fix') return undoFix(ctx, id, changes as FixChange[]);
  if (kind === 'move') return undoMove(ctx, id, changes as MoveChange[]);
  if (kind === 'tags') return undoTags(ctx, id, changes as TagsChange[]);
  if (kind === 'speakers') return undoMerge(ctx, id, changes as SpeakersChange[]);
  if (kind === 'glossary') return undoGlossary(ctx, id, changes as GlossaryChange[]);
  if (kind === 'share') return undoShare(ctx, id, changes as ShareChange[]);
  return undoFolder(ctx, id, kind, changes as FolderChange[]);
}

/** Kinds of actions that changed each recording for itself, so that they are undone in turns. */
const inTurns: readonly string[] = ['fix', 'tags'];

/**
 * Undoes what can be undone of an action, of many recordings a part in the order of their ids; refused where nothing is as
 * the action left it.
 */
export async function undoAction(ctx: Ctx, { id, after }: UndoInput & { id: string }): Promise<UndoneAnswer> {
  const { person } = signedIn(ctx);
  const [action] = await ctx.db.orm
    .select()
    .from(undoableActions)
    .where(
      and(eq(undoableActions.id, id), eq(undoableActions.userId, person.id), gte(undoableActions.at, oldest(ctx))),
    );
  // The same answer for another person's action.
  if (!action) throw new Problem('NO_ACCESS');
  // Another request can have undone the rest between two turns.
  if (action.undoneAt !== null && after === undefined) throw new Problem('CONFLICT');
  const found = await ctx.db.orm
    .select({ about: actionParts.about, change: actionParts.change })
    .from(actionParts)
    .where(and(eq(actionParts.actionId, id), ...(after === undefined ? [] : [gt(actionParts.about, after)])))
    .orderBy(asc(actionParts.about))
    .limit(inTurns.includes(action.kind) ? mostUndone + 1 : action.parts);
  const some = found.slice(0, inTurns.includes(action.kind) ? mostUndone : undefined);
  const next = found.length > some.length ? (some.at(-1)?.about ?? null) : null;
  // Its parts are kept otherwise, as by a server of another version.
  if (some.length === 0 && after === undefined) throw new Problem('CONFLICT');
  if (some.length === 0) return { undone: 0, failed: [], next };
  const answer = await undo(
    ctx,
    action,
    some.map(({ change }) => change),
  );
  const [first] = answer.failed;
  // One turn of several names what failed, so that the others follow.
  const alone = after === undefined && next === null;
  if (alone && answer.undone === 0 && first) throw new Problem(first.code);
  return { ...answer, next };
}

/** Deletes actions that can no longer be undone. */
export const sweepActions = (house: House) =>
  house.db.orm.delete(undoableActions).where(lt(undoableActions.at, oldest(house)));
