import { and, desc, eq, gte, lt } from 'drizzle-orm';
import { undoableActions } from '#db/schema/finding.ts';
import { actionDays, type ActionView, type ActionsAnswer, type UndoneAnswer } from '#shared/actions.ts';
import type { DeletedQuery } from '#shared/meetings/meeting.ts';
import { Problem } from '#shared/problems.ts';
import { signedIn, type Ctx, type House } from '../context.ts';
import { undoFix, type FixChange } from './fix.ts';
import type { FolderChange, MoveChange, ShareChange, SpeakersChange } from '../people/noted.ts';
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
  return { actions: rows.map(viewOf), total };
}

type Row = typeof undoableActions.$inferSelect;

function viewOf({ id, kind, at, undoneAt, what, changes }: Row): ActionView {
  const action = { id, at: at.toISOString(), undoneAt: undoneAt?.toISOString() ?? null };
  const text = (name: string) => String(what[name]);
  switch (kind) {
    case 'fix': {
      const parts = changes as FixChange[];
      const places = parts.reduce((sum, one) => sum + one.places.length, 0);
      const words = { query: text('query'), replacement: text('replacement') };
      return { kind, ...action, what: { ...words, places, recordings: parts.length } };
    }
    case 'move':
      return { kind, ...action, what: { to: what['to'] === null ? null : text('to'), recordings: changes.length } };
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
    case 'tags': {
      const tags = Array.isArray(what['tags']) ? what['tags'].map(String) : [];
      return {
        kind,
        ...action,
        what: { tags, to: what['to'] === null ? null : text('to'), recordings: changes.length },
      };
    }
  }
}

function undo(ctx: Ctx, { id, kind, changes }: Row): Promise<UndoneAnswer> {
  if (kind === 'fix') return undoFix(ctx, id, changes as FixChange[]);
  if (kind === 'move') return undoMove(ctx, id, changes as MoveChange[]);
  if (kind === 'tags') return undoTags(ctx, id, changes as TagsChange[]);
  if (kind === 'speakers') return undoMerge(ctx, id, changes as SpeakersChange[]);
  if (kind === 'share') return undoShare(ctx, id, changes as ShareChange[]);
  return undoFolder(ctx, id, kind, changes as FolderChange[]);
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
  const answer = await undo(ctx, action);
  const [first] = answer.failed;
  if (answer.undone === 0 && first) throw new Problem(first.code);
  return answer;
}

/** Deletes actions that can no longer be undone. */
export const sweepActions = (house: House) =>
  house.db.orm.delete(undoableActions).where(lt(undoableActions.at, oldest(house)));
