import { and, eq, inArray } from 'drizzle-orm';
import type * as Y from 'yjs';
import type { ActionEffect } from '#db/answers.ts';
import { actionParts } from '#db/schema/finding.ts';
import type { FailedRecording, Undone } from '#shared/actions.ts';
import { fixText, type Fixing } from '#shared/finding/fix.ts';
import type { FixAnswer, FixInput } from '#shared/finds.ts';
import { newId } from '#shared/ids.ts';
import { editSegments } from '#shared/meetings/edits.ts';
import { standingIn } from '#shared/meetings/standing.ts';
import { Problem } from '#shared/problems.ts';
import type { Ctx } from '../context.ts';
import { askerOf } from '../rooms/whole-documents.ts';
import { reasonOf, requireSameAction, writePart } from './parts.ts';

/** A place of one recording, with what its words become. */
interface PlaceFix extends Fixing {
  segment: string;
}

/** Places that were changed in one recording, as they are now, to be changed back. */
export interface FixChange {
  meeting: string;
  places: PlaceFix[];
}

interface Changed extends FixChange {
  /** Places that are no longer as they were. */
  missed: PlaceFix[];
}

/**
 * Replaces words at places that were found: one edit a recording, of those places that still are as they were shown. What
 * could not be changed is listed; all that was changed is one action, which is undone together.
 */
export async function fixPlaces(ctx: Ctx, { query, replacement, places, action }: FixInput): Promise<FixAnswer> {
  const what = { query, replacement };
  if (action !== undefined) await requireSameAction(ctx, action, { kind: 'fix', what });
  const all = new Map<string, PlaceFix[]>();
  for (const { recording, ...place } of places)
    if (place.words !== replacement) all.set(recording, [...(all.get(recording) ?? []), { ...place, to: replacement }]);
  const id = action ?? newId();
  // Places of a second change may be told by words that the first one wrote, so that one undo could not find them all.
  const before = action === undefined ? [] : await partsOf(ctx, action, [...all.keys()]);
  const repeated = before.map((recording): FailedRecording => {
    const { length } = all.get(recording) ?? [];
    all.delete(recording);
    return { recording, places: length, code: 'CONFLICT' };
  });
  const { done, failed } = await changeAll(ctx, all, ({ meeting, places: fixed }) => ({
    id,
    kind: 'fix',
    what,
    change: { meeting, places: fixed },
  }));
  const recordings = new Set(done.map(({ meeting }) => meeting)).size;
  const fixed = done.reduce((sum, one) => sum + one.places.length, 0);
  return { fixed, recordings, failed: [...repeated, ...failed], action: fixed > 0 || action !== undefined ? id : null };
}

async function partsOf({ db }: Ctx, action: string, recordings: readonly string[]): Promise<string[]> {
  const rows = await db.orm
    .select({ about: actionParts.about })
    .from(actionParts)
    .where(and(eq(actionParts.actionId, action), inArray(actionParts.about, [...recordings])));
  return rows.map(({ about }) => about);
}

/** Changes places back that are still as the action left them; the others stay in it. */
export async function undoFix(ctx: Ctx, id: string, changes: readonly FixChange[]): Promise<Undone> {
  const all = new Map(changes.map(({ meeting, places }) => [meeting, places]));
  const { done, failed } = await changeAll(ctx, all, ({ meeting, missed }) => ({
    id,
    undoes: { meeting, left: missed.length > 0 ? { meeting, places: missed } : null },
  }));
  return { undone: done.reduce((sum, { places }) => sum + places.length, 0), failed };
}

async function changeAll(
  ctx: Ctx,
  all: ReadonlyMap<string, readonly PlaceFix[]>,
  action: (change: Changed) => ActionEffect,
): Promise<{ done: FixChange[]; failed: FailedRecording[] }> {
  const done: FixChange[] = [];
  const failed: FailedRecording[] = [];
  for (const [recording, places] of all) {
    try {
      const change = await changeOne(ctx, recording, places, action);
      done.push(change);
      if (change.missed.length > 0) failed.push({ recording, places: change.missed.length, code: 'CONFLICT' });
    } catch (error) {
      failed.push({ recording, places: places.length, code: reasonOf(error) });
    }
  }
  return { done, failed };
}

function changeOne(
  ctx: Ctx,
  recording: string,
  places: readonly PlaceFix[],
  action: (change: Changed) => ActionEffect,
): Promise<Changed> {
  const segments = [...new Set(places.map(({ segment }) => segment))];
  let begins: Begins = new Map();
  return writePart(ctx, {
    verb: 'POST /api/meetings/:id/edits',
    recording,
    origin: 'edit',
    prepare: async (meetingId) => {
      begins = (await ctx.documents.answer(meetingId, askerOf(ctx), 'begins', segments)).answer;
    },
    write: (doc) => ({ meeting: recording, ...fixDocument(doc, places, begins) }),
    action,
  });
}

/** Words of segments with the milliseconds they begin at, by the position in the text. */
type Begins = ReadonlyMap<string, readonly { at: number; from: number }[]>;

/**
 * Changes the places of a document; throws if none of them is as it was. `begins` may be of a moment ago: it decides only
 * between places that are alike.
 */
function fixDocument(doc: Y.Doc, places: readonly PlaceFix[], begins: Begins): Pick<Changed, 'places' | 'missed'> {
  const standing = new Map(standingIn(doc).map(({ id, text }) => [id, text]));
  const bySegment = new Map<string, PlaceFix[]>();
  for (const place of places) bySegment.set(place.segment, [...(bySegment.get(place.segment) ?? []), place]);
  const done: PlaceFix[] = [];
  const missed: PlaceFix[] = [];
  const edits: { pos: string; old: string; new: string }[] = [];
  for (const [segment, some] of bySegment) {
    const text = standing.get(segment);
    if (text === undefined) {
      missed.push(...some);
      continue;
    }
    const words = begins.get(segment) ?? [];
    const startOf = (at: number) => {
      const from = words.findLast((word) => word.at <= at)?.from;
      return from === undefined ? null : from / 1000;
    };
    const fixed = fixText(text, some, startOf);
    missed.push(...fixed.missed);
    done.push(...fixed.done);
    if (fixed.done.length > 0) edits.push({ pos: segment, old: text, new: fixed.text });
  }
  if (edits.length === 0 || editSegments(doc, edits, () => null, 'edit').length > 0) throw new Problem('CONFLICT');
  return { places: done, missed };
}
