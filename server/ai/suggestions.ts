import { and, eq, isNull, sql } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { aiDecisions, aiSuggestions } from '#db/schema/ai.ts';
import type { AcceptInput, RejectInput, SuggestionView } from '#shared/ai/suggestions.ts';
import { newId } from '#shared/ids.ts';
import { everStood, readAnnotation, type Outcome } from '#shared/meetings/annotations.ts';
import { invalid, Problem } from '#shared/problems.ts';
import type { LayerVerb } from '#shared/roles.ts';
import { addAnnotation, anchored, noSuchAnnotation, stamp } from '../annotations/annotations.ts';
import { deleteOutcome } from '../annotations/outcomes.ts';
import { callerOf, placeOf, readRoom, type Caller } from '../annotations/rooms.ts';
import { transaction, type Ctx } from '../context.ts';
import { keepResult } from '../http/once.ts';
import type { RoomOf } from '../rooms/documents.ts';
import { suggestionsAt, type SuggestionsAt } from './machine-layer.ts';
import { placesNow, suggestionViews, type SuggestionRow } from '../reviews/suggested.ts';

// Suggested outcomes stand in a table of their own until a person accepts them, so that no export, count or search has them.
// In a recording one decision is for all who write; in a review each person decides for the layer that they annotate, and
// nobody else learns of it.

type State = SuggestionRow['state'];
interface Suggestion extends SuggestionRow {
  /** Nobody has ever decided, so that a decision in a review has no row yet. */
  isFresh: boolean;
}
interface Named {
  id: string;
  itemId: string;
}

/** Suggestions of a place, with the caller's decisions in the place of everybody's where it is a review. */
async function rowsAt(orm: Orm, { meetingId, layer }: SuggestionsAt, itemId?: string): Promise<Suggestion[]> {
  const one = itemId === undefined ? [] : [eq(aiSuggestions.id, itemId)];
  const inMeeting = eq(aiSuggestions.meetingId, meetingId);
  if (layer === null) {
    const rows = await orm
      .select()
      .from(aiSuggestions)
      .where(and(inMeeting, isNull(aiSuggestions.layerId), ...one));
    return rows.map((row) => ({ ...row, isFresh: false }));
  }
  const rows = await orm
    .select()
    .from(aiSuggestions)
    .leftJoin(
      aiDecisions,
      and(
        eq(aiDecisions.suggestionId, aiSuggestions.id),
        eq(aiDecisions.layerId, layer.id),
        eq(aiDecisions.userId, layer.userId),
      ),
    )
    .where(and(inMeeting, eq(aiSuggestions.layerId, layer.machine), ...one));
  return rows.map(({ ai_suggestions: row, ai_decisions: decision }) => ({
    ...row,
    state: decision?.state ?? 'open',
    rejectReason: decision?.rejectReason ?? null,
    outcomeId: decision?.outcomeId ?? null,
    isFresh: decision === null,
  }));
}

/** Suggestions to decide on; those whose words were deleted are not shown. */
export async function openSuggestions(ctx: Ctx, at: SuggestionsAt): Promise<SuggestionView[]> {
  const rows = (await rowsAt(ctx.db.orm, at)).filter(({ state }) => state !== 'rejected');
  if (rows.length === 0) return [];
  const states = await statesOf(ctx, at, rows);
  const open = rows.filter((_, nth) => states[nth] === 'open');
  return suggestionViews(ctx, at.meetingId, open);
}

/** The room in which accepted suggestions become outcomes. */
const roomAt = ({ layer }: SuggestionsAt): RoomOf =>
  layer === null ? { part: 'outcomes', of: null } : { part: 'layer', of: layer.id };

/**
 * States of suggestions. The outcome decides: one whose process died before it was written is still to be accepted,
 * and one that stands is accepted.
 */
const statesOf = (ctx: Ctx, at: SuggestionsAt, rows: readonly Suggestion[]): Promise<State[]> =>
  ctx.documents.inRoom(
    at.meetingId,
    (room) =>
      room.read((doc) =>
        rows.map(({ state, outcomeId }) => {
          if (outcomeId !== null && readAnnotation(doc, 'outcome', outcomeId, 'shared')) return 'accepted';
          if (state !== 'accepted' || outcomeId === null) return state;
          return everStood(doc, 'outcome', outcomeId, 'shared') ? 'accepted' : 'open';
        }),
      ),
    roomAt(at),
  );

interface Deciding {
  who: Caller;
  at: SuggestionsAt;
  row: Suggestion;
  state: State;
}

/** The suggestion that a call decides on, for who may decide there. */
async function deciding(ctx: Ctx, verb: LayerVerb, { id, itemId }: Named): Promise<Deciding> {
  const who = await callerOf(ctx, verb, id);
  const at = await suggestionsAt(ctx, verb, who);
  const [row] = await rowsAt(ctx.db.orm, at, itemId);
  if (!row) throw noSuchAnnotation();
  const [state = row.state] = await statesOf(ctx, at, [row]);
  return { who, at, row, state };
}

const decided = (state: State) =>
  new Problem('CONFLICT', { errors: [{ field: 'id', code: state === 'rejected' ? 'rejected' : 'accepted' }] });

type Decision = Pick<SuggestionRow, 'state' | 'outcomeId' | 'rejectReason'>;

/** Stores a decision if the row is as it was read; false: another one at the same time came first. */
async function decide(
  tx: Orm,
  { at: { layer }, row: { id, state, outcomeId, isFresh }, who }: Deciding,
  decision: Decision,
): Promise<boolean> {
  if (layer === null) {
    const unchanged = and(
      eq(aiSuggestions.id, id),
      eq(aiSuggestions.state, state),
      sql`${aiSuggestions.outcomeId} is not distinct from ${outcomeId}`,
    );
    const decidedBy = decision.state === 'open' ? null : who.userId;
    const stored = await tx
      .update(aiSuggestions)
      .set({ ...decision, decidedBy })
      .where(unchanged)
      .returning({ id: aiSuggestions.id });
    return stored.length > 0;
  }
  const key = { suggestionId: id, layerId: layer.id, userId: layer.userId };
  const stored = isFresh
    ? await tx
        .insert(aiDecisions)
        .values({ ...key, ...decision })
        .onConflictDoNothing()
        .returning({ id: aiDecisions.suggestionId })
    : await tx
        .update(aiDecisions)
        .set(decision)
        .where(
          and(
            eq(aiDecisions.suggestionId, id),
            eq(aiDecisions.layerId, layer.id),
            eq(aiDecisions.userId, layer.userId),
            eq(aiDecisions.state, state),
            sql`${aiDecisions.outcomeId} is not distinct from ${outcomeId}`,
          ),
        )
        .returning({ id: aiDecisions.suggestionId });
  return stored.length > 0;
}

/**
 * Makes a suggestion an outcome of the caller; the decision is stored with the outcome. Of two people who decide at once,
 * the second is told that it is decided.
 */
export async function acceptSuggestion(ctx: Ctx, given: Named & AcceptInput): Promise<{ outcome: Outcome }> {
  const found = await deciding(ctx, 'POST /api/meetings/:id/outcomes/:itemId/accept', given);
  const { who, at, row, state } = found;
  const type = given.type ?? row.type;
  if (type !== row.type && !row.choices.includes(type)) throw invalid({ field: 'type', code: 'unknown' });
  if (state !== 'open') throw decided(state);
  const [place = null] = await placesNow(ctx, who.meetingId, [row]);
  if (!place) throw new Problem('CONFLICT', { errors: [{ field: 'id', code: 'gone' }] });
  // One that counts as accepted without an outcome was begun where both were not stored at once.
  const outcomeId = row.state === 'accepted' && row.outcomeId !== null ? row.outcomeId : newId();
  const outcome: Outcome = {
    ...stamp(ctx, who, outcomeId, false),
    ...(await anchored(ctx, who.meetingId, place)),
    ...{ type, text: row.text, children: [], grade: null, automatic: false, wasAutomatic: true, url: null },
  };
  const accepted = {
    ...{ suggestionId: row.id, outcomeId, userId: who.userId },
    before: row,
    layer: at.layer,
  };
  try {
    return await addAnnotation(ctx, who, 'outcome', outcome, () => outcome, { accepted });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const now = await deciding(ctx, 'POST /api/meetings/:id/outcomes/:itemId/accept', given);
    throw now.state === 'open' ? error : decided(now.state);
  }
}

/** Rejects a suggestion; a later search does not suggest it again. */
export async function rejectSuggestion(ctx: Ctx, given: Named & RejectInput): Promise<void> {
  const found = await deciding(ctx, 'POST /api/meetings/:id/outcomes/:itemId/reject', given);
  if (found.state !== 'open') throw decided(found.state);
  await transaction(ctx, async (tx) => {
    const rejected = await decide(tx, found, { state: 'rejected', outcomeId: null, rejectReason: given.reason });
    if (!rejected) throw decided('accepted');
    await keepResult(ctx, tx, null);
  });
}

/** Takes a decision back: the suggestion waits again, and the outcome that it became is deleted. */
export async function reopenSuggestion(ctx: Ctx, named: Named): Promise<void> {
  const found = await deciding(ctx, 'POST /api/meetings/:id/outcomes/:itemId/reopen', named);
  const { who, row } = found;
  const { outcomeId } = row;
  // As long as the outcome stands, the suggestion counts as accepted.
  if (!row.isFresh) await decide(ctx.db.orm, found, { state: 'open', outcomeId, rejectReason: null });
  if (outcomeId === null) return;
  const stands = await readRoom(
    ctx,
    who.meetingId,
    placeOf(who, 'outcome', false),
    (doc) => readAnnotation(doc, 'outcome', outcomeId, 'shared') !== null,
  );
  if (stands) await deleteOutcome(ctx, { id: named.id, itemId: outcomeId });
}
