import { and, eq, sql } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { undoableActions } from '#db/schema/finding.ts';
import type { ActionKind } from '#shared/actions.ts';
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

interface Noted {
  kind: ActionKind;
  /** Facts that a list shows of it. */
  what: Record<string, unknown>;
  changes: readonly (MoveChange | FolderChange | ShareChange | SpeakersChange)[];
}

export async function noteAction(ctx: Signed, tx: Orm, { kind, what, changes }: Noted): Promise<void> {
  if (changes.length === 0) return;
  await tx
    .insert(undoableActions)
    .values({ id: newId(), userId: ctx.person.id, kind, what, changes: [...changes], at: ctx.clock.now() });
}

/** Takes the parts of these recordings or folders from an action, as they are undone. */
export async function noteUndone(ctx: Signed, tx: Orm, id: string, undone: readonly string[]): Promise<void> {
  const rest = sql`(select coalesce(jsonb_agg(c), '[]'::jsonb) from jsonb_array_elements(${undoableActions.changes}) c
    where coalesce(c ->> 'meeting', c ->> 'folder') not in ${undone})`;
  await tx
    .update(undoableActions)
    .set({
      changes: rest,
      undoneAt: sql`case when ${rest} = '[]'::jsonb then ${ctx.clock.now().toISOString()}::timestamptz end`,
    })
    .where(and(eq(undoableActions.id, id), eq(undoableActions.userId, ctx.person.id)));
}
