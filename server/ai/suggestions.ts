import { and, eq, isNull, ne } from 'drizzle-orm';
import { aiSuggestions } from '#db/schema/ai.ts';
import type { AcceptInput, RejectInput, SuggestionView } from '#shared/ai/suggestions.ts';
import { newId } from '#shared/ids.ts';
import { placesOf, saidIn, type Anchored } from '#shared/meetings/anchors.ts';
import { everStood, readAnnotation, type Outcome } from '#shared/meetings/annotations.ts';
import { readWords } from '#shared/meetings/words.ts';
import { invalid, Problem } from '#shared/problems.ts';
import { addAnnotation, anchored, noSuchAnnotation, stamp } from '../annotations/annotations.ts';
import { deleteOutcome } from '../annotations/outcomes.ts';
import { meetingCallerOf, placeOf, readRoom } from '../annotations/rooms.ts';
import { transaction, type Ctx } from '../context.ts';
import { keepResult } from '../http/once.ts';

// Suggested outcomes stand in a table of their own until a person accepts them, so that no export, count or search has them.

type Suggestion = typeof aiSuggestions.$inferSelect;
interface Named {
  id: string;
  itemId: string;
}

/** Suggestions to decide on; those whose words were deleted are not shown. */
export async function openSuggestions(ctx: Ctx, meetingId: string): Promise<SuggestionView[]> {
  const rows = await ctx.db.orm
    .select()
    .from(aiSuggestions)
    .where(and(eq(aiSuggestions.meetingId, meetingId), ne(aiSuggestions.state, 'rejected')));
  if (rows.length === 0) return [];
  const states = await statesOf(ctx, meetingId, rows);
  const open = rows.filter((_, nth) => states[nth] === 'open');
  const places = await placesNow(ctx, meetingId, open);
  return open
    .flatMap(({ id, type, choices, text, reason, model, createdAt }, nth): SuggestionView[] => {
      const place = places[nth];
      if (!place) return [];
      const at = createdAt.toISOString();
      return [
        {
          ...{ id, rev: 1, ...place, author: { id: '', kind: 'machine', name: model }, private: false, createdAt: at },
          ...{ editTimestamp: null, url: null, type, typeChoices: choices, text, reason, automatic: true },
        },
      ];
    })
    .sort((one, other) => one.start - other.start || one.createdAt.localeCompare(other.createdAt));
}

/** Present places of suggestions, and their words; null for those that are gone. */
const placesNow = (ctx: Ctx, meetingId: string, all: readonly Suggestion[]): Promise<(Anchored | null)[]> =>
  ctx.documents.read(meetingId, (doc, { generation }) => {
    const reading = readWords(doc);
    return placesOf(doc, reading, generation, all).map((place, nth) => {
      if (!place || place.by === 'time') return null;
      return { anchor: all[nth]?.anchor ?? null, ...saidIn(reading, place.from, place.to) };
    });
  });

/**
 * States of suggestions. The outcome decides: one whose process died before it was written is still to be accepted,
 * and one that stands is accepted.
 */
const statesOf = (ctx: Ctx, meetingId: string, rows: readonly Suggestion[]): Promise<Suggestion['state'][]> =>
  ctx.documents.inRoom(
    meetingId,
    (room) =>
      room.read((doc) =>
        rows.map(({ state, outcomeId }) => {
          if (outcomeId !== null && readAnnotation(doc, 'outcome', outcomeId, 'shared')) return 'accepted';
          if (state !== 'accepted' || outcomeId === null) return state;
          return everStood(doc, 'outcome', outcomeId, 'shared') ? 'accepted' : 'open';
        }),
      ),
    { part: 'outcomes', of: null },
  );

async function suggestionOf(ctx: Ctx, { id, itemId }: Named): Promise<{ row: Suggestion; state: Suggestion['state'] }> {
  const [row] = await ctx.db.orm
    .select()
    .from(aiSuggestions)
    .where(and(eq(aiSuggestions.meetingId, id), eq(aiSuggestions.id, itemId)));
  if (!row) throw noSuchAnnotation();
  const [state = row.state] = await statesOf(ctx, id, [row]);
  return { row, state };
}

const decided = (state: Suggestion['state']) =>
  new Problem('CONFLICT', { errors: [{ field: 'id', code: state === 'rejected' ? 'rejected' : 'accepted' }] });

/** The row as it was read: another decision at the same time changes it first. */
const unchanged = ({ id, state, outcomeId }: Suggestion) =>
  and(
    eq(aiSuggestions.id, id),
    eq(aiSuggestions.state, state),
    outcomeId === null ? isNull(aiSuggestions.outcomeId) : eq(aiSuggestions.outcomeId, outcomeId),
  );

/** Makes a suggestion an outcome of the caller. Two people who accept at once get one outcome. */
export async function acceptSuggestion(ctx: Ctx, given: Named & AcceptInput): Promise<{ outcome: Outcome }> {
  const who = await meetingCallerOf(ctx, 'POST /api/meetings/:id/outcomes/:itemId/accept', given.id);
  const { row, state } = await suggestionOf(ctx, given);
  const type = given.type ?? row.type;
  if (type !== row.type && !row.choices.includes(type)) throw invalid({ field: 'type', code: 'unknown' });
  if (state !== 'open') throw decided(state);
  const [place = null] = await placesNow(ctx, given.id, [row]);
  if (!place) throw new Problem('CONFLICT', { errors: [{ field: 'id', code: 'gone' }] });
  // The outcome gets its id first: after a crash the same one is written.
  const outcomeId = row.state === 'accepted' && row.outcomeId !== null ? row.outcomeId : newId();
  const claimed = await ctx.db.orm
    .update(aiSuggestions)
    .set({ state: 'accepted', outcomeId, decidedBy: who.userId })
    .where(unchanged(row))
    .returning({ id: aiSuggestions.id });
  if (claimed.length === 0) throw decided('accepted');
  return addAnnotation(ctx, who, 'outcome', {
    ...stamp(ctx, outcomeId, false),
    ...(await anchored(ctx, given.id, place)),
    ...{ type, text: row.text, children: [], grade: null, automatic: false, wasAutomatic: true, url: null },
  });
}

/** Rejects a suggestion; a later search does not suggest it again. */
export async function rejectSuggestion(ctx: Ctx, given: Named & RejectInput): Promise<void> {
  const who = await meetingCallerOf(ctx, 'POST /api/meetings/:id/outcomes/:itemId/reject', given.id);
  const { row, state } = await suggestionOf(ctx, given);
  if (state !== 'open') throw decided(state);
  await transaction(ctx, async (tx) => {
    const rejected = await tx
      .update(aiSuggestions)
      .set({ state: 'rejected', outcomeId: null, rejectReason: given.reason, decidedBy: who.userId })
      .where(unchanged(row))
      .returning({ id: aiSuggestions.id });
    if (rejected.length === 0) throw decided('accepted');
    await keepResult(ctx, tx, null);
  });
}

/** Takes a decision back: the suggestion waits again, and the outcome that it became is deleted. */
export async function reopenSuggestion(ctx: Ctx, named: Named): Promise<void> {
  const who = await meetingCallerOf(ctx, 'POST /api/meetings/:id/outcomes/:itemId/reopen', named.id);
  const { row } = await suggestionOf(ctx, named);
  const { outcomeId } = row;
  // As long as the outcome stands, the suggestion counts as accepted.
  await ctx.db.orm
    .update(aiSuggestions)
    .set({ state: 'open', rejectReason: null, decidedBy: null })
    .where(unchanged(row));
  if (outcomeId === null) return;
  const stands = await readRoom(
    ctx,
    named.id,
    placeOf(who, 'outcome', false),
    (doc) => readAnnotation(doc, 'outcome', outcomeId, 'shared') !== null,
  );
  if (stands) await deleteOutcome(ctx, { id: named.id, itemId: outcomeId });
}
