import { and, eq, inArray, sql } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { actionParts, undoableActions } from '#db/schema/finding.ts';
import type { ActionKind } from '#shared/actions.ts';
import type { GlossaryKind } from '#shared/glossary.ts';
import { newId } from '#shared/ids.ts';
import type { SpeakerMerge } from '#shared/meetings/speakers.ts';
import type { HistoryNeeds } from '#shared/roles.ts';
import type { Signed } from '../context.ts';

// Actions that can be undone, as rows that are written in the transaction of the change (server/library/actions.ts).

/** Folder of a recording before and after it was moved; null is the top of its owner's library. */
export interface MoveChange {
  meeting: string;
  from: string | null;
  to: string | null;
}

/** Name or parent of a folder before and after, or a folder that was deleted. */
export interface FolderChange {
  folder: string;
  before: string | null;
  after: string | null;
}

/** Row of a list of access, as an action stores it. */
export interface NotedAccess {
  permissions: string[];
  email: string | null;
  seenAt: string | null;
  /** Hexadecimal. */
  codeHash: string | null;
  codeId: string | null;
  expiresAt: string | null;
}

/** Change of who has access to a recording or a folder: rows that differ, each before and after. */
export type ShareChange = ({ meeting: string } | { folder: string }) & {
  rows: { kind: string; principalId: string; before: NotedAccess | null; after: NotedAccess | null }[];
  /** The permission that versions need, where it was changed. */
  history: { before: HistoryNeeds; after: HistoryNeeds } | null;
};

/** Speakers of a recording who were merged. */
export interface SpeakersChange extends SpeakerMerge {
  meeting: string;
}

/** Rows of a glossary that were added or removed. */
export interface GlossaryChange {
  glossary: { kind: GlossaryKind; id: string };
  added: { term: string; heard: string }[];
  /** Milliseconds at which they were added. */
  at: number;
  /** With the person who had added them, and the milliseconds at which they did. */
  removed: { term: string; heard: string; addedBy: string | null; at: number }[];
}

/** Rows of one statement. */
const atOnce = 1000;

type Change = MoveChange | FolderChange | ShareChange | SpeakersChange | GlossaryChange;

/** Recording, folder or owner of a glossary that was changed. */
const aboutOf = (change: Change): string =>
  'meeting' in change ? change.meeting : 'folder' in change ? change.folder : change.glossary.id;

interface Noted {
  kind: ActionKind;
  /** Facts that a list shows of it. */
  what: Record<string, unknown>;
  changes: readonly Change[];
}

/** Stores an action under a new id; null for one without changes. */
export async function noteAction(ctx: Signed, tx: Orm, { kind, what, changes }: Noted): Promise<string | null> {
  if (changes.length === 0) return null;
  const id = newId();
  await tx
    .insert(undoableActions)
    .values({ id, userId: ctx.person.id, kind, what, parts: changes.length, at: ctx.clock.now() });
  for (let from = 0; from < changes.length; from += atOnce)
    await tx.insert(actionParts).values(
      changes.slice(from, from + atOnce).map((change) => ({
        actionId: id,
        about: aboutOf(change),
        change,
      })),
    );
  return id;
}

/** Takes the parts of these recordings or folders from an action, as they are undone. */
export async function noteUndone(ctx: Signed, tx: Orm, id: string, undone: readonly string[]): Promise<void> {
  const gone = await tx
    .delete(actionParts)
    .where(and(eq(actionParts.actionId, id), inArray(actionParts.about, [...undone])))
    .returning({ about: actionParts.about });
  const { parts } = undoableActions;
  await tx
    .update(undoableActions)
    .set({
      parts: sql`${parts} - ${gone.length}`,
      undoneAt: sql`case when ${parts} = ${gone.length} then ${ctx.clock.now().toISOString()}::timestamptz end`,
    })
    .where(and(eq(undoableActions.id, id), eq(undoableActions.userId, ctx.person.id)));
}
